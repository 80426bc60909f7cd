"""One head step by step from QKᵀ to the weights, and what the page says of all heads' maps."""

from dataclasses import replace
from functools import partial

import numpy as np

from components.stage.pieces import averaged, matrix, product, side, token_room
from components.stage.scene import MAX_CELLS, Grid, Length, Panel, Scene, Source, Text, pool_for, pool_for_map, top_of
from components.stage.text import LAYOUT
from mha import Config, Trace
from mha.names import counted, heads_in_words, listed
from mha.reading import Reading
from mha.steps import attention_mask, step_of, steps_of
from mha.switches import NONE, Switches, slopes
from mha.variations import with_divisor, with_switches

#: The largest key size whose Q and K are drawn cell by cell in the steps, half of MAX_CELLS: they stand left of and above the
#: scores, and longer ones make every cell smaller than the words beside it. And how long an outline is instead, in cells.
MAX_DEPTH, SHORT_SIDE = MAX_CELLS // 2, 12
STEPS_SHOWN = (
    ("scores", "QK^{T}"), ("scaled", "÷ {divisor}"), ("capped", "{cap:g} · tanh(· / {cap:g})"),
    ("biased", "− {slope:.3g} · |t − s|"), ("masked", "mask"), ("weights", "softmax"), ("dropped", "dropout"),
)  # fmt: skip
STEP_WORDS = {
    "scaled": "divided", "capped": "capped", "biased": "less what the distance costs", "masked": "masked", "weights": "softmax",
    "dropped": "dropout",
}  # fmt: skip
#: Queries and keys of head i on their way to the scores.
ON_THE_WAY = {
    "q": "Q_{{{}}}", "q_normed": "norm(Q_{{{}}})", "q_rotated": "rotated Q_{{{}}}",
    "k": "K_{{{}}}", "k_normed": "norm(K_{{{}}})", "k_rotated": "rotated K_{{{}}}",
}  # fmt: skip
#: Arrays of shares, each with the grid of its rows' sums; and what these are called.
SHARES = {"weights": "sums", "dropped": "sums after dropout"}
ROW_SUMS = {"weights": "Row sums", "dropped": "After dropout"}
#: Arrays whose rows are queries, so that a chosen cell names one.
QUERY_ROWS = ("scores", "scaled", "capped", "biased", "masked", "weights", "dropped", "context")
#: Pixels between the weights and their rows' sums: beside a slanted token, "row sum" needs more.
SUMS_APART = (16, 27)
#: A slanted token's height for its width.
SLANT = 0.87
#: What six positions are called where nothing is typed.
SENTENCE = ("the", "cat", "sat", "on", "the", "mat")
#: Most positions that have words at the sides of the steps: those of more are too narrow for them on every screen.
MAX_STEP_WORDS = 40
#: Room for the names of two axes left of a map.
AXES_PX = 54
#: The narrowest page, in pixels, on which the chain of steps has to stand in one line: a projector's 1280 with the sidebar.
CHAIN_PX = 900
#: Panels of the steps that are to stand in one line, and the least cell where there are more.
MAX_IN_LINE, CELL_OF_MORE = 5, 15.0
DIVISOR_SIGNS = {"sqrt_d_k": "√d_{k}", "none": "1", "sqrt_d_model": "√d_{model}"}


def names_of_positions(words: tuple[str, ...], cfg: Config) -> tuple[str, ...]:
    """Names for rows and columns: the words that were typed; where there are none, a sentence of six for six positions, and
    numbers for any other length."""
    needed = max(cfg.query_len, cfg.key_len)
    if words:
        return words[:needed]
    return SENTENCE if cfg.query_len == cfg.key_len == len(SENTENCE) else tuple(str(i + 1) for i in range(needed))


