"""Diagrams of the layer as blocks, like Figure 2 of "Attention Is All You Need", and of a weight matrix stored in three ways."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from headcount import Config, count_parameters, ledger
from headcount.names import LABELS, counted, heads_in_words
from headcount.stage.diagram import Arrow, Box, Diagram, Shape, moved, word
from headcount.stage.layout import Rect
from headcount.stage.numbers import Table
from headcount.stage.pictures.projections import KERNELS
from headcount.stage.scene import Text
from headcount.stage.text import compact, width_of
from headcount.steps import steps_of

#: Most boxes in a stack, which stands for the heads, and pixels from one box to the next.
SHEETS, OFF = 4, 4
#: Pixels: font size, height of a line, and distance between text and a box's edge.
TYPE, LINE, ROOM = 13, 17, 10
#: Pixels of the block diagram. SHAFT: length of an arrow. BESIDE: from an arrow to its label. BETWEEN: between columns. FORK:
#: from the linear layers down to where the arrow from X divides. STUB: from there to the arrow's lower end.
SHAFT, BESIDE, BETWEEN, FORK, STUB = 21, 8, 14, 12, 9
#: Labels of the steps from the scores to the head output, in the order of computation.
OPERATIONS = {"scores": "Q_{i}K_{i}^{T}", "scaled": "÷ √d_{k}", "masked": "mask", "weights": "softmax", "dropped": "dropout",
              "context": "· V_{i}"}  # fmt: skip
#: Most slices that are all drawn. Of more slices, the FIRST ones and the last are drawn.
PIECES, FIRST = 8, 4
#: The largest parameter count that is written in full.
IN_FULL = 99_999_999


@dataclass(frozen=True, slots=True)
class _Part:
    """A box of the block diagram, drawn as a stack of `sheets` boxes. `lines` is the text, and `title` the tooltip."""

    lines: tuple[str, ...]
    sheets: int = 1
    title: str = ""

    @property
    def width(self) -> float:
        return max(width_of(line, TYPE, bold=not place) for place, line in enumerate(self.lines)) + 2 * ROOM

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 2 * ROOM - 4

    def drawn(self, x: float, y: float, width: float) -> Iterator[Box | Text]:
        for sheet in range(self.sheets - 1, 0, -1):
            yield Box(Rect(x + sheet * OFF, y - sheet * OFF, width, self.height), "lift")
        yield Box(Rect(x, y, width, self.height), title=self.title)
        for place, line in enumerate(self.lines):
            yield word(line, x + width / 2, y + ROOM - 2 + (place + 0.74) * LINE, TYPE, "ink" if place else "strong")


def _linear(cfg: Config, letter: str) -> _Part:
    rows = {row.name: row for row in ledger(cfg)}
    kernel, bias = rows[f"w_{letter}"], rows.get(f"b_{letter}")
    sizes = kernel.shape
    pieces = f"({sizes[0]} · {sizes[1]}) × {sizes[2]:,}" if letter == "o" else f"{sizes[0]:,} × ({sizes[1]} · {sizes[2]})"
    pieces += f" + {bias.count:,}" if bias else ""
    count = kernel.count + (bias.count if bias else 0)
    total = f"{count:,} parameters" if count <= IN_FULL else f"{compact(count)} parameters"
    symbol = letter.upper()
    names = f"W_{symbol}" + (f" and b_{symbol}" if bias else "")
    return _Part(
        (f"Linear W_{{{symbol}}}" + (f", b_{{{symbol}}}" if bias else ""),
         *((f"{pieces}: {total}",) if letter == "o" else (pieces, total))),
        sheets=1 if letter == "o" else min(cfg.num_heads, SHEETS),
        title=f"Linear layer with {names}: {count:,} parameters",
    )  # fmt: skip


def _attention(cfg: Config) -> _Part:
    names = [step.name for step in steps_of(cfg)]
    between = names[names.index("scores") : names.index("context") + 1]
    shown = [OPERATIONS.get(name, name) for name in between if name != "masked" or cfg.masked]
    weights = cfg.num_heads * cfg.query_len * cfg.key_len
    return _Part(
        (f"Scaled dot-product attention:  {' → '.join(shown)}",
         f"{counted(cfg.num_heads, 'map')} of {cfg.query_len} × {cfg.key_len}: {counted(weights, 'weight')}, no parameters"),
        sheets=min(cfg.num_heads, SHEETS),
        title=f"Scaled dot-product attention in {heads_in_words(cfg.num_heads)}: {weights:,} weights, no parameters",
    )  # fmt: skip


def _flow(name: str, *shape: int) -> str:
    """Returns the label of an arrow: the array's name, how many matrices of which size, and how many numbers."""
    matrix, heads = f"{shape[-2]:,} × {shape[-1]:,}", shape[:-2]
    size = f"{heads[0]} × ({matrix})" if heads else matrix
    numbers = f"{prod(shape):,}" if name[0] in "QKV" else counted(prod(shape), "number")
    return f"{name}   {size} = {numbers}"


