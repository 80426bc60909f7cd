"""The cost of more heads: the picture has the files' numbers, its heading follows from them, doubtful points are visible."""

import json
from dataclasses import replace

import pytest

from components.address import translate
from components.presenter.walk import STEPS, says
from headcount.export.figures import FIGURES
from headcount.export.request import request_of
from headcount.plots import time
from headcount.stage.numbers import of_chart
from headcount.timing import NAMES, Series, usual
from tests.app.driver import figures, open_page, text, whole
from tests.sources import ROOT

FILE = ROOT / "assets" / "time" / "amd-epyc-2-cores.json"
#: The second run of 24 heads is 1.2 times as long, of 4 there is none.
SMALL = Series(True, 48, 5, 2, "an abacus", {4: [5.0], 8: [10.0, 11.0], 24: [70.0, 84.0]}, {48: "does not fit"})


def runs(way: str, tokens: int, convention: str) -> dict[int, list[float]]:
    """Medians by heads, read from the file's text."""
    found: dict[int, list[float]] = {}
    for run in json.loads(FILE.read_text())["runs"]:
        for one in run["series"]:
            if (one["way"], one["tokens"], one["convention"], one["passes"]) == (way, tokens, convention, "forward"):
                for heads, point in one["points"].items():
                    found.setdefault(int(heads), []).extend([] if isinstance(point, str) else [point[0]])
    return found


def lines(figure: dict) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure["data"]}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(time, "measured", lambda: {"beads": {(5, True): SMALL}})


@pytest.mark.parametrize("tokens", [128, 512, 2048])
@pytest.mark.parametrize("way", ["sdpa-flash", "softmax", "compiled", "keras-tensorflow", "numpy"])
def test_the_times_are_the_fastest_runs_of_the_file_and_those_that_no_second_confirms_are_hollow(way, tokens):
    drawn = lines(time.draw(NAMES[way], str(tokens), 8)[0])
    for convention, name in (("paper", "measured time"), ("keras", "time, key_dim 64 (Keras)")):
        known = {heads: sorted(medians) for heads, medians in runs(way, tokens, convention).items() if medians}
        assert (name in drawn) == bool(known)
        if not known:
            continue
        parts = (drawn[name]["x"], drawn[name]["customdata"], drawn[name]["y"], drawn[name]["marker"]["symbol"])
        for heads, ms, ratio, sign in zip(*parts, strict=True):
            fastest, second, *_ = known.pop(heads)
            assert ms == fastest
            assert ratio == pytest.approx(fastest / min(runs(way, tokens, convention)[8]))
            assert sign.startswith("circle" if convention == "paper" else "square")
            assert (not sign.endswith("-open")) == (second / fastest - 1 <= 0.15)
        assert known == {}, "every point is drawn"


def test_counts_stand_still_but_for_the_maps():
    """4 · 512² weights for 2 · 512 tokens each, and 2 · 512³ for both products of each of 2 maps. A map has 512² numbers."""
    drawn = lines(time.draw("fused kernel", "512", 8)[0])
    heads = [1, 2, 4, 8, 16, 32, 64, 128]
    assert drawn["parameters"]["customdata"] == [4 * 512**2] * 8
    assert drawn["multiply-adds"]["customdata"] == [2 * 512 * 4 * 512**2 + 2 * 2 * 512**3] * 8
    assert drawn["numbers in the maps"]["customdata"] == [2 * h * 512**2 for h in heads]
    assert [drawn[name]["y"] for name in time.COUNTS] == [[1] * 8, [1] * 8, [h / 8 for h in heads]]


def test_the_table_has_what_is_counted_and_milliseconds_and_nothing_where_nothing_was_measured():
    (table,) = of_chart(time.draw("NumPy", "2048", 8)[0])
    assert table.heads == ("heads", "parameters", "multiply-adds", "numbers in the maps", "milliseconds")
    assert table.rows[3] == (
        8,
        1_048_576,
        4 * 512**2 * 2048 + 2 * 512 * 2048**2,
        8 * 2048**2,
        min(runs("numpy", 2048, "paper")[8]),
    )
    assert table.rows[-1][-1] is None
    assert "128 heads: does not fit: at least 11 GB" in time.source("NumPy", "2048")


