"""Requests for a figure: the layer, and the options of the figure by code. The codes are those of the address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

import numpy as np

from headcount import Config, Trace, run, settings
from headcount.config import read_scaling
from headcount.cost import too_large
from headcount.models.entry import entries
from headcount.names import SIZES
from headcount.plots.time import LENGTH as TIME_TOKENS
from headcount.plots.time import MEASURED
from headcount.reading import Reading, why_not
from headcount.settings import DIVISOR, HEAD, HEAD_OFF, HEAD_SIZES, NUMBERS, STOPS, SWITCHES, TOKENS, Whole, by_code, word
from headcount.stage.pictures.attention import names_of_positions
from headcount.stage.pictures.projections import CUTS, KERNELS
from headcount.switches import Switches
from headcount.text_bounds import MAX_SENTENCE
from headcount.trained import store
from headcount.trained.sentence import LENGTH, UnreadableSentence, read_or_default

KERNEL, CUT = word("kernel", tuple(KERNELS), "Matrix"), word("cut", CUTS, "Cut")
#: Whether a frame marks one query of an attention map, and a label names the key with its largest weight.
FRAME = word("frame", ("query", "none"), "Framed row")
#: The published model of the figure. By default, one whose heads share keys and values.
MODEL = word("model", ("Llama-3-8B", *(slug for slug in entries() if slug != "Llama-3-8B")), "Model")
#: The sentence of the figure why_several, and the word (from 1) whose questions it shows; 0 lets the figure choose.
SENTENCE = settings.text("sentence", MAX_SENTENCE, "Sentence", spare=1)
ASKING = Whole(code="asking", default=0, most=LENGTH, label="Asking word", default_label="the word that the app chooses")
#: The slider whose effect on accuracy is shown.
SLIDER = settings.Word(
    code="slider", choices=("num_heads", "d_model", *HEAD_SIZES), labels=("heads", "d_model", "key size", "value size"),
    default="key_dim", label="Slider", spelt=True,
)  # fmt: skip
#: Options that only some figures have, in addition to the settings of the layer.
OF_NUMBERS = (NUMBERS, TOKENS)
OPTIONS = by_code((
    KERNEL, CUT, FRAME, replace(HEAD, help=""), DIVISOR, *SWITCHES, *OF_NUMBERS, HEAD_OFF, MODEL,
    SENTENCE, ASKING, SLIDER, MEASURED, TIME_TOKENS,
))  # fmt: skip
#: Options of a figure whose numbers can come from a trained network.
OF_WORDS = tuple(setting.code for setting in OF_NUMBERS)
#: Most characters of a word in a picture.
MAX_LETTERS = 14
#: Options of a figure that shows how published models change attention.
OF_SWITCHES = tuple(setting.code for setting in SWITCHES)
T = TypeVar("T")


class Unavailable(Exception):
    """Error: these settings have no such figure or file. The message says why."""


def of_layer() -> dict[str, settings.Setting[Any]]:
    """Returns the settings that every figure of the layer has, by code."""
    return by_code([setting for setting in settings.SHARED if setting.exported])


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a figure.
    - `cfg`: the layer.
    - `paper`: whether key and value size are d_model / h.
    - `options`: the options that differ from their defaults, as pairs of code and value.
    - `reading`: a trained network that reads a sentence, in place of the seed's numbers. `on_words` sets it.
    - `given`: a trace with any weights, which is shown if its layer is `cfg`."""

    cfg: Config
    paper: bool = True
    options: tuple[tuple[str, object], ...] = ()
    reading: Reading | None = None
    given: Trace | None = None

    def __getitem__(self, option: settings.Setting[T]) -> T:
        """Returns the chosen value of an option, or the default if no value was chosen."""
        return option.check(dict(self.options).get(option.code, option.default))

    @property
    def is_given(self) -> bool:
        """Whether the layer `given` is shown, and its output is not the one that its seed would give."""
        return self.given is not None and self.given.cfg == self.cfg and not of_its_seed(self.given)

    @property
    def switches(self) -> Switches:
        """The options of published models that change attention. Raises Unavailable for an unreadable rotary_scaling."""
        switches = Switches(**{setting.code: self[setting] for setting in SWITCHES})
        try:
            read_scaling(switches.rotary_scaling)
        except ValueError as why:
            raise Unavailable(f"{why}.") from None
        return switches

    @property
    def head(self) -> int:
        """The chosen head (0-based), or the last head if the layer has fewer heads."""
        return min(self[HEAD], self.cfg.num_heads) - 1

    @property
    def tokens(self) -> tuple[str, ...]:
        """The labels of positions: the words of `reading`, or the typed words. A letter that cannot be printed becomes "?"."""
        if self.reading is not None:
            return self.reading.labels
        plain = "".join(letter if letter.isprintable() else "?" for letter in " ".join(self[TOKENS].split()))
        return names_of_positions(tuple(word[:MAX_LETTERS] for word in plain.split()), self.cfg)

    @property
    def reading_labels(self) -> tuple[str, ...]:
        """The words that the trained network reads, or () if there is no network."""
        return () if self.reading is None else self.reading.labels

    def on_words(self, cut: bool = False) -> "Request":
        """Returns the request with a trained network that reads the words, if `numbers` asks for it and one fits the layer
        (`why_not` is ""). If not, returns the request unchanged. With `cut`, all head counts of one d_model in the paper's
        convention have the same network. Raises Unavailable if the words or the network cannot be read."""
        if self.reading is not None:
            return self
        if self[NUMBERS] == "seed" or why_not(self.cfg):
            return self
        try:
            reading = Reading(read_or_default(self[TOKENS]), cut)
            if reading.layer(self.cfg) is None:
                return self
        except UnreadableSentence as why:
            raise Unavailable(f"The sentence cannot be read. {why}") from None
        except store.Broken as why:
            raise Unavailable(str(why)) from None
        return replace(self, reading=reading)

    def in_a_set(self) -> "Request":
        """Returns `on_words()`, which gives all figures of a set the same numbers, or this request if that is unavailable."""
        try:
            return self.on_words()
        except Unavailable:
            return self

    def trace(self) -> Trace:
        """Computes the layer, with the request's source of numbers. Raises Unavailable if the layer is too large."""
        if too_large(self.cfg):
            raise Unavailable("This layer is too large to compute its numbers. Choose smaller sizes.")
        if self.given is not None and self.given.cfg == self.cfg:
            return self.given
        if self.reading is not None and (layer := self.reading.layer(self.cfg)) is not None:
            return layer.trace()
        return run(self.cfg)

    def at_stops(self, of_words: bool = False) -> dict[int, "Request"]:
        """Returns requests by head count: one for each possible position of the heads slider, and this request. If `of_words`, or
        if there is a `reading`, head counts whose numbers have another source are left out."""
        step = 1 if self.cfg.rotary == "none" else 2  # rotary positions need pairs of numbers
        fits = [h for h in STOPS["num_heads"] if not self.paper or self.cfg.d_model % (step * h) == 0]
        counts = sorted({*fits, self.cfg.num_heads})
        layers = [self.cfg if h == self.cfg.num_heads else self.cfg.with_heads(h, paper=self.paper) for h in counts]
        if self.reading is not None or (of_words and self[NUMBERS] != "seed"):
            layers = [one for one in layers if bool(why_not(one)) == bool(why_not(self.cfg))]
        return {one.num_heads: replace(self, cfg=one) for one in layers}

    def link(self, page: str, keys: tuple[str, ...], of_layer: bool = True, part: str = "") -> str:
        """Returns the address of a page with the request's settings, the options `keys` and `part`, from the root of the site."""
        query: dict[str, object] = {**self.off_default()} if of_layer else {}
        query |= {key: OPTIONS[key].format(value) for key, value in self.options if key in keys}
        query |= {MODEL.code: self[MODEL]} if MODEL.code in keys else {}  # its page begins with another model
        query |= {key: value for key, value in parse_qsl(part) if key not in query}
        return f"/{page}" + (f"?{urlencode(query)}" if query else "")

    def layer(self) -> dict[str, object]:
        return {setting.code: getattr(self.cfg, setting.code) for setting in settings.SHARED if setting.in_layer}

    def off_default(self) -> dict[str, str]:
        """Returns the layer's settings that differ from their defaults, by code, formatted as in the address."""
        return settings.off_default({**self.layer(), "split": "paper" if self.paper else "free"})

    def others(self) -> list[tuple[settings.Setting, object]]:
        """Lists the layer's settings that differ from their defaults, without sizes, mask, biases and seed."""
        known = {*(name.code for name in SIZES), "mask", "use_bias", "seed"}
        rest = [setting for setting in settings.SHARED if setting.in_layer and setting.code not in known]
        return [(setting, value) for setting in rest if (value := getattr(self.cfg, setting.code)) != setting.default]

    def sizes_in_words(self) -> str:
        """Returns the layer's sizes and settings in one line, in the markup of labels."""
        cfg = self.cfg
        parts = [f"d_{{model}} {cfg.d_model}", f"h {cfg.num_heads}", f"d_{{k}} {cfg.key_dim}", f"d_{{v}} {cfg.value_dim}"]
        parts += [f"T {cfg.query_len}", f"S {cfg.key_len}"]
        drawn = f"seed {cfg.seed}" if self.reading is None else "trained"
        parts += ["causal"] * (cfg.mask == "causal") + ["no biases"] * (not cfg.use_bias) + [drawn]
        parts += [f"{setting.code} {setting.format(value)}" for setting, value in self.others()]
        return ", ".join(parts)


