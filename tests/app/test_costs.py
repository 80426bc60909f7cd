"""The page of costs: its numbers are those of the layer in the sidebar, at any length."""

import pytest

from components.pages.costs.page import in_time, share
from tests.app.driver import open_page, text, title, whole


def test_the_headline_counts_the_present_layer():
    """6 tokens, 16 wide: 4 · 6 · 16² + 2 · 6² · 16 = 7,296; the pairs are 1,152 of them."""
    at = whole(open_page("costs", query_len=6, key_len=6))
    assert title(at) == "6 tokens cost this layer 7,296 multiply-adds, 16% of them in QKᵀ and A·V."
    assert "| **sum** | **7,296** | **15,312** | **1,216** | |" in text(at)
    assert "1 multiply-add = 2 FLOPs" in text(at)


def test_a_million_tokens_are_counted_and_nothing_is_computed():
    at = whole(open_page("costs", load_length=1_000_000, load_batch=3, d_model=4096, num_heads=32))
    assert "(3, 32, 1,000,000, 1,000,000)" in text(at)
    assert "96,000,000,000,000" in text(at)


def test_one_switch_counts_all_layers():
    """12 times 7,296; the cache of one layer stays beside that of all."""
    at = whole(open_page("costs", load_scope="all", query_len=6, key_len=6))
    assert "all 12 layers 87,552 multiply-adds" in title(at)
    assert "| cache of keys and values, one layer | 192 | 768 B | 384 B | 384 B | 192 B |" in text(at)
    assert "| cache, 12 layers | 2,304 | 9 KiB | 4.5 KiB | 4.5 KiB | 2.25 KiB |" in text(at)


def test_a_window_and_shared_keys_cost_less():
    """11 tokens, 4 heads of 4: under a window of 3 each sees 5, the outer ones 3 and 4: 7 · 5 + 2 · (3 + 4) = 49 pairs of 121."""
    at = whole(open_page("costs", num_heads=4, load_length=11, sliding_window=3, load_kv_heads=2))
    projections, pairs = 11 * 16 * 16 * 2 + 11 * 16 * 8 * 2, 49 * 16 * 2
    assert title(at).startswith(f"11 tokens cost this layer {projections + pairs:,} multiply-adds")
    assert "| cache of keys and values, one layer | 48 |" in text(at)
    assert "the keys less than 3 away" in text(at)
    at = whole(open_page("costs", num_heads=4, load_kv_heads=3))
    assert any("3 key/value heads must divide 4 heads; counting 4." in warning.value for warning in at.warning)


def test_the_time_to_read_the_cache_follows_the_bandwidth():
    """One layer of 2 · 16 · 1,000 numbers in fp32, 128,000 bytes, at 0.5 GB/s: 256 µs."""
    at = whole(open_page("costs", load_length=1000, bandwidth=0.5))
    assert "| time to read the cache, this layer | | 256 µs | 128 µs | 128 µs | 64 µs |" in text(at)


@pytest.mark.parametrize(("query", "says"), [
    ({"load_length": 1_000_001}, "**load_length** must be a whole number from 1 to 1000000"),
    ({"bandwidth": "inf"}, "**bandwidth** must be a number from 0.1 to"), ({"load_batch": 0}, "**load_batch** must be"),
])
def test_a_load_that_is_none_is_named(query, says):
    assert says in text(whole(open_page("costs", **query)))


def test_times_and_shares_in_words():
    times = [in_time(seconds) for seconds in (2.5, 0.0125, 3.2e-5, 4e-9, 7_200.0)]
    assert times == ["2.5 s", "12.5 ms", "32 µs", "4 ns", "7,200 s"]
    assert [share(part, 1000) for part in (160, 4, 999, 1000)] == ["16%", "0.4%", "99.9%", "100%"]


def test_the_start_page_leads_there_with_the_number():
    at = whole(open_page("heads", query_len=6, key_len=6))
    assert any("7,296 multiply-adds" in link.proto.label for link in at.get("page_link"))
