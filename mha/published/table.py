"""The table of published models: frozen data. Sizes of attention are from the sources, all else is as the real class holds it.

`python -m parity.table` asks the classes anew; `make parity` holds each row to them. And the blog's observation: 109,514,298
parameters with 4 heads and with 12, and the counts it is mixed up with.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from mha.assets import ASSETS
from mha.config import divisors
from mha.published.attention import Attention, Latent
from mha.published.model import Group, Model, Part

FILE = ASSETS / "published_models.json"
BLOG_MODEL = "RoBERTa-blog"
#: Head counts that do not divide the width of the blog's model, 768.
REFUSED_HEADS = (5, 7, 10)


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: `slug` names it in the address, `row` says what it is ("model", "paper row", "formula only", "blog").

    `config`: what the real class is built from; `groups`: attention; `rest`: everything else of that class, or null. `counts`:
    what was counted elsewhere; tests hold the row to it, the screen never shows it.
    """

    slug: str
    name: str
    row: str
    model_type: str
    config: Mapping[str, Any]
    groups: tuple[Group, ...]
    rest: tuple[Part, ...] | None
    buckets: int
    counted_as: str
    source: str
    evidence: str
    published: str
    note: str
    counts: Mapping[str, Any]

    @property
    def model(self) -> Model:
        return Model(self.model_type, self.groups, self.rest, self.buckets, self.counted_as)


@cache
def entries() -> dict[str, Entry]:
    """All of them by slug, in the file's order; the first is the one to start with."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return {row["slug"]: _entry(row) for row in rows}


def _entry(row: dict[str, Any]) -> Entry:
    rest = None if row["rest"] is None else tuple(Part(*part) for part in row["rest"])
    made: dict[str, Any] = row | {"groups": tuple(map(_group, row["groups"])), "rest": rest}
    return Entry(**made)


def _group(fields: dict[str, Any]) -> Group:
    sizes: dict[str, Any] = {"tied": False, "kv_follow": False} | fields["attention"]
    if "latent" in sizes:
        sizes |= {"latent": Latent(**sizes["latent"])}
    made: dict[str, Any] = {"label": ""} | fields | {"attention": Attention(**sizes)}
    return Group(**made)


def blog_variants() -> Sequence[tuple[str, int, int, int, int]]:
    """The class of the blog's model three times: who counts it; words, positions and token types; parameters."""
    return [tuple(row) for row in entries()[BLOG_MODEL].counts["variants"]]


def totals_by_heads(model: Model) -> dict[int, int | None]:
    """All parameters for every head count that divides d_model."""
    return {heads: model.with_heads(heads).total for heads in divisors(model.attention.d_model)}
