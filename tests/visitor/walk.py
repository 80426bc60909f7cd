"""A random visitor over AppTest. The choices come from outside: from Hypothesis in the tests, a seeded generator in `make
explore`."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from components.pages.own_layer import intake
from tests.app.own_layer import KERAS, TORCH
from tests.layer.files.files import npy, npz
from tests.visitor.choices import SHARED_CODES
from tests.visitor.held import breaches, screen
from tests.visitor.keras_states import STATES, Keras
from tests.visitor.visitor import OFFERING, PAGES, Visitor, put, switches, values, widgets

T = TypeVar("T")
Pick = Callable[[Sequence[T]], T]
#: Files for any uploader: layers, a configuration, an X, and what is none of them.
FILES = {
    "a Keras layer": ("model.keras", KERAS), "a PyTorch layer": ("layer.safetensors", TORCH), "nothing": ("empty.npz", b""),
    "text": ("words.keras", b"not a layer\n" * 9), "an npz of one array": ("one.npz", npz({"a": np.ones((2, 3))})),
    "an X": ("x.npy", npy(np.ones((5, 11), "float32"))),
    "a configuration": (
        "config.json", b'{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,'
        b'"num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 500}'),
    "no configuration": ("config.json", b'{"hidden_size": "wide"}'),
}  # fmt: skip
#: What the session alone knows: a fresh one may show something else.
ALONE = (intake.KEY, intake.PROBLEM, "config", "config_fault", "guesses", "faults")
#: A box that was opened: its picture is sent ahead, too, and no address says that it is open.
OPENED, AHEAD = "cut_chosen", "headcount_ahead:"
#: How often each kind of step is taken.
STEPS = (*("set",) * 6, *("anew",) * 4, *("go",) * 3, *("through",) * 2, *("link",) * 2, *("several",) * 2,
         "back", "switch", "upload", "keras")  # fmt: skip
#: So many values of a list are clicked through, one after the other.
MAX_IN_TURN = 8


class Untrue(AssertionError):
    """Raised for a screen that breaks these rules. The message may have the steps that led there."""

    def __init__(self, found: Sequence[str], told: str = ""):
        super().__init__(told)
        self.found = found


class Walk:
    """One random visitor: `begin` opens the first page, and each `step` does one thing and checks the screen."""

    def __init__(self, keras: Keras, pick: Pick, pages: Sequence[str] = PAGES):
        self.keras, self.pick = keras, pick
        self.steps: list[str] = []
        keras.turn(pick(tuple(STATES)))
        self.home = pick(pages)
        self.visitor = Visitor(self.home)
        self._note(f"open {self.home}, Keras {keras.state}")

    def begin(self) -> "Walk":
        self.visitor.open()
        self.look()
        return self

    def step(self, kind: str = "") -> None:
        """Does one of STEPS, or any of them without `kind`."""
        getattr(self, f"_{kind or self.pick(STEPS)}")()
        self.look()

    def look(self) -> None:
        if found := breaches(self.visitor):
            self.fail(found)

    def fail(self, found: Sequence[str]) -> None:
        raise Untrue(found, self.told(found))

    def told(self, found: Sequence[str]) -> str:
        return "\n".join([*found, f"at {self.visitor.address} (Keras {self.keras.state})", "after:", *self.steps])

    def _note(self, what: str) -> None:
        self.steps.append(f"  {what}"[:300])

    def _set(self, times: int = 1) -> None:
        there = widgets(self.visitor.at)
        for _ in range(times):
            names = [name for name, widget in there.items() if values(widget)]
            name = self.pick(names)
            value = self.pick(usual(there[name]))
            self._note(f"set {name} = {value!r}")
            put(there[name], value)
        self.visitor.run()

    def _several(self) -> None:
        self._set(self.pick((2, 3)))

    def _anew(self) -> None:
        """Sets all choices of the page at once. Its numbers stay, become any, or are all at their least or largest."""
        there, numbers = widgets(self.visitor.at), self.pick(("as they are", "as they are", "any", "least", "most"))
        for name, widget in there.items():
            every = values(widget)
            if widget.type in OFFERING and widget.type != "select_slider":
                value = self.pick(every)
            elif widget.type == "number_input" and numbers != "as they are":
                value = self.pick(usual(widget)) if numbers == "any" else (every[0] if numbers == "least" else every[-1])
            else:
                continue
            self._note(f"set {name} = {value!r}")
            put(widget, value)
        self.visitor.run()

    def _through(self) -> None:
        """Sets every value of each of the page's own lists in turn, at the present sizes or at the largest."""
        there = widgets(self.visitor.at)
        lists = [name for name, widget in there.items() if widget.type in OFFERING and name not in SHARED_CODES
                 and getattr(widget.proto, "query_param_key", "") and len(values(widget)) <= MAX_IN_TURN]  # fmt: skip
        if self.pick(("as they are", "the largest")) == "the largest":
            self._note("set every number to its largest")
            for widget in there.values():
                if widget.type == "number_input":
                    put(widget, values(widget)[-1])
            self.visitor.run()
        for name in lists:
            for value in values(there[name]):
                if name in (now := widgets(self.visitor.at)):
                    self._note(f"set {name} = {value!r}")
                    put(now[name], value)
                    self.visitor.run()
                    self.look()

    def _go(self) -> None:
        page = self.pick((self.home, self.pick(PAGES)))  # there and back: a page is left and found again
        self._note(f"go to {page}")
        self.visitor.go(page)

    def _back(self) -> None:
        if self.visitor.past:
            self._note(f"back to {self.visitor.past[-1]}")
            self.visitor.back()

    def _switch(self) -> None:
        if there := switches(self.visitor.at):
            name = self.pick(sorted(there))
            self._note(f"open or close {name}")
            self.visitor.run(there[name]())

    def _upload(self) -> None:
        places = [name for name, widget in widgets(self.visitor.at).items() if widget.type == "file_uploader"]
        if not places:
            self._note("go to own_layer")
            self.visitor.go("own_layer")
            places = ["own_file"]
        name = self.pick(places)
        endings = tuple(widgets(self.visitor.at)[name].allowed_type)  # a browser takes no others
        file = self.pick([file for file, (called, _) in FILES.items() if called.endswith(endings)])
        self._note(f"upload {file} to {name}")
        put(widgets(self.visitor.at)[name], FILES[file])
        self.visitor.run()

    def _keras(self) -> None:
        self.keras.turn(self.pick(tuple(STATES)))
        self._note(f"Keras {self.keras.state}")
        self.visitor.run()

    def _link(self) -> None:
        """Reloads the page and checks that the address alone gives the same screen, except for what only the session knows."""
        self._note(f"reload {self.visitor.address}")
        state = self.visitor.at.session_state
        known = [state]
        if "visit" in state:
            known.append(vars(state["visit"]))
        by_itself = any(key in place and place[key] for place in known for key in ALONE)
        before, self.visitor = self.visitor, Visitor(self.visitor.page, dict(self.visitor.query), self.visitor.past).open()
        if not by_itself and not self.visitor.at.exception:
            there, here = screen(before.at), screen(self.visitor.at)
            if state.get(OPENED):
                there, here = ([line for line in one if not line.startswith(AHEAD)] for one in (there, here))
            if there != here:
                gone = [line for line in there if line not in here] or there[len(here) :] or ["in another order"]
                come = [line for line in here if line not in there] or here[len(there) :] or ["in another order"]
                self.fail([f"by itself the address shows {apart(*pair)}" for pair in zip(come, gone, strict=False)][:3])


def apart(one: str, other: str) -> str:
    """The places where two long texts begin to differ."""
    place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = max(0, place - 60)
    return f"{one[:40]!r} … {one[start : place + 100]!r}, the session {other[:40]!r} … {other[start : place + 100]!r}"


def usual(widget) -> list:
    """Values with the small ones repeated: at the largest sizes nearly every layer is too large to be computed."""
    every = values(widget)
    return [value for value in every if value <= 48] * 4 + every if widget.type in ("number_input", "select_slider") and all(
        isinstance(value, int) for value in every) else every  # fmt: skip
