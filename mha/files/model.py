"""A small model in a folder of the server's, run by transformers itself in a bounded process (mha.files.model_worker)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mha.arrays import Array, Floats
from mha.bounded_process import Ended, Message, OnDemand
from mha.files import fit
from mha.files.report import Report, from_plain
from mha.files.tensors import UnreadableFile
from mha.forward import run
from mha.models.real_class import ENVIRONMENT, interpreter
from mha.params import Inputs

MAX_TOKENS = 64
#: Seconds for one sentence, the first of which loads the model, and after which an idle process ends.
MAX_SECONDS, IDLE = 120.0, 600.0


@dataclass(frozen=True, slots=True)
class Model:
    """A folder that transformers has read: `title` names its class and version."""

    folder: Path
    title: str
    report: Report


@dataclass(frozen=True, slots=True)
class Reading:
    """What the layer with this number does with a text. `x`: what enters it, axes (positions, width); `flat`: its numbers as
    `Layer.numbers` lays them out, None where the pages cannot show it; `real`: what transformers computed, by our names, of
    "q" and "k" (as they enter the scores), "v", "weights" (axes head first) and "output" those that its class lets be seen."""

    text: str
    tokens: tuple[str, ...]
    x: Floats
    flat: dict[str, Floats] | None
    real: Mapping[str, Floats]

    def furthest(self, sizes: fit.Measured) -> float | None:
        """How far the layer that the pages compute is from the real one, in its maps and its output; None where it is not shown
        or the heads are not known."""
        if self.flat is None or sizes.num_heads is None:
            return None
        mask = "causal" if sizes.looks_back else "none"
        cfg = fit.config(sizes, sizes.num_heads, query_len=len(self.x), mask=mask)
        x = Array(self.x[None], "btm")
        trace = run(cfg, params=fit.params(self.flat, cfg), inputs=Inputs(x, Array(x.values, "bsm")))
        both = ((trace[name].values[0], self.real[name]) for name in ("weights", "output") if name in self.real)
        return max(float(np.abs(ours - real).max()) for ours, real in both)


@cache
def _worker(folder: Path) -> OnDemand:
    command = (interpreter() or "python3", "-m", "mha.files.model_worker", str(folder))
    return OnDemand(command, seconds=MAX_SECONDS, idle=IDLE, environment=ENVIRONMENT)


def open_model(folder: Path) -> Model:
    """Opens the model in the folder (seconds, the first time). UnreadableFile says in a sentence what is missing or wrong."""
    if not (folder / "config.json").is_file():
        raise UnreadableFile("There is no folder {} with a config.json.", folder.name)
    if interpreter() is None:
        raise UnreadableFile("transformers, which runs the model, is not installed: `make models` does it.")
    facts, _ = _asked(folder, {})
    return Model(folder, str(facts["title"]), from_plain(facts["report"]))


def read(model: Model, text: str, number: int) -> Reading:
    """Runs the model on a text and reads what its layer `number` does. UnreadableFile where there are no tokens, or too many."""
    facts, arrays = _asked(model.folder, {"text": text, "number": number})
    flat = {name.removeprefix("flat."): arrays.pop(name) for name in [*arrays] if name.startswith("flat.")}
    return Reading(text, tuple(map(str, facts["tokens"])), arrays.pop("x"), flat or None, arrays)


def _asked(folder: Path, question: Mapping[str, Any]) -> Message:
    try:
        facts, arrays = _worker(folder).ask(question)
    except Ended as why:
        raise UnreadableFile("transformers gave no answer: {}.", why) from None
    if "error" in facts:
        raise UnreadableFile(facts["error"], *facts["names"])
    return facts, arrays
