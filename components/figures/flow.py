"""Where a scene's panels go on a page of a given width: the stage's own arrangement, for drawers outside the browser."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components.figures.scene import Block, Length, Panel, Scene, Text

#: As in assets/stage/2_arrange.js: padding inside a framed panel, space between panels, largest extra space, space between lines,
#: a row's caption, and the edge that frames and rings need.
PAD, BETWEEN, EXTRA, LINE, CAPTION, EDGE = 12, 10, 26, 18, 32, 4


@dataclass(frozen=True, slots=True)
class Rect:
    """Pixels from the top left."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A scene with every length known."""

    cell: float
    width: float
    height: float
    frames: tuple[tuple[Panel, Rect], ...]
    blocks: tuple[tuple[Block, Rect], ...]
    texts: tuple[tuple[Text, float, float], ...]


def padding(panel: Panel) -> float:
    return 2 * PAD if panel.go else 0


def panel_width(panel: Panel, cell: float) -> float:
    return max(panel.width.at(cell), panel.least_px) + padding(panel)


def line_width(panels: Sequence[Panel], cell: float) -> float:
    return sum(panel_width(panel, cell) + BETWEEN for panel in panels) - BETWEEN


def largest_cell(panels: Sequence[Panel], width: float, most: float) -> float:
    """The largest cell with which these panels stand in one line, by halving."""
    low, high = 0.02, most
    for _ in range(18):
        middle = (low + high) / 2
        low, high = (middle, high) if line_width(panels, middle) <= width else (low, middle)
    return high


def cell_size(scene: Scene, width: float) -> float:
    """The first row decides: as many panels a line as stay legible. The others break where they must."""
    cell = float(scene.max_cell)
    for place, row in enumerate(scene.rows):
        fit = 0.0
        for count in range(len(row) if place == 0 else 1, 0, -1):
            fit = min(largest_cell(row[i : i + count], width, scene.max_cell) for i in range(0, len(row), count))
            if fit >= min(scene.min_cell, scene.max_cell) * 0.98:
                break
        cell = min(cell, fit)
    return int(cell * 2 + 0.02) / 2 if cell > 4 else cell


def lines(row: Sequence[Panel], cell: float, width: float) -> Iterator[list[Panel]]:
    """A row broken into lines that fit."""
    line: list[Panel] = []
    for panel in row:
        if line and line_width([*line, panel], cell) > width + 0.5:
            yield line
            line = []
        line.append(panel)
    if line:
        yield line


def place(scene: Scene, width: float) -> Placed:
    """Everything's place for a page `width` pixels wide."""
    inner = width - 2 * EDGE
    cell, y = cell_size(scene, inner), float(EDGE)
    frames, blocks, texts = [], [], []
    for number, row in enumerate(scene.rows):
        if caption := scene.captions[number] if scene.captions else "":
            texts.append((Text(caption, Length(), Length(), 15, "ink", "start"), float(EDGE), y + 16))
            y += CAPTION
        for line in lines(row, cell, inner):
            extra = min(EXTRA, (inner - line_width(line, cell)) / (len(line) - 1)) if len(line) > 1 else 0
            tall, x = max(panel.height.at(cell) + padding(panel) for panel in line), float(EDGE)
            for panel in line:
                wide, high = panel_width(panel, cell), panel.height.at(cell) + padding(panel)
                left, top = x + (wide - panel.width.at(cell)) / 2, y + (tall - high if panel.low else 0) + padding(panel) / 2
                frames.append((panel, Rect(x, top - padding(panel) / 2, wide, high)))
                blocks += [(b, Rect(left + b.x.at(cell), top + b.y.at(cell), b.w * cell, b.h * cell)) for b in panel.blocks]
                texts += [(text, left + text.x.at(cell), top + text.y.at(cell)) for text in panel.texts]
                x += wide + BETWEEN + extra
            y += tall + LINE
    return Placed(cell, width, y - LINE + 8, tuple(frames), tuple(blocks), tuple(texts))
