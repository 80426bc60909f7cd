"""A layer in a notebook: what a trace shows of itself, and the example notebook, run cell by cell."""

import ast
import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import plotly.graph_objects as go
import pytest

from components.export.figures import FIGURES
from components.export.request import Request, chosen
from components.notebook import MAX_BYTES, show
from mha import Config, Trace, make_params, run
from tests.export.test_offline_and_data import plan, stops
from tests.mha.snippets import run_apart
from tests.sources import ROOT

NOTEBOOK = ROOT / "notebooks" / "layer.ipynb"
ODD = Config(d_model=14, num_heads=7, query_len=3, key_len=5)


def page(html: str) -> str:
    """The page inside the frame."""
    return unescape(re.fullmatch(r'<iframe title="[^"]+" style="[^"]+" srcdoc="([^"]*)"></iframe>', html)[1])


def own(cfg: Config) -> Trace:
    """Of weights that no seed draws."""
    drawn = make_params(cfg)
    return run(cfg, params=replace(drawn, w_q=replace(drawn.w_q, values=drawn.w_q.values * np.float32(3))))


def test_a_trace_shows_its_heads_with_a_slider_and_asks_for_nothing():
    text = page(run(ODD)._repr_html_())
    assert [stop["value"] for stop in stops(text)] == [1, 2, 7]
    assert "7 heads: 840 parameters" in plan(text)["alt"], "by hand: 4 · 14 · 14 weights and 4 · 14 biases"
    assert not re.search(r"""(src|href)=["']?https?:""", text)
    assert len(text) < MAX_BYTES


def test_numbers_of_ones_own_are_shown_and_no_slider_leads_to_others():
    text = page(show(own(ODD), "steps", head=7).html)
    assert [stop["value"] for stop in stops(text)] == [7]
    ask = Request(ODD, True, chosen({"head": 7, "numbers": "seed"}), given=own(ODD))
    drawn = FIGURES["steps"].draw(ask).scene
    np.testing.assert_array_equal(drawn.grids["scores"].values, own(ODD).scores.values[0, 6])
    assert not np.allclose(drawn.grids["scores"].values, run(ODD).scores.values[0, 6])
    assert plan(text)["alt"] == drawn.alt


def test_weights_of_ones_own_are_not_called_random():
    ask = Request(ODD, True, chosen({"numbers": "seed"}), given=own(ODD))
    assert FIGURES["steps"].draw(ask).caption.endswith("Numbers: those of the layer that was given.")
    ask = Request(ODD, True, chosen({"numbers": "seed"}), given=run(ODD))
    assert FIGURES["steps"].draw(ask).caption.endswith("Numbers: random weights (seed 0), nothing is learned.")


@pytest.mark.parametrize("name", [name for name, figure in FIGURES.items() if figure.of_layer])
def test_any_figure_of_a_layer_is_shown_even_where_there_is_no_browser(name, monkeypatch, tmp_path):
    """A chart is then as large as the program that draws it."""
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    html = show(Config(d_model=6, num_heads=3), name).html
    assert html.startswith("<iframe title=")
    assert len(html) < 1.5 * MAX_BYTES or "Plotly.react" in html


def test_what_there_is_not_is_said():
    with pytest.raises(ValueError, match="figure must be heads or "):
        show(ODD, "hedas")
    with pytest.raises(ValueError, match="heads takes no options, got head"):
        show(ODD, "heads", head=3)
    with pytest.raises(ValueError, match="theme must be light or dark or print, got 'pink'"):
        show(ODD, theme="pink")


def test_the_example_notebook_runs_and_each_cell_shows_something(tmp_path):
    """As Jupyter does: each cell's last line, if it is an expression, is shown."""
    program = ["def _shown(value):\n    print((getattr(value, '_repr_html_', value.__repr__)() or '')[:60].replace('\\n', ' '))"]
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "the file stays small: outputs come when it is run"
            *before, last = ast.parse("".join(cell["source"])).body
            program += [ast.unparse(line) for line in before] + [f"_shown({ast.unparse(last)})"]
    *figures, number = run_apart("\n".join(program)).splitlines()
    assert [line[:14] for line in figures] == ["<iframe title="] * 4
    assert 0 < float(re.search(r"[\d.]+", number.replace("np.float32", ""))[0]) <= 1


@pytest.mark.parametrize(
    ("name", "matrices"), [("attention", 7), ("projections", 3), ("kernels", 3), ("results", 7), ("concatenation", 8)]
)
def test_a_trace_gives_its_heatmaps_as_plotly_knows_them(name: str, matrices: int):
    """7 maps; Q, K, V; W_Q, W_K, W_V; 7 times Z; 7 shares and the output."""
    figure = run(ODD).figure(name)
    assert isinstance(figure, go.Figure)
    assert [one.type for one in figure.data] == ["heatmap"] * matrices
    assert figure.layout.annotations[-1].text == "Numbers: random weights (seed 0), nothing is learned."
    assert own(ODD).figure(name).layout.annotations[-1].text == "Numbers: those of the layer that was given."
    saved = own(ODD).figure(name)._repr_html_()
    assert saved.startswith("<iframe title="), "what a notebook keeps that is saved as HTML"
    assert "Numbers: those of the layer that was given." in saved


def test_a_name_of_no_heatmaps_is_refused():
    with pytest.raises(ValueError, match="figure must be attention, projections, kernels, results, concatenation, got 'maps'"):
        run(ODD).figure("maps")
