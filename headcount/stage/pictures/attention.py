"""Scene of one head, step by step from QKᵀ to the attention weights, and the sentences of the attention page."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from headcount import Config, Trace
from headcount.names import counted, heads_in_words, listed, noun
from headcount.reading import Reading, pale_rows
from headcount.stage.pieces import grid_of, map_of, matrix, product, side, token_room
from headcount.stage.scene import MAX_CELLS, Block, Grid, Length, LitPart, Panel, Scene, Text, pool_for, pool_for_map, top_of
from headcount.stage.text import LAYOUT
from headcount.steps import attention_mask, step_of, steps_of
from headcount.switches import NONE, Switches, slopes
from headcount.variations import with_divisor, with_switches

#: The largest key size for which Q and K are drawn cell by cell. Beyond it, they are outlines SHORT_SIDE cells long.
MAX_DEPTH, SHORT_SIDE = MAX_CELLS // 2, 12
#: The heading of each step, and its words in the alternative text.
STEPS_SHOWN = {
    "scores": ("QK^{T}", "scores"), "scaled": ("÷ {divisor}", "the division"),
    "capped": ("{cap:g} · tanh(· / {cap:g})", "the cap"),
    "biased": ("− {slope:.3g} · |t − s|", "a cost of the distance"), "masked": ("mask", "the mask"),
    "weights": ("softmax", "softmax"), "dropped": ("dropout", "dropout"),
}  # fmt: skip
#: Labels of a head's queries and keys, and of their later forms.
ON_THE_WAY = {
    "q": "Q_{{{}}}", "q_normed": "norm(Q_{{{}}})", "q_rotated": "rotated Q_{{{}}}",
    "k": "K_{{{}}}", "k_normed": "norm(K_{{{}}})", "k_rotated": "rotated K_{{{}}}",
}  # fmt: skip
#: Each array of attention weights, with the name of the matrix of its row sums and the words that introduce these.
SHARES = {"weights": ("sums", "The row sums are"), "dropped": ("sums after dropout", "After dropout the row sums are")}
#: Arrays with one row per query. A chosen cell of such an array names a query.
QUERY_ROWS = ("q", "q_normed", "q_rotated", "scores", "scaled", "capped", "biased", "masked", "weights", "dropped", "context")
#: Pixels: between the weights and their row sums; above a map, for the names of axes; below a map, for the label of a key.
SUMS_APART, UP, FOOT = 16, 10, 22
#: Default words for six positions.
SENTENCE = ("the", "cat", "sat", "on", "the", "mat")
#: Most positions that have words in the steps. With more, rows are too narrow on every screen.
MAX_STEP_WORDS = 40
#: Pixels left of a map for the names of two axes.
AXES_PX = 54
#: The narrowest page, in pixels, on which all steps fit one line: a projector's 1280 with the sidebar.
CHAIN_PX = 900
#: Panels of the steps that must fit one line, and the least cell if there are more.
MAX_IN_LINE, CELL_OF_MORE = 5, 15.0
DIVISOR_SIGNS = {"sqrt_d_k": "√d_{k}", "none": "1", "sqrt_d_model": "√d_{model}"}


def names_of_positions(words: tuple[str, ...], cfg: Config) -> tuple[str, ...]:
    """Returns labels for the positions: the first of `words`. If `words` is empty, the labels are numbers, or SENTENCE if both
    lengths are the length of SENTENCE."""
    needed = max(cfg.query_len, cfg.key_len)
    if words:
        return words[:needed]
    return SENTENCE if cfg.query_len == cfg.key_len == len(SENTENCE) else tuple(str(i + 1) for i in range(needed))


def headline(cfg: Config, trace: Trace | None, reading: Reading | None, sums: str) -> str:
    """Returns the headline of the attention page: the number and shape of the maps, then `sums`. For a trained network, the
    headline may say instead which questions have a head, or what the heads find from the last verb."""
    has = f"{counted(cfg.num_heads, 'head')} {noun(cfg.num_heads, 'has', 'have')}"
    maps = f"{has} {counted(cfg.num_heads, 'map')} of {cfg.query_len} × {cfg.key_len}. {sums}"
    if trace is None or reading is None:
        return maps
    asked = [one for one in reading.answers(cfg, trace.output.values) if one.row == reading.sentence.last_verb]
    looked = trace.weights.values[0, :, reading.sentence.last_verb].argmax(axis=-1).tolist()
    names = [name for name, _ in reading.head_names(cfg)]
    questions = [one.question for one in asked]
    own = [f"“{one}”" for one in questions if one in names]
    if len(names) > 1 and len(own) < len(questions):
        keep = sum(name in questions for name in names)
        keeps = f"{keep} {noun(keep, 'keeps', 'keep')} to a question: {listed(own)}" if own else "none keeps to a question"
        return f"Of {heads_in_words(cfg.num_heads)}, {keeps}."
    if not names or any((one.question, one.right_at) not in zip(names, looked, strict=True) for one in asked):
        return maps
    verb = reading.labels[reading.sentence.last_verb]
    return f"From “{verb}”, {heads_in_words(cfg.num_heads)} find {listed(questions)}."


#: The lead of the attention page: how to read the maps, and what to do where they are drawn.
LEAD, PRESS = "Each row shows where one token looks.", " Press a row."


def row_sums(cfg: Config) -> str:
    """Returns a sentence that says what each row of A, the attention weights, sums to."""
    looks = attention_mask(cfg).any(axis=-1).all() if cfg.masked else True
    rows = "Every row sums to 1" if looks else "Every row that may look sums to 1"
    rows = "Every row and its sink sum to 1" if cfg.sinks else rows
    return rows + (", before dropout." if cfg.drops else ".")


def _between(values: np.ndarray) -> str:
    low, high = f"{values.min():.6f}", f"{values.max():.6f}"
    return f"between {low} and {high}" if low != high else low


def seen(trace: Trace, name: str) -> np.ndarray:
    """Returns the first sample's values of one array, with axes (head, query, key). Values that the mask hides are NaN."""
    return np.where(np.isfinite(trace.masked.values[0]), trace[name].values[0], np.float32("nan"))


