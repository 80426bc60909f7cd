"""Who may import whom. Arrows point one way: mha, lessons, figures, then what Streamlit shows, then pages, then app.py."""

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.sources import ROOT, python_files

OURS = ("app", "benchmarks", "components", "deploy", "lessons", "mha", "pages", "tests", "training")
SLOW = ("keras", "tensorflow", "mha.keras.backend")  # seconds to import, and Streamlit resets Keras wherever it finds it

LOWER = (
    "mha", "lessons", "components.settings", "components.symbols", "components.figures", "components.plots", "components.export",
)  # fmt: skip
ABOVE_FIGURES = ("components.address", "components.menu", "components.settings")
FRAMED = (
    "components.widgets.banner", "components.widgets.check", "components.widgets.previews", "components.widgets.refusal",
    "components.pages.presenter.screen",
)  # fmt: skip
# By its very name: the folder in which the address finds each page's settings.
EXACTLY = {"components/address.py": "components.pages"}

# First match decides: which files, what of ours they may import, what else they may not.
RULES = (
    ("mha", ("mha",), ("streamlit", "plotly")),
    ("lessons", ("mha", "lessons"), ("streamlit", "plotly")),
    ("components/figures", ("mha", "lessons", "components.figures"), ("streamlit",)),
    ("components/plots", ("mha", "components.figures", "components.plots"), ("streamlit",)),
    (
        "components/export",
        ("mha", "lessons", "components.export", "components.settings", "components.figures", "components.plots"),
        ("streamlit",),
    ),
    ("components/settings.py", ("mha",), ("streamlit",)),
    ("components/address.py", ("mha", "components.export"), ("streamlit",)),
    ("components/menu.py", (), ("streamlit",)),
    ("components/symbols.py", (), ("streamlit",)),
    # The frame draws the banner, what is sent ahead, a refusal, and the walk over any page.
    ("components/frame.py", ("mha", *ABOVE_FIGURES, "components.streamlit", *FRAMED), ()),
    ("components/streamlit", (*LOWER, "components.address", "components.streamlit"), ()),
    ("components/widgets", (*LOWER, "components.address", "components.streamlit", "components.widgets"), ()),
    # A page's settings are rows of data, read by the address: they stand below all of the above.
    ("components/pages/*/settings.py", LOWER, ("streamlit",)),
    ("components/pages", ("mha", "lessons", "components"), ()),
    ("components", ("mha", "lessons", "components"), ()),
    ("pages", ("mha", "lessons", "components"), ("plotly", "numpy")),
    ("app.py", ("mha", "components"), ("plotly", "numpy")),
    ("training", ("mha", "training"), ("streamlit", "plotly")),
    ("benchmarks", ("mha", "benchmarks", "tests.serving", "tests.sockets"), ()),
    ("deploy/static", ("components",), ()),
    ("deploy", ("deploy",), ("streamlit",)),
)
MAY_BE_SLOW = ("mha/keras/backend.py", "mha/keras/experiments", "training", "benchmarks")
# Inside a function only: the worker answers before it has imported, and a backend is imported where it is asked for.
LATER = {"mha/keras/worker.py": "mha.keras.backend", "mha/backends.py": "mha.keras.backend"}


