"""A configuration is read by its family's spelling, or it is said which field is wrong and what stood there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.files.tensors import UnreadableFile
from mha.models.attention import Refused
from mha.models.model import Model
from mha.models.reading import MAX_TEXT, parse, read_config
from tests.mha.models.hub import HUB, file_of

#: Of these files, those of families that the table does not have, or that leave open what it does not know.
MAX_ASSUMED = 13
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
    except Refused as fault:
        return str(fault)


@pytest.mark.parametrize("name", HUB)
def test_attention_of_a_configuration_of_the_hub_is_read_right_or_said_to_be_assumed(name: str):
    made = read_config(parse(json.dumps(file_of(name))))
    assert made.notes or [made.projections, made.attention_total] == HUB[name][1:3]
    assert made.total is None


def test_there_are_sixty_of_twenty_five_families_and_most_are_read_for_sure():
    assert len(HUB) >= 60
    assert len({config["model_type"] for config, *_ in HUB.values()}) >= 25
    assert sum(bool(read_config(file_of(name)).notes) for name in HUB) <= MAX_ASSUMED


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
    ({"model_type": 7}, "model_type must be a text, found 7."), ({"layer_types": 7}, "layer_types must be a list with a name"),
    ({"num_attention_heads": 7}, "7 heads do not divide d_model = 40"), ({"num_key_value_heads": 4}, "10 heads cannot share 4"),
    ({"layer_types": ["mamba"] * 3}, "layer_types must name a layer with attention: this model has none"),
    ({"model_type": "new", "mamba_d_state": 16}, "mamba_d_state is of layers that are no attention"),
    ({"model_type": "jamba", "attn_layer_period": 8}, "attn_layer_period is of layers that are no attention"),
    ({"model_type": "qwen3_next", "full_attention_interval": 4}, "full_attention_interval is of layers that are no attention"),
])  # fmt: skip
def test_a_wrong_field_is_named_with_what_is_allowed_and_what_was_found(change: dict, words: str):
    assert words in said(json.dumps(LLAMA | change))


def test_heads_that_do_not_divide_are_refused_in_the_words_of_transformers():
    with pytest.raises(Refused) as refused:
        read_config(LLAMA | {"num_attention_heads": 7})
    assert refused.value.raised == "ValueError: The hidden size (40) is not a multiple of the number of attention heads (7)."


@pytest.mark.parametrize(("text", "words"), [
    ("", "not JSON at line 1, column 1"), ("{'a': 1}", "at line 1, column 2"), ("{\n\n oops", "at line 3, column 2"),
    ("[1, 2]", "must hold one JSON object, { … }, found [1, 2]"), ("12", "must hold one JSON object, { … }, found 12"),
    ("[" * 100_000, "not JSON of a few levels"), ('{"a":' * 50_000, "not JSON of a few levels"),
    ('{"hidden_size": ' + "9" * 9000 + "}", "numbers of a readable length"),
    ('{"b": 8, "b": 16}', "b stands twice"), ('{"a": [{"b": 1, "c": 2, "b": 1}]}', "b stands twice"),
    (" " * (MAX_TEXT + 1), "must have at most 256,000 characters, found 256001"),
])  # fmt: skip
def test_what_is_no_json_object_is_said(text: str, words: str):
    assert words in said(text)


@given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=9) | JSON)
def test_whatever_stands_there_it_is_a_model_or_a_sentence(config: object):
    """Also with a good model below it, so that the fields behind the first are reached."""
    for tried in (config, {**LLAMA, **config} if isinstance(config, dict) else config):
        made = said(json.dumps(tried))
        assert len(made) < 300 if isinstance(made, str) else made.attention.count > 0


def test_an_unknown_family_is_read_by_the_usual_fields_and_every_guess_is_said():
    made = read_config({"model_type": "new", "n_embd": 42, "n_head": 6, "n_layer": 5, "n_kv_heads": 3, "d_head": 11})
    assert made.projections == 5 * (42 * 66 + 2 * 42 * 33 + 66 * 42)
    guessed = read_config({"dim": 42, "n_heads": 6, "n_layers": 5, "qkv_bias": True})
    assert guessed.attention.bias == "qkv"
    notes = " ".join((*made.notes, *guessed.notes))
    for words in ("family that the table does not have", "biases: none", "as many as heads", "d_model / heads", "is not there"):
        assert words in notes


def test_a_tower_for_pictures_stands_apart_and_its_heads_stay():
    """LLaVA: 2 text layers of 4 · 24², 3 layers of the tower of 4 · (30² + 30), which sees 5 × 5 patches."""
    text = {"model_type": "llama", "hidden_size": 24, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 101}
    tower = {"model_type": "clip_vision_model", "hidden_size": 30, "num_attention_heads": 5, "num_hidden_layers": 3,
             "image_size": 40, "patch_size": 8}  # fmt: skip
    made = read_config({"model_type": "llava", "text_config": text, "vision_config": tower})
    found = [(group.tower, group.modules, group.attention.heads, group.tokens) for group in made.groups]
    assert found == [("", 2, 4, 0), ("vision", 3, 5, 25)]
    assert made.projections == 2 * 4 * 24 * 24 + 3 * 4 * (30 * 30 + 30)
    assert [group.attention.heads for group in made.with_heads(6).groups] == [6, 5]
    assert any("vision_config" in note for note in read_config({"model_type": "llava", "text_config": text}).notes)


@pytest.mark.parametrize(("fields", "layers"), [
    ({"model_type": "granitemoehybrid", "layer_types": ["mamba"] * 9 + ["attention"], "mamba_n_heads": 4}, 1),
    ({"model_type": "lfm2", "layer_types": ["conv", "full_attention"] * 5, "conv_L_cache": 3}, 5),
    ({"model_type": "nemotron_h", "hybrid_override_pattern": "M-M*M-M*M-", "ssm_state_size": 8}, 2),
    ({"model_type": "qwen3_5_text", "layer_types": ["linear_attention", "full_attention"] * 5}, 5),
    ({"model_type": "minimax", "attn_type_list": [0, 1, 0, 0, 1]}, 2),
])  # fmt: skip
def test_a_layer_that_is_no_attention_is_counted_as_none(fields: dict, layers: int):
    sizes = {"hidden_size": 24, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 7, "num_hidden_layers": 10}
    made = read_config({**sizes, **fields})
    assert (made.modules, made.projections) == (layers, layers * (2 * 24 * 28 + 2 * 24 * 14))
    assert made.notes


def test_spellings_of_transformers_5_are_read():
    base = {"model_type": "falcon", "hidden_size": 24, "num_attention_heads": 6, "num_hidden_layers": 2, "bias": False}
    newer = {"new_decoder_architecture": True, "num_kv_heads": 3, "multi_query": True}
    assert read_config(base | newer).attention.kv_heads == 3
    qwen = {"model_type": "qwen3_moe", "head_dim": 5, "attention_bias": False, "num_local_experts": 7, "rope_parameters": {}}
    assert read_config(LLAMA | qwen).notes == ()


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
    assert not read_config(gemma | {"sliding_window_pattern": 6}).notes
    assert "as in its family" in read_config(gemma | {"sliding_window_pattern": 4}).notes[0]
