"""A layer's matrices as a pile of sheets in its heads' tints, cut if it does not fit."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import gcd

from headcount import Config, ledger
from headcount.cost import too_large
from headcount.stage.pieces import matrix
from headcount.stage.scene import Block, Curve, Length

#: A layer's sheets from the front; W_O is transposed, so that its heads are upright, too.
SHEETS = ("w_q", "w_k", "w_v", "w_g", "w_o")
#: Pixels from a sheet to the one behind it; most squares on a side of a pile, and most columns of numbers.
STEP, SQUARES, COLUMNS = 4.5, 16, 64
#: Pixels of a tear.
TEAR = 7.0
#: Sizes above which a pile is an outline.
MAX_WIDTH = 64


@dataclass(frozen=True, slots=True)
class Scale:
    """A pile's scale: `unit` numbers on a side of a layout cell, and its largest width `most` in cells (None: no bound)."""

    unit: float
    most: int | None = None

    def wide(self, numbers: float) -> float:
        """Gives the cells that this many numbers take side by side."""
        return numbers / self.unit if self.most is None else min(numbers / self.unit, self.most)


@dataclass(frozen=True, slots=True)
class Slices:
    """Upright slices of some heads in a sheet: distance from its left and width (cells), first column, columns, first head and
    count."""

    x: float
    wide: float
    column: int
    columns: int
    head: int
    heads: int


def names(cfg: Config) -> tuple[str, ...]:
    """Names the sheets of a layer from the front."""
    return tuple(name for name in SHEETS if name != "w_g" or cfg.use_gate)


def behind(cfg: Config) -> float:
    """Pixels by which the last sheet is up and right of the first."""
    return STEP * (len(names(cfg)) - 1)


def square(cfg: Config) -> int:
    """Weights on a side of a square: the fewest that give at most SQUARES per column without a head's edge inside one. 0 if the
    pile is an outline."""
    if cfg.d_model > MAX_WIDTH:
        return 0
    common = gcd(cfg.d_model, cfg.key_dim, cfg.value_dim)
    return next((side for side in range(1, common + 1) if common % side == 0 and cfg.d_model <= SQUARES * side), 0)


def has_numbers(cfg: Config) -> bool:
    """Whether each square is a weight, with its number."""
    return square(cfg) == 1 and cfg.num_heads * cfg.key_dim <= COLUMNS and not too_large(cfg)


def parts(heads: int, size: int, scale: Scale, side: int = 1) -> tuple[Slices, ...]:
    """Cuts a sheet of `heads` slices. A sheet that is too wide keeps its first and last heads, or a part of each, in whole
    squares of `side` weights."""
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
    """Draws a layer's weight matrices, the last one at the back. The front one is `x` pixels from the left and `y` down; `grid`
    has its numbers. `pale` heads (from 0) have a faint tint."""
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
    """Draws a tear through all sheets at the cut."""
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
    """Middle of a head's strip in the front sheet, in cells; for a head that is left out, the middle of the cut."""
    for part in parts(cfg.num_heads, cfg.key_dim, scale, square(cfg)):
        if part.head <= head < part.head + part.heads:
            return part.x + part.wide * (head - part.head + 0.5) / part.heads
    return scale.wide(cfg.num_heads * cfg.key_dim) / 2


def sum_of(cfg: Config, named: bool = False) -> tuple[str, ...]:
    """Writes the weights and what is added: "4 × 256", "+ 64"; `named` gives "4 × 256 weights", "+ 64 biases"."""
    rows = ledger(cfg)
    kernels = [f"{len([*same])} × {count:,}" for count, same in groupby(row.count for row in rows if not row.is_bias)]
    biases = sum(row.count for row in rows if row.is_bias)
    words = (" weights", " biases") if named else ("", "")
    return (" + ".join(kernels) + words[0], *([f"+ {biases:,}{words[1]}"] if biases else []))
