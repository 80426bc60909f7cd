"""The blog's observation: 109,514,298 with every head count that divides 768."""

import pytest

from mha.published.attention import Refused
from mha.published.table import REFUSED_HEADS, blog_variants, totals_by_heads

MODEL = blog_variants()[0][1]


def test_the_ledger_by_component_is_the_one_that_was_counted():
    """Printed by transformers 4.29.2 for RobertaForMaskedLM with its defaults, component by component."""
    assert [part.count for part in MODEL.ledger()] == [
        23_440_896, 393_216, 1_536, 1_536, 7_087_104, 7_087_104, 7_087_104, 7_087_104, 18_432, 28_348_416, 28_320_768, 18_432,
        590_592, 1_536, 30_522,
    ]  # fmt: skip
    assert MODEL.total == 109_514_298


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
    assert [model.total for _, model in blog_variants()] == [109_514_298, 124_696_665, 124_697_433]


def test_attention_is_25_9_percent():
    assert MODEL.attention_total == 28_348_416
    assert round(MODEL.share, 3) == 0.259