def _flows(cfg: Config) -> dict[str, str]:
    h, t, s = cfg.num_heads, cfg.query_len, cfg.key_len
    return {
        "x": _flow("X", t, cfg.d_model), "x′": _flow("X′", s, cfg.d_model),
        "q": _flow("Q_{i}", h, t, cfg.key_dim), "k": _flow("K_{i}", h, s, cfg.key_dim), "v": _flow("V_{i}", h, s, cfg.value_dim),
        "z": _flow("Z_{i}", h, t, cfg.value_dim), "concat": _flow("Concat", t, cfg.size("(hv)")),
        "output": _flow("output", t, cfg.d_model),
    }  # fmt: skip


def block(cfg: Config) -> Diagram:
    """Draws the layer as in the paper: X at the bottom, V, K and Q side by side, and the output at the top."""
    flows, linear, attention = _flows(cfg), {letter: _linear(cfg, letter) for letter in "vkqo"}, _attention(cfg)
    concat = _Part(
        (f"Concat: {cfg.num_heads} · {cfg.value_dim} = {cfg.size('(hv)'):,} columns",), title="Concat: heads side by side"
    )
    stack = (min(cfg.num_heads, SHEETS) - 1) * OFF
    column = max(*(linear[one].width for one in "vkq"), attention.width / 3 - stack)
    pitch = max(column + stack + BETWEEN, *(width_of(flows[one], TYPE) + 2 * BESIDE for one in "vk"))
    column, wide = pitch - stack - BETWEEN, 3 * pitch - stack - BETWEEN
    columns = {name: 2 + column / 2 + place * pitch for place, name in enumerate("vkq")}
    centre, narrow = 2 + wide / 2, max(linear["o"].width, concat.width)

    def arrow(flow: str, x: float, y: float) -> tuple[Shape, ...]:
        """Draws an upward arrow that ends at y. The label `flows[flow]` is at its right."""
        return Arrow(((x, y + SHAFT), (x, y))), word(flows[flow], x + BESIDE, y + SHAFT - 6, TYPE, anchor="start")

    drawn, y = [*arrow("output", centre, 0)], float(SHAFT)
    for part, flow, width in ((linear["o"], "concat", narrow), (concat, "z", narrow), (attention, "", wide)):
        drawn += part.drawn(centre - width / 2, y, width)
        y += part.height
        if flow:
            drawn += arrow(flow, centre, y)
            y += SHAFT + (stack if flow == "z" else 0)
    for name, x in columns.items():
        drawn += [*arrow(name, x, y), *linear[name].drawn(x - column / 2, y + SHAFT + stack, column)]
    y += SHAFT + stack + linear["q"].height
    low = y + FORK
    for members, flow in (("vkq", "x"),) if cfg.is_self_attention else (("q", "x"), ("vk", "x′")):
        places = [columns[name] for name in members]
        middle = (places[0] + places[-1]) / 2
        drawn += [Arrow(((middle, low), (x, low), (x, y)) if x != middle else ((x, low + STUB), (x, y))) for x in places]
        drawn += [] if middle in places else [Arrow(((middle, low + STUB), (middle, low)), plain=True)]
        drawn.append(word(flows[flow], middle, low + STUB + LINE - 3, TYPE))
    ends = [shape.x.px + width_of(shape.text, TYPE) for shape in drawn if isinstance(shape, Text) and shape.anchor == "start"]
    return Diagram(max(wide + stack + 4, *ends), low + STUB + LINE + 4, drawn, _alt(cfg), (_table(cfg),))


