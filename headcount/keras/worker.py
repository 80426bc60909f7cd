"""Worker process that imports TensorFlow: `python -m headcount.keras.worker` (see `headcount.bounded_process`). Its first message
has the versions of the libraries, or says why there is no Keras."""

import gc
import warnings
from collections.abc import Mapping

from headcount.backends import BACKENDS
from headcount.bounded_process import Arrays, Facts, Message, answer_requests
from headcount.config import Config
from headcount.custom_layer import from_arrays
from headcount.forward import run
from headcount.keras.experiments.basics import in_one_line, run_experiment
from headcount.keras.question import DECLINED, ERROR, Declined, lift, lower
from headcount.params import Inputs, Params
from headcount.steps import steps_of


def load() -> Mapping[str, object]:
    """Imports TensorFlow and returns the versions. Raises RuntimeError, with the reason, if Keras cannot be loaded."""
    try:
        from headcount.keras import backend

        backend.answer_arrays(Config(d_model=2, num_heads=1, query_len=2))  # the first layer is slower than the next
    except Exception as error:  # an installation can fail in any way
        raise RuntimeError(f"Keras cannot be loaded: {in_one_line(error)}") from error
    gc.collect()
    gc.freeze()  # TensorFlow's own objects stay: `forget` collects, and would check them each time (150 ms)
    return backend.versions()


def handle(facts: Facts, arrays: Arrays) -> Message:
    """Returns the answer to a request. A refusal by this app is {"declined": sentence}, another error {"error": sentence}."""
    from headcount.keras import backend  # loaded already: see `load`

    answer: Message
    try:
        want = facts.get("want")
        if want == "answer":
            answer = backend.answer_arrays(*_layer_of(facts, arrays))
        elif want == "experiment":
            result, result_arrays = lift(run_experiment(facts["name"], lower(facts["arguments"], arrays)))
            answer = {"result": result}, result_arrays
        elif any(want == one.code for one in BACKENDS):
            cfg, params, inputs = _layer_of(facts, arrays)
            trace = run(cfg, str(want), params, inputs)
            answer = {}, {step.name: trace[step.name].values for step in steps_of(cfg)}
        else:
            raise Declined(f"want must be answer, experiment or the code of a backend, got {want!r}")
    except Declined as error:
        answer = {DECLINED: str(error)}, {}
    except Exception as error:
        answer = {ERROR: in_one_line(error)}, {}
    backend.forget()
    return answer


def _layer_of(facts: Facts, arrays: Arrays) -> tuple[Config, Params | None, Inputs | None]:
    """Reads a request's layer, and its weights and inputs (None if not sent). Raises Declined if one of these is not valid."""
    try:
        return Config(**facts["cfg"]), *from_arrays(arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise Declined(f"{type(error).__name__}: {error}") from error


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # they would go to the server's log, where nobody can act on them
    answer_requests(load, handle)
