"""A figure as TikZ: what the sheet draws is there, no word of a visitor is a command, and LaTeX takes it where there is one."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

from components.export.figures import FIGURES
from components.export.look import Look
from components.export.rendering import file_of, sheet_of
from components.export.request import Unavailable, request_of
from tests.export.test_sheet import SCENES, SVG

DRAWN = [*SCENES, "block_diagram", "cuts_schematic"]
LOOK = Look(size="paper", width_mm=77, type_pt=8)
HOSTILE = r"\input{/etc/passwd} $x$ %50 a_b #1 & ^^41"


def tex(name: str, **query) -> str:
    return file_of(FIGURES[name], request_of(query), LOOK, "tex").decode()


@pytest.mark.parametrize("name", DRAWN)
def test_every_rectangle_path_and_word_of_the_sheet_is_in_the_file(name):
    root = ET.fromstring(sheet_of(FIGURES[name], request_of({"num_heads": 2}), LOOK).svg)
    text = tex(name, num_heads=2)
    assert len(re.findall(r"\) rectangle \(", text)) == len(list(root.iter(f"{SVG}rect"))) + 1, "one is the picture's outline"
    assert text.count(r"\node[") == len(list(root.iter(f"{SVG}text")))
    shapes = sum(1 for kind in ("rect", "path") for _ in root.iter(f"{SVG}{kind}"))
    assert text.count(r"\path[") - 1 == shapes


@pytest.mark.parametrize("name", DRAWN)
def test_braces_are_balanced_and_all_letters_are_ones_that_every_latex_has(name):
    text = tex(name, num_heads=2, mask="causal")
    depth = 0
    for sign in re.sub(r"\\[{}]", "", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert [letter for letter in body if not letter.isascii()] == []


def test_what_a_visitor_types_is_no_command():
    text = tex("steps", numbers="seed", tokens=HOSTILE)
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert r"\input" not in body
    assert r"\textbackslash{}input\{" in body
    assert r"\%50" in body


MANY_CELLS = {"d_model": 64, "num_heads": 64, "query_len": 32, "key_len": 32}


@pytest.mark.parametrize(("name", "query"), [("parameters", {}), ("attention", MANY_CELLS)])
def test_a_chart_and_a_figure_of_pictures_have_none_and_say_so(name, query):
    with pytest.raises(Unavailable, match="TikZ is there for figures of rectangles and words"):
        tex(name, numbers="seed", **query)


@pytest.mark.parametrize("name", DRAWN)
def test_latex_compiles_it(name, tmp_path):
    latex = shutil.which("pdflatex") or shutil.which("lualatex")
    if latex is None:
        pytest.skip("no LaTeX is installed here")
    (tmp_path / "figure.tex").write_text(tex(name, num_heads=2))
    page = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{tikz}\begin{document}\input{figure}\end{document}"
    (tmp_path / "page.tex").write_text(page)
    command = [latex, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