def under(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def lies_in(path: str, places: tuple[str, ...]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def imports(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Every imported name in full ("mha.config.Config"), and whether it is imported as soon as the file is."""
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
    """What a file may not import, one sentence each."""
    rule = next((rule for rule in RULES if lies_in(path, rule[:1]) or fnmatch(path, rule[0])), None)
    if rule is None:
        return [f"{path} is in no layer: give it one in RULES"]
    _, ours, others = rule
    found = []
    for name, at_once in imports(ast.parse(source)):
        if under(name, SLOW) and not lies_in(path, MAY_BE_SLOW) and (at_once or not under(name, (LATER.get(path, "-"),))):
            found.append(f"{path} imports {name}, which only {', '.join(MAY_BE_SLOW)} may")
        elif name == EXACTLY.get(path):
            continue
        elif name.startswith(".") or (under(name, OURS) and not under(name, ours)) or under(name, others):
            found.append(f"{path} imports {name}; of ours it may import {', '.join(ours)}")
    return found


@pytest.mark.parametrize("path", python_files("app.py", *(set(OURS) - {"tests"})), ids=str)
def test_a_file_imports_only_from_its_own_layer_and_those_below(path: Path):
    assert violations(path.as_posix(), (ROOT / path).read_text()) == []


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """The names on one way round, the first again at the end; [] where no way leads back."""
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


#: Rooms of components, from the ground up, and the rooms that each may import besides itself: each arrow of its own. A file is in
#: the first room that names it or its folder.
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "figures": (("components/figures",), ()),
    "plots": (("components/plots",), ("figures",)),
    "export": (("components/export",), ("figures", "plots", "settings")),
    # Rows of the tables of settings: no Streamlit.
    "page settings": (tuple(f"components/pages/{path.parts[2]}/settings.py" for path in python_files("components")
                            if path.name == "settings.py" and len(path.parts) == 4), ("export",)),
    "address": (("components/address.py",), ("page settings", "export")),
    "settings": (("components/settings.py",), ()),
    "menu": (("components/menu.py",), ()),
    "symbols": (("components/symbols.py",), ()),
    # Above the pages: the frame draws the controls and runs a page, so it knows what is shown around every page.
    "frame": (("components/frame.py",), ("address", "settings", "menu", "streamlit", "widgets", "pages")),
    "streamlit": (("components/streamlit",), ("address", "settings", "symbols", "figures", "export")),
    "widgets": (("components/widgets",), ("address", "settings", "symbols", "figures", "plots", "export", "streamlit")),
    "pages": (
        ("components/pages",),
        ("address", "settings", "page settings", "symbols", "menu", "figures", "plots", "export", "streamlit", "widgets"),
    ),
    "outside": (("components/notebook.py", "components/commands.py"), ("figures", "plots", "export")),
}  # fmt: skip


def room_of(path: str) -> str:
    return next((room for room, (places, _) in ROOMS.items() if lies_in(path, places)), "")


def modules(name: str, inside: frozenset[str]) -> str:
    """The file that a full name ("components.figures.theme.LIGHT") comes from; "" for a package."""
    parts = name.split(".")
    paths = ["/".join(parts[:length]) + ".py" for length in range(len(parts), 0, -1)]
    return next((path for path in paths if path in inside), "")


def arrows_up(path: str, source: str, files: frozenset[str]) -> list[str]:
    """Imports from a room that is not below; imports inside functions count."""
    room = room_of(path)
    below = {room, *ROOMS[room][1]}
    found = {modules(name, files) for name, _ in imports(ast.parse(source)) if under(name, ("components",))}
    return [f"{path} ({room}) imports {file} ({room_of(file)})" for file in sorted(found - {""}) if room_of(file) not in below]


COMPONENTS = frozenset(path.as_posix() for path in python_files("components") if path.name != "__init__.py")


@pytest.mark.parametrize("path", sorted(COMPONENTS))
def test_a_file_of_components_imports_only_from_the_rooms_below_its_own(path: str):
    assert room_of(path)
    assert arrows_up(path, (ROOT / path).read_text(encoding="utf-8"), COMPONENTS) == []


def test_no_room_leads_back_to_itself():
    assert circle({room: {*below} for room, (_, below) in ROOMS.items()}) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("components/widgets/trace.py", "from components.pages.heads import headline"),
        ("components/streamlit/controls.py", "def f():\n    from components.widgets.words import words_bar"),
        ("components/figures/scene.py", "from components.export.look import Look"),
        ("components/address.py", "from components.frame import ENTRIES"),
    ],
)
def test_an_arrow_up_between_rooms_is_found(path: str, source: str):
    assert arrows_up(path, source, COMPONENTS)


@pytest.mark.parametrize("package", ["mha", "lessons"])
def test_no_way_of_imports_leads_back_even_where_some_come_late(package: str):
    """Imports inside functions count; a package's own `__init__` file does not, it only gathers."""
    files = {".".join(path.with_suffix("").parts): path for path in python_files(package) if path.name != "__init__.py"}
    arrows: dict[str, set[str]] = {}
    for name, path in files.items():
        wanted = {imported for imported, _ in imports(ast.parse((ROOT / path).read_text()))}
        arrows[name] = {other for other in files if any(under(one, (other,)) for one in wanted)}
    assert circle(arrows) == []


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"b"}}) == ["b", "d", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("mha/forward.py", "import streamlit as st"),
        ("mha/forward.py", "def f():\n    import plotly.graph_objects as go"),
        ("mha/forward.py", "from components.figures import theme"),
        ("mha/forward.py", "import tensorflow as tf"),
        ("mha/ledger.py", "def f():\n    from mha.keras import backend"),
        ("mha/backends.py", "from mha.keras.backend import OPS"),
        ("mha/forward.py", "def run():\n    from mha.keras.backend import OPS"),
        ("mha/forward.py", "from .config import Config"),
        ("mha/keras/worker.py", "from mha.keras import backend"),
        ("mha/keras/worker.py", "def f():\n    import keras"),
        ("components/figures/pictures/heads.py", "import streamlit"),
        ("components/figures/pictures/heads.py", "from components.streamlit.controls import Settings"),
        ("components/frame.py", "import pages.heads"),
        ("components/frame.py", "from components.pages.own_layer.page import drop"),
        ("components/frame.py", "from components.widgets.words import read_words"),
        ("components/address.py", "from components.pages.presenter import settings"),
        ("components/streamlit/controls.py", "from components.pages.keras_layer.settings import SETTINGS"),
        ("components/streamlit/controls.py", "from components.widgets.tables import markdown_table"),
        ("components/streamlit/controls.py", "from components.frame import ENTRIES"),
        ("components/streamlit/session.py", "from components.pages.own_layer import intake"),
        ("components/widgets/trace.py", "from components.pages.own_layer.intake import KEY"),
        ("components/widgets/words.py", "from components.pages.own_layer.intake import KEY"),
        ("components/widgets/typed.py", "from components.pages.own_layer.intake import KEY"),
        ("components/widgets/previews.py", "from components.pages.own_layer.intake import KEY"),
        ("components/widgets/explanation.py", "from components.pages.own_layer.intake import KEY"),
        ("components/widgets/check.py", "def f():\n    from components.pages.own_layer.intake import KEY"),
        ("components/widgets/switches.py", "from components.pages.keras_layer.settings import PARTS"),
        ("components/widgets/banner.py", "from components.frame import ENTRIES"),
        ("components/pages/quiz/settings.py", "from components.address import quoted"),
        ("components/export/request.py", "from components.widgets.trace import trace_of"),
        ("components/figures/theme.py", "from components.export.look import Look"),
        ("mha/layer.py", "import streamlit as st"),
        ("mha/layer.py", "from components.streamlit.session import shown"),
        ("components/frame.py", "from keras.layers import MultiHeadAttention"),
        ("pages/heads.py", "import numpy as np"),
        ("pages/heads.py", "from plotly import graph_objects"),
        ("pages/heads.py", "from pages import attention"),
        ("app.py", "from pages import heads"),
        ("training/copy_task.py", "from components.figures import theme"),
        ("benchmarks/trace.py", "from tests.browser import helpers"),
        ("deploy/class_room.py", "from mha import Config"),
        ("somewhere/new.py", "import math"),
    ],
)
def test_an_import_against_the_arrows_is_found(path: str, source: str):
    assert violations(path, source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("mha/forward.py", "import numpy as np\nfrom mha.config import Config"),
        ("mha/keras/backend.py", "import tensorflow as tf\nimport keras"),
        ("mha/keras/worker.py", "def main():\n    from mha.keras import backend"),
        ("mha/backends.py", "def load():\n    from mha.keras.backend import OPS"),
        ("components/figures/pictures/heads.py", "from components.figures.theme import THEMES\nfrom mha import run"),
        ("pages/heads.py", "import streamlit as st\nfrom components.frame import open_lab"),
        ("components/address.py", "from components import pages"),
        ("components/streamlit/session.py", "import streamlit as st\nfrom mha.layer import Shown"),
        ("components/widgets/trace.py", "from components.streamlit.session import custom_layer"),
        ("components/pages/own_layer/page.py", "from components.widgets.banner import title_of"),
        ("app.py", "import kerastuner\nfrom components import frame"),  # a name that only begins like a forbidden one
        ("training/copy_task.py", "import keras"),
    ],
)
def test_an_import_along_the_arrows_is_not(path: str, source: str):
    assert violations(path, source) == []
