"""The settings: one row for each, from which its widget, the address, the checks, links, files and the command line follow."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeGuard, TypeVar

from mha.backends import BACKENDS
from mha.names import BY_CODE, MASKS, SIZES
from mha.typed import MOST_ARRAYS_TEXT, MOST_X_TEXT, NAMES, NO_ARRAY, RULES
from mha.variations import DIVISORS

SPLITS = ("paper", "free")
DRAWERS = ("stage", "plotly")
SEED_MOST = 9999
#: Words of a list that are all named in a sentence.
FEW = 9
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(ABC, Generic[T]):
    """One setting, whose values are of type T. `code`: its name in the address and the key of its widget.

    `usual`: what is shown where nothing is chosen, in words, where the default does not say it. `in_layer`: it is a field of
    Config; `exported`: files, their links and the command line depend on it.
    """

    code: str
    default: T
    label: str = ""
    help: str = ""
    usual: str = ""
    in_layer: bool = False
    exported: bool = False
    #: What its values are: a whole number, any number, one of few words, yes or no, or any text.
    kind: ClassVar[str]

    def __post_init__(self):
        if self.default is not None:
            self.check(self.default)

    @property
    @abstractmethod
    def allowed(self) -> str:
        """What its value must be, in words."""

    @abstractmethod
    def fits(self, value: object) -> TypeGuard[T]:
        """Whether it may have this value."""

    def parse(self, raw: str) -> object:
        """The value that this text in the address stands for; `raw` itself where it stands for none."""
        return raw

    @property
    def shown(self) -> str:
        """What is shown where nothing is chosen, in words."""
        return self.usual or self.spell(self.default)

    def check(self, value: object) -> T:
        """The value; ValueError names the setting, what is allowed and what came."""
        if not self.fits(value):
            raise ValueError(f"{self.code} must be {self.allowed}, got {self.describe(value)}")
        return value

    def describe(self, value: object) -> str:
        """A value that is not allowed, as the error gives it."""
        return repr(value)

    def read(self, raw: str) -> T:
        """The value that this text in the address stands for. ValueError where it stands for none."""
        return self.check(self.parse(raw))

    def spell(self, value: object) -> str:
        """The value as the address has it."""
        return str(value)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyWhole(Setting[T]):
    """A whole number from `least` to `most`, whether or not it has a default of its own."""

    least: int = 0
    most: int
    kind = "int"

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def fits(self, value: object) -> TypeGuard[T]:
        return _is_whole(value) and self.least <= value <= self.most

    def parse(self, raw: str) -> object:
        return int(raw) if re.fullmatch(r"[0-9]{1,9}", raw) else raw


class Whole(AnyWhole[int]):
    """A whole number."""


class WholeOrUnset(AnyWhole[int | None]):
    """A whole number whose default is not fixed: None, and `usual` says in words what is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Setting[float]):
    """Any number from `least` to `most`."""

    least: float = 0.0
    most: float
    kind = "float"

    @property
    def allowed(self) -> str:
        return f"a number from {self.least} to {self.most}"

    def fits(self, value: object) -> TypeGuard[float]:
        return (isinstance(value, float) or _is_whole(value)) and self.least <= value <= self.most

    def parse(self, raw: str) -> object:
        return float(raw) if re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", raw) else raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Setting[str]):
    """One of `choices`, as the address has them. `labels`: what the screen has in their place."""

    choices: tuple[str, ...]
    labels: tuple[str, ...] = ()
    kind = "word"

    @property
    def allowed(self) -> str:
        if len(self.choices) <= FEW:
            return " or ".join(self.choices)
        return f"one of the {len(self.choices)} that the page offers, such as {self.choices[1]}"

    def fits(self, value: object) -> TypeGuard[str]:
        return isinstance(value, str) and value in self.choices


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch(Setting[bool]):
    """Yes or no."""

    kind = "bool"

    @property
    def allowed(self) -> str:
        return "true or false"

    def fits(self, value: object) -> TypeGuard[bool]:
        return isinstance(value, bool)

    def parse(self, raw: str) -> object:
        return {"true": True, "false": False}.get(raw, raw)

    def spell(self, value: object) -> str:
        return str(value).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Setting[str]):
    """Any text of at most `most` characters."""

    most: int
    kind = "text"

    @property
    def allowed(self) -> str:
        return f"at most {self.most:,} letters"

    def fits(self, value: object) -> TypeGuard[str]:
        return isinstance(value, str) and len(value) <= self.most

    def describe(self, value: object) -> str:
        return f"{len(value):,}" if isinstance(value, str) else repr(value)


S = TypeVar("S", bound="Setting[Any]")


def by_code(settings: Sequence[S]) -> dict[str, S]:
    """ValueError where two have the same name."""
    table = {setting.code: setting for setting in settings}
    if len(table) < len(settings):
        raise ValueError(f"two settings have the same code among {', '.join(setting.code for setting in settings)}")
    return table


def word(
    code: str, choices: tuple[str, ...], label: str = "", help: str = "", *, in_layer: bool = False, exported: bool = False
) -> Word:
    """One of few words, the first of which is the default."""
    return Word(code=code, choices=choices, default=choices[0], label=label, help=help, in_layer=in_layer, exported=exported)


def text(code: str, most: int, label: str = "", help: str = "") -> Text:
    """A text of at most so many characters, empty by default."""
    return Text(code=code, default="", most=most, label=label, help=help)


