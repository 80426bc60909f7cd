"""The process that holds TensorFlow, so that the app's server never imports it: `python -m mha.keras.worker`.

Requests come on stdin, answers go to stdout, both as in `mha.keras.wire`. The first message is its own: versions, or why there
is no Keras here. It ends when stdin closes, that is also when the server was killed.
"""

import gc
import os
import queue
import signal
import sys
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from mha.backends import BACKENDS
from mha.config import Config
from mha.custom_layer import from_arrays
from mha.forward import run
from mha.keras.experiments import run_experiment
from mha.keras.experiments.basics import sentence
from mha.keras.question import DECLINED, ERROR, Declined, lift, lower
from mha.keras.wire import Arrays, Facts, Message, receive, send
from mha.params import Inputs, Params
from mha.steps import steps_of

NICE = 10  # a picture that a visitor waits for comes first


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the server too, and its end closes our stdin
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between two messages
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICE)
    try:
        from mha.keras import backend  # slow (seconds)

        backend.answer_arrays(Config(d_model=2, num_heads=1, query_len=2))  # the first layer is slower than the next
    except Exception as error:  # whatever an installation can get wrong: the page says it
        send(answers, {"error": f"Keras cannot be loaded: {sentence(error)}"})
        return
    send(answers, {**backend.versions(), "memory": memory()})
    gc.collect()
    gc.freeze()  # TensorFlow's own objects stay: `forget` collects, and need not look at them each time (150 ms)
    while True:
        answer = handle(*requests.get())
        try:
            send(answers, *answer)
        except ValueError as error:  # nothing of it was written
            send(answers, {"error": sentence(error), "memory": memory()})
        backend.forget()


def handle(facts: Facts, arrays: Arrays) -> Message:
    """The message that answers one request. What goes wrong is a sentence in "error", what this app declines one in "declined";
    the worker lives on."""
    from mha.keras import backend  # loaded already: see `main`

    answer: tuple[Mapping[str, object], Arrays]
    try:
        want = facts.get("want")
        if want == "answer":
            answer = backend.answer_arrays(*_layer_of(facts, arrays))
        elif want == "experiment":
            result, result_arrays = lift(run_experiment(facts["name"], lower(facts["arguments"], arrays)))
            answer = {"result": result}, result_arrays
        elif any(want == one.code for one in BACKENDS):
            answer = {}, trace_arrays(str(want), *_layer_of(facts, arrays))
        else:
            raise Declined(f"want must be answer, experiment or the code of a backend, got {want!r}")
    except Declined as error:
        answer = {DECLINED: str(error)}, {}
    except Exception as error:
        answer = {ERROR: sentence(error)}, {}
    return {**answer[0], "memory": memory()}, answer[1]


def trace_arrays(backend: str, cfg: Config, params: Params | None, inputs: Inputs | None) -> Arrays:
    """Every intermediate by its step's name."""
    trace = run(cfg, backend, params, inputs)
    return {step.name: trace[step.name].values for step in steps_of(cfg)}


def _layer_of(facts: Facts, arrays: Arrays) -> tuple[Config, Params | None, Inputs | None]:
    """A request's layer, and the numbers that it brings, or None for each; Declined where they do not fit."""
    try:
        return Config(**facts["cfg"]), *from_arrays(arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise Declined(f"{type(error).__name__}: {error}") from error


def memory() -> int:
    """Bytes of memory this process holds; where there is no /proc, the most it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        import resource  # not on Windows, where there is no bound on memory then

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
    return pages * os.sysconf("SC_PAGE_SIZE")


def _listen(stream: IO[bytes], requests: queue.SimpleQueue[Message]) -> None:
    """Requests into the queue; ends the process when there can be no more, even in the middle of a computation."""
    try:
        while True:
            requests.put(receive(stream))
    except BaseException:
        os._exit(0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # they would go to the server's log, where nobody can act on them
    main()
