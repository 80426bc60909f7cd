"""Z_1 … Z_h side by side, times W_O, plus b_O; and the same as a sum of one product per head."""

from dataclasses import replace
from functools import partial

import numpy as np

from components.stage.pieces import (
    ARITHMETIC,
    BESIDE_IT,
    MAX_CELL,
    at_right,
    beside,
    bias_grid,
    cells,
    key_in,
    largest_cell_of,
    lying,
    matrix,
    side,
    spread,
    upright,
)
from components.stage.scene import (
    Block,
    Grid,
    Length,
    Panel,
    Scene,
    Source,
    Text,
    longest,
    outlined,
    pool_for,
    pooled,
    top_of,
    tops_of,
)
from mha import Config, Trace
from mha.steps import step_of
from mha.variations import contributions, without_head

#: The equation's line above the picture.
HEADING = 22
#: The line above the gates.
GATED = "Number by number, each head's result times its gate: what is joined below"
#: Heads whose own share of the output is drawn; the others' are summed up in one.
SHOWN_HEADS = 8


def joined(cfg: Config, trace: Trace | None, off: int | None = None, tokens: tuple[str, ...] = ()) -> Scene:
    """Concat to the left, W_O and b_O above, the output where they meet; below it the same as a sum of every head's share
    Z_i W_i^O.

    `trace`: of the layer with all heads; None: shapes without values. `off`: a head (0-based) that is switched off. The scales
    are the same whichever is, so that no other head's numbers change colour. `tokens`: words for the rows; left out where cells
    are means.
    """
    whole, width = trace, cfg.size("(hv)")
    if trace is not None and off is not None:
        trace = without_head(trace, off)
    pool = pool_for(max(width, cfg.d_model, cfg.query_len))
    grids = _grids(cfg, trace, pool)
    rows: list[tuple[Panel, ...]] = [(_gate(cfg, pool, grids, off, tokens if pool == 1 else ()),)] if cfg.use_gate else []
    rows += [(_corner(cfg, pool, grids, off, tokens if pool == 1 else ()),)]
    if trace is not None:
        rows.append(_shares(cfg, trace, pool, grids, off))
    return Scene(
        tuple(rows),
        grids,
        tops=tops_of(grids) | ({"signed": max(inputs_top(whole, pool), outputs_top(whole, pool))} if whole else {}),
        max_cell=largest_cell_of(cfg.d_model + width, 13),
        captions=((GATED,) if cfg.use_gate else ()) + ("", *([shares_caption(cfg)] if trace is not None else [])),
        min_cell=3,
        alt=_described(cfg, off),
    )


def corner(cfg: Config, trace: Trace | None, off: int | None = None, tokens: tuple[str, ...] = ()) -> Scene:
    """The product alone, tinted by head, the numbers before it on a scale of their own; the page has every head's share beside
    it, as heatmaps. Matrices of more than 64 on a side are outlines."""
    whole = trace
    if trace is not None and off is not None:
        trace = without_head(trace, off)
    pool = pool_for(max(cfg.size("(hv)"), cfg.d_model, cfg.query_len))
    grids, words = _grids(cfg, trace, pool), tokens if pool == 1 else ()
    grids |= {} if trace is None else {name: replace(grid, scale="input") for name, grid in _before(trace, pool).items()}
    rows: list[tuple[Panel, ...]] = [(_gate(cfg, pool, grids, off, words),)] if cfg.use_gate else []
    panel = _corner(cfg, pool, grids, off, words, alone=True)
    rows += [(replace(panel, blocks=tuple(replace(block, calm=True) for block in panel.blocks)),)]
    tops = tops_of(grids) if whole is None else tops_of(grids) | {"signed": outputs_top(whole), "input": inputs_top(whole)}
    captions = (GATED, "") if cfg.use_gate else ()
    named = {"weight": "W, b" if cfg.use_bias else "W", "signed": "output", "input": "Z, G" if cfg.use_gate else "Z"}
    scene = Scene(tuple(rows), grids, _described(cfg, off), tops, max_cell=MAX_CELL, min_cell=4, captions=captions, named=named)
    return outlined(scene)