DEFAULTS = {"d_model": 16, "num_heads": 4, "key_dim": 4, "value_dim": 4, "query_len": 6, "key_len": 6}

#: Those that all pages share: the frame draws them. A new one goes here.
SHARED: tuple[Setting[Any], ...] = (
    *(
        Whole(
            code=name.code, default=DEFAULTS[name.code], least=name.least, most=name.most, label=name.label, help=name.help,
            in_layer=True, exported=True,
        )
        for name in SIZES
    ),
    Word(
        code="split", choices=SPLITS, labels=("shared width", "own sizes"), default=SPLITS[0], label="Head sizes",
        help="**shared width**: one width, shared by the heads: d_k = d_v = d_model / h, as in the paper, PyTorch and "
        "Hugging Face. **own sizes**: each head has its own key_dim and value_dim, as in Keras.",
        exported=True,
    ),
    word(
        "mask", MASKS, "Mask",
        "Causal: query t sees keys 1 … t. Keras: `use_causal_mask`. Trained numbers are causal in any case.",
        in_layer=True, exported=True,
    ),
    Switch(code="use_bias", default=True, label="Biases", in_layer=True, exported=True),
    Whole(
        code="seed", default=0, most=SEED_MOST, label="Seed",
        help="All weights and inputs come from it where none are trained.", in_layer=True,
        exported=True,
    ),
    word(
        "backend", tuple(backend.code for backend in BACKENDS), "Computed by",
        f"The same table of steps in {' or in '.join(backend.label for backend in BACKENDS)}.",
    ),
    word(
        "drawn_by", DRAWERS, "Drawn by",
        "**stage**: blocks glide, cells light up and explain themselves. "
        "**plotly**: the same picture with zoom, values under the pointer, and a file to take away.",
    ),
)  # fmt: skip

MOST_HEADS, MOST_TOKENS_TEXT, MOST_CELL_TEXT = BY_CODE["num_heads"].most, 2000, 40
#: Of single pages of the layer: what to look at, and how.
HEAD = Whole(code="head", default=1, least=1, most=MOST_HEADS, label="Head", help="Or click a map.")
HEAD_OFF = Whole(
    code="head_off", default=0, most=MOST_HEADS, label="Switch off head", help="0: all heads are on.",
    usual="0, all heads on",
)  # fmt: skip
DIVISOR = word(
    "divisor", DIVISORS, "Scores divided by",
    "The layer divides by √d_k. The others are for learning: the line at the end goes on checking the layer itself.",
)  # fmt: skip
#: Numbers of a trained network, or drawn; and what its buttons say.
NUMBERS = Word(
    code="numbers", choices=("trained", "seed", "typed"), labels=("trained on English", "drawn from the seed", "typed by you"),
    default="trained", label="Numbers",
    help="**trained on English**: a layer of a small network that has learned to say the next word, on the words below. It is "
    "causal (each word sees itself and those before it), and has a position for each word. **drawn from the seed**: random "
    "numbers, which mean nothing, for a layer of any sizes. **typed by you**: X as a little table, weights by a rule or typed.",
)
NETWORK_LAYER = Word(
    code="network_layer", choices=("1", "2"), default="2", label="Layer", help="Of the trained network, which has two."
)
TOKENS = text(
    "tokens", MOST_TOKENS_TEXT, "Tokens",
    "The trained network reads these words. Where numbers are drawn from the seed, they only name rows and columns.",
)  # fmt: skip
#: Of numbers that are typed. Their fields are drawn only then. Of a longer text in the address Streamlit (1.67) takes the first
#: characters alone: one more than is read, so that it is refused.
X = text("x", MOST_X_TEXT + 1, "X", "A row for each position, d_model numbers in each.")
RULE = word("weights", tuple(RULES), "Weights", " ".join(f"**{rule}**: {words}." for rule, words in RULES.items()))
SCALED = word("scaled", (NO_ARRAY, *NAMES), "Multiply one array")
FACTOR = Number(code="factor", default=0.0, least=-100.0, most=100.0, label="by", help="0: the array is zeros.")
ARRAYS = text("arrays", MOST_ARRAYS_TEXT + 1, "Arrays", "Its name, and below it the rows of the flat matrix.")
#: As mha.typed.typed_of takes them.
TYPED: tuple[Setting[Any], ...] = (X, RULE, ARRAYS, SCALED, FACTOR)
CELL = text(
    "cell", MOST_CELL_TEXT, "Cell",
    "Click a cell of a computed matrix above, or walk there: Tab to the picture, arrow keys, Page Up and Down for "
    "the next matrix, Escape to let go.",
)  # fmt: skip
OF_LAYER_PAGES: tuple[Setting[Any], ...] = (NUMBERS, NETWORK_LAYER, HEAD, HEAD_OFF, DIVISOR, TOKENS, *TYPED, CELL)


def off_default(values: Mapping[str, object]) -> dict[str, str]:
    """Of values by code those of SHARED that are exported and not at their defaults, as the address spells them.

    With split=paper the head sizes follow d_model / h and are left out.
    """
    follow = ("key_dim", "value_dim") if values["split"] == "paper" else ()
    chosen = {setting.code: setting for setting in SHARED if setting.exported and setting.code not in follow}
    return {code: setting.spell(values[code]) for code, setting in chosen.items() if values[code] != setting.default}
