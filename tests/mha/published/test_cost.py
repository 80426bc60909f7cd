"""What attention costs to run: by hand, and against the layer's own count of its einsums."""

from hypothesis import given
from hypothesis import strategies as st

from mha import Config
from mha.cost import multiply_adds
from mha.published.attention import Attention
from mha.published.cost import cost
from mha.published.model import Group, Model

SIZES = st.integers(1, 9)


@given(SIZES, SIZES, SIZES, SIZES, SIZES, SIZES)
def test_one_module_costs_what_the_layers_einsums_cost(d: int, heads: int, d_k: int, d_v: int, tokens: int, sequences: int):
    attention = Attention(d, heads, heads, d_k, d_v, False, True, "qkvo")
    made = cost(Model("", (Group("", 1, attention, "self"),)), tokens, sequences)
    steps = multiply_adds(Config(d, heads, d_k, d_v, tokens, batch=sequences))
    assert made.projections == steps["q"] + steps["k"] + steps["v"]
    assert made.scores == steps["scores"]
    assert made.weighting == steps["context"]
    assert made.output == steps["output"]
    assert made.multiply_adds == sum(steps.values())
    assert made.score_bytes == 2 * sequences * heads * tokens * tokens
    assert made.cache_bytes == 2 * sequences * tokens * heads * (d_k + d_v)


def test_layers_that_slide_keep_no_more_than_their_window():
    """13 layers, 11 of them slide over 5 tokens; 3 key/value heads of 7: 2 · 3 · 14 bytes a layer and token."""
    model = Model("", (Group("", 13, Attention(42, 6, 3, 7, 7, True, False), "self", sliding=11, window=5),))
    assert cost(model, 4).cache_bytes == 84 * 13 * 4
    assert cost(model, 17, 2).cache_bytes == 2 * 84 * (2 * 17 + 11 * 5)
    assert cost(model, 17).token_bytes == 84 * 13
    assert cost(model, 17).late_token_bytes == 84 * 2


def test_layers_that_share_one_block_of_weights_still_cost_each():
    """ALBERT: one module, 12 layers."""
    attention = Attention(6, 2, 2, 3, 3, True, True)
    once, shared = (cost(Model("", (Group("", 1, attention, "", layers),)), 5) for layers in (1, 12))
    assert shared.multiply_adds == 12 * once.multiply_adds
    assert once.cache_bytes == 0
