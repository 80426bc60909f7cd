"""A picture for each option of a quiz question: layers with this parameter count, maps under masks, or W_Q cut into heads."""

from base64 import b64encode
from dataclasses import replace
from io import BytesIO
from math import ceil

import numpy as np
from PIL import Image

from headcount import Config, Trace, count_parameters
from headcount.names import counted, heads_in_words
from headcount.plots.attention import title_of
from headcount.plots.heatmaps import NARROW
from headcount.plots.layer import nameless
from headcount.reading import Reading
from headcount.stage import svg
from headcount.stage.layout import place
from headcount.stage.pictures import piles
from headcount.stage.pieces import edges, lying, matrix, upright
from headcount.stage.scene import Block, Grid, Length, Panel, Scene, Text, tops_of
from headcount.stage.theme import Theme
from headcount.trained.sentence import read
from lessons.quiz.pictures import mask_named
from lessons.quiz.question import Option, QuizQuestion

LETTERS = "ABCDEF"
CUTS = {"columns": "neighbouring columns", "rows": "neighbouring rows", "diagonal": "blocks on the diagonal",
        "turns": "columns in turns"}  # fmt: skip
#: Pixels of the widest and of the highest picture, and between two layers, of which ACROSS stand side by side.
WIDE, HIGH, APART, ACROSS = 280, 112, 8, 3
#: The largest height in pixels of maps in the place of the answer.
MAP_HIGH = 330


def as_svg(scene: Scene, theme: Theme) -> tuple[str, int]:
    """The only panel of a scene as SVG, and its width in pixels."""
    placed = place(scene, 2 * WIDE)
    ((_, frame),) = placed.frames
    sides = f'width="{frame.w + 2}" height="{frame.h + 2}" viewBox="{frame.x - 1} {frame.y - 1} {frame.w + 2} {frame.h + 2}"'
    plain = tuple((replace(block, grid=None, rows=1, cols=1) if block.bands else block, rect) for block, rect in placed.blocks)
    drawn = svg.draw(scene, replace(placed, blocks=plain), svg.Ink(theme, least=HIGH))  # without numbers in cells
    for block, rect in placed.blocks:
        if block.edges == "----":
            drawn += f'<rect {svg.place(rect)} fill="none" stroke="{theme.ink}" stroke-dasharray="4 3"/>'
        elif block.bands and block.grid:  # a pixel each: a fortieth of what so many rectangles take
            grid, pixels = scene.grids[block.grid], BytesIO()
            colours = svg.shades(block, svg.values_of(block, grid), grid.scale, scene.tops[grid.scale], theme)
            Image.fromarray(colours).save(pixels, "PNG")
            source = f'preserveAspectRatio="none" href="data:image/png;base64,{b64encode(pixels.getvalue()).decode()}"'
            drawn += f'<image {svg.place(rect)} {source} style="image-rendering: pixelated"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" {sides}>{drawn}</svg>', round(frame.w + 2)


def options(question: QuizQuestion, trace: Trace | None) -> tuple[Scene, ...]:
    """A picture for each option, in their order; none if the options are only words. `trace`: of the question's layer."""
    if question.before is not None:
        return tuple(_claim(question, option, question.before) for option in question.options)
    if not question.drawn or trace is None:
        return ()
    draw = _map if question.drawn == "mask" else _cut
    return tuple(draw(trace, option.text) for option in question.options)


def map_of(question: QuizQuestion, named: bool) -> tuple[dict, str]:
    """The map of the head that a question is about, and its alt text. `named`: with the head's name."""
    choices = dict(question.choices)
    reading, head = Reading(read(str(choices["tokens"]))), int(choices["head"]) - 1
    if (layer := reading.layer(question.cfg)) is None or question.asking is None:
        raise ValueError(f"no map is asked about by the question {question.kind}")
    name = title_of(head, reading.head_names(question.cfg)[head][0]) if named else "?"
    return nameless(layer.trace(), reading.labels, head, question.asking, name, NARROW, MAP_HIGH)


def pile(question: QuizQuestion, before: Config, trace: Trace) -> Scene:
    """A layer with its own numbers, at the scale of the options' pictures."""
    grid = Grid(trace.params.w_q.values.reshape(trace.cfg.d_model, -1), "weight")
    return _pile((trace.cfg,), _unit(question, before), grid)


def _claim(question: QuizQuestion, option: Option, before: Config) -> Scene:
    """The layers that have this parameter count together; if there are none, an area for the count as a dashed outline."""
    if option.layers:
        return _pile(option.layers, _unit(question, before))
    share = _share(option.text, before) / _unit(question, before)
    wide, high = before.num_heads * before.key_dim * share, before.d_model * share
    block = matrix("area", None, Length(0, 1), Length(0, 1), 1, 1, width=wide, height=high, edges="----")
    return _picture(
        Length(wide, 2), Length(high, 2), (block,), {}, f"A dashed area of {option.text} parameters, which is no layer."
    )


def _unit(question: QuizQuestion, before: Config) -> float:
    """The numbers per pixel for all of a question's pictures: as few as fit."""
    units = []
    for option in question.options:
        cfg, count = (option.layers or (before,))[0], len(option.layers) or 1
        across, rows, sheets = min(count, ACROSS), ceil(count / ACROSS), piles.behind(cfg) + APART
        longer = 1 if option.layers else _share(option.text, before)
        units.append(longer * across * cfg.num_heads * max(cfg.key_dim, cfg.value_dim) / (WIDE - across * sheets))
        units.append(longer * rows * cfg.d_model / (HIGH - rows * sheets))
    return max(units)


