"""Z_1 … Z_h side by side, times W_O; and the same as a sum of one product per head."""

from components.figures.pieces import cells, lying, side, spread, upright
from components.figures.scene import Block, Grid, Length, Panel, Scene, Source, Text, pool_for, pooled, tops_of
from mha import Config, Trace
from mha.variations import contributions, without_head

MOST_CELLS = 48
#: Heads whose own share of the output is drawn.
SHOWN_HEADS = 8


def joined(cfg: Config, trace: Trace | None, off: int | None = None) -> Scene:
    """Concat to the left, W_O above, the output where they meet; below it every head's share Z_i W_i^O.

    `off`: a head (0-based) that is switched off. `trace` None: shapes without values.
    """
    width = cfg.size("(hv)")
    pool = pool_for(max(width, cfg.d_model, cfg.query_len), MOST_CELLS)
    grids: dict[str, Grid] = {}
    if trace is not None:
        grids["concat"] = Grid(pooled(trace.concat.values[0], pool, cfg.num_heads), "signed", pool)
        grids["w_o"] = Grid(pooled(trace.params.w_o.values.reshape(width, -1).T, pool, cfg.num_heads).T, "weight", pool)
        grids["output"] = Grid(pooled(trace.output.values[0], pool), "signed", pool)
    rows = [(_corner(cfg, pool, grids, off),)]
    if trace is not None:
        rows.append(_shares(cfg, trace, pool, grids, off))
    return Scene(
        tuple(rows),
        grids,
        tops=tops_of(grids),
        max_cell=13,
        captions=("", shares_caption(cfg))[: len(rows)],
        min_cell=3,
        alt=f"{cfg.num_heads} results of {cfg.query_len} × {cfg.value_dim} side by side are {cfg.query_len} × {width}; "
        f"times W_O, {width} × {cfg.d_model}, they give {cfg.query_len} × {cfg.d_model}."
        + (f" Head {off + 1} is switched off." if off is not None else ""),
    )


def joined_without(cfg: Config, trace: Trace | None, off: int | None) -> Scene:
    """The same of a layer of which one head (0-based) is switched off here."""
    return joined(cfg, trace if trace is None or off is None else without_head(trace, off), off)


def shares_caption(cfg: Config) -> str:
    """The line above the heads' shares."""
    some = f" (the first {SHOWN_HEADS} of {cfg.num_heads})" if cfg.num_heads > SHOWN_HEADS else ""
    return (
        f"The same as a sum: each head's share of the output{some}, added up with b_{{O}}."
        if cfg.use_bias
        else (f"The same as a sum: each head's share of the output{some}, added up.")
    )


def _corner(cfg: Config, pool: int, grids: dict[str, Grid], off: int | None) -> Panel:
    held = lambda key: key if key in grids else None  # noqa: E731
    faded = frozenset() if off is None else frozenset({off})
    long, out = side(cfg.query_len, pool), cfg.d_model / pool
    rows, h, size = cells(cfg.query_len, pool), cfg.num_heads, cfg.value_dim
    wide = spread(h, size, pool)
    right, top = wide + Length(0, 22), Length(0, 30)
    low = top + wide + Length(0, 40)
    pieces = upright(
        "context", held("concat"), Length(), low, heads=h, rows=cfg.query_len, size=size, pool=pool, height=long, faded=faded
    )
    blocks = [
        *pieces,
        *lying("w_o", held("w_o"), right, top, heads=h, size=size, columns=cfg.d_model, pool=pool, faded=faded),
        Block(
            "output",
            held("output"),
            right,
            low,
            rows,
            cells(cfg.d_model, pool),
            width=out,
            height=long,
            name="output",
            sources=tuple(
                s for head in range(h) for s in (Source(f"context-{head}", "row", "r"), Source(f"w_o-{head}", "col", "c"))
            ),
        ),
    ]
    bottom = low + Length(long, 18)
    names = " ".join(f"Z_{{{i + 1}}}" for i in range(h)) if h <= 8 else f"Z_{{1}} … Z_{{{h}}}"
    texts = (
        Text(f"Concat({names})", Length(wide.cells / 2, wide.px / 2), low + Length(0, -12), 13, "ink"),
        Text(f"{cfg.query_len} × ({h} · {size})", Length(wide.cells / 2, wide.px / 2), bottom, 13, "muted"),
        Text(f"W_{{O}}   ({h} · {size}) × {cfg.d_model}", right + Length(out / 2), Length(0, 14), 13, "ink"),
        Text(f"output   {cfg.query_len} × {cfg.d_model}", right + Length(out / 2), bottom, 13, "ink"),
    )
    return Panel("joined", right + Length(out), bottom + Length(0, 8), tuple(blocks), texts, zone="heads")


def _shares(cfg: Config, trace: Trace, pool: int, grids: dict[str, Grid], off: int | None) -> tuple[Panel, ...]:
    """Z_i W_i^O for the first heads, each as large as the output."""
    made = contributions(trace, slice(0, SHOWN_HEADS))
    long, out = side(cfg.query_len, pool), cfg.d_model / pool
    panels = []
    for head in range(min(cfg.num_heads, SHOWN_HEADS)):
        grids[f"share/{head}"] = Grid(pooled(made[head], pool), "signed", pool)
        block = Block(
            f"share-{head}",
            f"share/{head}",
            Length(),
            Length(0, 28),
            cells(cfg.query_len, pool),
            cells(cfg.d_model, pool),
            width=out,
            height=long,
            name="share",
            head=head,
            hue=head,
            sources=(Source(f"context-{head}", "row", "r"), Source(f"w_o-{head}", "col", "c")),
            strip="top",
            faded=head == off,
        )
        sign = "" if head == 0 else "+ "
        text = Text(f"{sign}Z_{{{head + 1}}}W_{{{head + 1}}}^{{O}}", Length(out / 2), Length(0, 15), 13, "ink", hue=head)
        panels.append(Panel(f"share-{head}", Length(out, 2), Length(long, 34), (block,), (text,), zone="heads"))
    return tuple(panels)
