"""A configuration is read by its family's spelling, or it is said which field is wrong and what stood there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.published.attention import Refused
from mha.published.fields import CONFIG_CLASSES, UnreadableConfig
from mha.published.model import Model
from mha.published.reading import MOST_TEXT, READERS, known, parse, read_config, read_fields
from mha.published.table import entries

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
    ({"vocab_size": "many", "intermediate_size": 9},
     'vocab_size must be a whole number from 1 to 67,108,864, found the text "many"'),
])  # fmt: skip
def test_a_wrong_field_is_named_with_what_is_allowed_and_what_was_found(change: dict, said: str):
    assert fault(LLAMA | change) == said


@pytest.mark.parametrize(("field", "default"), [("hidden_size", 4096), ("num_hidden_layers", 32), ("num_attention_heads", 32)])
def test_a_missing_field_of_a_known_family_has_the_default_of_its_class_which_is_said(field: str, default: int):
    """LlamaConfig's own: 4096 wide, 32 layers, 32 heads."""
    sizes = {"hidden_size": 64, "num_attention_heads": 8, "num_hidden_layers": 3, "num_key_value_heads": 4}
    made = read_config({"model_type": "llama", **sizes} | {field: default})
    left = read_config({"model_type": "llama", **{key: value for key, value in sizes.items() if key != field}})
    assert (left.groups, left.total) == (made.groups, made.total)
    assert (field, f"{default}") in [(said.name, said.value) for said in left.defaults]


def test_a_missing_field_of_a_family_without_a_class_is_named():
    assert fault({"model_type": "transformer", "d_model": 8}) == "h must be there, found no such field"


def test_a_missing_field_of_an_unknown_family_is_named_by_all_its_spellings():
    assert fault({"hidden_size": 8}).startswith("num_attention_heads (or n_head, num_heads, ")


