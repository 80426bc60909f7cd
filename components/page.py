"""The record of a page, which is in the page's folder (`components/pages/<page>/__init__.py`), and the entries of the search."""

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
    """One result of the search. `name`: the result's text; `address`: the link; `text`, `asked`: further words that find it;
    `answer`: the answer in one line, if the result answers a question."""

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
    """A page's record. `name`: of its folder, of its script in `pages/`, and in the address. `lab`: it shows the layer of the
    shared controls, which are hidden on other pages. `own`: it shows the visitor's own layer, if there is one; False if it can
    only draw from a seed. `words`: it shows the trained layer, too. `keras`: it uses Keras's head sizes
    (components.settings.Settings). `whom`: its readers, if the title does not say it.

    `settings`: settings that only this page has. `asked`, `text`: words by which the search finds the page, as people ask and
    others. `called`: further words for a setting, or for a choice (key "code=choice"). `seen_with`: by setting, other settings
    that its link must set. `listed`: settings whose choices are already among `items`, the page's other results. `items_for`:
    makes results from a query and its significant words.
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
        """The title in the browser's tab, its history and a shared link."""
        return f"{self.title} · Headcount"

    @property
    def asks(self) -> str:
        """The question that the page answers: the first line of its script's docstring."""
        said = ast.get_docstring(ast.parse((ROOT / self.file).read_text(encoding="utf-8"))) or ""
        return said.partition("\n")[0]

    @property
    def preview(self) -> Path:
        """The picture in the preview of a shared link (`make figures`): the page's own, or the start page's."""
        own = ROOT / f"assets/preview/{self.name}.png"
        return own if own.is_file() else own.with_name("heads.png")

    @property
    def label(self) -> str:
        """The page's label in the menu."""
        return f"{self.title}: {self.whom}" if self.whom else self.title
