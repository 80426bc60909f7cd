"""The real worker with the real TensorFlow: questions by value, replies with missing parts, and the protocol of its messages."""

import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from headcount import Config
from headcount.assets import ROOT
from headcount.bounded_cache import BoundedCache
from headcount.bounded_process import MAX_HEADER, receive, send
from headcount.keras.client import KerasClient, Limits, message_of
from headcount.keras.experiments import EXPERIMENTS
from headcount.keras.question import MAX_ARGUMENTS, Reply, lift, lower, question, reply_of, several

CFG = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17, batch=2, mask="causal")
LONG = 120  # seconds: loading TensorFlow takes 3 to 5, on a busy machine many more
keras = pytest.mark.keras


@pytest.fixture
def worker(client):
    """The client's own worker, which nobody else asks during a test."""
    client.load()
    return client._running()


@keras
def test_the_worker_gives_way_to_the_server_says_its_versions_and_prints_nothing_between_its_messages(worker):
    """File descriptor 1 of the worker is its stderr, not the pipe of its answers."""
    facts, _ = worker.ask(*message_of(("answer", CFG)), LONG)
    assert facts["keras_version"].startswith("3.")
    assert facts["tensorflow_version"].startswith("2.")
    assert 100 << 20 < worker.memory < 2 << 30
    assert os.getpriority(os.PRIO_PROCESS, worker.process.pid) >= 10
    out, err = (Path(f"/proc/{worker.process.pid}/fd/{n}").readlink() for n in (1, 2))
    assert out == err


@keras
def test_a_request_that_is_none_is_declined_in_a_sentence_and_the_worker_lives_on(worker):
    for request in ({"want": "lunch"}, {"want": "answer", "cfg": asdict(CFG) | {"num_heads": 0}}, {}, {"want": "answer"}):
        send(worker.process.stdin, request)
        facts, arrays = receive(worker.process.stdout)
        assert "\n" not in facts["declined"]
        assert "error" not in facts
        assert arrays == {}
    assert worker.ask(*message_of(("answer", CFG)), LONG)[0]["count"] == 854


@keras
def test_its_memory_stays_where_it_is_over_many_layers(worker):
    """Keras keeps 2 MB of each such layer until it is told to forget: 20 layers would be 40 MB."""
    cfgs = [Config(d_model=512, num_heads=8, query_len=31, seed=seed) for seed in range(40)]
    used = [worker.memory for cfg in cfgs if worker.ask(*message_of(("answer", cfg)), LONG)]
    assert used[-1] - used[19] < 20 << 20


PARENT = """
import sys, time
from headcount.bounded_process import Process
from headcount.keras.client import COMMAND, ENVIRONMENT
worker = Process(COMMAND, ENVIRONMENT)
if sys.argv[1] == "ready":
    worker.get_ready(100)
print(worker.process.pid, flush=True)
time.sleep(100)
"""


@keras
@pytest.mark.parametrize("moment", ["starting", "ready"])
def test_when_the_server_is_killed_its_worker_ends(moment):
    parent = subprocess.Popen([sys.executable, "-c", PARENT, moment], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with parent:
        worker = int(parent.stdout.readline())
        assert runs(worker)
        parent.send_signal(signal.SIGKILL)
    end = time.monotonic() + 20
    while runs(worker) and time.monotonic() < end:
        time.sleep(0.05)
    assert not runs(worker)


def runs(pid: int) -> bool:
    """Whether the process runs, and is not only waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_message_arrives_as_it_was_sent():
    arrays = {"a": np.arange(30, dtype=np.float32).reshape(2, 3, 5).transpose(2, 0, 1), "empty": np.zeros((0, 3), np.float32)}
    stream = io.BytesIO()
    send(stream, {"want": "answer", "count": 7}, arrays)
    send(stream, {})
    stream.seek(0)
    facts, back = receive(stream)
    assert facts == {"want": "answer", "count": 7}
    for name, values in arrays.items():
        np.testing.assert_array_equal(back[name], values)
        assert not back[name].flags.writeable
    assert receive(stream) == ({}, {})
    with pytest.raises(EOFError):
        receive(stream)


def test_half_a_message_is_an_end_and_no_array():
    stream = io.BytesIO()
    send(stream, {}, {"a": np.ones(7, np.float32)})
    with pytest.raises(EOFError):
        receive(io.BytesIO(stream.getvalue()[:-1]))


def test_what_is_no_message_is_refused_before_it_is_read():
    with pytest.raises(ValueError, match="no message"):
        receive(io.BytesIO((MAX_HEADER + 1).to_bytes(4, "big") + b"{}"))


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
    ("echo", {"a": "x" * MAX_ARGUMENTS}, f"arguments of echo must be at most {MAX_ARGUMENTS} characters, got "),
])  # fmt: skip
def test_what_cannot_be_asked_is_said(name, arguments, words):
    with pytest.raises(ValueError, match=words):
        question(name, **arguments)


def test_an_array_that_several_questions_carry_is_sent_once():
    asked = several([question("echo", a=ARRAY, b=seed) for seed in range(5)])
    assert len(asked.arrays) == 1
    np.testing.assert_equal([arguments["a"] for _, arguments in asked.arguments["questions"]], [ARRAY] * 5)


def test_arrays_that_are_too_many_are_refused_unsent_and_the_reply_about_own_numbers_is_kept_with_the_visitor_alone(monkeypatch):
    monkeypatch.setattr("headcount.keras.client._installed", lambda: True)
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
    """The files are read as text, because importing them would load TensorFlow."""
    for name, file in EXPERIMENTS.items():
        assert f"\ndef {name}(" in (ROOT / "headcount/keras/experiments" / f"{file}.py").read_text()


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
