"""Scene of each head's projection: X times the head's own slice of W_Q."""

from headcount import Config, Trace
from headcount.names import counted, heads_in_words
from headcount.stage.pieces import cells, grid_of, product, side
from headcount.stage.scene import Block, Length, Panel, Scene, Text, pool_for, tops_of

#: Most heads that are drawn one by one.
SHOWN_HEADS = 8


def pieces(cfg: Config, trace: Trace) -> Scene:
    """Draws X · W_i^Q (+ b_i^Q) = Q_i for each of the first SHOWN_HEADS heads: all of X times the head's own slice of W_Q."""
    pool = pool_for(max(cfg.d_model, cfg.num_heads * cfg.key_dim))
    grids = {
        "x_query": grid_of(trace.x_query.values[0], "signed", pool),
        "w_q": grid_of(trace["w_q"].values, "weight", pool),
        **({"b_q": grid_of(trace["b_q"].values.reshape(-1), "weight", pool)} if cfg.use_bias else {}),
        "q": grid_of(trace.q.values[0], "signed", pool),
    }
    heads = heads_in_words(cfg.num_heads)
    plus = " and adds its slice of b_Q" if cfg.use_bias else ""
    which, whose = (f"Each of {heads}", "Each head’s") if cfg.num_heads > 1 else ("The only head", "Its")
    alt = f"{which} multiplies all of X by its own slice of W_Q{plus}. {whose} Q is {cfg.query_len} × {cfg.key_dim}, "
    alt += f"a query of {counted(cfg.key_dim, 'number')} for each of {counted(cfg.query_len, 'token')}."
    some = f" The first {SHOWN_HEADS} of {cfg.num_heads}:" if cfg.num_heads > SHOWN_HEADS else ""
    bias = f" and of b_{{Q}} (1 × {cfg.key_dim}, added to every row)" if cfg.use_bias else ""
    above = f"Every head gets all of X, a copy and not a slice, and its own slice of W_{{Q}}{bias}.{some}"
    return Scene((_copies(cfg, pool),), grids, alt, tops_of(grids), max_cell=9, min_cell=1.2, captions=(above,))


def _copies(cfg: Config, pool: int) -> tuple[Panel, ...]:
    tall, long, wide = cfg.d_model / pool, side(cfg.query_len, pool), cfg.key_dim / pool
    rows, cols, inner = cells(cfg.query_len, pool), cells(cfg.key_dim, pool), cells(cfg.d_model, pool)
    height, w_x = max(tall, long), Length(tall, 22)
    sign, edge = (18, 12) if cfg.use_bias else (26, 20)  # four heads fit one line of a usual window
    b_x = w_x + Length(wide, sign)
    q_x = (b_x if cfg.use_bias else w_x) + Length(wide, sign)
    middle, centre = Length((height - long) / 2, 30), Length(height / 2, 34)
    panels = []
    for head in range(min(cfg.num_heads, SHOWN_HEADS)):
        piece = {"col": head * cols, "width": wide, "head": head, "hue": head, "strip": "top"}
        bias = Block(f"b_q-{head}", "b_q", b_x, Length((height - 1) / 2, 30), 1, cols, height=1.0, name="b_q", **piece)
        factors = product(f"x-{head}", f"w_q-{head}", *((bias.id,) if cfg.use_bias else ()))
        blocks = (
            Block(f"x-{head}", "x_query", Length(), middle, rows, inner, width=tall, height=long, name="x_query", copy=head),
            Block(f"w_q-{head}", "w_q", w_x, Length((height - tall) / 2, 30), inner, cols, height=tall, name="w_q", **piece),
            *((bias,) if cfg.use_bias else ()),
            Block(f"q-{head}", "q", q_x, middle, rows, cols, height=long, name="q", **piece, sources=factors),
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
        least = 8.0 * len(f"{cfg.query_len} × {cfg.d_model} · {cfg.d_model} × {cfg.key_dim} = ")
        full = q_x + Length(wide, edge)
        panels.append(Panel(f"head-{head}", full, Length(height, 50), blocks, texts, zone="heads", least_px=least))
    return tuple(panels)
