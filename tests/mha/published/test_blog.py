"""The blog's observation: 109,514,298 with every head count that divides 768."""

import pytest

from mha.published.attention import Refused
from mha.published.table import BLOG_MODEL, REFUSED_HEADS, blog_variants, entries, totals_by_heads

MODEL = entries()[BLOG_MODEL].model


def test_the_ledger_sums_to_what_was_printed_and_its_embeddings_are_by_hand():
    """30,522 words, 512 positions and 2 token types, 768 wide each; transformers 4.29.2 prints 109514298."""
    embeddings = [part.count for part in MODEL.ledger() if part.kind == "embeddings"]
    assert sorted(embeddings) == [2 * 768, 512 * 768, 30_522 * 768]
    assert sum(part.count for part in MODEL.ledger()) == MODEL.total == 109_514_298


def test_every_divisor_of_768_leaves_the_total_unmoved():
    divisors = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 768]
    assert totals_by_heads(MODEL) == dict.fromkeys(divisors, 109_514_298)


@pytest.mark.parametrize("heads", REFUSED_HEADS)
def test_what_does_not_divide_is_refused_in_the_words_of_transformers(heads: int):
    words = f"ValueError: The hidden size (768) is not a multiple of the number of attention heads ({heads})"
    assert MODEL.refused(heads).raised == words
    assert MODEL.refused(12) is None
    with pytest.raises(Refused, match=f"{heads} heads do not divide"):
        MODEL.with_heads(heads)


def test_other_defaults_and_other_weights_give_the_other_two_counts():
    assert [row[-1] for row in blog_variants()] == [109_514_298, 124_696_665, 124_697_433]


def test_attention_is_25_9_percent():
    assert MODEL.attention_total == 28_348_416
    assert round(MODEL.share, 3) == 0.259
