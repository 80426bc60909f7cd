"""The claims, by subject. In the order in which they are read: by article, then by line."""

from lessons.claims.claim import ARTICLES, Claim
from lessons.claims.statements import (  # fmt: skip
    arguments,
    arithmetic,
    arrays,
    choices,
    conventions,
    costs,
    heads,
    inputs,
    joining,
    maps,
    opinions,
    outputs,
    roberta,
    scores,
    widths,
)

_FILES = (
    arguments,
    arithmetic,
    arrays,
    choices,
    conventions,
    costs,
    heads,
    inputs,
    joining,
    maps,
    opinions,
    outputs,
    roberta,
    scores,
    widths,
)
_ORDER = [article.key for article in ARTICLES]
CLAIMS: tuple[Claim, ...] = tuple(
    sorted((claim for file in _FILES for claim in file.CLAIMS), key=lambda it: (_ORDER.index(it.article), it.line, it.number))
)
