"""hub.json, by model: a file as it stands on the Hub, and what its class in transformers 5.23 holds: projections, all of
attention, everything (parity/test_published.py). Written from memory: a word that changes no count may differ from today's."""

import json
from pathlib import Path
from typing import Any

HUB = json.loads((Path(__file__).parent / "hub.json").read_text(encoding="utf-8"))


def file_of(name: str) -> dict[str, Any]:
    """A number for `id2label` stands for so many labels."""
    config = dict(HUB[name][0])
    if isinstance(labels := config.get("id2label"), int):
        config["id2label"] = {str(number): f"class {number}" for number in range(labels)}
    return config
