"""Scene of the concatenation: the head outputs Z_1 … Z_h side by side, times W_O. A layer with biases adds b_O."""

from functools import partial

import numpy as np

from headcount import Config, Trace
from headcount.names import counted
from headcount.stage import pieces
from headcount.stage.scene import Block, Grid, Length, LitPart, Panel, Scene, Text, longest, pool_for, top_of, tops_of
from headcount.steps import step_of
from headcount.variations import contributions, without_head

#: The caption above the gates.
GATED = "Number by number, each head's result times its gate: what is joined below"
#: Most heads whose contributions to the output are computed one by one. The contributions of the other heads are added up.
SHOWN_HEADS = 8


def corner(cfg: Config, trace: Trace | None, off: int | None = None, tokens: tuple[str, ...] = ()) -> Scene:
    """Draws Concat at the left, W_O (and b_O) at the top, and the output in the lower right corner. `trace` is the layer with all
    heads on, or None for empty matrices. `off` is a head (0-based) to switch off. The colour scales stay the same without this
    head. `tokens` label the rows if each cell is one number."""
    whole = trace
    trace = trace if trace is None or off is None else without_head(trace, off)
    pool = pool_for(max(cfg.size("(hv)"), cfg.d_model, cfg.query_len))
    grids, words = grids_of(trace, pool, "input"), tokens if pool == 1 else ()
    tops = tops_of(grids) if whole is None else tops_of(grids) | {"signed": outputs_top(whole), "input": inputs_top(whole)}
    above, captions = ([_gate(cfg, pool, off, words)], (GATED, "")) if cfg.use_gate else ([], ())
    named = {"weight": "W, b" if cfg.use_bias else "W", "signed": "", "input": "Z, G" if cfg.use_gate else "Z"}
    panel, alt = _corner(cfg, pool, off, words), described(cfg, off)
    return pieces.alone(panel, grids, alt, tops, *above, captions=captions, named=named)


def inputs_top(trace: Trace) -> float:
    """Returns the end of the colour scale for Concat. In a layer with gates, head outputs and gates use the same scale."""
    return top_of(*(trace[name].values[0] for name in _inputs(trace)))


def described(cfg: Config, off: int | None = None) -> str:
    joined, output = (f"{cfg.query_len} × {size}" for size in (cfg.size("(hv)"), cfg.d_model))
    outputs = (
        f"{counted(cfg.num_heads, 'head output')} of {cfg.query_len} × {cfg.value_dim}, side by side, make Concat, {joined}."
    )
    outputs = outputs if cfg.num_heads > 1 else f"The output of the only head is Concat, {joined}."
    gates = f"Each of {counted(cfg.num_heads, 'result')} is multiplied by its gate, number by number. " if cfg.use_gate else ""
    plus = ", plus b_O," if cfg.use_bias else ""
    without = f" Head {off + 1} is switched off." if off is not None else ""
    return f"{gates}{outputs} Concat times W_O ({cfg.size('(hv)')} × {cfg.d_model}){plus} is the output, {output}.{without}"


def _inputs(trace: Trace) -> tuple[str, ...]:
    return ("context", "gate", "concat") if trace.gate is not None else ("concat",)


def grids_of(trace: Trace | None, pool: int, inputs: str = "signed") -> dict[str, Grid]:
    """Returns the picture's arrays by name, or {} without a `trace`. `inputs` names the colour scale of all arrays before W_O."""
    if trace is None:
        return {}
    w_o = trace.params.w_o.values.reshape(-1, trace.cfg.d_model)
    grids = {name: pieces.grid_of(trace[name].values[0], inputs, pool) for name in _inputs(trace)}
    grids["w_o"] = pieces.grid_of(w_o, "weight", pool)
    if trace.cfg.use_bias:
        grids["b_o"] = pieces.grid_of(trace["b_o"].values, "weight", pool)
    return grids | {"output": pieces.grid_of(trace.output.values[0], "signed", pool)}


def outputs_top(trace: Trace) -> float:
    """Returns the end of the colour scale that the output and the arrays of `shares_of` have in common. The scale fits the layer
    with all heads on, and with any one head off."""
    output, (left, rest) = trace.output.values[0], shares_of(trace)
    tops = [top_of(output)] + ([] if rest is None else [top_of(rest)])
    for head in range(trace.cfg.num_heads):  # one by one: all contributions at once can be far larger than the trace
        share = left[head] if head < SHOWN_HEADS else contributions(trace, slice(head, head + 1))[0]
        tops.append(top_of(share if head < SHOWN_HEADS else rest - share, output - share))
    return max(tops)


