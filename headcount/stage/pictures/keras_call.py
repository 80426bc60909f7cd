"""Diagram of one call of Keras's MultiHeadAttention, to scale except for very thin arrays, with bars of parameter counts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from headcount.keras.layer import KerasLayer, count_of, variables
from headcount.names import heads_in_words, noun
from headcount.stage.diagram import Arrow, Box, Diagram, Shape, moved, word
from headcount.stage.layout import Rect
from headcount.stage.numbers import Table
from headcount.stage.scene import Text
from headcount.stage.text import width_of

#: HEADS: most heads that are drawn. MOST_UNIT: most pixels per number. WIDE, UPRIGHT: sizes of the drawing in pixels, for a
#: wide page and a phone.
HEADS, MOST_UNIT, WIDE, UPRIGHT = 16, 7.5, (954.0, 400.0), (352.0, 1200.0)
#: Pixels: font size; line height; gaps between slabs, between rows and between stages; height of a bar; least side of a box.
TYPE, LINE, GAP, ROW, STAGE, BAR, LEAST = 13, 16, 3.0, 16.0, 34.0, 20.0, 1.5
#: A part of the diagram, such as all inputs: its width, its height and its shapes.
Stage = tuple[float, float, list[Shape]]


def call(layer: KerasLayer, bars: Sequence[tuple[str, KerasLayer]], part: str = "") -> Diagram:
    """Draws one call of a Keras layer. `bars` are pairs of a name and a layer, whose parameter counts are compared. If `part` is
    "shapes", the batch size is written as None. If `part` is "call", frames mark the arrays that the call returns."""
    arrays = _arrays(layer, part == "shapes")
    drawn = [_fit(layer, arrays, bars, part, upright) for upright in (True, False)]
    rows = tuple((row.path, str(row.shape), row.count) for row in variables(layer))
    held = Table("Variables", ("variable", "shape", "parameters"), rows)
    passed = Table("Arrays", ("array", "shape"), tuple(arrays.items()))
    counts = [Table("Parameters", ("layer", "parameters"), tuple((name, count_of(one)) for name, one in bars))] if bars else []
    alt = (
        f"The call has these shapes, step by step: {'; '.join(f'{name} {sizes}' for name, sizes in arrays.items())}. Each "
        "variable has a shape and a parameter count. Variables: "
        f"{'; '.join(f'{path} {sizes}, {count:,}' for path, sizes, count in rows)}."
    )
    if bars:
        alt += f" Bars compare parameter counts: {'; '.join(f'{name}: {count_of(one):,}' for name, one in bars)}."
    if layer.num_heads > HEADS:
        alt += f" The first {HEADS} heads are drawn."
    narrow, wide = (Diagram(*one, alt, (held, passed, *counts)) for one in drawn)
    return replace(narrow, wide=wide)


def _arrays(layer: KerasLayer, symbolic: bool) -> dict[str, str]:
    """Returns the shape of each array as Keras prints it, by the name of the array. Three inputs of the same shape are one array.
    Scores are left out if the attended axes are invalid. `symbolic` writes None for the batch size."""
    inputs = {"query": layer.query_shape, "key": layer.key_shape, "value": layer.value_shape}
    one = len({*inputs.values()}) == 1
    sizes = {"input": layer.query_shape} if one else inputs
    if layer.attends_positions:
        sizes["scores"] = layer.score_shape
    sizes |= {"heads side by side": (*layer.query_shape[:-1], layer.num_heads, layer.value_dim), "output": layer.result_shape}
    return {name: str((None, *shape[1:]) if symbolic else shape) for name, shape in sizes.items()}


def _fit(layer: KerasLayer, arrays: Mapping[str, str], bars, part: str, upright: bool):
    """Draws the diagram as large as possible, on a phone if `upright`, and adds `bars`. Returns width, height and shapes."""
    room, low, top = UPRIGHT if upright else WIDE, 0.0, MOST_UNIT
    for _ in range(20):
        middle = (low + top) / 2
        width, height, _ = _drawn(*_stages(layer, arrays, part, middle), upright)
        low, top = (middle, top) if width <= room[0] and height <= room[1] else (low, middle)
    _, height, shapes = _drawn(*_stages(layer, arrays, part, low), upright)
    if not bars:
        return room[0], height, shapes
    below = (BAR + 6) * len(bars) + ROW
    if upright:  # where the drawing is longer than a screen, they come first
        shapes = [*_bars(bars, room[0]), *(moved(shape, 0, below) for shape in shapes)]
    else:
        shapes += [moved(shape, 0, height + ROW) for shape in _bars(bars, room[0])]
    return room[0], height + below, shapes


def _drawn(stages: Sequence[Stage], levels: tuple[float, float, float], upright: bool) -> Stage:
    """Draws the stages with arrows between them: side by side, or below each other if `upright`. `levels` are three positions in
    the third stage: the y of the scores, the y of the head outputs, and the head outputs' right edge."""
    high, x, y, shapes = max(height for _, height, _ in stages), 0.0, 0.0, list[Shape]()
    scores, joined = ((high - stages[2][1]) / 2 + level for level in levels[:2])
    for place, (width, height, drawn) in enumerate(stages):
        if upright:
            shapes += [Arrow(((60, y - STAGE + 8), (60, y - 6)))] if place else []
            shapes += [moved(shape, 0, y) for shape in drawn]
            y += height + STAGE
            continue
        left, right, middle = x - STAGE + 6, x - 6, high / 2
        if place == 2:
            shapes += [Arrow(((left, level), (right, level))) for level in (scores, joined)]
        elif place == 3:
            start, turn = x - STAGE - stages[2][0] + levels[2] + 6, x - STAGE / 2
            shapes.append(Arrow(((start, joined), (turn, joined), (turn, middle), (right, middle))))
        elif place:
            shapes.append(Arrow(((left, middle), (right, middle))))
        shapes += [moved(shape, x, (high - height) / 2) for shape in drawn]
        x += width + STAGE
    return (max(width for width, _, _ in stages), y - STAGE, shapes) if upright else (x - STAGE, high, shapes)


