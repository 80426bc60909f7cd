"""The tables below a picture have the picture's numbers."""

import csv
import io

import numpy as np
import pytest

from headcount import Config, run
from headcount.stage.chart import layout, line
from headcount.stage.numbers import as_csv, chart_count, of_chart, of_scene, plain, rows_of, scene_count
from headcount.stage.pictures import attention, changes, concatenation, projections, start_page
from headcount.switches import Switches
from headcount.variations import without_head

CFG = Config(d_model=12, num_heads=3, key_dim=5, value_dim=7, query_len=11, key_len=13, mask="causal")
TRACE = run(CFG)


def named(tables, title: str):
    (found,) = [table for table in tables if table.title.startswith(title)]
    return found


def values(table) -> np.ndarray:
    return np.array([[np.nan if cell is None else cell for cell in row[1:]] for row in table.rows])


def test_a_map_is_its_heads_weights_a_masked_cell_is_empty_and_what_is_drawn_transposed_is_called_so():
    """11 queries, 13 keys: query t sees t of them, so 11 · 13 - (1 + … + 11) = 77 are masked."""
    tables = of_scene(attention.steps(CFG, TRACE, 1, "sqrt_d_k"))
    table = named(tables, "A of head 2")
    shown, weights = values(table), TRACE.weights.values[0, 1]
    assert shown.shape == (11, 13)
    assert np.isnan(shown).sum() == 77
    np.testing.assert_array_equal(np.nan_to_num(shown), weights)
    assert "masked" in table.title
    turned = named(tables, "K of head 2, transposed")
    np.testing.assert_array_equal(values(turned), TRACE.k.values[0, :, 1].T)


def test_a_matrix_that_is_drawn_in_several_cuts_stands_there_once():
    """The widest of Keras's row: 6 heads of 4."""
    cfg = Config(d_model=12, num_heads=3)
    tables = of_scene(start_page.draw(cfg, True, start_page.numbers_of(start_page.layers(cfg, True), bool, run)))
    assert [table.title for table in tables[1:]] == ["W_Q, 12 × 24"]
    assert tables[0].rows[1][1] == "1 head · 624 · 4 × 144 + 48"


@pytest.mark.parametrize("scene", [
    projections.corner(CFG, TRACE, "w_k"), projections.three_cuts(CFG, TRACE, "w_v", "keras"),
    attention.steps(CFG, TRACE, 0, "sqrt_d_k"),
    concatenation.corner(CFG, TRACE), concatenation.corner(CFG, None),
])  # fmt: skip
def test_the_tables_hold_as_many_numbers_as_are_counted_before(scene):
    assert sum(values(table).size for table in of_scene(scene) if not table.words) == scene_count(scene)


def test_curves_are_one_table_by_heads_another_one_elsewhere_and_the_ring_around_a_point_is_in_none():
    curves = [line(heads, counts, name, "#000", "%{y}", 7) for heads, counts, name in (
        ([1, 2, 7], [840, 840, 840], "paper"), ([1, 2, 7], [24, 34, 84], "own"), ([2, 5], [31, 11], "Keras")
    )]  # fmt: skip
    ring = {"type": "scatter", "mode": "markers+text", "x": [2], "y": [840], "showlegend": False, "hoverinfo": "skip"}
    table, *rest = of_chart(
        {"data": [*curves, ring], "layout": layout(340, (1, 2, 3, 4), xaxis={"title": {"text": "heads (h)"}})}
    )
    assert table.heads == ("heads (h)", "paper", "own")
    assert [tuple(row)[1:] for row in table.rows] == [(840, 24), (840, 34), (840, 84)]
    assert [other.heads[1] for other in rest] == ["Keras"]


def test_bars_of_two_axes_are_two_tables_with_each_bar_in_its_place():
    trace = run(CFG)
    before, after = of_chart(changes.draw_changes(trace, without_head(trace, 1), 1)[0])
    assert [row[0] for row in before.rows] == list(range(1, 22))
    assert [row[0] for row in before.rows if row[1] > 0] == list(range(8, 15))  # head 2 of 3 owns columns 8 to 14
    assert before.heads == ("column of Concat", "largest change in Concat")
    assert after.heads == ("column of the output", "largest change in the output")