def shares_of(trace: Trace) -> tuple[np.ndarray, np.ndarray | None]:
    """Returns what the first SHOWN_HEADS heads contribute to the output, with axes (head, query, d_model). Also returns the sum
    of what the later heads contribute, or None if there are no later heads."""
    joined, width = trace.concat.values[0], SHOWN_HEADS * trace.cfg.value_dim
    rest = joined[:, width:] @ trace.params.w_o.values.reshape(-1, trace.cfg.d_model)[width:]
    return contributions(trace, slice(0, SHOWN_HEADS)), rest if trace.cfg.num_heads > SHOWN_HEADS else None


def _term(cfg: Config, head: int) -> str:
    return f"Z_{{{head + 1}}}" + (f" ⊙ σ(G_{{{head + 1}}})" if cfg.use_gate else "")


def _gate(cfg: Config, pool: int, off: int | None, words: tuple[str, ...]) -> Panel:
    long, wide, left = pieces.side(cfg.query_len, pool), pieces.spread(cfg.num_heads, cfg.value_dim, pool), pieces.beside(words)
    cut = partial(pieces.upright, heads=cfg.num_heads, rows=cfg.query_len, size=cfg.value_dim, pool=pool, height=long, off=off)
    top, right = Length(0, 24), left + wide + Length(0, 34)
    blocks = [*cut("context", "context", left, top, words=words)]
    blocks += cut("gate", "gate", right, top)
    texts = (
        Text("Z", left + wide.half, Length(0, 12), 13, "ink"),
        Text("⊙", left + wide + Length(0, 17), top + Length(long / 2, 5), 16, "strong"),
        Text("σ(G)", right + wide.half, Length(0, 12), 13, "ink"),
    )
    return Panel("gate", right + wide, top + Length(long, 8), tuple(blocks), texts, zone="heads")


def _corner(cfg: Config, pool: int, off: int | None, words: tuple[str, ...]) -> Panel:
    """Draws Concat times W_O, plus b_O if there are biases. The upper left corner stays free for the arithmetic of a cell."""
    long, out = pieces.side(cfg.query_len, pool), cfg.d_model / pool
    h, size = cfg.num_heads, cfg.value_dim
    wide = pieces.spread(h, size, pool)
    left = pieces.beside_input(words)
    right, top = left + wide + Length(0, 22), Length(0, 26)
    if cfg.use_bias:
        right = longest([right, Length(0, 58)])
    under = top + wide + Length(0, 18)
    low = under + Length(1, 34) if cfg.use_bias else top + wide + Length(0, 40)
    bias = Block("b_o", "b_o", right, under, 1, pieces.cells(cfg.d_model, pool), width=out, height=1.0, name="b_o")
    name = step_of(cfg, "concat").needs[0]

    def gated(head: int) -> tuple[LitPart, ...]:
        return (LitPart(f"context-{head}", "cell"), LitPart(f"gate-{head}", "cell"))

    cut = pieces.upright(
        name, "concat", left, low, heads=h, rows=cfg.query_len, size=size, pool=pool, height=long, off=off, words=words,
        sources=gated if cfg.use_gate else None,
    )  # fmt: skip
    factors = tuple(source for i in range(h) for source in pieces.product(f"{name}-{i}", f"w_o-{i}"))
    factors += (LitPart("b_o", "col", "c"),) if cfg.use_bias else ()
    blocks = [
        *cut,
        *pieces.lying("w_o", "w_o", right, top, heads=h, size=size, columns=cfg.d_model, pool=pool, off=off),
        *((bias,) if cfg.use_bias else ()),
        pieces.matrix(
            "output", "output", right, low, cfg.query_len, cfg.d_model, pool, width=out, name="output", sources=factors
        ),
    ]
    bottom = low + Length(long, 18)
    each = h <= (1 if cfg.use_gate else 8)  # each head's output is then named above its block
    middle, above = left + pieces.spread(1, size, pool).half, low + Length(0, -12)
    over = (Text(_term(cfg, i), middle + pieces.spread(i, size, pool), above, 14, "strong", hue=i) for i in range(h))
    together = Text(f"Concat({_term(cfg, 0)} … {_term(cfg, h - 1)})", left + wide.half, above, 13, "ink")
    sizes = f"Concat   {h} × {size} columns" if each else f"{cfg.query_len} × ({h} · {size})"
    plus = pieces.at_right("b_{O}", right + Length(out), under + Length(0.5, 5), plus=right)
    equation = "output = Concat · W_{O} + b_{O}" if cfg.use_bias else "output = Concat · W_{O}"
    texts = (
        *(plus if cfg.use_bias else ()),
        *(over if each else (together,)),
        Text(sizes, left + wide.half, bottom, 14, "ink"),
        *pieces.at_right("W_{O}", right + Length(out), top + Length(0, 13)),
        Text(f"{h * size} × {cfg.d_model}", right + Length(out / 2), top + wide + Length(0, 13), 14, "muted"),
        Text(equation, right + Length(out / 2), bottom, 14, "strong"),
    )
    return Panel("joined", right + Length(out) + pieces.BESIDE_IT, bottom + Length(0, 8), tuple(blocks), texts, zone="heads")
