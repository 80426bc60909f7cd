"""A picture in the light and the dark theme, as one SVG. The browser that opens the file chooses the theme."""

import re
from dataclasses import replace

from headcount.stage import svg
from headcount.stage.layout import place
from headcount.stage.scene import Scene
from headcount.stage.svg import Ink, px
from headcount.stage.theme import THEMES

INKS = tuple(Ink(theme, images=True) for theme in THEMES.values())
#: Pairs of colours (light theme, dark theme), each with its CSS variable. All pictures share the names.
COLOURS: dict[tuple[str, str], str] = {}
COLOUR, IMAGE = re.compile(r"#[0-9a-f]{6}(?=\")"), re.compile(r"<image [^>]*>")
#: CSS rule that shows one of two neighbouring images: the first in the light theme, the second in the dark theme.
ONE_IMAGE = (
    "image+image{display:none}@media(prefers-color-scheme:dark){image:has(+image){display:none}image+image{display:inline}}"
)


def scene_in_both(scene: Scene, width: int, high: float = 0.0) -> str:
    """Draws a scene in both themes as one SVG of `width` pixels. With `high`, cells are as large as possible (at most 90 pixels)
    while the scene without its legend is at most `high` pixels high. If no cells are small enough, they have their usual size."""
    cells = range(90, 2, -2) if high else (scene.max_cell,)
    placed = next(
        (one for cell in cells if (one := place(replace(scene, max_cell=cell), width)).height <= (high or one.height)),
        place(scene, width),
    )
    drawn, lines = [], 0
    for ink in INKS:
        key = svg.legend(scene, ink, width, 14)
        below = (f'<g transform="translate(0 {px(placed.height + 14 + 22 * at)})">{text}</g>' for at, text in enumerate(key))
        drawn.append(svg.draw(scene, placed, ink) + "".join(below))
        lines = len(key)
    light, dark = drawn
    return in_both(light, dark, width, placed.height + 22 * lines)


def in_both(light: str, dark: str, width: float, height: float) -> str:
    """Joins two SVG drawings of one picture, in the light and in the dark theme. Each pair of colours becomes a CSS variable."""
    images = iter([one + other for one, other in zip(IMAGE.findall(light), IMAGE.findall(dark), strict=True)])
    pairs = list(zip(COLOUR.findall(light), COLOUR.findall(dark), strict=True))
    names = {pair: COLOURS.setdefault(pair, f"--{len(COLOURS):x}") for pair in pairs}
    each = iter(pairs)
    drawn = IMAGE.sub(lambda _: next(images), COLOUR.sub(lambda _: f"var({names[next(each)]})", light))
    rules = ("".join(f"{name}:{pair[theme]};" for pair, name in names.items()) for theme in (0, 1))
    style = "svg{{{}}}@media(prefers-color-scheme:dark){{svg{{{}}}}}".format(*rules)
    box = f'viewBox="0 0 {px(width)} {px(height)}" style="max-width:{px(width)}px"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} aria-hidden="true"><style>{style}{ONE_IMAGE}</style>{drawn}</svg>'
