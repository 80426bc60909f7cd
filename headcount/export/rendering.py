"""Files of a figure in every format, and a zip of all figures."""

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from headcount import Config, settings
from headcount.export import browser, offline
from headcount.export.figure import Figure, Picture
from headcount.export.figures import FIGURES
from headcount.export.request import Request, Unavailable
from headcount.export.sheet import CHART, Sheet, caption_of, on_paper, stamp_of
from headcount.export.style import INCH, Style
from headcount.plots.heatmaps import map_width
from headcount.plots.recolour import in_theme
from headcount.reading import Reading
from headcount.settings import DEFAULTS, TOKENS
from headcount.stage.diagram import Diagram
from headcount.stage.numbers import as_csv, attached_tables, of_heatmap, plain, rows_of, scene_count, tidy, values_in
from headcount.stage.plotly_json import as_json
from headcount.stage.scene import Scene, whole_numbers
from headcount.stage.text import FACES, as_html, pieces

#: The formats of files. For each name on the command line: the label on the page, and the media type.
FORMATS = {
    "svg": ("SVG", "image/svg+xml"),
    "pdf": ("PDF", "application/pdf"),
    "png": ("PNG", "image/png"),
    "html": ("HTML, works offline", "text/html"),
    "csv": ("CSV", "text/csv"),
    "npz": ("npz", "application/octet-stream"),
    "plotly": ("Plotly JSON", "application/json"),
}
#: The format that only Plotly figures have. `plotly.io.from_json` reads it.
PLOTLY = "plotly"
#: Most rows of a CSV: the limit of spreadsheets (2^20 with the header).
MAX_CSV_ROWS = (1 << 20) - 1
#: The date of every file in a zip: the first that a zip can have. It is fixed so that the same figures give the same bytes.
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
#: The formats that have numbers and no picture.
NUMBERS_ONLY = ("csv", "npz")
#: The formats that need Chromium, like every chart without heatmaps.
NEED_BROWSER = ("pdf", "png")


@lru_cache(maxsize=4)
def picture_of(figure: Figure, request: Request) -> Picture:
    """Draws and caches a figure's picture. Raises Unavailable if these settings have no such figure."""
    return figure.draw(request)


@lru_cache(maxsize=8)
def sheet_of(figure: Figure, request: Request, look: Style) -> Sheet:
    """Draws and caches a figure's sheet. Raises Unavailable if these settings have no such figure, or no legible one."""
    return on_paper(picture_of(figure, request), stamp_of(figure, request, look), look)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one picture, each made on request. `numbers` draws the picture for CSV and npz, with every number of its
    matrices. `facts` describe these numbers."""

    picture: Callable[[], Picture]
    numbers: Callable[[], Picture]
    sheet: Callable[[], Sheet]
    html: Callable[[], bytes]
    look: Style
    facts: Mapping[str, object]

    def of(self, kind: str) -> bytes:
        """Makes a file. `kind` is a name in FORMATS, or "json" for the description of a CSV. The same picture always gives the
        same bytes. Raises Unavailable or NoBrowser."""
        if kind == "html":
            return self.html()
        if kind == PLOTLY:
            return plotly_of(self.picture(), self.look)
        if kind == "csv":
            return csv_of(self.numbers())
        if kind == "npz":
            return npz_of(self.numbers(), self.facts)
        if kind == "json":
            return f"{json.dumps(about(self.numbers(), self.facts), indent=2)}\n".encode()
        drawn = finished(self.sheet())
        if kind == "svg":
            return drawn.svg.encode()
        if kind == "pdf":
            return browser.pdf(drawn.svg, drawn.width, drawn.height)
        dots = self.look.format.dots
        return labelled(browser.png(drawn.svg, drawn.width, drawn.height, dots), 96 * dots, drawn.title, drawn.description)


def files_of(figure: Figure, request: Request, look: Style) -> Files:
    return Files(
        partial(picture_of, figure, request),
        partial(whole_picture, partial(figure.draw, request)),
        partial(sheet_of, figure, request, look),
        partial(offline.page, figure, request, look),
        look,
        facts_of(figure, request, look),
    )


def latex_of(figure: Figure, request: Request, look: Style, file: str) -> str:
    """Returns LaTeX that shows `file` at the figure's width, with caption, label and alternative text."""
    picture = picture_of(figure, request)
    caption, title = (latex(text) for text in (caption_of(picture, look), picture.title.rstrip(".")))
    wide = f"{look.format.width / INCH:.4g}in"
    return (
        f"\\begin{{figure}}\n  \\centering\n  \\includegraphics[width={wide}, alt={{{latex(plain(picture.alt))}}}]{{{file}}}\n"
        f"  \\caption{{{title}. {caption}}}\n  \\label{{fig:{figure.name}}}\n\\end{{figure}}\n"
    )


