"""The record of a page, of which each folder of `components/pages` has one, and the record of a search result."""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from headcount.settings import Setting

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Item:
    """A result of the search. `address`: the link; `text`, `asked`: further words that find the result; `answer`: one line."""

    kind: str
    name: str
    address: str
    text: str = ""
    answer: str = ""
    asked: str = ""


def address(page: str, query: Mapping[str, object] | None = None) -> str:
    """The address of a page with a query, relative to the app's root. "" and "heads" are the start page."""
    return ("./" if page in ("", "heads") else f"./{page}") + (f"?{urlencode(query, quote_via=quote)}" if query else "")


@dataclass(frozen=True, slots=True)
class Page:
    """A page's record. `whom`: the page's readers, if the title does not name them.
    - `name`: the name of the page's folder and script. It is also the page's address, except for the start page.
    - `lab`: whether the page shows the layer of the shared controls; `own`: whether it can show the visitor's own layer.
    - `words`: whether it has the fields for trained numbers and a sentence; `keras`: whether it uses Keras's head sizes.
    - `asked`, `text`: words by which the search finds the page; `asked` has them as people type them.
    - `called`: further words for a setting, or for a choice (key "code=choice").
    - `seen_with`: settings that a setting's link must also set. `listed`: settings whose choices are already among `items`.
    - `items`: makes search results; `items_for`: makes further results from a query and its significant words.
    """

    name: str
    title: str
    whom: str = ""
    lab: bool = True
    own: bool = True
    words: bool = False
    keras: bool = False
    settings: tuple[Setting[Any], ...] = ()
    asked: str = ""
    text: str = ""
    called: Mapping[str, str] = field(default_factory=dict)
    seen_with: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    listed: tuple[str, ...] = ()
    items: Callable[[], Iterable[Item]] = tuple
    items_for: Callable[[str, list[str]], Iterable[Item]] = lambda query, words: ()

    @property
    def file(self) -> str:
        return f"pages/{self.name}.py"

    @property
    def tab(self) -> str:
        return f"{self.title} · Headcount"

    @property
    def asks(self) -> str:
        """The questions that the page answers: the first line of its script's docstring."""
        said = ast.get_docstring(ast.parse((ROOT / self.file).read_text(encoding="utf-8"))) or ""
        return said.partition("\n")[0]

    @property
    def preview(self) -> Path:
        """The picture in the preview of a shared link (`make figures`): the picture of the page, or else of the start page."""
        own = ROOT / f"assets/preview/{self.name}.png"
        return own if own.is_file() else own.with_name("heads.png")

    @property
    def label(self) -> str:
        return f"{self.title}: {self.whom}" if self.whom else self.title
