"""Builds the lesson as plain pages that need no Python: `make lesson` writes build/lesson and a zip of it.

Each page is one file with texts and pictures of the app. A page in LIVE has them for each number of HEADS, in both conventions.
To make a page, this module runs the app. build.py puts Python behind these pages."""

import base64
import io
import json
import logging
import re
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from html import escape
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from markdown_it import MarkdownIt

from components.menu import PAGES, SECTIONS, START
from components.widgets import chart, previews, stage
from components.widgets.explanation import CHOOSING
from headcount.assets import ASSETS
from headcount.export.offline import Drawn, Frame, html_of
from headcount.export.request import request_of
from headcount.plots.recolour import in_theme
from headcount.settings import DEFAULTS
from headcount.stage import heatmaps_svg
from headcount.stage.both import INKS, in_both, scene_in_both
from headcount.stage.pictures.attention import PRESS
from headcount.stage.pictures.start_page import KERAS, PAPER
from headcount.stage.text import FACES
from headcount.stage.theme import DARK, LIGHT
from headcount.stage.wire import look_of
from lessons.walk import STEPS

ROOT = Path(__file__).parents[2]
OUT = ROOT / "build/lesson"
#: Pages of the lesson whose pictures change with Heads.
LIVE = tuple(page for page in SECTIONS[""] if page.name != "quiz")
#: Names of all pages of the lesson. The first page is "".
NAMES = frozenset(("", *(one.name for one in LIVE[1:]), *(f"walk/{step}" for step in range(1, len(STEPS) + 1))))
#: Widths in pixels of a page beside its controls, in a window of 1280, and of a phone's page. HALL and HIGH are the width and the
#: largest height of a picture in a lecture hall, which grows with the window.
WIDE, NARROW, HALL, HIGH = 954, 358, 800, 380
#: Pixels between two pictures side by side.
GAP = 16
#: The stops of Heads that need no Python, and the one shown first.
HEADS = (1, 2, 4, 8, 16)
USUAL = (PAPER, DEFAULTS["num_heads"])
#: HTML for search engines and previews of links.
HEAD = """<meta name="description" content="{says}">
<meta property="og:type" content="article">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{says}">
<meta property="og:url" content="{address}">
<meta property="og:image" content="{image}">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" href="data:image/svg+xml;base64,{icon}">"""
#: The scenes and figures that the app has packed here, by their numbers.
DRAWN: dict[int, Any] = {}
#: Keys of containers that only the app can use.
OF_APP = ("heads_here", "check", "magnifier", "start_here", "explain")


def noted(pack: Callable[..., bytes]) -> Callable[..., bytes]:
    """Wraps a function that packs pictures. The wrapped function also adds each picture to DRAWN."""

    def packed(picture: Any, *more: Any, **extra: Any) -> bytes:
        data = pack(picture, *more, **extra)
        DRAWN[look_of(data)] = picture
        return data

    return packed


def run(page: str, query: Mapping[str, object]) -> Any:
    """Runs a page of the app in Streamlit's AppTest. Raises RuntimeError if the page shows an error."""
    from streamlit.testing.v1 import AppTest

    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in query.items():
        at.query_params[key] = str(value)
    if page != START.name:
        at.switch_page(f"pages/{page}.py")
    with ExitStack() as now:
        now.enter_context(patch.object(previews.PICTURES, "get", lambda key: None))
        for module in (previews, stage, chart):
            now.enter_context(patch.object(module, "pack", noted(module.pack)))
        at.run()
    if errors := [error.message for error in at.exception]:
        raise RuntimeError(f"{page} {dict(query)}: {errors[0]}")
    return at


def said(page: str, query: Mapping[str, object], up: str, there: frozenset[str]) -> Frame:
    """Returns a page's texts and at most two pictures. A second picture must be in a column. `up`, `there`: as in `linked`."""
    main, texts, pictures = run(page, query).main, [""], []
    first = main.children[0]
    hall = _key(first) == "presenter"  # the page below it is hidden
    for kind, value, share in _parts(first if hall else main):
        if kind == "text":
            texts[-1] += linked(value.replace(PRESS, ""), up, there)
        elif len(pictures) < 2 and (len(pictures) == 0 or share < 1):
            pictures.append(_picture(kind, value, share, hall))
            texts.append("")
    return Frame(tuple(texts), tuple(pictures), urlencode(query))


def _key(node: Any) -> str:
    return str(getattr(getattr(node, "proto", None), "id", "")).rpartition("-")[2]


