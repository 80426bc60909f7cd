"""The client's behaviour with a worker that misbehaves on purpose. Also the sentences about a difference to Keras, with answers
made by hand. TensorFlow is not loaded."""

import sys
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from headcount import Config, ledger, run
from headcount.arrays import Array
from headcount.comparison import KerasAnswer, compare
from headcount.custom_layer import CustomLayer
from headcount.keras.client import KerasClient, Limits, request_bytes
from headcount.keras.question import question
from headcount.params import make_inputs, make_params

FAKE = Path(__file__).with_name("fake_worker.py")
CFG = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17, batch=2)
LONG = 20  # seconds that a busy machine may take for what takes a tenth


@pytest.fixture
def client_of(monkeypatch):
    """Makes clients of the fake worker, which is started again after a tenth of the usual pause, and closes them."""
    clients = []
    monkeypatch.setattr("headcount.keras.client._installed", lambda: True)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))

    def make(*behaviour: str, **limits) -> KerasClient:
        clients.append(KerasClient(Limits(**{"start_pause": 0.1} | limits), (sys.executable, str(FAKE), *behaviour)))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


def wait_until(true, seconds: float = LONG) -> bool:
    end = time.monotonic() + seconds
    while not (found := true()) and time.monotonic() < end:
        time.sleep(0.01)
    return bool(found)


def test_an_unknown_answer_is_none_at_once_and_known_soon(client_of):
    client = client_of("good")
    began = time.monotonic()
    assert client.answer(CFG) is None
    assert time.monotonic() - began < 0.1
    assert client.failure(CFG) is None
    assert wait_until(lambda: client.answer(CFG))
    assert client.state == "ready"
    assert compare(run(CFG), client.answer(CFG)).agrees


def test_a_trace_comes_back_with_every_array_and_its_axes_and_counts_with_the_weights_and_inputs_that_it_holds(client_of):
    client = client_of("good")
    trace, ours = client.trace(CFG, "tensorflow", wait=LONG), run(CFG)
    for name in ("x_query", "w_o", "q", "masked", "concat", "output"):
        assert trace[name].axes == ours[name].axes
        np.testing.assert_array_equal(trace[name].values, ours[name].values)
    arrays = [getattr(holder, field.name) for holder in (trace, trace.params) for field in fields(holder)]
    assert client._known.bytes == sum(array.values.nbytes for array in arrays if isinstance(array, Array))


def test_without_tensorflow_it_is_missing_at_once_and_starts_nothing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    client = KerasClient()
    assert client.state == "missing"
    assert client.answer(CFG, wait=LONG) is None
    assert client.failure(CFG) == client.reason == "TensorFlow is not installed here, so Keras cannot be asked."
    assert client._thread is None


def test_without_tensorflow_nothing_is_answered_about_a_layer_of_which_another_client_got_an_answer(client_of, monkeypatch):
    layer = CustomLayer(CFG, make_params(CFG), make_inputs(CFG))
    answer = client_of("good").answer(layer, wait=LONG)
    assert isinstance(answer, KerasAnswer)
    monkeypatch.setattr("headcount.keras.client._installed", lambda: False)
    assert KerasClient().answer(layer) is None


def test_a_command_that_cannot_be_run_is_a_failure_and_no_crash(client_of, monkeypatch):
    client = KerasClient(Limits(), ("/no/such/python",))
    assert client.answer(CFG, wait=LONG) is None
    assert client.failure(CFG) == "Keras did not start: No such file or directory; it is started again."
    client.close()


def test_a_worker_killed_in_its_start_is_said_in_plain_words_and_answers_when_it_is_asked_again(client_of, tmp_path):
    client = client_of("die-in-start-once", str(tmp_path / "died"))
    assert client.answer(CFG, wait=LONG) is None
    assert client.failure(CFG) == "Keras did not start: its process ended; it is started again."
    assert client.asks_again(CFG)
    assert wait_until(lambda: client.answer(CFG))


