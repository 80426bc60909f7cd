"""Tests published models against transformers' own classes: the table, the configuration reader, hub.json, the counting
process."""

import sys
from dataclasses import replace

import pytest
import torch

from headcount.models import real_class
from headcount.models.reading import read_config
from headcount.models.table import entries
from headcount.models.worker import build, described, handle
from parity.models import AROUND, KINDS, variation
from parity.table import counted, has_class
from tests.layer.models.hub import HUB, file_of

VARIATIONS = 5


@pytest.mark.parametrize("name", HUB)
def test_a_configuration_of_the_hub_holds_what_is_written_of_it(name: str):
    found = described(build(config := file_of(name)))
    assert [found.name, found.projections, found.attention, found.total] == [config["architectures"][0], *HUB[name][1:]]


@pytest.mark.parametrize("entry", [*filter(has_class, entries().values())], ids=lambda entry: entry.slug)
def test_every_row_of_the_table_holds_what_its_class_holds_as_it_is_and_with_other_heads(entry):
    found, ours, attention = counted(entry), entry.model, entry.model.attention
    assert (ours.total, ours.attention_total, ours.projections) == (found.total, found.attention, found.projections)
    assert [part[:3] for part in found.rows if part[-1] != "attention"] == [(p.label, p.each, p.times) for p in entry.rest]
    for how, (heads, _) in entry.counts.get("moved", {}).items():
        together = how == "num_heads_and_kv_heads_together"
        kv_heads = max(1, heads * attention.kv_heads // attention.heads) if together else attention.kv_heads
        kv_heads = heads if attention.kv_follow else kv_heads
        assert ours.with_heads(heads, kv_heads).total == counted(entry, heads, kv_heads).total, how


@pytest.mark.parametrize("seed", range(VARIATIONS))
@pytest.mark.parametrize("kind", [*KINDS, *AROUND])
def test_attention_of_a_random_configuration_is_read_right_or_one_layer_of_it_is_read(kind: str, seed: int):
    config = variation(kind, seed)
    found, ours = described(build(config)), read_config(config)
    assert not ours.whole or (ours.projections, ours.attention_total) == (found.projections, found.attention), config


@pytest.mark.parametrize("kind", ["llama", "bert", "gpt2", "t5", "bart", "vit", "gemma2", "qwen3", "falcon", "albert"])
def test_what_is_counted_on_meta_is_what_the_class_holds_when_it_is_built_for_real(kind: str):
    """Tied weights count once, because they share their memory."""
    model = build(variation(kind, 3))
    found, real = described(model), type(model)(model.config)
    memory = {parameter.data_ptr(): parameter.numel() for parameter in real.parameters()}
    assert all(parameter.device == torch.device("cpu") for parameter in real.parameters())
    assert found.total == sum(memory.values()) == sum(each * times for _, each, times, _ in found.rows)


@pytest.mark.parametrize(("change", "words"), [
    ({"model_type": "nothing"}, "none of transformers"), ({"architectures": ["os"]}, "no class of transformers"),
    ({"architectures": ["LlamaConfig"]}, "no class of transformers"), ({"num_attention_heads": 7}, "not a multiple"),
    ({"hidden_size": "<b>"}, "hidden_size"),
])  # fmt: skip
def test_what_the_class_refuses_is_said_in_its_words(change: dict, words: str):
    answer, _ = handle({"config": {"model_type": "llama", "num_hidden_layers": 1, **change}}, {})
    assert words in answer["refused"]
    assert "\n" not in answer["refused"]


def test_a_configuration_of_a_million_layers_ends_in_a_sentence_within_the_bound(monkeypatch):
    monkeypatch.setattr(real_class, "interpreter", lambda: sys.executable)
    found = real_class.count({"model_type": "llama", "num_hidden_layers": 1_000_000})
    assert found.refused.startswith("not counted yet, it took")


def test_the_process_answers_with_what_the_class_holds(monkeypatch):
    monkeypatch.setattr(real_class, "interpreter", lambda: sys.executable)
    monkeypatch.setattr(real_class._worker(), "seconds", 300.0)  # also on a busy machine
    entry = entries()["RoBERTa-blog"]
    config = {**entry.config, "architectures": [entry.counted_as]}
    assert [real_class.count(config, heads).total for heads in (4, 12)] == [109_514_298] * 2
    there = real_class.count(config)
    assert replace(there, modules=(), kept=None) == counted(entry)
    assert (there.kept, [times for times, _ in there.modules]) == ((), [12])


#: Sizes of a configuration in which each layer caches equally many numbers.
SIZES = {"hidden_size": 48, "num_hidden_layers": 5, "num_attention_heads": 6, "num_key_value_heads": 3, "head_dim": 10,
         "vocab_size": 101, "pad_token_id": 0, "intermediate_size": 16, "moe_intermediate_size": 16}  # fmt: skip


@pytest.mark.parametrize(("config", "kept", "columns"), [
    ({"model_type": "llama"}, ((5, 60, 0),), [60, 30, 30, 48]),
    ({"model_type": "gemma3_text", "sliding_window": 7, "layer_types": ["sliding_attention"] * 4 + ["full_attention"]},
     ((4, 60, 7), (1, 60, 0)), [60, 30, 30, 48]),
    ({"model_type": "eurobert"}, (), [60, 30, 30, 48]),
    ({"model_type": "mimo_v2_flash", "architectures": ["MiMoV2FlashForCausalLM"], "v_head_dim": 8, "sliding_window": 6,
      "sliding_window_size": 6, "swa_num_key_value_heads": 6, "layer_types": ["full_attention"] + ["sliding_attention"] * 4},
     ((1, 3 * 18, 0), (4, 6 * 18, 6)), [60, 60, 48, 48]),
    ({"model_type": "bert"}, (), [48, 48, 48, 48]),
])  # fmt: skip
def test_what_layers_keep_and_the_shapes_of_their_matrices_are_those_of_the_class(config: dict, kept: tuple, columns: list[int]):
    """Each layer keeps h_kv · (d_k + d_v) numbers per token; most have W_Q, W_K, W_V and W_O with these `columns`."""
    answer, _ = handle({"config": SIZES | config}, {})
    assert answer["refused"] == ""
    assert sorted(answer["kept"]) == sorted(kept)
    times, weights = answer["modules"][0]
    assert [cols for _, _, cols, _ in weights] == columns
    assert times == (4 if config["model_type"].startswith("mimo") else 5)


def test_a_default_of_torch_is_as_before_after_a_class_was_built():
    build({"model_type": "llama", **SIZES})
    assert torch.get_default_dtype() == torch.float32
