"""The settings: one row for each, from which its widget, the address, the checks, links, files and the command line follow."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mha.backends import BACKENDS
from mha.names import BY_CODE, MASKS, SIZES
from mha.variations import DIVISORS

#: What a setting's values can be: a whole number, any number, one of few words, yes or no, or any text.
KINDS = ("int", "float", "word", "bool", "text")
SPLITS = ("paper", "free")
DRAWERS = ("stage", "plotly")
SEED_MOST = 9999
#: Words of a list that are all named in a sentence.
FEW = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting. `code`: its name in the address and the key of its widget.

    `least` and `most`: of a number; `most` of a text: its characters. `choices`: of a word. `default` None: `usual` says in words
    what is shown. `in_layer`: it is a field of Config; `exported`: files, their links and the command line depend on it.
    """

    code: str
    kind: str = "int"
    default: object = None
    least: float = 0
    most: float = math.inf
    choices: tuple[str, ...] = ()
    label: str = ""
    help: str = ""
    usual: str = ""
    in_layer: bool = False
    exported: bool = False

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}")
        if self.kind == "float":  # Streamlit refuses a field whose bounds are not of one kind
            for name in ("least", "most", "default"):
                object.__setattr__(self, name, float(getattr(self, name)))
        if self.default is not None:
            self.check(self.default)

    @property
    def allowed(self) -> str:
        """What its value must be, in words."""
        if self.kind == "word":
            if len(self.choices) <= FEW:
                return " or ".join(self.choices)
            return f"one of the {len(self.choices)} that the page offers, such as {self.choices[1]}"
        numbers = f"from {self.least} to {self.most}"
        return {
            "int": f"a whole number {numbers}",
            "float": f"a number {numbers}",
            "bool": "true or false",
            "text": f"at most {self.most:,} letters",
        }[self.kind]

    @property
    def shown(self) -> str:
        """What is shown where nothing is chosen, in words."""
        return self.usual or self.spell(self.default)

    def fits(self, value: object) -> bool:
        """Whether it may have this value."""
        if self.kind == "bool":
            return isinstance(value, bool)
        if self.kind == "word":
            return isinstance(value, str) and value in self.choices
        if self.kind == "text":
            return isinstance(value, str) and len(value) <= self.most
        kinds = (int,) if self.kind == "int" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool) and self.least <= value <= self.most

    def check(self, value: object) -> None:
        """ValueError names the setting, what is allowed and what came."""
        if not self.fits(value):
            came = f"{len(value):,}" if self.kind == "text" and isinstance(value, str) else repr(value)
            raise ValueError(f"{self.code} must be {self.allowed}, got {came}")

    def read(self, raw: str) -> object:
        """The value that the address spells so. ValueError where it is none."""
        value: object = raw
        if self.kind == "bool":
            value = {"true": True, "false": False}.get(raw, raw)
        elif self.kind == "int" and re.fullmatch(r"[0-9]{1,9}", raw):
            value = int(raw)
        elif self.kind == "float" and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", raw):
            value = float(raw)
        self.check(value)
        return value

    def spell(self, value: object) -> str:
        """The value as the address has it."""
        return str(value).lower() if self.kind == "bool" else str(value)


def by_code(settings: tuple[Setting, ...]) -> dict[str, Setting]:
    """ValueError where two have the same name."""
    table = {setting.code: setting for setting in settings}
    if len(table) < len(settings):
        raise ValueError(f"two settings have the same code among {', '.join(setting.code for setting in settings)}")
    return table


def word(code: str, choices: tuple[str, ...], label: str = "", help: str = "", **more: Any) -> Setting:
    """One of few words, the first of which is the default."""
    return Setting(code=code, kind="word", choices=choices, default=choices[0], label=label, help=help, **more)


def text(code: str, most: int, label: str = "", help: str = "") -> Setting:
    """A text of at most so many characters, empty by default."""
    return Setting(code=code, kind="text", default="", most=most, label=label, help=help)


DEFAULTS = {"d_model": 16, "num_heads": 4, "key_dim": 4, "value_dim": 4, "query_len": 6, "key_len": 6}

#: Those that all pages share: the frame draws them. A new one goes here.
SHARED = (
    *(
        Setting(
            code=name.code, default=DEFAULTS[name.code], least=name.least, most=name.most, label=name.label, help=name.help,
            in_layer=True, exported=True,
        )
        for name in SIZES
    ),
    word(
        "split", SPLITS, "Head sizes",
        "**paper**: d_k = d_v = d_model / h, as in the paper, PyTorch and Hugging Face. "
        "**free**: each head has its own key_dim and value_dim, as in Keras.",
        exported=True,
    ),
    word("mask", MASKS, "Mask", "Causal: query t sees keys 1 … t. Keras: `use_causal_mask`.", in_layer=True, exported=True),
    Setting(code="use_bias", kind="bool", default=True, label="Biases", in_layer=True, exported=True),
    Setting(
        code="seed", default=0, most=SEED_MOST, label="Seed", help="All weights and inputs come from it.", in_layer=True,
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
HEAD = Setting(code="head", default=1, least=1, most=MOST_HEADS, label="Head", help="Or click a map.")
HEAD_OFF = Setting(
    code="head_off", default=0, most=MOST_HEADS, label="Switch off head", help="0: all heads are on.",
    usual="0, all heads on",
)  # fmt: skip
DIVISOR = word(
    "divisor", DIVISORS, "Scores divided by",
    "The layer divides by √d_k. The others are for learning: the line at the end goes on checking the layer itself.",
)  # fmt: skip
TOKENS = text(
    "tokens", MOST_TOKENS_TEXT, "Tokens",
    "Words for rows and columns, separated by spaces. They are labels; X stays as drawn from the seed.",
)  # fmt: skip
CELL = text(
    "cell", MOST_CELL_TEXT, "Cell",
    "Click a cell of a computed matrix above, or walk there: Tab to the picture, arrow keys, Page Up and Down for "
    "the next matrix, Escape to let go.",
)  # fmt: skip
OF_LAYER_PAGES = (HEAD, HEAD_OFF, DIVISOR, TOKENS, CELL)


def off_default(values: Mapping[str, object]) -> dict[str, str]:
    """Of values by code those of SHARED that are exported and not at their defaults, as the address spells them.

    With split=paper the head sizes follow d_model / h and are left out.
    """
    follow = ("key_dim", "value_dim") if values["split"] == "paper" else ()
    chosen = {setting.code: setting for setting in SHARED if setting.exported and setting.code not in follow}
    return {code: setting.spell(values[code]) for code, setting in chosen.items() if values[code] != setting.default}
