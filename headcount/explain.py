"""Arithmetic behind each computed number: the numbers that go into it, and the operations."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.arrays import Floats, axes_of
from headcount.config import Config
from headcount.forward import Trace
from headcount.names import LABELS
from headcount.steps import BY_NAME, STEPS, step_of, steps_of
from headcount.switches import EPSILON, angles, distances, gain, slopes
from headcount.variations import divisor, shares_at

#: The divisors of the scores (headcount.variations.DIVISORS) as formulas.
ROOTS = {"sqrt_d_k": "√d_k", "none": "1", "sqrt_d_model": "√d_model"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One number in a computed array: the array's name and 0-based indices. `head` is None if the array has no axis of heads."""

    name: str
    row: int
    col: int
    head: int | None = None

    @property
    def address(self) -> str:
        """The cell as text, with indices from 1: "q.2.3.4" is head 2, row 3, column 4 of Q. The text "output.3.4" has no head."""
        places = [self.row, self.col] if self.head is None else [self.head, self.row, self.col]
        return ".".join([self.name, *(str(place + 1) for place in places)])


@dataclass(frozen=True, slots=True)
class Explanation:
    """The arithmetic that gives the number `value` of a cell:
    - `left`, `right`: names of the operands. `parts`: pairs of numbers of the two operands.
    - `bias`: a number that is added at the end, or None. For "softmax", `bias` is the sink's score. `added`: the name of `bias`.
    - `shares`: each head's contribution to a number of the output, if there are several heads.
    The numbers in a pair of `parts` depend on `kind`:
    - "sum", "product": two factors.
    - "ratio": a number and its divisor. "softmax": a score of the row and its exponential.
    - "sigmoid": a number and the exponential of its negative. "cap": a score and the soft cap.
    - "norm": in the first pair a number and the size of its row, in the second pair the gain and 0.
    - "copy", or "masked" for a forbidden key: the same number twice.
    - "dropped": a weight that dropout removes, and 0. "nowhere", for a query without keys: no pair."""

    cell: Cell
    kind: str
    left: str
    right: str
    parts: tuple[tuple[float, float], ...]
    bias: float | None
    value: float
    added: str = ""
    shares: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """One line of a cell's arithmetic. `adds`: the number that is added. `total`: the sum up to this line, in float64. `at`:
    (first, end), the 0-based indices that the operands have in their row and in their column alike, or None. The numbers in
    `factors` depend on `kind`:
    - "product", "quotient": the two operands. For a quotient, `adds` is the quotient and `total` the divisor.
    - "bias": the bias. "share": the head's number, from 1.
    - "power": a score, and the number that is subtracted from the score. `adds` is e to the power of the difference."""

    kind: str
    factors: tuple[float, ...]
    adds: float
    total: float
    at: tuple[int, int] | None = None


#: A row's largest score is subtracted from all scores if it is further from 0 than this, where exponentials would overflow.
MAX_POWER = 600.0
#: Arrays whose sums are not over a row and a column. Their terms have no `at`.
ELSEWHERE = ("q_rotated", "k_rotated", "biased")


def terms(explanation: Explanation) -> tuple[Term, ...]:
    """Lists the lines of an explanation in order. A "sum" has products or heads' contributions, then the bias. A "softmax" has
    the exponentials of the scores and of the sink, then the division by their sum. Any other kind has no lines."""
    if explanation.kind == "softmax":
        return _powers(explanation)
    if explanation.kind != "sum":
        return ()
    count, head = len(explanation.parts), explanation.cell.head or 0
    if explanation.shares:
        width = count // len(explanation.shares)
        shares = enumerate(explanation.shares)
        found = [Term("share", (i + 1.0,), share, 0.0, (i * width, (i + 1) * width)) for i, share in shares]
    else:
        first = head * count if explanation.cell.name == "share" else 0
        in_order = explanation.cell.name not in ELSEWHERE
        found = [
            Term("product", (a, b), a * b, 0.0, (first + k, first + k + 1) if in_order else None)
            for k, (a, b) in enumerate(explanation.parts)
        ]
    if explanation.bias is not None:
        found.append(Term("bias", (explanation.bias,), explanation.bias, 0.0))
    return _added_up(found)


def _added_up(found: list[Term]) -> tuple[Term, ...]:
    totals = np.cumsum([term.adds for term in found], dtype=np.float64)
    return tuple(replace(term, total=float(total)) for term, total in zip(found, totals, strict=True))


