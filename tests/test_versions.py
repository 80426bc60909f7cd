"""The app asks Streamlit for no version: every page is drawn under one that does not exist yet."""

import ast
import subprocess
import sys

import pytest

from components.menu import ENTRIES
from tests.sources import ROOT, python_files

SCRIPT = """
import sys
import streamlit
streamlit.__version__ = "1.99.0"
from streamlit.testing.v1 import AppTest
from components.menu import ENTRIES
from tests.older import forget
for entry in ENTRIES.values():
    forget()
    at = AppTest.from_file("app.py", default_timeout=120)
    at.switch_page(entry.file)
    at.run()
    assert [error.message for error in at.exception] == [], entry.file
    assert len(at.title) == 1, entry.file
    print(entry.file)
"""


def test_every_page_is_drawn_under_a_version_that_is_made_up():
    said = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert said.returncode == 0, said.stderr[-2000:]
    assert said.stdout.split() == [entry.file for entry in ENTRIES.values()]


@pytest.mark.parametrize("path", python_files("app.py", "components", "pages"), ids=str)
def test_no_file_of_the_app_branches_on_a_version(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    tests = [node.test for node in ast.walk(tree) if isinstance(node, ast.If | ast.IfExp | ast.While)]
    assert [one for one in tests if "st.__version__" in ast.unparse(one)] == []