def _stages(layer: KerasLayer, arrays: Mapping[str, str], part: str, unit: float):
    """Draws each stage of the call, from left to right. Also returns the `levels` for `_drawn`. `unit`: pixels per number."""
    positions = math.prod(layer.query_shape[1:-1])
    inputs = {"query": layer.query_shape, "key": layer.key_shape, "value": layer.value_shape, "input": layer.query_shape}
    sheets = [_sheet(name, arrays[name], inputs[name], unit) for name in arrays if name in inputs]
    rects = _row(min(layer.num_heads, HEADS), layer.value_dim, positions, unit, 0.0)
    size, name = (positions, layer.value_dim), "heads side by side"
    hued: list[Shape] = [Box(at, "hue", n, 0, f"head {n + 1}", size) for n, at in enumerate(rects)]
    joined = _labelled(name if layer.num_heads <= HEADS else f"{name}, {HEADS} drawn", arrays[name], hued)
    output = _sheet("output", arrays["output"], (*layer.query_shape[:-1], math.prod(layer.output_dims)), unit)
    scores = _scores(layer, arrays.get("scores", "no axis of positions"), unit)
    if part == "call":
        scores, output = _framed(scores, "returned on request"), _framed(output, "returned")
    stages = [_below(sheets), _kernels(layer, unit), _below([scores, joined], arrow=True), _last(layer, unit), output]
    return stages, (scores[1] / 2, scores[1] + STAGE + joined[1] / 2, rects[-1].x + rects[-1].w)


def _side(size: float, unit: float) -> float:
    return max(size * unit, LEAST)


def _row(pieces: int, wide: int, tall: int, unit: float, gap: float = GAP) -> list[Rect]:
    width, height = _side(wide, unit), _side(tall, unit)
    return [Rect(place * (width + gap), 0, width, height) for place in range(pieces)]


