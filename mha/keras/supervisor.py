"""The worker process (`mha.keras.worker`): starts, queries and ends it; keeps one alive, and pauses when it dies too often."""

import sys
import threading
import time
from collections import deque
from dataclasses import dataclass

from mha.bounded_process import Ended, Process

COMMAND = (sys.executable, "-m", "mha.keras.worker")

#: One thread each. No GPU: a layer of this size gains nothing there and its fast modes round differently. oneDNN off: the same
#: sums on every processor, and no notice on stderr.
ENVIRONMENT = {
    **dict.fromkeys(("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1"),
    "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    """Every bound of the client and its worker, seconds and bytes."""

    queue: int = 32  # a slider dragged from end to end asks about so often; older places are of no use any more
    answers: int = 256  # more than a class's visitors look at between two reruns, small ones are some kB
    answer_bytes: int = 36 << 20  # the largest layer that a page draws fits; Keras must not become the server's largest part
    layer_bytes: int = 128 << 20  # 1024 wide, 16 heads, 512 tokens take 96 MB; a page draws a third of that at most
    request_seconds: float = 30  # that layer takes 1 to 2 s on one niced core; what takes so long hangs
    start_seconds: float = 120  # 5 s alone on two cores; a busy or cold machine may need many times that
    memory_bytes: int = 3 << 29  # held after an answer; TensorFlow starts at 0.6 GB and a layer adds below 0.3: more is a leak
    starts: int = 5  # in `starts_window`: what dies more often is broken, and each start takes 5 s of a core
    starts_window: float = 300
    start_pause: float = 1  # from one start to the next; twice as long after each further one in the window
    failure_seconds: float = 60  # a failure may have been the machine's; tried again after this time


class WorkerSupervisor:
    """`state` is "starting" (or not started yet), "ready", "missing" or "failed"; `reason` is a sentence for the last two.

    `changed` is held for every change of the two, and notified. One thread calls `worker`; any may call `close`.
    """

    def __init__(self, limits: Limits, command: tuple[str, ...], changed: threading.Condition):
        self.limits, self.command, self.changed = limits, command, changed
        self.state, self.reason, self.closed = "starting", "", False
        self._worker: Process | None = None
        self._starts: deque[float] = deque(maxlen=limits.starts)

    def turn(self, state: str, reason: str = "") -> None:
        with self.changed:
            if not self.closed:
                self.state, self.reason = state, reason
            self.changed.notify_all()

    def close(self) -> None:
        """Closes the client for good. Kills the worker, so that a thread that waits for it goes on."""
        with self.changed:
            self.turn("failed", "The Keras worker was closed.")
            self.closed = True
            if self._worker is not None:
                self._worker.process.kill()

    def end_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def worker(self) -> Process | None:
        """The worker, started anew if it is dead: seconds. None while there is none to be had: "failed", or closed."""
        while not self.closed:
            if self._worker is not None and self._worker.alive:
                return self._worker
            self.end_worker()
            if self.state == "ready":
                self.turn("starting")
            pause = self._pause()
            if pause > 0 and len(self._starts) == self.limits.starts and self.state != "failed":
                often = f"{self.limits.starts} times within {self.limits.starts_window:g} s"
                self.turn("failed", f"Keras's process ended {often}; it rests for a while and is then started again.")
            if pause > 0 and self.state == "failed":
                return None
            with self.changed:
                self.changed.wait_for(lambda: self.closed, max(pause, 0))
            self._start()
        return None

    def _start(self) -> None:
        self._starts.append(time.monotonic())
        try:
            with self.changed:
                if self.closed:
                    return
                self._worker = Process(self.command, ENVIRONMENT)
            self._worker.get_ready(self.limits.start_seconds)
        except Ended as why:
            self.end_worker()
            self.turn("failed", f"Keras did not start: {why}; it is started again.")
        else:
            self.turn("ready")

    def _pause(self) -> float:
        """Seconds until the next start is allowed: `start_pause` times 1, 2, 4, … after the last one, and not more than `starts`
        in the window."""
        now = time.monotonic()
        while self._starts and self._starts[0] < now - self.limits.starts_window:
            self._starts.popleft()
        if not self._starts:
            return 0.0
        if len(self._starts) == self.limits.starts:
            return self._starts[0] + self.limits.starts_window - now
        return self._starts[-1] + self.limits.start_pause * 2 ** (len(self._starts) - 1) - now
