"""Heatmaps of the layer. Each function that draws returns a plain Plotly figure and its alternative text. Figures show the first
sample of a trace. `words` label the positions, `width` is in pixels, and `high` is the largest height of a file. Attention maps
from 128 × 128 on have means as cells. Other matrices with more than 64 rows or columns are outlines. In files of numbers, each
number has its own cell."""

import html
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from headcount import Config, Trace
from headcount.explain import Cell, example, most_looked_at
from headcount.names import as_share, counted, decimals, heads_in_words, listed, noun
from headcount.plots import attention
from headcount.plots.heatmaps import BESIDE, MAX_WORDS, WIDE, Matrix, heatmaps, word_at
from headcount.reading import Reading, pale_rows
from headcount.stage.pictures import concatenation
from headcount.stage.pictures.attention import QUERY_ROWS, STEPS_SHOWN
from headcount.stage.pictures.projections import values_top, weights_top
from headcount.stage.scene import for_numbers_alone, pool_for, pool_for_map, pooled
from headcount.switches import Switches
from headcount.trained.sentence import BLENDS
from headcount.variations import with_divisor, with_switches, without_head

#: Most attention maps at once, and most in a line of a file.
MAX_MAPS, MAX_ACROSS = 16, 8
#: Width in pixels below which a line has fewer matrices.
NARROW_FROM = 600


def asking(reading: Reading | None, cfg: Config, cell: Cell | None = None) -> int:
    """Returns the query (0-based) whose row is framed: the chosen cell's, else the sentence's last verb, else the last query."""
    if cell is not None and cell.name in QUERY_ROWS:
        return min(cell.row, cfg.query_len - 1)
    return cfg.query_len - 1 if reading is None else reading.sentence.last_verb


