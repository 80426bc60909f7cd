"""Configurations as they stand on the Hub, with all the fields that change nothing: the app counts what the real class holds.

In hub.json, by their models' names; a number for `id2label` stands for so many labels. Written from memory: a word that changes
no count may differ from the Hub's file of today.
"""

import json
from pathlib import Path

import pytest

from mha.published.reading import parse, read_config
from parity.models import build, projections, total

HUB = json.loads((Path(__file__).parent / "hub.json").read_text(encoding="utf-8"))
#: Read by nothing that builds a model; this version of transformers refuses some of them.
ONLY_WORDS = {
    "architectures", "torch_dtype", "prefix", "tie_weights_", "transformers_version", "_name_or_path", "auto_map", "output_past",
    "task_specific_params", "tokenizer_class", "_num_labels", "finetuning_task", "bad_words_ids", "forced_decoder_ids",
    "begin_suppress_tokens", "max_length", "num_beams",
}  # fmt: skip


def test_there_are_at_least_forty_of_twenty_five_families():
    assert len(HUB) >= 40
    assert len({config["model_type"] for config in HUB.values()}) >= 25


@pytest.mark.parametrize("name", HUB)
def test_a_configuration_of_the_hub_is_counted_as_the_real_class_holds_it(name: str):
    config = dict(HUB[name])
    if isinstance(config.get("id2label"), int):
        config["id2label"] = {str(number): f"class {number}" for number in range(config["id2label"])}
    real = build({key: value for key, value in config.items() if key not in ONLY_WORDS}, config["architectures"][0])
    ours = read_config(parse(json.dumps(config)))
    assert (ours.projections, ours.total) == (projections(real), total(real))
    assert (ours.counted_as, ours.unfollowed, ours.named) == (config["architectures"][0], (), True)
