"""Numbers that a visitor types: X as a small table, a rule for the weights, and the layer with both."""

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.arrays import Array, Floats
from headcount.config import MAX_DIGITS, Config
from headcount.custom_layer import CustomLayer
from headcount.ledger import ledger
from headcount.names import counted
from headcount.params import Inputs, make_params, params_of
from headcount.text_bounds import MAX_X_TEXT

#: Most rows and columns of X, and its largest absolute value.
MAX_SIDE, MAX_ABSOLUTE = 16, 1000
#: Rules for the weights, each with its description.
RULES = {
    "identity": "each weight matrix has ones on its diagonal and zeros elsewhere; all biases are 0",
    "zeros": "all weights and biases are 0",
    "equal": "the first head comes from the seed, and every other head is a copy of it",
    "seed": "all weights and biases are random numbers from the seed",
}
#: The default X. With identity weight matrices and one head, Q, K and V are X itself.
EXAMPLE = "1 0 1 0/0 2 0 2/1 1 1 1"
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")
#: Replacements for characters in text from a spreadsheet or a web page: byte order mark, special spaces, minus sign.
PLAIN = str.maketrans({"\ufeff": "", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "−": "-", "\r": "\n"})
Table = tuple[tuple[float, ...], ...]


class Unreadable(ValueError):
    """Error: a typed text cannot be read. The message names the field and what is allowed. `raw` is the text."""

    def __init__(self, sentence: str, raw: str = ""):
        super().__init__(f"{sentence}, got {raw!r}" if raw else sentence)
        self.sentence, self.raw = sentence, raw


def _lines(text: str) -> list[str]:
    """Splits a text into rows. A row ends at a line break, at "/", or at a closing bracket as NumPy and Python print it."""
    plain = re.sub(r"\][\s,;]*\[", "\n", text.translate(PLAIN))
    return [line for line in re.split(r"[\n/]", re.sub(r"[\[\]()]", " ", plain)) if line.strip()]


def _separator(lines: list[str]) -> str:
    """Returns the separator between numbers: a tab, a semicolon, a comma or a space. A comma between two digits is a decimal
    comma if there is another separator."""
    for mark in "\t;":
        if any(mark in line for line in lines):
            return mark
    if any(re.search(r"(?<![0-9]),|,(?![0-9])", line) for line in lines):
        return ","
    if any("," in line for line in lines) and not any(re.search(r"\S\s+\S", line) for line in lines):
        return ","
    return " "


def has_decimal_commas(text: str) -> bool:
    """Returns whether a comma in the text is read as a decimal point."""
    lines = _lines(text)
    return _separator(lines) != "," and any("," in line for line in lines)


def read_table(field: str, text: str) -> Table:
    """Reads rows of equally many numbers. Raises Unreadable with field, row and column."""
    lines = _lines(text)
    mark, rows = _separator(lines), list[tuple[float, ...]]()
    for number, line in enumerate(lines, 1):
        whole = line.strip(" " if mark == "\t" else " ,;")
        cells = whole.split() if mark == " " else [cell.strip() for cell in whole.split(mark)]
        rows.append(tuple(_number(f"{field}, row {number}, column {place}", cell) for place, cell in enumerate(cells, 1)))
        if len(rows[-1]) != len(rows[0]):
            here, first = counted(len(rows[-1]), "number"), counted(len(rows[0]), "number")
            raise Unreadable(f"{field} must have as many numbers in every row: row {number} has {here}, row 1 has {first}")
    if not rows:
        raise Unreadable(f"{field} must be a table of numbers, one row a line, got nothing")
    return tuple(rows)


def _number(place: str, cell: str) -> float:
    plain = cell.replace(",", ".", 1)
    if len(plain) > MAX_DIGITS or not NUMBER.fullmatch(plain) or not abs(float(plain)) <= MAX_ABSOLUTE:
        bounds = f"from −{MAX_ABSOLUTE:,} to {MAX_ABSOLUTE:,} of at most {MAX_DIGITS} characters"
        raise Unreadable(f"{place} must be a number {bounds}", cell or " ")
    return float(f"{float(plain):.7g}")


