"""Scenes of the projections (X times W_Q, W_K, W_V or W_G), and of one weight matrix stored in three ways."""

from functools import partial

from headcount import Config, Trace
from headcount.explain import input_name
from headcount.names import counted
from headcount.stage import pieces
from headcount.stage.scene import Block, Grid, Length, Panel, Scene, Text, for_numbers_alone, longest, pool_for, top_of, tops_of

#: Each weight matrix with the letter of its result, the arrays of its input and result, and the axis of a head's size.
KERNELS = {"w_q": ("Q", "x_query", "q", "k"), "w_k": ("K", "x_key", "k", "k"), "w_v": ("V", "x_key", "v", "v")}
#: The weight matrix of a gate, with its symbol, input, result and axis.
GATE = {"w_g": ("G", "x_query", "g", "v")}
#: Pixels between a weight matrix, its bias and the result, one below the other.
BETWEEN = 40
#: Least d_model for which the label of X spells out "words" and "numbers".
WORDED = 12
#: Most rows of cells, and most outlines, in the picture of Keras's kernel as one tile per row.
MAX_TILE_ROWS, MAX_OUTLINES = 512, 6
CUTS = ("fused", "separate", "keras")


def claim(cfg: Config) -> str:
    """Returns a title, without full stop, that says which shape each head's slices of W_Q, W_K and W_V have."""
    size, read = f"{cfg.d_model} × {cfg.key_dim}", inputs(cfg, " and ")
    if cfg.value_dim == cfg.key_dim:
        return f"Each head reads all of {read} through its own {size} slice"
    values = f"{cfg.d_model} × {cfg.value_dim}"
    return f"Each head reads all of {read} through its own slices: {size} for queries and keys, {values} for values"


def inputs(cfg: Config, between: str) -> str:
    """Names the layer's inputs: "X", or in cross-attention "X" and "X′". `between` is the text between the two names."""
    return between.join(dict.fromkeys(input_name(cfg, source) for source in ("x_query", "x_key")))


def corner(cfg: Config, trace: Trace | None, name: str, tokens: tuple[str, ...] = ()) -> Scene:
    """Draws one projection: a weight matrix (and its bias) at the top, X at the left, and the result in the lower right corner.
    `name` is such as "w_q". All are outlines without a `trace`, or if the layer has over 64 rows or columns in a matrix."""
    longest_side = max(cfg.d_model, cfg.num_heads * cfg.key_dim, cfg.size("(hv)"), cfg.query_len, cfg.key_len)
    pool = pool_for(longest_side)
    grids: dict[str, Grid] = {}
    panel = _corner(cfg, trace, name, pool, grids, tokens if pool == 1 else ())
    symbol, source, result, size = (KERNELS | GATE)[name]
    tops = {}
    if trace is not None:  # next to Q, K or V, which may be far larger, X's numbers would be pale on their scale
        inputs = top_of(trace.x_query.values, trace.x_key.values)
        tops = {"weight": weights_top(trace, result), "signed": values_top(trace, result), "input": inputs}
    length = cfg.query_len if source == "x_query" else cfg.key_len
    x, w = (
        f"{input_name(cfg, source)} ({length} × {cfg.d_model})",
        f"W_{symbol} ({cfg.d_model} × {cfg.num_heads * cfg.size(size)})",
    )
    plus = f", plus b_{symbol}," if cfg.use_bias else ""
    whom = f"each of {cfg.num_heads} heads" if cfg.num_heads > 1 else "1 head"
    alt = f"{x} times {w}{plus} is {symbol}. {symbol} has a block of {length} × {cfg.size(size)} for {whom}."
    named = {"weight": "W, b" if cfg.use_bias else "W", "input": "X", "signed": "" if symbol in "QK" else symbol}
    return pieces.alone(panel, grids, alt, tops, named=named)


def weights_top(trace: Trace, name: str) -> float:
    """Returns the end of the colour scale for weights and bias. `name` is "q", "k", "v" or "g"; "q" and "k" share a scale."""
    kinds = "wb" if trace.cfg.use_bias else "w"
    return top_of(*(trace[f"{kind}_{one}"].values for kind in kinds for one in ("qk" if name in "qk" else name)))


