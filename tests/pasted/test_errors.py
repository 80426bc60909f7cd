"""Error messages: the relation that is broken, and the number that would fit. Messages from threads are quotes (wordings.json,
with addresses; the last of each rule was found after the rule was written). Keras's come from Keras."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from headcount.models.attention import Attention
from headcount.pasted.errors import RULES, read_error
from headcount.pasted.read import read_pasted
from headcount.pasted.shapes import named_sizes, read_shapes, sizes_of

WORDINGS = json.loads(Path(__file__).with_name("wordings.json").read_text(encoding="utf-8"))
CASES = [(rule, *wording) for rule, wordings in WORDINGS.items() for wording in wordings]


@pytest.mark.parametrize(("rule", "thread", "text", "says"), CASES, ids=[case[1] for case in CASES])
def test_each_wording_is_read_by_its_rule(rule: str, thread: str, text: str, says: str):
    (finding,) = read_pasted(text)
    assert finding.title == next(relation for relation, _, read in RULES if read.__name__ == rule)
    assert says in finding.says


def test_each_rule_has_three_wordings_one_found_later_and_a_thread_among_them():
    assert [*WORDINGS] == [read.__name__ for *_, read in RULES]
    for _, met, read in RULES:
        threads = [thread for thread, *_ in WORDINGS[read.__name__]]
        assert len(threads) == 3
        assert threads[-1].endswith(", found later")
        assert met in threads


@pytest.mark.parametrize(("text", "says"), [
    ("The hidden size (10) is not a multiple of the number of attention heads (3)",
     "10 numbers for 3 heads: 3.33, no whole number. These divide 10: 1, 2, 5 and 10."),
    ("6 query heads must be divisible by 4 key/value heads", "6 heads on 4 key/value heads: 1.50"),
    ("1,030 wide, not divisible by 12 heads", "1,030 numbers for 12 heads: 85.83"),
    ("35 is not divisible by 6", "35 by 6: 5.83, no whole number. These divide 35: 1, 5, 7 and 35."),
    ("head_dim 50 must be a multiple of eight", "A head has 50 numbers, no multiple of 8. 48 and 56 are multiples."),
    ("shape '[2, -1, 5, 7]' is invalid for input of size 120", "2 · 5 · 7 = 70, which does not divide 120."),
    ("cannot reshape array of size 110 into shape (2,5,3,4)", "11 numbers a token are not 3 heads. These divide 11: 1 and 11."),
    ("head_size (300) is not supported. Supported head sizes: [64, 80, 128]", "300 is none of 64, 80 and 128."),
    ("size mismatch for in_proj_weight: torch.Size([18, 6]) torch.Size([36, 12])",
     "in_proj has 6 numbers in the file, 12 in the model."),
    ("head_dim=32 q_proj [96, 64] [192, 64] v_proj [96, 64] [192, 64]",
     "q_proj is 3 heads in the file (96 numbers), 6 in the model (192). "
     "v_proj is 3 heads in the file (96 numbers), 6 in the model (192)."),
])  # fmt: skip
def test_the_number_that_does_not_fit_is_named_with_one_that_would(text: str, says: str):
    (finding,) = read_error(text)
    assert says in finding.says
    assert finding.slip


@pytest.mark.parametrize("text", [
    "embed_dim must be divisible by num_heads", "12 wide, is it divisible by 3 heads?", "shape '[2, 3, 4]' is invalid",
    "The size of tensor a (8) must match the size of tensor b (8)", "expecting 0 weights. Which 8 does the layer hold?",
    "how many heads should I choose", "q_proj [64, 64] [64, 64]", "", "0 heads on 0 gpus",
])  # fmt: skip
def test_where_nothing_is_broken_nothing_is_said(text: str):
    assert read_error(text) == []


def test_a_shape_that_does_not_fit_opens_the_layer_that_would():
    (finding,) = read_error("shape '[3, 5, 4, 7]' is invalid for input of size 630")
    assert finding.layer == Attention(42, 6, 6, 7, 7, False, False, "qkvo"), "630 / 15 = 42 numbers a token"


@pytest.mark.parametrize(("text", "sizes"), [
    ("num_heads (12)", {"heads": 12}), ("12 heads of 64", {"heads": 12}), ("`embed_dim`: 10", {"width": 10}),
    ("hidden_size=4096 num_attention_heads=32 num_key_value_heads=8", {"width": 4096, "heads": 32, "kv": 8}),
    ("hidden_size is 3,200, and has 32 heads", {"width": 3200, "heads": 32}), ("on 6 GPUs", {"gpus": 6}),
    ("kv_group_size=64, head_dim 96", {"group": 64, "size": 96}), ("Llama-3-8B", {}), ("8 key/value heads", {"kv": 8}),
    ("version 2.32 heads", {}), ("num_heads=0", {}), ("num_heads=99999999", {}),
])  # fmt: skip
def test_sizes_are_read_by_name(text: str, sizes: dict[str, int]):
    assert named_sizes(text) == sizes


def test_a_model_that_is_named_has_its_sizes():
    assert sizes_of("phi-3-mini on 3 GPUs") == {"width": 3072, "heads": 32, "kv": 32, "size": 96, "value": 96, "gpus": 3}
    assert sizes_of("Llama-2-7B or Llama-2-13B on 3 GPUs") == {"gpus": 3}, "two models are none"


@pytest.mark.parametrize(("text", "layer"), [
    ("hidden_size=4096 num_attention_heads=32 num_key_value_heads=8", Attention(4096, 32, 8, 128, 128, False, False)),
    ('{"hidden_size": 96, "num_attention_heads": 6, "num_key_value_heads": 2}', Attention(96, 6, 2, 16, 16, False, False)),
    ("11 heads, head_dim 3, value_dim: 2, d_model 13", Attention(13, 11, 11, 3, 2, False, False, "qkvo")),
    ("d_model 21, 7 heads", Attention(21, 7, 7, 3, 3, False, False, "qkvo")),
])  # fmt: skip
def test_sizes_or_a_configuration_alone_are_a_layer(text: str, layer: Attention):
    (finding,) = read_pasted(text)
    assert finding.layer == layer


def test_a_grouped_layer_says_where_it_can_be_and_who_shares_a_key():
    """Queries and output have 896 · 896 each, keys and values 896 · 128 each. 7 heads of 64 are 448."""
    (finding,) = read_shapes("hidden_size 896, num_attention_heads: 14, num_key_value_heads: 2")
    assert "1,835,008 weights without biases; the paper's layer, 14 heads of 64, has 3,211,264." in finding.says
    assert "1, 2, 7 and 14 devices" in finding.says
    assert "7 heads share each key: heads 1 to 7 the first." in finding.says


@pytest.mark.parametrize(("text", "titles"), [
    ("(8, 64, 12)", ["X: 8 sequences of 64 tokens, 12 wide"]),
    ("(2, 7, 11, 5)", ["In PyTorch's order: 7 heads of 5, 11 tokens", "In Keras's order: 11 heads of 5, 7 tokens"]),
    ("what is (8, 64, 12)", []), ("(8)", []), ("d_model 21, 8 heads", []), ("num_heads=5", []),
    ('{"a": 1}', ["A configuration"]), ("{", ["A configuration"]),
])  # fmt: skip
def test_a_shape_alone_is_what_it_can_be(text: str, titles: list[str]):
    assert [one.title for one in read_pasted(text)] == titles


def reshaped(layers, zeros):
    layers.Reshape((5, 3, 4))(zeros(2, 5, 11))


def other_heads(layers, zeros):
    three, two = layers.MultiHeadAttention(3, 4), layers.MultiHeadAttention(2, 4)
    three(zeros(2, 5, 7), zeros(2, 5, 7))
    two(zeros(2, 5, 7), zeros(2, 5, 7))
    two.set_weights(three.get_weights())


def other_width(layers, zeros):
    layer = layers.MultiHeadAttention(3, 4)
    layer(zeros(2, 5, 7), zeros(2, 5, 7))
    layer(zeros(2, 5, 8), zeros(2, 5, 8))


@pytest.mark.keras
@pytest.mark.parametrize(("call", "says"), [
    (lambda layers, zeros: layers.MultiHeadAttention(3, 4)(zeros(2, 5, 7), zeros(2, 6, 7), zeros(2, 4, 7)),
     "4 and 6 stand|6 and 4 stand"),
    (lambda layers, zeros: layers.MultiHeadAttention(3, 4)(zeros(2, 5, 7), zeros(2, 5, 7), attention_mask=zeros(2, 4, 4) > 0),
     "5 and 4 stand"),
    (reshaped, "These divide 11: 1 and 11"), (other_heads, "2 and 3 stand"), (other_width, "84 by 8: 10.50"),
])  # fmt: skip
def test_what_keras_itself_says_is_read(call: Callable, says: str):
    import keras
    import numpy as np

    with pytest.raises(Exception) as fault:  # noqa: PT011
        call(keras.layers, lambda *shape: np.zeros(shape, "float32"))
    (finding,) = read_error(str(fault.value))
    assert any(one in finding.says for one in says.split("|")), finding