def _alt(cfg: Config) -> str:
    x = f"X, {cfg.query_len} × {cfg.d_model}"
    other = f"into W_Q, and X′, {cfg.key_len} × {cfg.d_model}, into W_K and W_V"
    into = "into W_Q, W_K and W_V" if cfg.is_self_attention else other
    attention = "Causal scaled" if cfg.mask == "causal" else "Scaled"
    return (
        f"The layer is a chain of blocks with {counted(count_parameters(cfg), 'parameter')} in all. {x}, goes {into}. "
        f"{attention} dot-product attention in {heads_in_words(cfg.num_heads)} (key size {cfg.key_dim}, value size "
        f"{cfg.value_dim}) makes {counted(cfg.num_heads, 'map')} of {cfg.query_len} × {cfg.key_len}. Concat has "
        f"{counted(cfg.size('(hv)'), 'column')}, and W_O makes an output of {cfg.query_len} × {cfg.d_model}."
    )


def _table(cfg: Config) -> Table:
    h, t, s, m, width = cfg.num_heads, cfg.query_len, cfg.key_len, cfg.d_model, cfg.size("(hv)")
    arrays = [
        ("X", 1, t, m), *([] if cfg.is_self_attention else [("X′", 1, s, m)]),
        ("Q", h, t, cfg.key_dim), ("K", h, s, cfg.key_dim), ("V", h, s, cfg.value_dim), ("A", h, t, s),
        ("Z", h, t, cfg.value_dim), ("Concat", 1, t, width), ("output", 1, t, m),
    ]  # fmt: skip
    rows = [(name, "array", *sizes, prod(sizes)) for name, *sizes in arrays]
    rows += [(LABELS[row.name], "parameters", *_in_heads(row.name, row.shape), row.count) for row in ledger(cfg)]
    heads = ("name", "kind", "matrices", "rows each", "columns each", "numbers")
    return Table("The layer's arrays", heads, tuple(rows))


