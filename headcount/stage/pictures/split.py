"""Scenes of a common mistake: each head gets only a slice of X. A further scene shows W_Q if h does not divide d_model."""

from functools import partial

from headcount import Config, Trace
from headcount.names import counted, heads_in_words, noun
from headcount.stage.pieces import cells, edges, grid_of, matrix, product, side, spread, upright
from headcount.stage.scene import Grid, Length, LitPart, Panel, Scene, Text, pool_for, tops_of
from headcount.variations import Split

#: Pixels between X and the matrix, and between matrix, bias and result.
BESIDE, BETWEEN = 16, 30
#: Pixels from the top to a panel's title, to the matrix's name, and to the matrix.
TITLE, NAME, TOP = 12, 36, 52


def sentence(cfg: Config, wrong: Split | None) -> str:
    """Returns sentences that compare the layer's W_Q with the common mistake. `wrong` is what the mistake gives, or None if
    d_model cannot be sliced evenly."""
    right = cfg.d_model * cfg.num_heads * cfg.key_dim
    if wrong is None:
        return (
            f"If each head got a slice of the embedding, {heads_in_words(cfg.num_heads)} could not share a width "
            f"of {cfg.d_model} evenly. X is not sliced, so the layer exists: $W_Q$ holds {counted(right, 'weight')}."
        )
    if cfg.num_heads == 1:
        same = f"With one head, the only slice is all of X: $W_Q$ has {counted(right, 'weight')} either way."
        return f"{same} Take more heads to see a difference."
    return (
        f"If each head got only {cfg.d_model // cfg.num_heads} of the {counted(cfg.d_model, 'column')} of X, $W_Q$ would have "
        f"only **{wrong.count:,}** {noun(wrong.count, 'weight')}, in blocks on its diagonal. But the layer copies X to every "
        f"head: $W_Q$ has **{right:,}** {noun(right, 'weight')}, and the results differ."
    )


def draw(trace: Trace, wrong: Split) -> Scene:
    """Draws two products on one scale: all of X times W_Q, and slices of X times diagonal blocks of W_Q (the common mistake)."""
    cfg = trace.cfg
    h, width, size, length = cfg.num_heads, cfg.d_model, cfg.key_dim, cfg.query_len
    pool, part = pool_for(max(width, h * size, length)), width // h
    x = trace.x_query.values[0]
    grids = {
        "x_query": grid_of(x, "signed", pool), "w_q": grid_of(trace.params.w_q.values, "weight", pool),
        "q": grid_of(trace.q.values[0], "signed", pool), "not_q": grid_of(wrong.q, "signed", pool),
    }  # fmt: skip
    for head in range(h):
        rows, columns = slice(head * part, (head + 1) * part), slice(head * size, (head + 1) * size)
        grids[f"slice/{head}"] = grid_of(x[:, rows], "signed", pool)
        grids[f"block/{head}"] = grid_of(wrong.kernel[rows, columns], "weight", pool)
    if cfg.use_bias:
        grids["b_q"] = grid_of(trace["b_q"].values.reshape(-1), "weight", pool)
    weights = width * h * size
    alt = (
        "X times W_Q is drawn twice. With one head, the only slice is all of X, so both ways give the same Q."
        if h == 1
        else f"The layer multiplies all of X by W_Q, a full matrix with {counted(weights, 'weight')}. Beside it, the wrong idea "
        f"cuts X into {counted(h, 'slice')} and leaves W_Q only {counted(wrong.count, 'weight')}, in blocks on its diagonal. "
        "Below are the two results: Q, and what the wrong idea gives instead."
    )
    alt += " Both results include b_Q." if cfg.use_bias else ""
    panels = (_panel(cfg, pool, "layer"), _panel(cfg, pool, "wrong"))
    return Scene((panels,), grids, alt, tops_of(grids), max_cell=11, min_cell=3)


