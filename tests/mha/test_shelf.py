"""What is remembered of Keras's answers, and for how long."""

import time

from mha.bounded_cache import Failure, Shelf


def test_a_shelf_forgets_what_was_used_longest_ago_by_count_and_by_bytes():
    shelf = Shelf(count=3, size=100)
    for name in "abc":
        shelf.put(name, name, 20)
    shelf.get("a")
    shelf.put("d", "d", 20)
    assert [shelf.get(name) for name in "abcd"] == ["a", None, "c", "d"]
    shelf.put("e", "e", 70)
    assert [shelf.get(name) for name in "acde"] == [None, None, "d", "e"]
    assert shelf.bytes == 90
    shelf.put("f", "f", 101)
    assert shelf.get("f") is None
    shelf.put("e", "smaller", 1)
    assert (shelf.get("e"), shelf.bytes, len(shelf)) == ("smaller", 21, 2)


def test_a_shelf_drops_a_failure_whose_time_is_over():
    shelf = Shelf(3, 100)
    shelf.put("a", Failure("no", time.monotonic() - 1))
    assert shelf.get("a") is None
    assert len(shelf) == 0
