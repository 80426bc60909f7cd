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


def test_in_print_every_colour_is_a_grey_and_the_signed_scale_has_its_own():
    for name in ("parameters", "divisors", "right_answers", "head_switched_off"):
        given = figure(name, head_off=1)
        before = repr(given)
        found = colours(printed(given))
        assert found
        assert repr(given) == before, "the figure that is given stays as it is"
        assert {c for c in found if not c[1:3] == c[3:5] == c[5:7]} == set(), name
    made = printed({"data": [], "layout": {"coloraxis": {"colorscale": stops(LIGHT.signed)}}})
    assert made["layout"]["coloraxis"]["colorscale"] == stops(PRINT.signed), "as dark at both ends"


def test_in_print_bars_differ_by_hatching_and_lines_by_dash_and_sign_those_too_that_only_colour_told_apart():
    bars = printed(figure("divisors"))["data"]
    assert len({bar["marker"]["pattern"]["shape"] for bar in bars}) == 3
    hues = ("#3f74d8", "#d07a1a", "#1f9a7c")
    plain = [{"type": "scatter", "mode": "lines+markers", "line": {"color": hue}} for hue in hues]
    for lines in (printed(figure("parameters"))["data"][:3], printed({"data": plain, "layout": {}})["data"]):
        assert len({line["line"]["dash"] for line in lines}) == 3
        assert len({line["marker"]["symbol"] for line in lines}) == 3
        assert len({line["line"]["color"] for line in lines}) == 3
