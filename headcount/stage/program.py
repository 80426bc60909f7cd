"""The JavaScript, HTML and CSS that draw scenes in a browser, as text for the app's component and for offline files."""

import json
import re
from dataclasses import asdict
from functools import cache, lru_cache
from importlib.metadata import distribution
from pathlib import Path

from headcount.assets import ASSETS
from headcount.stage.text import LAYOUT
from headcount.stage.theme import Theme

#: The folder of the stage, code that all components share, and code that prefetches pictures of a slider's next values.
STAGE, SHARED, SLIDER_PREVIEW = ASSETS / "stage", ASSETS / "shared.js", ASSETS / "slider_preview.js"
#: Code of components that play a computation as an animation.
PLAYER = ASSETS / "player.js"
_PACKAGE = distribution("plotly")
#: The file of Plotly.js in the package plotly, and its name among Streamlit's static files, which browsers cache.
PLOTLY, PLOTLY_NAME = Path(str(_PACKAGE.locate_file("plotly/package_data/plotly.min.js"))), f"plotly-{_PACKAGE.version}.js"
#: Code that fetches Plotly.js for a component. The address of Plotly.js replaces `/*FILE*/` in it.
PLOTLY_PROGRAM = ASSETS / "plotly_program.js"
MARKUP = """<div class="stage"><canvas class="base" aria-hidden="true"></canvas>
<canvas class="over" tabindex="0" role="application"></canvas><div class="tip" hidden></div></div>
<div class="legend" aria-hidden="true"></div><div class="live" aria-live="polite"></div>"""


def joined(*files: Path) -> str:
    """Returns the joined text of JavaScript files. Each rerun sends the text, so indents and most comments are removed."""
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    text = re.sub(r"/\*\*.*?\*/ ?|(^|\s)//\s[^\n]*", "", text, flags=re.DOTALL)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


@lru_cache(maxsize=8)
def script(light: Theme, dark: Theme) -> str:
    """Returns the JavaScript of the stage. In the browser, the page's background decides which of the two themes is used."""
    text = joined(SHARED, SLIDER_PREVIEW, *sorted(STAGE.glob("*.js")))
    for place, sent in (("LAYOUT", LAYOUT), ("PALETTE", {"light": asdict(light), "dark": asdict(dark)})):
        text = text.replace(f"/*{place}*/{{}}", json.dumps(sent, separators=(",", ":")))
    return text


@cache
def sheet(file: Path) -> str:
    text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    # Streamlit (1.67) takes CSS of a single line for the name of a file.
    return re.sub(r'("[^"]*")|\s*([{};,])\s*|(?<=:)\s+', r"\1\2", text).replace("}", "}\n")
