"""Files that work without a server: one page with every head count in it, and the numbers."""

import base64
import csv
import io
import json
import re
import struct
from pathlib import Path
from statistics import stdev

import numpy as np
import plotly
import pytest

from components.export.figures import FIGURES
from components.export.look import Look
from components.export.rendering import csv_of, file_of, npz_of, word
from components.export.request import request_of
from mha import run
from mha.settings import NUMBERS

PLOTLY = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def page(name: str, look: Look | None = None, **query) -> str:
    return file_of(FIGURES[name], request_of(query), look or Look(), "html").decode()


def stops(text: str) -> list[dict]:
    return json.loads(re.search(r"const stops = \((\[.*?\])\); // one for", text)[1])


def plan(text: str) -> dict:
    data = base64.b64decode(re.search(r'atob\("([^"]+)"\)', text)[1])
    return json.loads(data[4:4 + struct.unpack("<I", data[:4])[0]])


def test_every_head_count_that_is_a_layer_is_packed_in():
    text = page("heads", d_model=12, num_heads=3)
    assert [stop["value"] for stop in stops(text)] == [1, 2, 3, 4]
    assert [stop["here"] for stop in stops(text)] == [False, False, True, False]
    assert list(plan(text)["slider"]["scenes"]) == ["1", "2", "4"]
    assert plan(text)["slider"]["scenes"]["2"]["alt"].endswith("Chosen: 2 heads.")


def test_words_change_with_the_slider_and_are_made_of_numbers():
    found = {stop["value"]: stop for stop in stops(page("attention", num_heads=2, mask="causal", numbers="seed"))}
    assert found[8]["title"] == "8 heads, 8 maps of 6 × 6: every row sums to 1"
    assert found[1]["stamp"].endswith("/attention?num_heads=1&mask=causal&numbers=seed")
    assert {stop["caption"] for stop in stops(page("heads", Look(caption=False)))} == {""}


def test_a_chart_has_a_figure_for_every_head_count_and_plotly_inside():
    text = page("parameters", d_model=12, num_heads=3)
    figures = json.loads(re.search(r"const figures = \((\[.*\])\), chart = ", text)[1])
    assert len(figures) == len(stops(text)) == 4
    assert [figure["data"][-1]["x"] for figure in figures] == [[1], [2], [3], [4]]
    assert "plotly.js v" in text


def test_a_chart_offers_no_upload():
    """Plotly's own default is a button "Share chart..." that sends the figure to cloud.plotly.com."""
    ours = page("parameters").replace(PLOTLY, "")
    assert 'modeBarButtonsToRemove: ["sendChartToCloud"]' in ours
    assert 'plotlyServerURL: ""' in ours


