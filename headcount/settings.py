"""Settings of the app, one row each. Widgets, the address, checks, links, files and the command line all use these rows."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeGuard, TypeVar

from headcount.backends import BACKENDS
from headcount.config import MAX_DROPOUT, ROTARY_BASE, Config, divisors
from headcount.names import BY_CODE, MASKS, QK_NORMS, ROTARY, SIZES, listed
from headcount.text_bounds import MAX_CELL_TEXT, MAX_SCALING_TEXT, MAX_TOKENS_TEXT
from headcount.variations import DIVISORS

SPLITS = ("paper", "free")
MAX_SEED = 9999
#: Most allowed words that an error message lists.
FEW = 9
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(ABC, Generic[T]):
    """One setting with values of type T. Widgets of one `group` are drawn together, on request or if a value is not the default.
    - `code`: the name in the address, and the key of the widget.
    - `default_label`: the words for the default on screen, if the value itself does not describe it.
    - `exported`: whether files, links and the command line have this shared setting."""

    code: str
    default: T
    label: str = ""
    help: str = ""
    default_label: str = ""
    exported: bool = True
    group: str = ""
    #: The kind of values: "int", "float", "word", "bool" or "text".
    kind: ClassVar[str]

    def __post_init__(self):
        if self.default is not None:
            self.check(self.default)

    @property
    def in_layer(self) -> bool:
        return self.code in Config.__dataclass_fields__

    @property
    @abstractmethod
    def constraint(self) -> str:
        """The allowed values in words, for error messages."""

    @abstractmethod
    def is_valid(self, value: object) -> TypeGuard[T]:
        """Returns whether the setting may have this value."""

    def convert(self, raw: str) -> object:
        """Converts a text from the address to a value. Returns the text itself if no conversion is possible."""
        return raw

    @property
    def default_text(self) -> str:
        """The text that describes the default on screen."""
        return self.default_label or self.in_words(self.default)

    def check(self, value: object) -> T:
        """Returns the value unchanged if it is allowed. If not, raises ValueError, which says what is allowed."""
        if not self.is_valid(value):
            raise ValueError(f"{self.code} must be {self.constraint}, got {self.describe(value)}")
        return value

    def describe(self, value: object) -> str:
        """Returns a refused value as text for the error message."""
        return repr(value)

    def parse(self, raw: str) -> T:
        """Converts a text from the address to a value. Raises ValueError if the value is not allowed."""
        return self.check(self.convert(raw))

    def format(self, value: object) -> str:
        """Formats a value for the address."""
        return str(value)

    def in_words(self, value: object) -> str:
        """Formats a value for a sentence."""
        return self.format(value)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Setting[T]):
    """A setting that is a whole number from `least` to `most`. If the default is None, None is also allowed."""

    least: int = 0
    most: int
    kind = "int"

    @property
    def constraint(self) -> str:
        return f"a whole number from {self.least:,} to {self.most:,}"

    def in_words(self, value: object) -> str:
        return f"{value:,}"

    def is_valid(self, value: object) -> TypeGuard[T]:
        return (value is None and self.default is None) or (_is_whole(value) and self.least <= value <= self.most)

    def convert(self, raw: str) -> object:
        return int(raw) if re.fullmatch(r"[0-9]{1,9}", raw) else raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Setting[float]):
    least: float = 0.0
    most: float
    kind = "float"

    @property
    def constraint(self) -> str:
        return f"a number from {self.in_words(self.least)} to {self.in_words(self.most)}"

    def in_words(self, value: object) -> str:
        return f"{value:,.10g}"

    def is_valid(self, value: object) -> TypeGuard[float]:
        return (isinstance(value, float) or _is_whole(value)) and self.least <= value <= self.most

    def convert(self, raw: str) -> object:
        return float(raw) if re.fullmatch(r"-?[0-9]{1,10}(\.[0-9]{1,9})?", raw) else raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Setting[str]):
    """A setting that is one of `choices`. `labels`: their names on screen, which the address may also have. `spelt`: whether the
    app writes these names into the address."""

    choices: tuple[str, ...]
    labels: tuple[str, ...] = ()
    spelt: bool = False
    kind = "word"

    @property
    def constraint(self) -> str:
        if len(self.choices) <= FEW:
            return listed([self.in_words(one) for one in self.choices], "or")
        return f"one of the choices on the page, such as {self.choices[1]}"

    def in_words(self, value: object) -> str:
        names = self.labels or self.choices
        name = dict(zip(self.choices, names, strict=True)).get(str(value), str(value))
        return f"“{name}”" if any(" " in one for one in names) else name  # “fused kernel, backward too” is one choice

    def is_valid(self, value: object) -> TypeGuard[str]:
        return isinstance(value, str) and value in self.choices

    def convert(self, raw: str) -> object:
        return {label.lower(): choice for label, choice in zip(self.labels, self.choices, strict=False)}.get(raw.lower(), raw)

    def format(self, value: object) -> str:
        return self.labels[self.choices.index(value)] if self.spelt and value in self.choices else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch(Setting[bool]):
    kind = "bool"

    @property
    def constraint(self) -> str:
        return "true or false"

    def is_valid(self, value: object) -> TypeGuard[bool]:
        return isinstance(value, bool)

    def convert(self, raw: str) -> object:
        return {"true": True, "false": False}.get(raw, raw)

    def format(self, value: object) -> str:
        return str(value).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeText(Setting[str]):
    """A setting that is a text of at most `most` characters. Streamlit (1.67) cuts a text from the address at the limit of its
    field. That limit is therefore `most` + `spare`, and the page refuses a text above `most`."""

    most: int
    spare: int = 0
    kind = "text"

    @property
    def constraint(self) -> str:
        return f"a text of at most {self.most:,} characters"

    def is_valid(self, value: object) -> TypeGuard[str]:
        return isinstance(value, str) and len(value) <= self.most + self.spare

    def describe(self, value: object) -> str:
        return f"{len(value):,}" if isinstance(value, str) else repr(value)


S = TypeVar("S", bound="Setting[Any]")


def by_code(settings: Sequence[S]) -> dict[str, S]:
    """Returns the settings by code. Raises ValueError if two settings have the same code."""
    table = {setting.code: setting for setting in settings}
    if len(table) < len(settings):
        raise ValueError(f"two settings have the same code among {', '.join(setting.code for setting in settings)}")
    return table


def word(code: str, choices: tuple[str, ...], label: str = "", help: str = "", *, exported: bool = True) -> Word:
    """Makes a setting that is one of a few words. The first choice is the default."""
    return Word(code=code, choices=choices, default=choices[0], label=label, help=help, exported=exported)


def text(code: str, most: int, label: str = "", help: str = "", spare: int = 0) -> FreeText:
    """Makes a setting that is a text of at most `most` characters, empty by default."""
    return FreeText(code=code, default="", most=most, label=label, help=help, spare=spare)


#: Default sizes: those of a `Config` in which only the length is set, to 13, the length of the trained sentence.
DEFAULTS = {name.code: getattr(Config(query_len=13), name.code) for name in SIZES}
#: Values at which the sliders stop. Any value between can be typed.
STOPS = {
    "d_model": (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096),
    "num_heads": (1, 2, 4, 8, 16, 32, 64, 128, 256),
    "key_dim": (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096),
    "value_dim": (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096),
}


def heads_stops(d_model: int, paper: bool) -> list[int]:
    """Lists the stops of the slider of heads, always including the default. In the paper's convention, the other stops are the
    divisors of d_model within the slider's range. If 1 is the only such divisor, the stops are as in Keras's convention."""
    dividing = divisors(d_model, BY_CODE["num_heads"].most) if paper else []
    return sorted({*(dividing if len(dividing) > 1 else STOPS["num_heads"]), DEFAULTS["num_heads"]})


#: The sizes that equal d_model / h in the paper's convention.
HEAD_SIZES = ("key_dim", "value_dim")

#: The name of a group of settings that few visitors need.
OTHER_ARGUMENTS = "Keras's other arguments"

#: Settings that all pages share.
SHARED: tuple[Setting[Any], ...] = (
    *(
        Whole(code=name.code, default=DEFAULTS[name.code], least=name.least, most=name.most, label=name.label, help=name.help)
        for name in SIZES
    ),
    Word(
        code="split", choices=SPLITS, labels=("paper, PyTorch", "Keras"), spelt=True, default=SPLITS[0], label="Head sizes as in",
        help="**paper, PyTorch**: the heads divide the width among them, so d_k = d_v = d_model / h. The Transformer paper "
        "(Vaswani et al., 2017) and PyTorch do this. **Keras**: you choose key size and value size, and the number of heads "
        "does not change them.",
    ),
    word("mask", MASKS, "Mask", "**causal**: query t sees only keys 1 to t. Keras's argument: `use_causal_mask`."),
    Switch(code="use_bias", default=True, label="Biases"),
    Whole(
        code="seed", default=0, most=MAX_SEED, label="Seed",
        help="Random weights and inputs come from this seed. Trained numbers do not depend on it.",
    ),
    Switch(
        code="use_gate", default=False, label="Gate",
        help="Each head output is multiplied by a gate: sigmoid(X W_G), with biases sigmoid(X W_G + b_G). The gate adds the "
        "weights W_G and, with biases, b_G. Keras's argument: `use_gate`.",
        group=OTHER_ARGUMENTS,
    ),
    Whole(
        code="sliding_window", default=None, least=1, most=BY_CODE["query_len"].most, label="Sliding window",
        default_label="no window",
        help="A query sees only keys that are fewer than this many positions away. With a causal mask, it sees no later "
        "keys either. Keras's argument: `sliding_window`.",
        group=OTHER_ARGUMENTS,
    ),
    Number(
        code="dropout", default=0.0, most=MAX_DROPOUT, label="Dropout",
        help="In training, each attention weight is set to 0 with this probability. Keras's argument: `dropout`.",
        group=OTHER_ARGUMENTS,
    ),
    Switch(
        code="training", default=False, label="Training",
        help="If this is on, the layer is called with `training=True`. Dropout sets attention weights to 0 only in such a call.",
        group=OTHER_ARGUMENTS,
    ),
    Whole(
        code="dropout_seed", default=0, most=MAX_SEED, label="Dropout's seed",
        help="This seed decides which attention weights are dropped. Keras drops other weights, even with the same `seed`.",
        group=OTHER_ARGUMENTS,
    ),
    word(
        "backend", tuple(backend.code for backend in BACKENDS), "Computed by",
        f"The library that computes every step: {' or '.join(backend.label for backend in BACKENDS)}.", exported=False,
    ),
)  # fmt: skip

MAX_HEADS = BY_CODE["num_heads"].most
#: Settings of single pages: which part of the layer is shown, and how.
HEAD = Whole(
    code="head", default=1, least=1, most=MAX_HEADS, label="Head",
    help="The head that is shown. A click on the map of a head also chooses the head.",
)  # fmt: skip
HEAD_OFF = Whole(
    code="head_off", default=0, most=MAX_HEADS, label="Switch off head", help="0 leaves all heads on.",
    default_label="0, all heads on",
)  # fmt: skip
DIVISOR = word(
    "divisor", DIVISORS, "Scores divided by",
    "The layer divides each score by √d_k. The other two choices are for comparison. The check at the end of the page always "
    "uses √d_k.",
)  # fmt: skip
#: The source of the numbers: a trained network, or the seed.
NUMBERS = Word(
    code="numbers", choices=("trained", "seed"), labels=("trained", "random"), default="trained", label="Numbers",
    help="**trained**: a layer that was trained to find who, whom, where and when in a sentence. **random**: weights and "
    "inputs come from the seed. The layer can then have any size, and its attention maps mean nothing.",
)  # fmt: skip
TOKENS = text(
    "tokens", MAX_TOKENS_TEXT, "Sentence",
    "The trained layer reads a sentence of two clauses, made of the words that it knows. If the numbers are random, you can "
    "type any words: they only name the rows and columns.",
)  # fmt: skip
CELL = text(
    "cell", MAX_CELL_TEXT, "Cell to explain",
    "Click a cell of a computed matrix above. On the keyboard, Tab selects the picture, and the arrow keys select a cell. "
    "Page Up and Page Down select another matrix. Escape leaves the picture.",
)  # fmt: skip
#: Settings for the fields of headcount.switches.Switches, changes to attention in published models.
SWITCHES: tuple[Setting[Any], ...] = (
    word(
        "rotary", ROTARY, "Rotary",
        "Each pair of numbers in a query or a key is turned by an angle that grows with the position. The numbers "
        "are counted from 0. With **halves**, pair j has the numbers j and j + d_k / 2 (Llama, Qwen). With **pairs**, pair j "
        "has the numbers 2j and 2j + 1 (GPT-J). Rotary adds no parameters.",
    ),
    Number(
        code="rotary_base", default=ROTARY_BASE, least=1.0, most=1e9, label="Rotary base",
        help="Without scaling, the angle of pair j is the position times base^(−2j / d_k). The base is 10,000 in GPT-NeoX and "
        "500,000 in Llama 3.",
    ),
    text(
        "rotary_scaling", MAX_SCALING_TEXT, "Rotary scaling",
        "Scaling makes angles smaller, so that a model can read longer texts. Type a kind and its numbers, such as "
        "`linear 2` or `yarn 4 4096`. "
        "Llama 3.1 has `llama3 8 1 4 8192`: factor, low_freq_factor, high_freq_factor and original_max_position_embeddings. "
        "Empty: no scaling.",
    ),
    word(
        "qk_norm", QK_NORMS, "QK-norm",
        "**rms** divides each query and each key of a head by its root mean square, then multiplies it by learned numbers "
        "(Qwen3). **rms_wide** takes one root mean square over all heads (OLMo 2). **layer** first subtracts the mean, and at "
        "the end adds learned numbers (Persimmon).",
    ),
    Number(
        code="soft_cap", default=0.0, most=1000.0, label="Soft cap c",
        help="Each score becomes c · tanh(score / c), which lies between −c and c. Gemma 2 uses c = 50. With c = 0 there is no "
        "cap. The cap adds no parameters.",
    ),
    Switch(
        code="alibi", default=False, label="ALiBi",
        help="The layer subtracts from each score the distance between query and key, times a slope (BLOOM). Each head has a "
        "slope of its own. ALiBi adds no parameters.",
    ),
    Switch(
        code="sinks", default=False, label="Sinks",
        help="The softmax of each head gets one more score, which is learned (gpt-oss). The attention weight of this score goes "
        "to no value, so the other weights of each row sum to less than 1.",
    ),
)  # fmt: skip
#: Settings of several pages of the layer.
OF_LAYER_PAGES: tuple[Setting[Any], ...] = (
    NUMBERS, HEAD, *SWITCHES, TOKENS, CELL,
)  # fmt: skip


def off_default(values: Mapping[str, object]) -> dict[str, str]:
    """Returns the exported settings of SHARED that are not at their defaults, for the address. split=paper omits head sizes."""
    follow = HEAD_SIZES if values["split"] == "paper" else ()
    chosen = {setting.code: setting for setting in SHARED if setting.exported and setting.code not in follow}
    return {code: setting.format(values[code]) for code, setting in chosen.items() if values[code] != setting.default}