#: LaTeX for characters that it does not print unchanged, and for signs that its usual fonts lack.
LATEX = {
    "\\": r"\textbackslash{}", **{sign: f"\\{sign}" for sign in "&%$#_{}"}, "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "×": r"$\times$", "√": r"$\surd$", "−": "$-$", "·": r"$\cdot$", "★": r"$\star$", "→": r"$\to$", "÷": r"$\div$",
}  # fmt: skip


def latex(label: str) -> str:
    """Converts a label to LaTeX. `_{…}` becomes a subscript, and `^{…}` a superscript."""
    signs = {"": "{}", "_": "$_{{\\mathrm{{{}}}}}$", "^": "$^{{\\mathrm{{{}}}}}$"}
    return "".join(signs[how].format("".join(LATEX.get(sign, sign) for sign in part)) for part, how in pieces(label))


def file_of(figure: Figure, request: Request, look: Style, kind: str) -> bytes:
    """Makes one file of a figure (see Files.of)."""
    return files_of(figure, request, look).of(kind)


def whole_picture(draw: Callable[[], Picture]) -> Picture:
    """Draws a picture with every number of its matrices. Raises Unavailable if `draw` does, or if a scene has no numbers."""
    with whole_numbers():
        picture = draw()
    if isinstance(picture.drawing, Scene) and not picture.drawing.grids:
        raise Unavailable("At these sizes the picture is outlines, without numbers to save. The other kinds of files show it.")
    return picture


def facts_of(figure: Figure, request: Request, look: Style) -> dict[str, object]:
    """Returns facts for a figure's files of numbers: name and address. A layer's figure adds settings and source of numbers."""
    facts: dict[str, object] = {"figure": figure.name, "link": look.base + figure.link(request)}
    if not figure.of_layer:
        return facts
    shown = request.on_words() if figure.of_trained else request
    words = shown.tokens if shown[TOKENS].strip() and TOKENS.code in figure.options else ()
    return facts | layer_facts(shown.cfg, shown.reading, shown.is_given, words)


def layer_facts(cfg: Config, reading: Reading | None, given: bool = False, words: Sequence[str] = ()) -> dict[str, object]:
    """Returns a layer's settings by code, and the source of its numbers: a layer from outside (`given`), the trained network of
    `reading`, or the seed. `words` label the positions of a layer without a network."""
    facts = {setting.code: getattr(cfg, setting.code) for setting in settings.SHARED if setting.in_layer}
    named = {"words": list(words)} if words else {}
    if given:
        del facts["seed"]
        return {**facts, "numbers": "the layer that was given", **named}
    if reading is None:
        return {**facts, "numbers": f"random weights, seed {cfg.seed}", **named}
    del facts["seed"]
    return {**facts, "numbers": "trained", "words": list(reading.labels)}


def finished(page: Sheet) -> Sheet:
    """Lets Plotly draw the sheet's chart, if there is one, in Chromium. Returns the finished sheet. Raises NoBrowser."""
    if page.chart is None:
        return page
    drawn = browser.chart(page.svg, as_json(page.chart))
    return replace(page, svg=page.svg.replace(CHART, drawn, 1), chart=None)


