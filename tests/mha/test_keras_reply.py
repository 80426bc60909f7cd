"""A reply and its parts, whatever is missing in it."""

import pytest

from mha.keras.reply import Reply, read

WHY = {"declined": "too large"}


def test_a_found_reply_gives_its_facts_and_the_parts_their_own_states():
    reply = read({"count": 7, "real": {"scores": [2, 3]}, "said": {"error": "ValueError: no"}, "more": WHY})
    assert reply["count"] == 7
    assert [reply.part(key).state for key in ("real", "said", "more")] == ["found", "refused", "declined"]
    assert reply.part("said").why == "ValueError: no"
    assert reply.declined() == ["too large"]


@pytest.mark.parametrize("state", ["loading", "running", "refused", "declined", "missing", "failed"])
def test_of_a_reply_that_there_is_not_every_part_is_missing_for_the_same_reason(state):
    reply = Reply(state, why="so")
    assert reply.part("real").part("scores") == reply
    assert reply.parts("results", 3) == [reply] * 3
    assert not reply.found
    assert reply.awaited == (state in ("loading", "running"))


@pytest.mark.parametrize(("facts", "state"), [
    ({"results": [WHY, WHY]}, "declined"), ({"results": [WHY, {"a": 1}]}, "found"), ({"results": [WHY, {"error": "E"}]}, "found"),
    ({"results": [{"cases": [WHY, WHY]}, WHY]}, "declined"), ({"cases": []}, "found"),
])  # fmt: skip
def test_a_list_of_nothing_but_declined_parts_is_declined(facts, state):
    assert read(facts).state == state
