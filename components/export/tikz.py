"""A finished sheet as TikZ, so that a paper sets its words in its own fonts: rectangles, lines and nodes at the sheet's places.

It reads the SVG that components/figures draws (rect, circle, path of M L h v z, text with tspan, moved or turned groups), nothing
else.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from components.export.look import PT
from components.export.request import Unavailable

NS = "{http://www.w3.org/2000/svg}"
#: LaTeX's spelling of what it would read as a command, and of letters that its usual fonts lack.
SPELT = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "·": r"$\cdot$",
    "×": r"$\times$", "−": r"$-$", "÷": r"$\div$", "√": r"$\surd$", "→": r"$\to$",
    "↓": r"$\downarrow$", "…": r"\dots{}", "′": r"$'$", "ᵀ": r"$^{T}$",
    "\u00a0": "~", "±": r"$\pm$", "“": "``", "”": "''", "’": "'",
    "≥": r"$\geq$", "≤": r"$\leq$", "★": r"$\star$",
}  # fmt: skip
NO_CHART = (
    "TikZ is there for figures of shapes and words: not for Plotly's charts, and not where so many cells are that they are "
    "embedded pictures."
)
#: Words of a font that is wider than ours are set narrower, so that they stay in their boxes and on the sheet.
FIT = (
    r"\providecommand{\headcountfit}[2]{\sbox0{#2}\ifdim\wd0>#1\relax\resizebox{#1}{\height}{\usebox0}\else\usebox0\fi}%"
)
HEADER = "% \\usepackage{tikz}; then \\input{this file}. Made by Headcount; the comment below says of what.\n"


def of_sheet(svg: str, description: str) -> str:
    """The sheet's drawing as one `tikzpicture`, as large as the sheet. Unavailable where it is not of shapes and words."""
    root = ET.fromstring(svg)
    if root.find(f".//{NS}image") is not None or root.find(f".//{NS}clipPath") is not None:
        raise Unavailable(NO_CHART)
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    unit = _points(root.attrib["width"]) / width
    colours: dict[str, str] = {}
    body = list(_parts(root, 0.0, 0.0, 1.0, unit, colours))
    known = [f"\\definecolor{{{name}}}{{HTML}}{{{code[1:].upper()}}}" for code, name in colours.items()]
    frame = f"\\path[use as bounding box] ({left:g},{top:g}) rectangle ({width:g},{height:g});"
    said = "".join(f"% {line}\n" for line in description.splitlines())
    start = f"\\begin{{tikzpicture}}[x={unit:.5f}pt,y=-{unit:.5f}pt,inner sep=0pt,outer sep=0pt]"
    # Colours inside: before the picture, LaTeX would take the end of each line for a space and move the picture to the right.
    return HEADER + said + "\n".join([FIT, start, *known, frame, *body, "\\end{tikzpicture}%", ""])


def _points(length: str) -> float:
    """TeX's points (72.27 an inch) of a side in mm or pixels."""
    number = float(re.match(r"[\d.]+", length)[0])  # type: ignore[index]
    return number / 25.4 * 72.27 if length.endswith("mm") else number * PT * 72.27 / 72


def _parts(element: ET.Element, x: float, y: float, scale: float, unit: float, colours: dict[str, str]) -> Iterator[str]:
    """What an element draws, its lengths in pixels of the sheet."""
    for child in element:
        kind = child.tag.removeprefix(NS)
        if kind == "g":
            dx, dy, more = _moved(child.get("transform", ""))
            inner = _parts(child, x + scale * dx, y + scale * dy, scale * more, unit, colours)
            seen = child.get("opacity")
            yield from inner if seen is None else (f"\\begin{{scope}}[opacity={seen}]", *inner, "\\end{scope}")
        elif kind == "rect":
            yield _rect(child, x, y, scale, unit, colours)
        elif kind == "circle":
            yield _circle(child, x, y, scale, unit, colours)
        elif kind == "path":
            yield _path(child, x, y, scale, unit, colours)
        elif kind == "text":
            yield _text(child, x, y, scale, unit, colours)
        elif kind not in ("title", "desc", "defs"):
            raise Unavailable(NO_CHART)


def _moved(transform: str) -> tuple[float, float, float]:
    """How far a group is moved, and how much smaller it is."""
    move = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", transform)
    size = re.search(r"scale\(([\d.]+)\)", transform)
    return (float(move[1]) if move else 0.0, float(move[2]) if move else 0.0, float(size[1]) if size else 1.0)


def _colour(code: str, colours: dict[str, str]) -> str:
    """Each colour has one name in the file."""
    return colours.setdefault(code, f"hc{len(colours)}")