@pytest.mark.parametrize(("behaviour", "limits", "state", "why", "again"), [
    ("refuse", {}, "refused", "Keras refused this layer: ValueError: not this one", False),
    ("decline", {"failure_seconds": 0.0}, "declined", "This app does not ask Keras for it: it is too large.", False),
    ("die", {}, "failed", "Keras's process ended while it computed this layer.", True),
    ("nonsense", {}, "failed", "Keras's process ended while it computed this layer.", True),
    ("hang", {"request_seconds": 0.3}, "failed", "Keras took more than 0.3 s and was stopped.", True),
    ("never-ready", {"start_seconds": 0.2}, "failed",
     "Keras did not start: it took more than 0.2 s and was stopped; it is started again.", True),
    ("no-keras", {}, "failed", "Keras did not start: Keras cannot be loaded: ImportError: broken; it is started again.", True),
])  # fmt: skip
def test_it_is_said_why_there_is_no_answer_and_only_what_was_the_machines_fault_is_asked_again(
    client_of, behaviour, limits, state, why, again
):
    client, asked, other = client_of(behaviour, **limits), question("echo", x=1), replace(CFG, seed=1)
    started = "did not start" not in why
    assert client.answer(CFG, wait=LONG) is None
    assert client.failure(CFG) == why
    assert client.asks_again(CFG) is again
    assert client.failure(other) == (None if started else why)
    assert client.asks_again(other)
    reply = client.reply_to(asked, wait=LONG)
    assert (reply.state, reply.sentence, reply.answered, reply.awaited) == (state, why, False, False)
    assert client.state == "ready" or state == "failed"
    assert client.state == "failed" or started


def test_a_reply_is_awaited_while_the_worker_loads_and_while_it_runs_and_is_not_queued_again(client_of):
    client, asked = client_of("hang"), question("echo", x=1)
    assert client.reply_to(asked).state == "loading"
    assert wait_until(lambda: client._doing)
    assert client.reply_to(asked).state == "running"
    assert not client._wanted


def test_a_failure_is_asked_again_after_its_time(client_of):
    client = client_of("refuse", failure_seconds=0.05)
    client.answer(CFG, wait=LONG)
    assert wait_until(lambda: client.failure(CFG) is None, 2)


def test_a_worker_that_dies_once_is_started_anew_and_asked_again(client_of, tmp_path):
    client = client_of("die-once", str(tmp_path / "died"))
    assert client.answer(CFG, wait=LONG) is not None
    assert (tmp_path / "died").exists()


def test_a_worker_that_dies_each_time_is_given_up_after_two_tries_and_rests_after_its_bound(client_of):
    client = client_of("die", starts=2, starts_window=60)
    assert client.answer(CFG, wait=LONG) is None
    assert client.failure(CFG) == "Keras's process ended while it computed this layer."
    assert wait_until(lambda: client.state == "failed")
    assert client.reason == "Keras's process ended 2 times within 60 s; it rests for a while and is then started again."
    began = time.monotonic()
    assert client.answer(replace(CFG, seed=1), wait=LONG) is None
    assert time.monotonic() - began < 1


@pytest.mark.parametrize(("ago", "pause"), [([], 0), ([0.5], 0.5), ([9, 0.5], 1.5), ([30, 20, 10], 70), ([101, 20, 10], -8)])
def test_a_start_waits_one_two_four_seconds_after_the_last_and_for_the_window_when_it_is_full(ago, pause):
    client = KerasClient(Limits(starts=3, starts_window=100), ())
    client._starts.extend(time.monotonic() - seconds for seconds in ago)
    assert client._pause() == pytest.approx(pause, abs=0.1)


def test_a_worker_that_grew_too_large_gives_its_answer_and_is_replaced(client_of):
    client = client_of("good", memory_bytes=1 << 20)
    assert client.answer(CFG, wait=LONG) is not None
    assert wait_until(lambda: len(client._starts) == 2)


def test_a_worker_killed_while_idle_is_back_without_being_asked(client_of):
    client = client_of("good")
    client.answer(CFG, wait=LONG)
    first = client._running()
    first.process.kill()
    assert wait_until(lambda: len(client._starts) == 2 and client.state == "ready")
    assert client.answer(replace(CFG, seed=1), wait=LONG) is not None


