"""One worker process (`mha.keras.worker`): start it, ask it, end it."""

import os
import subprocess
import sys
import threading
from dataclasses import asdict

from mha.assets import ROOT
from mha.config import Config
from mha.custom_layer import Given
from mha.keras.question import Question
from mha.keras.wire import Message, receive, send

COMMAND = (sys.executable, "-m", "mha.keras.worker")

#: One thread each: the server needs the other cores for pictures. No GPU: a layer of this size gains nothing there and its
#: fast modes round differently. oneDNN off: the same sums on every processor, and no notice on stderr.
ENVIRONMENT = {
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "-1",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


class Worker:
    """A running worker, of use after `get_ready`.

    `get_ready` and `ask` raise TimeoutError after their time (the process is then killed), and OSError, EOFError or
    ValueError where it died or talks nonsense.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env={**os.environ, **ENVIRONMENT}
        )
        assert self.process.stdin is not None  # both are pipes
        assert self.process.stdout is not None
        self._requests, self._answers = self.process.stdin, self.process.stdout

    def get_ready(self, seconds: float) -> None:
        """Waits until TensorFlow is loaded: seconds. RuntimeError: the worker says why it has no Keras to offer."""
        facts, _ = self._next(seconds)
        if "error" in facts:
            raise RuntimeError(facts["error"])

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def ask(self, want: str, what: Config | Question | Given, seconds: float) -> Message:
        """The worker's facts and arrays; "error" among the facts is a sentence."""
        facts, arrays = ({"cfg": asdict(what)}, {}) if isinstance(what, Config) else what.message()
        send(self._requests, {"want": want, **facts}, arrays)
        return self._next(seconds)

    def _next(self, seconds: float) -> Message:
        late = threading.Event()
        clock = threading.Timer(seconds, lambda: (late.set(), self.process.kill()))  # the only way out of a blocking read
        clock.daemon = True
        clock.start()
        try:
            return receive(self._answers)
        except EOFError:
            if late.is_set():
                raise TimeoutError(f"no answer within {seconds:g} s") from None
            raise
        finally:
            clock.cancel()

    def close(self) -> None:
        """Ends the process and waits for it: no zombie stays."""
        self.process.kill()
        self.process.wait()
        for stream in (self._requests, self._answers):
            try:
                stream.close()
            except OSError:
                continue  # a request that could not be written any more