def _style(element: ET.Element, scale: float, unit: float, colours: dict[str, str]) -> list[str]:
    style = []
    fill, stroke = element.get("fill", "#000000"), element.get("stroke", "none")
    if fill.startswith("#"):
        style.append(f"fill={_colour(_long(fill), colours)}")
    if stroke.startswith("#"):
        thick = float(element.get("stroke-width", "1")) * scale * unit
        style += [f"draw={_colour(_long(stroke), colours)}", f"line width={thick:.3f}pt"]
    for name, spelt in (("fill-opacity", "fill opacity"), ("stroke-opacity", "draw opacity"), ("opacity", "opacity")):
        if element.get(name):
            style.append(f"{spelt}={element.get(name)}")
    return style


def _long(code: str) -> str:
    return code if len(code) == 7 else "#" + "".join(letter * 2 for letter in code[1:])


def _rect(rect: ET.Element, x: float, y: float, scale: float, unit: float, colours: dict[str, str]) -> str:
    if rect.get("width") == "100%":
        return f"\\path[fill={_colour(_long(rect.attrib['fill']), colours)}] (current bounding box.south west) rectangle " \
               "(current bounding box.north east);"  # fmt: skip
    left, top, wide, high = (float(rect.attrib[name]) * scale for name in ("x", "y", "width", "height"))
    style = _style(rect, scale, unit, colours)
    if radius := float(rect.get("rx", "0")):
        style.append(f"rounded corners={radius * scale * unit:.3f}pt")
    return f"\\path[{','.join(style)}] ({x + left:.2f},{y + top:.2f}) rectangle ({x + left + wide:.2f},{y + top + high:.2f});"


def _circle(circle: ET.Element, x: float, y: float, scale: float, unit: float, colours: dict[str, str]) -> str:
    across, down, radius = (float(circle.attrib[name]) * scale for name in ("cx", "cy", "r"))
    style = ",".join(_style(circle, scale, unit, colours))
    return f"\\path[{style}] ({x + across:.2f},{y + down:.2f}) circle ({radius * unit:.3f}pt);"


def _path(path: ET.Element, x: float, y: float, scale: float, unit: float, colours: dict[str, str]) -> str:
    drawn, at = [], (0.0, 0.0)
    for letter, numbers in re.findall(r"([MLhvz])([^MLhvz]*)", path.attrib["d"]):
        values = [float(value) for value in re.findall(r"-?[\d.]+", numbers)]
        if letter == "z":
            drawn.append(" -- cycle")
            continue
        if letter in "hv":
            at = (at[0] + values[0], at[1]) if letter == "h" else (at[0], at[1] + values[0])
        else:
            at = (values[0], values[1])
        drawn.append(f"{' ' if letter == 'M' else ' -- '}({x + scale * at[0]:.2f},{y + scale * at[1]:.2f})")
    return f"\\path[{','.join(_style(path, scale, unit, colours))}]{''.join(drawn)};"


def _text(text: ET.Element, x: float, y: float, scale: float, unit: float, colours: dict[str, str]) -> str:
    size = float(text.attrib["font-size"]) * scale * unit
    anchor = {"middle": "base", "end": "base east"}.get(text.get("text-anchor", ""), "base west")
    turn = re.match(r"rotate\((-?\d+)", text.get("transform", ""))
    options = [f"anchor={anchor}", f"text={_colour(_long(text.attrib['fill']), colours)}"]
    options += [f"rotate={-int(turn[1])}"] if turn else []
    words = _spelt(text.text or "")
    for part in text:
        words += _part(part) + _spelt(part.tail or "")
    bold = "\\bfseries " if text.get("font-weight") else ""
    place = f"({x + scale * float(text.attrib['x']):.2f},{y + scale * float(text.attrib['y']):.2f})"
    font = f"\\fontsize{{{size:.2f}pt}}{{{1.2 * size:.2f}pt}}\\selectfont"
    if "textLength" in text.attrib:
        words = f"\\headcountfit{{{float(text.attrib['textLength']) * scale * unit:.2f}pt}}{{{words}}}"
    return f"\\node[{','.join(options)}] at {place} {{{font} {bold}{words}}};"


def _part(part: ET.Element) -> str:
    """A lowered or raised piece of a label; one that only returns to the line is as it is."""
    off = float(part.get("dy", "0"))
    words = _spelt(part.text or "")
    if not part.get("font-size"):
        return words
    return f"\\textsubscript{{{words}}}" if off > 0 else f"\\textsuperscript{{{words}}}"


def _spelt(text: str) -> str:
    return "".join(SPELT.get(letter, letter) for letter in text)
