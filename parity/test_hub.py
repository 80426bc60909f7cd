"""Configurations as they stand on the Hub, with all the fields that change nothing: the app counts what the real class holds.

In hub.json, by their models' names; a number for `id2label` stands for so many labels. Written from memory: a word that changes
no count may differ from the Hub's file of today.
"""

import json
from pathlib import Path

import pytest

from mha.published.reading import parse, read_config
from mha.published.worker import build, described

HUB = json.loads((Path(__file__).parent / "hub.json").read_text(encoding="utf-8"))
def test_there_are_at_least_forty_of_twenty_five_families():
    assert len(HUB) >= 40
    assert len({config["model_type"] for config in HUB.values()}) >= 25


@pytest.mark.parametrize("name", HUB)
def test_attention_of_a_configuration_of_the_hub_is_read_right_or_said_to_be_assumed(name: str):
    config = dict(HUB[name])
    if isinstance(config.get("id2label"), int):
        config["id2label"] = {str(number): f"class {number}" for number in range(config["id2label"])}
    found = described(build(config))
    ours = read_config(parse(json.dumps(config)))
    assert found["class"] == config["architectures"][0]
    assert ours.notes or (ours.projections, ours.attention_total) == (found["projections"], found["attention"])
