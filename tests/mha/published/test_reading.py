"""A configuration is read by its family's spelling, or it is said which field is wrong and what stood there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.published.attention import Refused
from mha.published.fields import UnreadableConfig
from mha.published.model import Model
from mha.published.reading import MAX_TEXT, parse, read_config

LLAMA = {"model_type": "llama", "hidden_size": 40, "num_hidden_layers": 3, "num_attention_heads": 10, "num_key_value_heads": 5}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3), max_leaves=6,
)  # fmt: skip
NAMES = (
    "model_type", "hidden_size", "n_embd", "num_attention_heads", "n_head", "num_hidden_layers", "n_layer", "head_dim", "d_kv",
    "num_key_value_heads", "multi_query", "new_decoder_architecture", "q_lora_rank", "kv_lora_rank", "attention_bias",
    "sliding_window", "layer_types", "text_config", "vocab_size", "intermediate_size", "architectures",
)  # fmt: skip


def fault(config: object) -> str:
    with pytest.raises(UnreadableConfig) as found:
        read_config(parse(json.dumps(config)))
    return str(found.value)


def model_or_sentence(text: str) -> Model | str:
    try:
        return read_config(parse(text))
    except (UnreadableConfig, Refused) as said:
        return str(said)


@pytest.mark.parametrize(("change", "said"), [
    ({"num_attention_heads": "10"}, 'num_attention_heads must be a whole number from 1 to 4,096, found the text "10"'),
    ({"num_attention_heads": 0}, "num_attention_heads must be a whole number from 1 to 4,096, found 0"),
    ({"num_attention_heads": 2.0}, "num_attention_heads must be a whole number from 1 to 4,096, found 2.0"),
    ({"num_attention_heads": True}, "num_attention_heads must be a whole number from 1 to 4,096, found true"),
    ({"hidden_size": -40}, "hidden_size must be a whole number from 1 to 1,048,576, found -40"),
    ({"hidden_size": 10**30}, f"hidden_size must be a whole number from 1 to 1,048,576, found {10**30}"),
    ({"hidden_size": {"a": {"b": 1}}}, "hidden_size must be a whole number from 1 to 1,048,576, found an object with 1 fields"),
    ({"hidden_size": [40]}, "hidden_size must be a whole number from 1 to 1,048,576, found a list of 1"),
    ({"hidden_size": None}, "hidden_size must be there, found null"),
    ({"num_key_value_heads": "all"}, 'num_key_value_heads must be a whole number from 1 to 4,096, found the text "all"'),
    ({"attention_bias": "yes"}, 'attention_bias must be true or false, found the text "yes"'),
    ({"model_type": 7}, "model_type must be a text, found 7"),
])  # fmt: skip
def test_a_wrong_field_is_named_with_what_is_allowed_and_what_was_found(change: dict, said: str):
    assert fault(LLAMA | change) == said


def test_a_missing_field_of_an_unknown_family_is_named_by_all_its_spellings():
    assert fault({"hidden_size": 8}).startswith("num_attention_heads (or n_head, num_heads, ")


@pytest.mark.parametrize(("text", "said"), [
    ("", "Line 1, column 1 must be JSON"), ("{'a': 1}", "Line 1, column 2 must be JSON"),
    ("{\n\n oops", "Line 3, column 2 must be JSON"),
    ("[1, 2]", "must hold one JSON object, { … }, found a list of 2"), ("12", "must hold one JSON object, { … }, found 12"),
    ("[" * 100_000, "must be JSON with few levels"), ('{"a":' * 50_000, "must be JSON with few levels"),
    ('{"hidden_size": ' + "9" * 9000 + "}", "whole number of thousands of digits"),
    (" " * (MAX_TEXT + 1), "must have at most 256,000 characters, found 256,001"),
    ("x" * 5_000_000, "must have at most 256,000 characters, found 5,000,000"),
])  # fmt: skip
def test_what_is_no_json_object_is_said(text: str, said: str):
    with pytest.raises(UnreadableConfig) as found:
        parse(text)
    assert said in str(found.value)


def test_heads_that_do_not_divide_are_refused_with_both_numbers_and_the_words_of_transformers():
    with pytest.raises(Refused, match="7 heads do not divide d_model = 40") as refused:
        read_config(LLAMA | {"num_attention_heads": 7})
    assert refused.value.raised == "ValueError: The hidden size (40) is not a multiple of the number of attention heads (7)."
    with pytest.raises(Refused, match="10 heads cannot share 4"):
        read_config(LLAMA | {"num_key_value_heads": 4})


@given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=9) | JSON)
def test_whatever_stands_there_it_is_a_model_or_a_sentence(config: object):
    """Also with a good model below it, so that the fields behind the first are reached."""
    for tried in (config, {**LLAMA, **config} if isinstance(config, dict) else config):
        made = model_or_sentence(json.dumps(tried))
        assert len(made) < 300 if isinstance(made, str) else made.attention.count > 0


def test_an_unknown_family_is_read_by_the_usual_fields_and_every_guess_is_said():
    made = read_config({"model_type": "new", "n_embd": 42, "n_head": 6, "n_layer": 5, "n_kv_heads": 3, "d_head": 11})
    assert made.projections == 5 * (42 * 66 + 2 * 42 * 33 + 66 * 42)
    assert made.total is None
    said = " ".join(made.notes)
    assert "family that the table does not have" in said
    assert "biases: none" in said
    guessed = read_config({"dim": 42, "n_heads": 6, "n_layers": 5, "qkv_bias": True})
    assert guessed.attention.bias == "qkv"
    assert "as many as heads" in " ".join(guessed.notes)
    assert "d_model / heads" in " ".join(guessed.notes)


def test_a_tower_for_pictures_stands_apart_and_its_heads_stay():
    """LLaVA: 2 text layers of 4 · 24², 3 layers of the tower of 4 · (30² + 30)."""
    text = {"model_type": "llama", "hidden_size": 24, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 101}
    tower = {"model_type": "clip_vision_model", "hidden_size": 30, "num_attention_heads": 5, "num_hidden_layers": 3}
    made = read_config({"model_type": "llava", "text_config": text, "vision_config": tower})
    assert [(group.tower, group.modules, group.attention.heads) for group in made.groups] == [("", 2, 4), ("vision", 3, 5)]
    assert made.projections == 2 * 4 * 24 * 24 + 3 * 4 * (30 * 30 + 30)
    assert [group.attention.heads for group in made.with_heads(6).groups] == [6, 5]


def test_utf_8_with_a_mark_of_byte_order_is_json():
    assert parse('\ufeff{"model_type": "bert"}') == {"model_type": "bert"}


#: Hybrids as their files spell them: fields, and how many of the layers have attention.
HYBRIDS = {
    "granite": ({"model_type": "granitemoehybrid", "layer_types": ["mamba"] * 9 + ["attention"], "mamba_n_heads": 4}, 1),
    "lfm2": ({"model_type": "lfm2", "layer_types": ["conv", "full_attention"] * 5, "conv_L_cache": 3}, 5),
    "nemotron": ({"model_type": "nemotron_h", "hybrid_override_pattern": "M-M*M-M*M-", "ssm_state_size": 8}, 2),
    "qwen3.5": ({"model_type": "qwen3_5_text", "layer_types": ["linear_attention", "full_attention"] * 5}, 5),
    "jamba": ({"model_type": "jamba", "attn_layer_period": 4, "attn_layer_offset": 2, "mamba_d_state": 8}, 2),
    "bamba": ({"model_type": "bamba", "attn_layer_indices": [2, 5, 7], "mamba_d_state": 8}, 3),
    "recurrent gemma": ({"model_type": "recurrent_gemma", "block_types": ["recurrent", "recurrent", "attention"]}, 3),
    "qwen3-next": ({"model_type": "qwen3_next", "full_attention_interval": 4, "linear_num_key_heads": 2}, 2),
}


@pytest.mark.parametrize("name", HYBRIDS)
def test_a_layer_that_is_no_attention_is_counted_as_none(name: str):
    fields, layers = HYBRIDS[name]
    sizes = {"hidden_size": 24, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 7, "num_hidden_layers": 10}
    made = read_config({**sizes, **fields})
    assert made.modules == layers
    assert made.projections == layers * (2 * 24 * 28 + 2 * 24 * 14)
    assert made.notes


@pytest.mark.parametrize("fields", [
    {"model_type": "mamba2", "state_size": 16, "num_heads": 4, "conv_kernel": 4},
    {"model_type": "new", "mamba_d_state": 16, "num_attention_heads": 4},
    {"model_type": "new", "layer_types": ["mamba"] * 3, "num_attention_heads": 4},
])  # fmt: skip
def test_where_no_layer_is_known_to_be_attention_none_is_counted(fields: dict):
    assert "no attention" in fault({"hidden_size": 24, "num_hidden_layers": 3, **fields}) or "has none" in fault(
        {"hidden_size": 24, "num_hidden_layers": 3, **fields})  # fmt: skip


def test_spellings_of_transformers_5_are_read():
    base = {"model_type": "falcon", "hidden_size": 24, "num_attention_heads": 6, "num_hidden_layers": 2, "bias": False}
    newer = {"new_decoder_architecture": True, "num_kv_heads": 3, "multi_query": True}
    assert read_config(base | newer).attention.kv_heads == 3
    qwen = {
        "model_type": "qwen3_moe", "hidden_size": 24, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 5,
        "num_hidden_layers": 2, "attention_bias": False, "num_local_experts": 7, "rope_parameters": {"rope_theta": 1e6},
    }  # fmt: skip
    assert read_config(qwen).notes == ()


def test_layers_that_slide_are_counted_from_their_names_or_their_family():
    kinds = ["full_attention", "sliding_attention", "sliding_attention"]
    mistral = LLAMA | {"model_type": "mistral", "sliding_window": 7}
    assert read_config(mistral).groups[0].sliding == 3
    assert read_config(mistral | {"sliding_window": None}).groups[0].sliding == 0
    assert read_config(mistral | {"model_type": "qwen2", "layer_types": kinds}).groups[0].sliding == 2
    gemma = {"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 48, "num_hidden_layers": 13,
             "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "sliding_window": 5}}  # fmt: skip
    assert read_config(gemma).groups[0].sliding == 11
