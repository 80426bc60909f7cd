"""What stlite lacks and nothing works without (docs/upstream/stlite.md). components/frame.py begins with its import there."""

import json
from pathlib import Path
from types import SimpleNamespace

from streamlit.runtime import Runtime, runtime_contextvar

from components.figures import text

# stlite keeps the runtime in a context variable, components of version 2 ask the class (stlite 1.9.2, Streamlit 1.62).
Runtime.exists = classmethod(lambda _: runtime_contextvar.get(None) is not None)
Runtime.instance = classmethod(lambda _: runtime_contextvar.get())


def font(widths: dict[str, float], pairs: dict[str, float], unknown: float):
    """A font as `components.figures.text` asks it: Pillow reads no WOFF 2 here, so the build has measured the letters."""
    more = lambda text: sum(pairs.get(text[at : at + 2], 0.0) for at in range(len(text) - 1))  # noqa: E731
    return SimpleNamespace(getlength=lambda text: sum(widths.get(letter, unknown) for letter in text) + more(text))


fonts = {name: font(*numbers) for name, numbers in json.loads(Path("letters.json").read_text(encoding="utf-8")).items()}
text._font = lambda face, bold: fonts[f"{face} {bold}"]
