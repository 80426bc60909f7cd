"""Diagrams as plain data: boxes, arrows and labels at fixed places. The same data become SVG on pages and in files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TypeVar

from headcount.stage import svg
from headcount.stage.layout import Rect
from headcount.stage.numbers import Table, plain
from headcount.stage.scene import Length, Text
from headcount.stage.svg import Ink, px
from headcount.stage.text import width_of
from headcount.stage.theme import head_colour, text_colour

#: Pixels: half the width of an arrow's head, its length, and the width of the arrow's line.
BARB, HEAD, LINE = 3.4, 7.5, 1.2


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of a diagram. `title` is the tooltip. Thin lines divide the box into `cells` (rows, columns).
    - `fill`: "panel", "lift" (raised), "cut" (only an outline), "before" (only a dashed outline) or "hue" (a head's colour).
    - `hue`: the head (0-based) whose colour fills the box."""

    rect: Rect
    fill: str = "panel"
    hue: int | None = None
    radius: float = 5
    title: str = ""
    cells: tuple[int, int] = (1, 1)


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line through `points` (pixels). `plain` leaves out the arrowhead. `thin` makes the line thinner and fainter."""

    points: tuple[tuple[float, float], ...]
    plain: bool = False
    thin: bool = False


Shape = Box | Arrow | Text
T = TypeVar("T", Box, Arrow, Text)


@dataclass(frozen=True, slots=True)
class Diagram:
    """A drawing of `width` × `height` pixels. `alt` describes the drawing in words, and `tables` has its numbers. `wide`, if
    given, is a second layout of the same picture for wide places."""

    width: float
    height: float
    shapes: Sequence[Shape]
    alt: str
    tables: tuple[Table, ...]
    wide: "Diagram | None" = None

    def of(self, kind: type[T]) -> list[T]:
        return [shape for shape in self.shapes if isinstance(shape, kind)]

    def within(self, width: float, height: float | None) -> "Diagram":
        """Returns the layout that is larger in a place of this size in pixels; without a height, the wide one if it fits."""
        if self.wide is None:
            return self
        if height is None:
            return self.wide if self.wide.width <= width else self
        room = lambda one: min(width / one.width, height / one.height)  # noqa: E731
        return max(self, self.wide, key=room)


def word(text: str, x: float, y: float, size: int = 13, role: str = "ink", anchor: str = "middle") -> Text:
    return Text(text, Length(0, x), Length(0, y), size, role, anchor)


def moved(shape: Shape, x: float, y: float) -> Shape:
    if isinstance(shape, Box):
        return replace(shape, rect=Rect(shape.rect.x + x, shape.rect.y + y, shape.rect.w, shape.rect.h))
    if isinstance(shape, Arrow):
        return replace(shape, points=tuple((px + x, py + y) for px, py in shape.points))
    return replace(shape, x=shape.x + Length(0, x), y=shape.y + Length(0, y))


def size_in(text: Text, face: str) -> float:
    """Returns the font size of a label in pixels. If the font `face` is wider than "sans", the size is reduced."""
    bold = text.role == "strong"
    return text.size * min(1.0, width_of(text.text, 1, "sans", bold) / width_of(text.text, 1, face, bold))


def as_svg(diagram: Diagram, ink: Ink) -> str:
    """Returns a diagram as SVG, shown at most 1.2 times as wide as `diagram.width`. Two layouts become HTML; CSS shows one."""
    if diagram.wide is not None:
        narrow, wide = as_svg(replace(diagram, wide=None), ink), as_svg(diagram.wide, ink)
        return f'<div class="upright">{narrow}</div><div class="across">{wide}</div>'
    sides = f'viewBox="-1 -1 {px(diagram.width + 2)} {px(diagram.height + 2)}"'  # includes the outer half of an outline
    sides += f' style="display:block;width:100%;max-width:{px(1.2 * diagram.width)}px"'
    return f'<svg {sides} role="img" aria-label="{escape(plain(diagram.alt))}">{draw(diagram, ink)}</svg>'


def draw(diagram: Diagram, ink: Ink) -> str:
    """Returns a diagram's shapes as SVG, without the `<svg>` tag. Arrows are drawn over boxes, and labels over both."""
    parts = [_box(box, ink) for box in diagram.of(Box)]
    parts += [_arrow(arrow, ink) for arrow in diagram.of(Arrow)]
    parts += [_word(text, ink) for text in diagram.of(Text)]
    return "\n".join(parts)


def _box(box: Box, ink: Ink) -> str:
    theme = ink.theme
    fill = {"panel": theme.panel, "lift": theme.lift, "cut": "none", "before": "none"}.get(box.fill)
    colour = f'fill="{fill or head_colour(theme, box.hue or 0)}"'
    clear = ' fill-opacity="0.32"' if fill is None else ""
    title = f"<title>{escape(box.title)}</title>" if box.title else ""
    dashes = ' stroke-dasharray="4 3"' if box.fill == "before" else ""
    line = f'stroke="{theme.ink}" stroke-width="{px(min(1, box.rect.w / 8, box.rect.h / 8))}"{dashes}'
    drawn = f'<rect {svg.place(box.rect)} rx="{px(box.radius)}" {colour}{clear} {line}/>'
    drawn = _cells(box, ink) + drawn if clear else drawn + _cells(box, ink)
    return f"<g>{title}{drawn}</g>" if title else drawn


def _cells(box: Box, ink: Ink) -> str:
    (rows, columns), r = box.cells, box.rect
    wide, tall = r.w / columns, r.h / rows
    if rows == 1 or columns == 1 or min(wide, tall) < 4:
        return ""
    look = f'fill="none" stroke="{ink.theme.line}"'
    lines = ((f"M{px(r.x + wide)} {px(r.y + r.h / 2)}H{px(r.x + r.w - 1)}", r.h, wide),
             (f"M{px(r.x + r.w / 2)} {px(r.y + tall)}V{px(r.y + r.h - 1)}", r.w, tall))  # fmt: skip
    return "".join(
        f'<path d="{line}" {look} stroke-width="{px(long)}" stroke-dasharray=".6 {px(pitch - 0.6)}"/>'
        for line, long, pitch in lines
    )


def _arrow(arrow: Arrow, ink: Ink) -> str:
    (fx, fy), (x, y) = arrow.points[-2:]
    long = ((x - fx) ** 2 + (y - fy) ** 2) ** 0.5 or 1.0
    dx, dy = (x - fx) / long, (y - fy) / long
    points = list(arrow.points)
    head = ""
    if not arrow.plain:
        base = (x - HEAD * dx, y - HEAD * dy)
        points[-1] = base
        corners = ((x, y), (base[0] - BARB * dy, base[1] + BARB * dx), (base[0] + BARB * dy, base[1] - BARB * dx))
        head = f'<path d="M{" L".join(f"{px(a)} {px(b)}" for a, b in corners)}z" fill="{ink.theme.ink}"/>'
    line = f"M{' L'.join(f'{px(a)} {px(b)}' for a, b in points)}"
    stroke, wide = (ink.theme.muted, LINE / 3) if arrow.thin else (ink.theme.ink, LINE)
    return f'<path d="{line}" fill="none" stroke="{stroke}" stroke-width="{px(wide)}" stroke-linejoin="round"/>{head}'


def _word(text: Text, ink: Ink) -> str:
    fill, bold = text_colour(ink.theme, text.role, text.hue), text.role == "strong"
    size = size_in(text, ink.face)
    return svg.line(text.text, text.x.px, text.y.px, size, ink, fill=fill, anchor=text.anchor, bold=bold)
