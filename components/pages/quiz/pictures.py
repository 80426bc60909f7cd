"""The pictures of the quiz: layers with the parameter count of an option, and the attention map that a question is about."""

import math

from headcount import Config, Trace, count_parameters
from headcount.names import counted, heads_in_words
from headcount.plots.attention import title_of
from headcount.plots.heatmaps import NARROW
from headcount.plots.layer import nameless
from headcount.reading import Reading
from headcount.stage import svg
from headcount.stage.layout import place
from headcount.stage.pictures import piles
from headcount.stage.pieces import matrix
from headcount.stage.scene import Block, Grid, Length, Panel, Scene, tops_of
from headcount.stage.theme import Theme
from headcount.trained.sentence import read
from lessons.quiz.question import Option, QuizQuestion

LETTERS = "ABCDEF"
#: In pixels: the largest width and height of a picture, and the gap between two layers. ACROSS: the most layers in a row.
WIDE, HIGH, APART, ACROSS = 280, 112, 8, 3
#: The largest height in pixels of attention maps.
MAP_HIGH = 330


def as_svg(scene: Scene, theme: Theme) -> tuple[str, int]:
    """A scene with one panel as SVG, and its width in pixels."""
    placed = place(scene, 2 * WIDE)
    ((_, frame),) = placed.frames
    sides = f'width="{frame.w + 2}" height="{frame.h + 2}" viewBox="{frame.x - 1} {frame.y - 1} {frame.w + 2} {frame.h + 2}"'
    drawn = svg.draw(scene, placed, svg.Ink(theme, least=math.inf))  # cells as one image, without numbers
    for block, rect in placed.blocks:
        if block.edges == "----":
            drawn += f'<rect {svg.place(rect)} fill="none" stroke="{theme.ink}" stroke-dasharray="4 3"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" {sides}>{drawn}</svg>', round(frame.w + 2)


def options(question: QuizQuestion) -> tuple[Scene, ...]:
    """A scene for each option, in which an area shows the option's parameter count. () if the options are not counts."""
    return tuple(_claim(question, option, before) for option in question.options) if (before := question.before) else ()


def map_of(question: QuizQuestion, named: bool) -> tuple[dict, str]:
    """The attention map that a question is about, and its alt text. `named`: whether the map's title is the head's name."""
    choices = dict(question.choices)
    reading, head = Reading(read(str(choices["tokens"]))), int(choices["head"]) - 1
    if (layer := reading.layer(question.cfg)) is None or question.asking is None:
        raise ValueError(f"no map is asked about by the question {question.kind}")
    name = title_of(head, reading.head_names(question.cfg)[head][0]) if named else "?"
    return nameless(layer.trace(), reading.labels, head, question.asking, name, NARROW, MAP_HIGH)


def pile(question: QuizQuestion, before: Config, trace: Trace) -> Scene:
    """The scene of one layer, drawn with the numbers of its W_Q, at the scale of the options' pictures."""
    grid = Grid(trace.params.w_q.values.reshape(trace.cfg.d_model, -1), "weight")
    return _pile((trace.cfg,), _unit(question, before), grid)


def _claim(question: QuizQuestion, option: Option, before: Config) -> Scene:
    """The scene of an option: its layers, or a dashed area if there are no such layers."""
    if option.layers:
        return _pile(option.layers, _unit(question, before))
    share = _share(option.text, before) / _unit(question, before)
    wide, high = before.num_heads * before.key_dim * share, before.d_model * share
    block = matrix("area", None, Length(0, 1), Length(0, 1), 1, 1, width=wide, height=high, edges="----")
    return _picture(
        Length(wide, 2), Length(high, 2), (block,), {}, f"A dashed area of {option.text} parameters, which is no layer."
    )


def _unit(question: QuizQuestion, before: Config) -> float:
    """The scale of all pictures of a question: how many numbers one pixel shows. The largest picture just fits at this scale."""
    units = []
    for option in question.options:
        cfg, count = (option.layers or (before,))[0], len(option.layers) or 1
        across, rows, sheets = min(count, ACROSS), math.ceil(count / ACROSS), piles.behind(cfg) + APART
        longer = 1 if option.layers else _share(option.text, before)
        units.append(longer * across * cfg.num_heads * max(cfg.key_dim, cfg.value_dim) / (WIDE - across * sheets))
        units.append(longer * rows * cfg.d_model / (HIGH - rows * sheets))
    return max(units)


def _share(count: str, before: Config) -> float:
    """The square root of the ratio between two parameter counts: `count`, and that of the layer `before`."""
    return (int(count.replace(",", "")) / count_parameters(before)) ** 0.5


def _pile(layers: tuple[Config, ...], unit: float, grid: Grid | None = None) -> Scene:
    """The scene of equal layers, at most ACROSS in a row. `unit`: numbers per pixel. `grid`: the W_Q of a single layer."""
    cfg, sheets, scale = layers[0], piles.behind(layers[0]), piles.Scale(unit)
    wide, high = scale.wide(cfg.num_heads * max(cfg.key_dim, cfg.value_dim)), scale.wide(cfg.d_model)
    blocks: list[Block] = []
    for number in range(len(layers)):
        x, y = number % ACROSS * (wide + sheets + APART), number // ACROSS * (high + sheets + APART)
        blocks += piles.sheets(cfg, f"{number}", scale, "w_q" if grid else None, x, Length(0, y + sheets))
    across, rows = min(len(layers), ACROSS), math.ceil(len(layers) / ACROSS)
    width, height = (n * (size + sheets + APART) - APART for n, size in ((across, wide), (rows, high)))
    heads = f"{heads_in_words(cfg.num_heads)}, W_Q {cfg.d_model} × {cfg.num_heads * cfg.key_dim}."
    alt = f"{counted(len(layers), 'layer')} of {heads}"
    return _picture(Length(0, width), Length(0, height), tuple(blocks), {"w_q": grid} if grid else {}, alt)


def _picture(width: Length, height: Length, blocks: tuple[Block, ...], grids: dict[str, Grid], alt: str) -> Scene:
    """A scene with a single panel in which a cell is always one pixel large."""
    return Scene(((Panel("picture", width, height, blocks),),), grids, alt, tops_of(grids), max_cell=1, min_cell=1)
