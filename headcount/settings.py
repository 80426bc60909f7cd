"""Settings of the app, one row each. Widgets, the address, checks, links, files and the command line all use these rows."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeGuard, TypeVar

from headcount.backends import BACKENDS
from headcount.config import MAX_DROPOUT, ROTARY_BASE, Config, divisors
from headcount.names import BY_CODE, MASKS, QK_NORMS, ROTARY, SIZES
from headcount.text_bounds import MAX_CELL_TEXT, MAX_SCALING_TEXT, MAX_TOKENS_TEXT, MAX_X_TEXT
from headcount.typed import RULES
from headcount.variations import DIVISORS

SPLITS = ("paper", "free")
MAX_SEED = 9999
#: Most allowed words that an error message lists.
FEW = 9
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(ABC, Generic[T]):
    """One setting with values of type T. `code` is its name in the address and the key of its widget. `default_label` describes
    the default on screen if the value itself does not. `exported` False keeps a shared setting out of files, links and the
    command line. Widgets of one `group` are drawn together, on request or if one of them is not at its default."""

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
        """Whether the setting is a field of Config."""
        return self.code in Config.__dataclass_fields__

    @property
    @abstractmethod
    def constraint(self) -> str:
        """The allowed values in words, for error messages."""

    @abstractmethod
    def is_valid(self, value: object) -> TypeGuard[T]:
        """Returns whether the setting may have this value."""

    def convert(self, raw: str) -> object:
        """Converts a text from the address to a value. Returns the text itself if that is not possible."""
        return raw

    @property
    def default_text(self) -> str:
        """The text that describes the default on screen."""
        return self.default_label or self.format(self.default)

    def check(self, value: object) -> T:
        """Returns the value unchanged if the setting may have it. Otherwise raises ValueError, which says what is allowed."""
        if not self.is_valid(value):
            raise ValueError(f"{self.code} must be {self.constraint}, got {self.describe(value)}")
        return value

    def describe(self, value: object) -> str:
        """Returns a refused value as text for the error message."""
        return repr(value)

    def parse(self, raw: str) -> T:
        """Converts a text from the address to a value. Raises ValueError if the setting may not have it."""
        return self.check(self.convert(raw))

    def format(self, value: object) -> str:
        """Formats a value for the address."""
        return str(value)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Setting[T]):
    """A setting that is a whole number from `least` to `most`. None is also allowed if it is the default; `default_label` then
    says what that means."""

    least: int = 0
    most: int
    kind = "int"

    @property
    def constraint(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def is_valid(self, value: object) -> TypeGuard[T]:
        return (value is None and self.default is None) or (_is_whole(value) and self.least <= value <= self.most)

    def convert(self, raw: str) -> object:
        return int(raw) if re.fullmatch(r"[0-9]{1,9}", raw) else raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Setting[float]):
    """A setting that is a number from `least` to `most`."""

    least: float = 0.0
    most: float
    kind = "float"

    @property
    def constraint(self) -> str:
        return f"a number from {self.least} to {self.most}"

    def is_valid(self, value: object) -> TypeGuard[float]:
        return (isinstance(value, float) or _is_whole(value)) and self.least <= value <= self.most

    def convert(self, raw: str) -> object:
        return float(raw) if re.fullmatch(r"-?[0-9]{1,10}(\.[0-9]{1,9})?", raw) else raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Setting[str]):
    """A setting that is one of `choices`. `labels` are the choices on screen, and the address may use them, too. With `spelt`,
    the app writes labels in its addresses."""

    choices: tuple[str, ...]
    labels: tuple[str, ...] = ()
    spelt: bool = False
    kind = "word"

    @property
    def constraint(self) -> str:
        if len(self.choices) <= FEW:
            said = self.labels or self.choices
            quoted = any(" " in one for one in said)  # “fused kernel, backward too” is one choice
            return " or ".join(f"“{one}”" if quoted else one for one in said)
        return f"one of those that the page offers, such as {self.choices[1]}"

    def is_valid(self, value: object) -> TypeGuard[str]:
        return isinstance(value, str) and value in self.choices

    def convert(self, raw: str) -> object:
        return {label.lower(): choice for label, choice in zip(self.labels, self.choices, strict=False)}.get(raw.lower(), raw)

    def format(self, value: object) -> str:
        return self.labels[self.choices.index(value)] if self.spelt and value in self.choices else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch(Setting[bool]):
    """A setting that is True or False."""

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
    """A setting that is a text of at most `most` characters. Streamlit (1.67) cuts longer texts in the address. So the field
    accepts `spare` more characters, and the page then refuses the text."""

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
    """Returns settings by code. Raises ValueError if two have the same code."""
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
    """Lists the values of the slider for heads, including the default. In the paper's convention, they are the divisors of
    d_model if it has more than one."""
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
        help="**paper, PyTorch**: as in the Transformer paper (Vaswani et al., 2017), the heads divide one width among them: "
        "d_k = d_v = d_model / h. **Keras**: you choose both sizes, and more heads do not change them.",
    ),
    word("mask", MASKS, "Mask", "Causal: query t sees only keys 1 to t. Keras calls this mask `use_causal_mask`."),
    Switch(code="use_bias", default=True, label="Biases"),
    Whole(
        code="seed", default=0, most=MAX_SEED, label="Seed",
        help="Weights and inputs that are not trained are random numbers from this seed.",
    ),
    Switch(
        code="use_gate", default=False, label="Gate",
        help="Each head output is multiplied by the gate, sigmoid(X W_G + b_G), which adds the variables W_G and b_G. Keras "
        "calls this argument `use_gate`.",
        group=OTHER_ARGUMENTS,
    ),
    Whole(
        code="sliding_window", default=None, least=1, most=BY_CODE["query_len"].most, label="Sliding window",
        default_label="no window",
        help="A query sees only keys that are fewer than this many positions away. With a causal mask, it sees no later "
        "key. Keras calls this argument `sliding_window`.",
        group=OTHER_ARGUMENTS,
    ),
    Number(
        code="dropout", default=0.0, most=MAX_DROPOUT, label="Dropout",
        help="The fraction of the attention weights that is set to 0 in training. Keras calls this argument `dropout`.",
        group=OTHER_ARGUMENTS,
    ),
    Switch(
        code="training", default=False, label="Training",
        help="On: the layer is called with `training=True`. Dropout sets attention weights to 0 only in such a call.",
        group=OTHER_ARGUMENTS,
    ),
    Whole(
        code="dropout_seed", default=0, most=MAX_SEED, label="Dropout's seed",
        help="This seed decides which attention weights are dropped. The same `seed` in Keras's constructor drops others.",
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
    code="head", default=1, least=1, most=MAX_HEADS, label="Head", help="The head that is shown. You can also click its map."
)  # fmt: skip
HEAD_OFF = Whole(
    code="head_off", default=0, most=MAX_HEADS, label="Switch off head", help="0: all heads are on.",
    default_label="0, all heads on",
)  # fmt: skip
DIVISOR = word(
    "divisor", DIVISORS, "Scores divided by",
    "The layer divides by √d_k; the other two are for comparison. The check at the end of the page always tests √d_k.",
)  # fmt: skip
#: The source of the numbers: a trained network, the seed, or typing.
NUMBERS = Word(
    code="numbers",
    choices=("trained", "seed", "typed"),
    labels=("trained", "random", "typed"),
    default="trained",
    label="Numbers",
    help="**trained**: a layer that was trained to find who, whom, where and when in the sentence below. **random**: weights "
    "and inputs from the seed, for a layer of any size; its maps mean nothing. **typed**: you type X as a small table and choose "
    "a rule for the weights.",
)
TOKENS = text(
    "tokens", MAX_TOKENS_TEXT, "Sentence",
    "The trained layer reads two clauses made of the words that it knows. If the numbers are random, you can type any words: "
    "they only name the rows and columns.",
)  # fmt: skip
#: Settings of typed numbers. Their fields appear only if numbers are typed.
X = text("x", MAX_X_TEXT, "X", "One row of d_model numbers for each token.", spare=1)
RULE = word("weights", tuple(RULES), "Weights", " ".join(f"**{rule}**: {words}." for rule, words in RULES.items()))
#: The settings of typed numbers, in the order of the arguments of headcount.typed.typed_of.
TYPED: tuple[Setting[Any], ...] = (X, RULE)
CELL = text(
    "cell", MAX_CELL_TEXT, "Cell to explain",
    "Click a cell of a computed matrix above. On the keyboard, Tab selects the picture and the arrow keys select a cell. "
    "Page Up and Page Down select another matrix; Escape leaves the picture.",
)  # fmt: skip
#: Settings for the fields of headcount.switches.Switches, changes to attention in published models.
SWITCHES: tuple[Setting[Any], ...] = (
    word(
        "rotary", ROTARY, "Rotary",
        "Each pair of numbers in a query or key is turned by an angle that grows with the position. **halves** pairs number j "
        "with j + d_k / 2 (Llama, GPT-NeoX, Qwen); **pairs** pairs 2j with 2j + 1 (GPT-J). Rotary adds no parameters.",
    ),
    Number(
        code="rotary_base", default=ROTARY_BASE, least=1.0, most=1e9, label="Rotary base",
        help="Pair j is turned by the position times base^(−2j / d_k). The base is 10,000 in GPT-NeoX and 500,000 in Llama 3.",
    ),
    text(
        "rotary_scaling", MAX_SCALING_TEXT, "Rotary scaling",
        "Scaling makes the angles smaller, for longer texts. Type `linear 2`, `yarn 4 4096` or `llama3 8 1 4 8192` (factor, "
        "low_freq_factor, high_freq_factor, original_max_position_embeddings of Llama 3.1). Empty: no scaling.",
    ),
    word(
        "qk_norm", QK_NORMS, "QK-norm",
        "**rms** divides each head's query and key by its root mean square and multiplies it by learned numbers (Qwen3). "
        "**rms_wide** does this for all heads together (OLMo 2). **layer** also subtracts the mean and adds numbers (Persimmon).",
    ),
    Number(
        code="soft_cap", default=0.0, most=1000.0, label="Soft cap c",
        help="Each score becomes c · tanh(score / c), between −c and c. Gemma 2 uses 50; 0 means no cap. The cap adds no "
        "parameters.",
    ),
    Switch(
        code="alibi", default=False, label="ALiBi",
        help="From each score the layer subtracts the distance between query and key, times a slope that each head has "
        "(BLOOM). ALiBi adds no parameters.",
    ),
    Switch(
        code="sinks", default=False, label="Sinks",
        help="The softmax of each head gets one more score, which is learned. Its attention weight goes to no value, so each "
        "row sums to less than 1 (gpt-oss).",
    ),
)  # fmt: skip
#: Settings of several pages of the layer.
OF_LAYER_PAGES: tuple[Setting[Any], ...] = (
    NUMBERS, HEAD, *SWITCHES, TOKENS, *TYPED, CELL,
)  # fmt: skip


def off_default(values: Mapping[str, object]) -> dict[str, str]:
    """Returns the exported settings of SHARED that are off their defaults, by code, formatted for the address. With split=paper,
    head sizes are left out, because they are d_model / h."""
    follow = HEAD_SIZES if values["split"] == "paper" else ()
    chosen = {setting.code: setting for setting in SHARED if setting.exported and setting.code not in follow}
    return {code: setting.format(values[code]) for code, setting in chosen.items() if values[code] != setting.default}
