"""The allowed imports. They go one way: headcount, lessons, then Streamlit's parts, then pages, then app.py."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.menu import FOLDERS
from tests.sources import ROOT, python_files

OURS = ("app", "benchmarks", "components", "deploy", "experiments", "lessons", "headcount", "pages", "tests", "training")
#: What only that page may import: to delete a page is to delete its folder, its script and its line in the menu.
PAGE_FOLDER = re.compile(r"components/pages/(\w+)")
SLOW = ("keras", "tensorflow", "headcount.keras.backend")  # seconds to import, and Streamlit resets Keras wherever it finds it
MAY_BE_SLOW = (
    "headcount/keras/backend.py",
    "headcount/keras/experiments",
    "experiments/runs/real_layer.py",
    "training",
    "benchmarks",
)
# Inside a function only: the worker answers before it has imported.
LATER = {"headcount/keras/worker.py": "headcount.keras.backend"}

NUMBERS = ("layer", "lessons")
PICTURES = (*NUMBERS, "stage", "plots", "export")
SHOWN = (*PICTURES, "record", "address", "settings", "menu", "symbols", "corners", "widgets", "walk")
RECORDS = tuple(
    f"components/pages/{path.parent.name}/__init__" for path in python_files("components") if path.match("pages/*/__init__.py")
)
#: Rooms from the ground up: their files or folders, the rooms that each may import besides itself, and what else it may not. A
#: room may be a single module, where of its room only that is allowed. A file is in the first room that names it or its folder.
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "module": (("headcount/__main__",), ("commands",), ("streamlit",)),
    "commands": (("headcount/notebook", "headcount/commands"), ("layer", "stage", "plots", "export"), ()),
    "export": (("headcount/export",), ("layer", "stage", "plots"), ("streamlit",)),
    "stage": (("headcount/stage",), ("layer",), ("streamlit",)),
    "plots": (("headcount/plots",), ("layer", "stage"), ("streamlit",)),
    "layer": (("headcount",), (), ("streamlit", "plotly")),
    "lessons": (("lessons",), ("layer",), ("streamlit", "plotly")),
    # No room may import it: it is run by `make answers`, and by tests.
    "experiments": (("experiments",), NUMBERS, ("streamlit", "plotly")),
    "settings": (("components/settings",), ("layer",), ("streamlit",)),
    "record": (("components/page",), ("layer",), ("streamlit",)),
    # Of each page its record, which `menu` imports by the name of its folder.
    "records": (RECORDS, (*PICTURES, "record"), ("streamlit",)),
    "menu": (("components/menu",), ("layer", "lessons", "record"), ("streamlit",)),
    "address": (("components/address",), ("layer", "lessons", "menu"), ("streamlit",)),
    "symbols": (("components/symbols",), (), ("streamlit",)),
    # The frame draws the banner, what is sent ahead, a refusal, and the walk over any page.
    "frame": (
        ("components/frame",),
        ("layer", "address", "menu", "settings", "corners", *(f"components/widgets/{part}" for part in (
            "banner", "check", "glossary", "links", "previews", "refusal")),
            "components/presenter/screen", "components/presenter/slide", "components/presenter/votes"),
        (),
    ),
    "corners": (
        ("components/app",), (*NUMBERS, "stage", "export", "settings", "menu", "symbols", "address"), ()
    ),
    "widgets": (("components/widgets",), (*PICTURES, "settings", "symbols", "address", "corners", "menu"), ()),
    # No page: the frame draws it over any.
    "walk": (("components/presenter",), (*PICTURES, "address", "settings", "menu", "symbols", "corners", "widgets"), ()),
    "pages": (("components/pages",), (*SHOWN, "records"), ()),
    "files": (("pages",), (*SHOWN, "records", "pages", "frame"), ("plotly", "numpy", "pages")),
    "app": (("app",), ("layer", "corners", "frame"), ("plotly", "numpy")),
    "training": (("training",), ("layer",), ("streamlit", "plotly")),
    "benchmarks": (("benchmarks",), ("layer", "static", "tests/serving", "tests/sockets"), ()),
    "static": (("deploy/static",), (*PICTURES, "menu", "widgets"), ()),
    "deploy": (("deploy",), ("components/app/votes",), ("streamlit",)),
}  # fmt: skip


def under(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def lies_in(path: str, places: tuple[str, ...]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def room_of(path: str) -> str:
    """The room of a file, or of a full name as a path; "" if it is in none."""
    return next((room for room, (places, _, _) in ROOMS.items() if lies_in(path.removesuffix(".py"), places)), "")


def imports(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Every imported name in full ("headcount.config.Config"), and whether it is imported together with the file."""
    inner = {id(node) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(f)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from ((name, id(node) not in inner) for name in names)


def violations(path: str, source: str) -> list[str]:
    """The imports that a file may not have, a sentence for each. Imports inside functions count."""
    room = room_of(path)
    if not room:
        return [f"{path} is in no room: give it one in ROOMS"]
    _, below, others = ROOMS[room]
    found = []
    for name, at_once in imports(ast.parse(source)):
        place = name.replace(".", "/")
        allowed = room_of(place) in (room, *below) or lies_in(place, below)
        of_page = PAGE_FOLDER.match(place)
        if under(name, SLOW) and not lies_in(path, MAY_BE_SLOW) and (at_once or not under(name, (LATER.get(path, "-"),))):
            found.append(f"{path} imports {name}, which only {', '.join(MAY_BE_SLOW)} may")
        elif of_page and not lies_in(path, (f"components/pages/{of_page[1]}", f"pages/{of_page[1]}.py")):
            found.append(f"{path} imports {name}: of a page's folder only the page itself may")
        elif name.startswith(".") or (under(name, OURS) and not allowed) or under(name, others):
            found.append(f"{path} ({room}) imports {name}; of ours it may import {', '.join(below)}")
    return found


@pytest.mark.parametrize("path", python_files("app.py", *(set(OURS) - {"tests"})), ids=str)
def test_a_file_imports_only_from_its_own_room_and_those_below(path: Path):
    source = (ROOT / path).read_text(encoding="utf-8")
    assert not source or violations(path.as_posix(), source) == []


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """The names on one circle of imports, the first again at the end; [] if there is no circle."""
    done: set[str] = set()

    def walk(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        found = next((found for other in sorted(arrows[name]) if (found := walk(other, [*way, name]))), [])
        done.add(name)
        return found

    return next((found for name in sorted(arrows) if (found := walk(name, []))), [])


def test_no_room_leads_back_to_itself():
    assert circle({room: {*below} & {*ROOMS} - {room} for room, (_, below, _) in ROOMS.items()}) == []


@pytest.mark.parametrize("package", ["headcount", "lessons"])
def test_no_way_of_imports_leads_back_even_where_some_come_late(package: str):
    """Imports inside functions count. A package's own `__init__` file does not, because it only gathers names."""
    files = {".".join(path.with_suffix("").parts): path for path in python_files(package) if path.name != "__init__.py"}
    arrows: dict[str, set[str]] = {}
    for name, path in files.items():
        wanted = {imported for imported, _ in imports(ast.parse((ROOT / path).read_text()))}
        arrows[name] = {other for other in files if any(under(one, (other,)) for one in wanted)}
    assert circle(arrows) == []


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"b"}}) == ["b", "d", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize(("path", "source"), [
    ("headcount/forward.py", "import streamlit as st"),
    ("headcount/forward.py", "def f():\n    import plotly.graph_objects as go"),
    ("headcount/forward.py", "from headcount.stage import theme"),
    ("headcount/forward.py", "from .config import Config"),
    ("headcount/backends.py", "from headcount.keras.backend import OPS"),
    ("headcount/ledger.py", "def f():\n    from headcount.keras import backend"),
    ("headcount/keras/worker.py", "def f():\n    import keras"),
    ("headcount/export/sheet.py", "from lessons import walk"),
    ("headcount/commands.py", "def f():\n    import components.frame"),
    ("headcount/stage/scene.py", "from headcount.export.style import Style"),
    ("components/widgets/check.py", "def f():\n    from components.pages.own_layer.intake import KEY"),
    ("components/frame.py", "from components.pages.own_layer.page import drop"),
    ("components/frame.py", "from components.widgets.words import read_words"),
    ("components/menu.py", "from components.pages.heads import PAGE"),
    ("components/presenter/walk.py", "from components.pages.trained_heads import sentence"),
    ("components/pages/heads/page.py", "from components.pages.models import THIS_LAYER"),
    ("components/pages/heads/page.py", "from components.pages import models"),
    ("components/pages/models/__init__.py", "from components.widgets.tables import markdown_table"),
    ("pages/heads.py", "from components.pages.models.about import count_of"),
    ("pages/heads.py", "from pages import attention"),
    ("pages/heads.py", "import numpy as np"),
    ("benchmarks/load.py", "from tests.browser import helpers"),
    ("deploy/class_room.py", "from headcount import Config"),
    ("somewhere/new.py", "import math"),
])  # fmt: skip
def test_an_import_against_the_arrows_is_found(path: str, source: str):
    assert violations(path, source)


def test_every_link_to_a_page_by_name_is_to_one_of_the_menu():
    """Other links are not drawn (components/widgets/links.py), so nobody would see a misspelt name."""
    sources = [(ROOT / path).read_text(encoding="utf-8") for path in python_files("components", "pages")]
    names = {name for source in sources for name in re.findall(r'link_to\("(\w+)"', source)}
    assert {"figures", "models", "questions"} <= names <= {folder for folders in FOLDERS.values() for folder in folders}


def test_which_layer_is_shown_is_asked_only_where_a_page_begins():
    """Everything else receives the layer as an argument, so no order of lines can show other numbers."""
    asking = {path.as_posix() for path in python_files("components", "pages") if "visitor_layer()" in (ROOT / path).read_text()}
    own_page = {"pages/own_layer.py", "components/pages/own_layer/page.py"}
    assert asking == {f"components/{path}.py" for path in ("app/session", "frame", "widgets/refusal")} | own_page
