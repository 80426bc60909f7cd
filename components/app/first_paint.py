"""Heading and picture of the start page as static HTML. The browser shows them until Streamlit has loaded and drawn the page."""

import re

from headcount.assets import ASSETS
from headcount.export.figures import cards
from headcount.export.request import request_of
from headcount.stage.both import scene_in_both
from headcount.stage.pictures import reader, start_page
from headcount.stage.program import sheet
from headcount.stage.text import as_html
from headcount.stage.theme import DARK, LIGHT
from headcount.trained.sentence import DEFAULT

#: The picture's width in pixels, by the least width of the window from which it applies. The first is for phones.
WIDTHS = {0: 358, 641: 954, 1366: 1040, 1440: 1114, 1920: 1490}


def first_paint(index: str) -> str:
    """The HTML of heading and picture, until the picture's component removes it. `index`: Streamlit's index page."""
    request = request_of({}).on_words(cut=True)
    reads = reader.reader(request.cfg, DEFAULT)
    scene, _ = cards(request, reads)
    pictures = "".join(f'<div class="from{least}">{scene_in_both(scene, width)}</div>' for least, width in WIDTHS.items())
    rule = "@media(min-width:{0}px){{#first [class]{{display:none}}#first .from{0}{{display:block}}}}"
    widths = "".join(rule.format(least) for least in WIDTHS)
    (font,) = re.findall(r'href="(\./static/media/SourceSansVF-Upright[^"]*)"', index)
    names = ("background", "panel", "ink")
    light, dark = ("".join(f"--{name}:{getattr(theme, name)};" for name in names) for theme in (LIGHT, DARK))
    style = f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}{sheet(ASSETS / 'first_paint.css')}{widths}"
    style += f"@font-face{{font-family:first;font-weight:200 900;src:url({font})}}"
    words = f"<b>{start_page.HEADING}</b><p>{as_html(start_page.lead(reads))}</p>"
    return f'<div id="first" aria-hidden="true"><style>{style}</style><section>{words}{pictures}</section></div>'
