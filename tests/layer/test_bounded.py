"""Things with limits: a process ends by itself or is ended, and says why (its children misbehave on purpose). A cache keeps a
limited number of values by key, for a limited time."""

import sys
import time

import pytest

from headcount.bounded_cache import BoundedCache
from headcount.bounded_process import Ended, Process, TooSlow

CHILD = """
from headcount.bounded_process import answer_requests, no_network
kept = []

def handle(facts, arrays):
    if "take" in facts:
        kept.append(bytearray(facts["take"] << 20))
        import time; time.sleep(20)
    if "run" in facts:
        try:
            exec(facts["run"])
        except Exception as error:
            return {"error": str(error)}, {}
    if "spin" in facts:
        while True: pass
    return {"ok": 1}, {}

answer_requests(lambda: no_network() or {}, handle)
"""
COMMAND = (sys.executable, "-c", CHILD)
LONG = 60


@pytest.fixture
def child():
    process = Process(COMMAND, max_memory=200 << 20)
    process.get_ready(LONG)
    yield process
    process.close()


def test_a_child_that_takes_too_much_memory_is_ended(child):
    with pytest.raises(Ended, match="200 MB"):
        child.ask({"take": 300}, {}, LONG)
    assert child.process.wait(LONG) != 0


def test_a_child_that_takes_too_long_is_ended(child):
    with pytest.raises(TooSlow, match=r"0\.2 s"):
        child.ask({"spin": 1}, {}, 0.2)


@pytest.mark.parametrize("code", [
    "import socket; socket.create_connection(('127.0.0.1', 9))", "import urllib.request; urllib.request.urlopen('http://x.y')",
    "import os; os.system('true')", "import subprocess; subprocess.run('true')",
])  # fmt: skip
def test_no_child_reaches_the_network_or_starts_a_program(child, code):
    try:
        assert "not allowed" in child.ask({"run": code}, {}, LONG)[0]["error"]
    except EOFError:
        pytest.fail("the child died")


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
