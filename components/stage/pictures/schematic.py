"""The layer as a block diagram, after Figure 2 of "Attention Is All You Need"; and a kernel in three cuts, without its cells."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from components.stage.diagram import Arrow, Box, Diagram, wide_enough, word
from components.stage.layout import Rect
from components.stage.numbers import Table
from components.stage.pictures.projections import KERNELS
from components.stage.scene import Length, Text
from components.stage.text import compact, width_of
from mha import Config, count_parameters, ledger
from mha.names import counted, heads_in_words
from mha.steps import steps_of

Shape = Box | Arrow | Text
#: Width, height, boxes, arrows and words.
Laid = tuple[float, float, tuple[Box, ...], tuple[Arrow, ...], tuple[Text, ...]]
#: Sheets of a stack, however many heads; how far each stands off the one before it.
SHEETS, OFF = 4, 4
#: Type, a line of it, the room between words and a box's edge.
TYPE, LINE, ROOM = 13, 17, 10
#: What the steps between scores and results do, in the order in which a layer has them.
OPERATIONS = {"scores": "Q_{i}K_{i}^{T}", "scaled": "÷ √d_{k}", "masked": "mask", "weights": "softmax", "dropped": "dropout",
              "context": "· V_{i}"}  # fmt: skip
#: Most pieces that are drawn one by one; of more, the first ones and the last.
PIECES, FIRST = 8, 4
#: Largest count that is written in full in a box.
IN_FULL = 99_999_999


@dataclass(frozen=True, slots=True)
class _Part:
    """A box of the diagram. `lines`: the name first, on `named` lines; `sheets`: how many are stacked; `title`: in words."""

    lines: tuple[str, ...]
    sheets: int = 1
    title: str = ""
    named: int = 1

    @property
    def width(self) -> float:
        return wide_enough(tuple((line, TYPE, place < self.named) for place, line in enumerate(self.lines)), 0, ROOM)

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 2 * ROOM - 4

    def drawn(self, x: float, y: float, width: float, height: float | None = None) -> Iterator[Box | Text]:
        """Draws the box with its upper left corner at x, y; what is stacked behind it stands out above and to the right."""
        tall = height or self.height
        for sheet in range(self.sheets - 1, 0, -1):
            yield Box(Rect(x + sheet * OFF, y - sheet * OFF, width, tall), "lift")
        yield Box(Rect(x, y, width, tall), title=self.title)
        first = y + (tall - len(self.lines) * LINE) / 2 + LINE * 0.74
        for place, line in enumerate(self.lines):
            yield word(line, x + width / 2, first + place * LINE, TYPE, "strong" if place < self.named else "ink")


@dataclass(frozen=True, slots=True)
class _Flow:
    """What passes along an arrow: what it is and its shape, and how many numbers."""

    shape: str
    numbers: str

    @property
    def width(self) -> float:
        return wide_enough(((self.shape, TYPE, False), (self.numbers, TYPE, False)), 0, 2)


def _flow(name: str, *shape: int) -> _Flow:
    """Writes the last two sizes of `shape` as a matrix; a third one before them says how many there are."""
    matrix = f"{shape[-2]:,} × {shape[-1]:,}"
    many = f"{shape[0]} × ({matrix})" if len(shape) == 3 else matrix
    return _Flow(f"{name}   {many}", counted(prod(shape), "number"))


def _linear(cfg: Config, letter: str) -> _Part:
    """A kernel and its bias: shape and count of both."""
    rows = {row.name: row for row in ledger(cfg)}
    kernel, bias = rows[f"w_{letter}"], rows.get(f"b_{letter}")
    sizes = kernel.shape
    pieces = f"({sizes[0]} · {sizes[1]}) × {sizes[2]:,}" if letter == "o" else f"{sizes[0]:,} × ({sizes[1]} · {sizes[2]})"
    count = kernel.count + (bias.count if bias else 0)
    total = f"{count:,}" if count <= IN_FULL else compact(count)
    symbol = letter.upper()
    names = f"W_{symbol}" + (f" and b_{symbol}" if bias else "")
    return _Part(
        (f"Linear W_{{{symbol}}}" + (f", b_{{{symbol}}}" if bias else ""), pieces + (f" + {bias.count:,}" if bias else ""),
         f"{total} parameters"),
        sheets=1 if letter == "o" else min(cfg.num_heads, SHEETS),
        title=f"Linear layer with {names}: {count:,} parameters",
    )  # fmt: skip


def _attention(cfg: Config) -> _Part:
    names = [step.name for step in steps_of(cfg)]
    between = names[names.index("scores") : names.index("context") + 1]
    shown = [OPERATIONS.get(name, name) for name in between if name != "masked" or cfg.masked]
    weights = cfg.num_heads * cfg.query_len * cfg.key_len
    return _Part(
        ("Scaled dot-product attention", " → ".join(shown), f"{counted(cfg.num_heads, 'map')} of {cfg.query_len} × {cfg.key_len}",
         counted(weights, "weight"), "no parameters"),
        sheets=min(cfg.num_heads, SHEETS),
        title=f"Scaled dot-product attention in {heads_in_words(cfg.num_heads)}: {weights:,} weights, no parameters",
    )  # fmt: skip


def block(cfg: Config) -> Diagram:
    """Draws the layer from X below to the output above, as the paper does; from left to right where the sheet is wide."""
    parts, flows = _parts(cfg), _flows(cfg)
    said = (_alt(cfg), (_table(cfg),))
    sideways = Diagram(*_sideways(cfg, parts, flows), *said)
    low = Diagram(*_low(cfg, parts, flows), *said)
    return Diagram(*_upright(cfg, parts, flows), *said, wide=sideways, low=low)


def _parts(cfg: Config) -> dict[str, _Part]:
    width = cfg.size("(hv)")
    return {
        **{letter: _linear(cfg, letter) for letter in "qkvo"},
        "attention": _attention(cfg),
        "concat": _Part(("Concat", f"{cfg.num_heads} · {cfg.value_dim} = {width:,} columns"), title="Concat: heads side by side"),
    }


def _flows(cfg: Config) -> dict[str, _Flow]:
    h, t, s = cfg.num_heads, cfg.query_len, cfg.key_len
    other = "X" if cfg.is_self_attention else "X′"
    return {
        "x": _flow("X", t, cfg.d_model), "x′": _flow(other, s, cfg.d_model),
        "q": _flow("Q_{i}", h, t, cfg.key_dim), "k": _flow("K_{i}", h, s, cfg.key_dim), "v": _flow("V_{i}", h, s, cfg.value_dim),
        "z": _flow("Z_{i}", h, t, cfg.value_dim), "concat": _flow("Concat", t, cfg.size("(hv)")),
        "output": _flow("output", t, cfg.d_model),
    }  # fmt: skip


#: Pixels of an arrow before its words, the words, and after them.
BEFORE, WORDS, AFTER = 9, 2 * LINE + 3, 17
SHAFT = BEFORE + WORDS + AFTER


def _up(flow: _Flow, x: float, y: float) -> Iterator[Arrow | Text]:
    """An arrow upwards from y, interrupted by its words."""
    yield Arrow(((x, y), (x, y - BEFORE)), plain=True)
    yield word(flow.shape, x, y - BEFORE - LINE - 2, TYPE)
    yield word(flow.numbers, x, y - BEFORE - 4, TYPE, "muted")
    yield Arrow(((x, y - BEFORE - WORDS), (x, y - SHAFT)))


def _upright(cfg: Config, parts: dict[str, _Part], flows: dict[str, _Flow]) -> Laid:
    """Width, height, boxes, arrows, words."""
    stack = (min(cfg.num_heads, SHEETS) - 1) * OFF
    pitch = max(parts[one].width for one in "qkv") + stack + 14
    pitch = max(pitch, *(flows[one].width + 14 for one in "qkv"), (parts["attention"].width + stack) / 3)
    columns = {name: 2 + (pitch - 14 - stack) / 2 + place * pitch for place, name in enumerate("qkv")}
    wide = 3 * pitch - 14 - stack
    centre, y = 2 + wide / 2, float(2 * LINE + 4 + AFTER)
    drawn: list[Shape] = [
        word(flows["output"].shape, centre, 15, TYPE), word(flows["output"].numbers, centre, 15 + LINE, TYPE, "muted"),
        Arrow(((centre, y), (centre, y - AFTER))),
    ]  # fmt: skip
    y = _tower(drawn, parts, columns, wide, stack, y, SHAFT, lambda name, x, y: _up(flows[name], x, y + SHAFT))
    for flow, middle in _inputs(cfg, drawn, columns, y, 22, 8):
        drawn.append(word(flows[flow].shape, middle, y + 22 + 8 + LINE - 3, TYPE))
        drawn.append(word(flows[flow].numbers, middle, y + 22 + 8 + 2 * LINE - 3, TYPE, "muted"))
    return _gathered(wide + stack + 4, y + 30 + 2 * LINE + 8, drawn)


def _tower(
    drawn: list[Shape], parts: dict[str, _Part], columns: dict[str, float], wide: float, stack: float, y: float, shaft: float,
    arrow: Callable[[str, float, float], Iterable[Shape]],
) -> float:  # fmt: skip
    """Draws the boxes from W_O at y down to the three linear layers in their columns, with an `arrow` (what passes along it,
    where it stands, where it ends) of `shaft` pixels between two. Gives where they end."""
    narrow, centre, column = max(parts["o"].width, parts["concat"].width), 2 + wide / 2, (wide + 14 + stack) / 3 - 14 - stack
    for name, flow, width in (("o", "concat", narrow), ("concat", "z", narrow), ("attention", "", wide)):
        drawn.extend(parts[name].drawn(centre - width / 2, y, width))
        y += parts[name].height
        if flow:
            drawn.extend(arrow(flow, centre, y))
            y += shaft + (stack if flow == "z" else 0)
    for name, x in columns.items():
        drawn.extend(arrow(name, x, y))
    y += shaft + stack
    for name, x in columns.items():
        drawn.extend(parts[name].drawn(x - column / 2, y, column))
    return y + parts["q"].height


def _inputs(
    cfg: Config, drawn: list[Shape], columns: dict[str, float], y: float, fork: float, stub: float
) -> Iterator[tuple[str, float]]:  # fmt: skip
    """Draws arrows to the three linear layers, whose boxes end at y, from one X where all three read it, otherwise from X and X′.
    Gives each input and where it stands. `fork`, `stub`: pixels from the boxes to where an arrow parts, and below that."""
    groups = [([*columns], "x")] if cfg.is_self_attention else [(["q"], "x"), ([one for one in columns if one != "q"], "x′")]
    for members, flow in groups:
        places = [columns[name] for name in members]
        middle, low = (places[0] + places[-1]) / 2, y + fork
        drawn += [Arrow(((middle, low), (x, low), (x, y)) if x != middle else ((x, low + stub), (x, y))) for x in places]
        if middle not in places:
            drawn.append(Arrow(((middle, low + stub), (middle, low)), plain=True))
        yield flow, middle


#: Of the upright layout for slides: how long an arrow is, and how far its words stand beside it.
SHORT, BESIDE = 21, 8


def _low(cfg: Config, parts: dict[str, _Part], flows: dict[str, _Flow]) -> Laid:
    """Upright as the paper draws it, V K Q below and Concat above, in few lines: words stand beside the arrows."""
    stack = (min(cfg.num_heads, SHEETS) - 1) * OFF
    low = {name: part if name in "qkv" else replace(part, lines=_in_two(part.lines)) for name, part in parts.items()}
    said = {
        name: f"{flow.shape} = {flow.numbers.partition(' ')[0] if name in 'qkv' else flow.numbers}"
        for name, flow in flows.items()
    }
    long = {name: wide_enough(((text, TYPE, False),), 0, BESIDE) for name, text in said.items()}
    pitch = 14 + stack + max(*(low[one].width for one in "qkv"), low["attention"].width / 3 - stack)
    pitch = max(pitch, long["v"], long["k"])
    wide = 3 * pitch - 14 - stack
    columns = {name: 2 + (pitch - 14 - stack) / 2 + place * pitch for place, name in enumerate("vkq")}

    def beside(name: str, x: float, y: float) -> tuple[Shape, ...]:
        """An arrow that ends at y, and its words at its right."""
        return Arrow(((x, y + SHORT), (x, y))), word(said[name], x + BESIDE, y + SHORT - 6, TYPE, anchor="start")

    drawn: list[Shape] = [*beside("output", 2 + wide / 2, 0)]
    y = _tower(drawn, low, columns, wide, stack, float(SHORT), SHORT, beside)
    for flow, middle in _inputs(cfg, drawn, columns, y, 12, 9):
        drawn.append(word(said[flow], middle, y + 12 + 9 + LINE - 3, TYPE))
    ends = [shape.x.px + width_of(shape.text, TYPE) for shape in drawn if isinstance(shape, Text) and shape.anchor == "start"]
    return _gathered(max(wide + stack + 4, *ends), y + 12 + 9 + LINE + 4, drawn)


def _in_two(lines: tuple[str, ...]) -> tuple[str, ...]:
    """A box's lines in two at most: of attention, whose steps are the second, these beside its name."""
    name, *rest = lines
    if len(rest) > 2:
        return f"{name}:  {rest[0]}", f"{rest[1]}: {', '.join(rest[2:])}"
    return (name, ": ".join(rest)) if len(rest) > 1 else (f"{name}: {rest[0]}",)


