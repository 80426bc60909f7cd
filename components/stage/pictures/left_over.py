"""W_Q where the heads do not divide its width: a whole number of columns for each head, and the columns that are left over."""

from components.stage.pieces import cells, edges, grid_of, matrix, side, spread, upright
from components.stage.scene import Grid, Length, Panel, Scene, Text, pool_for, tops_of
from mha import Trace
from mha.names import counted, heads_in_words


def draw(d_model: int, num_heads: int, trace: Trace | None) -> Scene:
    """Draws W_Q cut into heads. `trace`: of a layer whose W_Q is d_model × d_model; None: shapes without values (too large)."""
    size = d_model // num_heads
    used, rest = num_heads * size, d_model % num_heads
    pool = pool_for(d_model)
    top, tall = Length(0, 34), Length(d_model / pool)
    grids: dict[str, Grid] = {}
    if trace is not None and used:
        grids["w_q"] = grid_of(trace.params.w_q.values.reshape(d_model, d_model)[:, :used], "weight", pool)
    pieces = upright("w_q", "w_q", Length(), top, heads=num_heads, rows=d_model, size=size, pool=pool)
    pieces = pieces if used else []
    left = spread(num_heads, size, pool)
    over = matrix(
        "left-over", None, left, top, cells(d_model, pool), cells(rest, pool), width=rest / pool, height=d_model / pool,
        name="left over", warn=True, edges=edges(num_heads, num_heads + 1) if used else "oooo",
    )  # fmt: skip
    columns = counted(rest, "column") + " left over"
    below = top + tall
    texts = [Text(f"W_{{Q}}   {d_model} × {d_model}", Length(), Length(0, 14), 14, "ink", "start")]
    if used:
        shared = f"{heads_in_words(num_heads)} × {counted(size, 'column')} = {used}"
        texts.append(Text(shared, Length(), below + Length(0, 20), 14, "ink", "start"))
    texts.append(Text(columns, Length(side(d_model, pool)), Length(0, 14), 14, "warn", "end"))
    alt = f"W_Q, {d_model} × {d_model}: {heads_in_words(num_heads)} of {counted(size, 'column')}, {columns}."
    panel = Panel("left-over", tall, below + Length(0, 26), (*pieces, over), tuple(texts))
    return Scene(((panel,),), grids, alt, tops_of(grids), max_cell=14, min_cell=1.2)