def _share(count: str, before: Config) -> float:
    """The side of an area for this parameter count, relative to the side for the layer `before`."""
    return (int(count.replace(",", "")) / count_parameters(before)) ** 0.5


def _pile(layers: tuple[Config, ...], unit: float, grid: Grid | None = None) -> Scene:
    """A picture of equal layers. A single layer may have its numbers (`grid`)."""
    cfg, sheets, scale = layers[0], piles.behind(layers[0]), piles.Scale(unit)
    wide, high = scale.wide(cfg.num_heads * max(cfg.key_dim, cfg.value_dim)), scale.wide(cfg.d_model)
    blocks: list[Block] = []
    for number in range(len(layers)):
        x, y = number % ACROSS * (wide + sheets + APART), number // ACROSS * (high + sheets + APART)
        blocks += piles.sheets(cfg, f"{number}", scale, "w_q" if grid else None, x, Length(0, y + sheets))
    across, rows = min(len(layers), ACROSS), ceil(len(layers) / ACROSS)
    width, height = (n * (size + sheets + APART) - APART for n, size in ((across, wide), (rows, high)))
    heads = f"{heads_in_words(cfg.num_heads)}, W_Q {cfg.d_model} × {cfg.num_heads * cfg.key_dim}."
    alt = f"{counted(len(layers), 'layer')} of {heads}"
    return _picture(Length(0, width), Length(0, height), tuple(blocks), {"w_q": grid} if grid else {}, alt)


def _picture(width: Length, height: Length, blocks: tuple[Block, ...], grids: dict[str, Grid], alt: str, cell: int = 1,
             texts: tuple[Text, ...] = ()) -> Scene:  # fmt: skip
    """A scene with one panel, whose cells are always `cell` pixels large."""
    panel = Panel("picture", width, height, blocks, texts)
    return Scene(((panel,),), grids, alt, tops_of(grids) | {"share": 1.0}, max_cell=cell, min_cell=cell)


def _map(trace: Trace, mask: str) -> Scene:
    """The attention weights of head 1 under a mask: the softmax of the layer's own scores over the allowed keys."""
    cfg, allowed = trace.cfg, mask_named(mask, trace.cfg)
    grids = {"weights": Grid(_softmax(trace.scaled.values[0, 0], allowed), "share")}
    block = Block("map", "weights", Length(), Length(), cfg.query_len, cfg.key_len, name="weights under mask")
    size = f"{counted(cfg.query_len, 'query', 'queries')} by {counted(cfg.key_len, 'key')}"
    alt = f"A map of {size}. Keys that each query sees: {_rows(allowed)}."
    return _picture(Length(cfg.key_len), Length(cfg.query_len), (block,), grids, alt, cell=HIGH // cfg.query_len)


def _softmax(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """The softmax of each row over the allowed keys. Masked cells are NaN, and so is a row without any allowed key."""
    shares = np.where(allowed, np.exp(scores - scores.max()), 0)
    total = shares.sum(axis=1, keepdims=True)
    return np.where(allowed, shares / np.where(total == 0, 1, total), np.nan).astype(np.float32)


def _rows(allowed: np.ndarray) -> str:
    """A sentence with the keys that each query sees, row by row."""
    rows = []
    for row in allowed:
        seen = np.flatnonzero(row) + 1
        rows.append("none" if not seen.size else f"{seen[0]}" if seen.size == 1 else f"{seen[0]}–{seen[-1]}")
    return ", ".join(rows)


def _cut(trace: Trace, cut: str) -> Scene:
    """A picture of W_Q cut into heads in the way named `cut`; each slice has its head's number."""
    cfg = trace.cfg
    grids = {"w_q": Grid(trace.params.w_q.values.reshape(cfg.d_model, -1), "weight")}
    blocks = tuple(_pieces(cut, cfg.d_model, cfg.num_heads, cfg.key_dim))
    numbers = tuple(_number(block, cut) for block in blocks)
    alt = f"W_Q, {cfg.d_model} × {cfg.d_model}, cut for {cfg.num_heads} heads: {CUTS[cut]}."
    return _picture(Length(cfg.d_model, 30), Length(cfg.d_model, 34), blocks, grids, alt, HIGH // (cfg.d_model + 4), numbers)


def _pieces(cut: str, width: int, heads: int, size: int) -> list[Block]:
    x, y = Length(0, 20), Length(0, 20)
    if cut == "columns":
        return upright("piece", "w_q", x, y, heads=heads, rows=width, size=size)
    if cut == "rows":
        return lying("piece", "w_q", x, y, heads=heads, size=size, columns=width)
    blocks = []
    for column in range(width if cut == "turns" else heads):
        head, wide = (column % heads, 1) if cut == "turns" else (column, size)
        tall, top = (width, 0) if cut == "turns" else (size, column * size)
        at = x + Length(column * wide)
        blocks.append(Block(
            f"piece-{column}", "w_q", at, y + Length(top), tall, wide, row=top, col=column * wide, name="piece", head=head,
            hue=head, strip="top", edges=edges(column, width) if cut == "turns" else "oooo",
        ))  # fmt: skip
    return blocks


def _number(block: Block, cut: str) -> Text:
    """A head's number, above a vertical slice or left of a horizontal one."""
    x, y = (Length(0, -13), Length(block.h / 2, 4)) if cut == "rows" else (Length(block.w / 2), Length(0, -10))
    return Text(str((block.head or 0) + 1), block.x + x, block.y + y, 12, "strong", hue=block.hue)
