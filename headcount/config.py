"""Sizes and settings of one layer."""

import math
import operator
from dataclasses import dataclass, replace
from typing import Any, SupportsIndex

import numpy as np

from headcount.names import BY_LETTER, MASKS, QK_NORMS, ROTARY, SIZES, listed

#: Default of a size that is computed from other sizes. In a finished Config every size is a whole number.
LEFT_OUT: Any = None
#: Largest dropout rate. Keras allows up to 1, with which no attention weight is left.
MAX_DROPOUT = 0.9
#: Most characters of a number that a visitor types.
MAX_DIGITS = 16


def whole(field: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Returns `value` as an int. Raises ValueError for anything but an integer from `least` to `most` (if `most` is given)."""
    if type(value) is int and value >= least and (most is None or value <= most):  # a page makes a hundred such numbers
        return value
    allowed = f"a whole number from {least} to {most}" if most is not None else f"a whole number of at least {least}"
    try:
        number = operator.index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else None
    except TypeError:  # an array of several numbers
        number = None
    if number is None or number < least or (most is not None and number > most):
        raise ValueError(f"{field} must be {allowed}, got {value!r}")
    return number


def number(field: str, value: object, least: float = 0, most: float = math.inf) -> float:
    """Returns `value` as a float. Raises ValueError for anything but a finite Python number from `least` to `most`."""
    if not isinstance(value, float | int) or isinstance(value, bool) or not least <= value <= most or value == math.inf:
        allowed = f"of at least {least}" if most == math.inf else f"from {least} to {most}"
        raise ValueError(f"{field} must be a number {allowed}, got {value!r}")
    return float(value)


def mask_of(value: object, shape: tuple[int, int]) -> str:
    """Converts a mask of `shape` to a name in MASKS or a text such as "110/011". Raises ValueError if that is not possible."""
    if isinstance(value, str):
        rows = value.split("/")
        if value in MASKS or (len(rows) == shape[0] and all(len(row) == shape[1] and not row.strip("01") for row in rows)):
            return value
    elif (given := np.asarray(value)).dtype == bool and given.shape == shape:
        return "/".join("".join(map(str, row)) for row in given.astype(int))
    got = f"{value!r:.80}" if np.ndim(given := np.asarray(value)) == 0 else f"{given.dtype} of shape {given.shape}"
    array = f"a Boolean array of shape {shape}, which is True where a query may look"
    raise ValueError(f"mask must be {listed([*MASKS, array], 'or')}, got {got}")


def divisors(number: int, most: int | None = None) -> list[int]:
    """Lists the divisors of `number` in ascending order. `most`: the largest divisor to list."""
    return [n for n in range(1, min(number, most or number) + 1) if number % n == 0]


#: Ways to make rotary angles smaller for longer texts (`rope_type` in transformers), with the names of their numbers.
SCALINGS = {
    "linear": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
    "yarn": ("factor", "original_max_position_embeddings", "beta_fast", "beta_slow", "attention_factor", "truncate"),
}
LEAST_NUMBERS = {"linear": 1, "llama3": 4, "yarn": 2}


def read_scaling(text: str) -> tuple[str, tuple[float, ...]]:
    """Splits a scaling of rotary angles, such as "llama3 8 1 4 8192", into its kind and its numbers. An empty text means no
    scaling. Raises ValueError for a text that is not allowed."""
    kind, *words = str(text).split() or ("?",)
    names, least = SCALINGS.get(kind, ()), LEAST_NUMBERS.get(kind, 0)
    numbers = [float(word) for word in words if word.replace(".", "", 1).isdecimal() and len(word) <= MAX_DIGITS]
    if text == "":
        return "", ()
    fits = len(numbers) == len(words) and 0 < least <= len(numbers) <= len(names) and numbers[0] >= 1 and min(numbers[:4]) > 0
    if not fits or (kind == "llama3" and numbers[2] <= numbers[1]):
        ways = listed([f"“{way} {' '.join(names[: LEAST_NUMBERS[way]])}”" for way, names in SCALINGS.items()], "or")
        ways = f"a kind with at least its numbers, {ways}, and a factor of at least 1"
        raise ValueError(f"rotary_scaling must be empty or {ways}, got {text!r:.80}")
    return kind, tuple(numbers)


#: Default base of the rotary angles (RoFormer, arXiv:2104.09864, 3.2.2).
ROTARY_BASE = 10_000.0


@dataclass(frozen=True, slots=True)
class Config:
    """Sizes and settings of one multi-head attention layer, in Keras's terms. Raises ValueError for a value that is not allowed.
    - `key_dim`: key size of one head, by default d_model / num_heads as in the paper (3.2.2).
    - `value_dim`: value size of one head, by default `key_dim`. `key_len`: by default `query_len`.
    - `mask`: "none", "causal", or a Boolean array with the axes (query, key), True if the query may attend to the key.
    - `dropout_seed`: decides which weights dropout sets to 0 if `training` is True. `soft_cap`: 0 means no cap.
    No Keras layer has the fields from `rotary` to the end (`headcount.switches`)."""

    d_model: int = 16
    num_heads: int = 4
    key_dim: int = LEFT_OUT
    value_dim: int = LEFT_OUT
    query_len: int = 6
    key_len: int = LEFT_OUT
    mask: str = "none"
    use_bias: bool = True
    seed: int = 0
    batch: int = 1
    use_gate: bool = False
    sliding_window: int | None = None
    dropout: float = 0.0
    training: bool = False
    dropout_seed: int = 0
    rotary: str = "none"
    qk_norm: str = "none"
    soft_cap: float = 0.0
    alibi: bool = False
    sinks: bool = False
    rotary_base: float = ROTARY_BASE
    rotary_scaling: str = ""

    def __post_init__(self):
        def put(field: str, value: object) -> None:
            object.__setattr__(self, field, value)  # the class is frozen: set once, here

        put("d_model", whole("d_model", self.d_model))
        put("num_heads", whole("num_heads", self.num_heads))
        if self.key_dim is LEFT_OUT:
            if self.d_model % self.num_heads:
                raise ValueError(f"num_heads must divide d_model={self.d_model} when key_dim is left out, got {self.num_heads}")
            put("key_dim", self.d_model // self.num_heads)
        put("value_dim", self.key_dim if self.value_dim is LEFT_OUT else self.value_dim)
        put("key_len", self.query_len if self.key_len is LEFT_OUT else self.key_len)
        for name in SIZES:
            put(name.code, whole(name.code, getattr(self, name.code)))
        put("batch", whole("batch", self.batch))
        put("seed", whole("seed", self.seed, least=0))
        put("dropout_seed", whole("dropout_seed", self.dropout_seed, least=0))
        if self.sliding_window is not None:
            put("sliding_window", whole("sliding_window", self.sliding_window))
        put("dropout", number("dropout", self.dropout, most=MAX_DROPOUT))
        for field in ("use_bias", "use_gate", "training", "alibi", "sinks"):
            if type(value := getattr(self, field)) is not bool:
                raise ValueError(f"{field} must be True or False, got {value!r}")
        put("mask", mask_of(self.mask, (self.query_len, self.key_len)))
        for field, choices in (("rotary", ROTARY), ("qk_norm", QK_NORMS)):
            if (value := getattr(self, field)) not in choices:
                raise ValueError(f"{field} must be {listed(choices, 'or')}, got {value!r}")
        if self.rotary != "none" and self.key_dim % 2:
            raise ValueError(f"key_dim must be even with rotary={self.rotary}, which turns numbers in pairs, got {self.key_dim}")
        number("rotary_base", self.rotary_base, least=1)
        read_scaling(self.rotary_scaling)
        put("soft_cap", number("soft_cap", self.soft_cap))

    def size(self, axis: str) -> int:
        """Returns the length of the axis with this einsum letter. The joined axis "(hv)" has length h · d_v."""
        if axis == "(hv)":
            return self.num_heads * self.value_dim
        return self.batch if axis == "b" else getattr(self, BY_LETTER[axis].code)

    @property
    def follows_paper(self) -> bool:
        """Whether d_k = d_v = d_model / h, as in "Attention Is All You Need" (3.2.2)."""
        return self.num_heads * self.key_dim == self.d_model == self.num_heads * self.value_dim

    @property
    def is_self_attention(self) -> bool:
        """Whether `query_len` equals `key_len`. The inputs that are drawn for such a layer are a single sequence."""
        return self.query_len == self.key_len

    @property
    def masked(self) -> bool:
        """Whether the layer has a mask or a sliding window."""
        return self.mask != "none" or self.sliding_window is not None

    @property
    def drops(self) -> bool:
        """Whether a call of this layer applies dropout: `training` is True and the rate is above 0."""
        return self.training and self.dropout > 0

    def with_heads(self, num_heads: int, *, paper: bool) -> "Config":
        """Returns the Config with another number of heads. If `paper` is True, key size and value size become d_model / h."""
        if not paper:
            return replace(self, num_heads=num_heads)
        return replace(self, num_heads=num_heads, key_dim=LEFT_OUT, value_dim=LEFT_OUT)
