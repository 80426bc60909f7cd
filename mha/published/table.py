"""The table of published models: sizes and sources from one file, every count computed from the sizes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from mha.assets import ASSETS
from mha.published.model import Model
from mha.published.reading import read_config

FILE = ASSETS / "published_models.json"


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
