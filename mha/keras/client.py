"""The app's access to Keras: waits only when told to, never imports TensorFlow, keeps one worker process alive."""

import importlib.util
import json
import math
import sys
import threading
import time
from collections import OrderedDict
from dataclasses import asdict

from mha.arrays import Array
from mha.backends import BACKENDS
from mha.bounded_cache import BoundedCache
from mha.bounded_process import TooSlow
from mha.comparison import KerasAnswer
from mha.config import Config
from mha.cost import numbers_kept
from mha.custom_layer import CustomLayer
from mha.forward import Trace, trace_from
from mha.keras.question import Question, Reply, lower, reply_of
from mha.keras.supervisor import COMMAND, Limits, WorkerSupervisor
from mha.keras.wire import Arrays, Facts, Message
from mha.params import make_inputs, make_params

#: A request: "answer", "experiment" or, for every intermediate, a backend's code; and the layer or the question that it is about.
Key = tuple[str, Config | Question | CustomLayer]
Result = KerasAnswer | Trace | Facts
WANTS = ("answer", "experiment", *(backend.code for backend in BACKENDS if backend.in_worker))


def request_bytes(what: Config | Question | CustomLayer) -> int:
    """Bytes of a question's arguments, or of a layer's parameters, inputs and intermediates together. An experiment itself bounds
    what it takes besides."""
    return what.bytes if isinstance(what, Question) else 4 * numbers_kept(what.cfg if isinstance(what, CustomLayer) else what)


def message_of(key: Key) -> Message:
    """The request as a message to the worker."""
    want, what = key
    facts, arrays = ({"cfg": asdict(what)}, {}) if isinstance(what, Config) else what.message()
    return {"want": want, **facts}, arrays


def unpack(key: Key, facts: Facts, arrays: Arrays) -> Result:
    """Reads the worker's message. KeyError, TypeError or ValueError where it does not answer `key`."""
    want, what = key
    if isinstance(what, Question):
        return dict(lower(facts["result"], arrays))
    if want == "answer":
        return KerasAnswer(
            output=Array(arrays["output"], "btm"),
            weights=Array(arrays["weights"], "bhts"),
            count=int(facts["count"]),
            variables=tuple((str(path), tuple(map(int, shape))) for path, shape in facts["variables"]),
            keras_version=str(facts["keras_version"]),
            tensorflow_version=str(facts["tensorflow_version"]),
        )
    custom = isinstance(what, CustomLayer)
    cfg, params, inputs = (what.cfg, what.params, what.inputs) if custom else (what, make_params(what), make_inputs(what))
    return trace_from(cfg, params, inputs, arrays)


