"""Bars of what changes, and the wrong idea beside the right one: their numbers, words and scales."""

import re

import numpy as np
import pytest

from components.figures.pictures import changes, split
from mha import Config, run
from mha.variations import split_embedding, without_head

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
SLICED = Config(d_model=21, num_heads=3, key_dim=5, query_len=13)


def test_a_switched_off_head_changes_its_own_columns_before_and_all_after():
    trace = run(PRIMES)
    after = without_head(trace, 1)
    joined, output = changes.column_changes(trace, after)
    assert np.flatnonzero(joined).tolist() == [7, 8, 9, 10, 11, 12, 13]
    assert joined[9] == np.abs(trace.context.values[0, :, 1, 2]).max()
    assert np.count_nonzero(output) == 11
    assert "**7** of 21 columns change before $W_O$ and **11** of 11 after it" in changes.sentence(trace, after, 1)
    assert changes.change_alt(trace, after, 1) == (
        "Head 2 switched off: 7 of 21 columns change before W_O, 11 of 11 after it."
    )  # fmt: skip


def test_bars_before_and_after_share_a_scale_that_holds_both():
    trace = run(PRIMES)
    after = without_head(trace, 0)
    figure = changes.draw_changes(trace, after)
    joined, output = changes.column_changes(trace, after)
    np.testing.assert_array_equal(figure["data"][0]["y"], joined)
    np.testing.assert_array_equal(figure["data"][1]["y"], output)
    low, high = figure["layout"]["yaxis"]["range"]
    assert [low, high] == figure["layout"]["yaxis2"]["range"]
    assert low == 0
    assert high >= max(joined.max(), output.max())


def test_the_bars_scale_is_the_same_whichever_head_is_off():
    trace = run(PRIMES)
    made = [without_head(trace, head) for head in range(3)]
    ((low, high),) = {tuple(changes.draw_changes(trace, after)["layout"]["yaxis"]["range"]) for after in made}
    assert low == 0
    largest = max(float(part.max()) for after in made for part in changes.column_changes(trace, after))
    assert high == pytest.approx(largest * 1.05, rel=1e-5)


def test_nothing_switched_off_is_an_invitation():
    trace = run(PRIMES)
    assert changes.sentence(trace, trace, None).startswith("Switch a head off")


def test_bars_of_the_divisors_are_three_rows_of_weights_from_0_to_1():
    trace = run(PRIMES)
    figure = changes.draw_divisors(trace, head=2, row=4)
    scores = trace.scores.values[0, 2, 4].astype(float)
    for bars, number in zip(figure["data"], (5**0.5, 1.0, 11**0.5), strict=True):
        power = np.exp((scores - scores.max()) / number)
        np.testing.assert_allclose(bars["y"], power / power.sum(), atol=1e-6)
    assert [bars["name"] for bars in figure["data"]] == ["÷ √d<sub>k</sub> (the layer)", "÷ 1", "÷ √d<sub>model</sub>"]
    assert figure["layout"]["yaxis"]["range"] == [0, 1]


def test_the_sentence_about_divisors_has_the_live_numbers():
    trace = run(PRIMES)
    said = changes.divisor_sentence(trace)
    assert f"**{trace.weights.values.max(axis=-1).mean():.2f}** with $\\sqrt{{d_k}}$ = 2.24" in said
    assert r"$\sqrt{d_{model}}$ = 3.32" in said


@pytest.mark.parametrize("word", ["<b>x</b>", "<img/src=x>", "a&b", "<a\thref=x>"])
def test_a_token_is_text_in_the_chart_too(word):
    """Plotly reads some HTML in labels."""
    labels = changes.draw_divisors(run(PRIMES), 0, 0, (word,))["data"][0]["x"]
    assert "<" not in labels[0]
    assert len(set(labels)) == 17


def test_equal_tokens_stay_apart():
    labels = changes.draw_divisors(run(PRIMES), 0, 0, ("the",) * 17)["data"][0]["x"]
    assert len(set(labels)) == 17


def test_both_counts_are_said():
    """21 · 15 = 315 weights; a third of them in the block-diagonal one."""
    wrong = split_embedding(run(SLICED))
    assert "**105** weights" in split.sentence(SLICED, wrong)
    assert "**315** weights" in split.sentence(SLICED, wrong)
    assert "its slice of 7 of the 21 columns" in split.sentence(SLICED, wrong)
    assert "all 315 weights" in split.alt(SLICED, wrong)


def test_where_there_are_no_slices_the_layer_still_is():
    cfg = Config(d_model=11, num_heads=3, key_dim=5)
    assert split_embedding(run(cfg)) is None
    assert "$W_Q$ holds 165 weights" in split.sentence(cfg, None)


