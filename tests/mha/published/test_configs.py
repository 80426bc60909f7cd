"""Configurations as they stand on the Hub, with all the fields that change nothing: attention is read as the class holds it.

hub.json, by model: the file, and what its class in transformers 5.23 holds (parity/test_hub.py counts it again): projections, all
of attention, everything. A number for `id2label` stands for so many labels. Written from memory: a word that changes no count may
differ from the Hub's file of today.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from mha.published.reading import parse, read_config
from mha.published.table import entries

HUB = json.loads((Path(__file__).parent / "hub.json").read_text(encoding="utf-8"))
#: Of these files, those of families that the table does not have, or that leave open what it does not know.
MOST_ASSUMED = 13


def file_of(name: str) -> dict[str, Any]:
    config = dict(HUB[name][0])
    if isinstance(labels := config.get("id2label"), int):
        config["id2label"] = {str(number): f"class {number}" for number in range(labels)}
    return config


@pytest.mark.parametrize("name", HUB)
def test_attention_of_a_configuration_of_the_hub_is_read_right_or_said_to_be_assumed(name: str):
    made = read_config(parse(json.dumps(file_of(name))))
    assert made.notes or [made.projections, made.attention_total] == HUB[name][1:3]
    assert made.total is None


def test_there_are_sixty_of_twenty_five_families_and_most_are_read_for_sure():
    assert len(HUB) >= 60
    assert len({config["model_type"] for config, *_ in HUB.values()}) >= 25
    assert sum(bool(read_config(file_of(name)).notes) for name in HUB) <= MOST_ASSUMED


def test_those_of_the_table_are_others():
    sizes = [entry.model.groups for entry in entries().values()]
    assert sum(read_config(file_of(name)).groups not in sizes for name in HUB) >= 30
