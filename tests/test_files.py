"""What no file of the project may hold: text run as code, raw HTML, the paths of one machine, and a docstring that begins in the
middle of a sentence, for an editor shows one at a time."""

import ast
import re
from pathlib import Path

import pytest

from tests.sources import ROOT, project_files, python_files

APP = ("app.py", "components", "lessons", "mha", "pages")
RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
UNPACKS_CODE = {"pickle", "marshal", "shelve", "dill", "joblib"}
# With a space in each, so that this file does not find itself.
SPACED = ("/wo rk/", "/tmp /v311", "py pi.org", "python hosted.org", "npm js.org", "deb .debian", "index -url")
NOT_OURS = tuple(word.replace(" ", "") for word in SPACED)


def dangers(source: str) -> list[str]:
    """Ways in which text from outside could become code or markup, one per finding."""
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
    "eval('1')",
    "exec(text)",
    "compile(a, b, 'exec')",
    "__import__(name)",
    "import pickle",
    "from pickle import loads",
    "st.markdown(text, unsafe_allow_html=True)",
    "np.load(file, allow_pickle=True)",
    "np.load(file, allow_pickle=flag)",
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


OPENINGS = r"(Above|Also|And|As|Before|Below|But|By|For|From|In|Its|Of|Or|So|The same|Their|Those|Until|Up|With|Without)\b"


@pytest.mark.parametrize("path", python_files("benchmarks", "components", "deploy", "lessons", "mha", "training"), ids=str)
def test_a_docstring_does_not_begin_in_the_middle_of_a_sentence(path: Path):
    documented = (ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef, ast.Module)
    nodes = (node for node in ast.walk(ast.parse(text_of(path))) if isinstance(node, documented))
    said = [text for node in nodes if (text := ast.get_docstring(node))]
    assert [text for text in said if re.match(OPENINGS, text)] == []
