"""Where a scene's panels go on a page of a given width: the stage's own arrangement, for drawers outside the browser."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from components.figures.scene import Block, Length, Panel, Scene, Text
from components.figures.text import width_of, wrap

#: As in assets/stage/2_arrange.js: padding inside a framed panel, space between panels, largest extra space, space between lines,
#: a row's caption of one line and what each further line adds, its type, and the edge that frames and rings need.
PAD, BETWEEN, EXTRA, LINE, CAPTION, CAPTION_LINE, CAPTION_TYPE, EDGE = 12, 10, 26, 18, 32, 20, 15, 4
#: Pixels between two labels side by side; a cell size at which labels that ever come side by side do so.
APART, SMALL_CELL = 8, 3


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


def extra_space(line: Sequence[Panel], cell: float, width: float) -> float:
    """Pixels that are added between two panels of a line that is not full."""
    return min(EXTRA, (width - line_width(line, cell)) / (len(line) - 1)) if len(line) > 1 else EXTRA


def text_width(text: Text, face: str) -> float:
    """Pixels that a label takes in a font of letters.FACES."""
    return width_of(text.text, text.size, face, text.role == "strong")


def left_of(text: Text, x: float, wide: float) -> float:
    """Where a label that is `wide` pixels wide begins."""
    return x - {"start": 0.0, "middle": wide / 2, "end": wide}[text.anchor]


def side_by_side(texts: Sequence[Text], cell: float) -> list[list[Text]]:
    """A panel's labels, those together that would lie on one another if they met."""
    groups: list[list[Text]] = []
    for text in sorted(texts, key=lambda one: one.y.at(cell)):
        if groups and text.y.at(cell) - groups[-1][-1].y.at(cell) < 0.9 * text.size:
            groups[-1].append(text)
        else:
            groups.append([text])
    return groups


def room_for_words(panel: Panel, face: str, most: float) -> Panel:
    """The panel, at least as wide as its labels side by side, but no wider than `most` pixels."""
    sums = [sum(text_width(text, face) + APART for text in group) - APART for group in side_by_side(panel.texts, SMALL_CELL)]
    return replace(panel, least_px=min(max([panel.least_px, *sums]), most))


def labels(panel: Panel, left: float, top: float, frame: Rect, cell: float, face: str) -> Iterator[tuple[Text, float, float]]:
    """Each label's place: where the panel wants it; moved where it would leave the frame or touch its neighbour."""
    moved = {}
    for group in side_by_side(panel.texts, cell):
        wanted = ((left_of(t, left + t.x.at(cell), wide := text_width(t, face)), wide, t) for t in group)
        spans = sorted(wanted, key=lambda span: span[0])
        starts, least, most = [], frame.x, frame.x + frame.w
        for start, wide, _ in spans:
            starts.append(max(start, least))
            least = starts[-1] + wide + APART
        for i in range(len(spans) - 1, -1, -1):
            starts[i] = min(starts[i], most - spans[i][1])
            most = starts[i] - APART
        moved |= {text: now - start for now, (start, _, text) in zip(starts, spans, strict=True)}
    for text in panel.texts:
        yield text, left + text.x.at(cell) + moved[text], top + text.y.at(cell)


def place(scene: Scene, width: float, face: str = "sans") -> Placed:
    """Everything's place for a page `width` pixels wide. `face`: the font (letters.FACES) by which words are measured."""
    inner = width - 2 * EDGE
    scene = replace(scene, rows=tuple(tuple(room_for_words(panel, face, inner) for panel in row) for row in scene.rows))
    cell, y = cell_size(scene, inner), float(EDGE)
    frames, blocks, texts = [], [], []
    for number, row in enumerate(scene.rows):
        if caption := scene.captions[number] if scene.captions else "":
            for part in wrap(caption, inner, CAPTION_TYPE, face):
                texts.append((Text(part, Length(), Length(), CAPTION_TYPE, "ink", "start"), float(EDGE), y + 16))
                y += CAPTION_LINE
            y += CAPTION - CAPTION_LINE
        broken = list(lines(row, cell, inner))
        extra = min(extra_space(line, cell, inner) for line in broken)  # one for all lines, so that panels stand in columns
        for line in broken:
            tall, x = max(panel.height.at(cell) + padding(panel) for panel in line), float(EDGE)
            for panel in line:
                wide, high = panel_width(panel, cell), panel.height.at(cell) + padding(panel)
                left, top = x + (wide - panel.width.at(cell)) / 2, y + (tall - high if panel.low else 0) + padding(panel) / 2
                frames.append((panel, frame := Rect(x, top - padding(panel) / 2, wide, high)))
                blocks += [(b, Rect(left + b.x.at(cell), top + b.y.at(cell), b.w * cell, b.h * cell)) for b in panel.blocks]
                texts += labels(panel, left, top, frame, cell, face)
                x += wide + BETWEEN + extra
            y += tall + LINE
    return Placed(cell, width, y - LINE + 8, tuple(frames), tuple(blocks), tuple(texts))