def _right(flow: _Flow, x: float, y: float, long: float) -> Iterator[Arrow | Text]:
    """An arrow to the right with its words."""
    yield Arrow(((x, y), (x + long, y)))
    yield from _beside(flow, x, y, long)


def _beside(flow: _Flow, x: float, y: float, long: float) -> Iterator[Text]:
    """An arrow's words, above and below it."""
    name, _, shape = flow.shape.partition("   ")
    yield word(name, x + long / 2 - 2, y - 8 - LINE, TYPE)
    yield word(shape, x + long / 2 - 2, y - 8, TYPE)
    yield word(flow.numbers.partition(" ")[0], x + long / 2 - 2, y + LINE, TYPE, "muted")


def _long(*flows: _Flow) -> float:
    shapes = [flow.shape.partition("   ") for flow in flows]
    lines = [(line, TYPE, False) for name, _, shape in shapes for line in (name, shape)]
    lines += [(flow.numbers.partition(" ")[0], TYPE, False) for flow in flows]
    return wide_enough(tuple(lines), 34, 7)


def _sideways(cfg: Config, parts: dict[str, _Part], flows: dict[str, _Flow]) -> Laid:
    """Draws the block diagram from left to right; under each arrow how many numbers."""
    stack = (min(cfg.num_heads, SHEETS) - 1) * OFF
    tall, apart = parts["q"].height, 26 + stack
    _, chain, *counts = parts["attention"].lines
    done = chain.split(" → ")
    each = (len(done) + 1) // 2
    chains = (" → ".join(["", *done[first : first + each]] if first else done[:each]) for first in range(0, len(done), each))
    lines = ("Scaled", "dot-product", "attention", *(chain.lstrip() for chain in chains), *counts)
    attention = _Part(lines, parts["attention"].sheets, parts["attention"].title, named=3)
    concat = _Part(("Concat", *parts["concat"].lines[1].replace(" columns", "").split(" = ")), title=parts["concat"].title)
    high = 3 * tall + 2 * apart
    top = float(stack + 2)
    rows = [top + tall / 2 + place * (tall + apart) for place in range(3)]
    middle, x = rows[1], 2.0
    drawn: list[Shape] = []
    first = _long(flows["x"], flows["x′"])
    groups = ((rows, "x"),) if cfg.is_self_attention else ((rows[:1], "x"), (rows[1:], "x′"))
    for members, flow in groups:
        y = (members[0] + members[-1]) / 2
        fork = x + first
        for row in members:
            drawn.append(Arrow(((fork, y), (fork, row), (fork + 20, row)) if row != y else ((x, y), (fork + 20, y))))
        if y not in members:
            drawn.append(Arrow(((x, y), (fork, y)), plain=True))
        drawn.extend(_beside(flows[flow], x, y, first))
    x += first + 20
    linear = max(parts[one].width for one in "qkv")
    for row, name in zip(rows, "qkv", strict=True):
        drawn.extend(parts[name].drawn(x, row - tall / 2, linear, tall))
    x += linear + stack
    long = _long(*(flows[one] for one in "qkv"))
    for row, name in zip(rows, "qkv", strict=True):
        drawn.extend(_right(flows[name], x, row, long))
    x += long
    drawn.extend(attention.drawn(x, top, attention.width, high))
    x += attention.width + stack
    for part, before in ((concat, "z"), (parts["o"], "concat")):
        long = _long(flows[before])
        drawn.extend(_right(flows[before], x, middle, long))
        x += long
        drawn.extend(part.drawn(x, middle - part.height / 2, part.width))
        x += part.width
    long = _long(flows["output"])
    drawn.extend(_right(flows["output"], x, middle, long))
    return _gathered(x + long + 2, top + high + 4, drawn)


