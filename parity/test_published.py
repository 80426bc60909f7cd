"""The table, the reader of shared fields, and hub.json against transformers' own classes."""

import pytest
import torch

from headcount.models.entry import entries
from headcount.models.reading import read_config
from parity.models import AROUND, KINDS, variation
from parity.real_class import build, described
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


def test_a_default_of_torch_is_as_before_after_a_class_was_built():
    build(variation("llama", 3))
    assert torch.get_default_dtype() == torch.float32