def values_top(trace: Trace, name: str) -> float:
    """Returns the end of the colour scale for a result. `name` is "q", "k", "v" or "g"; "q" and "k" share a scale."""
    return top_of(*(trace[one].values for one in ("qk" if name in "qk" else name)))


def _corner(cfg: Config, trace: Trace | None, name: str, pool: int, grids: dict[str, Grid], words: tuple[str, ...]) -> Panel:
    symbol, source, result, letter = (KERNELS | GATE)[name]
    bias = "b" + name[1:]
    size, length = cfg.size(letter), cfg.query_len if source == "x_query" else cfg.key_len
    if trace is not None:
        grids[name] = pieces.grid_of(trace[name].values, "weight", pool)
        if cfg.use_bias:
            grids[bias] = pieces.grid_of(trace[bias].values.reshape(-1), "weight", pool)
        grids[source] = pieces.grid_of(trace[source].values[0], "input", pool)
        grids[result] = pieces.grid_of(trace[result].values[0], "signed", pool)
    tall, long = cfg.d_model / pool, pieces.side(length, pool)
    left = pieces.beside_input(words)
    label = Length(0, 58 if cfg.use_bias else 0)
    right, top = left + longest([Length(tall, 16), label], pieces.MAX_CELL), Length(0, 28)
    under = top + Length(tall, BETWEEN / 2)
    low = under + Length(1, BETWEEN * 0.7) if cfg.use_bias else top + Length(tall, BETWEEN)
    cut = partial(pieces.upright, heads=cfg.num_heads, size=size, pool=pool)

    factors = lambda head: pieces.product(source, f"{name}-{head}", *((f"{bias}-{head}",) if cfg.use_bias else ()))  # noqa: E731
    blocks = [
        *cut(name, name, right, top, rows=cfg.d_model),
        *(cut(bias, bias, right, under, rows=1, height=1.0, strip=None) if cfg.use_bias else ()),
        pieces.matrix(source, source, left, low, length, cfg.d_model, pool, width=tall, name=source, row_labels=words),
        *cut(result, result, right, low, rows=length, height=long, sources=factors),
    ]
    wide = pieces.spread(cfg.num_heads, size, pool)
    centre = right + wide.half
    bottom = low + Length(long, 18)
    x = input_name(cfg, source)
    equation = f"{symbol} = {x} · W_{{{symbol}}}" + (f" + b_{{{symbol}}}" if cfg.use_bias else "")
    sizes = f"{length} words × {cfg.d_model} numbers" if words and cfg.d_model >= WORDED else f"{length} × {cfg.d_model}"
    texts = (
        *pieces.heads_above(right, Length(0, 14), cfg.num_heads, size, pool),
        Text(f"{cfg.d_model} × {cfg.num_heads * size}", centre, top + Length(tall, 14), 14, "muted"),
        *(pieces.at_right(f"b_{{{symbol}}}", right + wide, under + Length(0.5, 5), plus=right) if cfg.use_bias else ()),
        *pieces.at_right(f"W_{{{symbol}}}", right + wide, top + Length(0, 13)),
        *pieces.at_right(symbol, right + wide, low + Length(0, 13)),
        Text(f"{x}   {sizes}", left + Length(tall / 2), bottom, 14, "ink"),
        Text(equation, centre, bottom, 14, "strong"),
    )
    return Panel(name, right + wide + pieces.BESIDE_IT, bottom + Length(0, 6), tuple(blocks), texts)


