"""The real worker with the real TensorFlow in it."""

import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from mha import Config
from mha.assets import ROOT
from mha.bounded_process import MAX_HEADER, receive, send
from mha.keras.client import message_of

CFG = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17, batch=2, mask="causal")
LONG = 120  # seconds: loading TensorFlow takes 3 to 5, on a busy machine many more
keras = pytest.mark.keras


@pytest.fixture
def worker(client):
    """The client's own, which nobody else asks while a test does."""
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
    """Keras keeps 2 MB of each such layer until it is told to forget: 20 would be 40 MB more."""
    cfgs = [Config(d_model=512, num_heads=8, query_len=31, seed=seed) for seed in range(40)]
    used = [worker.memory for cfg in cfgs if worker.ask(*message_of(("answer", cfg)), LONG)]
    assert used[-1] - used[19] < 20 << 20


PARENT = """
import sys, time
from mha.bounded_process import Process
from mha.keras.client import COMMAND, ENVIRONMENT
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
    """Whether there is such a process, and not only its remains that nobody has asked for."""
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