def headline(cfg: Config, trace: Trace | None, reading: Reading | None, sums: str) -> str:
    """What the trained heads find from the last verb, as far as each looks most at another answer; otherwise how many maps there
    are, and `sums`. A head counts where it bears the question's name."""
    maps = f"{counted(cfg.num_heads, 'head')}, {counted(cfg.num_heads, 'map')} of {cfg.query_len} × {cfg.key_len}. {sums}"
    if trace is None or reading is None:
        return maps
    asked = [one for one in reading.answers(cfg, trace.output.values) if one.row == reading.sentence.last_verb]
    looked = trace.weights.values[0, :, reading.sentence.last_verb].argmax(axis=-1).tolist()
    names = [name for name, _ in reading.head_names(cfg)]
    if any((one.question, one.right_at) not in zip(names, looked, strict=True) for one in asked):
        return maps
    questions = [one.question for one in asked]
    verb = reading.labels[reading.sentence.last_verb]
    return f"From “{verb}”, {heads_in_words(cfg.num_heads)} find {listed(questions)}."


def row_sums(cfg: Config) -> str:
    """What the rows of A sum to, as a sentence."""
    looks = attention_mask(cfg).any(axis=-1).all() if cfg.masked else True
    rows = "Every row sums to 1" if looks else "Every row that may look sums to 1"
    rows = "Every row and its sink sum to 1" if cfg.sinks else rows
    return rows + (", before dropout." if cfg.drops else ".")


def _seen(trace: Trace, name: str) -> np.ndarray:
    """The values of all heads, "hts"; NaN where the mask forbids to look."""
    return np.where(np.isfinite(trace.masked.values[0]), trace[name].values[0], np.float32("nan"))


def steps(cfg: Config, trace: Trace, head: int, divisor: str, tokens: tuple[str, ...] = (), switches: Switches = NONE) -> Scene:
    """Q_i and K_i^T meet in the scores; then divided, masked (where there is a mask), turned into weights, with each row's sum.

    `head`: 0-based; the last one where there are fewer. `divisor`: what the scores are divided by (mha.variations.DIVISORS).
    `switches`: what published models changed. `tokens`: words for the rows and columns, on every panel; left out
    where cells are means or narrow.
    """
    trace, head = with_divisor(with_switches(trace, switches), divisor), min(head, cfg.num_heads - 1)
    cfg = trace.cfg
    here = {step.name for step in steps_of(cfg)} - ({"masked"} if not cfg.masked else set())
    shown = tuple((name, sign) for name, sign in STEPS_SHOWN if name in here)
    queries, keys = ([name for name in ON_THE_WAY if name in here and name[0] == letter] for letter in "qk")
    pool = pool_for_map(cfg.query_len, cfg.key_len)
    outlines = _are_outlines(cfg, pool)
    grids = {} if outlines else {name: Grid(trace[name].values[0, :, head], "signed") for name in (*queries, *keys)}
    if not outlines:
        grids[keys[-1]] = Grid(np.ascontiguousarray(grids[keys[-1]].values.T), "signed")
    for name, _ in shown:
        values = (_seen(trace, name) if name in ("masked", *SHARES) else trace[name].values[0])[head]
        grids[name] = averaged(values, "share" if name in SHARES else "score", pool)
    sums = {name: trace[name].values[0, head].sum(axis=-1, keepdims=True) for name, _ in shown if name in SHARES}
    for name, of in sums.items():
        grids[SHARES[name]] = averaged(of.round(6), "share", pool)  # 0.9999999 is not read as 0.99
    further = [grids["biased"].values] if "biased" in here else []  # the only one that may reach further than the scores
    tops = {
        "share": 1.0,
        "signed": top_of(*(trace[name].values[0, :, head] for name in (*queries, *keys))),
        "score": top_of(grids["scores"].values, averaged(_seen(trace, "scores")[head], "score", pool).values, *further),
    }
    few = max(cfg.query_len, cfg.key_len) <= MAX_STEP_WORDS
    words = (tokens[: cfg.query_len], tokens[: cfg.key_len]) if pool == 1 and few else ((), ())
    panels = [_on_the_way(cfg, pair, head, pool, *words) for pair in zip(queries[:-1], keys[:-1], strict=True)]
    panels.append(_meeting(cfg, head, pool, *words))
    before = "scores"
    for name, sign in shown[1:]:
        sign = sign.format(divisor=DIVISOR_SIGNS[divisor], cap=cfg.soft_cap, slope=slopes(cfg.num_heads)[head])
        panels.append(_step(cfg, name, sign, before, head, pool, *words))
        before = name
    return Scene(
        (tuple(panels),),
        grids,
        tops=tops,
        max_cell=46,
        min_cell=_cell_of_one_line(panels) if pool == 1 else 6,
        alt=f"Head {head + 1} step by step. {_said_on_the_way(queries)}"
        f"Q times K transposed gives {cfg.query_len} × {cfg.key_len} scores, "
        f"{', '.join(STEP_WORDS[name] for name, _ in shown[1:])}. "
        + " ".join(f"{ROW_SUMS[name]} {of.min():.6f} to {of.max():.6f}." for name, of in sums.items()),
    )