def inputs_top(trace: Trace, pool: int = 1) -> float:
    """The end of the scale of the heads' results, gates and Concat."""
    return top_of(*(grid.values for grid in _before(trace, pool).values()))


def _described(cfg: Config, off: int | None) -> str:
    return (
        (f"Each of {cfg.num_heads} results times its gate, number by number. " if cfg.use_gate else "")
        + f"{cfg.num_heads} results of {cfg.query_len} × {cfg.value_dim} side by side are {cfg.query_len} × {cfg.size('(hv)')}; "
        f"times W_O, {cfg.size('(hv)')} × {cfg.d_model}, {'plus b_O, ' if cfg.use_bias else ''}they give {cfg.query_len} × "
        f"{cfg.d_model}." + (f" Head {off + 1} is switched off." if off is not None else "")
    )


def _before(trace: Trace, pool: int) -> dict[str, Grid]:
    """What the product takes: Concat, and of a layer with gates what it is made of."""
    names = ("context", "gate", "concat") if trace.gate is not None else ("concat",)
    flat = {name: trace[name].values[0].reshape(trace.cfg.query_len, -1) for name in names}
    return {name: Grid(pooled(values, pool, trace.cfg.num_heads), "signed", pool) for name, values in flat.items()}


def _grids(cfg: Config, trace: Trace | None, pool: int) -> dict[str, Grid]:
    grids: dict[str, Grid] = {}
    width = cfg.size("(hv)")
    if trace is not None:
        grids |= _before(trace, pool)
        grids["w_o"] = Grid(pooled(trace.params.w_o.values.reshape(width, -1).T, pool, cfg.num_heads).T, "weight", pool)
        if cfg.use_bias:
            grids["b_o"] = bias_grid(trace["b_o"].values, pool)
        grids["output"] = Grid(pooled(trace.output.values[0], pool), "signed", pool)
    return grids


def outputs_top(trace: Trace, pool: int = 1) -> float:
    """The end of the scale of the output and of every head's share of it, with all heads on or any one of them off."""
    output, (left, rest) = trace.output.values[0], shares_of(trace)
    tops = [top_of(pooled(output, pool))]
    if rest is not None:
        tops.append(top_of(pooled(rest, pool)))
    for head in range(trace.cfg.num_heads):  # one by one: all shares at once can be far larger than the trace
        share = left[head] if head < SHOWN_HEADS else contributions(trace, slice(head, head + 1))[0]
        drawn = share if head < SHOWN_HEADS else rest - share
        tops.append(top_of(pooled(drawn, pool), pooled(output - share, pool)))
    return max(tops)


def shares_of(trace: Trace) -> tuple[np.ndarray, np.ndarray | None]:
    """The first heads' shares of the output, axes "htm", and the sum of all others', axes "tm"; None where there are none."""
    joined, width = trace.concat.values[0], SHOWN_HEADS * trace.cfg.value_dim
    rest = joined[:, width:] @ trace.params.w_o.values.reshape(-1, trace.cfg.d_model)[width:]
    return contributions(trace, slice(0, SHOWN_HEADS)), rest if trace.cfg.num_heads > SHOWN_HEADS else None


def _term(cfg: Config, head: int) -> str:
    """A head's part of Concat, as it is written."""
    return f"Z_{{{head + 1}}}" + (f" ⊙ σ(G_{{{head + 1}}})" if cfg.use_gate else "")


def shares_caption(cfg: Config) -> str:
    """The line above the heads' shares."""
    return "The same as a sum: each head's share of the output, added up" + (" with b_{O}." if cfg.use_bias else ".")


def _result(cfg: Config) -> str:
    """The name of what Concat joins."""
    return step_of(cfg, "concat").needs[0]