def plotly_of(picture: Picture, look: Style) -> bytes:
    """Returns a Plotly figure as JSON in the style's colours and font. Raises Unavailable if the picture is no Plotly figure."""
    if not picture.is_chart:
        raise Unavailable("This picture is no Plotly figure. Take SVG to edit it, or npz for its numbers.")
    figure = in_theme(picture.chart, look.colours, FACES[look.font].css)
    title = {"title": {"text": as_html(picture.title), "x": 0}} if look.title and map_width(figure) is None else {}
    return as_json({**figure, "layout": figure["layout"] | title}, packed=False).encode()


def csv_of(picture: Picture) -> bytes:
    """Returns a picture's numbers as CSV: for a diagram, its first table. Raises Unavailable if a scene has too many numbers."""
    drawing = picture.drawing
    if isinstance(drawing, Scene):
        if (count := scene_count(drawing)) > MAX_CSV_ROWS:
            most = f"at most {MAX_CSV_ROWS:,}"
            raise Unavailable(f"A CSV of {count:,} numbers has too many rows ({most}). Take npz: it has them all.")
        return as_csv(*rows_of(drawing)).encode()
    table = drawing.tables[0] if isinstance(drawing, Diagram) else tidy(drawing)
    return as_csv(table.heads, table.rows).encode()


def about(picture: Picture, facts: Mapping[str, object]) -> dict[str, object]:
    """Returns the description of a file of numbers: title, caption, and the given facts that are not None."""
    counted = {"counting": "heads, rows and columns are counted from 1"} if picture.is_scene else {}
    title, caption = plain(picture.title or picture.alt), plain(picture.caption or picture.alt)
    said = {name: value for name, value in facts.items() if value is not None}  # a layer without a sliding window
    return {"title": title, "caption": caption, **said, **counted}


def npz_of(picture: Picture, facts: Mapping[str, object]) -> bytes:
    """Returns the numbers of a picture as .npz, with a description in JSON as `meta`. A scene has an array per matrix, in which
    masked weights are 0 and masked scores −inf. For other pictures see `_series`."""
    drawing = picture.drawing
    file = io.BytesIO()
    is_scene = isinstance(drawing, Scene)
    arrays: dict[str, Any] = {word(name): values_in(drawing, name) for name in drawing.grids} if is_scene else _series(drawing)
    np.savez_compressed(file, meta=np.array(json.dumps(about(picture, facts))), **arrays)
    return file.getvalue()


def _series(figure: Diagram | dict) -> dict[str, np.ndarray]:
    """Returns arrays by name: the columns of the tables of a diagram or Plotly figure. A Plotly figure without tables has an
    array for each matrix of the layer. Each other trace with a tooltip has arrays x, y and z."""
    if isinstance(figure, Diagram) or attached_tables(figure):
        tables = figure.tables if isinstance(figure, Diagram) else attached_tables(figure)
        columns = (zip(table.heads, zip(*table.rows, strict=True), strict=True) for table in tables)
        return {word(head): _array(column) for some in columns for head, column in some}
    arrays = {}
    for number, trace in enumerate(figure["data"], start=1):
        meta = trace.get("meta", {})
        if meta.get("name"):  # a matrix of the layer
            arrays[word(meta["name"] + (f"/{meta['head'] - 1}" if meta["head"] else ""))] = of_heatmap(trace)
            continue
        name = word(plain(trace.get("name", "")) or f"trace_{number}")
        if trace.get("hoverinfo") != "skip":
            arrays |= {f"{name}__{key}": _array(trace[key], key) for key in ("x", "y", "z") if key in trace}
    return arrays


def _array(values: Any, key: str = "") -> np.ndarray:
    """Converts values to an array, or to a matrix if `key` is "z". Texts become integers if all of them consist of digits."""
    if key == "z":
        return np.array(values, dtype=float)  # None becomes NaN
    array = np.asarray(values)
    array = array.astype(str) if array.dtype == object else array
    return array.astype(int) if array.dtype.kind == "U" and array.size and np.char.isdecimal(array).all() else array