def _cell_of_one_line(panels: list[Panel]) -> float:
    """Gives the least cell with which the panels stand side by side on a projector; on a narrower page they break, and where
    there are more of them than the layer itself has."""
    if len(panels) > MAX_IN_LINE:
        return CELL_OF_MORE
    between = LAYOUT["panel"]["between"] * (len(panels) - 1)
    cells, px = (sum(getattr(panel.width, part) for panel in panels) for part in ("cells", "px"))
    return min(max((CHAIN_PX - between - px) / cells, 2.0), 27.0)


def _axes(left: Length, top: Length) -> tuple[Text, Text]:
    """The names of a block's two axes, in the corner above its rows' words and left of its columns'."""
    x = left + Length(0, -10)
    return Text("key →", x, top + Length(0, -22), 12, "muted", "end"), Text("query ↓", x, top + Length(0, -7), 12, "muted", "end")


def _margins(queries: tuple[str, ...], keys: tuple[str, ...]) -> tuple[Length, Length]:
    """Room left of a block for its rows' tokens and above it for its columns'."""
    left, up = token_room(queries), token_room(keys)
    return Length(0, max(left + 16, AXES_PX)), Length(0, SLANT * up + 16 if keys else 10)


def _said_on_the_way(queries: list[str]) -> str:
    done = [word for word in ("normed", "rotated") if f"q_{word}" in queries]
    return f"Q and K are first {' and then '.join(done)}. ".replace("normed", "normalised") if done else ""


def _are_outlines(cfg: Config, pool: int) -> bool:
    """Whether Q and K are too large to be drawn cell by cell beside the scores: outlines with their sizes instead."""
    return pool > 1 or pool_for(cfg.key_dim, MAX_DEPTH) > 1


def _depth(cfg: Config, pool: int) -> float:
    """How long the side of Q and K along the key size is, in cells."""
    return min(side(cfg.key_dim, pool), SHORT_SIDE) if _are_outlines(cfg, pool) else cfg.key_dim


def _size_beside(cfg: Config, pool: int, name: str) -> str:
    """The size of an outline, after its name."""
    if not _are_outlines(cfg, pool):
        return ""
    sides = (cfg.query_len, cfg.key_dim) if name[0] == "q" else (cfg.key_dim, cfg.key_len)
    return f"   {sides[0]} × {sides[1]}"


def _on_the_way(
    cfg: Config, pair: tuple[str, str], head: int, pool: int, queries: tuple[str, ...], keys: tuple[str, ...]
) -> Panel:
    """Queries and keys beside each other, as they are before one more step."""
    long, wide = max(side(cfg.query_len, pool), side(cfg.key_len, pool)), _depth(cfg, pool)
    left, low = beside_words(queries), Length(0, 40)
    right = left + Length(wide, 18) + beside_words(keys)
    block, no_numbers = partial(matrix, pool=pool, head=head, hue=head, width=wide), _are_outlines(cfg, pool)
    q, k = pair
    of_q, of_k = ((), ()) if no_numbers else (_from(cfg, q), _from(cfg, k))
    grids = (None, None) if no_numbers else pair
    blocks = (
        block(q, grids[0], left, low, cfg.query_len, cfg.key_dim, name=q, strip="left", row_labels=queries, sources=of_q),
        block(k, grids[1], right, low, cfg.key_len, cfg.key_dim, name=k, strip="left", row_labels=keys, sources=of_k),
    )
    texts = tuple(
        Text(ON_THE_WAY[name].format(head + 1), at + Length(wide / 2), Length(0, 28), 14) for name, at in ((q, left), (k, right))
    )
    return Panel(f"before-{q}", right + Length(wide), low + Length(long, 8), blocks, texts, zone="steps", low=True)


def beside_words(words: tuple[str, ...]) -> Length:
    return Length(0, max(token_room(words) + 16, 16))