def test_the_queue_is_bounded_and_the_newest_request_comes_first(client_of):
    client = client_of("slow", queue=3)
    cfgs = [replace(CFG, seed=seed) for seed in range(11)]
    with client._changed:  # the thread cannot take one before all are asked for
        for cfg in cfgs:
            client.answer(cfg)
        assert [cfg.seed for _, cfg in client._wanted] == [8, 9, 10]
    assert wait_until(lambda: not client._wanted and client._doing is None)
    assert [key[1].seed for key in client._known._entries] == [10, 9, 8]


def test_a_layer_too_large_to_send_is_refused_before_it_is_asked(client_of):
    client, large = client_of("good"), Config(d_model=4096, num_heads=256, key_dim=512)
    assert client.answer(large, wait=LONG) is None
    takes = f"the layer takes {request_bytes(large) >> 20} MB in Keras; at most 128 MB are asked for"
    assert client.failure(large) == f"This app does not ask Keras for it: {takes}."
    assert client._thread is None


def test_closing_ends_the_process_also_while_it_computes(client_of):
    client = client_of("hang")
    client.answer(CFG)
    assert wait_until(lambda: client._doing)
    process = client._worker.process
    client.close()
    assert process.poll() is not None
    assert not client._thread.is_alive()
    assert client.answer(CFG, wait=LONG) is None
    assert client.state == "failed"


TRACE = run(CFG)
SAME = KerasAnswer(TRACE.output, TRACE.weights, 854, tuple((row.path, row.shape) for row in ledger(CFG)), "3", "2")


def moved(array: Array, by: float) -> Array:
    """The array with one number changed."""
    values = array.values.copy()
    values.flat[0] += by
    return Array(values, array.axes)


def test_the_same_numbers_agree():
    """15 · (2 · 11 + 2) + 21 · (2 · 11 + 1) + 11 = 360 + 483 + 11 = 854 parameters."""
    comparison = compare(TRACE, SAME)
    assert comparison.agrees
    assert (comparison.output_difference, comparison.weights_difference, comparison.count) == (0, 0, 854)
    assert comparison.row_sum_error < 1e-6
    assert comparison.output_scale == np.abs(TRACE.output.values).max()


def test_one_number_off_is_told_with_its_size_and_so_are_rows_that_do_not_sum_to_one():
    comparison = compare(TRACE, replace(SAME, output=moved(TRACE.output, 0.5), weights=moved(TRACE.weights, 0.25)))
    assert comparison.output_difference == pytest.approx(0.5, rel=1e-5)
    assert comparison.weights_difference == pytest.approx(0.25, rel=1e-5)
    assert not comparison.same_values
    assert compare(replace(TRACE, weights=moved(TRACE.weights, 0.5)), SAME).row_sum_error == pytest.approx(0.5, rel=1e-5)


@pytest.mark.parametrize("name", ["output", "weights"])
def test_rounding_is_no_difference_and_ten_times_the_tolerance_is(name):
    array = getattr(TRACE, name)
    top = float(np.abs(array.values).max())
    assert compare(TRACE, replace(SAME, **{name: moved(array, 3e-6 * top)})).same_values
    assert not compare(TRACE, replace(SAME, **{name: moved(array, 1e-4 * top)})).same_values


@pytest.mark.parametrize("change", [
    {"count": 853},
    {"variables": SAME.variables[:-1]},
    {"variables": SAME.variables[::-1]},
    {"variables": (("query/kernel", (11, 5, 3)), *SAME.variables[1:])},
])  # fmt: skip
def test_another_count_name_order_or_shape_does_not_agree(change):
    assert not compare(TRACE, replace(SAME, **change)).agrees


def test_an_answer_of_another_shape_is_refused():
    other = Array(np.zeros((2, 13, 12), np.float32), "btm")
    with pytest.raises(ValueError, match=r"output: ours has axes btm \(2, 13, 11\), Keras's has btm \(2, 13, 12\)"):
        compare(TRACE, replace(SAME, output=other))
