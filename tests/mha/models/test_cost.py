"""What attention costs to run: by hand, and against the layer's own count of its einsums."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha import Config
from mha.cost import multiply_adds
from mha.models.attention import Attention
from mha.models.cost import cost, longest_context
from mha.models.model import Group, Model
from mha.models.reading import read_config
from mha.models.table import entries

SIZES = st.integers(1, 9)


@given(SIZES, SIZES, SIZES, SIZES, SIZES, SIZES)
def test_one_module_costs_what_the_layers_einsums_cost(d: int, heads: int, d_k: int, d_v: int, tokens: int, sequences: int):
    attention = Attention(d, heads, heads, d_k, d_v, False, True, "qkvo")
    made = cost(Model("", (Group(1, attention, "self"),)), tokens, sequences)
    steps = multiply_adds(Config(d, heads, d_k, d_v, tokens, batch=sequences))
    assert made.projections == steps["q"] + steps["k"] + steps["v"]
    assert (made.scores, made.weighting, made.output) == (steps["scores"], steps["context"], steps["output"])
    assert made.multiply_adds == sum(steps.values())
    assert made.score_bytes == 2 * sequences * heads * tokens * tokens
    assert made.cache_bytes == 2 * sequences * tokens * heads * (d_k + d_v)


def test_layers_that_slide_keep_no_more_than_their_window():
    """13 layers, 11 of them slide over 5 tokens; 3 key/value heads of 7: 2 · 3 · 14 bytes a layer and token."""
    model = Model("", (Group(13, Attention(42, 6, 3, 7, 7, True, False), "self", sliding=11, window=5),))
    assert cost(model, 4).cache_bytes == 84 * 13 * 4
    made = cost(model, 17, 2)
    assert (made.cache_bytes, made.token_bytes, made.late_token_bytes) == (2 * 84 * (2 * 17 + 11 * 5), 84 * 13, 84 * 2)


#: 24 layers, every second with a window of 128; 64 heads of 64 on 8.
GPT_OSS = read_config({
    "model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64, "head_dim": 64,
    "num_key_value_heads": 8, "sliding_window": 128, "layer_types": ["sliding_attention", "full_attention"] * 12,
})  # fmt: skip


@pytest.mark.parametrize(("model", "context", "scores", "weighting", "cache"), [
    # 32 layers of 32 heads of 128 on 8, a window of 4,096.
    (entries()["Mistral-7B-v0.1"].model, 32_768, 32 * 32 * 128 * 32_768 * 4_096, 1, 2 * 32 * 2 * 8 * 128 * 4_096),
    # 8 heads of 256 on 4; 5 layers of 34 see all tokens, 29 see 1,024.
    (entries()["Gemma-3-4B"].model, 131_072, 8 * 256 * 131_072 * (5 * 131_072 + 29 * 1_024), 1,
     2 * 4 * 512 * (5 * 131_072 + 29 * 1_024)),
    (GPT_OSS, 131_072, 64 * 64 * 131_072 * 12 * (131_072 + 128), 1, 2 * 8 * 128 * 12 * (131_072 + 128)),
    # 61 layers of 128 heads, d_k 128 + 64, d_v 128; 512 + 64 numbers a token.
    (entries()["DeepSeek-V3"].model, 4_096, 61 * 128 * 192 * 4_096**2, 128 / 192, 2 * 61 * 576 * 4_096),
])  # fmt: skip
def test_published_models_cost_what_a_formula_by_hand_says(model, context, scores, weighting, cache):
    made = cost(model, context)
    assert (made.scores, made.weighting, made.cache_bytes) == (scores, weighting * scores, cache)


def test_layers_that_share_weights_cost_each_and_a_tower_sees_its_own_tokens():
    """ALBERT: one module, 12 layers. A text layer of 5 tokens and a tower that sees 9 patches: 2 heads of 3 each."""
    attention = Attention(6, 2, 2, 3, 3, True, True)
    once, shared = (cost(Model("", (Group(1, attention, "", layers),)), 5) for layers in (1, 12))
    assert (shared.multiply_adds, once.cache_bytes) == (12 * once.multiply_adds, 0)
    model = Model("", (Group(1, attention, "self"), Group(1, attention, tower="vision", tokens=9)))
    assert cost(model, 5).scores == 2 * 3 * (5 * 5 + 9 * 9)


def test_what_fits_beside_the_weights_is_the_longest_that_does():
    model = entries()["Mistral-7B-v0.1"].model
    assert [longest_context(model, 2 * model.total + more) for more in (0, 100 * 131_072)] == [0, 100]
