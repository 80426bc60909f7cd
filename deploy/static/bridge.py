"""What stlite lacks and nothing works without (docs/upstream/stlite.md). Every script of the app begins with its import there."""

import json
from pathlib import Path

from streamlit.runtime import Runtime, runtime_contextvar

from components.figures import text

# stlite keeps the runtime in a context variable, components of version 2 ask the class (stlite 1.9.2, Streamlit 1.62).
Runtime.exists = classmethod(lambda _: runtime_contextvar.get(None) is not None)
Runtime.instance = classmethod(lambda _: runtime_contextvar.get())


class Letters:
    """A font as `components.figures.text` asks it: Pillow reads no WOFF 2 here. Widths of letters, and what a pair of them takes
    more, as the build has measured them."""

    def __init__(self, letters: dict[str, float], pairs: dict[str, float], unknown: float):
        self.letters, self.pairs, self.unknown = letters, pairs, unknown

    def getlength(self, text: str) -> float:
        pairs = sum(self.pairs.get(text[place : place + 2], 0.0) for place in range(len(text) - 1))
        return sum(self.letters.get(letter, self.unknown) for letter in text) + pairs


fonts = {name: Letters(*numbers) for name, numbers in json.loads(Path("letters.json").read_text(encoding="utf-8")).items()}
text._font = lambda face, bold: fonts[f"{face} {bold}"]
