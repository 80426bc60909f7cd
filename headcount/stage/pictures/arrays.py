"""Pictures about one parameter array: the results that change with it, and a head's products of two weight matrices."""

from functools import partial

import numpy as np

from headcount import Config, Trace
from headcount.names import LABELS, counted
from headcount.redundancy import circuit_rank, factors
from headcount.sensitivity import WATCHED, Moved
from headcount.stage.pieces import grid_of, matrix, product, side
from headcount.stage.scene import Grid, Length, Panel, Scene, Text, pool_for, pool_for_map, top_of, tops_of

#: Most heads whose maps are drawn; pixels between two maps; pixels from the panel's top to a map's.
SHOWN_HEADS, BETWEEN, TOP = 4, 14, 50
SIGNS = {"scores": "Q_{i}K_{i}^{T}", "weights": "A_{i}, after the softmax", "output": "output"}


def change(cfg: Config, moved: Moved | None, blank: bool = True) -> Scene:
    """Draws how scores, attention weights and output change: maps of the first heads, and the output. Without `moved`, draws
    shapes without values. With `blank`, an array that does not change gets maps, too; without it, only words."""
    grids: dict[str, Grid] = {}
    panels = tuple(
        _changed(cfg, moved, name, grids) if blank or moved is None or moved.largest(name) else _unmoved(moved, name)
        for name in WATCHED
    )
    shown = min(cfg.num_heads, SHOWN_HEADS)
    which = "one array of the parameters" if moved is None else f"{LABELS[moved.array]} alone"
    said = "" if moved is None else " " + "; ".join(f"{LABELS[name]}: {largest(moved, name)}" for name in WATCHED) + "."
    alt = f"What changes in {counted(cfg.query_len, 'row')} of scores, weights and output if {which} is changed.{said}"
    hidden = f"The first {shown} of {cfg.num_heads} heads." if shown < cfg.num_heads else ""
    tops = tops_of(grids) | {"score": top_of(*(grid.values for grid in grids.values() if grid.scale == "score"))}
    return Scene((panels,), grids, alt, tops, max_cell=15, min_cell=4, captions=(hidden,))


def _changed(cfg: Config, moved: Moved | None, name: str, grids: dict[str, Grid]) -> Panel:
    """Draws a panel with the change of the array called `name`: a map for each head, or the output, and below it the largest
    change. Adds their numbers to `grids`."""
    of_heads, largest_change = name != "output", 0.0 if moved is None else moved.largest(name)
    columns = cfg.key_len if of_heads else cfg.d_model
    pool = pool_for_map(cfg.query_len, columns) if of_heads else pool_for(max(cfg.query_len, columns))
    tall, wide = side(cfg.query_len, pool), side(columns, pool)
    texts, blocks, place = [Text(f"Change of {SIGNS[name]}", Length(), Length(0, 14), 14, "strong", "start")], [], Length()
    for head in range(min(cfg.num_heads, SHOWN_HEADS) if of_heads else 1):
        key, own = f"moved_{name}", {}
        if of_heads:
            key, own = f"{key}/{head}", {"head": head, "hue": head, "strip": "top"}
            texts.append(Text(f"head {head + 1}", place + Length(wide / 2), Length(0, TOP - 12), 12, "muted", hue=head))
        if moved is not None:
            values = moved.by(name)[0, head] if of_heads else moved.by(name)[0]
            grids[key] = grid_of(values.astype(np.float32), "score" if name == "scores" else "signed", pool)
        block = partial(matrix, key, key, place, Length(0, TOP), cfg.query_len, columns, pool)
        blocks.append(block(name=f"moved_{name}", **own))
        place = place + Length(wide, BETWEEN)
    if moved is not None:
        among = f", in one of {cfg.num_heads} heads" if of_heads and largest_change and cfg.num_heads > SHOWN_HEADS else ""
        role = "ink" if largest_change else "muted"
        texts.append(Text(largest(moved, name) + among, Length(), Length(tall, TOP + 20), 13, role, "start"))
    width, height = place + Length(0, -BETWEEN), Length(tall, TOP + 26)
    return Panel(name, width, height, tuple(blocks), tuple(texts), least_px=210)