@pytest.mark.parametrize(("text", "said"), [
    ("", "Line 1, column 1 must be JSON"), ("{'a': 1}", "Line 1, column 2 must be JSON"),
    ("{\n\n oops", "Line 3, column 2 must be JSON"),
    ("[1, 2]", "must hold one JSON object, { … }, found a list of 2"), ("12", "must hold one JSON object, { … }, found 12"),
    ("[" * 100_000, "must be JSON with few levels"), ('{"a":' * 50_000, "must be JSON with few levels"),
    ('{"hidden_size": ' + "9" * 9000 + "}", "whole number of thousands of digits"),
    (" " * (MOST_TEXT + 1), "must have at most 256,000 characters, found 256,001"),
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


@pytest.mark.parametrize("slug", entries())
def test_the_few_fields_that_are_kept_give_the_same_model_again(slug: str):
    model, used = read_fields(entries()[slug].config | {"pad_token_id": 0, "id2label": {"0": "no"}})
    assert read_config(json.loads(json.dumps(used))) == model
    assert "id2label" not in used


def test_an_unknown_family_is_read_by_the_usual_fields_and_every_guess_is_said():
    made = read_config({"model_type": "new", "n_embd": 42, "n_head": 6, "n_layer": 5, "n_kv_heads": 3, "d_head": 11})
    assert not known(made)
    assert made.projections == 5 * (42 * 66 + 2 * 42 * 33 + 66 * 42)
    assert made.total is None
    said = " ".join(made.notes)
    assert "family that is not known" in said
    assert "biases: none" in said
    guessed = read_config({"dim": 42, "n_heads": 6, "n_layers": 5, "qkv_bias": True})
    assert guessed.attention.bias == "qkv"
    assert "as many as heads" in " ".join(guessed.notes)
    assert "d_model / heads" in " ".join(guessed.notes)


def test_a_text_model_inside_another_one_is_found():
    inner = {"hidden_size": 48, "num_hidden_layers": 6, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}
    made = read_config({"model_type": "new", "text_config": {"model_type": "gemma3_text", **inner}, "vision_config": {}})
    assert made.model_type == "gemma3_text"
    assert made.groups[0].sliding == 5
    assert "text_config" in made.notes[0]
    assert made.total is None


def test_layers_that_slide_are_counted_from_their_names():
    kinds = ["full_attention", "sliding_attention", "sliding_attention"]
    mistral = LLAMA | {"model_type": "mistral", "sliding_window": 7}
    assert read_config(mistral).groups[0].sliding == 3
    assert read_config(mistral | {"sliding_window": None}).groups[0].sliding == 0
    base = mistral | {"model_type": "qwen2", "use_sliding_window": True}
    assert read_config(base | {"layer_types": kinds}).groups[0].sliding == 2
    assert fault(base | {"layer_types": kinds[:2]}) == "layer_types must name 3 layers, found a list of 2"


def test_a_field_left_out_has_the_default_of_its_family_and_that_is_said():
    base = {key: value for key, value in LLAMA.items() if key != "num_key_value_heads"}
    assert read_config(base).attention.kv_heads == 10
    mixtral = read_config(base | {"model_type": "mixtral", "num_attention_heads": 8})
    assert mixtral.attention.kv_heads == 8
    assert ("num_key_value_heads", "8") in [(said.name, said.value) for said in mixtral.defaults]
    assert mixtral.total is not None


@pytest.mark.parametrize(("change", "said"), [
    ({"per_layer_config": {"0": {"head_dim": 3}}}, "per_layer_config"),
    ({"model_type": "bert", "architectures": ["BertForMaskedLM"], "per_layer_config": {"1": {}}}, "per_layer_config"),
    ({"model_type": "deberta-v2", "conv_kernel_size": 3}, "conv_kernel_size"),
])  # fmt: skip
def test_a_field_that_may_change_a_count_and_is_not_followed_takes_the_total_away_and_is_named(change: dict, said: str):
    made = read_config(LLAMA | change)
    assert said in [one.name for one in made.unfollowed]
    assert made.total is None
    assert not known(made)


def test_a_field_that_the_class_does_not_know_is_named_and_the_total_stays():
    """Five layers' worth of nothing: transformers sets it aside."""
    made = read_config(LLAMA | {"position_embedding_type": "relative_key", "torch_dtype": "bfloat16"})
    assert [(one.name, one.value) for one in made.ignored] == [("position_embedding_type", 'the text "relative_key"')]
    assert made.total == read_config(LLAMA).total


@pytest.mark.parametrize(("named", "more"), [
    ("BertModel", 24 * 24 + 24), ("BertForMaskedLM", 24 * 24 + 24 + 48 + 101), ("BertForTokenClassification", 5 * 25),
    ("BertForSequenceClassification", 24 * 24 + 24 + 5 * 25), ("BertForNextSentencePrediction", 24 * 24 + 24 + 2 * 25),
])  # fmt: skip
def test_architectures_decides_what_stands_after_the_last_layer(named: str, more: int):
    """By hand: 24 wide, 101 words, 7 positions, 2 token types; one layer with 4 · (24² + 24), 2 · 24 · 11 + 35 and two norms."""
    config = {
        "model_type": "bert", "architectures": [named], "hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 1,
        "intermediate_size": 11, "vocab_size": 101, "max_position_embeddings": 7, "id2label": {str(n): "x" for n in range(5)},
    }  # fmt: skip
    made = read_config(config)
    assert made.total == (101 + 7 + 2 + 2) * 24 + 4 * (24 * 24 + 24) + 2 * 24 * 11 + 35 + 4 * 24 + more
    assert made.counted_as == named


def test_a_class_that_is_not_counted_has_no_total_and_one_that_is_none_is_said():
    base = {"model_type": "gpt2", "n_embd": 24, "n_head": 3, "n_layer": 1}
    for named, words in (("GPT2DoubleHeadsModel", "is not counted here"), ("GPT2ForPoetry", "builds no GPT2ForPoetry")):
        made = read_config(base | {"architectures": [named]})
        assert made.total is None
        assert words in made.notes[0]
    assert "must be a list of names of classes" in fault(base | {"architectures": ["<b>x</b>"]})


def test_a_tower_for_pictures_stands_apart_and_its_heads_stay():
    """LLaVA: 2 text layers of 4 · 24², 3 layers of the tower of 4 · (30² + 30)."""
    text = {"model_type": "llama", "hidden_size": 24, "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 101}
    tower = {"model_type": "clip_vision_model", "hidden_size": 30, "num_attention_heads": 5, "num_hidden_layers": 3}
    made = read_config({"model_type": "llava", "text_config": text, "vision_config": tower})
    assert [(group.tower, group.modules, group.attention.heads) for group in made.groups] == [("", 2, 4), ("vision", 3, 5)]
    assert made.projections == 2 * 4 * 24 * 24 + 3 * 4 * (30 * 30 + 30)
    assert [group.attention.heads for group in made.with_heads(6).groups] == [6, 5]
    assert made.with_heads(6).total == made.total


def test_layers_without_attention_are_counted_as_what_they_are():
    """Qwen3-Next: of 4 layers one has attention, with a gate as wide as its queries."""
    sizes = {"hidden_size": 24, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "num_hidden_layers": 4}
    made = read_config({"model_type": "qwen3_next", **sizes})
    assert made.groups[0].modules == 1
    assert made.projections == 24 * 24 * 2 + 2 * 24 * 12 + 24 * 24
    assert [part.times for part in made.ledger() if part.kind == "mixer"] == [3]


@pytest.mark.parametrize("kind", sorted(set(READERS) & set(CONFIG_CLASSES)))
def test_a_configuration_says_itself_which_class_is_built_or_that_is_known(kind: str):
    """Also once only the fields that were read are left, as the address keeps them."""
    classes = CONFIG_CLASSES[kind].classes
    for named in ((), classes[:1]):
        config = {"model_type": kind, **({"architectures": list(named)} if named else {})}
        try:
            model, used = read_fields(config)
        except (UnreadableConfig, Refused):
            continue
        assert model.named is bool(named)
        assert read_fields(used)[0].named is bool(named)


def test_utf_8_with_a_mark_of_byte_order_is_json():
    assert parse('\ufeff{"model_type": "bert"}') == {"model_type": "bert"}
