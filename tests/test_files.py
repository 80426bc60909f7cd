"""What no file of the project may have: text run as code, raw HTML, paths of one machine. Also, every cache has a limit, because
a server that runs for months must not grow."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import ROOT, project_files, python_files

APP = ("app.py", "components", "lessons", "headcount", "pages")
RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
UNPACKS_CODE = {"pickle", "marshal", "shelve", "dill", "joblib"}
# With a space in each, so that this file does not find itself.
SPACED = ("/wo rk/", "/tmp /v311", "py pi.org", "python hosted.org", "npm js.org", "deb .debian", "index -url")
NOT_OURS = tuple(word.replace(" ", "") for word in SPACED)


def dangers(source: str) -> list[str]:
    """Ways in which text from outside could become code or markup, one for each finding."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in RUNS_TEXT:
                found.append(f"line {node.lineno}: {node.func.id}()")
            for keyword in node.keywords:
                unpickles = keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False"
                if keyword.arg == "unsafe_allow_html" or unpickles:
                    found.append(f"line {node.lineno}: {keyword.arg}")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            found += [f"line {node.lineno}: {name}" for name in names if name.split(".")[0] in UNPACKS_CODE]
    return found


def foreign(text: str) -> list[str]:
    return [word for word in NOT_OURS if word in text]


def text_of(path: Path) -> str:
    """A file as text; "" for pictures and arrays."""
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@pytest.mark.parametrize("path", python_files(*APP), ids=str)
def test_no_text_becomes_code_or_markup(path: Path):
    assert dangers(text_of(path)) == []


@pytest.mark.parametrize("source", [
    "eval('1')", "exec(text)", "compile(a, b, 'exec')", "__import__(name)", "import pickle", "from pickle import loads",
    "st.markdown(text, unsafe_allow_html=True)", "np.load(file, allow_pickle=True)", "np.load(file, allow_pickle=flag)",
])  # fmt: skip
def test_each_way_for_text_to_become_code_is_found(source: str):
    assert dangers(source)


def test_a_script_of_ours_does_not_run_text_either():
    scripts = [path for path in project_files() if path.suffix == ".js"]
    assert [path for path in scripts if any(call in text_of(path) for call in ("eval(", "new Function", "document.write"))] == []


def test_no_file_names_a_path_or_a_package_host_of_one_machine():
    assert {path.as_posix(): words for path in project_files() if (words := foreign(text_of(path)))} == {}


def test_the_image_gets_every_folder_of_the_app_and_the_builder_is_sent_it():
    lines = (ROOT / "deploy/Containerfile").read_text(encoding="utf-8").splitlines()
    copied = {name for line in lines if line.startswith("COPY ") and "--from" not in line for name in line.split()[1:-1]}
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")}
    assert {*APP, "assets", ".streamlit"} <= copied
    assert copied - sent == set()


DECORATORS = {"cache", "lru_cache", "cache_data", "cache_resource"}
CODE = [path for path in python_files() if path.parts[0] not in ("tests", "benchmarks", "parity")]


def last_name(node: ast.expr) -> str:
    """The function's bare name: lru_cache for lru_cache, functools.lru_cache(maxsize=8) and st.lru_cache[...]."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def bound_of(function: ast.FunctionDef, decorator: ast.expr) -> str:
    """The decorator's limit ("4", "KEPT"), "one" for a function without arguments, else "fixed": a fixed set of keys."""
    arguments = decorator.keywords if isinstance(decorator, ast.Call) else []
    bounds = [ast.unparse(word.value) for word in arguments if word.arg in ("maxsize", "max_entries")]
    return bounds[0] if bounds else "fixed" if function.args.args or function.args.kwonlyargs else "one"


def caches_in(source: str) -> Iterator[tuple[str, str]]:
    """Name and limit of each cache. A BoundedCache always has one, ""."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield from ((node.name, bound_of(node, one)) for one in node.decorator_list if last_name(one) in DECORATORS)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
            yield from ((last_name(target), "") for call in calls if last_name(call) == "BoundedCache")


#: Caches without a bound whose keys no visitor chooses: our themes, faces, components, models and steps of the walk, and the
#: operator's folder.
FIXED = {"stops", "embedded", "_font", "component", "part", "row", "message_and_picture", "played_at", "_worker",
         "opened", "sheet"}  # fmt: skip


def test_every_cache_has_a_bound_or_a_fixed_set_of_keys():
    """Keys that a visitor can choose need a limit."""
    sources = [source for path in CODE if "cache" in (source := (ROOT / path).read_text(encoding="utf-8")).lower()]
    found = [cache for source in sources for cache in caches_in(source)]
    assert len(found) > 40
    assert [name for name, bound in found if bound == "None" or (bound == "fixed" and name not in FIXED)] == []


def test_what_the_large_caches_hold_is_bounded():
    """In MB of 2²⁰ bytes; a number of a layer takes four."""
    from components.widgets import previews, trace
    from headcount import cost, reading
    from headcount.keras.client import Limits

    layers = 4 * (trace.SMALL * trace.SMALL_KEPT + cost.MAX_NUMBERS * trace.KEPT)
    together = layers + previews.PICTURES.size + Limits().answer_bytes + reading.LAYERS.size
    assert together == 140 << 20


def test_the_largest_layer_that_is_computed_fits_among_keras_s_answers():
    """An answer that is not kept would be asked for again and again."""
    from headcount.cost import MAX_NUMBERS
    from headcount.keras.client import Limits

    assert Limits().answer_bytes >= 4 * MAX_NUMBERS
