"""A configuration is read by its family's field names, or a sentence says which field is wrong and what it has."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.files.tensors import UnreadableFile
from headcount.models.attention import BadHeads
from headcount.models.model import Model
from headcount.models.reading import parse, read_config
from headcount.text_bounds import MAX_CONFIG_TEXT
from tests.layer.models.hub import HUB, file_of

#: Of these files, those of families that the table does not have, or that leave open what it does not know.
MAX_ONE_LAYER = 13
LLAMA = {"model_type": "llama", "hidden_size": 40, "num_hidden_layers": 3, "num_attention_heads": 10, "num_key_value_heads": 5}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3), max_leaves=6,
)  # fmt: skip
NAMES = (
    "model_type", "hidden_size", "n_embd", "num_attention_heads", "n_head", "num_hidden_layers", "n_layer", "head_dim", "d_kv",
    "num_key_value_heads", "multi_query", "new_decoder_architecture", "q_lora_rank", "kv_lora_rank", "attention_bias",
    "sliding_window", "layer_types", "text_config", "vision_config", "vocab_size", "architectures",
)  # fmt: skip


def said(text: str) -> str | Model:
    try:
        return read_config(parse(text))
    except UnreadableFile as fault:
        return fault.sentence.format(*fault.names)
    except BadHeads as fault:
        return str(fault)


@pytest.mark.parametrize("name", HUB)
def test_attention_of_a_configuration_of_the_hub_is_read_right_or_one_layer_of_it_is_read(name: str):
    made = read_config(parse(json.dumps(file_of(name))))
    assert not made.whole or [made.projections, made.attention_total] == HUB[name][1:3]
    assert made.total is None
    assert (made.kept is None) == (not made.whole)


def test_there_are_sixty_of_twenty_five_families_and_most_are_read_for_sure():
    assert len(HUB) >= 60
    assert len({config["model_type"] for config, *_ in HUB.values()}) >= 25
    assert sum(not read_config(file_of(name)).whole for name in HUB) <= MAX_ONE_LAYER


WHOLE = "must be a whole number from 1 to"


@pytest.mark.parametrize(("change", "words"), [
    ({"num_attention_heads": "10"}, f'num_attention_heads {WHOLE} 4,096, found "10".'),
    ({"num_attention_heads": 0}, f"num_attention_heads {WHOLE} 4,096, found 0."),
    ({"num_attention_heads": 2.0}, f"num_attention_heads {WHOLE} 4,096, found 2.0."),
    ({"num_attention_heads": True}, f"num_attention_heads {WHOLE} 4,096, found true."),
    ({"hidden_size": -40}, f"hidden_size {WHOLE} 1,048,576, found -40."),
    ({"hidden_size": 10**30}, f"hidden_size {WHOLE} 1,048,576, found {10**30}."),
    ({"hidden_size": {"a": [1]}}, f'hidden_size {WHOLE} 1,048,576, found {{"a": [1]}}.'),
    ({"hidden_size": None}, "hidden_size or n_embd or d_model or dim or n_embed or hidden_dim or embed_dim must be there."),
    ({"num_key_value_heads": "all"}, f'num_key_value_heads {WHOLE} 4,096, found "all".'),
    ({"attention_bias": "yes"}, 'attention_bias must be true or false, found "yes".'),
    ({"model_type": 7}, "model_type must be a text, found 7."),
    ({"num_attention_heads": 7}, "7 heads do not divide d_model = 40"), ({"num_key_value_heads": 4}, "10 heads cannot share 4"),
    ({"model_type": "new", "mamba_d_state": 16, "num_heads": 10, "num_attention_heads": None},
     "mamba_d_state is of layers that are no attention, and no field names heads of attention (num_attention_heads)."),
])  # fmt: skip
def test_a_wrong_field_is_named_with_what_is_allowed_and_what_was_found(change: dict, words: str):
    assert words in said(json.dumps(LLAMA | change))


def test_heads_that_do_not_divide_are_refused_in_the_words_of_transformers():
    with pytest.raises(BadHeads) as refused:
        read_config(LLAMA | {"num_attention_heads": 7})
    assert refused.value.raised == "ValueError: The hidden size (40) is not a multiple of the number of attention heads (7)."


@pytest.mark.parametrize(("text", "words"), [
    ("", "not JSON at line 1, column 1"), ("{'a': 1}", "at line 1, column 2"), ("{\n\n oops", "at line 3, column 2"),
    ("[1, 2]", "must hold one JSON object, { … }, found [1, 2]"), ("12", "must hold one JSON object, { … }, found 12"),
    ("[" * 100_000, "not JSON of a few levels"), ('{"a":' * 50_000, "not JSON"),
    ('{"hidden_size": ' + "9" * 9000 + "}", "numbers of a readable length"),
    ('{"b": 8, "b": 16}', "b stands twice"), ('{"a": [{"b": 1, "c": 2, "b": 1}]}', "b stands twice"),
    (" " * (MAX_CONFIG_TEXT + 1), "must have at most 256,000 characters, found 256001"),
])  # fmt: skip
def test_what_is_no_json_object_is_said(text: str, words: str):
    assert words in said(text)


@given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=9) | JSON)
def test_whatever_stands_there_it_is_a_model_or_a_sentence(config: object):
    """Some have a good model below, so that the fields after the first are read, too."""
    for tried in (config, {**LLAMA, **config} if isinstance(config, dict) else config):
        made = said(json.dumps(tried))
        assert len(made) < 300 if isinstance(made, str) else made.attention.count > 0


def test_of_an_unknown_family_one_layer_is_read_from_its_usual_fields_and_what_none_names_is_said():
    """W_Q 42 × 6 · 11, W_K 42 × 3 · 11, W_V 42 × 3 · 5, W_O 6 · 5 × 42. Without head sizes and key/value heads: 42 / 6 = 7."""
    made = read_config({"model_type": "new", "n_embd": 42, "n_head": 6, "n_kv_heads": 3, "d_head": 11, "v_head_dim": 5})
    assert [(m.rows, m.cols, m.bias) for m in made.attention.matrices()] == [(42, 66, 0), (42, 33, 0), (42, 15, 0), (30, 42, 0)]
    assert (made.whole, made.unsaid, made.kept, made.total) == (False, (), None, None)
    made = read_config({"dim": 42, "n_heads": 6, "n_layers": 5, "qkv_bias": True})
    assert (made.unsaid, made.attention.d_k, made.attention.bias) == (("head size", "key/value heads"), 7, "")
    shaped = {"model_type": "zamba2", "hidden_size": 40, "num_attention_heads": 4, "attention_hidden_size": 80, "mamba_expand": 2}
    assert read_config(shaped).unsaid == ("attention_hidden_size",)


@pytest.mark.parametrize("change", [
    {"add_cross_attention": True}, {"model_type": "t5", "architectures": ["T5EncoderModel"]},
    {"model_type": "bert", "is_decoder": True},
    {"model_type": "llama4"}, {"model_type": "eurobert"}, {"attention_bias": True, "model_type": "qwen3_moe", "head_dim": 4},
    {"model_type": "gemma3_text", "head_dim": 4, "sliding_window": 5, "sliding_window_pattern": 4},
])  # fmt: skip
def test_where_a_field_leaves_open_what_its_class_does_one_layer_is_read_and_nothing_is_filled_in(change: dict):
    made = read_config(LLAMA | change)
    assert (made.whole, made.modules, made.kept) == (False, 1, None)


def test_a_tower_for_pictures_stands_apart_and_its_heads_stay():
    """LLaVA: 2 text layers of 4 · 24², and a vision tower with 3 layers of 4 · (30² + 30), which sees 5 × 5 patches."""
    text = {"model_type": "llama", "hidden_size": 24, "num_attention_heads": 4, "num_key_value_heads": 4,
            "num_hidden_layers": 2}  # fmt: skip
    tower = {"model_type": "clip_vision_model", "hidden_size": 30, "num_attention_heads": 5, "num_hidden_layers": 3,
             "image_size": 40, "patch_size": 8}  # fmt: skip
    whole = {"model_type": "llava", "architectures": ["LlavaForConditionalGeneration"], "text_config": text}
    made = read_config(whole | {"vision_config": tower})
    found = [(group.tower, group.modules, group.attention.heads, group.tokens) for group in made.groups]
    assert found == [("", 2, 4, 0), ("vision", 3, 5, 25)]
    assert made.projections == 2 * 4 * 24 * 24 + 3 * 4 * (30 * 30 + 30)
    assert [group.attention.heads for group in made.with_heads(12).groups] == [12, 5]
    assert not read_config(whole).whole, "which tower its class takes is not said"


@pytest.mark.parametrize("fields", [
    {"model_type": "granitemoehybrid", "layer_types": ["mamba"] * 9 + ["attention"], "mamba_n_heads": 4},
    {"model_type": "nemotron_h", "layers_block_type": ["mamba", "attention"], "ssm_state_size": 8},
    {"model_type": "jamba", "attn_layer_period": 8, "attn_layer_offset": 4},
    {"model_type": "qwen3_next", "full_attention_interval": 4},
])  # fmt: skip
def test_of_a_model_with_other_layers_as_well_one_layer_of_attention_is_read(fields: dict):
    """The number of its layers may be missing."""
    made = read_config({"hidden_size": 24, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 7, **fields})
    assert (made.whole, made.projections) == (False, 2 * 24 * 28 + 2 * 24 * 14)


def test_spellings_of_transformers_5_are_read():
    base = {"model_type": "falcon", "hidden_size": 24, "num_attention_heads": 6, "num_hidden_layers": 2, "bias": False}
    newer = {"new_decoder_architecture": True, "num_kv_heads": 3, "multi_query": True}
    assert read_config(base | newer).attention.kv_heads == 3
    qwen = {"model_type": "qwen3_moe", "head_dim": 5, "attention_bias": False, "num_local_experts": 7, "rope_parameters": {}}
    assert read_config(LLAMA | qwen).whole


def test_layers_that_slide_are_counted_from_their_names_or_their_family():
    kinds, base = ["full_attention", "sliding_attention", "sliding_attention"], LLAMA | {"model_type": "mistral"}
    gemma = {"model_type": "gemma3_text", "hidden_size": 48, "num_hidden_layers": 13, "num_attention_heads": 4,
             "num_key_value_heads": 2, "head_dim": 16, "sliding_window": 5}  # fmt: skip
    modern = {"model_type": "modernbert", "hidden_size": 48, "num_hidden_layers": 22, "num_attention_heads": 4,
              "local_attention": 5, "global_attn_every_n_layers": 3}  # fmt: skip
    for config, sliding in (
        (base | {"sliding_window": 7}, 3), (base | {"sliding_window": None}, 0), (gemma, 11), (modern, 14),
        (base | {"model_type": "qwen2", "sliding_window": 7, "layer_types": kinds}, 2),
    ):  # fmt: skip
        assert read_config(config).groups[0].sliding == sliding
    assert read_config(gemma | {"sliding_window_pattern": 6}).whole
    assert not read_config(gemma | {"sliding_window_pattern": 4}).whole
