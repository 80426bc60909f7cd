"""The record of a page, in its folder (`components/pages/<page>/__init__.py`), and what the search finds of it."""

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
    """One thing that can be found. `name` is what is shown of it, `text` what it is also found by; `address` shows it; `answer`:
    what it says, in a line, where it is an answer; `asked`: other words for what is asked."""

    kind: str
    name: str
    address: str
    text: str = ""
    answer: str = ""
    asked: str = ""


def address(page: str, query: Mapping[str, object] | None = None) -> str:
    """Address of a page ("" and "heads": the start page), relative to the pages, so that it holds wherever the app is served."""
    return ("./" if page in ("", "heads") else f"./{page}") + (f"?{urlencode(query, quote_via=quote)}" if query else "")


@dataclass(frozen=True, slots=True)
class Page:
    """A page's record. `name`: of its folder, of its script in `pages/`, and in the address. `lab`: it shows the layer that the
    shared controls describe; elsewhere they are hidden. `own`: it shows the visitor's own layer, if there is one; False if the
    page can only draw from a seed. `words`: it shows the trained layer, too. `keras`: it shows Keras's head sizes
    (components.settings.Settings). `whom`: its readers, if the title does not say it.

    `settings`: the rows that only it has. The search finds the page by `asked`, what people call its subject, and `text`. It
    finds a setting by other names, as `called` has them, also for a choice (by "code=choice"). The result leads to where the
    setting is seen, `seen_with` other settings. `listed`: settings whose choices are among `items`, the other entries.
    `items_for`: what is made of a query, and of the words in it that count.
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
        """The title of the browser's tab, of an entry in its history and of a shared link."""
        return f"{self.title} · Headcount"

    @property
    def asks(self) -> str:
        """The question that the page answers: the first line of its script."""
        said = ast.get_docstring(ast.parse((ROOT / self.file).read_text(encoding="utf-8"))) or ""
        return said.partition("\n")[0]

    @property
    def label(self) -> str:
        """The page's label in the menu."""
        return f"{self.title}: {self.whom}" if self.whom else self.title
