"""Files that work without a server: an HTML page with every head count, and the numbers. Also a layer in a notebook: a trace's
own display, and the example notebook, run cell by cell."""

import ast
import base64
import html
import io
import json
import re
import zlib
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import plotly
import plotly.graph_objects as go
import pytest

from headcount import Config, Trace, make_params, run
from headcount.export.figure import Picture
from headcount.export.figures import FIGURES
from headcount.export.rendering import csv_of, file_of, npz_of, word
from headcount.export.request import Request, Unavailable, chosen, request_of
from headcount.export.style import Style
from headcount.models.entry import entries
from headcount.notebook import MAX_BYTES, show
from headcount.plots.recolour import in_theme
from headcount.stage.numbers import chart_count, of_chart, plain
from headcount.stage.pictures.published import matrices
from headcount.stage.theme import PRINT
from headcount.trained.sentence import DEFAULT_TEXT
from headcount.trained.store import manifest, report
from tests.layer.snippets import run_apart
from tests.sources import ROOT
from tests.stage.reading import frames_of, unpacked

CHARTS = [name for name, figure in FIGURES.items() if figure.draw(request_of({"head_off": 2})).is_chart]


def page(name: str, look: Style | None = None, **query) -> str:
    return file_of(FIGURES[name], request_of(query), look or Style(), "html").decode()


def table_of(name: str, ask) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(file_of(FIGURES[name], ask, Style(), "csv")))


def arrays_of(name: str, ask) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(file_of(FIGURES[name], ask, Style(), "npz")), allow_pickle=False) as held:
        return {key: held[key] for key in held}


def stops(text: str) -> list[int]:
    """The head counts of the slider."""
    return [int(key) for key in frames_of(text)]


def here(text: str) -> str:
    """The head count at which the slider stands."""
    return re.search(r"<output[^>]*>(\d+)</output>", text)[1]


def plan(text: str, heads: int) -> dict:
    return unpacked(frames_of(text)[f" {heads}"]["pictures"][0].encode("latin-1"))[0]


@pytest.mark.parametrize(("name", "query", "values"), [
    ("heads", {"d_model": 12, "num_heads": 3}, [1, 2, 3, 4]),
    ("head_switched_off", {"head_off": 3}, [4, 8, 16]),  # where there are 3 heads or more
    ("heads", {"d_model": 4096, "num_heads": 32}, [32]),  # a very large layer has only itself
])  # fmt: skip
def test_every_head_count_is_packed_in_that_is_a_layer_and_has_the_figure(name, query, values):
    text = page(name, **query)
    assert (stops(text), 'id="controls"' in text) == (values, len(values) > 1)


def test_the_slider_stands_at_the_layer_at_hand_and_has_the_scenes_of_the_others():
    text = page("heads", d_model=12, num_heads=3)
    assert here(text) == "3"
    assert stops(text) == [1, 2, 3, 4]
    assert plan(text, 2)["alt"].endswith("The chosen layer is the paper’s, with 2 heads.")


def test_words_change_with_the_slider_and_are_made_of_numbers():
    found = frames_of(page("attention", num_heads=2, mask="causal", numbers="seed"))
    assert found[" 8"]["texts"][0] == "<h1>8 heads have 8 maps of 13 × 13. Every row sums to 1</h1>"
    assert found[" 1"]["texts"][1].endswith("/attention?num_heads=1&amp;mask=causal&amp;numbers=seed</p>")
    bare = frames_of(page("heads", Style(title=False, caption=False, stamp=False)))
    assert {text for frame in bare.values() for text in frame["texts"]} == {""}


@pytest.mark.parametrize("name", ["attention", "results", "steps"])
def test_a_page_has_no_greys_of_print_where_it_has_no_bars_and_says_what_its_colours_say(name):
    assert page(name, Style(theme="print")) == page(name, Style())


