"""The app uses what Streamlit documents: it reads nothing private, asks for no version, replaces nothing of Streamlit's, and
names few parts of its page."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import streamlit

from tests.sources import ROOT, project_files, python_files

#: Modules of Streamlit that its documentation names; of `delta_generator` only the type of a container.
PUBLIC = (
    "streamlit", "streamlit.components.v2", "streamlit.errors", "streamlit.testing.v1", "streamlit.delta_generator.DeltaGenerator"
)  # fmt: skip

#: By file: what else is imported, and why. An entry says the symptom without it, the version where that was seen, and the test
#: that goes red when it may be no longer needed.
ALLOWED: dict[str, dict[str, str]] = {
    "headcount/commands.py": {
        "streamlit.web.cli": "`headcount serve` takes Streamlit's own options and starts the server in its own process: App.run "
        "(1.67, not in 1.62) takes no command line, and `python -m streamlit` needs a second process. "
        "tests/app/test_streamlit_contract.py::test_the_public_way_to_start_a_server_takes_no_command_line",
    },
    # What stlite lacks (docs/upstream.md).
    "deploy/static/bridge.py": {
        "streamlit.runtime": "stlite (1.9.2, Streamlit 1.62) keeps the runtime in a context variable, and components of "
        'version 2 ask the class: "RuntimeError: Runtime hasn\'t been created!". tests/deploy/test_static.py::'
        "test_it_opens_by_link_and_by_menu_and_a_slider_moves_without_a_server",
    },
}
#: Parts of Streamlit's page that our style sheets and programs name: all that begins with "st" and a capital, whether as a
#: `data-testid`, as a class or otherwise. docs/upgrading.md says why each cannot be found by a key of ours.
PARTS = {
    "stApp", "stHeader", "stMainMenu", "stSkipToContent", "stExpandSidebarButton", "stSidebar", "stMain",
    "stMainBlockContainer", "stVerticalBlock",
    "stColumn", "stLayoutWrapper", "stElementContainer", "stSkeleton", "stBidiComponentIsolated", "stCaptionContainer",
}  # fmt: skip
MAX_PARTS = 15
FRONT_END = [
    path for path in project_files()
    if path.parts[0] in ("assets", "components", "pages", "app.py") and path.suffix in (".css", ".js", ".ts", ".html", ".py")
    and path.parts[:2] != ("assets", "plotly")
]  # fmt: skip
FILES = python_files("app.py", "components", "deploy", "lessons", "headcount", "pages")


def is_public(name: str) -> bool:
    """Whether a full name, such as "streamlit.errors.StreamlitAPIException", is a public module or a name in one."""
    if any(part.startswith("_") and part != "__file__" for part in name.split(".")):
        return False
    package, _, last = name.rpartition(".")
    if package == "streamlit":
        return last in ("column_config", "components") or not isinstance(getattr(streamlit, last, None), ModuleType)
    return name in PUBLIC or package in PUBLIC


def dotted(node: ast.expr) -> str:
    """An expression such as `st.session_state.n` as text; "" for anything but a name with attributes."""
    if isinstance(node, ast.Name):
        return node.id
    before = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{before}.{node.attr}" if before and isinstance(node, ast.Attribute) else ""


#: Attributes of `st` whose own attributes are a visitor's values.
VALUES = ("session_state", "query_params")


def faults(source: str) -> Iterator[str]:
    """The full names that are private (a version, too) or assigned to."""
    tree = ast.parse(source)
    ours = {"st": "streamlit"}  # by its name in this file: what of Streamlit it is
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "streamlit":
                    ours[alias.asname or "streamlit"] = alias.name if alias.asname else "streamlit"
                    if not is_public(alias.name):
                        yield alias.name
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "streamlit":
            for alias in node.names:
                ours[alias.asname or alias.name] = name = f"{node.module}.{alias.name}"
                if not is_public(name):
                    yield name
        elif isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in ("import_module", "__import__", "version"):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and str(first.value).split(".")[0] == "streamlit":
                yield f"{first.value}, by its name"
    for node in ast.walk(tree):
        name = dotted(node) if isinstance(node, ast.Attribute) else ""
        top, _, rest = name.partition(".")
        if top not in ours:
            continue
        full, parts = f"{ours[top]}.{rest}", rest.split(".")
        if any(part.startswith("_") and part != "__file__" for part in parts):
            yield full
        elif isinstance(node.ctx, ast.Store | ast.Del) and not (len(parts) > 1 and parts[0] in VALUES):
            yield f"{full}, assigned to"
        elif ours[top] == "streamlit" and not is_public(f"streamlit.{parts[0]}"):
            yield full
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted(node.func) in ("setattr", "delattr", "vars") and node.args:
            top = dotted(node.args[0]).split(".")[0]
            yield from [f"{ours[top]}, by {dotted(node.func)}"] if top in ours else []


@pytest.mark.parametrize("path", FILES, ids=str)
def test_nothing_private_of_streamlit_is_read_and_nothing_of_it_replaced(path: Path):
    allowed = ALLOWED.get(path.as_posix(), {})
    found = [name for name in faults((ROOT / path).read_text(encoding="utf-8")) if not name.startswith(tuple(allowed) or "-")]
    assert found == []


@pytest.mark.parametrize(("path", "name"), [(path, name) for path, names in ALLOWED.items() for name in names])
def test_what_is_allowed_is_used_and_says_why_and_which_test_ends_it(path: str, name: str):
    """An unused exception must go."""
    assert any(found.startswith(name) for found in faults((ROOT / path).read_text(encoding="utf-8")))
    reason, _, test = ALLOWED[path][name].rpartition(". ")
    file, _, function = test.partition("::")
    assert len(reason) > 30
    assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8")


def test_of_streamlits_page_no_more_is_named_than_is_listed_and_each_with_its_reason():
    named = {part for path in FRONT_END for part in re.findall(r"\bst[A-Z]\w+", (ROOT / path).read_text(encoding="utf-8"))}
    assert named == PARTS
    assert len(named) <= MAX_PARTS
    told = (ROOT / "docs/upgrading.md").read_text(encoding="utf-8")
    reasons = re.findall(r"^\| ((?:`st[A-Z]\w+`(?:, )?)+) \| .{30,} \|$", told, re.MULTILINE)
    assert {part for row in reasons for part in re.findall(r"\w+", row)} == PARTS


@pytest.mark.parametrize("source", [
    "from streamlit.runtime.scriptrunner import get_script_run_ctx", "import streamlit.runtime",
    "import streamlit as st\nst.runtime.exists()", "import streamlit as st\nst.write = print",
    "import streamlit as st\nsetattr(st, 'write', print)", "import streamlit as st\nst.session_state._state",
    "from streamlit.delta_generator import DeltaGenerator\nDeltaGenerator.text = None",
    "from streamlit.delta_generator import main_dg", "from importlib import import_module\nimport_module('streamlit.util')",
    "from streamlit import config", "import streamlit as st\nvars(st)['write'] = print",
    "import streamlit as st\nif st.__version__ > '1.67': ...", "from streamlit import __version__",
    "from importlib.metadata import version\nversion('streamlit')",
])  # fmt: skip
def test_a_private_use_is_found(source: str):
    assert [*faults(source)]
