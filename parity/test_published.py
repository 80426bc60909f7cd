"""The reader of configurations against transformers' own classes: every family, random sizes, moved heads, refusals."""

import json

import pytest

from mha.published.attention import Refused
from mha.published.model import Model
from mha.published.reading import READERS, parse, read_config
from mha.published.table import entries
from parity.models import CLASSES, build, projections, total, variation
from tests.mha.published.configs import CONFIGS

VARIATIONS = 5
#: Built with any heads; the first forward pass fails where they do not divide.
UNCHECKED = {"dbrx", "qwen2_vl_vision", "qwen2_5_vl_vision"}
#: Read by another class of the same sizes, or by none.
WITHOUT_CLASS = {"transformer", "formula", "kimi_k2"}
MODELS = [entry for entry in entries().values() if entry.row == "model" and entry.config["model_type"] != "transformer"]


def test_every_family_that_is_read_has_a_judge():
    assert set(READERS) - WITHOUT_CLASS == set(CLASSES)


def judged(config: dict, ours: Model, named: str | None = None) -> None:
    real = build(config, named)
    assert ours.projections == projections(real), config
    if ours.total is not None:
        assert ours.total == total(real), config


@pytest.mark.parametrize("seed", range(VARIATIONS))
@pytest.mark.parametrize("kind", CLASSES)
def test_a_random_configuration_holds_what_the_real_class_holds(kind: str, seed: int):
    config = variation(kind, seed)
    judged(config, read_config(config))


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.slug)
def test_every_published_model_holds_what_the_real_class_holds(entry):
    judged(dict(entry.config), entry.model, entry.model.counted_as)


def test_the_blogs_model_holds_109_514_298_with_4_and_with_12_heads():
    entry = entries()["RoBERTa-blog"]
    for heads in (4, 12):
        real = build({**entry.config, "num_attention_heads": heads}, "RobertaForMaskedLM")
        assert total(real) == 109_514_298 == entry.model.with_heads(heads).total


def spelt(config: dict, heads: int) -> dict:
    """The configuration with other heads, wherever the family says them."""
    names = ("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads", "decoder_attention_heads")
    return config | {name: heads for name in names if name in config}


@pytest.mark.parametrize("kind", sorted(set(CLASSES) - {"electra", "albert", "mpt", *UNCHECKED}))
def test_heads_that_do_not_divide_are_refused_in_the_words_of_transformers_or_counted_as_it_builds_them(kind: str):
    """The reader refuses exactly what transformers refuses, and says it in the same words."""
    for seed in range(3):
        base = variation(kind, seed)
        for heads in (7, 11, 4):
            config = spelt(base, heads)
            if "num_key_value_heads" in config:
                config["num_key_value_heads"] = heads
            config.pop("num_kv_heads", None)
            same(config)


@pytest.mark.parametrize("kind", sorted(set(CLASSES) - {"t5", "mt5", "umt5", "deepseek_v2", "deepseek_v3", *UNCHECKED}))
def test_heads_of_an_odd_size_are_refused_exactly_where_transformers_refuses_them(kind: str):
    config = spelt(variation(kind, 0), 12)
    config |= {name: 60 for name in ("hidden_size", "n_embd", "d_model", "dim", "word_embed_proj_dim") if name in config}
    config |= {name: 12 for name in ("num_key_value_heads",) if name in config}
    same({key: value for key, value in config.items() if key not in ("head_dim", "num_kv_heads")})


def same(config: dict) -> None:
    """The reader counts what transformers builds, or both refuse, in the same words (where two things are wrong at once,
    Falcon names the other one first)."""
    try:
        ours = read_config(config)
    except Refused as refused:
        if "no numbers at all" in str(refused):
            return
        with pytest.raises(Exception, match=r".") as raised:  # transformers wraps some in a class of its own
            build(config)
        words = refused.raised.removeprefix("ValueError: ")
        both = config["model_type"] == "falcon" and config["hidden_size"] // config["num_attention_heads"] % 2
        empty = isinstance(raised.value, ZeroDivisionError)  # more heads than numbers, met before the check
        assert words in str(raised.value) or both or empty, (config, words)
    else:
        judged(config, ours)


def test_more_heads_than_a_first_forward_pass_can_share_is_what_the_sentence_says():
    """6 heads over 4 key/value heads: transformers builds the layer, and it fails at its first forward pass."""
    import torch
    import transformers

    sizes = {"hidden_size": 24, "num_attention_heads": 6, "num_hidden_layers": 1, "intermediate_size": 17, "vocab_size": 29}
    real = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, num_key_value_heads=4))
    with pytest.raises(RuntimeError):
        real(torch.tensor([[1, 2, 3]]))
    with pytest.raises(Refused, match="first forward pass fails"):
        read_config({"model_type": "llama", **sizes, "num_key_value_heads": 4})


@pytest.mark.parametrize("kind", ["albert", "electra"])
def test_where_transformers_skips_the_check_the_first_forward_pass_fails(kind: str):
    import torch
    import transformers

    config = variation(kind, 0) | {"num_attention_heads": 7, "hidden_size": 60}
    sizes = {key: value for key, value in config.items() if key != "model_type"}
    named = transformers.AutoConfig.for_model(kind, **sizes)
    real = getattr(transformers, CLASSES[kind])(named)
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        real(torch.tensor([[1, 2, 3]]))
    with pytest.raises(Refused) as refused:
        read_config(config)
    assert "mat1 and mat2 shapes cannot be multiplied" in refused.value.raised


@pytest.mark.parametrize("kind", ["llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gpt_oss", "mixtral"])
def test_a_field_left_out_has_the_default_of_the_real_class(kind: str):
    base = {key: value for key, value in variation(kind, 1).items() if key not in ("num_key_value_heads", "head_dim")}
    config = spelt(base, 32) | {"hidden_size": 128}
    judged(config, read_config(config))


def test_a_missing_size_is_the_default_of_the_class():
    config = {"model_type": "llama", "num_hidden_layers": 1}
    judged(config, read_config(config))


#: Known to transformers, written into the files, of no size.
ONLY_WORDS = ("architectures", "torch_dtype", "prefix", "tie_weights_")


@pytest.mark.parametrize("name", CONFIGS)
def test_a_pasted_configuration_holds_what_the_real_class_holds(name: str):
    text, attention, everything = CONFIGS[name]
    config = {key: value for key, value in json.loads(text).items() if key not in ONLY_WORDS}
    real = build(config, json.loads(text)["architectures"][0])
    ours = read_config(parse(text))
    assert ours.projections == projections(real) == attention
    assert ours.total == total(real) == everything