def test_a_chart_has_a_figure_for_every_head_count_and_the_pages_plotly_which_uploads_nothing():
    """plotly.py names the version of its plotly.js, which by default has a button that uploads the figure."""
    text = page("time", d_model=12, num_heads=3)
    frames = frames_of(text)
    assert [frame["pictures"][0]["data"][-1]["x"] for frame in frames.values()] == [[h, h] for h in (1, 2, 3, 4)]
    program = zlib.decompress(base64.b64decode(re.search(r'const plotly = "([^"]+)"', text)[1])).decode()
    named = re.search(
        r"plotly\.js v([\d.]+)", (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text()[:400]
    )
    assert f"plotly.js v{named[1]}" in program[:200]
    assert 'modeBarButtonsToRemove: ["sendChartToCloud"]' in text
    assert 'plotlyServerURL: ""' in text


@pytest.mark.parametrize("name", CHARTS)
def test_a_charts_file_is_hardly_larger_than_plotly_and_says_what_it_shows_before_plotly_draws(name):
    text = page(name, head_off=2)
    assert len(text.encode()) < 2_300_000
    said = re.search(r"<figure[^>]*><p>(.*?)</p></figure>", text, re.S)[1]
    assert html.unescape(said) == plain(FIGURES[name].draw(request_of({"head_off": 2})).alt)


@pytest.mark.parametrize("name", FIGURES)
def test_a_file_asks_for_nothing_outside_itself(name):
    text = page(name, head_off=2)
    assert not re.search(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=|url\((?!data:)|@import|\bfetch\(|https?://", text)


def test_a_visitors_words_end_no_script_and_begin_no_tag():
    with pytest.raises(Unavailable, match="The sentence cannot be read"):
        page("divisors", tokens="</script><script>alert(1)</script> <b>")
    text = page("divisors", tokens="</script><script>alert(1)</script> <b>", numbers="seed")
    assert "<script>alert" not in text
    assert text.count("</script>") == page("divisors").count("</script>")


def test_print_has_the_light_colours_where_the_stage_draws():
    assert '"signed":["#004b51"' in page("heads", Style(theme="print"))
    assert '"signed":["#82e3dc"' in page("heads", Style(theme="dark"))


def test_npz_holds_the_numbers_of_the_layer_with_masked_weights_0_and_scores_minus_infinity():
    ask = request_of({"num_heads": 2, "d_model": 6, "mask": "causal", "query_len": 3, "key_len": 5, "head": 2})
    trace, arrays = run(ask.cfg), arrays_of("attention", ask)
    assert sorted(arrays) == ["meta", "weights_head1", "weights_head2"]
    np.testing.assert_array_equal(arrays["weights_head2"], trace.weights.values[0, 1])
    np.testing.assert_allclose(arrays["weights_head2"].sum(axis=1), 1, atol=1e-6)
    steps = arrays_of("steps", ask)
    assert np.isneginf(steps["masked"]).sum() == np.isneginf(trace.masked.values[0, 1]).sum() > 0
    np.testing.assert_array_equal(steps["masked"], trace.masked.values[0, 1])


def test_a_file_of_numbers_holds_whole_arrays_where_the_picture_has_not_a_cell_for_each():
    """512 wide with 8 heads of 64: the paper's base layer."""
    ask = request_of({"d_model": 512, "num_heads": 8, "query_len": 6, "key_len": 6})
    trace, arrays = run(ask.cfg), arrays_of("projections", ask)
    np.testing.assert_array_equal(arrays["w_q"], trace.params.w_q.values.reshape(512, 512))
    np.testing.assert_allclose(arrays["x_query"] @ arrays["w_q"] + arrays["b_q"], arrays["q"], atol=1e-4)


def test_a_csv_that_no_spreadsheet_opens_is_refused_and_named_npz():
    """1,024 · 1,024 weights and 1,024 biases, and 13 · 1,024 numbers of X and of Q."""
    ask = request_of({"d_model": 1024, "num_heads": 8})
    with pytest.raises(Unavailable, match="A CSV of 1,076,224 numbers has too many rows"):
        file_of(FIGURES["projections"], ask, Style(), "csv")
    assert file_of(FIGURES["projections"], ask, Style(), "npz")


@pytest.mark.parametrize("kind", ["csv", "npz"])
def test_a_picture_of_a_layer_too_large_to_compute_has_no_file_of_numbers_and_says_so(kind):
    with pytest.raises(Unavailable, match="is outlines, without numbers to save"):
        file_of(FIGURES["heads"], request_of({"d_model": 4096, "num_heads": 32}), Style(), kind)


@pytest.mark.parametrize("query", [{"d_model": 15, "num_heads": 3}, {"d_model": 330, "num_heads": 11}], ids=str)
def test_the_start_pages_file_holds_the_kernel_of_the_layer_at_hand_where_the_picture_has_more_or_none(query):
    """Keras's card with most heads is wider, and a layer wider than 64 is drawn as outlines."""
    ask = request_of(query)
    np.testing.assert_array_equal(arrays_of("heads", ask)["w_q"], ask.trace()["w_q"].values.reshape(ask.cfg.d_model, -1))


@pytest.mark.parametrize("name", ["attention", "steps", "concatenation"])
def test_the_facts_are_those_of_the_layer_that_is_drawn(name):
    arrays = arrays_of(name, request_of({}))
    about = json.loads(str(arrays["meta"]))
    shape = next(values.shape for key, values in arrays.items() if key in ("weights", "weights_head1", "output"))
    assert about["query_len"] == shape[0] == len(about["words"])
    assert (about["mask"], about["numbers"], " ".join(about["words"])) == ("none", "trained", DEFAULT_TEXT)
    assert "seed" not in about
    seeded = json.loads(file_of(FIGURES[name], request_of({"numbers": "seed", "seed": 5, "query_len": 6}), Style(), "json"))
    assert (seeded["query_len"], seeded["mask"], seeded["numbers"], seeded["seed"]) == (6, "none", "random weights, seed 5", 5)


def test_npz_of_a_chart_has_its_series_by_name():
    arrays = arrays_of("time", request_of({}))
    assert arrays["parameters"].tolist() == [1_048_576] * 8
    assert arrays["heads"].tolist() == [1, 2, 4, 8, 16, 32, 64, 128]


def test_a_file_of_numbers_says_which_layer_they_are_of():
    ask = request_of({"d_model": 21, "num_heads": 3, "query_len": 5, "seed": 7})
    about = json.loads(str(arrays_of("steps", ask)["meta"]))
    beside = json.loads(file_of(FIGURES["steps"], ask, Style(base="https://example.org"), "json"))
    assert (about["figure"], about["d_model"], about["key_dim"], about["use_bias"]) == ("steps", 21, 7, True)
    assert beside == about | {"link": "https://example.org/attention?d_model=21&num_heads=3&query_len=5&seed=7"}


def test_a_row_of_the_csv_says_which_matrix_head_row_and_column():
    """W_V has 5 columns for each of 3 heads, so column 9 of the whole is head 2's fourth."""
    sizes = {"d_model": 13, "num_heads": 3, "key_dim": 2, "value_dim": 5, "query_len": 7, "key_len": 11}
    ask = request_of({"split": "free", "kernel": "w_v", **sizes})
    found = table_of("projections", ask)
    cell = found[(found["matrix"] == "W_V") & (found["row"] == 4) & (found["column"] == 9)]
    assert cell["head"].tolist() == [2]
    assert cell["value"].tolist() == pytest.approx([run(ask.cfg).params.w_v.values[3, 1, 3]])
    assert found[found["matrix"] == "X"]["head"].isna().all()


def test_a_matrix_that_is_drawn_transposed_is_saved_as_it_is():
    """K has a row for each key, so Q times K transposed is the file's array of scores."""
    ask = request_of({"d_model": 15, "num_heads": 3, "query_len": 7, "key_len": 11, "head": 2})
    arrays = arrays_of("steps", ask)
    np.testing.assert_array_equal(arrays["k"], run(ask.cfg).k.values[0, :, 1])
    np.testing.assert_allclose(arrays["q"] @ arrays["k"].T, arrays["scores"], atol=1e-5)
    found = table_of("steps", ask)
    assert found[found["matrix"] == "K"][["row", "column"]].max().tolist() == [11, 5]


def test_words_stand_beside_the_rows_and_columns_that_they_name():
    sizes = {"numbers": "seed", "num_heads": 2, "query_len": 3, "key_len": 3}
    found = table_of("attention", request_of({**sizes, "tokens": "we, see it", "numbers": "seed"}))
    row = found[(found["head"] == 2) & (found["row"] == 1) & (found["column"] == 3)].iloc[0]
    assert (row["row_name"], row["column_name"]) == ("we,", "it")


def test_an_array_has_a_name_that_a_program_can_use():
    assert [word(text) for text in ("weights/3", "÷ √d_k (the layer)", "÷ 1", "")] == [
        "weights_head4", "divided_by_sqrt_d_k_the_layer", "divided_by_1", "series",
    ]  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_an_array_says_whose_numbers_it_holds_and_a_csv_is_one_table_with_a_row_for_each(name):
    """No name comes from a trace's place, programs can read each name, and no missing number is a word."""
    ask = request_of({"head_off": 1})
    arrays = arrays_of(name, ask)
    assert [key for key in arrays if not key.isidentifier() or key.startswith("trace_") or not arrays[key].size] == []
    assert not any("None" in arrays[key] for key in arrays if arrays[key].dtype.kind == "U")
    text = file_of(FIGURES[name], ask, Style(), "csv").decode()
    assert "None" not in text
    found = pd.read_csv(io.StringIO(text))
    assert len(found) >= 3
    assert not any(head in ("matrix 1", "places", "values") or head.startswith("Unnamed") for head in found.columns)
    if FIGURES[name].draw(ask).is_scene:
        assert list(found.columns[:5]) == ["matrix", "head", "row", "column", "value"]
        assert not found.duplicated(["matrix", "head", "row", "column"]).any(), "no number stands there twice"


def test_a_published_models_numbers_are_its_sizes_and_not_places_on_paper():
    """Llama 3 8B by its config.json: 32 heads of 128 over 8 key/value heads, 4,096 wide."""
    ask = request_of({"model": "Llama-3-8B"})
    attention = entries()["Llama-3-8B"].model.attention
    table = matrices.table([matrices.Module("", "", 0, "", matrices.lines_of(attention))])
    found = (dict(zip(table.heads, row, strict=True)) for row in table.rows)
    assert [tuple(row[key] for key in ("matrix", "rows", "columns", "parameters", "cut into")) for row in found] == [
        ("W_Q", 4096, 4096, 4096 * 4096, 32), ("W_K", 4096, 1024, 4096 * 1024, 8), ("W_V", 4096, 1024, 4096 * 1024, 8),
        ("W_O", 4096, 4096, 4096 * 4096, 32),
    ]  # fmt: skip
    shared = table_of("published_sharing", ask)
    assert list(shared.columns) == ["query head", "key/value head"]
    assert shared.iloc[[0, -1]].to_numpy().tolist() == [[1, 1], [32, 8]]
    widths = table_of("published_widths", ask).set_index("model").loc["Llama-3-8B"]
    assert (widths["heads × key size"], widths["width"], widths["key size"]) == (4096, 4096, 128)


def test_a_trace_of_another_type_is_read_from_the_tables_that_its_figure_has_attached():
    """A pie chart has neither x and y nor z. Every reader of a chart takes its table, and print its colours as greys."""
    table = {"title": "Parts", "heads": ("part", "parameters"), "rows": [("W_Q", 256), ("W_O", 272)]}
    circle = {"type": "pie", "labels": ["W_Q", "W_O"], "values": [256, 272], "marker": {"colors": ["#d07a1a", "#3f74d8"]}}
    figure = {"data": [circle], "layout": {"height": 300, "meta": {"tables": [table, table | {"title": "Parts again"}]}}}
    picture = Picture(figure, "Parts", "A circle.")
    assert [(found.title, found.rows[1]) for found in of_chart(figure)] == [
        ("Parts", ("W_O", 272)),
        ("Parts again", ("W_O", 272)),
    ]
    assert chart_count(figure) == 4
    assert csv_of(picture).decode().splitlines() == ["part,parameters", "W_Q,256", "W_O,272"]
    arrays = np.load(io.BytesIO(npz_of(picture, {})))
    assert {name: arrays[name].tolist() for name in arrays if name != "meta"} == {
        "part": ["W_Q", "W_O"],
        "parameters": [256, 272],
    }
    assert in_theme(figure, PRINT, "serif")["data"][0]["marker"]["colors"] == ["#898989", "#707070"], (
        "0.299 · 208 + 0.587 · 122 + 0.114 · 26 = 137"
    )


def test_right_answers_come_with_the_least_and_the_most_of_all_seeds():
    """A row for each stop and question has the parameters there."""
    runs = np.array([run["accuracy"][1] for run in report("sentence")["runs"]["sentence-16"]])
    shown = manifest("sentence")["networks"]["sentence-16"]["accuracy"][1]
    found = table_of("right_answers", request_of({"slider": "num_heads"}))
    (row,) = found[(found["question"] == "whom") & (found["number of heads"] == 16)].to_dict("records")
    assert row == {"number of heads": 16, "parameters": 1088, "question": "whom", "right answers": shown, "trained": 10,
                   "least": runs.min(), "most": runs.max()}  # fmt: skip


NOTEBOOK = ROOT / "notebooks" / "layer.ipynb"
ODD = Config(d_model=14, num_heads=7, query_len=3, key_len=5)


def framed(html: str) -> str:
    """The page inside the frame."""
    return unescape(re.fullmatch(r'<iframe title="[^"]+" style="[^"]+" srcdoc="([^"]*)"></iframe>', html)[1])


def own(cfg: Config) -> Trace:
    """A trace with weights that no seed draws."""
    drawn = make_params(cfg)
    return run(cfg, params=replace(drawn, w_q=replace(drawn.w_q, values=drawn.w_q.values * np.float32(3))))


def test_a_trace_shows_its_heads_with_a_slider_and_asks_for_nothing():
    text = framed(run(ODD)._repr_html_())
    assert stops(text) == [1, 2, 7]
    assert ", 7 heads 840 and" in plan(text, 7)["alt"], "by hand: 4 · 14 · 14 weights and 4 · 14 biases"
    assert not re.search(r"""(src|href)=["']?https?:""", text)
    assert len(text) < MAX_BYTES


def test_numbers_of_ones_own_are_shown_and_no_slider_leads_to_others():
    text = framed(show(own(ODD), "steps", head=7).html)
    assert stops(text) == [7]
    ask = Request(ODD, True, chosen({"head": 7, "numbers": "seed"}), given=own(ODD))
    drawn = FIGURES["steps"].draw(ask).scene
    np.testing.assert_array_equal(drawn.grids["scores"].values, own(ODD).scores.values[0, 6])
    assert not np.allclose(drawn.grids["scores"].values, run(ODD).scores.values[0, 6])
    assert plan(text, 7)["alt"] == drawn.alt


def test_weights_of_ones_own_are_not_called_random():
    ask = Request(ODD, True, chosen({"numbers": "seed"}), given=own(ODD))
    assert FIGURES["steps"].draw(ask).caption.endswith("The numbers are those of the given layer.")
    ask = Request(ODD, True, chosen({"numbers": "seed"}), given=run(ODD))
    assert FIGURES["steps"].draw(ask).caption.endswith("The numbers come from random weights (seed 0), not from training.")


@pytest.mark.parametrize("name", [name for name, figure in FIGURES.items() if figure.of_layer])
def test_any_figure_of_a_layer_is_shown_even_where_there_is_no_browser(name, monkeypatch, tmp_path):
    """Without a browser, a chart is as large as the program that shows it makes it."""
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    html = show(Config(query_len=13) if name in ("why_several", "right_answers") else Config(d_model=6, num_heads=3), name).html
    assert html.startswith("<iframe title=")
    assert len(html) < 1.5 * MAX_BYTES or "data-kind=&quot;chart&quot;" in html


def test_what_there_is_not_is_said():
    with pytest.raises(ValueError, match="there is no figure 'hedas' among heads, "):
        show(ODD, "hedas")
    with pytest.raises(ValueError, match="heads takes no options, got head"):
        show(ODD, "heads", head=3)
    with pytest.raises(ValueError, match="theme must be light, dark or print, got 'pink'"):
        show(ODD, theme="pink")


def test_the_example_notebook_runs_and_each_cell_shows_something(tmp_path):
    """As in Jupyter, each cell's last line is shown if it is an expression."""
    program = [f"import os, sys\nsys.path.insert(0, os.getcwd())\nos.chdir({str(tmp_path)!r})"]  # where it saves a file
    program += ["def _shown(value):\n    print((getattr(value, '_repr_html_', value.__repr__)() or '')[:60].replace('\\n', ' '))"]
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "the file stays small: outputs come when it is run"
            *before, last = ast.parse("".join(cell["source"])).body
            program += [ast.unparse(line) for line in before] + [f"_shown({ast.unparse(last)})"]
    layer, steps, maps, weights, read_back, counts, own, number = run_apart("\n".join(program)).splitlines()
    assert {line[:14] for line in (layer, steps, maps, own)} == {"<iframe title="}
    assert weights.startswith("((1, 4, 13, 13), ")
    assert read_back == "True"
    assert counts.startswith("(1088, [(")
    assert 0 < float(re.search(r"[\d.]+", number.replace("np.float32", ""))[0]) <= 1


@pytest.mark.parametrize(
    ("name", "matrices"), [("attention", 7), ("projections", 3), ("kernels", 3), ("results", 7), ("concatenation", 8)]
)
def test_a_trace_gives_its_heatmaps_as_plotly_knows_them(name: str, matrices: int):
    """7 maps; Q, K, V; W_Q, W_K, W_V; 7 times Z; 7 contributions and the output."""
    figure = run(ODD).figure(name)
    assert isinstance(figure, go.Figure)
    assert [one.type for one in figure.data] == ["heatmap"] * matrices
    assert figure.layout.annotations[-1].text == "The numbers come from random weights (seed 0), not from training."
    assert own(ODD).figure(name).layout.annotations[-1].text == "The numbers are those of the given layer."
    saved = own(ODD).figure(name)._repr_html_()
    assert saved.startswith("<iframe title="), "what a notebook keeps that is saved as HTML"
    assert "The numbers are those of the given layer." in saved


def test_a_name_of_no_heatmaps_is_refused():
    with pytest.raises(ValueError, match="figure must be attention, projections, kernels, results, concatenation, got 'maps'"):
        run(ODD).figure("maps")
