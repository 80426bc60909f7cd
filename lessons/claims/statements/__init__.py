"""The claims, by subject; in the order in which they are read: by article, then by line."""

from lessons.claims.records import ARTICLES, Claim
from lessons.claims.statements import arrays, calls, conventions, costs, heads

MODULES = (arrays, calls, conventions, costs, heads)


def _place(claim: Claim) -> tuple[int, int, int]:
    return ARTICLES.index(claim.source.article), claim.source.line, claim.number


CLAIMS: tuple[Claim, ...] = tuple(sorted((claim for module in MODULES for claim in module.CLAIMS), key=_place))
