"""What is kept of values by key, and for how long."""

import time

from mha.bounded_cache import BoundedCache


def test_a_cache_forgets_what_was_used_longest_ago_by_count_and_by_bytes():
    cache = BoundedCache(count=3, size=100)
    for name in "abc":
        cache.put(name, name, 20)
    cache.get("a")
    cache.put("d", "d", 20)
    assert [cache.get(name) for name in "abcd"] == ["a", None, "c", "d"]
    cache.put("e", "e", 70)
    assert [cache.get(name) for name in "acde"] == [None, None, "d", "e"]
    assert cache.bytes == 90
    cache.put("f", "f", 101)
    assert cache.get("f") is None
    cache.put("e", "smaller", 1)
    assert (cache.get("e"), cache.bytes, len(cache)) == ("smaller", 21, 2)


def test_a_cache_drops_a_value_whose_time_is_over():
    cache = BoundedCache(3, 100)
    cache.put("a", "kept", until=time.monotonic() + 1000)
    cache.put("b", "over", until=time.monotonic() - 1)
    assert (cache.get("a"), cache.get("b"), len(cache)) == ("kept", None, 1)
    for name, value in (("b", 1), ("c", 2), ("c", 3)):
        cache.put(name, value)
    assert [cache.get(name) for name in "abc"] == ["kept", 1, 3], "a value put anew takes the place of the former and no other"
