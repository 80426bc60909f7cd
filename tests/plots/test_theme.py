"""A Plotly figure in a theme: in print nothing is told by colour alone."""

from functools import partial

from components.export.figures import FIGURES
from components.export.request import request_of
from components.plots.theme import grey, in_theme
from components.stage.theme import LIGHT, PRINT, stops

printed = partial(in_theme, theme=PRINT, family="Source Sans")


def figure(name: str, **query) -> dict:
    return FIGURES[name].draw(request_of(query)).drawing


def test_a_colour_becomes_a_grey_as_light_as_it_is():
    """0.299 · 255 = 76, 0.587 · 255 = 150, 0.114 · 255 = 29."""
    assert [grey(c) for c in ("#ff0000", "#00ff00", "#0000ff", "#ffffff")] == ["#4c4c4c", "#969696", "#1d1d1d", "#ffffff"]
    assert grey("rgba(255, 0, 0, 0.5)") == "rgba(76,76,76,0.5)"
    assert [grey(word) for word in ("solid", "heads (h)", "x2")] == ["solid", "heads (h)", "x2"]


def colours(part: object, key: str = "") -> set[str]:
    if isinstance(part, dict):
        return {c for k, value in part.items() for c in colours(value, k)}
    if isinstance(part, list | tuple):
        return {c for value in part for c in colours(value, key)}
    return {part} if isinstance(part, str) and part.startswith("#") else set()


def test_in_print_every_colour_is_a_grey():
    for name in ("parameters", "divisors", "right_answers", "head_switched_off"):
        found = colours(printed(figure(name, head_off=1)))
        assert found
        assert {c for c in found if not c[1:3] == c[3:5] == c[5:7]} == set(), name


def test_in_print_bars_differ_by_hatching_and_lines_by_dash_and_sign():
    bars = printed(figure("divisors"))["data"]
    assert len({bar["marker"]["pattern"]["shape"] for bar in bars}) == 3
    lines = printed(figure("parameters"))["data"][:3]
    assert len({line["line"]["dash"] for line in lines}) == 3
    assert len({line["marker"]["symbol"] for line in lines}) == 3


def test_in_print_lines_that_only_colour_told_apart_get_a_dash_and_a_sign():
    hues = ("#3f74d8", "#d07a1a", "#1f9a7c")
    plain = [{"type": "scatter", "mode": "lines+markers", "line": {"color": hue}} for hue in hues]
    made = printed({"data": plain, "layout": {}})["data"]
    assert len({line["line"]["dash"] for line in made}) == 3
    assert len({line["marker"]["symbol"] for line in made}) == 3
    assert len({line["line"]["color"] for line in made}) == 3


def test_the_signed_scale_is_as_dark_at_both_ends_in_print():
    made = printed({"data": [], "layout": {"coloraxis": {"colorscale": stops(LIGHT.signed)}}})
    assert made["layout"]["coloraxis"]["colorscale"] == stops(PRINT.signed)


def test_the_figure_that_is_given_stays_as_it_is():
    given = figure("divisors")
    before = repr(given)
    printed(given)
    assert repr(given) == before