def three_cuts(cfg: Config, trace: Trace, name: str, cut: str) -> Scene:
    """Draws one weight matrix (and its bias) in one of three cuts, for heads of size d. `cut` "fused" is one matrix of d_model ×
    (h·d). "separate" is h matrices of d_model × d, and "keras" is one array of shape (d_model, h, d)."""
    symbol, _, _, letter = KERNELS[name]
    bias, size, h, m = "b" + name[1:], cfg.size(letter), cfg.num_heads, cfg.d_model
    pool = pool_for(max(m, h * size))
    tiles = cut == "keras" and not for_numbers_alone()
    # Hundreds of rows of cells stay legible, but only a few outlines do.
    shown = max(1, min(m, MAX_OUTLINES if pool > 1 else MAX_TILE_ROWS // h)) if tiles else m
    caption, bias_shape, bias_words = {
        "fused": (f"{m} × ({h} · {size}) = {m} × {h * size}. PyTorch stores its transpose", f"{h} · {size} = {h * size}",
                  f"one row, {size} for each head"),
        "separate": (f"{counted(h, 'matrix', 'matrices')} of {m} × {size}: how the paper writes it",
                     *2 * (f"{counted(h, 'vector')} of {size}",)),
        "keras": (f"({m}, {h}, {size}): Keras's kernel, one {h} × {size} tile for each of {counted(m, 'row')}"
                  + (f" (the first {shown} are drawn)" if shown < m else ""), f"({h}, {size})", f"a tile of {h} × {size}"),
    }[cut]  # fmt: skip
    grids = {name: pieces.grid_of(trace[name].values, "weight", pool)}
    if cfg.use_bias:
        grids[bias] = pieces.grid_of(trace[bias].values.reshape(-1), "weight", pool)
    cuts = partial(pieces.upright, x=Length(), heads=h, size=size, pool=pool, cut="-" if cut == "fused" else "c")
    blocks, width = cuts(name, name, y=Length(0, 8), rows=m), pieces.spread(h, size, pool)
    if tiles:
        blocks, width = _tiles(cfg, name, size, shown)
    tall, texts = max((block.y + Length(block.h) for block in blocks), key=lambda length: length.at(8)), ()
    if cfg.use_bias:
        y = tall + Length(0, 36)
        texts = (Text(f"b_{{{symbol}}}   {bias_shape}", Length(), y + Length(0, -14), 14, "ink", "start"),)
        rows = _tile(bias, bias, cfg, size, Length(), y, 0) if tiles else cuts(bias, bias, y=y, rows=1, height=1.0)
        blocks, tall = [*blocks, *rows], y + Length(rows[-1].y.cells - y.cells + rows[-1].h)
    panel = Panel("cuts", width, tall + Length(0, 6), tuple(blocks), texts)
    alt = f"W_{symbol} has {counted(m * h * size, 'number')} and is drawn as {caption}."
    alt += f" The bias b_{symbol} has {counted(h * size, 'number')}, drawn as {bias_words}." if cfg.use_bias else ""
    captions = (f"W_{{{symbol}}} {caption}",)
    return Scene(((panel,),), grids, alt, tops_of(grids), max_cell=13, min_cell=2, captions=captions)


def _tiles(cfg: Config, name: str, size: int, shown: int) -> tuple[list[Block], Length]:
    """Draws the first `shown` rows of Keras's kernel, each as a tile of h × d. Returns the blocks and the drawing's width."""
    pool = pool_for(max(cfg.num_heads, size))
    wide, tall = size / pool, cfg.num_heads / pool
    per_row = max(1, min(shown, int(96 // wide), 16))
    blocks: list[Block] = []
    for row in range(shown):
        down, across = divmod(row, per_row)
        x, y = Length(across * wide, across * 10), Length(down * tall, down * 12 + 12)
        blocks += _tile(f"{name}-{row}", name, cfg, size, x, y, row)
    count = min(shown, per_row)
    return blocks, Length(count * wide, (count - 1) * 10)


def _tile(id: str, name: str, cfg: Config, size: int, x: Length, y: Length, row: int) -> list[Block]:
    """Draws one row of a weight matrix, or a bias, as a tile of h × d. Animations can move the block of each head separately."""
    h, pool = cfg.num_heads, pool_for(max(cfg.num_heads, size))
    return [
        Block(
            f"{id}-{head}", name, x, y + Length(head / pool), 1, size, row=row, col=head * size,
            width=size / pool, height=1 / pool, name=name, head=head, hue=head,
            edges=pieces.edges(head, h, turned=True),
        )
        for head in range(h)
    ]  # fmt: skip
