"""The content of hub.json. By model it has a configuration as on the Hub, and its class's parameter counts in transformers 5.23:
of projections, attention, and all (parity/test_published.py). Written from memory, so words that change no count may differ."""

import json
from pathlib import Path
from typing import Any

HUB = json.loads((Path(__file__).parent / "hub.json").read_text(encoding="utf-8"))


def file_of(name: str) -> dict[str, Any]:
    """The configuration of a model. In hub.json, a number at `id2label` means that many labels."""
    config = dict(HUB[name][0])
    if isinstance(labels := config.get("id2label"), int):
        config["id2label"] = {str(number): f"class {number}" for number in range(labels)}
    return config