def _gathered(width: float, height: float, drawn: Sequence[Shape]) -> Laid:
    """Each kind in the order in which it was drawn."""
    boxes = tuple(one for one in drawn if isinstance(one, Box))
    arrows = tuple(one for one in drawn if isinstance(one, Arrow))
    return width, height, boxes, arrows, tuple(one for one in drawn if isinstance(one, Text))


def _alt(cfg: Config) -> str:
    x = f"X, {cfg.query_len} × {cfg.d_model}"
    other = f"into W_Q, and X′, {cfg.key_len} × {cfg.d_model}, into W_K and W_V"
    into = "into W_Q, W_K and W_V" if cfg.is_self_attention else other
    mask = ", causal" if cfg.mask == "causal" else ""
    return (
        f"The layer as blocks. {x}, goes {into}. {heads_in_words(cfg.num_heads)}, d_k {cfg.key_dim}, "
        f"d_v {cfg.value_dim}: scaled dot-product attention{mask} with {counted(cfg.num_heads, 'map')} of {cfg.query_len} × "
        f"{cfg.key_len}, Concat with {counted(cfg.size('(hv)'), 'column')}, then W_O gives {cfg.query_len} × {cfg.d_model}. "
        f"{counted(count_parameters(cfg), 'parameter')}."
    )