def _powers(explanation: Explanation) -> tuple[Term, ...]:
    scores = [score for score, _ in explanation.parts]
    sink = [] if explanation.bias is None else [explanation.bias]
    top = max(scores + sink)
    less = top if abs(top) > MAX_POWER else 0.0
    found = [Term("power", (score, less), math.exp(score - less), 0.0, (k, k + 1)) for k, score in enumerate(scores)]
    powers = _added_up(found + [Term("power", (score, less), math.exp(score - less), 0.0) for score in sink])
    own, total = powers[explanation.cell.col].adds, powers[-1].total
    return (*powers, Term("quotient", (own, total), explanation.value, total))


#: Every array whose cells can be explained: all steps, and "share", a head's contribution Z_i W_i^O to the output.
EXPLAINED = (*BY_NAME, "share")


def explained(cfg: Config) -> tuple[str, ...]:
    """Lists the arrays of this layer whose cells `explain` can explain: all steps, and "share", a head's contribution."""
    return (*(step.name for step in steps_of(cfg)), "share")


#: The axes of each array. For one sample and one head, each array is a matrix.
AXES = {**{step.name: step.axes for step in STEPS}, "share": "htm"}


def shape_of(cfg: Config, name: str) -> tuple[int, int, bool]:
    """Returns an array's number of rows, its number of columns, and whether it has an axis of heads."""
    axes = axes_of(AXES[name])
    rows, cols = (cfg.size(axis) for axis in axes if axis not in ("b", "h"))
    return rows, cols, "h" in axes


def parse_cell(text: str, cfg: Config) -> Cell:
    """Parses the text of a cell: "q.2.3.4" is head 2, row 3, column 4 of Q. Raises ValueError with the allowed form."""
    name, *places = text.strip().split(".")
    if name not in (names := explained(cfg)):
        raise ValueError(f"cell must start with one of {', '.join(names)}")
    rows, cols, has_heads = shape_of(cfg, name)
    limits = ([("head", cfg.num_heads)] if has_heads else []) + [("row", rows), ("column", cols)]
    form = ".".join([name, *(what for what, _ in limits)])
    ranges = ", ".join(f"{what} 1 to {most}" for what, most in limits)
    numbers = [int(place) if place.isascii() and place.isdigit() and len(place) < 7 else 0 for place in places]
    if len(numbers) != len(limits) or any(not 1 <= n <= most for n, (_, most) in zip(numbers, limits, strict=True)):
        raise ValueError(f"cell must be {form} with {ranges}")
    head, row, col = [n - 1 for n in (numbers if has_heads else [1, *numbers])]
    return Cell(name, row, col, head if has_heads else None)


def has_cell(cfg: Config, cell: Cell) -> bool:
    rows, cols, _ = shape_of(cfg, cell.name)
    return cell.row < rows and cell.col < cols and (cell.head or 0) < cfg.num_heads


def example(trace: Trace, name: str) -> Cell:
    """Chooses the cell that is explained by default, in a row about two thirds down. For "q", "k" or "v", the cell has the row's
    largest absolute value in the second head, or in the only head. If there are more than two columns, the first and the last do
    not count. For "output", the column is the one in which the smallest absolute contribution of a head is largest."""
    values = trace[name].values[0]
    row = len(values) * 2 // 3
    if name == "output":
        shares = np.einsum("hv,hvm->hm", trace.joined.values[0, row], trace.params.w_o.values)
        return Cell(name, row, int(np.abs(shares).min(axis=0).argmax()))
    head = min(1, trace.cfg.num_heads - 1)
    first = int(values.shape[-1] > 2)  # not at a border between heads
    return Cell(name, row, first + int(np.abs(values[row, head, first : values.shape[-1] - first]).argmax()), head)


def most_looked_at(trace: Trace, head: int, query: int) -> Cell:
    """Returns the cell with the largest attention weight of a query in a head. `head` and `query` are 0-based."""
    return Cell("weights", query, int(trace.weights.values[0, head, query].argmax()), head)


def explain(trace: Trace, cell: Cell, by: str = "sqrt_d_k") -> Explanation:
    """Returns the arithmetic of a cell in a trace's first sample. `by`: the divisor of the trace's scores, a key of ROOTS."""
    kind, left, right, pairs, bias = _derivation(trace, cell, by)
    parts = tuple((float(a), float(b)) for a, b in pairs)
    added = "" if bias is None else ADDED.get(cell.name) or LABELS[BY_NAME[cell.name].needs[2]]
    if cell.name == "share":
        value = float(shares_at(trace, cell.row, cell.col)[cell.head])
    else:
        value = float(_matrix(trace, cell.name, cell.head)[cell.row, cell.col])
    shares = tuple(map(float, shares_at(trace, cell.row, cell.col))) if cell.name == "output" and trace.cfg.num_heads > 1 else ()
    return Explanation(cell, kind, left, right, parts, None if bias is None else float(bias), value, added, shares)