def _in_heads(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns (number of matrices, rows, columns) for a variable: one matrix for each head, or one in all."""
    if len(shape) == 3:
        return shape if name == "w_o" else (shape[1], shape[0], shape[2])
    return (shape[0], 1, shape[1]) if len(shape) == 2 else (1, 1, shape[0])


#: Pixels of the diagram of a weight matrix. SIDE: its longest side. APART, SPLIT: between panels, and between slices. DEPTH: from
#: one of Keras's tiles to the next. TILE: width of a tile. ABOVE: room for headings. TILES: most tiles that are drawn.
SIDE, APART, SPLIT, TILES, DEPTH, TILE, ABOVE = 104.0, 24.0, 7.0, 5, 8.0, 64.0, 44.0
#: Pixels from the top to the lower edge of a panel's shapes, and to the end of the panel.
BASE, HIGH = ABOVE + SIDE, ABOVE + SIDE + 10 + LINE + 6


def cuts(cfg: Config, name: str) -> Diagram:
    """Draws a weight matrix in three forms: one matrix, h matrices, and Keras's array. `name` is its name, such as "w_q"."""
    symbol, _, _, letter = KERNELS[name]
    m, h, size = cfg.d_model, cfg.num_heads, cfg.size(letter)
    panels = (_one_matrix(m, h, size, letter), _matrices(m, h, size), _tiles(m, h, size, letter))
    count = m * h * size
    alt = (
        f"W_{symbol} has {counted(count, 'number')}. It is drawn in three cuts: one matrix of {m} × {h * size}; "
        f"{counted(h, 'matrix', 'matrices')} of {m} × {size}; one array of shape ({m}, {h}, {size})."
    )
    rows = (("one matrix", 1, m, h * size, count), ("paper", h, m, size, count), ("Keras", m, h, size, count))
    table = Table("The cuts", ("cut", "matrices", "rows each", "columns each", "numbers"), rows)
    widest, x, y = max(width for width, _ in panels), 2.0, 0.0
    below: list[Shape] = []
    beside: list[Shape] = []
    for width, drawn in panels:
        below += [moved(shape, 2 + (widest - width) / 2, y) for shape in drawn]
        beside += [moved(shape, x, 0) for shape in drawn]
        x, y = x + width + APART, y + HIGH + APART
    wide = Diagram(x - APART + 2, HIGH, beside, alt, (table,))
    return Diagram(widest + 4, y - APART, below, alt, (table,), wide)


def _sides(m: int, h: int, size: int) -> tuple[float, float, list[int | None]]:
    """Returns a matrix's sides in pixels, to scale but not too short, and the heads to draw. None stands for omitted heads."""
    longest = max(m, h * size)
    shown: list[int | None] = list(range(h)) if h <= PIECES else [*range(FIRST), None, h - 1]
    return max(SIDE * m / longest, 24.0), max(SIDE * h * size / longest, 13.0 * len(shown)), shown


def _heading(middle: float, text: str, who: str) -> list[Shape]:
    return [word(text, middle, 14, TYPE, "strong"), word(who, middle, 14 + LINE, TYPE, "muted")]


def _across(x: float, width: float, text: str) -> list[Shape]:
    """Draws a dimension line below a shape, and the length (`text`) below the line."""
    y = BASE + 10
    ticks = [Arrow(((at, y - 3), (at, y + 3)), plain=True) for at in (x, x + width)]
    return [Arrow(((x, y), (x + width, y)), plain=True), *ticks, word(text, x + width / 2, y + LINE, TYPE)]


def _down(x: float, y: float, height: float, text: str) -> list[Shape]:
    """Draws a dimension line at the left of a shape, and the length (`text`) at the left of the line."""
    ticks = [Arrow(((x - 3, at), (x + 3, at)), plain=True) for at in (y, y + height)]
    return [Arrow(((x, y), (x, y + height)), plain=True), *ticks, word(text, x - 6, y + height / 2 + 4, TYPE, anchor="end")]


def _pieces(shown: list[int | None], x: float, y: float, wide: float, tall: float, split: float = 0.0) -> Iterator[Shape]:
    """Yields the slices of a matrix side by side, with gaps of `split` pixels. `wide`: width without gaps. None gives "…"."""
    piece = wide / len(shown)
    for place, head in enumerate(shown):
        at = Rect(x + place * (piece + split), y, piece, tall)
        if head is None:
            yield word("…", at.x + piece / 2, y + tall / 2 + 4, TYPE)
        else:
            yield Box(at, "hue", head, radius=0, title=f"head {head + 1}")


def _one_matrix(m: int, h: int, size: int, letter: str) -> tuple[float, list[Shape]]:
    tall, wide, shown = _sides(m, h, size)
    side, below = f"d_{{model}} = {m:,}", f"h · d_{{{letter}}} = {h} · {size}"
    left, y = width_of(side, TYPE) + 16, BASE - tall
    drawn = [*_pieces(shown, left, y, wide, tall), *_down(left - 8, y, tall, side), *_across(left, wide, below)]
    drawn.append(Box(Rect(left, y, wide, tall), "cut", radius=0))
    drawn += _heading(left + wide / 2, "one matrix", "transposed in PyTorch")
    return max(left + wide, left + wide / 2 + max(width_of(below, TYPE) / 2 + 2, 66)), drawn


def _matrices(m: int, h: int, size: int) -> tuple[float, list[Shape]]:
    tall, wide, shown = _sides(m, h, size)
    across = wide + SPLIT * (len(shown) - 1)
    whole = max(across, 96.0)
    each = word(f"{'each ' if h > 1 else ''}{m:,} × {size}", whole / 2, BASE + 10 + LINE, TYPE)
    drawn = _pieces(shown, (whole - across) / 2, BASE - tall, wide, tall, SPLIT)
    return whole, [*drawn, *_heading(whole / 2, counted(h, "matrix", "matrices"), "the paper"), each]


def _tiles(m: int, h: int, size: int, letter: str) -> tuple[float, list[Shape]]:
    """Draws Keras's array (d_model, h, d) as tiles of h × d, one behind the other. At most TILES tiles are drawn."""
    shown, tiles = _sides(m, h, size)[2], min(m, TILES)
    behind = (tiles - 1) * DEPTH
    tall, many, end = min(max(TILE * h / size, 22.0), SIDE - behind), counted(m, "tile"), TILE + behind + 6
    row, whole = tall / len(shown), end + width_of(many, TYPE) + 2
    drawn: list[Shape] = []
    for off in (tile * DEPTH for tile in range(tiles - 1, -1, -1)):
        x, y = off, BASE - tall - off
        drawn.append(Box(Rect(x, y, TILE, tall), "lift", radius=0))
        hued = [(place, head) for place, head in enumerate(shown) if head is not None]
        drawn += [Box(Rect(x, y + place * row, TILE, row), "hue", head, 0, f"head {head + 1}") for place, head in hued]
    drawn += [word(many, end, BASE - behind - tall / 2 + 4, TYPE, anchor="start"), *_across(0, TILE, f"d_{{{letter}}} = {size}")]
    return whole, drawn + _heading(whole / 2, "one array", f"Keras: ({m:,}, {h}, {size})")
