"""The lesson's sheet: two pages to print, every number for the settings that are shown."""

import base64
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from headcount import Config, count_parameters
from headcount.export import browser
from headcount.export.command import OneLine, Refused, asking, ended, request_from, writable
from headcount.export.figures import FIGURES
from headcount.export.look import Look
from headcount.export.rendering import file_of, picture_of
from headcount.export.request import Request, Unavailable
from headcount.export.sheet import lowered, stamp_of
from headcount.names import heads_in_words
from headcount.stage.pictures import start_page
from headcount.stage.text import as_html
from lessons import sheet

FORMATS = ("html", "pdf")
LOOK = Look(theme="print", title=False, caption=False, stamp=False)
#: A table is drawn as on a slide: else its conventions are columns.
TABLE = replace(LOOK, size="slide")
STYLE = """@page { size: A4; margin: 14mm 20mm }
body { max-width: 170mm; margin: 0 auto; font: 11pt/1.4 "Source Sans 3", "Source Sans Pro", sans-serif; color: #111 }
h1 { font-size: 20pt; margin: 0 } h2 { font-size: 13pt; margin: 4mm 0 1mm } p, ol, ul { margin: 0 0 2mm } sub { line-height: 0 }
section:first-of-type, .guesses { display: flex; flex-direction: column } section:first-of-type { min-height: 266mm }
.guesses, .guess { flex: auto } .guess { padding-bottom: 15mm; border-bottom: .3mm solid #999; margin-bottom: 4mm }
section + section { break-before: page } figure { margin: 3mm 0; break-inside: avoid } img { max-width: 100%; max-height: 88mm }
figcaption, footer { font-size: 9pt; color: #444 }"""


def numbers(request: Request) -> dict[str, str]:
    """The numbers that the questions and answers name. The paper's way is that of one head if these cannot share the width."""
    cfg = request.cfg
    heads = cfg.num_heads if start_page.layer(cfg, cfg.num_heads, start_page.PAPER) else 1
    others = next((h for h in (2 * heads, heads // 2, *range(1, cfg.d_model + 1)) if h and h != heads and _paper(cfg, h)), heads)
    own, paper, then = cfg.with_heads(cfg.num_heads, paper=False), _paper(cfg, heads) or cfg, _paper(cfg, others) or cfg
    more = own.with_heads(2 * cfg.num_heads, paper=False)
    count, total = lambda one: f"{count_parameters(one):,}", lambda one: " ".join(start_page.sum_of(one))
    return {
        "d_model": f"{cfg.d_model:,}", "key_dim": f"{cfg.key_dim:,}",
        "heads": heads_in_words(heads), "others": heads_in_words(others),
        "keras_heads": heads_in_words(own.num_heads), "keras_others": heads_in_words(more.num_heads),
        "paper": count(paper), "paper_others": count(then), "paper_sum": total(then),
        "keras": count(own), "keras_then": count(more), "keras_sum": total(more),
    }  # fmt: skip


def _paper(cfg: Config, heads: int) -> Config | None:
    return start_page.layer(cfg, heads, start_page.PAPER)


def page(request: Request, base: str = "") -> str:
    """The two pages as HTML; `base`: what links begin with."""
    known = numbers(request)
    asked, answers = ([as_html(lowered(part.format(**known))) for part in parts] for parts in zip(*sheet.GUESSES, strict=True))
    figures = "".join(_figure(name, request) for name in sheet.FIGURES)
    items = lambda parts, kind="": "".join(f"<li{kind}>{part}</li>" for part in parts)  # noqa: E731
    stamp = as_html(stamp_of(FIGURES["heads"], request, Look(base=base)))
    head = f'<meta charset="utf-8"><title>{sheet.TITLE}</title><style>{STYLE}</style>'
    goals, guesses = items(sheet.GOALS), items(asked, ' class="guess"')
    pages = (
        f"<h1>{sheet.TITLE}</h1><h2>Goals</h2><ul>{goals}</ul><h2>Guess first</h2><ol class='guesses'>{guesses}</ol>",
        f"<h2>Answers</h2><ol>{items(answers)}</ol>{figures}<footer>{stamp}</footer>",
    )
    body = "".join(f"<section>{one}</section>" for one in pages)
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'


def _figure(name: str, request: Request) -> str:
    """A figure with its title below it; or why there is none."""
    figure = FIGURES[name]
    try:
        picture = picture_of(figure, request)
        drawn = file_of(figure, request, TABLE if picture.is_scene and picture.scene.narrow else LOOK, "svg")
    except Unavailable as why:
        return f"<p>{escape(str(why))}</p>"
    source = f"data:image/svg+xml;base64,{base64.b64encode(drawn).decode()}"
    said = f"<figcaption>{as_html(picture.title)}</figcaption>"
    return f'<figure><img src="{source}" alt="{escape(picture.alt)}">{said}</figure>'


def file_name(request: Request, kind: str) -> str:
    return f"lesson_d{request.cfg.d_model}_h{request.cfg.num_heads}.{kind}"


def file(request: Request, kind: str, base: str = "") -> bytes:
    """The sheet as "html" or "pdf". NoBrowser says what to do where a PDF needs one."""
    html = page(request, base)
    return html.encode() if kind == "html" else browser.printed(html)


def write(args: Namespace) -> list[Path]:
    """The sheet's file where it was asked for; without a format the one that the file's name ends in."""
    request, out = request_from(args), Path(args.out or ".")
    kind = args.format or ("" if out.is_dir() else out.suffix[1:]) or FORMATS[0]
    if kind not in FORMATS:
        raise Refused(f"format must be {' or '.join(FORMATS)}, got {kind!r}")
    out = writable(out if out.suffix and not out.is_dir() else out / file_name(request, kind))
    out.write_bytes(file(request, kind, args.base))
    return [out]


def parser() -> OneLine:
    return asking("lesson", "Writes the lesson's sheet, two pages to print, for these settings.", FORMATS)


def main(argv: Sequence[str] | None = None) -> int:
    """The command `headcount lesson`."""
    return ended(parser(), argv, write)
