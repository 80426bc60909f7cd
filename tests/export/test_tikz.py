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
    root = ET.fromstring(sheet_of(FIGURES[name], request_of({"num_heads": 2, "head_off": 2}), LOOK).svg)
    text = tex(name, num_heads=2, head_off=2)
    assert len(re.findall(r"\) rectangle \(", text)) == len(list(root.iter(f"{SVG}rect"))) + 1, "one is the picture's outline"
    assert text.count(r"\node[") == len(list(root.iter(f"{SVG}text")))
    shapes = sum(1 for kind in ("rect", "path", "circle") for _ in root.iter(f"{SVG}{kind}"))
    assert text.count(r"\path[") - 1 == shapes


@pytest.mark.parametrize("name", DRAWN)
def test_braces_are_balanced_and_all_letters_are_ones_that_every_latex_has(name):
    text = tex(name, num_heads=2, mask="causal", head_off=2)
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


@pytest.mark.parametrize(("name", "sizes"), [("steps", {"query_len": 64, "key_len": 64}), ("attention", {})])
def test_a_figure_of_pictures_and_a_chart_have_none_and_say_so(name, sizes):
    with pytest.raises(Unavailable, match="TikZ is there for figures of shapes and words: not for Plotly's charts"):
        tex(name, numbers="seed", **sizes)


def test_latex_compiles_every_figure_as_wide_as_it_was_asked_for(tmp_path):
    """77 mm are 77 / 25.4 · 72.27 = 219.09 of TeX's points. Wider, a figure would stand beside its place in the column."""
    latex = shutil.which("pdflatex") or shutil.which("lualatex")
    if latex is None:
        pytest.skip("no LaTeX is installed here")
    lines = [r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{tikz}\begin{document}"]
    for name in DRAWN:
        (tmp_path / f"{name}.tex").write_text(tex(name, num_heads=2, head_off=2))
        lines.append(rf"\setbox0=\hbox{{\input{{{name}}}\unskip}}\typeout{{WIDE {name}=\the\wd0}}\noindent\box0\newpage")
    (tmp_path / "page.tex").write_text("\n".join([*lines, r"\end{document}"]))
    command = [latex, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in done.stdout
    wide = {name: float(points) for name, points in re.findall(r"WIDE (\w+)=([\d.]+)pt", done.stdout)}
    assert wide == {name: pytest.approx(219.09, abs=0.1) for name in DRAWN}
