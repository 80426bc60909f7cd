"""The table of published models: sizes and sources from one file, every count computed from the sizes.

And the blog's observation: 109,514,298 parameters with 4 heads and with 12, and the counts it is mixed up with.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from mha.assets import ASSETS
from mha.config import divisors
from mha.published.model import Model
from mha.published.reading import read_config

FILE = ASSETS / "published_models.json"
BLOG_MODEL = "RoBERTa-blog"
#: Head counts that do not divide the width of the blog's model, 768.
REFUSED_HEADS = (5, 7, 10)


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: `slug` names it in the address, `row` says what it is ("model", "paper row", "formula only", "blog").

    `counts`: what the real model holds, as it was counted elsewhere; tests hold our own to it, the screen never shows it.
    """

    slug: str
    name: str
    row: str
    config: Mapping[str, object]
    source: str
    evidence: str
    published: str
    note: str
    counts: Mapping[str, object]

    @property
    def model(self) -> Model:
        return _model(self.slug)


@cache
def entries() -> dict[str, Entry]:
    """All of them by slug, in the file's order; the first is the one to start with."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return {row["slug"]: Entry(**row) for row in rows}


@cache
def _model(slug: str) -> Model:
    return read_config(entries()[slug].config)


def blog_variants() -> list[tuple[str, Model]]:
    """The class of the blog's model three times: who counts it, and the model."""
    config = {**entries()[BLOG_MODEL].config, "vocab_size": 50265}
    return [
        ("to 4.29.2", entries()[BLOG_MODEL].model),
        ("since 4.30.0", read_config(config)),
        ("roberta-base", read_config({**config, "max_position_embeddings": 514, "type_vocab_size": 1})),
    ]


def totals_by_heads(model: Model) -> dict[int, int | None]:
    """All parameters for every head count that divides d_model."""
    return {heads: model.with_heads(heads).total for heads in divisors(model.attention.d_model)}