#: Names of `Explanation.bias` for arrays in which it is not the bias of a projection.
ADDED = {"q_normed": "β_Q", "k_normed": "β_K", "weights": "the sink", "biased": "the score"}
#: The fields kind, left, right, parts and bias of an Explanation.
Derivation = tuple[str, str, str, Iterable[tuple[Any, Any]], Any]


def _derivation(trace: Trace, cell: Cell, by: str) -> Derivation:
    cfg, head, row, col = trace.cfg, cell.head or 0, cell.row, cell.col
    source, *others = step_of(cfg, cell.name).needs if cell.name in BY_NAME else ("",)
    read, other = LABELS.get(source, ""), LABELS[others[0]] if others else ""

    def at(name: str) -> Any:
        return _matrix(trace, name, cell.head)[row, col]

    match cell.name:
        case "q" | "k" | "v" | "g":
            return _projection(trace, cell)
        case "q_normed" | "k_normed":
            return _normed(trace, cell)
        case "q_rotated" | "k_rotated":
            return _rotated(trace, cell)
        case "scores":
            rows, keys = _matrix(trace, source, cell.head)[row], _matrix(trace, others[0], cell.head)[col]
            return "sum", f"{read}, row {row + 1}", f"{other}, row {col + 1}", zip(rows, keys, strict=True), None
        case "scaled":
            return "ratio", "QKᵀ", ROOTS[by], [(at(source), divisor(cfg, by))], None
        case "capped":
            return "cap", _scores_named(source, by), "c", [(at(source), cfg.soft_cap)], None
        case "biased":
            slope, away = slopes(cfg.num_heads)[head], distances(cfg)[row, col]
            return "sum", f"the slope of head {head + 1}, taken negative,", "the distance", [(-slope, away)], at(source)
        case "masked":
            forbidden = at("masked") == -np.inf
            return "masked" if forbidden else "copy", _scores_named(source, by), "", [(at(source), at(source))], None
        case "weights":
            return _weights(trace, cell, by)
        case "dropped":
            if at("dropped") == 0 != at("weights"):
                return "dropped", "A", "", [(at("weights"), 0.0)], None
            return "ratio", "A", "1 − p", [(at("weights"), 1 - cfg.dropout)], None
        case "context":
            parts = zip(_matrix(trace, source, cell.head)[row], _matrix(trace, "v", cell.head)[:, col], strict=True)
            return "sum", f"{read}, row {row + 1}", _column(cfg, cell, "V", "V", "all V side by side", cfg.value_dim), parts, None
        case "gate":
            return "sigmoid", "G", "", [(at("g"), math.exp(-max(at("g"), -700.0)))], None
        case "gated":
            return "product", "Z", f"{LABELS['gate']} at the same place", [(at("context"), at("gate"))], None
        case "concat":
            owner, inner = divmod(col, cfg.value_dim)
            copied = _matrix(trace, source, owner)[row, inner]
            return "copy", f"{read} of head {owner + 1}, row {row + 1}, column {inner + 1}", "", [(copied, copied)], None
        case "share":
            return _share(trace, cell)
        case "output":
            kernel, bias = trace.params.w_o.values.reshape(-1, cfg.d_model), trace.params.b_o
            parts = zip(trace.concat.values[0, row], kernel[:, col], strict=True)
            return "sum", f"Concat, row {row + 1}", f"W_O, column {col + 1}", parts, bias and bias.values[col]
        case _:
            raise NotImplementedError(f"no derivation of {cell.name}")


def _column(cfg: Config, cell: Cell, alone: str, part: str, whole: str, size: int) -> str:
    """Names a cell's column by its number in the head's slice and in the whole matrix. `part`: the slice's name. `whole`: the
    matrix's name. `size`: the slice's number of columns. `alone`: the matrix's name if the layer has one head."""
    if cfg.num_heads == 1:
        return f"{alone}, column {cell.col + 1}"
    head = cell.head or 0
    return f"column {cell.col + 1} of head {head + 1}'s {part}, column {head * size + cell.col + 1} of {whole}"


def input_name(cfg: Config, source: str) -> str:
    """Returns the label of the input `source` ("x_query" or "x_key"): "X", or "X′" for the keys of cross-attention."""
    return "X" if source == "x_query" or cfg.is_self_attention else "X′"