def _labelled(name: str, sizes: str, boxes: list[Shape]) -> Stage:
    rects = [box.rect for box in boxes if isinstance(box, Box)]
    right, low = max(one.x + one.w for one in rects), max(one.y + one.h for one in rects)
    words = [word(name, 0, TYPE - 2, TYPE, "strong", "start"), word(sizes, 0, low + 2 * LINE + 2, TYPE, "ink", "start")]
    width = max(right, width_of(name, TYPE, "sans", True), width_of(sizes, TYPE))
    return width, low + 2 * LINE + 6, [*words, *(moved(box, 0, LINE + 2) for box in boxes)]


def _sheet(name: str, sizes: str, shape: Sequence[int], unit: float) -> Stage:
    """Draws an array as a rectangle of positions × features. A second rectangle behind it stands for several samples."""
    rows, columns = math.prod(shape[1:-1]), shape[-1]
    (rect,), off = _row(1, columns, rows, unit), 4.0 * (shape[0] > 1)
    front = Box(Rect(0, off, rect.w, rect.h), "lift", radius=0, title=f"{name} {sizes}", cells=(rows, columns))
    behind = [Box(Rect(off, 0, rect.w, rect.h), "panel", radius=0)] if off else []
    return _labelled(name + f", {shape[0]:,} samples" * bool(behind), sizes, [*behind, front])


def _below(stages: Sequence[Stage], arrow: bool = False) -> Stage:
    y, shapes = 0.0, list[Shape]()
    for place, (_, height, drawn) in enumerate(stages):
        shapes += [Arrow(((30, y - STAGE + 12), (30, y - 6)))] if arrow and place else []
        shapes += [moved(shape, 0, y) for shape in drawn]
        y += height + (STAGE if arrow else ROW)
    return max(width for width, _, _ in stages), y - (STAGE if arrow else ROW), shapes


def _framed(stage: Stage, said: str) -> Stage:
    width, height, shapes = stage
    wide = max(width, width_of(said, TYPE)) + 16
    frame = Box(Rect(0, 0, wide, height + LINE + 10), "before", radius=4, title=said)
    words = word(said, 8, height + LINE + 2, TYPE, "muted", "start")
    return wide, height + LINE + 10, [frame, words, *(moved(shape, 8, 4) for shape in shapes)]


def _words(sizes: Sequence[tuple[str, tuple[int, ...]]], x: float, y: float) -> tuple[float, list[Shape]]:
    """Draws a list of variables: each name, and below it the shape and parameter count. Also returns the list's right edge."""
    said = list[Text]()
    for place, (path, shape) in enumerate(sizes):
        top, product = y + place * (2 * LINE + 4) + TYPE - 2, f"{shape} = {math.prod(shape):,}"
        said += [word(path, x, top, TYPE, "strong", "start"), word(product, x, top + LINE, TYPE, "muted", "start")]
    return x + max(width_of(text.text, TYPE, "sans", text.role == "strong") for text in said), [*said]


def _kernels(layer: KerasLayer, unit: float) -> Stage:
    rows, y, end, shapes = {row.path: row for row in variables(layer)}, 0.0, 0.0, list[Shape]()
    kernels = [row for row in rows.values() if row.name.startswith("w_") and row.name != "w_o"]
    wide = max(min(row.shape[1], HEADS) * (_side(row.shape[2], unit) + GAP) for row in kernels)
    for kernel in kernels:
        width, heads, size = kernel.shape
        bias = rows.get(kernel.path.replace("kernel", "bias"))
        slabs = _row(min(heads, HEADS), size, width, unit)
        tall = slabs[0].h + (GAP + max(unit, 4) if bias else 0)
        high = max(tall, (4 if bias else 2) * LINE + 4)
        for n, rect in enumerate(slabs):
            title = f"{kernel.path}, head {n + 1}"
            shapes.append(Box(Rect(rect.x, y, rect.w, rect.h), "hue", n, 0, title, (width, size)))
            if bias:
                shapes.append(Box(Rect(rect.x, y + rect.h + GAP, rect.w, max(unit, 4)), "hue", n, 0, "", (1, size)))
        right, words = _words([(one.path, one.shape) for one in (kernel, bias) if one], wide + 8, y)
        shapes, end = shapes + words, max(end, right)
        y += high + ROW
    return end, y - ROW, shapes