def _unmoved(moved: Moved, name: str) -> Panel:
    title = Text(f"Change of {SIGNS[name]}", Length(), Length(0, 14), 14, "strong", "start")
    said = Text(largest(moved, name), Length(), Length(0, 34), 13, "muted", "start")
    return Panel(name, Length(0, 210), Length(0, 40), (), (title, said))


def largest(moved: Moved, name: str) -> str:
    """ "no change", or the largest change over all heads and samples."""
    change = moved.largest(name)
    return f"changes by up to {change:.3g}" if change else "no change"


def products(cfg: Config, trace: Trace | None, head: int) -> Scene:
    """Draws two products of one head, W_Q W_Kᵀ and W_V W_O, each in the corner between its factors: left and above."""
    head = min(head, cfg.num_heads - 1)
    pool = pool_for(max(cfg.d_model, cfg.key_dim, cfg.value_dim))
    grids: dict[str, Grid] = {}
    panels = tuple(_product(cfg, trace, head, name, pool, grids) for name in ("qk", "ov"))
    ranks = "" if trace is None else f", of rank {circuit_rank(trace, 'qk', head)} and {circuit_rank(trace, 'ov', head)}"
    alt = (
        f"Head {head + 1}: W_Q times W_K transposed, and W_V times W_O. Both are {cfg.d_model} × {cfg.d_model}{ranks}; "
        f"their factors are {cfg.key_dim} and {cfg.value_dim} wide."
    )
    tops = tops_of(grids) | ({"input": top_of(grids["qk"].values)} if trace is not None else {})  # QK is much smaller than OV
    return Scene((panels,), grids, alt, tops, max_cell=13, min_cell=4, named={"input": "QK", "signed": "OV"})


def _product(cfg: Config, trace: Trace | None, head: int, name: str, pool: int, grids: dict[str, Grid]) -> Panel:
    inner, turned = (cfg.key_dim, True) if name == "qk" else (cfg.value_dim, False)
    first, second = ("w_q", "w_k") if turned else ("w_v", "w_o")
    if trace is not None:
        left, right = factors(trace, name, head)
        grids[f"{name}/{first}"] = grid_of(left, "weight", pool)
        grids[f"{name}/{second}"] = grid_of(np.ascontiguousarray(right), "weight", pool)
        grids[name] = grid_of(left @ right, "input" if turned else "signed", pool)
    deep, wide = side(inner, pool), side(cfg.d_model, pool)
    at = Length(0, 8)
    x, top = at + Length(deep, 14), Length(0, 50)
    low = top + Length(deep, 34)
    block = partial(matrix, pool=pool, head=head, hue=head)
    strips = ("left", "top") if turned else ("top", "left")
    blocks = (
        block(f"{name}-right", f"{name}/{second}", x, top, inner, cfg.d_model, name=second, strip=strips[1], turned=turned),
        block(f"{name}-left", f"{name}/{first}", at, low, cfg.d_model, inner, name=first, strip=strips[0]),
        block(name, name, x, low, cfg.d_model, cfg.d_model, name=name, sources=product(f"{name}-left", f"{name}-right")),
    )
    i, letters = head + 1, "QK" if turned else "VO"
    above = f"W_{{{i}}}^{{{letters[1]}}}" + (" transposed" if turned else "")
    rank = "" if trace is None else f", rank {circuit_rank(trace, name, head)}"
    title = "QK: who looks at whom" if turned else "OV: what is passed on"
    texts = (
        Text(title, Length(), Length(0, 12), 14, "strong", "start"),
        Text(f"{above}   {inner} × {cfg.d_model}", x + Length(wide / 2), Length(0, 38), 13),
        Text(f"W_{{{i}}}^{{{letters[0]}}}", at + Length(deep / 2), low + Length(0, -9 if turned else -13), 13),
        Text(f"{cfg.d_model} × {cfg.d_model}{rank}", x + Length(wide / 2), low + Length(wide, 18), 13, "strong"),
    )
    return Panel(name, x + Length(wide), low + Length(wide, 24), blocks, texts, least_px=170)
