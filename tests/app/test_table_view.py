"""Below every picture its numbers can be read and had as files; nothing of it is made before it is asked for."""

import json

import pytest

from components.export.figures import SHOWN
from components.export.rendering import FORMATS
from components.widgets.tables import markdown_table
from mha import Config, run
from tests.app.driver import ALL_PAGES, PAGES, component, figures, open_page, schematics, stages, text, whole

#: Pages whose first screen has no picture: text and tables, or pictures in frames of their own.
WITHOUT = ("keras_layer", "own_layer", "questions", "quiz", "figures")


def pictures(at) -> list[str]:
    """Keys of the charts, of the moving pictures and of the schematics."""
    return sorted(key for name in ("chart", "stage", "drawing") for key, _ in component(at, name))


def switches(at) -> list[str]:
    return sorted(key.removesuffix("_table") for key in at.session_state._state.filtered_state if key.endswith("_table"))


def tables(at) -> list[dict]:
    """Those of pictures: the one that sorts is a page's own."""
    return [table for _, data in component(at, "tables") for table in json.loads(data) if "sorts" not in table]


@pytest.mark.parametrize("page", ALL_PAGES)
@pytest.mark.usefixtures("no_browser")
def test_every_picture_says_what_it_shows_and_opens_as_tables_and_files_that_are_not_made_before(page):
    at = whole(open_page(page, head_off=2))
    keys = switches(at)
    assert keys == pictures(at)
    assert bool(keys) != (page in WITHOUT)
    assert tables(at) == []
    said = [figure["alt"] for figure in figures(at).values()] + [plan["alt"] for plan in stages(at)] + schematics(at)
    assert len(said) == len(keys)
    assert all(any(letter.isdigit() for letter in words) for words in said), said
    assert page not in PAGES or at.get("download_button") == []
    for key in keys:
        at.session_state[f"{key}_table"] = True
    opened = dict(component(whole(at.run()), "tables"))
    for table in (table for key in keys for table in json.loads(opened[f"{key}_tables"])):
        assert {len(row) for row in table["rows"]} == {len(table["heads"])}
    if page in PAGES:
        assert {*keys} == {key for shown, key in SHOWN if shown == ("" if page == "heads" else page)}
        made_here_alone(at, keys)


def made_here_alone(at, keys: list[str]) -> None:
    """A button for every kind of file, but for those that the reader's browser makes of the picture."""
    found = {button.key: not button.proto.disabled for button in at.get("download_button") if button.key}
    charts = {*figures(at)}
    assert charts
    own = {key: {"pdf", "png", *(("svg",) if key in charts else ("plotly",))} for key in keys}
    assert {*found} == {f"{key}_{kind}" for key in keys for kind in FORMATS if kind not in own[key]}
    assert all(on for key, on in found.items() if key.rpartition("_")[2] in ("html", "csv", "npz"))


def test_the_table_says_what_was_computed():
    at = open_page("attention", num_heads=2, mask="causal", numbers="seed", query_len=6, key_len=6)
    at.session_state["attention_maps_table"] = True
    at.run()
    (table,) = [table for table in tables(at) if table["title"] == "head 2"]
    weights = run(Config(num_heads=2, mask="causal")).weights.values[0, 1]
    assert table["rows"][5] == ["6 mat", *(f"{value:.3f}" for value in weights[5])]
    assert table["rows"][0] == ["1 the", "1.000", *["–"] * 5]


def test_too_many_numbers_are_handed_out_as_a_file_only():
    at = open_page("attention", query_len=512, key_len=512, numbers="seed")
    at.session_state["attention_maps_table"] = True
    whole(at.run())
    assert tables(at) == []
    assert "16,384 numbers are too many to read here (up to 4,000 are shown)" in text(at)


def test_a_table_s_cells_are_markdown_and_a_bar_in_one_does_not_end_it():
    assert markdown_table(("a", "b", "c"), [("`x|y`", "", "1")], right=[2]) == ("| a | b | c |\n|:--|:--|--:|\n| `x\\|y` | | 1 |")
    assert markdown_table(("a",), [("\\|",), ("\\\\|",), ("||",)]).splitlines()[2:] == ["| \\| |", "| \\\\\\| |", "| \\|\\| |"]