def _table(cfg: Config) -> Table:
    """What is on the arrows and in the boxes: so many matrices of rows × columns each."""
    h, t, s, m, width = cfg.num_heads, cfg.query_len, cfg.key_len, cfg.d_model, cfg.size("(hv)")
    arrays = [
        ("X", 1, t, m), *([] if cfg.is_self_attention else [("X′", 1, s, m)]),
        ("Q", h, t, cfg.key_dim), ("K", h, s, cfg.key_dim), ("V", h, s, cfg.value_dim), ("A", h, t, s),
        ("Z", h, t, cfg.value_dim), ("Concat", 1, t, width), ("output", 1, t, m),
    ]  # fmt: skip
    rows = [(name, "array", *sizes, prod(sizes)) for name, *sizes in arrays]
    for row in ledger(cfg):
        name, (pieces, down, across) = _in_heads(row.name, row.shape)
        rows.append((name, "parameters", pieces, down, across, row.count))
    heads = ("name", "kind", "matrices", "rows each", "columns each", "numbers")
    return Table("The layer's arrays", heads, tuple(rows))


def _in_heads(name: str, shape: tuple[int, ...]) -> tuple[str, tuple[int, int, int]]:
    """A variable's name as the paper writes it; how many pieces it has, and the sides of each."""
    label = f"{name[0].upper() if name[0] == 'w' else name[0]}_{name[2:].upper()}"
    if len(shape) == 3:
        return label, shape if name == "w_o" else (shape[1], shape[0], shape[2])
    return label, (shape[0], 1, shape[1]) if len(shape) == 2 else (1, 1, shape[0])