def _factors(cfg: Config, head: int) -> tuple[Source, Source]:
    """What a cell of a head's share is the product of."""
    return Source(f"{_result(cfg)}-{head}", "row", "r"), Source(f"w_o-{head}", "col", "c")


def _gate(cfg: Config, pool: int, grids: dict[str, Grid], off: int | None, words: tuple[str, ...]) -> Panel:
    """Every head's Z, and the gate that it is multiplied by."""
    long, wide, left = side(cfg.query_len, pool), spread(cfg.num_heads, cfg.value_dim, pool), beside(words)
    cut = partial(upright, heads=cfg.num_heads, rows=cfg.query_len, size=cfg.value_dim, pool=pool, height=long, off=off)
    top, right = Length(0, 24), left + wide + Length(0, 34)
    blocks = [*cut("context", key_in(grids, "context"), left, top, words=words)]
    blocks += cut("gate", key_in(grids, "gate"), right, top)
    texts = (
        Text("Z", left + wide.half, Length(0, 12), 13, "ink"),
        Text("⊙", left + wide + Length(0, 17), top + Length(long / 2, 5), 16, "strong"),
        Text("σ(G)", right + wide.half, Length(0, 12), 13, "ink"),
    )
    return Panel("gate", right + wide, top + Length(long, 8), tuple(blocks), texts, zone="heads")


def _corner(
    cfg: Config, pool: int, grids: dict[str, Grid], off: int | None, words: tuple[str, ...], alone: bool = False
) -> Panel:
    """`alone`: the arithmetic stands in the empty corner."""
    heading = 0 if alone else HEADING
    long, out = side(cfg.query_len, pool), cfg.d_model / pool
    h, size, key = cfg.num_heads, cfg.value_dim, partial(key_in, grids)
    wide = spread(h, size, pool)
    left = longest([beside(words), ARITHMETIC], MAX_CELL) if alone else beside(words)
    right, top = left + wide + Length(0, 22), Length(0, 26 if alone else 30 + heading)
    if cfg.use_bias:
        right = longest([right, Length(0, 58)], largest_cell_of(cfg.d_model + cfg.size("(hv)"), 8))
    under = top + wide + Length(0, 18)
    low = under + Length(1, 34) if cfg.use_bias else top + wide + Length(0, 40)
    bias = Block("b_o", key("b_o"), right, under, 1, cells(cfg.d_model, pool), width=out, height=1.0, name="b_o")
    name = _result(cfg)

    def gated(head: int) -> tuple[Source, ...]:
        return (Source(f"context-{head}", "cell"), Source(f"gate-{head}", "cell"))

    pieces = upright(
        name, key("concat"), left, low, heads=h, rows=cfg.query_len, size=size, pool=pool, height=long, off=off, words=words,
        sources=gated if cfg.use_gate else None,
    )  # fmt: skip
    added = (Source("b_o", "col", "c"),) if cfg.use_bias else ()
    blocks = [
        *pieces,
        *lying("w_o", key("w_o"), right, top, heads=h, size=size, columns=cfg.d_model, pool=pool, off=off),
        *((bias,) if cfg.use_bias else ()),
        matrix(
            "output", key("output"), right, low, cfg.query_len, cfg.d_model, pool, width=out, name="output",
            sources=tuple(source for head in range(h) for source in _factors(cfg, head)) + added,
        ),
    ]  # fmt: skip
    bottom = low + Length(long, 18)
    most = 1 if cfg.use_gate else 8
    names = " ".join(_term(cfg, i) for i in range(h)) if h <= most else f"{_term(cfg, 0)} … {_term(cfg, h - 1)}"
    each = alone and h <= most  # then each head's result is named above its piece
    middle = spread(1, size, pool).half
    over = (
        Text(_term(cfg, i), left + spread(i, size, pool) + middle, low + Length(0, -12), 14, "strong", hue=i) for i in range(h)
    )
    at = top + wide + Length(0, 13) if alone else Length(0, 14 + heading)
    plus = at_right("b_{O}", right + Length(out), under + Length(0.5, 5), plus=right)
    named = at_right("W_{O}", right + Length(out), top + Length(0, 13)) if alone else ()
    product = "Concat · W_{O} + b_{O}" if cfg.use_bias else "Concat · W_{O}"
    equation = f"output = {product}" if alone else f"{product} = output"
    above = (
        Text(equation, Length(), Length(0, 12), 14, "strong", "start"),
        Text("·", right + Length(0, -16), top + wide.half + Length(0, 5), 18, "strong"),
    )
    texts = (
        *(() if alone else above),
        *(plus if cfg.use_bias else ()),
        *(() if alone else (Text("=", right + Length(0, -11), low + Length(long / 2, 5), 14, "muted"),)),
        *(over if each else (Text(f"Concat({names})", left + wide.half, low + Length(0, -12), 13, "ink"),)),
        Text(f"{'Concat   ' if each else ''}{cfg.query_len} × ({h} · {size})", left + wide.half, bottom, 14, "ink"),
        *named,
        Text(f"{'' if alone else 'W_{O}   '}({h} · {size}) × {cfg.d_model}", right + Length(out / 2), at, 14, "ink"),
        Text(equation if alone else f"output   {cfg.query_len} × {cfg.d_model}", right + Length(out / 2), bottom, 14, "ink"),
    )
    return Panel("joined", right + Length(out) + BESIDE_IT, bottom + Length(0, 8), tuple(blocks), texts, zone="heads")