@pytest.mark.parametrize("name", FIGURES)
def test_a_file_asks_for_nothing_outside_itself(name):
    text = page(name, head_off=2)
    ours = text.replace(PLOTLY, "")
    assert not re.search(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=|url\((?!data:)|@import|\bfetch\(|https?://", ours)


def test_a_visitors_words_end_no_script_and_begin_no_tag():
    for numbers in NUMBERS.choices:
        text = page("divisors", tokens="</script><script>alert(1)</script> <b>", numbers=numbers)
        assert "<script>alert" not in text
        assert text.count("</script>") == page("divisors").count("</script>")


def test_a_figure_that_only_some_head_counts_have_leaves_the_others_out():
    """Head 3 can be switched off where there are 3 heads or more: 4, 8 and 16."""
    assert [stop["value"] for stop in stops(page("head_switched_off", head_off=3))] == [4, 8, 16]


def test_print_has_the_light_colours_where_the_stage_draws():
    assert '"signed":["#004b51"' in page("heads", Look(theme="print"))
    assert '"signed":["#82e3dc"' in page("heads", Look(theme="dark"))


def test_a_very_large_layer_has_only_itself():
    assert [stop["value"] for stop in stops(page("heads", d_model=4096, num_heads=32))] == [32]


def test_npz_holds_the_numbers_of_the_layer():
    ask = request_of({"num_heads": 2, "d_model": 6, "mask": "causal", "query_len": 3, "key_len": 5})
    trace = run(ask.cfg)
    with np.load(io.BytesIO(npz_of(FIGURES["attention"].draw(ask)))) as arrays:
        assert sorted(arrays) == ["weights_0", "weights_1"]
        allowed = np.isfinite(trace.masked.values[0, 1])
        assert np.isnan(arrays["weights_1"]).sum() == (~allowed).sum() > 0
        np.testing.assert_array_equal(arrays["weights_1"][allowed], trace.weights.values[0, 1][allowed])


def test_npz_of_means_says_of_how_many():
    with np.load(io.BytesIO(npz_of(FIGURES["projections"].draw(request_of({"d_model": 96, "num_heads": 3}))))) as arrays:
        assert int(arrays["w_q__mean_of"]) == 2
        assert arrays["w_q"].shape == (48, 48)


def test_npz_of_a_chart_has_its_series_by_name():
    with np.load(io.BytesIO(npz_of(FIGURES["parameters"].draw(request_of({}))))) as arrays:
        assert arrays["paper_d_k_d_model_h__y"].tolist() == [1088] * 5
        assert arrays["paper_d_k_d_model_h__x"].tolist() == [1, 2, 4, 8, 16]


@pytest.mark.parametrize("name", FIGURES)
def test_csv_reads_as_a_table_and_npz_without_objects(name):
    ask = request_of({"head_off": 1})
    rows = list(csv.reader(io.StringIO(csv_of(FIGURES[name].draw(ask)).decode())))
    assert len(rows) > 4
    with np.load(io.BytesIO(npz_of(FIGURES[name].draw(ask))), allow_pickle=False) as arrays:
        assert all(arrays[key].size for key in arrays)


def test_an_array_has_a_name_that_a_program_can_use():
    assert [word(text) for text in ("weights/3", "÷ √d_k (the layer)", "÷ 1", "")] == [
        "weights_3", "divided_by_sqrt_d_k_the_layer", "divided_by_1", "series",
    ]  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_an_array_says_whose_numbers_it_holds(name):
    """No name made of a trace's place, none that a program cannot write; no place on paper, and no missing number as a word."""
    with np.load(io.BytesIO(npz_of(FIGURES[name].draw(request_of({"head_off": 1}))))) as arrays:
        assert [key for key in arrays if not key.isidentifier() or key.startswith("trace_")] == []
        assert not any("None" in arrays[key] for key in arrays if arrays[key].dtype.kind == "U")
    tables = csv_of(FIGURES[name].draw(request_of({"head_off": 1}))).decode()
    assert "None" not in tables
    assert not re.search(r"^Matrix \d|values by places", tables, re.M)


def test_a_published_models_numbers_are_its_sizes_and_not_places_on_paper():
    """Llama 3 8B: 32 heads of 128 over 8 key/value heads, 4,096 wide, from its config.json."""
    ask = request_of({"model": "Llama-3-8B"})
    with np.load(io.BytesIO(npz_of(FIGURES["published_matrices"].draw(ask)))) as arrays:
        found = zip(*(arrays[key].tolist() for key in ("matrix", "rows", "columns", "parameters", "cut_into")), strict=True)
        assert list(found) == [
            ("W_Q", 4096, 4096, 4096 * 4096, 32), ("W_K", 4096, 1024, 4096 * 1024, 8), ("W_V", 4096, 1024, 4096 * 1024, 8),
            ("W_O", 4096, 4096, 4096 * 4096, 32),
        ]  # fmt: skip
    lines = csv_of(FIGURES["published_sharing"].draw(ask)).decode().splitlines()
    assert lines[:3] == ["Who shares keys and values", "query head,key/value head", "1,1"]
    assert lines[-1] == "32,8"
    assert len(lines) == 2 + 32


def test_right_answers_come_with_their_deviation():
    """The sample's, as Python's statistics has it; the number of heads is a number."""
    picture = FIGURES["right_answers"].draw(request_of({}))
    with np.load(io.BytesIO(npz_of(picture))) as arrays:
        heads, seeds = arrays["each_seed__x"], arrays["each_seed__y"]
        assert heads.dtype.kind == "i"
        wanted = [stdev(seeds[heads == count].tolist()) for count in arrays["mean_and_deviation__x"]]
        np.testing.assert_allclose(arrays["mean_and_deviation__deviation"], wanted)
    assert ",deviation\n" in csv_of(picture).decode()
