"""Questions by value, replies with whatever is missing in them, and the door to the real worker."""

import io
from dataclasses import replace

import numpy as np
import pytest

from mha.bounded_cache import BoundedCache
from mha.bounded_process import MAX_HEADER, send
from mha.keras.client import KerasClient, Limits
from mha.keras.experiments import EXPERIMENTS
from mha.keras.question import MAX_CHARACTERS, Reply, lift, lower, question, reply_of, several

LONG = 120  # seconds: loading TensorFlow takes 3 to 5, on a busy machine many more
ARRAY = np.arange(30, dtype=np.float32).reshape(2, 3, 5)
TREE = {"sizes": [2, 3], "word": "causal", "nothing": None, "inside": {"values": ARRAY, "more": [ARRAY[0], 7.5, True]}}


def test_a_tree_with_arrays_comes_back_as_it_was_and_numbers_of_numpy_are_plain_ones():
    plain, arrays = lift(TREE)
    assert len(arrays) == 2
    np.testing.assert_equal(lower(plain, arrays), TREE)
    tree = {"count": np.int64(7), "off": np.float32(0.5), "point": np.array(3)}
    assert lift(tree) == ({"count": 7, "off": 0.5, "point": 3}, {})


def test_equal_arguments_make_equal_questions_and_others_do_not():
    assert question("echo", a=1, b=ARRAY) == question("echo", b=ARRAY.copy(), a=1)
    assert len({question("echo", a=1), question("echo", a=1), question("echo", a=2), question("echo", a=1, b=ARRAY)}) == 3


@pytest.mark.parametrize(("name", "arguments", "words"), [
    ("lunch", {}, "experiment must be one of .*, got 'lunch'"),
    ("echo", {"a": object()}, "arguments of echo must be plain JSON and arrays"),
    ("echo", {"a": "x" * MAX_CHARACTERS}, f"arguments of echo must be at most {MAX_CHARACTERS} characters, got "),
])  # fmt: skip
def test_what_cannot_be_asked_is_said(name, arguments, words):
    with pytest.raises(ValueError, match=words):
        question(name, **arguments)


def test_an_array_that_several_questions_carry_is_sent_once():
    asked = several([question("echo", a=ARRAY, b=seed) for seed in range(5)])
    assert len(asked.arrays) == 1
    np.testing.assert_equal([arguments["a"] for _, arguments in asked.arguments["questions"]], [ARRAY] * 5)


def test_arrays_that_are_too_many_are_refused_unsent_and_the_reply_about_own_numbers_is_kept_with_the_visitor_alone(monkeypatch):
    monkeypatch.setattr("mha.keras.client._installed", lambda: True)
    client, mine, asked = KerasClient(Limits(layer_bytes=100)), BoundedCache(3, 1000), question("echo", a=ARRAY)
    client.result(replace(asked, known=mine))
    assert (len(mine), len(client._known)) == (1, 0)
    assert client.result(asked) is None
    assert client.failure(asked).startswith("This app does not ask Keras for it: the layer takes 0 MB in Keras")
    assert client._thread is None


@pytest.mark.keras
def test_an_experiment_gives_arrays_and_facts_and_is_kept_and_a_bad_one_among_many_stops_no_other(client):
    np.testing.assert_equal(client.result(question("echo", **TREE), wait=LONG), TREE)
    assert client.result(question("echo", **TREE)) is client.result(question("echo", **TREE))
    questions = [question("echo", a=3), question("several", questions=5), question("echo", a=7)]
    first, bad, last = client.result(several(questions), wait=LONG)["results"]
    assert (first, last) == ({"a": 3}, {"a": 7})
    assert bad["error"].startswith("TypeError: ")


def test_too_long_a_header_is_refused_before_anything_is_written():
    stream = io.BytesIO()
    with pytest.raises(ValueError, match=f"header must be at most {MAX_HEADER} bytes"):
        send(stream, {"a": "x" * MAX_HEADER})
    assert stream.getvalue() == b""


def test_every_experiment_named_is_there():
    """The table's files are read as text: importing them would load TensorFlow."""
    from tests.sources import ROOT

    for name, file in EXPERIMENTS.items():
        assert f"\ndef {name}(" in (ROOT / "mha/keras/experiments" / f"{file}.py").read_text()


WHY = {"declined": "too large"}


@pytest.mark.parametrize("state", ["loading", "running", "refused", "declined", "missing", "failed"])
def test_of_a_reply_that_there_is_not_every_part_is_missing_for_the_same_reason(state):
    reply = Reply(state, why="so")
    assert reply.part("real").part("scores") == reply
    assert reply.parts(3) == [reply] * 3
    assert not reply.answered
    assert reply.awaited == (state in ("loading", "running"))


@pytest.mark.parametrize(("facts", "state"), [
    ({"results": [WHY, WHY]}, "declined"), ({"results": [WHY, {"a": 1}]}, "answered"),
    ({"results": [WHY, {"error": "E"}]}, "answered"),
    ({"results": []}, "answered"),
])  # fmt: skip
def test_a_list_of_nothing_but_declined_parts_is_declined_and_parts_have_their_own_states(facts, state):
    assert reply_of(facts).state == state
    reply = reply_of({"count": 7, "said": {"error": "ValueError: no"}, "results": [{"scores": [2, 3]}, WHY, WHY]})
    assert reply["count"] == 7
    assert [part.state for part in reply.parts(3)] == ["answered", "declined", "declined"]
    assert reply.part("said").why == "ValueError: no"
    assert reply.declined() == ["too large"]