def _parts(node: Any, share: float = 1.0) -> Iterator[tuple[str, Any, float]]:
    """Yields each part's kind, its HTML or picture, and its column's fraction. Parts that need the app are left out."""
    for child in getattr(node, "children", {}).values():
        kind, proto = child.type, getattr(child, "proto", None)
        if _key(child) in OF_APP:
            continue
        if kind == "expander":
            if inside := "".join(value for what, value, _ in _parts(child) if what == "text"):
                yield "text", f"<details><summary>{escape(child.label)}</summary>{inside}</details>\n", share
        elif kind == "bidi_component":
            name = proto.component_name.removeprefix("headcount_")
            if name == "stage" or (name == "chart" and b'"narrow"' in proto.bytes):
                yield name, proto.bytes, share
            elif name == "guess":
                options = json.loads(proto.bytes)["options"]
                listed = "".join(f"<li>{one['count']}: {escape(one['words'])}</li>" for one in options)
                yield "text", f"<ul>{listed}</ul>", share
        elif kind in ("title", "header"):
            tag = "h1" if kind == "title" else "h2"
            yield "text", f"<{tag}>{marked(child.value, inline=True)}</{tag}>\n", share
        elif kind == "html" and re.match(r"<(p|h2)\b", proto.body):
            yield "text", proto.body + "\n", share
        elif kind == "markdown" or (kind == "caption" and child.value not in [brief for _, brief in CHOOSING.values()]):
            yield "text", marked(child.value), share
        elif kind == "page_link":
            yield "text", f'<p><a href="./{proto.page}">{escape(proto.label)}</a></p>\n', share
        else:
            yield from _parts(child, proto.weight if kind == "column" else share)


MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
#: Commands of TeX in the app's formulas, with plain text for each.
TEX = {r"\textstyle": "", r"\cdot": "·", r"\sum": "Σ", r"\text": "", r"\sqrt": "√", " ": "\u202f"}
TAGS = {"_": "sub", "^": "sup"}


def marked(text: str, inline: bool = False) -> str:
    """Converts Markdown with formulas to HTML. With `inline`, the HTML has no paragraph around it."""

    def formula(match: re.Match[str]) -> str:
        said = match[1]
        for sign, instead in TEX.items():
            said = said.replace(sign, instead)
        said = re.sub(r"([_^])(?:{(.*?)}|(\w))", lambda at: "<{0}>{1}</{0}>".format(TAGS[at[1]], at[2] or at[3]), said)
        return re.sub("[{}]", "", said)

    return re.sub(r"\$([^$]+)\$", formula, MARKDOWN.renderInline(text) if inline else MARKDOWN.render(text))


def linked(html: str, up: str, there: frozenset[str]) -> str:
    """Replaces the app's links in HTML by links between these pages. `up`: the path to the first page. `there`: the names of
    existing pages. A link to any other page becomes plain text. If such a link fills a paragraph and has no query, the paragraph
    is removed."""

    def link(match: re.Match[str]) -> str:
        address, words = match[1], match[2]
        step = re.fullmatch(r"\./\?present=1&amp;step=(\d+)", address)
        name = f"walk/{step[1]}" if step else address.removeprefix("./").partition("?")[0]
        query = "" if step else "".join(address.partition("?")[1:])
        return f'<a href="{page_file(name, up)}{query}">{words}</a>' if name in there else words

    alone = re.sub(r'<p><a href="\./(\w+)">[^<]*</a></p>\n', lambda at: at[0] if at[1] in there else "", html)
    return re.sub(r'<a href="(\./[^"]*)"[^>]*>(.*?)</a>', link, alone)


def page_file(name: str, up: str) -> str:
    return f"{up}{name}/index.html" if name else f"{up}index.html"


def _picture(kind: str, data: bytes, share: float, hall: bool) -> Drawn:
    """Draws a component's picture for a wide page and for a phone."""
    drawn = DRAWN[look_of(data)]
    if kind == "chart":
        sent = json.loads(data)
        layouts = {"wide": sent["layout"], "narrow": sent["layout"] | sent["narrow"]}
        both = "".join(f'<div class="{name}">{_chart({**drawn, "layout": one})}</div>' for name, one in layouts.items())
        return Drawn(sent["alt"], both, "svg", both, share)
    width = WIDE if share == 1 else round(WIDE * share - GAP / 2 - 36)  # less a card's edge
    both = f'<div class="wide{" hall" * hall}">{scene_in_both(drawn, *((HALL, HIGH) if hall else (width,)))}</div>'
    both += f'<div class="narrow">{scene_in_both(drawn, NARROW)}</div>'
    return Drawn(drawn.alt, both, "stage", data.decode("latin-1"), share)


