"""The lesson's sheet as HTML or PDF: two pages to print, with exercises and answers about the app's default layer."""

import base64
import io
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from importlib import import_module
from pathlib import Path

from headcount import count_parameters
from headcount.export import browser
from headcount.export.command import BadCommand, OneLine, ended, parser_of, writable
from headcount.export.figures import FIGURES, map_without_name
from headcount.export.rendering import file_of, picture_of
from headcount.export.request import request_of
from headcount.export.sheet import lowered, on_paper, stamp_of
from headcount.export.style import OWN, Style
from headcount.names import heads_in_words
from headcount.stage.pictures import start_page
from headcount.stage.text import as_html, embedded
from headcount.trained.sentence import DEFAULT
from lessons import sheet

NAME, FORMATS, LAYER = "lesson", ("html", "pdf"), request_of({})
LOOK = Style(theme="print", title=False, caption=False, stamp=False)
#: The look of a figure that is a table: with a slide's size its conventions are rows, otherwise they are columns.
TABLE = replace(LOOK, size="slide")
#: The look of an attention map in the first exercise.
SMALL = replace(LOOK, size=OWN, width_mm=62.0)
STYLE = """@page { size: A4; margin: 14mm 20mm }
body { max-width: 170mm; margin: 0 auto; font: 11pt/1.35 "Headcount Sans", sans-serif; color: #111 } sub { line-height: 0 }
h1 { font-size: 20pt; margin: 0 } h2 { font-size: 12pt; margin: 4mm 0 1mm } p, ol { margin: 0 0 2mm }
section:first-of-type { display: flex; flex-direction: column; min-height: 266mm } .name { align-self: end; margin: 0 0 -8mm }
.guess { flex: auto; min-height: 12mm; border-bottom: .3mm solid #999 } footer { display: flex; align-items: end; gap: 4mm }
.maps { display: grid; grid-template-columns: 1fr 1fr; gap: 1mm 6mm } .maps img { width: 62mm } footer img { width: 18mm }
section + section { break-before: page } figure { margin: 3mm 0; break-inside: avoid }
figure img { max-width: 100%; max-height: 88mm } figcaption, footer { font-size: 9pt; color: #444; margin-top: 2mm }"""


def numbers() -> dict[str, str]:
    """The numbers and words in the sheet, by placeholder. "cut" and "added" are parameter counts with twice the heads: "cut" in
    the paper's convention, "added" in Keras's."""
    cfg = LAYER.cfg
    cut, added = (cfg.with_heads(2 * cfg.num_heads, paper=paper) for paper in (True, False))
    count, total = lambda one: f"{count_parameters(one):,}", lambda one: " ".join(start_page.sum_of(one))
    names = reading.head_names(cfg) if (reading := LAYER.on_words().reading) else ()
    return {
        "d_model": f"{cfg.d_model}", "key_dim": f"{cfg.key_dim}", "count": count(cfg),
        "heads": heads_in_words(cfg.num_heads), "twice": heads_in_words(cut.num_heads),
        "cut": count(cut), "cut_sum": total(cut), "added": count(added), "added_sum": total(added),
        "word": DEFAULT.words[DEFAULT.last_verb],
        "letters": ", ".join(f"{letter} asks {names[head][0]}" for head, letter in sheet.LETTERS.items()),
    }  # fmt: skip


def page(base: str = "") -> str:
    """The sheet as HTML, with one section for each printed page. `base`: the app's address, at the beginning of links."""
    known = numbers()
    exercises = [[as_html(lowered(part.format(**known))) for part in parts] for parts in sheet.EXERCISES]
    asked = [f"<h2>{number}. {goal}</h2><p>{asks}</p>" for number, (goal, asks, _) in enumerate(exercises, start=1)]
    asked[0] += f'<div class="maps">{"".join(map(_map, sheet.LETTERS.items()))}</div>'
    answers = "".join(f"<li>{answer}</li>" for *_, answer in exercises)
    figures = "".join(map(_figure, sheet.FIGURES))
    stamp = as_html(stamp_of(FIGURES["heads"], LAYER, Style(base=base)))
    head = f'<meta charset="utf-8"><title>{sheet.TITLE}</title><style>{embedded(LOOK.font)} {STYLE}</style>'
    title = f"<p class='name'>Name <u>{'&nbsp;' * 45}</u></p><h1>{sheet.TITLE}</h1>"
    asks = "".join(f'{one}<div class="guess"></div>' for one in asked)
    code = _image(drawn.encode(), base) if base and (drawn := code_of(base)) else ""
    first = f"{title}<p>“{as_html(DEFAULT.text)}”</p>{asks}<footer>{code}<span>{stamp}</span></footer>"
    body = f"<section>{first}</section><section><h2>Answers</h2><ol>{answers}</ol>{figures}</section>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'


def code_of(address: str) -> str | None:
    """The address as a QR code in SVG. None if the address is too long for a QR code, or if `segno` is not installed."""
    out = io.BytesIO()
    try:
        code = import_module("segno").make(address, error="m", micro=False)
    except (ImportError, ValueError):
        return None
    code.save(out, kind="svg", scale=10, light="white", xmldecl=False)
    return out.getvalue().decode()


def _map(named: tuple[int, str]) -> str:
    """An HTML image of a trained head's attention map. `named`: the head (from 0), and the letter that is the map's title."""
    picture = map_without_name(request_of({"head": named[0] + 1}).on_words(), DEFAULT.last_verb, named[1])
    return _image(on_paper(picture, "", SMALL).svg.encode(), picture.alt)


def _figure(name: str) -> str:
    figure = FIGURES[name]
    picture = picture_of(figure, LAYER)
    drawn = file_of(figure, LAYER, TABLE if picture.is_scene and picture.scene.narrow else LOOK, "svg")
    return f"<figure>{_image(drawn, picture.alt)}<figcaption>{as_html(picture.title)}</figcaption></figure>"


def _image(drawn: bytes, alt: str) -> str:
    return f'<img src="data:image/svg+xml;base64,{base64.b64encode(drawn).decode()}" alt="{escape(alt)}">'


def file(kind: str, base: str = "") -> bytes:
    """The sheet as bytes of "html" or "pdf". Raises NoBrowser if no browser can print the PDF."""
    html = page(base)
    return html.encode() if kind == "html" else browser.printed(html)


def write(args: Namespace) -> list[Path]:
    """Writes the sheet in the format that the command line or the file's ending gives, or as HTML. Raises BadCommand or
    NoBrowser."""
    out = Path(args.out or ".")
    kind = args.format or ("" if out.is_dir() else out.suffix[1:]) or FORMATS[0]
    if kind not in FORMATS:
        raise BadCommand(f"format must be {' or '.join(FORMATS)}, got {kind!r}")
    out = writable(out if out.suffix and not out.is_dir() else out / f"{NAME}.{kind}")
    out.write_bytes(file(kind, args.base))
    return [out]


def parser() -> OneLine:
    return parser_of(NAME, "Writes the lesson's sheet, two pages to print.", FORMATS)


def main(argv: Sequence[str] | None = None) -> int:
    return ended(parser(), argv, write)