def of_its_seed(trace: Trace) -> bool:
    """Returns whether a trace has the output that its seed gives. Returns False if the layer is too large to compute."""
    return not too_large(trace.cfg) and np.array_equal(run(trace.cfg).output.values, trace.output.values)


def request_of(query: Mapping[str, object]) -> Request:
    """Makes a request from settings by code. Settings that are left out have their defaults. Raises ValueError, which names the
    setting, the value and what is allowed."""
    values = {code: setting.check(query.get(code, setting.default)) for code, setting in of_layer().items()}
    paper = values["split"] == "paper"
    if paper:
        if values["d_model"] % values["num_heads"]:
            raise ValueError(f"num_heads must divide d_model={values['d_model']} with split=paper, got {values['num_heads']}")
        values["key_dim"] = values["value_dim"] = values["d_model"] // values["num_heads"]
    cfg = Config(**{setting.code: values[setting.code] for setting in settings.SHARED if setting.in_layer})
    return Request(cfg, paper, chosen({key: query[key] for key in OPTIONS if key in query}))


def chosen(values: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    """Lists the options that differ from their defaults, as pairs of code and value. Raises ValueError for a wrong value."""
    for key, value in values.items():
        OPTIONS[key].check(value)
    return tuple((key, values[key]) for key, option in OPTIONS.items() if values.get(key, option.default) != option.default)
