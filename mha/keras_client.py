"""The app's way to ask Keras: never waits unasked, never imports TensorFlow, keeps one worker process alive."""

import importlib.util
import math
import sys
import threading
import time
from collections import OrderedDict

from mha.arrays import Array
from mha.comparison import KerasAnswer
from mha.config import Config
from mha.cost import numbers_kept
from mha.forward import Trace
from mha.keras_keeper import Keeper, Limits
from mha.keras_process import COMMAND
from mha.params import make_inputs, make_params
from mha.shelf import Failure, Shelf
from mha.steps import STEPS


class KerasClient:
    """Thread-safe. The process starts with the first request, or with `start()`, in a background thread."""

    def __init__(self, limits: Limits | None = None, command: tuple[str, ...] = COMMAND):
        self.limits = limits or Limits()
        self._changed = threading.Condition(threading.RLock())
        self._keeper = Keeper(self.limits, command, self._changed)
        if not _installed():
            self._keeper.turn("missing", "TensorFlow is not installed here, so Keras cannot be asked.")
        self._wanted: OrderedDict[tuple[str, Config], None] = OrderedDict()  # newest last
        self._doing: tuple[str, Config] | None = None
        self._known = Shelf(self.limits.kept, self.limits.kept_bytes)
        self._thread: threading.Thread | None = None

    @property
    def state(self) -> str:
        """ "starting" (or not started yet), "ready", "missing" (TensorFlow is not installed) or "failed"."""
        return self._keeper.state

    @property
    def reason(self) -> str:
        """A sentence for "missing" and "failed"."""
        return self._keeper.reason

    def start(self) -> None:
        """Begins to start the worker, once. Returns at once."""
        with self._changed:
            if self._thread is None and self.state != "missing" and not self._keeper.closed:
                self._thread = threading.Thread(target=self._serve, name="keras-client", daemon=True)
                self._thread.start()

    def answer(self, cfg: Config, wait: float = 0.0) -> KerasAnswer | None:
        """What the real layer says, if it is known or comes within `wait` seconds. None: asked for, look again later."""
        return self._ask(("answer", cfg), wait)

    def trace(self, cfg: Config, wait: float = 0.0) -> Trace | None:
        """Every intermediate computed by TensorFlow; otherwise like `answer`."""
        return self._ask(("trace", cfg), wait)

    def failure(self, cfg: Config) -> str | None:
        """Why there is no answer for `cfg` at present; None while one may come."""
        with self._changed:
            for want in ("answer", "trace"):
                if isinstance(found := self._known.get((want, cfg)), Failure):
                    return found.sentence
            return self.reason or None

    def close(self) -> None:
        """Ends the worker and the thread, for good."""
        self._keeper.close()
        if self._thread is not None:
            self._thread.join()

    def _ask(self, key: tuple[str, Config], wait: float) -> KerasAnswer | Trace | None:
        with self._changed:
            if self._known.get(key) is None and self.state != "missing" and not self._keeper.closed:
                if layer_bytes(key[1]) > self.limits.layer_bytes:
                    self._known.put(key, Failure(_too_large(key[1], self.limits.layer_bytes), math.inf))
                    return None
                self._want(key)
                self._changed.wait_for(lambda: self._known.get(key) or self.state in ("missing", "failed"), wait)
            found = self._known.get(key)
        return None if isinstance(found, Failure) else found

    def _want(self, key: tuple[str, Config]) -> None:
        if key != self._doing:
            self._wanted[key] = None
            self._wanted.move_to_end(key)
            if len(self._wanted) > self.limits.queue:
                self._wanted.popitem(last=False)
        self.start()
        self._changed.notify_all()

    # From here on: the background thread.

    def _serve(self) -> None:
        while not self._keeper.closed:
            if (self.state != "failed" or self._wanted) and self._keeper.worker() and (key := self._newest()):
                result = self._settle(key)
                with self._changed:
                    self._doing = None
                    if result is not None:
                        self._known.put(key, *result)
                    self._changed.notify_all()
            with self._changed:
                # A second: how long a worker that died idle may go unseen.
                self._changed.wait_for(lambda: self._keeper.closed or (self._wanted and self.state == "ready"), 1.0)
        self._keeper.end_worker()

    def _newest(self) -> tuple[str, Config] | None:
        with self._changed:
            if self._wanted:
                self._doing, _ = self._wanted.popitem(last=True)
                return self._doing
            return None

    def _settle(self, key: tuple[str, Config]) -> tuple[KerasAnswer | Trace | Failure, int] | None:
        """What there is to know about `key`, and its bytes. A worker's death may not be this request's fault: tries it twice."""
        sentence = ""
        for _ in range(2):
            if (worker := self._keeper.worker()) is None:
                break
            try:
                facts, arrays = worker.ask(*key, self.limits.request_seconds)
                if facts["memory"] > self.limits.memory_bytes:
                    self._keeper.end_worker()
                if "error" not in facts:
                    return _unpack(key, facts, arrays), sum(values.nbytes for values in arrays.values())
                sentence = f"Keras refused this layer: {facts['error']}"
                break
            except TimeoutError:
                sentence = f"Keras took more than {self.limits.request_seconds:g} s and was stopped."
                self._keeper.end_worker()
                break
            except Exception:  # it died or talks nonsense: whatever that raises, this thread must go on
                sentence = "The Keras worker ended while it computed this layer."
                self._keeper.end_worker()
        return (Failure(sentence, time.monotonic() + self.limits.failure_seconds), 0) if sentence else None


def layer_bytes(cfg: Config) -> int:
    """Bytes of the layer's parameters, inputs and intermediates together."""
    return 4 * numbers_kept(cfg)


def _too_large(cfg: Config, most: int) -> str:
    return f"This layer takes {layer_bytes(cfg) >> 20} MB in Keras; at most {most >> 20} MB are asked for."


def _installed() -> bool:
    """Whether a worker could import Keras: found, not imported. A browser (Pyodide) has no processes."""
    return sys.platform != "emscripten" and all(importlib.util.find_spec(name) for name in ("tensorflow", "keras"))


def _unpack(key: tuple[str, Config], facts: dict, arrays: dict) -> KerasAnswer | Trace:
    want, cfg = key
    if want == "answer":
        return KerasAnswer(
            output=Array(arrays["output"], "btm"),
            weights=Array(arrays["weights"], "bhts"),
            count=facts["count"],
            variables=tuple((path, tuple(shape)) for path, shape in facts["variables"]),
            keras_version=facts["keras_version"],
            tensorflow_version=facts["tensorflow_version"],
        )
    inputs = make_inputs(cfg)
    made = {step.name: Array(arrays[step.name], step.axes) for step in STEPS}
    return Trace(cfg, make_params(cfg), inputs.x_query, inputs.x_key, **made)
