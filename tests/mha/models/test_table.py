"""Every count of the table follows from its sizes: held to what the real classes were counted to hold."""

import math

import pytest

from mha.models.conventions import convention, sharing
from mha.models.cost import expanded_bytes, token_bytes
from mha.models.table import BLOG_MODEL, REFUSED_HEADS, entries

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
    assert model.notes == ()


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
    """Table 3: rows (A) leave the column of parameters blank, rows (B) say 58M and 60M beside 65M."""
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
