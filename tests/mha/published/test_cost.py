"""What attention costs to run: by hand, and against the layer's own count of its einsums."""

from hypothesis import given
from hypothesis import strategies as st

from mha import Config
from mha.cost import multiply_adds
from mha.published.attention import Attention
from mha.published.cost import cost, longest_context
from mha.published.model import Group, Model
from mha.published.reading import read_config
from mha.published.table import entries

SIZES = st.integers(1, 9)


@given(SIZES, SIZES, SIZES, SIZES, SIZES, SIZES)
def test_one_module_costs_what_the_layers_einsums_cost(d: int, heads: int, d_k: int, d_v: int, tokens: int, sequences: int):
    attention = Attention(d, heads, heads, d_k, d_v, False, True, "qkvo")
    made = cost(Model("", (Group(1, attention, "self"),)), tokens, sequences)
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
    model = Model("", (Group(13, Attention(42, 6, 3, 7, 7, True, False), "self", sliding=11, window=5),))
    assert cost(model, 4).cache_bytes == 84 * 13 * 4
    assert cost(model, 17, 2).cache_bytes == 2 * 84 * (2 * 17 + 11 * 5)
    assert cost(model, 17).token_bytes == 84 * 13
    assert cost(model, 17).late_token_bytes == 84 * 2


def test_layers_that_share_one_block_of_weights_still_cost_each():
    """ALBERT: one module, 12 layers."""
    attention = Attention(6, 2, 2, 3, 3, True, True)
    once, shared = (cost(Model("", (Group(1, attention, "", layers),)), 5) for layers in (1, 12))
    assert shared.multiply_adds == 12 * once.multiply_adds
    assert once.cache_bytes == 0


def test_mistral_7b_at_32k_looks_no_further_than_its_window():
    """32 layers of 32 heads of 128, a window of 4,096: 32,768 · 4,096 pairs a head for QKᵀ, as many for A · V."""
    made = cost(entries()["Mistral-7B-v0.1"].model, 32_768)
    assert made.scores == made.weighting == 32 * 32 * 128 * 32_768 * 4_096
    assert made.cache_bytes == 2 * 32 * 2 * 8 * 128 * 4_096


def test_gemma_3_4b_slides_in_29_of_34_layers():
    """8 heads of 256; 5 layers of 34 see all 131,072 tokens, 29 see 1,024."""
    made = cost(entries()["Gemma-3-4B"].model, 131_072)
    assert made.scores == 8 * 256 * 131_072 * (5 * 131_072 + 29 * 1_024)
    assert made.cache_bytes == 2 * 4 * 512 * (5 * 131_072 + 29 * 1_024)


def test_gpt_oss_20b_alternates():
    """24 layers, every second with a window of 128; 64 heads of 64 on 8."""
    kinds = ["sliding_attention", "full_attention"] * 12
    made = cost(read_config({
        "model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64, "head_dim": 64,
        "num_key_value_heads": 8, "sliding_window": 128, "layer_types": kinds, "attention_bias": True,
    }), 131_072)  # fmt: skip
    assert made.scores == 64 * 64 * 131_072 * 12 * (131_072 + 128)
    assert made.token_bytes == 2 * 24 * 8 * 128
    assert made.late_token_bytes == 2 * 12 * 8 * 128


def test_deepseek_v3_caches_a_summary():
    """61 layers of 128 heads, d_k 128 + 64, d_v 128; 512 + 64 numbers a token."""
    made = cost(entries()["DeepSeek-V3"].model, 4_096)
    assert made.scores == 61 * 128 * 192 * 4_096**2
    assert made.weighting == 61 * 128 * 128 * 4_096**2
    assert made.token_bytes == 2 * 61 * 576


def test_a_tower_sees_its_own_tokens():
    """A text layer of 5 tokens and a tower of one layer that sees 9 patches: 2 heads of 3 each."""
    attention = Attention(6, 2, 2, 3, 3, True, True)
    model = Model("", (Group(1, attention, "self"), Group(1, attention, tower="vision", tokens=9)))
    assert cost(model, 5).scores == 2 * 3 * (5 * 5 + 9 * 9)


def test_what_fits_beside_the_weights_is_the_longest_that_does():
    model = entries()["Mistral-7B-v0.1"].model
    weights = 2 * model.total
    assert longest_context(model, weights) == 0
    assert longest_context(model, weights + 100 * 131_072) == 100