def _shares(cfg: Config, trace: Trace, pool: int, grids: dict[str, Grid], off: int | None) -> tuple[Panel, ...]:
    """Z_i W_i^O for the first heads, the sum of all others, the bias, and the output that they add up to."""
    shares, rest = shares_of(trace)
    long, out = side(cfg.query_len, pool), cfg.d_model / pool
    panels, terms = [], []
    whole = partial(matrix, x=Length(), y=Length(0, 28), rows=cfg.query_len, columns=cfg.d_model, pool=pool, width=out)

    def panel(words: str, block: Block) -> Panel:
        text = Text(words, Length(out / 2), block.y + Length(0, -13), hue=block.hue)
        least = 7.0 * len(words) if block.hue is None else 120.0 if cfg.use_gate else 0.0
        return Panel(block.id, Length(out, 2), Length(long, 34), (block,), (text,), zone="heads", least_px=least)

    for head in range(min(cfg.num_heads, SHOWN_HEADS)):
        grids[f"share/{head}"] = Grid(pooled(shares[head], pool), "signed", pool)
        block = whole(
            f"share-{head}", f"share/{head}", name="share", head=head, hue=head, sources=_factors(cfg, head), strip="top",
            faded=head == off,
        )  # fmt: skip
        term = f"({_term(cfg, head)})" if cfg.use_gate else _term(cfg, head)
        panels.append(panel(f"{'+ ' if head else ''}{term}W_{{{head + 1}}}^{{O}}", block))
        terms.append(Source(block.id, "cell"))
    if rest is not None:
        grids["share/rest"] = Grid(pooled(rest, pool), "signed", pool)
        first, last = SHOWN_HEADS + 1, cfg.num_heads
        share, which = ("share", f"head {last}") if last == first else ("shares", f"heads {first} to {last}")
        panels.append(panel(f"+ {which}", whole("share-rest", "share/rest", name=f"{share} of {which}")))
        terms.append(Source("share-rest", "cell"))
    if cfg.use_bias:
        y = Length(max(long - 1, 0) / 2, 28)
        row = Block("b_o-term", "b_o", Length(), y, 1, cells(cfg.d_model, pool), width=out, height=1.0, name="b_o", copy=1)
        panels.append(panel("+ b_{O}", row))
        terms.append(Source("b_o-term", "col", "c"))
    total = whole("output-sum", "output", name="output", copy=1, sources=tuple(terms))
    return (*panels, panel("= output", total))
