"""Client through which the app asks Keras questions without importing TensorFlow. By default, a question does not wait for its
answer. The client keeps one worker process (`headcount.keras.worker`) alive, and pauses if that process dies too often."""

import importlib.util
import json
import math
import sys
import threading
import time
from collections import OrderedDict, deque
from dataclasses import asdict, dataclass

from headcount.arrays import Array
from headcount.backends import BACKENDS
from headcount.bounded_cache import BoundedCache
from headcount.bounded_process import Arrays, Ended, Facts, Message, Process, TooSlow
from headcount.comparison import KerasAnswer
from headcount.config import Config
from headcount.cost import numbers_kept
from headcount.custom_layer import CustomLayer
from headcount.forward import Trace, trace_from
from headcount.keras.question import KerasQuestion, Reply, lower, reply_of
from headcount.params import make_inputs, make_params

COMMAND = (sys.executable, "-m", "headcount.keras.worker")

#: Environment variables of the worker. A GPU would round differently, and oneDNN differently on each processor.
ENVIRONMENT = {
    **dict.fromkeys(("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1"),
    "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the client and its worker, in seconds and bytes."""

    queue: int = 32  # a slider dragged from end to end asks about that often; older requests are out of date
    answers: int = 256  # more than a class's visitors look at between two reruns; small ones are some kB
    answer_bytes: int = 36 << 20  # fits the largest layer that a page draws; Keras must not become the server's largest part
    layer_bytes: int = 128 << 20  # 1024 wide, 16 heads, 512 tokens take 96 MB; a page draws a third of that at most
    request_seconds: float = 30  # that layer takes 1 to 2 s on one niced core; a request this slow hangs
    start_seconds: float = 120  # 5 s alone on two cores; a busy or cold machine may need many times that
    memory_bytes: int = 3 << 29  # held after an answer; TensorFlow starts at 0.6 GB and a layer adds below 0.3: more is a leak
    starts: int = 5  # in `starts_window`: a worker that dies more often is broken, and each start takes 5 s of a core
    starts_window: float = 300
    start_pause: float = 1  # from one start to the next; twice as long after each further one in the window
    failure_seconds: float = 60  # a failure may come from the machine, so it is tried again after this time


#: A request: what is wanted ("answer", "experiment", or the code of a backend for its trace), and the layer or question.
Key = tuple[str, Config | KerasQuestion | CustomLayer]
Result = KerasAnswer | Trace | Facts
WANTS = ("answer", "experiment", *(backend.code for backend in BACKENDS if backend.in_worker))


def request_bytes(what: Config | KerasQuestion | CustomLayer) -> int:
    """Returns the bytes of a request: of a question's arguments, or of a layer's parameters, inputs and intermediates."""
    if isinstance(what, KerasQuestion):
        return what.bytes
    return 4 * numbers_kept(what.cfg if isinstance(what, CustomLayer) else what)


def message_of(key: Key) -> Message:
    """Returns this request as a message to the worker."""
    want, what = key
    facts, arrays = ({"cfg": asdict(what)}, {}) if isinstance(what, Config) else what.message()
    return {"want": want, **facts}, arrays


def unpack(key: Key, facts: Facts, arrays: Arrays) -> Result:
    """Converts the worker's message to a result. Raises KeyError, TypeError or ValueError if it does not answer `key`."""
    want, what = key
    if isinstance(what, KerasQuestion):
        return dict(lower(facts["result"], arrays))
    if want == "answer":
        output, weights = Array(arrays["output"], "btm"), Array(arrays["weights"], "bhts")
        variables = tuple((str(path), tuple(map(int, shape))) for path, shape in facts["variables"])
        versions = str(facts["keras_version"]), str(facts["tensorflow_version"])
        return KerasAnswer(output, weights, int(facts["count"]), variables, *versions)
    custom = isinstance(what, CustomLayer)
    cfg, params, inputs = (what.cfg, what.params, what.inputs) if custom else (what, make_params(what), make_inputs(what))
    return trace_from(cfg, params, inputs, arrays)


class KerasClient:
    """Client of the Keras worker. Any thread may use it. A background thread starts the worker at the first request or at
    `start()`. `state` is "starting" (also before the start), "ready", "missing" (TensorFlow is not installed) or "failed". If the
    state is "missing" or "failed", `reason` says why."""

    def __init__(self, limits: Limits | None = None, command: tuple[str, ...] = COMMAND):
        self.limits, self.command = limits or Limits(), command
        self.state, self.reason, self.closed = "starting", "", False
        self._changed = threading.Condition(threading.RLock())  # held for every change of the state, and notified
        self._worker: Process | None = None
        self._starts: deque[float] = deque(maxlen=self.limits.starts)
        if not _installed():
            self._turn("missing", "TensorFlow is not installed here, so Keras cannot be asked.")
        self._wanted: OrderedDict[Key, None] = OrderedDict()  # newest last
        self._doing: Key | None = None
        self._known = BoundedCache[Result | Reply](self.limits.answers, self.limits.answer_bytes)
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts the background thread, which then starts the worker. Further calls do nothing."""
        with self._changed:
            if self._thread is None and self.state != "missing" and not self.closed:
                self._thread = threading.Thread(target=self._serve, name="keras-client", daemon=True)
                self._thread.start()

    def answer(self, cfg: Config | CustomLayer, wait: float = 0.0) -> KerasAnswer | None:
        """Returns the real layer's answer, or None if there is none within `wait` seconds. The answer may come later. For a
        Config, weights and inputs are drawn from the seed. A CustomLayer has its own, and its answers are cached with it."""
        answer = self._request(("answer", cfg), wait)
        return answer if isinstance(answer, KerasAnswer) else None

    def trace(self, cfg: Config | CustomLayer, backend: str, wait: float = 0.0) -> Trace | None:
        """Returns the trace that a backend computes in the worker. Returns None if there is no trace within `wait` seconds."""
        trace = self._request((backend, cfg), wait)
        return trace if isinstance(trace, Trace) else None

    def result(self, question: KerasQuestion, wait: float = 0.0) -> Facts | None:
        """Returns the result of an experiment, or of `several`: JSON and float32 arrays. All callers get the same arrays. Returns
        None if there is no result within `wait` seconds. If none will come, `failure(question)` says why."""
        result = self._request(("experiment", question), wait)
        return result if isinstance(result, dict) else None

    def reply_to(self, question: KerasQuestion, wait: float = 0.0) -> Reply:
        """Returns an experiment's result as a Reply. If there is no result within `wait` seconds, the Reply has the reason."""
        result = self.result(question, wait)
        return self._why_none(question) if result is None else reply_of(result)

    def failure(self, what: Config | KerasQuestion | CustomLayer) -> str | None:
        """Returns a sentence on why there is no answer for `what`. Returns None while an answer may come."""
        why = self._why_none(what)
        return None if why.awaited else why.sentence

    def asks_again(self, what: Config | KerasQuestion | CustomLayer) -> bool:
        """Returns whether another request for `what` might get an answer: an answer may come, or the worker failed."""
        why = self._why_none(what)
        return why.awaited or why.state == "failed"

    def close(self) -> None:
        """Ends the worker and the background thread for good. Threads that wait for an answer get None."""
        with self._changed:
            self._turn("failed", "The Keras worker was closed.")
            self.closed = True
            if self._worker is not None:
                self._worker.process.kill()
        if self._thread is not None:
            self._thread.join()

    def _request(self, key: Key, wait: float) -> Result | None:
        with self._changed:
            if self.state == "missing":
                return None  # not even the layer's stored answer from another client
            known = self._cache(key)
            if known.get(key) is None and not self.closed:
                if (size := request_bytes(key[1])) > (most := self.limits.layer_bytes):
                    why = f"the layer takes {size >> 20} MB in Keras; at most {most >> 20} MB are asked for"
                    known.put(key, Reply("declined", why=why))
                    return None
                self._want(key)
                self._changed.wait_for(lambda: known.get(key) or self.state == "failed", wait)
            result = known.get(key)
        return None if isinstance(result, Reply) else result

    def _why_none(self, what: Config | KerasQuestion | CustomLayer) -> Reply:
        """Returns the reason why there is no answer for `what` now: it may come later, it was refused, or it cannot come."""
        with self._changed:
            if self.state == "missing":
                return Reply("missing", why=self.reason)
            for want in WANTS:
                if isinstance(failure := self._cache((want, what)).get((want, what)), Reply):
                    return failure
            if self.reason:
                return Reply("failed", why=self.reason)
            return Reply("loading" if self.state == "starting" else "running")

    def _cache(self, key: Key) -> BoundedCache[Result | Reply]:
        known = None if isinstance(key[1], Config) else key[1].known
        return self._known if known is None else known

    def _want(self, key: Key) -> None:
        if key != self._doing:
            self._wanted[key] = None
            self._wanted.move_to_end(key)
            if len(self._wanted) > self.limits.queue:
                self._wanted.popitem(last=False)
        self.start()
        self._changed.notify_all()

    def _turn(self, state: str, reason: str = "") -> None:
        with self._changed:
            if not self.closed:
                self.state, self.reason = state, reason
            self._changed.notify_all()

    # The following methods run in the background thread.

    def _serve(self) -> None:
        while not self.closed:
            if (self.state != "failed" or self._wanted) and self._running() and (key := self._newest()):
                result = self._settle(key)
                with self._changed:
                    self._doing = None
                    if result is not None:
                        self._cache(key).put(key, *result)
                    self._changed.notify_all()
                del key, result  # this thread may wait long now, and a visitor's data must go with the visitor
            with self._changed:
                # An idle worker's death may go unnoticed for this many seconds.
                self._changed.wait_for(lambda: self.closed or (self._wanted and self.state == "ready"), 1.0)
        self._end_worker()

    def _newest(self) -> Key | None:
        with self._changed:
            self._doing = self._wanted.popitem()[0] if self._wanted else None
            return self._doing

    def _settle(self, key: Key) -> tuple[Result | Reply, int, float] | None:
        """Returns three values for the cache: the result (or why there is none), its bytes, and the time until which it is kept.
        Returns None if there was no worker. If the worker dies, the request is tried again, because it may not be the cause."""
        sentence = ""
        for _ in range(2):
            if (worker := self._running()) is None:
                break
            try:
                facts, arrays = worker.ask(*message_of(key), self.limits.request_seconds)
                if worker.memory > self.limits.memory_bytes:
                    self._end_worker()
                if not (reply := reply_of(facts)).answered:
                    return reply, 0, math.inf if reply.state == "declined" else self._failure_over()
                result = unpack(key, facts, arrays)
                if isinstance(result, Trace):  # it also has its layer's weights and inputs, which nobody sent
                    return result, request_bytes(key[1]), math.inf
                return result, len(json.dumps(facts)) + sum(values.nbytes for values in arrays.values()), math.inf
            except TooSlow:
                sentence = f"Keras took more than {self.limits.request_seconds:g} s and was stopped."
                self._end_worker()
                break
            except Exception:  # a dead worker or a malformed message may raise anything, and this thread must go on
                sentence = "Keras's process ended while it computed this layer."
                self._end_worker()
        return (Reply("failed", why=sentence), 0, self._failure_over()) if sentence else None

    def _failure_over(self) -> float:
        return time.monotonic() + self.limits.failure_seconds

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _running(self) -> Process | None:
        """Returns the worker. A dead worker is restarted, which takes seconds. Returns None if the client failed or is closed."""
        while not self.closed:
            if self._worker is not None and self._worker.alive:
                return self._worker
            self._end_worker()
            if self.state == "ready":
                self._turn("starting")
            pause = self._pause()
            if pause > 0 and len(self._starts) == self.limits.starts and self.state != "failed":
                often = f"{self.limits.starts} times within {self.limits.starts_window:g} s"
                self._turn("failed", f"Keras's process ended {often}; it rests for a while and is then started again.")
            if pause > 0 and self.state == "failed":
                return None
            with self._changed:
                self._changed.wait_for(lambda: self.closed, max(pause, 0))
            self._start()
        return None

    def _start(self) -> None:
        self._starts.append(time.monotonic())
        try:
            with self._changed:
                if self.closed:
                    return
                self._worker = Process(self.command, ENVIRONMENT)
            self._worker.get_ready(self.limits.start_seconds)
        except Ended as why:
            self._end_worker()
            self._turn("failed", f"Keras did not start: {why}; it is started again.")
        else:
            self._turn("ready")

    def _pause(self) -> float:
        """Returns the seconds until the worker may be started again. In `starts_window` seconds, each start after the first
        doubles the pause. After `starts` starts, the pause lasts until the oldest start is older than `starts_window`."""
        now = time.monotonic()
        while self._starts and self._starts[0] < now - self.limits.starts_window:
            self._starts.popleft()
        if not self._starts:
            return 0.0
        if len(self._starts) == self.limits.starts:
            return self._starts[0] + self.limits.starts_window - now
        return self._starts[-1] + self.limits.start_pause * 2 ** (len(self._starts) - 1) - now


def _installed() -> bool:
    return sys.platform != "emscripten" and all(importlib.util.find_spec(name) for name in ("tensorflow", "keras"))