#: The cuts' drawing, in pixels: a kernel's longest side, what lies between two panels and between two pieces; how many of Keras's
#: tiles are drawn, how far each stands off the one before it, and how wide they are; the headings above a panel.
SIDE, APART, SPLIT, TILES, DEPTH, TILE, ABOVE = 104.0, 24.0, 7.0, 5, 8.0, 64.0, 44.0


def cuts(cfg: Config, name: str) -> Diagram:
    """A kernel (a key of KERNELS) in three cuts, in proportion, without its cells: one matrix, h matrices, Keras's array."""
    symbol, _, _, letter = KERNELS[name]
    m, h, size = cfg.d_model, cfg.num_heads, cfg.size(letter)
    panels = (_one_matrix(m, h, size, letter), _matrices(m, h, size), _tiles(m, h, size, letter))
    count = m * h * size
    alt = (
        f"W_{symbol} with {counted(count, 'number')} in three cuts: one matrix of {m} × {h * size}; "
        f"{counted(h, 'matrix', 'matrices')} of {m} × {size}; one array of shape ({m}, {h}, {size})."
    )
    rows = (("one matrix", 1, m, h * size, count), ("paper", h, m, size, count), ("Keras", m, h, size, count))
    table = Table("The cuts", ("cut", "matrices", "rows each", "columns each", "numbers"), rows)
    widest, x, y = max(width for width, _, _ in panels), 2.0, 0.0
    below: list[Shape] = []
    beside: list[Shape] = []
    for width, height, drawn in panels:
        below += [_moved(shape, 2 + (widest - width) / 2, y) for shape in drawn]
        beside += [_moved(shape, x, 0) for shape in drawn]
        x, y = x + width + APART, y + height + APART
    high = max(height for _, height, _ in panels)
    wide = Diagram(*_gathered(x - APART + 2, high, beside), alt, (table,))
    return Diagram(*_gathered(widest + 4, y - APART, below), alt, (table,), wide=wide)


