"""Table of published models: attention from the models' sources, other parts from their real classes (`parity.table`)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from headcount.assets import ASSETS
from headcount.models.attention import Attention, Latent
from headcount.models.conventions import CONVENTIONS, changed_words, convention, sharing
from headcount.models.cost import token_bytes
from headcount.models.model import Group, Model, Part

FILE = ASSETS / "published_models.json"
#: The model in a blog post, and the post's numbers of heads that do not divide its d_model, 768.
BLOG_MODEL, REFUSED_HEADS = "RoBERTa-blog", (5, 7, 10)


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the table. `config`: the arguments of the model's real class. `counts`: published parameter counts, for tests.
    - `slug`: the name in the address. `row`: the kind "model", "paper row", "formula only" or "blog".
    - `groups`: the attention modules. `rest`: all other components, or None if no class has counted them."""

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
        tables = ("max_position_embeddings", "n_positions", "max_target_positions")
        positions = next((self.config[name] for name in tables if name in self.config), 0)
        kept = 2 if self.model_type == "roberta" else 0  # its first rows are not of tokens
        return Model(self.model_type, self.groups, self.rest, self.buckets, self.counted_as, positions=max(positions - kept, 0))


@cache
def entries() -> dict[str, Entry]:
    """Reads the table. Returns its rows by slug, in the order of the file."""
    found: dict[str, Entry] = {}
    for row in json.loads(FILE.read_text(encoding="utf-8")):
        rest = None if row["rest"] is None else tuple(Part(*part) for part in row["rest"])
        made: dict[str, Any] = row | {"groups": tuple(map(_group, row["groups"])), "rest": rest}
        found[row["slug"]] = Entry(**made)
    return found


def _group(fields: dict[str, Any]) -> Group:
    sizes: dict[str, Any] = {"tied": False, "kv_follow": False} | fields["attention"]
    if "latent" in sizes:
        sizes |= {"latent": Latent(**sizes["latent"])}
    made: dict[str, Any] = fields | {"attention": Attention(**sizes)}
    return Group(**made)


@cache
def row(slug: str) -> dict[str, object]:
    """Returns a published model's row of the table by column: texts, and numbers that are computed from the model's sizes."""
    entry = entries()[slug]
    model = entry.model
    a = model.attention
    biases = "".join(letter.upper() for letter in "qkvo" if letter in a.bias)
    return {
        "model": entry.slug, "convention": CONVENTIONS[convention(a)], "sharing": sharing(a), "layers": model.layers,
        "d_model": a.d_model, "h": a.heads, "h_kv": a.kv_heads, "d_k": a.d_k, "d_v": a.d_v, "inner": a.inner,
        "biases": biases or "none", "changed": ", ".join(changed_words(model.model_type)), "per_module": a.count,
        "attention": model.attention_total, "total": model.total,
        "share": model.share, "cache": sum(token_bytes(group) for group in model.groups) or None,
        "counted": entry.counted_as or "formula only", "published": entry.published,
        "source": entry.source,
    }  # fmt: skip
