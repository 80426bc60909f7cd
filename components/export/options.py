"""What a figure lets one choose beyond the layer: one line each, for the page, the command line and the address."""

from dataclasses import dataclass

from components.figures.projections import CUTS, KERNELS
from mha.config import whole
from mha.names import BY_CODE
from mha.published.table import entries
from mha.variations import DIVISORS

MOST_HEADS = BY_CODE["num_heads"].most
MOST_TEXT = 2000


@dataclass(frozen=True, slots=True)
class Choice:
    """One of few words; the first is the default."""

    label: str
    words: tuple[str, ...]

    @property
    def default(self) -> str:
        return self.words[0]

    @property
    def few(self) -> bool:
        """Whether they can all be shown at once."""
        return len(self.words) <= 8

    def check(self, key: str, value: object) -> None:
        if value not in self.words:
            allowed = " or ".join(self.words) if self.few else f"one of the {len(self.words)} that the app offers"
            raise ValueError(f"{key} must be {allowed}, got {value!r}")


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number."""

    label: str
    least: int
    most: int
    default: int

    def check(self, key: str, value: object) -> None:
        whole(key, value, self.least, self.most)


@dataclass(frozen=True, slots=True)
class Words:
    """Any text up to a length."""

    label: str
    most: int
    default: str = ""

    def check(self, key: str, value: object) -> None:
        if len(str(value)) > self.most:
            raise ValueError(f"{key} must be at most {self.most:,} letters, got {len(str(value)):,}")


OPTIONS: dict[str, Choice | Count | Words] = {
    "kernel": Choice("Matrix", tuple(KERNELS)),
    "cut": Choice("Cut", CUTS),
    "head": Count("Head", 1, MOST_HEADS, 1),
    "divisor": Choice("Scores divided by", tuple(DIVISORS)),
    "tokens": Words("Tokens", MOST_TEXT),
    "head_off": Count("Switch off head", 0, MOST_HEADS, 0),
    "model": Choice("Model", tuple(entries())),
}