def test_one_head_has_nothing_to_split():
    cfg = Config(d_model=5, num_heads=1)
    assert "both ideas are the same: $W_Q$ holds 25 weights" in split.sentence(cfg, split_embedding(run(cfg)))


def test_the_four_matrices_are_the_layers_and_the_wrong_ones_on_common_scales():
    trace = run(SLICED)
    wrong = split_embedding(trace)
    kernel, wrong_kernel, q, not_q, *biases = (np.array(t["z"], dtype=float) for t in split.draw(trace, wrong)["data"])
    for bias in biases:
        np.testing.assert_allclose(bias, trace.params.b_q.values.reshape(1, 15))
    x = trace.x_query.values[0].astype(float)
    np.testing.assert_allclose(x @ kernel + biases[0], q, atol=1e-5)
    np.testing.assert_allclose(x @ np.nan_to_num(wrong_kernel) + biases[1], not_q, atol=1e-5)
    np.testing.assert_allclose(kernel, trace.params.w_q.values.reshape(21, 15))
    np.testing.assert_allclose(q, trace.q.values[0].reshape(13, 15))
    np.testing.assert_allclose(not_q, wrong.q)
    assert np.isnan(wrong_kernel).sum() == 315 - 105, "empty, not 0"
    np.testing.assert_allclose(wrong_kernel[~np.isnan(wrong_kernel)], wrong.kernel[wrong.kernel != 0])
    layout, data = split.draw(trace, wrong)["layout"], split.draw(trace, wrong)["data"]
    assert [t["coloraxis"] for t in data] == ["coloraxis", "coloraxis", "coloraxis2", "coloraxis2", "coloraxis", "coloraxis"]
    assert (-layout["coloraxis"]["cmin"], layout["coloraxis"]["cmax"]) == (np.abs(kernel).max(),) * 2
    assert (-layout["coloraxis2"]["cmin"], layout["coloraxis2"]["cmax"]) == (max(np.abs(q).max(), np.abs(not_q).max()),) * 2


def test_without_a_bias_the_wrong_idea_is_four_matrices_and_no_words_of_one():
    cfg = Config(d_model=21, num_heads=3, key_dim=5, query_len=13, use_bias=False)
    trace = run(cfg)
    figure = split.draw(trace, split_embedding(trace))
    notes = [note["text"] for note in figure["layout"]["annotations"]]
    assert len(figure["data"]) == 4
    assert not any("b<sub>" in note for note in notes)
    assert "b_Q" not in split.alt(cfg, split_embedding(trace))
    assert figure["layout"]["yaxis3"]["domain"][1] == pytest.approx(figure["layout"]["yaxis"]["domain"][0] - 0.1)


def test_a_title_stands_over_the_middle_of_its_matrix_and_ends_before_the_next_one_begins():
    """On a phone a matrix is 110 pixels wide; the longest line of a title at 14 pixels has to be near that."""
    layout = split.draw(run(Config(64, 8)), split_embedding(run(Config(64, 8))))["layout"]
    titles = [note for note in layout["annotations"] if note["yanchor"] == "bottom"]
    middles = [sum(layout[axis]["domain"]) / 2 for axis in ("xaxis", "xaxis2", "xaxis3", "xaxis4")]
    assert [(note["x"], note["xanchor"]) for note in titles] == [(pytest.approx(x), "center") for x in middles]
    assert max(len(line) for note in titles for line in re.sub("</?sub>", "", note["text"]).split("<br>")) <= 18


def test_means_of_squares_are_said():
    cfg = Config(d_model=194, num_heads=2, query_len=3)
    notes = [a["text"] for a in split.draw(run(cfg), split_embedding(run(cfg)))["layout"]["annotations"]]
    assert any("4 × 4" in note for note in notes)


@pytest.mark.parametrize(("cfg", "why"), [
    (Config(16, 4, query_len=3, key_len=1), "sees one key gives it the whole weight"),
    (Config(1, 1, query_len=3, key_len=5), "the divisor changes nothing"),
    (Config(16, 4), "The larger the divisor, the more even the rows."),
])  # fmt: skip
def test_the_rule_of_the_divisor_stands_only_beside_numbers_that_show_it(cfg, why):
    trace = run(cfg)
    said = changes.divisor_sentence(trace)
    assert why in said
    most, paper, least = (float(peak) for peak in re.findall(r"\*\*(\d\.\d\d)\*\*", said))
    assert ("more even" in said) == (most > paper > least)