def _projection(trace: Trace, cell: Cell) -> Derivation:
    source, kernel, bias = BY_NAME[cell.name].needs
    added = trace[bias].values[cell.head, cell.col] if trace.cfg.use_bias else None
    parts = zip(trace[source].values[0, cell.row], trace[kernel].values[:, cell.head, cell.col], strict=True)
    column = _column(trace.cfg, cell, LABELS[kernel], "slice", LABELS[kernel], trace[kernel].shape[-1])
    return "sum", f"{input_name(trace.cfg, source)}, row {cell.row + 1}", column, parts, added


def _normed(trace: Trace, cell: Cell) -> Derivation:
    source, *gains = step_of(trace.cfg, cell.name).needs
    cfg, letter = trace.cfg, LABELS[source]
    row = trace[source].values[0, cell.row].astype(np.float64)
    row = row if cfg.qk_norm == "rms_wide" else row[cell.head]
    centred = row - row.mean() if cfg.qk_norm == "layer" else row
    size = math.sqrt((centred * centred).mean() + EPSILON)
    number = centred[cell.head, cell.col] if cfg.qk_norm == "rms_wide" else centred[cell.col]
    gain = trace[gains[0]].values
    factor = gain[cell.head, cell.col] if gain.ndim == 2 else gain[cell.col]
    shift = trace[gains[1]].values[cell.col] if len(gains) > 1 else None
    what = f"{letter}, row {cell.row + 1}, column {cell.col + 1}"
    if cfg.qk_norm == "layer":
        return "norm", f"{what}, less its row's mean", "the row's standard deviation", [(number, size), (factor, 0.0)], shift
    whose = "the row of all heads" if cfg.qk_norm == "rms_wide" and cfg.num_heads > 1 else "the row"
    return "norm", what, f"the root mean square of {whose}", [(number, size), (factor, 0.0)], shift


def _rotated(trace: Trace, cell: Cell) -> Derivation:
    (source,) = step_of(trace.cfg, cell.name).needs
    half, col = trace.cfg.key_dim // 2, cell.col
    if trace.cfg.rotary == "halves":
        pair, is_first, other = col % half, col < half, (col + half) % (2 * half)
    else:
        pair, is_first, other = col // 2, col % 2 == 0, col ^ 1
    row, turn = _matrix(trace, source, cell.head)[cell.row], float(angles(trace.cfg, cell.row + 1)[cell.row, pair])
    times = gain(trace.cfg)
    parts = [(row[col], times * math.cos(turn)), (row[other], times * (-math.sin(turn) if is_first else math.sin(turn)))]
    columns = f"{LABELS[source]}, row {cell.row + 1}, columns {col + 1} and {other + 1}"
    what = f"cos and {'−' if is_first else ''}sin of the angle {turn:.3f}" + (f", times {times:.3f}" if times != 1 else "")
    return "sum", columns, what, parts, None


def _scores_named(name: str, by: str) -> str:
    """Names an array of scores. The array "scaled" is QKᵀ over the divisor `by`; other names are in LABELS."""
    return f"QKᵀ/{ROOTS[by]}" if name == "scaled" else LABELS[name]


def _weights(trace: Trace, cell: Cell, by: str) -> Derivation:
    scores = _matrix(trace, "masked", cell.head)[cell.row].astype(np.float64)
    if not np.isfinite(scores).any():
        return "nowhere", "", "", [], None
    sink = float(trace["sinks"].values[cell.head]) if trace.cfg.sinks else None
    parts = zip(scores, np.exp(scores - max(scores.max(), -math.inf if sink is None else sink)), strict=True)
    source = step_of(trace.cfg, "masked").needs[0]
    scored = _scores_named(source, by) if not trace.cfg.masked else "the masked scores"
    return "softmax", f"row {cell.row + 1} of {scored}", "e to their power", parts, sink


def _share(trace: Trace, cell: Cell) -> Derivation:
    source = step_of(trace.cfg, "concat").needs[0]
    parts = zip(_matrix(trace, source, cell.head)[cell.row], trace.params.w_o.values[cell.head, :, cell.col], strict=True)
    head, size = cell.head or 0, trace.cfg.value_dim
    rows = f"row {head + 1}" if size == 1 else f"rows {head * size + 1} to {head * size + size}"
    return "sum", f"{LABELS[source]}, row {cell.row + 1}", f"{rows} of W_O (this head's), column {cell.col + 1}", parts, None


def _matrix(trace: Trace, name: str, head: int | None) -> Floats:
    array = trace[name].at(b=0)
    return array.values if head is None else array.at(h=head).values