def shown_of(cfg: Config) -> tuple[list[str], list[str], list[str]]:
    """Returns three lists of array names, each in order of computation: from scores to weights, the queries, and the keys."""
    here = {step.name for step in steps_of(cfg)} - ({"masked"} if not cfg.masked else set())
    queries, keys = ([name for name in ON_THE_WAY if name in here and name[0] == letter] for letter in "qk")
    return [name for name in STEPS_SHOWN if name in here], queries, keys


def steps(
    cfg: Config, trace: Trace, head: int, divisor: str, tokens: tuple[str, ...] = (), switches: Switches = NONE,
    reading: Reading | None = None, row: int | None = None,
) -> Scene:  # fmt: skip
    """Draws one head (0-based, at most the last): Q_i times K_iᵀ, the scores after each step, and the attention weights with row
    sums. `divisor` is one of headcount.variations.DIVISORS. `switches` are options of published models. `tokens` label positions.
    `reading` makes rows pale if their words answer no question. `row` is a query whose most attended key has a label."""
    trace, head = with_divisor(with_switches(trace, switches), divisor), min(head, cfg.num_heads - 1)
    cfg = trace.cfg
    shown, queries, keys = shown_of(cfg)
    pool = pool_for_map(cfg.query_len, cfg.key_len)
    few = pool == 1 and max(cfg.query_len, cfg.key_len) <= MAX_STEP_WORDS
    words = (tokens[: cfg.query_len], tokens[: cfg.key_len]) if few else ((), ())
    asks = None if row is None or not few or row >= cfg.query_len else seen(trace, "weights")[head, row]
    hit = len(tokens) if asks is None or not np.isfinite(asks).any() else int(np.nanargmax(asks))
    of = _Steps(cfg, head, pool, *words, pale_rows(reading) if pool == 1 else (), hit if hit < len(words[1]) else None)
    grids = {} if of.outlined else {name: Grid(trace[name].values[0, :, head], "signed") for name in (*queries, *keys)}
    if not of.outlined:
        grids[keys[-1]] = Grid(np.ascontiguousarray(grids[keys[-1]].values.T), "signed")
    for name in shown:
        values = (seen(trace, name) if name in ("masked", *SHARES) else trace[name].values[0])[head]
        grids[name] = grid_of(values, "share" if name in SHARES else "score", pool)
    sums = {name: trace[name].values[0, head].sum(axis=-1, keepdims=True) for name in shown if name in SHARES}
    for name, values in sums.items():
        grids[SHARES[name][0]] = grid_of(values.round(6), "share", pool)  # 0.9999999 is not read as 0.99
    further = [grids["biased"].values] if "biased" in shown else []  # the only array that may go further than the scores
    tops = {
        "share": 1.0,
        "signed": top_of(*(trace[name].values[0, :, head] for name in (*queries, *keys))),
        "score": top_of(grids["scores"].values, grid_of(seen(trace, "scores")[head], "score", pool).values, *further),
    }
    panels = [of.on_the_way(*pair) for pair in zip(queries[:-1], keys[:-1], strict=True)] + [of.meeting()]
    for before, name in pairwise(shown):
        sign = STEPS_SHOWN[name][0].format(divisor=DIVISOR_SIGNS[divisor], cap=cfg.soft_cap, slope=slopes(cfg.num_heads)[head])
        panels.append(of.step(name, sign, before))
    done = [word for word in ("normed", "rotated") if f"q_{word}" in queries]
    first = f"Q and K are first {' and then '.join(done)}. ".replace("normed", "normalised") if done else ""
    alt = (
        f"The picture shows head {head + 1} step by step. {first}Q times K transposed gives {cfg.query_len} × {cfg.key_len} "
        f"scores. The next steps are {listed([STEPS_SHOWN[name][1] for name in shown[1:]])}. "
        + " ".join(f"{SHARES[name][1]} {_between(values)}." for name, values in sums.items())
    )
    return Scene((tuple(panels),), grids, alt, tops, max_cell=46, min_cell=_cell_of_one_line(panels) if pool == 1 else 6)