class KerasClient:
    """Thread-safe. The process starts with the first request, or with `start()`, in a background thread."""

    def __init__(self, limits: Limits | None = None, command: tuple[str, ...] = COMMAND):
        self.limits = limits or Limits()
        self._changed = threading.Condition(threading.RLock())
        self._supervisor = WorkerSupervisor(self.limits, command, self._changed)
        if not _installed():
            self._supervisor.turn("missing", "TensorFlow is not installed here, so Keras cannot be asked.")
        self._wanted: OrderedDict[Key, None] = OrderedDict()  # newest last
        self._doing: Key | None = None
        self._known = BoundedCache[Result | Reply](self.limits.answers, self.limits.answer_bytes)
        self._thread: threading.Thread | None = None

    @property
    def state(self) -> str:
        """ "starting" (or not started yet), "ready", "missing" (TensorFlow is not installed) or "failed"."""
        return self._supervisor.state

    @property
    def reason(self) -> str:
        """A sentence for "missing" and "failed"."""
        return self._supervisor.reason

    def start(self) -> None:
        """Begins to start the worker, once. Returns at once."""
        with self._changed:
            if self._thread is None and self.state != "missing" and not self._supervisor.closed:
                self._thread = threading.Thread(target=self._serve, name="keras-client", daemon=True)
                self._thread.start()

    def answer(self, cfg: Config | CustomLayer, wait: float = 0.0) -> KerasAnswer | None:
        """The real layer's answer, if it is known or comes within `wait` seconds. None: it is requested, look again later.

        Weights and inputs are drawn from the seed of a Config. A CustomLayer brings its own, and keeps the answers about it.
        """
        answer = self._request(("answer", cfg), wait)
        return answer if isinstance(answer, KerasAnswer) else None

    def trace(self, cfg: Config | CustomLayer, backend: str, wait: float = 0.0) -> Trace | None:
        """Every intermediate computed by a backend that is in the worker; otherwise like `answer`."""
        trace = self._request((backend, cfg), wait)
        return trace if isinstance(trace, Trace) else None

    def result(self, question: Question, wait: float = 0.0) -> Facts | None:
        """What an experiment of `mha.keras.experiments`, or `several` in one request, gives; otherwise like `answer`.

        The dict is plain JSON and float32 arrays, and shared: change nothing in it. `failure(question)` says why there is none.
        """
        result = self._request(("experiment", question), wait)
        return result if isinstance(result, dict) else None

    def reply_to(self, question: Question, wait: float = 0.0) -> Reply:
        """Returns an experiment's result, if it comes within `wait` seconds, or the reason why there is none."""
        if (result := self.result(question, wait)) is not None:
            return reply_of(result)
        with self._changed:
            if self.state == "missing":
                return Reply("missing", why=self.reason)
            if (failure := self._failure(question)) is not None:
                return failure
            if self.reason:
                return Reply("failed", why=self.reason)
            return Reply("loading" if self.state == "starting" else "running")

    def failure(self, what: Config | Question | CustomLayer) -> str | None:
        """Why there is no answer for `what` at present; None while one may come."""
        with self._changed:
            failure = self._failure(what)
            return failure.sentence if failure is not None else self.reason or None

    def asks_again(self, what: Config | Question | CustomLayer) -> bool:
        """Whether an answer to `what` may still come to whoever asks again: not where Keras refused, this app declined, or there
        is no Keras."""
        with self._changed:
            failure = self._failure(what)
            return self.state != "missing" and (failure is None or failure.state == "failed")

    def close(self) -> None:
        """Ends the worker and the thread, for good."""
        self._supervisor.close()
        if self._thread is not None:
            self._thread.join()

    def _request(self, key: Key, wait: float) -> Result | None:
        with self._changed:
            known = self._cache(key)
            if known.get(key) is None and self.state != "missing" and not self._supervisor.closed:
                if (size := request_bytes(key[1])) > (most := self.limits.layer_bytes):
                    why = f"the layer takes {size >> 20} MB in Keras; at most {most >> 20} MB are asked for"
                    known.put(key, Reply("declined", why=why))
                    return None
                self._want(key)
                self._changed.wait_for(lambda: known.get(key) or self.state in ("missing", "failed"), wait)
            result = known.get(key)
        return None if isinstance(result, Reply) else result

    def _failure(self, what: Config | Question | CustomLayer) -> Reply | None:
        for want in WANTS:
            if isinstance(failure := self._cache((want, what)).get((want, what)), Reply):
                return failure
        return None

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

    # From here on: the background thread.

    def _serve(self) -> None:
        while not self._supervisor.closed:
            if (self.state != "failed" or self._wanted) and self._supervisor.worker() and (key := self._newest()):
                result = self._settle(key)
                with self._changed:
                    self._doing = None
                    if result is not None:
                        self._cache(key).put(key, *result)
                    self._changed.notify_all()
                del key, result  # this thread may wait long now, and what a visitor gave must go with the visitor
            with self._changed:
                # A second: how long a worker that died idle may go unseen.
                self._changed.wait_for(lambda: self._supervisor.closed or (self._wanted and self.state == "ready"), 1.0)
        self._supervisor.end_worker()

    def _newest(self) -> Key | None:
        with self._changed:
            if self._wanted:
                self._doing, _ = self._wanted.popitem(last=True)
                return self._doing
            return None

    def _settle(self, key: Key) -> tuple[Result | Reply, int, float] | None:
        """What there is to know about `key`, its bytes, and until when it stands.

        A worker's death may not be this request's fault: tries it twice.
        """
        sentence = ""
        for _ in range(2):
            if (worker := self._supervisor.worker()) is None:
                break
            try:
                facts, arrays = worker.ask(*message_of(key), self.limits.request_seconds)
                if worker.memory > self.limits.memory_bytes:
                    self._supervisor.end_worker()
                if not (reply := reply_of(facts)).answered:
                    return reply, 0, math.inf if reply.state == "declined" else self._failure_over()
                result = unpack(key, facts, arrays)
                if isinstance(result, Trace):  # it has its layer's weights and inputs as well, which nobody sent
                    return result, request_bytes(key[1]), math.inf
                return result, len(json.dumps(facts)) + sum(values.nbytes for values in arrays.values()), math.inf
            except TooSlow:
                sentence = f"Keras took more than {self.limits.request_seconds:g} s and was stopped."
                self._supervisor.end_worker()
                break
            except Exception:  # it died or sends a malformed message: whatever that raises, this thread must go on
                sentence = "Keras's process ended while it computed this layer."
                self._supervisor.end_worker()
        return (Reply("failed", why=sentence), 0, self._failure_over()) if sentence else None

    def _failure_over(self) -> float:
        return time.monotonic() + self.limits.failure_seconds


def _installed() -> bool:
    """Whether a worker could import Keras, which is not imported here. A browser (Pyodide) has no processes."""
    return sys.platform != "emscripten" and all(importlib.util.find_spec(name) for name in ("tensorflow", "keras"))