def maps_of(
    trace: Trace, switches: Switches, divisor: str, reading: Reading | None, words: tuple[str, ...], head: int = 0,
    cell: Cell | None = None, most: int = MAX_MAPS, clean: bool = False, close: bool = False, **more: Any,
) -> tuple[dict, str]:  # fmt: skip
    """Draws attention maps of a layer with these `switches` and this `divisor`. Heads are in groups of `most`, and the group of
    `head` (0-based) is drawn. `reading`, a trained network on a sentence, gives heads names, and makes rows of queries without an
    answer faint. Frames mark the row of a query (see `asking`) and the cell `cell`, by default that of the row's largest weight.
    `clean` omits the frames. With `close`, a row is explained beside the maps."""
    varied = with_divisor(with_switches(trace, switches), divisor)
    cfg, row = varied.cfg, asking(reading, varied.cfg, cell)
    chosen, names = cell or most_looked_at(varied, head, row), ()
    if close:  # a score is drawn in place of its weight
        chosen, more["close"] = replace(chosen, name="weights") if chosen.name in STEPS_SHOWN else chosen, head
    if reading is not None:
        names = tuple("" if name == BLENDS else name for name, _ in reading.head_names(cfg))
    framed: dict[str, Any] = {} if clean else {"asking": row, "chosen": chosen}
    return maps(varied, words, names=names, pale=pale_rows(reading), first=head // most * most, most=most, **framed, **more)


def maps_beside(trace: Trace, *how: Any, width: float = BESIDE, high: float = 0.0) -> tuple[dict, str]:
    """Draws the figure of `maps_of`. On a page, one query's row is explained beside it. In a file (with `high`), no row is."""
    return maps_of(trace, *how, width=width, high=high, close=not high)


def maps(
    trace: Trace,
    words: Sequence[str] = (),
    *,
    asking: int | None = None,
    names: Sequence[str] = (),
    pale: Sequence[int] = (),
    first: int = 0,
    chosen: Cell | None = None,
    width: float = WIDE,
    high: float = 0.0,
    most: int = MAX_MAPS,
    close: int | None = None,
) -> tuple[dict, str]:
    """Draws the attention weights of each head, shape (T, S), for at most `most` heads from `first` (0-based) on. The row of the
    query `asking` and the cell `chosen` are framed. Titles then name the key with the row's largest weight. `names` has each
    head's name, or "". Rows of the queries `pale` are faint. If cells are means, no row is framed or faint. A row of the head
    `close` is explained beside the maps. If the layer then has more than MAX_MAPS heads, only this head's map is drawn."""
    cfg = trace.cfg
    alone = close is not None and cfg.num_heads > MAX_MAPS
    first, most = (close or 0, 1) if alone else (first, most)
    shown = range(cfg.num_heads) if for_numbers_alone() else range(first, min(first + most, cfg.num_heads))
    pool = pool_for_map(cfg.query_len, cfg.key_len)
    seen = np.where(np.isfinite(trace.masked.values[0]), trace.weights.values[0], np.float32("nan"))
    queries, keys = (_words(words, length, pool) for length in (cfg.query_len, cfg.key_len))
    whole, names = pool == 1, [*names, *[""] * (cfg.num_heads - len(names))]
    asking = asking if whole else None
    matrices = [
        Matrix(
            attention.title_of(i, names[i]), pooled(seen[i], pool), queries, keys,
            f"means of {pool} × {pool}" if not whole else "" if asking is None else looked_at(seen[i], queries, keys, asking),
            hue=i, name="weights", head=i, pool=pool, framed=asking, pale=tuple(pale) if whole else (),
            hover=f"head {i + 1}: query {_quoted('y', queries)} → key {_quoted('x', keys)} %{{z:.3f}}",
            chosen=place_of(chosen, "weights", i, pool),
        )
        for i in shown
    ]  # fmt: skip
    few = heads_in_words(cfg.num_heads)
    if len(shown) < cfg.num_heads:
        few = f"head {first + 1}" if len(shown) == 1 else f"heads {first + 1} to {shown[-1] + 1}"
        few += f" of {cfg.num_heads}"
    title = f"Attention weights of {few}" + (f"; a cell is the mean of {pool} × {pool} weights" if pool > 1 else "")
    figure = attention.figure(matrices, round(width), title, high, 0 if alone else close, cfg.num_heads)
    looking = np.asarray(np.isfinite(seen).any(axis=-1))  # rows that may look somewhere
    peaks = [float(np.nanmax(seen[i][looking[i]], axis=-1).mean()) if looking[i].any() else 0.0 for i in shown]
    each = "; ".join(f"head {i + 1}: {peak:.2f}" for i, peak in zip(shown, peaks, strict=True))
    size = f"{counted(cfg.query_len, 'query', 'queries')} by {counted(cfg.key_len, 'key')}"
    said = f"The picture shows the attention weights of {few}, from 0 to 1, for {size}."
    said += f" A cell is the mean of {pool} × {pool} weights." if pool > 1 else ""
    rows = "all rows" if looking[[*shown]].all() else "the rows that may look"
    return figure, f"{said} The largest weight of a row, on average over {rows}: {each}."


def nameless(
    trace: Trace, words: Sequence[str], head: int, row: int, title: str, width: float = BESIDE, high: float = 0.0
) -> tuple[dict, str]:
    """Draws the map of `head` (0-based) for a quiz. `title` replaces the map's name, and the query `row` (0-based) is framed."""
    weights, rows = trace.weights.values[0, head], tuple(f"{place} {word}" for place, word in enumerate(words, start=1))
    one = Matrix(title, weights, rows, name="weights", framed=row, hover="%{y} → %{x}: %{z:.2f}")
    figure = attention.figure([one], round(width), "A map without a name", high)
    places = range(1, len(words) + 1)
    figure["layout"]["xaxis"] |= {"tickvals": [*places], "ticktext": [*map(str, places)]}
    shares = ", ".join(f"{word} {as_share(float(share), 2)}" for word, share in zip(words, weights[row], strict=True))
    return figure, f"The picture is the map of one head, without its name. The row of “{words[row]}” has: {shares}."


def place_of(chosen: Cell | None, name: str, head: int | None, pool: int, size: int = 0) -> tuple[int, int] | None:
    """Returns row and column of a chosen cell in the drawn matrix `name`. Returns None if the cell is not there or cells are
    means. In a matrix of all heads (`head` None), each head has `size` columns."""
    if chosen is None or chosen.name != name or pool > 1 or (head is not None and chosen.head != head):
        return None
    return chosen.row, chosen.col + (chosen.head or 0) * size


def looked_at(weights: np.ndarray, queries: Sequence[str], keys: Sequence[str], query: int) -> str:
    """Returns a text with the key of a query's largest weight, and that weight: "thanks → she 0.931". If the query may look
    nowhere, the text says so. `weights` have the shape (T, S)."""
    row = weights[query]
    if not np.isfinite(row).any():
        return f"{word_at(queries, query)} may look nowhere"
    key = int(np.nan_to_num(row).argmax())
    return f"{word_at(queries, query)} → {word_at(keys, key)} {as_share(float(row[key]))}"


def _words(words: Sequence[str], count: int, pool: int) -> tuple[str, ...]:
    """Returns the first `count` words as HTML for Plotly. Returns no words if cells are means (`pool` above 1)."""
    return tuple(html.escape(word, quote=False) for word in words[:count]) if pool == 1 else ()


def _quoted(axis: str, words: Sequence[str]) -> str:
    return f"‘%{{{axis}}}’" if words else f"%{{{axis}}}"


def _row(words: Sequence[str], ticks: bool = False) -> str:
    """Returns the part of a hover text that names the row, by its word or index. `ticks`: whether words label the axis."""
    if ticks and len(words) <= MAX_WORDS:
        return _quoted("y", words)
    return "‘%{text}’" if words else "row %{y}"


def projections(
    trace: Trace, words: Sequence[str] = (), chosen: Cell | None = None, of: str = "", width: float = BESIDE, high: float = 0.0
) -> tuple[dict, str]:
    """Draws Q, K and V. Each has T or S rows, and h · d columns with the heads side by side. If a page draws the array `of` ("q",
    "k" or "v") beside the figure, the figure has the other two. Their rows are faint, except at the chosen cell's position."""
    cfg, tops = trace.cfg, {name: values_top(trace, name) for name in "qv"}
    beside = "" if high or for_numbers_alone() else of
    row = (chosen or example(trace, of)).row if beside else 0
    matrices = []
    shown = "qkv".replace(beside, "") if beside else "qkv"
    for name in shown:
        values = trace[name].values[0]
        flat = values.reshape(len(values), -1)
        pool = pool_for(max(flat.shape))
        rows = _words(words, len(flat), pool)
        alike = cfg.is_self_attention or (beside != "q" and name != "q")  # its rows are those of the read matrix
        matrices.append(Matrix(
            name.upper(), **_shown(flat, pool), rows=rows, name=name, chosen=place_of(chosen, name, None, pool, values.shape[2]),
            bands=cfg.num_heads, second=name == "v",
            read=None if not beside or pool > 1 else (row,) if alike else (),
            hover=f"{name.upper()}: {_row(rows, ticks=True)}, column %{{x}}: %{{z:.3f}}",
        ))  # fmt: skip
    heads = heads_in_words(cfg.num_heads)
    title = f"{listed([*shown.upper()])} of {heads}"
    scales = (("Q, K", tops["q"]), ("V", tops["v"]))[: 1 if beside == "v" else 2]
    figure = heatmaps(
        matrices, scales, columns=1 if beside else 3, title=title, width=round(width), name="projections", beside=bool(beside),
        high=high,
    )  # fmt: skip
    return figure, f"{listed([*shown.upper()])} have a row for each position and the columns of {heads} side by side."


def kernels(trace: Trace, chosen: Cell | None = None, of: str = "", width: float = WIDE, high: float = 0.0) -> tuple[dict, str]:
    """Draws W_Q, W_K and W_V. Each has d_model rows, and h · d columns with the heads side by side. A frame marks the column of W
    that gives the cell `chosen` of Q, K or V. Without `chosen`, an example cell of the array `of` replaces it."""
    cfg = trace.cfg
    chosen = example(trace, of) if chosen is None and of else chosen
    matrices, tops = [], {name: weights_top(trace, name) for name in "qv"}
    for name in "qkv":
        kernel = trace[f"w_{name}"].values.reshape(cfg.d_model, -1)
        pool = pool_for(max(kernel.shape))
        place = place_of(chosen, name, None, pool, kernel.shape[1] // cfg.num_heads)
        title = f"W<sub>{name.upper()}</sub>"
        matrices.append(Matrix(
            title, **_shown(kernel, pool), column=place and place[1], bands=cfg.num_heads, second=name == "v",
            hover=f"{title}, row %{{y}}, column %{{x}}: %{{z:.3f}}",
        ))  # fmt: skip
    title = f"W_Q, W_K and W_V of {heads_in_words(cfg.num_heads)}"
    figure = heatmaps(
        matrices, (("W<sub>Q</sub>, W<sub>K</sub>", tops["q"]), ("W<sub>V</sub>", tops["v"])), title=title, width=round(width),
        columns=3 if width >= NARROW_FROM or high else 1, name="kernels", high=high,
    )  # fmt: skip
    heads = heads_in_words(cfg.num_heads)
    return figure, f"W_Q, W_K and W_V have {counted(cfg.d_model, 'row')} each, and the columns of {heads} side by side."


def results(
    trace: Trace,
    words: Sequence[str] = (),
    chosen: Cell | None = None,
    off: int | None = None,
    width: float = WIDE,
    high: float = 0.0,
) -> tuple[dict, str]:
    """Draws the output Z of each head, shape (T, d_v), for at most 8 heads on one colour scale. `chosen` is a cell of Z or
    Concat. The head `off` (0-based) is switched off, which does not change the colour scale."""
    top = concatenation.inputs_top(trace)
    trace = trace if off is None else without_head(trace, off)
    cfg, shown = trace.cfg, min(trace.cfg.num_heads, concatenation.SHOWN_HEADS)
    pool = pool_for(max(cfg.query_len, cfg.value_dim))
    rows = _words(words, cfg.query_len, pool)
    said = f"{_row(rows, ticks=True)}, column %{{x}}: %{{z:.3f}}"
    matrices = [
        Matrix(
            f"Z<sub>{i + 1}</sub>", **_shown(trace.context.values[0, :, i], pool), rows=rows, hue=i, name="context", head=i,
            chosen=place_of(chosen, "context", i, pool) or place_of(chosen, "concat", i, pool),
            hover=f"Z<sub>{i + 1}</sub>: {said}",
        )
        for i in range(shown)
    ]  # fmt: skip
    whose = heads_in_words(shown) if shown == cfg.num_heads else f"heads 1 to {shown} of {cfg.num_heads}"
    title = f"Z of {whose}"
    figure = heatmaps(
        matrices, (("Z", top),), columns=min(shown, MAX_ACROSS if high else 4 if width >= NARROW_FROM else 2), title=title,
        width=round(width), name="results", high=high,
    )  # fmt: skip
    mixed = "W_O mixes these outputs, times their gates." if cfg.use_gate else "W_O mixes these outputs."
    return figure, f"The picture shows the head outputs {title}, {cfg.query_len} × {cfg.value_dim} each. {mixed}"


def shares(
    trace: Trace,
    words: Sequence[str] = (),
    chosen: Cell | None = None,
    off: int | None = None,
    width: float = BESIDE,
    high: float = 0.0,
    clean: bool = False,
) -> tuple[dict, str]:
    """Draws each head's contribution to the output, shape (T, d_model), and then the output, on one colour scale. From the ninth
    head on, contributions are added up. `chosen` is a cell of the output, by default an example. With `clean`, no cell is marked.
    The head `off` (0-based) is switched off."""
    top, chosen = concatenation.outputs_top(trace), None if clean else chosen or example(trace, "output")
    trace = trace if off is None else without_head(trace, off)
    cfg = trace.cfg
    adds, rest = concatenation.shares_of(trace)
    pool = pool_for(max(cfg.query_len, cfg.d_model))
    rows = _words(words, cfg.query_len, pool)
    said = f"{_row(rows)}, column %{{x}}: %{{z:.3f}}"
    output = place_of(chosen, "output", None, pool)

    def number(values: np.ndarray) -> dict[str, Any]:
        said = "" if output is None else f"<b>{decimals(float(values[output]), 3)}</b>"
        return {"subtitle" if high else "value": said}

    one = partial(Matrix, ticks="all" if high else "chosen", rows=rows)
    sized = high > 0
    matrices = [
        one(
            f"+ head {i + 1}" if i else "head 1", **_shown(share, pool, sized=sized), hue=i, **number(share), name="share",
            head=i, chosen=place_of(chosen, "share", i, pool) or output, hover=f"head {i + 1} adds, {said}",
        )
        for i, share in enumerate(adds)
    ]  # fmt: skip
    if not high:
        matrices[0] = replace(matrices[0], subtitle="<b>What each head adds to the output</b>")
    if rest is not None:
        which = f"+ {counted(cfg.num_heads - len(adds), 'more head')}"
        matrices.append(one(which, **_shown(rest, pool, sized=sized), **number(rest), hover=f"{which}: {said}"))
    total = trace.output.values[0]
    two = len(matrices) <= 4 and not high  # there is room for two lines
    bias = "+ bias" + ("<br>" if two else " ") if cfg.use_bias else ""
    matrices.append(one(
        f"{bias}= output", **_shown(total, pool), **number(total), name="output", chosen=output, hover=f"output, {said}"
    ))  # fmt: skip
    title = f"What {heads_in_words(cfg.num_heads)} {noun(cfg.num_heads, 'adds', 'add')} to the output, and the output"
    figure = heatmaps(
        matrices, (("output", top),), columns=MAX_ACROSS if high else 1, title=title, width=round(width), name="shares",
        beside=not high, high=high,
    )  # fmt: skip
    parts = "The parts and b_O" if cfg.use_bias else "The parts"
    said = f"The picture shows w{title[1:]} itself. Each is {cfg.query_len} × {cfg.d_model}."
    return figure, f"{said} {parts} add up to the output."


def _shown(values: np.ndarray, pool: int, sized: bool = True) -> dict[str, Any]:
    """Returns the fields of a Matrix with these `values`. If a cell would be a mean (`pool` above 1), the fields are those of an
    outline. `sized`: whether its `note` has its size."""
    if pool == 1:
        return {"values": np.asarray(values, np.float32)}
    empty = np.full([-(-side // pool) for side in values.shape], np.nan, np.float32)
    return {"values": empty, "note": " × ".join(f"{side:,}" for side in values.shape) * sized, "pool": pool}