def _cell_of_one_line(panels: list[Panel]) -> float:
    """Returns the `min_cell` in pixels (2 to 27) at which all panels fit in a line of CHAIN_PX. Many panels get CELL_OF_MORE."""
    if len(panels) > MAX_IN_LINE:
        return CELL_OF_MORE
    between = LAYOUT["panel"]["between"] * (len(panels) - 1)
    cells, px = (sum(getattr(panel.width, part) for panel in panels) for part in ("cells", "px"))
    return min(max((CHAIN_PX - between - px) / cells, 2.0), 27.0)


def _axes(left: Length, top: Length) -> tuple[Text, Text]:
    x = left + Length(0, -10)
    return Text("key →", x, top + Length(0, -22), 12, "muted", "end"), Text("query ↓", x, top + Length(0, -7), 12, "muted", "end")


@dataclass(frozen=True, slots=True)
class _Steps:
    """Draws the panels of one head (0-based). A cell shows `pool` × `pool` numbers. `queries` and `keys` are labels of positions.
    `pale` are rows that are drawn faintly. `hit` is the key whose column has a label below it."""

    cfg: Config
    head: int
    pool: int
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    pale: tuple[int, ...] = ()
    hit: int | None = None

    @property
    def outlined(self) -> bool:
        """Whether Q and K are too large to be drawn cell by cell."""
        return self.pool > 1 or pool_for(self.cfg.key_dim, MAX_DEPTH) > 1

    @property
    def sides(self) -> tuple[float, float, float]:
        """Three lengths in cells: the height and width of an attention map, and the side of Q and K that the key size gives."""
        deep = min(side(self.cfg.key_dim, self.pool), SHORT_SIDE) if self.outlined else self.cfg.key_dim
        return side(self.cfg.query_len, self.pool), side(self.cfg.key_len, self.pool), deep

    @property
    def left(self) -> Length:
        """Width at the left of a block, reserved for the words of the rows, or for the names of the axes."""
        return Length(0, max(token_room(self.queries) + 16, AXES_PX))

    def operand(self, name: str, x: Length, y: Length, turned: bool = False) -> Block:
        """Draws queries or keys, transposed if `turned`. A chosen normalised or rotated cell highlights its source row."""
        long, words = (self.cfg.query_len, self.queries) if name[0] == "q" else (self.cfg.key_len, self.keys)
        inner, deep = self.cfg.key_dim, self.sides[2]
        before = () if self.outlined or name in ("q", "k") else step_of(self.cfg, name).needs[:1]
        own: dict[str, Any] = {"width": deep, "strip": "left", "row_labels": words}
        if turned:
            long, inner, own = inner, long, {"height": deep, "strip": "top", "col_labels": words, "turned": True}
        own["sources"] = tuple(LitPart(one, "row", "c" if turned else "r") for one in before)
        grid = None if self.outlined else name
        return matrix(name, grid, x, y, long, inner, self.pool, name=name, head=self.head, hue=self.head, **own)

    def on_the_way(self, q: str, k: str) -> Panel:
        """Draws an early form of queries and keys side by side, such as before rotation. `q` and `k` are names of arrays."""
        long, wide, deep = self.sides
        beside = [Length(0, max(token_room(words) + 16, 16)) for words in (self.queries, self.keys)]
        left, low = beside[0], Length(0, 40)
        right = left + Length(deep, 18) + beside[1]
        texts = tuple(
            Text(ON_THE_WAY[name].format(self.head + 1), at + Length(deep / 2), Length(0, 28), 14)
            for name, at in ((q, left), (k, right))
        )
        blocks = (self.operand(q, left, low), self.operand(k, right, low))
        high = low + Length(max(long, wide), FOOT)
        return Panel(f"before-{q}", right + Length(deep), high, blocks, texts, zone="steps", low=True)

    def meeting(self) -> Panel:
        """Draws Q_i at the left, K_iᵀ at the top, and their product, the scores, in the lower right corner."""
        (long, wide, deep), left, cfg, i = self.sides, self.left, self.cfg, self.head + 1
        q, k = step_of(cfg, "scores").needs
        above = k != "k" or self.outlined  # its name is too long for the room left of it
        right, top = left + Length(deep, 28), Length(0, (26 if above else 6) + UP)
        low = top + Length(deep, 36)
        blocks = (
            self.operand(k, right, top, turned=True),
            self.operand(q, left, low),
            self.map("scores", right, low, () if self.outlined else product(q, k)),
        )
        result = f"Q_{{{i}}}K_{{{i}}}^{{T}}" if q == "q" else "their products"
        (key, _), (_, query) = _axes(right, top), _axes(left, low)
        at = (right + Length(wide / 2), Length(0, 12)) if above else (right + Length(0, -10), top + Length(deep / 2, 14))
        key = key if above else replace(key, y=top + Length(deep / 2, -6))
        size_q, size_k = f"   {cfg.query_len} × {cfg.key_dim}", f"   {cfg.key_dim} × {cfg.key_len}"
        named_q, named_k = ON_THE_WAY[q].format(i), f"{ON_THE_WAY[k].format(i)}^{{T}}"
        texts = (
            key, query,
            Text(named_k + size_k * self.outlined, *at, 14, anchor="middle" if above else "end"),
            Text(named_q + size_q * self.outlined, left + Length(deep / 2), low + Length(0, -9), 14),
            Text(result, right + Length(wide / 2), low + Length(0, -9), 14, "strong"),
        )  # fmt: skip
        return Panel("meeting", right + Length(wide), low + Length(long, FOOT), blocks, texts, zone="steps", low=True)

    def map(self, name: str, x: Length, y: Length, sources: tuple[LitPart, ...], **more: Any) -> Block:
        """Draws a matrix with one row per query and one column per key. If a cell is chosen, `sources` are highlighted."""
        own = {"name": name, "col_labels": self.keys, "hit": self.hit, "pale": self.pale if name in SHARES else (), **more}
        return map_of(name, x, y, self.cfg.query_len, self.cfg.key_len, self.head, self.pool, sources=sources, **own)

    def step(self, name: str, sign: str, before: str) -> Panel:
        """Draws the matrix `name` below the heading `sign`. It is computed from the matrix `before`."""
        (long, wide, _), left, low = self.sides, self.left, Length(0, 26 + UP)
        sources = (LitPart(before, "row" if name == "weights" else "cell"),)
        blocks = [self.map(name, left, low, sources, row_labels=self.queries)]
        result = f" = A_{{{self.head + 1}}}" if name == "weights" else ""
        texts = [Text(f"→ {sign}{result}", left + Length(wide / 2), Length(0, 17), 14, "strong"), *_axes(left, low)]
        width = left + Length(wide)
        if name in SHARES:
            sums, place, key = (LitPart(name, "row"),), width + Length(0, SUMS_APART), SHARES[name][0]
            blocks.append(matrix(key, key, place, low, self.cfg.query_len, 1, self.pool, width=1, name="row sum", sources=sums))
            texts.append(Text("row sum", width + Length(0.5, SUMS_APART), low + Length(0, -9), 12, "muted"))
            width = width + Length(1, SUMS_APART + 14)
        return Panel(name, width, low + Length(long, FOOT), tuple(blocks), tuple(texts), zone="steps", low=True)