def _scores(layer: KerasLayer, sizes: str, unit: float) -> Stage:
    axes = layer.axes if layer.attends_positions else range(1, layer.rank - 1)
    rows, columns = (math.prod(shape[axis] for axis in axes) for shape in (layer.query_shape, layer.key_shape))
    heads, boxes = min(layer.num_heads, HEADS), list[Shape]()
    across = math.ceil(math.sqrt(heads))
    wide, tall = _side(columns, unit), _side(rows, unit)
    for n in range(heads):
        at = Rect(n % across * (wide + 2 * GAP), n // across * (tall + 2 * GAP), wide, tall)
        boxes.append(Box(at, "hue", n, 0, f"scores of head {n + 1}", (rows, columns)))
    return _labelled("scores, then weights", sizes, boxes)


def _last(layer: KerasLayer, unit: float) -> Stage:
    """Draws Keras's output kernel, with the slabs of the drawn heads below each other. A bias is below the last slab."""
    rows = [(row.path, row.shape) for row in variables(layer) if row.name.endswith("_o")]
    columns, top = math.prod(layer.output_dims), len(rows) * (2 * LINE + 4) + 4.0
    (end, shapes), y, wide = _words(rows, 0, 0), top, _side(columns, unit)
    for n in range(min(layer.num_heads, HEADS)):
        tall = _side(layer.value_dim, unit)
        box = Rect(0, y, wide, tall)
        shapes.append(Box(box, "hue", n, 0, f"attention_output/kernel, head {n + 1}", (layer.value_dim, columns)))
        y += tall + GAP
    if len(rows) > 1:
        shapes.append(Box(Rect(0, y, wide, max(unit, 4)), "lift", radius=0, title=rows[1][0], cells=(1, columns)))
    return max(wide, end), y + max(unit, 4), shapes


def _bars(bars: Sequence[tuple[str, KerasLayer]], width: float) -> list[Shape]:
    names = max(width_of(name, TYPE, "sans", True) for name, _ in bars) + 10
    tails = [f"{count_of(one):,}" for _, one in bars]
    tails[0] += f", {biases:,} of them biases" if (biases := _parts(bars[0][1])[1]) else ""
    ends = [width - names - width_of(tail, TYPE, "sans", True) - 12 for tail in tails]
    scale, shapes = min(end / count_of(one) for end, (_, one) in zip(ends, bars, strict=True)), list[Shape]()
    for line, (name, layer) in enumerate(bars):
        x, y, (kernels, biases) = names, line * (BAR + 6), _parts(layer)
        pieces = [(row.path.split("/")[0].removeprefix("attention_"), row.count, "panel") for row in kernels]
        for what, count, fill in (*pieces, *([(noun(biases, "bias", "biases"), biases, "lift")] if biases else [])):
            shapes.append(Box(Rect(x, y, count * scale, BAR), fill, radius=0, title=f"{name}, {what}: {count:,}"))
            if width_of(said := f"{what} {count:,}", TYPE) + 8 < count * scale:
                shapes.append(word(said, x + count * scale / 2, y + BAR - 6, TYPE, "muted"))
            x += count * scale
        shapes += [word(name, 0, y + BAR - 6, TYPE, "ink" if line else "strong", "start"),
                   word(tails[line], x + 8, y + BAR - 6, TYPE, "ink" if line else "strong", "start")]  # fmt: skip
    return shapes


def _parts(layer: KerasLayer):
    kernels = [row for row in variables(layer) if row.name.startswith("w_")]
    return kernels, count_of(layer) - sum(row.count for row in kernels)


def with_twice_the_heads(layer: KerasLayer) -> list[tuple[str, KerasLayer]]:
    """Returns two pairs of name and layer: the given layer, and a layer with twice as many heads of the same size."""
    both = (layer, replace(layer, num_heads=2 * layer.num_heads))
    return [(f"{heads_in_words(one.num_heads)}, key_dim {one.key_dim}", one) for one in both]