def word(name: str) -> str:
    """Converts a name to one that np.savez accepts. "weights/3", the array of head 3 (0-based), becomes "weights_head4"."""
    whole, _, head = name.rpartition("/")
    if whole and head.isdecimal():
        return f"{word(whole)}_head{int(head) + 1}"
    spelt = name.replace("÷", "divided by ").replace("√", "sqrt ").replace("±", "and")
    return re.sub(r"\W+", "_", spelt).strip("_") or "series"


def labelled(png: bytes, dpi: float, title: str, description: str) -> bytes:
    """Adds dots per inch, title and description to a PNG, for programs that scale and describe pictures."""
    said, file = PngInfo(), io.BytesIO()
    for key, text in (("Title", title), ("Description", description), ("Software", "Headcount")):
        said.add_itxt(key, text)
    with Image.open(io.BytesIO(png)) as picture:
        picture.save(file, "PNG", dpi=(dpi, dpi), pnginfo=said)
    return file.getvalue()


def file_name(figure: Figure, request: Request, kind: str) -> str:
    """Returns a file name from a figure's name and settings, such as heads_d16_h4.svg or attention_d16_h4_causal_head2.png."""
    cfg, parts = request.cfg, [figure.name]
    if figure.of_layer:
        parts += [f"d{cfg.d_model}", f"h{cfg.num_heads}"]
        parts += [] if cfg.follows_paper else [f"k{cfg.key_dim}", f"v{cfg.value_dim}"]
        usual = tuple(DEFAULTS[length] for length in ("query_len", "key_len"))
        parts += [] if (cfg.query_len, cfg.key_len) == usual else [f"t{cfg.query_len}", f"s{cfg.key_len}"]
        parts += ["causal"] * (cfg.mask == "causal") + ["nobias"] * (not cfg.use_bias) + [f"seed{cfg.seed}"] * (cfg.seed != 0)
        parts += [_plain(setting.code) + _plain(value) for setting, value in request.others()]
    for key, value in request.options:
        if key in figure.options:
            parts.append(_plain(key) + _plain(value)[:12])
    return with_ending("_".join(parts), kind)


def with_ending(name: str, kind: str) -> str:
    return f"{name}.{kind}.json" if kind == PLOTLY else f"{name}.{kind}"


def _plain(value: object) -> str:
    return "".join(letter for letter in str(value) if letter.isascii() and letter.isalnum())


def zip_of(
    request: Request, look: Style, kinds: tuple[str, ...], report: Callable[[float, str], object]
) -> tuple[bytes, list[str]]:
    """Makes a zip of every figure in the formats `kinds`. Pictures other than charts have no Plotly JSON. Also returns a sentence
    for each figure or file that cannot be made. `report` gets the progress (0 to 1) and the next title."""
    data, left_out, captions, shared = io.BytesIO(), [], [], request.in_a_set()
    with zipfile.ZipFile(data, "w") as box:
        for place, figure in enumerate(FIGURES.values()):
            report(place / len(FIGURES), figure.title)
            try:
                picture = picture_of(figure, shared)
            except Unavailable as why:
                left_out.append(f"{figure.title}: {why}")
                continue
            captions.append(f"{figure.title}: {plain(picture.caption or picture.alt)}")
            files = files_of(figure, shared, look)
            for kind in kinds if picture.is_chart else (kind for kind in kinds if kind != PLOTLY):
                try:
                    for one in (kind, "json") if kind == "csv" else (kind,):
                        _put(box, file_name(figure, request, one), files.of(one))
                except (Unavailable, browser.NoBrowser) as why:
                    left_out.append(f"{figure.title}, {FORMATS[kind][0]}: {why}")
        notes = [*captions, *(f"Left out. {line}" for line in left_out)]
        _put(box, "figures.txt", ("\n\n".join(notes) + "\n").encode())
    report(1.0, "done")
    return data.getvalue(), left_out


def _put(box: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, ZIP_DATE)
    entry.external_attr = 0o644 << 16
    entry.compress_type = zipfile.ZIP_STORED if name.endswith((".png", ".npz", ".pdf")) else zipfile.ZIP_DEFLATED
    box.writestr(entry, data)