def _moved(shape: Shape, x: float, y: float) -> Shape:
    if isinstance(shape, Box):
        return replace(shape, rect=Rect(shape.rect.x + x, shape.rect.y + y, shape.rect.w, shape.rect.h))
    if isinstance(shape, Arrow):
        return replace(shape, points=tuple((px + x, py + y) for px, py in shape.points))
    return replace(shape, x=shape.x + Length(0, x), y=shape.y + Length(0, y))


def _sides(m: int, h: int, size: int) -> tuple[float, float, list[int | None]]:
    """A kernel's height and width in pixels, in proportion as far as both are seen; the pieces drawn (None: those left out)."""
    longest = max(m, h * size)
    shown: list[int | None] = list(range(h)) if h <= PIECES else [*range(FIRST), None, h - 1]
    return max(SIDE * m / longest, 24.0), max(SIDE * h * size / longest, 13.0 * len(shown)), shown


def _heading(width: float, text: str, who: str) -> list[Shape]:
    return [word(text, width / 2, 14, TYPE, "strong"), word(who, width / 2, 14 + LINE, TYPE, "muted")]


def _across(x: float, width: float, y: float, text: str) -> list[Shape]:
    """A dimension line and, below it, the size."""
    ticks = [Arrow(((at, y - 3), (at, y + 3)), plain=True) for at in (x, x + width)]
    return [Arrow(((x, y), (x + width, y)), plain=True), *ticks, word(text, x + width / 2, y + LINE, TYPE)]