@pytest.mark.usefixtures("small")
def test_the_heading_and_what_is_said_follow_from_what_was_measured():
    assert time.headline("beads", "5") == "24 heads have as many parameters as 8 and take 7 × the time"
    figure, alt = time.draw("beads", "512", 8)
    assert alt.endswith(
        "The measured time is given as a multiple of the time with 8 heads. With 4 heads: 0.50; 8 heads: 1.00; 24 heads: 7.00."
    )
    assert lines(figure)["measured time"]["marker"]["symbol"] == ["circle-open", "circle", "circle-open"]
    assert lines(figure)["measured time"]["text"] == ["", "", "<b>7 ×</b>"]
    said = time.source("beads", "512")
    about = "Measured on an abacus. The layer is 48 wide, has no biases and gets 2 sequences of 5 tokens."
    assert said.startswith(f"{about} Each time is a median of many calls, the lowest of several runs. A hollow mark ")
    assert said.endswith("48 heads: does not fit.")


def test_what_a_second_run_confirms_is_not_called_hollow(monkeypatch):
    sure = replace(SMALL, runs={8: [10.0, 11.5], 24: [70.0, 80.5]})
    monkeypatch.setattr(time, "measured", lambda: {"beads": {(5, True): sure}})
    assert "hollow" not in time.source("beads", "5")
    assert lines(time.draw("beads", "5", 8)[0])["measured time"]["marker"]["symbol"] == ["circle"] * 2


@pytest.mark.parametrize(("heads", "marked"), [(1, ["1 head, chosen"]), (128, ["128 heads, chosen"]), (129, [])])
def test_the_layers_own_number_of_heads_is_marked_where_the_picture_reaches_it(heads, marked):
    traces = time.draw("fused kernel", "512", heads)[0]["data"]
    assert [trace["name"] for trace in traces if trace["x"] == [heads] * 2] == marked


def test_the_start_page_says_what_the_file_says_and_marks_its_own_heads():
    at = whole(open_page("heads", num_heads=2, measured="softmax written out", time_tokens=2048))
    known = {heads: min(medians) for heads, medians in runs("softmax", 2048, "paper").items()}
    assert f"**128 heads have as many parameters as 8 and take {known[128] / known[8]:.2g} × the time.**" in text(at)
    assert "Measured on AMD EPYC, 2 cores; torch 2.13.0+cpu, float32, 2026-11-28. The layer is 512 wide" in text(at)
    assert "gets 1 sequence of 2048 tokens" in text(at)
    drawn = {trace["name"]: trace for trace in figures(at)["time_against_heads"]["data"]}
    assert drawn["measured time"]["customdata"] == [*known.values()]
    assert "2 heads, chosen" in drawn


def test_among_a_models_costs_its_own_heads_are_marked():
    at = whole(open_page("models", model="Llama-3-8B", further="costs"))
    assert "32 heads, chosen" in [trace["name"] for trace in figures(at)["time_against_heads"]["data"]]


def test_the_figure_says_the_same_and_stands_where_parameters_against_heads_stood():
    picture = FIGURES["time"].draw(request_of({"num_heads": 4, "measured": "compiled", "time_tokens": "128"}))
    assert (picture.title, picture.caption) == (time.headline("compiled", "128"), time.source("compiled", "128"))
    assert picture.chart == time.draw("compiled", "128", 4)[0]
    assert translate({"figure": ["parameters"]}) == {"figure": "time"}


def test_sentences_elsewhere_have_the_numbers_of_the_file():
    known = {heads: min(medians) for heads, medians in runs("sdpa-flash", 512, "paper").items()}
    assert {heads: usual().times(heads) for heads in known} == {heads: ms / known[8] for heads, ms in known.items()}
    step = next(step for step in STEPS if step.headline == "So how many heads?")
    assert f"128 heads that share one width take {known[128] / known[8]:.1f} times as long as 8." in says(step)
    at = whole(open_page("trained_heads", task="sentence"))
    at.session_state["how_many"] = True
    longer = ", ".join(f"{known[heads] / known[8]:.1f} with {heads}" for heads in (16, 32, 64, 128))
    assert f"in times of 8 heads: {longer}." in text(whole(at.run()))
