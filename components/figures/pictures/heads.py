"""The start page's picture: all the layer's matrices cut for several head counts, and X times each head's piece."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from components.figures.pieces import bias_grid, cells, key_in, lying, side, spread, upright
from components.figures.scene import Block, Grid, Length, Panel, Scene, Source, Text, longest, pool_for, pooled, tops_of
from mha import Config, Trace, count_parameters
from mha.config import divisors
from mha.cost import too_large
from mha.names import BY_CODE, counted, heads_in_words

#: Cells on a matrix's longest side in the panels that are compared.
MOST_CELLS = 48
#: Heads that the second row shows one by one.
SHOWN_HEADS = 8
#: The bias of each kernel, and the pixels between the two where one stands below the other.
BIASES, BELOW = {"w_q": "b_q", "w_k": "b_k", "w_v": "b_v", "w_o": "b_o", "w_g": "b_g"}, 5
#: Letters of a sum, W_{Q} counted with its braces, above which it takes two lines: two cards stand side by side on a phone.
LONG_SUM = 26
#: Head counts that are set side by side.
SIDE_BY_SIDE = (1, 2, 4, 8)


@lru_cache(maxsize=256)
def neighbours(cfg: Config, paper: bool) -> tuple[Config, ...]:
    """The layers to set side by side, in the order of their head counts: at most four, the present one among them.

    A neighbour that is too large to compute live would leave a computed layer without its values.
    """
    most = BY_CODE["num_heads"].most
    counts = divisors(cfg.d_model, most) if paper else range(1, most + 1)
    layers = [cfg if h == cfg.num_heads else cfg.with_heads(h, paper=paper) for h in compared(counts, cfg.num_heads)]
    return tuple(layer for layer in layers if layer == cfg or too_large(cfg) or not too_large(layer))


def compared(counts: Sequence[int], here: int) -> list[int]:
    """The head counts to compare with `here`, out of those that are layers (ascending): 1, 2, 4 and 8, so that the row stands
    still where they are chosen; else 1, half as many, as many, twice as many, or what is nearest, filled up to four."""
    if here in SIDE_BY_SIDE and set(SIDE_BY_SIDE) <= set(counts):
        return [*SIDE_BY_SIDE]
    chosen = [counts[0], *([here] if here > counts[0] else [])]

    def add(below: bool) -> bool:
        """One more on that side of all but the first; whether there was one."""
        inner = [h for h in chosen if h > counts[0]] or chosen
        end, wanted = (min(inner), min(inner) // 2) if below else (max(inner), 2 * max(inner))
        near = [h for h in counts if (h < end if below else h > end) and h not in chosen]
        if near:
            chosen.append(wanted if wanted in near else near[-1] if below else near[0])
        return bool(near)

    add(below=True)
    add(below=False)
    while len(chosen) < len(SIDE_BY_SIDE) and (add(below=True) or add(below=False)):
        pass
    return sorted(chosen)


def side_by_side(cfg: Config, others: Sequence[Config], widest: Trace | None) -> Scene:
    """All four matrices and biases for each of `others` (the present one is marked), above X · W_i^Q + b_i^Q = Q_i for each
    head of `cfg`.

    `widest`: the trace of the widest of `others`; one more head only appends columns, so its numbers serve all of them.
    None: shapes without values (too large to compute live).
    """
    pool = _pool(others)
    grids = _grids(others, widest, pool) if widest is not None else {}
    rows = [_cuts(cfg, others, pool, grids)] if widest is None else [_cuts(cfg, others, pool, grids), _copies(cfg, pool)]
    captions = ("", copied(cfg))[: len(rows)]
    least = 1.2
    return Scene(tuple(rows), grids, described(cfg, others), tops_of(grids), max_cell=9, min_cell=least, captions=captions)


def described(cfg: Config, others: Sequence[Config]) -> str:
    """The picture in words."""
    counts = "; ".join(f"{heads_in_words(c.num_heads)}: {counted(count_parameters(c), 'parameter')}" for c in others)
    biases = ", each above its bias," if cfg.use_bias else ""
    matrices = "W_Q, W_K, W_V, W_G and W_O" if cfg.use_gate else "W_Q, W_K, W_V and W_O"
    return f"{matrices}{biases} cut for several head counts. {counts}. Chosen: {heads_in_words(cfg.num_heads)}."


def _cuts(cfg: Config, others: Sequence[Config], pool: int, grids: Mapping[str, Grid]) -> tuple[Panel, ...]:
    """The first row, the counts in one line."""
    panels = [_panel(c, pool, grids, on=c.num_heads == cfg.num_heads) for c in others]
    height = longest([panel.height for panel in panels])
    apart = max(len(" ".join(_sums(c))) for c in others) > LONG_SUM
    return tuple(_caption(panel, c, height, apart) for panel, c in zip(panels, others, strict=True))


def copied(cfg: Config) -> str:
    """The line above the second row."""
    some = f" The first {SHOWN_HEADS} of {cfg.num_heads}:" if cfg.num_heads > SHOWN_HEADS else ""
    bias = f" and of b_{{Q}} (1 × {cfg.key_dim}, added to every row)" if cfg.use_bias else ""
    return f"Every head gets all of X, a copy and not a slice, and its own piece of W_{{Q}}{bias}.{some}"


def widest_of(others: Sequence[Config]) -> Config:
    return max(others, key=lambda c: (c.num_heads * c.key_dim, c.size("(hv)")))


def _pool(others: Sequence[Config]) -> int:
    return pool_for(max(max(c.d_model, c.size("(hv)"), c.num_heads * c.key_dim) for c in others), MOST_CELLS)


def _grids(others: Sequence[Config], widest: Trace, pool: int) -> dict[str, Grid]:
    """The four kernels, their biases, X and Q as flat matrices. In cells of their own one grid serves all cuts, since a cut
    changes no number; a mean is of numbers of one head, so each cut has grids of its own."""
    grids, length = {}, widest.cfg.query_len
    projections = ("w_q", "w_k", "w_v", *(("w_g",) if widest.cfg.use_gate else ()))
    kernels = {name: widest[name].values.reshape(widest.cfg.d_model, -1) for name in projections}
    rows = widest.params.w_o.values.reshape(-1, widest.cfg.d_model)
    grids["x_query"] = Grid(pooled(widest.x_query.values[0], pool), "signed", pool)
    q = widest.q.values[0].reshape(length, -1)
    for c in others if pool > 1 else [widest.cfg]:
        for name, flat in kernels.items():
            width = c.num_heads * c.size("v" if name in ("w_v", "w_g") else "k")
            grids[_key(name, c.num_heads, pool)] = Grid(pooled(flat[:, :width], pool, c.num_heads), "weight", pool)
            if c.use_bias:
                bias = widest[BIASES[name]].values.reshape(-1)[:width]
                grids[_key(BIASES[name], c.num_heads, pool)] = bias_grid(bias, pool, c.num_heads)
        used = rows[: c.size("(hv)")]
        grids[_key("w_o", c.num_heads, pool)] = Grid(pooled(used.T, pool, c.num_heads).T, "weight", pool)
        if c.use_bias:
            grids[_key("b_o", c.num_heads, pool)] = bias_grid(widest["b_o"].values, pool)
        grids[_key("q", c.num_heads, pool)] = Grid(pooled(q[:, : c.num_heads * c.key_dim], pool, c.num_heads), "signed", pool)
    return grids


def _key(name: str, num_heads: int, pool: int) -> str:
    return name if pool == 1 else f"{name}/{num_heads}"


def _panel(cfg: Config, pool: int, grids: Mapping[str, Grid], on: bool) -> Panel:
    """W_Q and W_K above W_V and W_O, and below these a gate's W_G, every head's piece a block; under each its bias, so that all
    parameters are drawn. Above them is room for a title."""

    grid = lambda name: key_in(grids, _key(name, cfg.num_heads, pool))  # noqa: E731
    h, tall = cfg.num_heads, cfg.d_model / pool
    thin = Length(1 / pool, BELOW) if cfg.use_bias else Length()
    right = longest([spread(h, cfg.key_dim, pool), spread(h, cfg.value_dim, pool), Length(0, 34 if cfg.use_bias else 0)])
    right += Length(0, 16)
    up = Length(0, 30 + 24)
    low = up + Length(tall, 38) + thin
    kernel = partial(upright, heads=h, rows=cfg.d_model, pool=pool)
    blocks = [
        *kernel("w_q", grid("w_q"), Length(), up, size=cfg.key_dim),
        *kernel("w_k", grid("w_k"), right, up, size=cfg.key_dim),
        *kernel("w_v", grid("w_v"), Length(), low, size=cfg.value_dim),
        *lying("w_o", grid("w_o"), right, low, heads=h, size=cfg.value_dim, columns=cfg.d_model, pool=pool),
    ]
    lying_tall = spread(h, cfg.value_dim, pool)
    if cfg.use_bias:
        row = partial(upright, heads=h, rows=1, pool=pool, height=1 / pool, strip=None)
        under, below = Length(tall, BELOW), low + lying_tall + Length(0, BELOW)
        blocks += row("b_q", grid("b_q"), Length(), up + under, size=cfg.key_dim)
        blocks += row("b_k", grid("b_k"), right, up + under, size=cfg.key_dim)
        blocks += row("b_v", grid("b_v"), Length(), low + under, size=cfg.value_dim)
        wide = cells(cfg.d_model, pool)
        blocks.append(Block("b_o", grid("b_o"), right, below, 1, wide, width=tall, height=1 / pool, name="b_o"))
    places = {"Q": (Length(), up), "K": (right, up), "V": (Length(), low), "O": (right, low)}
    bottom = low + longest([Length(tall), lying_tall]) + thin
    if cfg.use_gate:
        last = bottom + Length(0, 38)
        blocks += kernel("w_g", grid("w_g"), Length(), last, size=cfg.value_dim)
        if cfg.use_bias:
            blocks += row("b_g", grid("b_g"), Length(), last + under, size=cfg.value_dim)
        places["G"], bottom = (Length(), last), last + Length(tall) + thin
    texts = tuple(
        Text(f"W_{{{of}}}" + (f", b_{{{of}}}" if cfg.use_bias else ""), x, y + Length(0, -13), 13, "muted", "start")
        for of, (x, y) in places.items()
    )
    width = right + longest([spread(h, cfg.key_dim, pool), Length(tall)])
    return Panel(f"cut-{h}", width, bottom, tuple(blocks), texts, on=on, go=h)


def _caption(panel: Panel, cfg: Config, height: Length, apart: bool) -> Panel:
    """The panel with its title above and, from `height` on, its sums below, centred. `apart`: the sums in two lines."""
    middle, bottom = panel.width.half, height
    texts = [Text(heads_in_words(cfg.num_heads), middle, Length(0, 14), 16, "strong"), *panel.texts]
    lines = _sums(cfg) if apart else (" ".join(_sums(cfg)),)
    for line in lines:
        bottom += Length(0, 20)
        texts.append(Text(line, middle, bottom, 13, "muted"))
    bottom += Length(0, 22)
    texts.append(Text(counted(count_parameters(cfg), "parameter"), middle, bottom, 15, "strong"))
    return replace(panel, height=bottom + Length(0, 6), texts=tuple(texts))


def _sums(cfg: Config) -> tuple[str, str]:
    """What W_Q holds: its pieces, and how many numbers they are together."""
    pieces = f"W_{{Q}}: {cfg.num_heads} × ({cfg.d_model} × {cfg.key_dim})"
    return pieces, f"= {cfg.d_model * cfg.num_heads * cfg.key_dim:,}"


def _copies(cfg: Config, pool: int) -> tuple[Panel, ...]:
    """X · W_i^Q + b_i^Q = Q_i for the first heads: every head has all of X and its own piece of W_Q and b_Q."""
    w_q, b_q, q = (_key(name, cfg.num_heads, pool) for name in ("w_q", "b_q", "q"))
    tall, long, wide = cfg.d_model / pool, side(cfg.query_len, pool), cfg.key_dim / pool
    rows, cols, inner = cells(cfg.query_len, pool), cells(cfg.key_dim, pool), cells(cfg.d_model, pool)
    height, w_x = max(tall, long), Length(tall, 22)
    sign, edge = (18, 12) if cfg.use_bias else (26, 20)  # four heads stand in one line of a usual window
    b_x = w_x + Length(wide, sign)
    q_x = (b_x if cfg.use_bias else w_x) + Length(wide, sign)
    middle, centre = Length((height - long) / 2, 30), Length(height / 2, 34)
    panels = []
    for head in range(min(cfg.num_heads, SHOWN_HEADS)):
        piece = {"col": head * cols, "width": wide, "head": head, "hue": head, "strip": "top"}
        bias = Block(f"b_q-{head}", b_q, b_x, Length((height - 1) / 2, 30), 1, cols, height=1.0, name="b_q", **piece)
        added = (Source(bias.id, "col", "c"),) if cfg.use_bias else ()
        factors = (Source(f"x-{head}", "row", "r"), Source(f"w_q-{head}", "col", "c"), *added)
        blocks = (
            Block(f"x-{head}", "x_query", Length(), middle, rows, inner, width=tall, height=long, name="x_query", copy=head),
            Block(f"w_q-{head}", w_q, w_x, Length((height - tall) / 2, 30), inner, cols, height=tall, name="w_q", **piece),
            *((bias,) if cfg.use_bias else ()),
            Block(f"q-{head}", q, q_x, middle, rows, cols, height=long, name="q", **piece, sources=factors),
        )
        below = middle + Length(long, 16)
        plus = (
            Text("+", b_x + Length(0, -sign / 2), centre, 15),
            Text(f"b_{{{head + 1}}}^{{Q}}", b_x + Length(wide / 2), bias.y + Length(0, -12), 13, "muted"),
        )
        texts = (
            Text(f"head {head + 1}", w_x + Length(wide / 2), Length(0, 14), 13, "strong", hue=head),
            Text("X", Length(tall / 2), middle + Length(0, -10), 13, "muted"),
            Text("·", Length(tall, 11), centre, 16),
            *(plus if cfg.use_bias else ()),
            Text("=", q_x + Length(0, -sign / 2), centre, 15),
            Text(f"Q_{{{head + 1}}}", q_x + Length(wide / 2), middle + Length(0, -12), 13, "muted"),
            Text(f"{cfg.d_model} × {cfg.key_dim}", w_x + Length(wide / 2), Length(height, 46), 12, "muted"),
            Text(f"{cfg.query_len} × {cfg.key_dim}", q_x + Length(wide / 2), below, 12, "muted"),
            Text(f"{cfg.query_len} × {cfg.d_model}", Length(tall / 2), below, 12, "muted"),
        )
        least = 7.0 * len(f"{cfg.query_len} × {cfg.d_model} · {cfg.d_model} × {cfg.key_dim} = ")
        full = q_x + Length(wide, edge)
        panels.append(Panel(f"head-{head}", full, Length(height, 50), blocks, texts, zone="heads", least_px=least))
    return tuple(panels)
