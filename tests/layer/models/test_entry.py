"""Every count of the models' table follows from its sizes, compared with the counts of the real classes. Also attention's cost to
run: by hand, and compared with the layer's own count of its einsums."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Config
from headcount.cost import multiply_adds
from headcount.models.attention import Attention
from headcount.models.conventions import convention, sharing
from headcount.models.cost import cost, expanded_bytes, longest_context, token_bytes
from headcount.models.entry import BLOG_MODEL, REFUSED_HEADS, entries
from headcount.models.model import Group, Model
from headcount.models.reading import read_config

MODELS = [entry for entry in entries().values() if entry.row == "model"]
BY_SLUG = {entry.slug: entry for entry in entries().values()}


def test_all_49_models_the_papers_rows_and_the_formula_only_ones_are_there():
    rows = [entry.row for entry in entries().values()]
    assert {row: rows.count(row) for row in rows} == {"blog": 1, "model": 49, "paper row": 6, "formula only": 4}
    assert all(entry.source and entry.evidence for entry in entries().values())


@pytest.mark.parametrize("slug", BY_SLUG)
def test_attention_a_module_and_in_all_and_the_whole_are_what_was_counted(slug: str):
    entry = BY_SLUG[slug]
    model, counts = entry.model, entry.counts
    ours = {name: getattr(model.attention, name) for name in ("d_model", "heads", "kv_heads", "d_k", "d_v", "inner")} | {
        "per_module": model.attention.count, "attention": model.attention_total, "total": model.total, "extras": model.extras,
        "modules": model.modules, "layers": model.layers, "biases": any(matrix.bias for matrix in model.attention.matrices()),
    }  # fmt: skip
    shared = ours.keys() & counts.keys()
    assert {key: ours[key] for key in shared} == {key: counts[key] for key in shared}
    assert {"per_module", "attention"} <= shared or entry.row == "paper row"
    assert model.whole


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.slug)
def test_with_other_heads_the_model_holds_what_the_class_with_other_heads_was_counted_to_hold(entry):
    attention, kind = entry.model.attention, convention(entry.model.attention)
    assert sum(part.count for part in entry.model.ledger()) == entry.counts["total"]
    assert entry.model.counted_as
    for how, (heads, count) in entry.counts["moved"].items():
        together = how == "num_heads_and_kv_heads_together"
        kv_heads = max(1, heads * attention.kv_heads // attention.heads) if together else attention.kv_heads
        assert entry.model.with_heads(heads, kv_heads).attention_total == count, how
    assert (kind == "invariant") == (not entry.counts["heads_alone_change"])
    assert {"A": "invariant", "A*": "pinned", "B": "pinned", "C": "own", "D": "latent"}[entry.counts["letter"]] == kind


@pytest.mark.parametrize("entry", [e for e in BY_SLUG.values() if "kv" in e.counts], ids=lambda entry: entry.slug)
def test_the_cache_for_a_token_is_what_the_table_has(entry):
    groups, said = entry.model.groups, entry.counts["kv"] or {}
    whole = sum(said.get(key, 0) for key in ("per_token", "per_decoder_token_self", "per_encoder_token_cross"))
    assert sum(token_bytes(group) for group in groups) == whole
    if "per_token_beyond_window" in said:
        assert sum(token_bytes(group, late=True) for group in groups) == said["per_token_beyond_window"]
    if "per_token_if_expanded_KV" in said:
        assert expanded_bytes(groups[0].attention, groups[0].layers) == said["per_token_if_expanded_KV"]


def test_who_shares_keys_and_values():
    wanted = {"BERT-base": "MHA", "Llama-3-8B": "GQA", "Gemma-2B": "MQA", "DeepSeek-V3": "MLA", "T5-11B": "MHA"}
    assert {slug: sharing(BY_SLUG[slug].model.attention) for slug in wanted} == wanted


def test_the_papers_rows_a_hold_one_count_and_rows_b_fewer():
    """Table 3: rows (A) have no parameter count, rows (B) have 58M and 60M, against 65M of the base model."""
    base = BY_SLUG["Transformer-base"].model.total
    assert {BY_SLUG[f"Transformer-A-h{h}"].model.total for h in (1, 4, 16, 32)} == {base}
    for d_k, said in ((16, 58), (32, 60)):
        made = BY_SLUG[f"Transformer-B-dk{d_k}"].model.total
        assert math.isclose(base - made, (65 - said) * 1e6, rel_tol=0.06)


def test_the_blogs_model_holds_109_514_298_with_every_divisor_of_768_and_refuses_others():
    """30,522 words, 512 positions and 2 token types, 768 wide each; transformers 4.29.2 prints 109514298."""
    model = BY_SLUG[BLOG_MODEL].model
    assert sorted(part.count for part in model.ledger() if part.kind == "embeddings") == [2 * 768, 512 * 768, 30_522 * 768]
    for heads in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 768):
        assert model.with_heads(heads).total == 109_514_298
    for heads in REFUSED_HEADS:
        words = f"ValueError: The hidden size (768) is not a multiple of the number of attention heads ({heads})"
        assert model.refused(heads).raised == words
    assert [row[-1] for row in BY_SLUG[BLOG_MODEL].counts["variants"]] == [109_514_298, 124_696_665, 124_697_433]
    assert (model.attention_total, round(model.share, 3)) == (28_348_416, 0.259)


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
    """13 layers, 11 of them with a window of 5 tokens. 3 key/value heads of 7: 2 · 3 · 14 bytes for each layer and token."""
    model = Model("", (Group(13, Attention(42, 6, 3, 7, 7, True, False), "self", sliding=11, window=5),))
    assert cost(model, 4).cache_bytes == 84 * 13 * 4
    made = cost(model, 17, 2)
    assert (made.cache_bytes, made.token_bytes, made.late_token_bytes) == (2 * 84 * (2 * 17 + 11 * 5), 84 * 13, 84 * 2)


#: 24 layers, every second with a window of 128; 64 heads of 64 on 8.
GPT_OSS = read_config({
    "model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64, "head_dim": 64,
    "num_key_value_heads": 8, "attention_bias": True, "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
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
    """ALBERT has one module for 12 layers. A text layer has 5 tokens, a vision tower 9 patches, with 2 heads of 3 each."""
    attention = Attention(6, 2, 2, 3, 3, True, True)
    once, shared = (cost(Model("", (Group(1, attention, "", layers),)), 5) for layers in (1, 12))
    assert (shared.multiply_adds, once.cache_bytes) == (12 * once.multiply_adds, 0)
    model = Model("", (Group(1, attention, "self"), Group(1, attention, tower="vision", tokens=9)))
    assert cost(model, 5).scores == 2 * 3 * (5 * 5 + 9 * 9)


def test_what_fits_beside_the_weights_is_the_longest_that_does():
    model = entries()["Mistral-7B-v0.1"].model
    assert [longest_context(model, 2 * model.total + more) for more in (0, 100 * 131_072)] == [0, 100]
