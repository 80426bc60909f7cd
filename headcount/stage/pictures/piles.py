"""A layer's weight matrices drawn as sheets behind each other, in the colours of their heads."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import gcd

from headcount import Config, ledger
from headcount.cost import too_large
from headcount.stage.pieces import matrix
from headcount.stage.scene import Block, Curve, Length

#: The sheets (weight matrices) of a pile from front to back. W_O is transposed, so that each head has columns in it, too.
SHEETS = ("w_q", "w_k", "w_v", "w_g", "w_o")
#: Pixels from a sheet to the next; most squares on a side of a sheet; most columns if each square is a weight.
STEP, SQUARES, COLUMNS = 4.5, 16, 64
#: Width in pixels of the gap where the middle of a pile is left out.
TEAR = 7.0
#: The largest d_model of a pile that has squares.
MAX_WIDTH = 64


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a pile: `unit` numbers in a cell of the layout. A pile wider than `most` cells is drawn without its middle."""

    unit: float
    most: int | None = None

    def wide(self, numbers: float) -> float:
        return numbers / self.unit if self.most is None else min(numbers / self.unit, self.most)


@dataclass(frozen=True, slots=True)
class Slices:
    """Neighbouring slices of a sheet.
    - `x`, `wide`: the distance from the sheet's left edge, and the width, in cells.
    - `column`, `columns`: the first column (0-based), and the number of columns.
    - `head`, `heads`: the first head (0-based), and the number of heads."""

    x: float
    wide: float
    column: int
    columns: int
    head: int
    heads: int


def names(cfg: Config) -> tuple[str, ...]:
    """Returns the names of the weight matrices in a layer's pile, from front to back."""
    return tuple(name for name in SHEETS if name != "w_g" or cfg.use_gate)


def behind(cfg: Config) -> float:
    """Returns the distance from a pile's first sheet to its last: pixels to the right, and equally many pixels up."""
    return STEP * (len(names(cfg)) - 1)


def square(cfg: Config) -> int:
    """Returns how many weights a side of a square stands for, or 0 if no squares are drawn. Each square belongs to one head."""
    if cfg.d_model > MAX_WIDTH:
        return 0
    common = gcd(cfg.d_model, cfg.key_dim, cfg.value_dim)
    return next((side for side in range(1, common + 1) if common % side == 0 and cfg.d_model <= SQUARES * side), 0)


def has_numbers(cfg: Config) -> bool:
    """Returns whether a pile can show values. Each square is then one weight, and W_Q and the layer are not too large."""
    return square(cfg) == 1 and cfg.num_heads * cfg.key_dim <= COLUMNS and not too_large(cfg)


def parts(heads: int, size: int, scale: Scale, side: int = 1) -> tuple[Slices, ...]:
    """Returns the drawn parts of a sheet: the whole sheet or, if it is too wide, a left and a right part. A part has whole heads.
    If one head is too wide for this, a part has whole squares of `side` weights, and at least one column."""
    wide = heads * size / scale.unit
    if scale.most is None or wide <= scale.most:
        return (Slices(0, wide, 0, heads * size, 0, heads),)
    room = scale.most / 2
    shown = min(max(int(room * scale.unit / size), 1), heads // 2 or 1)
    step = max(side, 1)
    columns = min(shown * size, max(int(room * scale.unit / step) * step, 1))
    part = min(columns / scale.unit, room)
    last = Slices(part, part, heads * size - columns, columns, heads - shown, shown)
    return Slices(0, part, 0, columns, 0, shown), last


def sheets(cfg: Config, id: str, scale: Scale, grid: str | None, x: float, y: Length, pale: Collection[int] = ()) -> list[Block]:
    """Draws a layer's weight matrices as sheets, from back to front. The front sheet is at `x` (pixels) and `y`. `grid` is the
    key of W_Q's values, or None. `pale` are heads (0-based) that are drawn faintly."""
    side, blocks = square(cfg), []
    for place, name in reversed([*enumerate(names(cfg))]):
        size = cfg.key_dim if name in ("w_q", "w_k") else cfg.value_dim
        drawn = parts(cfg.num_heads, size, scale, side)
        for number, part in enumerate(drawn):
            at = Length(part.x, x + STEP * place), y + Length(0, -STEP * place)
            numbers = grid if name == "w_q" else None
            weights = 1 if numbers else side if name == "w_q" else 0  # weights on a side of a square; 0: it has none
            rows, columns = (cfg.d_model // weights, part.columns // weights) if weights else (1, 1)
            blocks.append(matrix(
                f"{id} {name}" + f" {number}" * bool(number), numbers, *at, rows, max(columns, 1), name=name,
                col=part.column if numbers else 0, width=part.wide, height=cfg.d_model / scale.unit, turned=name == "w_o",
                bands=part.heads, hue=part.head or None, pale=tuple(head - part.head for head in pale if head >= part.head),
                edges="oooo" if len(drawn) == 1 else ("o-oo", "ooo-")[number],
            ))  # fmt: skip
    return blocks


def breaks(cfg: Config, scale: Scale, x: float, y: Length) -> Iterator[Curve]:
    """Yields the curves of a tear through all sheets of a pile. There are none if all columns of W_Q are drawn."""
    found = parts(cfg.num_heads, cfg.key_dim, scale, square(cfg))
    if len(found) < 2:
        return
    top, low, sway = y + Length(0, -behind(cfg) - 4), y + Length(cfg.d_model / scale.unit, 4), (0, 5, -5, 0)
    high = Length((low.cells - top.cells) / 3, (low.px - top.px) / 3)
    for off, thick, hue in ((0, TEAR, -1), (-TEAR / 2, 1, None), (TEAR / 2, 1, None)):
        points, at = [], top
        for across in sway:
            points.append((Length(found[1].x, x + off + across), at))
            at += high
        yield Curve(tuple(points), thick, hue)


def head_at(cfg: Config, scale: Scale, head: int) -> float:
    """Returns the middle of a head's slice of W_Q, in cells from the left. A head that is not drawn is in the tear."""
    for part in parts(cfg.num_heads, cfg.key_dim, scale, square(cfg)):
        if part.head <= head < part.head + part.heads:
            return part.x + part.wide * (head - part.head + 0.5) / part.heads
    return scale.wide(cfg.num_heads * cfg.key_dim) / 2


def sum_of(cfg: Config, named: bool = False) -> tuple[str, ...]:
    """Returns the terms of the parameter count, such as "4 × 256" and "+ 64"; if `named`, "4 × 256 weights" and "+ 64 biases"."""
    rows = ledger(cfg)
    kernels = [f"{len([*same])} × {count:,}" for count, same in groupby(row.count for row in rows if not row.is_bias)]
    biases = sum(row.count for row in rows if row.is_bias)
    words = (" weights", " biases") if named else ("", "")
    return (" + ".join(kernels) + words[0], *([f"+ {biases:,}{words[1]}"] if biases else []))