def test_a_groups_series_are_columns_side_by_side():
    (table,) = of_chart(changes.divisors(None, TRACE, Switches(), 1, 2, ("a|b", "<i>"))[0])
    assert table.heads[1:] == ("÷ √d_k (the layer)", "÷ 1", "÷ √d_model")
    assert table.rows[0][0] == "1 a|b"
    assert table.rows[0][1] == pytest.approx(TRACE.weights.values[0, 1, 2, 0])
    assert chart_count(changes.divisors(None, TRACE, Switches(), 1, 2)[0]) == 3 * 13


def test_a_heatmaps_empty_cells_are_empty_in_its_table():
    cells = np.array([[0.25, np.nan, 0.75], [np.nan, 1.0, 0.5]])
    heatmap = {"type": "heatmap", "z": cells, "x": ["left", "right", "host"], "y": ["one", "other"]}
    (table,) = of_chart({"data": [heatmap], "layout": {}})
    np.testing.assert_array_equal(values(table), cells)


def test_a_file_holds_every_number_in_full_and_0_where_a_weight_is_masked():
    text = as_csv(*rows_of(attention.steps(CFG, TRACE, 2, "sqrt_d_k")))
    assert text.splitlines()[0] == "matrix,head,row,column,value"
    rows = [row for row in csv.reader(io.StringIO(text)) if row[0] == "A"]
    assert [row[2:4] for row in rows] == [[str(r), str(c)] for r in range(1, 12) for c in range(1, 14)]
    read = np.array([float(row[4]) for row in rows])
    np.testing.assert_array_equal(read.astype(np.float32), TRACE.weights.values[0, 2].ravel())
    assert (read == 0).sum() == 77


@pytest.mark.parametrize(("markup", "words"), [
    ("W_{Q}   12 × (3 · 5)", "W_Q   12 × (3 · 5)"), ("before W<sub>O</sub>", "before W_O"), ("<b>1,088</b>", "1,088"),
    ("K_{1}^{T}", "K_1^T"), ("a &lt; b", "a < b"),
])  # fmt: skip
def test_a_label_without_its_markup(markup, words):
    assert plain(markup) == words


@pytest.mark.parametrize(("word", "shown"), [
    ("=cmd|x", "'=cmd|x"), ("+1+cmd", "'+1+cmd"), ("-2+3", "'-2+3"), ("@sum", "'@sum"), ("=1", "'=1"), ("\tx", "x"), ("\rx", "x"),
    ("\t=x", "'=x"), ("x-y", "x-y"), (-0.5, "-0.5"), (-7, "-7"), ("-0.5", "-0.5"), ("+3", "+3"), ("-7", "-7"),
])  # fmt: skip
def test_a_word_that_a_spreadsheet_would_run_is_shown_by_it_in_a_head_and_a_cell_and_a_number_stays_one(word, shown):
    text = as_csv(("token", str(word)), ((word, 7),))
    assert list(csv.reader(text.splitlines())) == [["token", shown], [shown, "7"]]


def test_rows_and_columns_are_counted_from_1_with_their_words_in_tables_and_files():
    words, few = tuple("abcdefghijk"), tuple("abcdefghijklm")
    scene = attention.steps(CFG, TRACE, 1, "sqrt_d_k", few)
    table = named(of_scene(scene), "A of head 2")
    assert [row[0] for row in table.rows] == [f"{place} {word}" for place, word in enumerate(words, start=1)]
    assert table.heads == ("row", *(f"{place} {word}" for place, word in enumerate(few, start=1)))
    assert [row[0] for row in named(of_scene(scene), "Q of head 2").rows][::10] == ["1 a", "11 k"]
    heads, cells = rows_of(scene)
    weights = [row for row in cells if row[0] == "A"]
    assert heads[1:4] == ("head", "row", "column")
    assert (weights[0][1:4], weights[-1][1:4]) == ((2, 1, 1), (2, 11, 13))
    assert weights[0][-2:] == ("a", "a")
    assert weights[-1][-2:] == ("k", "m")