def _down(x: float, y: float, height: float, text: str) -> list[Shape]:
    """A dimension line and, left of it, the size."""
    ticks = [Arrow(((x - 3, at), (x + 3, at)), plain=True) for at in (y, y + height)]
    return [Arrow(((x, y), (x, y + height)), plain=True), *ticks, word(text, x - 6, y + height / 2 + 4, TYPE, anchor="end")]


def _pieces(shown: list[int | None], x: float, y: float, wide: float, tall: float, split: float = 0.0) -> Iterator[Shape]:
    """Upright pieces side by side, `wide` pixels together but for what lies between them."""
    piece = wide / len(shown)
    for place, head in enumerate(shown):
        at = Rect(x + place * (piece + split), y, piece, tall)
        if head is None:
            yield word("…", at.x + piece / 2, y + tall / 2 + 4, TYPE)
        else:
            yield Box(at, "hue", head, radius=0, title=f"head {head + 1}")


def _one_matrix(m: int, h: int, size: int, letter: str) -> tuple[float, float, list[Shape]]:
    tall, wide, shown = _sides(m, h, size)
    side = f"d_{{model}} = {m:,}"
    left = wide_enough(((side, TYPE, False),), 0, 8)
    below = f"h · d_{{{letter}}} = {h} · {size}"
    whole = max(left + wide, wide_enough(((below, TYPE, False),), 0, 2) / 2 + left + wide / 2)
    y = ABOVE + SIDE - tall
    drawn = [*_pieces(shown, left, y, wide, tall), *_down(left - 8, y, tall, side)]
    drawn += _across(left, wide, ABOVE + SIDE + 10, below)
    titles = [_moved(shape, left + wide / 2 - 60, 0) for shape in _heading(120, "one matrix", "transposed in PyTorch")]
    outline = Box(Rect(left, y, wide, tall), "cut", radius=0)
    return max(whole, left + wide / 2 + 66), ABOVE + SIDE + 10 + LINE + 6, [*drawn, outline, *titles]


def _matrices(m: int, h: int, size: int) -> tuple[float, float, list[Shape]]:
    tall, wide, shown = _sides(m, h, size)
    across = wide + SPLIT * (len(shown) - 1)
    whole = max(across, 96.0)
    y = ABOVE + SIDE - tall
    drawn = [*_pieces(shown, (whole - across) / 2, y, wide, tall, SPLIT)]
    each = word(f"{'each ' if h > 1 else ''}{m:,} × {size}", whole / 2, ABOVE + SIDE + 10 + LINE, TYPE)
    return whole, ABOVE + SIDE + 10 + LINE + 6, [*drawn, *_heading(whole, counted(h, "matrix", "matrices"), "the paper"), each]


def _tiles(m: int, h: int, size: int, letter: str) -> tuple[float, float, list[Shape]]:
    """Keras's cut: a tile of h × d for each of d_model rows, one behind the other."""
    _, _, shown = _sides(m, h, size)
    tiles = min(m, TILES)
    tall = min(max(TILE * h / size, 22.0), SIDE - (tiles - 1) * DEPTH)
    row, base = tall / len(shown), ABOVE + SIDE
    many = counted(m, "tile")
    end = TILE + (tiles - 1) * DEPTH
    whole = end + 6 + wide_enough(((many, TYPE, False),), 0, 1)
    drawn: list[Shape] = []
    for tile in range(tiles - 1, -1, -1):
        x, y = tile * DEPTH, base - tall - tile * DEPTH
        drawn.append(Box(Rect(x, y, TILE, tall), "lift", radius=0))
        hued = [(place, head) for place, head in enumerate(shown) if head is not None]
        drawn += [Box(Rect(x, y + place * row, TILE, row), "hue", head, 0, f"head {head + 1}") for place, head in hued]
    drawn.append(word(many, end + 6, base - (tiles - 1) * DEPTH - tall / 2 + 4, TYPE, anchor="start"))
    drawn += _across(0, TILE, base + 10, f"d_{{{letter}}} = {size}")
    return whole, base + 10 + LINE + 6, [*drawn, *_heading(whole, "one array", f"Keras: ({m:,}, {h}, {size})")]