def _panel(cfg: Config, pool: int, which: str) -> Panel:
    """Draws a product: X at the left, W_Q (and b_Q) at the top, the result in the corner. `which` is "layer" or "wrong"."""
    h, size, length, tall = cfg.num_heads, cfg.key_dim, cfg.query_len, cfg.d_model / pool
    part, real, long = cfg.d_model // h, which == "layer", side(length, pool)
    right, top = Length(tall, BESIDE), Length(0, TOP)
    under = top + Length(tall, BETWEEN / 2)
    low = under + Length(1, BETWEEN) if cfg.use_bias else top + Length(tall, BETWEEN)
    cut = partial(upright, heads=h, size=size, pool=pool)

    def factors(head: int) -> tuple[LitPart, ...]:
        both = ("x_query", f"w_q-{head}") if real else (f"slice-{head}", f"block-{head}")
        return product(*both, *((f"b_q-{head}",) if cfg.use_bias else ()))

    x_left = partial(matrix, y=low, rows=length, pool=pool)
    if real:
        blocks = [x_left("x_query", "x_query", Length(), columns=cfg.d_model, width=tall, name="x_query")]
        blocks += cut("w_q", "w_q", right, top, rows=cfg.d_model)
    else:
        empty = {"width": spread(h, size, pool).cells, "height": tall, "name": "no weights"}
        blocks = [matrix("none", None, right, top, cfg.d_model, h * size, pool, **empty)]
        deep = part / pool
        block = partial(matrix, rows=part, columns=size, pool=pool, width=size / pool, height=deep, name="w_q")
        for head in range(h):
            own, down, around = {"head": head, "hue": head, "strip": "top"}, Length(head * deep), edges(head, h)
            blocks += [
                x_left(f"slice-{head}", f"slice/{head}", down, columns=part, width=deep, name="X", edges=around, **own),
                block(f"block-{head}", f"block/{head}", right + spread(head, size, pool), top + down, **own),
            ]
    if cfg.use_bias:
        blocks += cut("b_q", "b_q", right, under, rows=1, height=1.0, strip=None)
    result, one = "q" if real else "not_q", h == 1
    wrong = "With one head the slice is all of X" if one else "The wrong idea: a slice for each head"
    blocks += cut(result, result, right, low, rows=length, height=long, sources=factors)
    wide = spread(h, size, pool)
    centre, bottom = right + wide.half, low + Length(long, 18)
    plus = " + b_{Q}" if cfg.use_bias else ""
    inputs = f"X   {length} × {cfg.d_model}" if real else f"X, {counted(h, 'slice')} of {part}"
    kernel = f"W_{{Q}}   {cfg.d_model} × ({h} · {size})" if real else f"{counted(h, 'block')} of {part} × {size}"
    texts = (
        Text("The layer: every head reads all of X" if real else wrong, Length(), Length(0, TITLE), 14, "strong", "start"),
        Text(kernel, centre, Length(0, NAME)),
        Text("·", right + Length(0, -8), top + Length(tall / 2, 5), 18, "strong"),
        Text("=", right + Length(0, -8), low + Length(long / 2, 5), 14, "muted"),
        Text(inputs, Length(tall / 2), bottom),
        Text(f"X · W_{{Q}}{plus} = Q" if real else "the same Q" if one else "not Q", centre, bottom),
        *((Text("+ b_{Q}", right + Length(0, -9), under + Length(0.5, 5), 14, "ink", "end"),) if cfg.use_bias else ()),
    )  # fmt: skip
    return Panel(which, right + wide, bottom + Length(0, 6), tuple(blocks), texts)


def left_over(d_model: int, num_heads: int, trace: Trace | None) -> Scene:
    """Draws W_Q if the number of heads does not divide d_model. All heads have equally many columns, and the other columns are
    marked. `trace` is a layer whose W_Q is d_model × d_model. If `trace` is None, the drawing has no values."""
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
    alt = f"W_Q, {d_model} × {d_model}, is cut for {heads_in_words(num_heads)} of {counted(size, 'column')}, with {columns}."
    panel = Panel("left-over", tall, below + Length(0, 26), (*pieces, over), tuple(texts))
    return Scene(((panel,),), grids, alt, tops_of(grids), max_cell=14, min_cell=1.2)