def _from(cfg: Config, name: str, turned: bool = False) -> tuple[Source, ...]:
    """The row that a row of normalised or rotated numbers comes from; none for projected ones."""
    return () if name in ("q", "k") else (Source(step_of(cfg, name).needs[0], "row", "c" if turned else "r"),)


def _meeting(cfg: Config, head: int, pool: int, queries: tuple[str, ...], keys: tuple[str, ...]) -> Panel:
    """Q_i to the left, K_i^T above, their product where they meet."""
    long, wide, deep = side(cfg.query_len, pool), side(cfg.key_len, pool), _depth(cfg, pool)
    rows, columns, inner = cfg.query_len, cfg.key_len, cfg.key_dim
    left, up = _margins(queries, keys)
    q, k = step_of(cfg, "scores").needs
    no_numbers = _are_outlines(cfg, pool)
    above = k != "k" or no_numbers  # its name is too long for the room left of it
    right, top = left + Length(deep, 28), Length(0, 26 if above else 6) + up
    low = top + Length(deep, 36)
    block, sources = partial(matrix, pool=pool, head=head, hue=head), product(q, k)
    of_q, of_k = _from(cfg, q), _from(cfg, k, turned=True)
    if no_numbers:
        sources = of_q = of_k = ()
    of_queries, of_keys = (None, None) if no_numbers else (q, k)
    blocks = (
        block(
            k, of_keys, right, top, inner, columns, name=k, strip="top", turned=True, height=deep, col_labels=keys, sources=of_k
        ),
        block(q, of_queries, left, low, rows, inner, name=q, strip="left", width=deep, row_labels=queries, sources=of_q),
        block("scores", "scores", right, low, rows, columns, name="scores", sources=sources),
    )
    i = head + 1
    result = f"Q_{{{i}}}K_{{{i}}}^{{T}}" if q == "q" else "their products"
    (key, _), (_, query) = _axes(right, top), _axes(left, low)
    at = (right + Length(wide / 2), Length(0, 12)) if above else (right + Length(0, -10), top + Length(deep / 2, 14))
    key = key if above else replace(key, y=top + Length(deep / 2, -6))
    texts = (
        key, query,
        Text(f"{ON_THE_WAY[k].format(i)}^{{T}}{_size_beside(cfg, pool, k)}", *at, 14, anchor="middle" if above else "end"),
        Text(f"{ON_THE_WAY[q].format(i)}{_size_beside(cfg, pool, q)}", left + Length(deep / 2), low + Length(0, -9), 14),
        Text(result, right + Length(wide / 2), low + Length(0, -9), 14, "strong"),
    )  # fmt: skip
    return Panel("meeting", right + Length(wide), low + Length(long, 8), blocks, texts, zone="steps", low=True)


def _step(
    cfg: Config, name: str, sign: str, before: str, head: int, pool: int, queries: tuple[str, ...], keys: tuple[str, ...]
) -> Panel:
    """One array after the scores, of which `before` is the one that it is computed from."""
    long, wide = side(cfg.query_len, pool), side(cfg.key_len, pool)
    left, up = _margins(queries, keys)
    low = Length(0, 26) + up
    sources = (Source(before, "row" if name == "weights" else "cell"),)
    block = partial(matrix, name, name, left, low, cfg.query_len, cfg.key_len, pool, name=name, head=head, hue=head)
    blocks = [block(sources=sources, row_labels=queries, col_labels=keys)]
    result = f" = A_{{{head + 1}}}" if name == "weights" else ""
    texts = [Text(f"→ {sign}{result}", left + Length(wide / 2), Length(0, 17), 14, "strong"), *_axes(left, low)]
    width = left + Length(wide)
    if name in SHARES:
        apart = SUMS_APART[bool(keys)]
        sums, place, key = (Source(name, "row"),), width + Length(0, apart), SHARES[name]
        blocks.append(matrix(key, key, place, low, cfg.query_len, 1, pool, width=1, name="row sum", sources=sums))
        texts.append(Text("row sum", width + Length(0.5, apart), low + Length(0, -9), 12, "muted"))
        width = width + Length(1, apart + 14)
    return Panel(name, width, low + Length(long, 8), tuple(blocks), tuple(texts), zone="steps", low=True)
