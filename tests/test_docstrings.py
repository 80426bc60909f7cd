"""A docstring stands by itself: an editor shows one at a time."""

import ast
import re
from pathlib import Path

import pytest

from tests.sources import ROOT, python_files

OPENINGS = r"(Above|Also|And|As|Before|Below|But|By|For|From|In|Its|Of|Or|So|The same|Their|Those|Until|Up|With|Without)\b"
FILES = python_files("benchmarks", "components", "deploy", "lessons", "mha", "training")


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_docstring_does_not_begin_in_the_middle_of_a_sentence(path: Path):
    documented = (ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef, ast.Module)
    nodes = (node for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))) if isinstance(node, documented))
    said = [text for node in nodes if (text := ast.get_docstring(node))]
    assert [text for text in said if re.match(OPENINGS, text)] == []