def _chart(figure: dict[str, Any]) -> str:
    """Draws a figure's heatmaps as SVG."""
    drawn = (heatmaps_svg.draw(in_theme(figure, ink.theme, FACES["sans"].css), ink) for ink in INKS)
    return in_both(*drawn, figure["layout"]["width"], figure["layout"]["height"])


def page(name: str, there: frozenset[str], address: str = "", behind: str = "") -> str:
    """Makes a page as one HTML file. `name`: "" for the first page, "walk/3" for a step. `there`: the names of all pages.
    `address`: the address of the site, or "". `behind`: HTML that starts the app behind the page."""
    up, step = "../" * len(name.split("/")) if name else "./", int(name.partition("/")[2] or 0)
    record = next((one for one in PAGES if one.name == (name or START.name)), START)
    lives = record in LIVE and not step
    usual = {"present": 1, "step": step} if step else {}
    asks = {
        (way, heads): request_of({"num_heads": heads, "split": way}).off_default() for way in (PAPER, KERAS) for heads in HEADS
    }
    every = {stop: said(record.name, query, up, there) for stop, query in (asks if lives else {USUAL: usual}).items()}
    texts = re.findall(r"<(?:h1|p)\b[^>]*>(.*?)</(?:h1|p)>", every[USUAL].texts[0])
    heading, lead = ([re.sub(r"<[^>]+>", "", text) for text in texts] + [""])[:2]
    title = escape(f"{heading if step else record.title} · Headcount")
    head = HEAD.format(
        title=title, says=escape(lead or heading), address=escape(f"{address}{name}{'/' if name else ''}"),
        image=escape(f"{address or up}preview/{record.preview.name}"),
        icon=base64.b64encode((ASSETS / "favicon.svg").read_bytes()).decode(),
    )  # fmt: skip
    more = f"{HEADS[0]} to {HEADS[-1]} heads; the app has more."
    return html_of(
        every, USUAL, (LIGHT, DARK), "sans", more, title=title, head=head, up=up, behind=behind,
        kind="walk" if step else f"lesson {record.name}" if lives else "plain", header=_nav(name, up, there),
        steps=_steps(step, up) if step else "",
    )  # fmt: skip


def _nav(name: str, up: str, there: frozenset[str]) -> str:
    """Returns HTML links to all existing pages, in the order of the menu, and to the walk."""
    menu = [("" if one is START else one.name, one.title) for one in PAGES]
    links = [(page, title) for page, title in (*menu, ("walk/1", "Start here")) if page in there]
    here = ' aria-current="page"'
    shown = "".join(f'<a href="{page_file(page, up)}"{here * (page == name)}>{escape(title)}</a>' for page, title in links)
    return f'<header><nav aria-label="Pages">{shown}</nav></header>'


def _steps(step: int, up: str) -> str:
    """Returns HTML links from a step of the walk to the previous and the next step, and out of the walk."""
    near = ((step - 1, "Back"), (step + 1, "Next"))
    links = [f'<a href="{page_file(f"walk/{to}", up)}">{label}</a>' for to, label in near if 1 <= to <= len(STEPS)]
    links.insert(1 if step > 1 else 0, f"<span>{step} of {len(STEPS)}</span>")
    return f'<nav class="steps" aria-label="Steps">{"".join(links)}<a href="{page_file("", up)}">Leave</a></nav>'


def zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Returns the bytes of a zip. The times in the zip are fixed, so that the same files give the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def build(out: Path = OUT, address: str = "") -> None:
    """Writes the lesson into the folder `out`, and a zip of it beside that folder."""
    files = {page_file(name, ""): page(name, NAMES, address).encode() for name in sorted(NAMES)}
    files |= {f"preview/{one.preview.name}": one.preview.read_bytes() for one in LIVE}
    write(files, out)
    out.with_suffix(".zip").write_bytes(zipped(files.items()))


def write(files: Mapping[str, bytes], out: Path) -> None:
    """Writes a folder with exactly these files. Any older files in the folder are deleted."""
    shutil.rmtree(out, ignore_errors=True)
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # Streamlit reports at each run that there is no server
    build(OUT, *sys.argv[1:2])
    sys.stdout.write(f"Open {OUT}/index.html, or take {OUT}.zip\n")