def read_x(text: str) -> Table:
    """Reads X, with at most MAX_SIDE rows and columns. An empty text gives EXAMPLE. Raises Unreadable with the reason."""
    table = read_table("x", text if text.strip() else EXAMPLE)
    if max(len(table), len(table[0])) > MAX_SIDE:
        shape = f"{len(table)} × {len(table[0])}"
        raise Unreadable(f"x must be at most {MAX_SIDE} rows of {MAX_SIDE} numbers, got {shape}")
    return table


def spell_table(table: Table, rows: str = "/") -> str:
    """Formats a table for the address. `rows` is the text between two rows."""
    return rows.join(" ".join(f"{value:z.7g}" for value in row) for row in table)


@dataclass(frozen=True, slots=True)
class Typed:
    """Numbers that a visitor typed: the input `x`, axes (positions, d_model), and the rule for the weights, a key of RULES."""

    x: Table
    rule: str = "identity"

    def config(self, cfg: Config) -> Config:
        """Returns `cfg` with one position for each row of X."""
        return replace(cfg, query_len=len(self.x), key_len=len(self.x))

    def why_not(self, cfg: Config) -> str:
        """Returns a clause on why these numbers do not fit a layer of these sizes; "" if they do."""
        width = len(self.x[0])
        return "" if width == cfg.d_model else f"X is {width} wide and d_model is {cfg.d_model}"

    def sizes(self, cfg: Config) -> dict[str, Any]:
        """Returns the settings, by code, that fit these numbers. There is one head if X has another width than `cfg`."""
        width = len(self.x[0])
        return {"d_model": width, "num_heads": cfg.num_heads if width == cfg.d_model else 1, "split": "paper"}

    def layer(self, cfg: Config) -> CustomLayer | None:
        """Returns the layer with these numbers, or None if `cfg` has other sizes."""
        if cfg != self.config(cfg) or self.why_not(cfg):
            return None
        x = np.array([self.x], np.float32)
        return CustomLayer(cfg, params_of(by_rule(self.rule, cfg)), Inputs(Array(x, "btm"), Array(x, "bsm")))

    @property
    def in_words(self) -> str:
        """A Markdown sentence on how the weights are made."""
        rule = RULES[self.rule]
        return f"{rule[0].upper()}{rule[1:]}."


def flat_shapes(cfg: Config) -> dict[str, tuple[int, int]]:
    """Returns the shapes of the weights by name if each is a matrix. Heads are side by side, in W_O below each other; a bias is a
    row."""
    shapes: dict[str, tuple[int, int]] = {}
    for row in ledger(cfg):
        size = math.prod(row.shape)
        rows = 1 if row.is_bias else size // cfg.d_model if row.name == "w_o" else cfg.d_model
        shapes[row.name] = (rows, size // rows)
    return shapes


def by_rule(rule: str, cfg: Config) -> dict[str, Floats]:
    """Makes every weight of the layer by a rule, a key of RULES. Returns the arrays by name, float32, in Keras's shapes."""
    weights, flat = make_params(cfg).by_name, flat_shapes(cfg)
    for row in ledger(cfg):
        if rule in ("identity", "zeros"):
            ones = float(rule == "identity" and row.name.startswith("w_"))
            weights[row.name] = ones * np.eye(*flat[row.name], dtype=np.float32).reshape(row.shape)
        elif rule == "equal" and "h" in row.axes:
            heads = row.axes.index("h")
            weights[row.name] = np.repeat(weights[row.name].take([0], axis=heads), cfg.num_heads, axis=heads)
    return weights


def typed_of(x: str, rule: str) -> Typed:
    """Reads typed numbers from the values of their settings. Raises Unreadable with the field and what is allowed."""
    if len(x) > MAX_X_TEXT:
        raise Unreadable(f"x must be at most {MAX_X_TEXT:,} characters, got more")
    return Typed(read_x(x), rule)
