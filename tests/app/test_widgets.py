"""The check line at a page's end in every state, with numbers from an answer made by hand. Also the data of the card's bar: a
cell's terms as text."""

import gc
import re
from dataclasses import replace

import numpy as np
import pytest

from components.widgets.check import sentence
from components.widgets.downloads import base_of
from components.widgets.explanation import added_up
from components.widgets.play import played
from components.widgets.trace import KEPT, SMALL
from headcount import Config, Trace, ledger, run
from headcount.arrays import Array
from headcount.comparison import KerasAnswer, compare
from headcount.cost import numbers_kept
from headcount.explain import explain, parse_cell
from tests.app.driver import PAGES, open_page

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
TRACE = run(PRIMES)
LARGEST, STRONGEST = float(np.abs(TRACE.output.values).max()), float(TRACE.weights.values.max())
KERAS_IS_OFF = "⚠ Here Keras itself is off (Keras 3.15.1 on TensorFlow 2.21.0)"


def answer_to(trace, off: float = 0.0, attention_off: float = 0.0, **other) -> KerasAnswer:
    """An answer of Keras that agrees, except that its first numbers are moved by `off` and `attention_off`."""

    def moved(array: Array, by: float) -> Array:
        values = array.values.copy()
        values.flat[0] += np.float32(by)
        return Array(values, array.axes)

    rows = ledger(trace.cfg)
    made = KerasAnswer(moved(trace.output, off), moved(trace.weights, attention_off), sum(row.count for row in rows),
                       tuple((row.path, row.shape) for row in rows), "3.15.1", "2.21.0")  # fmt: skip
    return replace(made, **other)


@pytest.mark.parametrize(("trace", "state", "failure", "says"), [
    (None, "ready", None, "The layer has no numbers here, so there is nothing to check; formulas give the counts and shapes."),
    (TRACE, "starting", None, "Numbers by NumPy. The real Keras layer is being loaded, to check them."),
    (TRACE, "ready", None, "Numbers by NumPy. The real Keras layer is computing, to check them."),
    (TRACE, "missing", "TensorFlow is not installed here, so Keras cannot be asked.",
     "Numbers by NumPy. They are not checked, because TensorFlow is not installed here. "
     "`pip install tensorflow` adds the real Keras layer and this check."),
    (TRACE, "failed", "The worker stopped twice.", "Numbers by NumPy, not checked: The worker stopped twice."),
])  # fmt: skip
def test_without_an_answer_the_line_says_why_and_how_to_have_one(trace, state, failure, says):
    assert sentence(trace, None, state, failure, "NumPy") == says


@pytest.mark.parametrize("state", ["starting", "ready", "missing", "failed"])
def test_an_answer_counts_whatever_state_the_worker_is_in_by_now(state):
    assert sentence(TRACE, answer_to(TRACE), state, None, "NumPy").startswith("✓ Numbers by NumPy, same as the real layer")


def test_agreement_names_versions_differences_row_sums_and_the_count():
    """By hand: 11 · 3 · (5 + 5 + 7) + 3 · 7 · 11 weights and 3 · (5 + 5 + 7) + 11 biases: 854."""
    said = sentence(TRACE, answer_to(TRACE, off=2e-6 * LARGEST, attention_off=5e-7), "ready", None, "TensorFlow")
    for part in ("✓ Numbers by TensorFlow", "Keras 3.15.1 on TensorFlow 2.21.0", "output within 2e-06 of its largest number",
                 "attention within ", "rows sum to 1 within ", "count_params() 854 equal"):  # fmt: skip
        assert part in said


@pytest.mark.parametrize(("sizes", "answer", "begins", "part"), [
    ({}, {"off": 0.01 * LARGEST}, "✗ Numbers by NumPy differ from the real layer", "within 1e-02"),
    ({}, {"attention_off": 0.01 * STRONGEST}, "✗ Numbers by NumPy differ from the real layer", "within 1e-02"),
    ({}, {"count": 1_234}, "✗", "count_params() 1,234, ours 854"),
    ({}, {"variables": answer_to(TRACE).variables[::-1]}, "✗", ""),
    ({"key_dim": 1, "value_dim": 2, "query_len": 3, "key_len": 5}, {"off": 0.5}, KERAS_IS_OFF, "output within 3e-01"),
    ({"key_dim": 2, "value_dim": 1, "query_len": 5, "key_len": 3}, {"off": 0.5}, KERAS_IS_OFF, "output within 5e-01"),
    ({"key_dim": 1, "value_dim": 2, "query_len": 5, "key_len": 2}, {"off": 0.5}, "✗", ""),
    ({"key_dim": 1, "value_dim": 2, "query_len": 3, "key_len": 3}, {}, "✓", ""),
])  # fmt: skip
def test_a_difference_is_said_and_whose_it_is(sizes, answer, begins, part):
    """Differences in values, counts, and names or shapes. Keras's known bug is named only where it occurs, and no longer once it
    is gone."""
    trace = run(replace(PRIMES, **sizes))
    said = sentence(trace, answer_to(trace, **answer), "ready", None, "NumPy")
    assert said.startswith(begins)
    assert part in said


def test_where_weights_are_dropped_the_line_says_that_keras_was_made_to_drop_the_same():
    trace = run(replace(PRIMES, dropout=0.3, training=True))
    said = sentence(trace, answer_to(trace), "ready", None, "NumPy")
    assert said.startswith("✓")
    assert said.endswith("Its dropout was made to drop the same weights: which ones, Keras's own generator would draw.")
    assert "dropout" not in sentence(TRACE, answer_to(TRACE), "ready", None, "NumPy")


def test_a_query_that_may_look_nowhere_is_not_counted_as_a_row_that_should_sum_to_1():
    trace = run(replace(PRIMES, query_len=17, key_len=5, sliding_window=2))
    assert compare(trace, answer_to(trace)).row_sum_error < 1e-5


def test_a_visitors_session_holds_no_large_layers_numbers():
    """This is what Streamlit keeps to run a part of a page again: thirty visitors with a layer each were 500 MB. The cache keeps
    some layers, and a run that has just ended keeps its own."""
    opened = [open_page(page, d_model=512, num_heads=8, seed=seed) for seed, page in enumerate(PAGES * 3, start=7001)]
    gc.collect()
    large = [one for one in gc.get_objects() if isinstance(one, Trace) and one.cfg.seed > 7000 and numbers_kept(one.cfg) > SMALL]
    assert len(opened) > 3 * (KEPT + 1)
    assert 0 < len(large) <= KEPT + 1


def bar(address: str) -> dict:
    cell = parse_cell(address, PRIMES)
    return played(cell, explain(TRACE, cell))


def value(text: str) -> float:
    return float(text.replace("−", "-"))


def test_a_product_is_sent_with_its_factors_its_result_and_the_sum_with_it():
    """Q of head 2, row 3, column 4: 11 products of a row of X and a column of W_Q, then the bias."""
    x, w = TRACE["x_query"].values[0, 2].astype(float), TRACE.params.w_q.values[:, 1, 3].astype(float)
    sent = bar("q.2.3.4")
    factors = [[value(part.strip("()")) for part in term[0].split(" · ")] for term in sent["terms"][:11]]
    np.testing.assert_allclose(factors, np.stack([x, w], axis=1), atol=5.1e-4)
    assert [value(term[2]) for term in sent["terms"][:11]] == pytest.approx(np.cumsum(x * w), abs=5.1e-4)
    assert [term[3:] for term in sent["terms"]] == [[k, k + 1] for k in range(11)] + [[-1, -1]]
    assert sent["terms"][11][0].endswith("(bias)")
    assert value(sent["terms"][11][2]) == pytest.approx(float(TRACE.q.values[0, 2, 1, 3]), abs=6e-4)


def test_a_negative_factor_stands_in_brackets_and_a_tiny_one_as_a_power_of_ten():
    products = [term[0] for address in ("q.1.1.1", "k.2.5.3", "v.3.7.7") for term in bar(address)["terms"]]
    assert any(text.startswith("(−") for text in products)
    assert not any("0.000" in text for text in products)


def test_a_row_of_scores_is_sent_as_powers_of_e_and_their_division():
    *powers, division = bar("weights.3.5.2")["terms"]
    by_hand = np.exp(TRACE.masked.values[0, 2, 4].astype(float))
    assert [value(term[2]) for term in powers] == pytest.approx(np.cumsum(by_hand), abs=6e-4)
    assert all(term[0].startswith("e^{") for term in powers)
    assert " ÷ " in division[0]
    assert value(division[1]) == pytest.approx(by_hand[1] / by_hand.sum(), abs=6e-4)


def test_a_number_of_the_output_is_sent_as_a_share_for_each_head_and_the_bias():
    sent = bar("output.4.3")
    assert [term[0] for term in sent["terms"][:3]] == ["head 1’s share", "head 2’s share", "head 3’s share"]
    assert [term[3:] for term in sent["terms"]] == [[0, 7], [7, 14], [14, 21], [-1, -1]]


@pytest.mark.parametrize("address", ["scaled.1.1.1", "concat.2.5", "masked.1.2.1"])
def test_where_nothing_is_added_up_there_is_nothing_to_play(address: str):
    assert bar(address)["terms"] == []


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "0.0.0.0:8501"])
def test_a_stamp_has_no_link_to_a_server_on_ones_own_machine(host: str):
    assert base_of(f"http://{host}/attention?num_heads=2") == ""
    assert base_of("http://10.0.0.7:8501/attention") == "http://10.0.0.7:8501"


def test_a_card_names_the_largest_products_whatever_their_sign_and_sums_up_the_others():
    """Three of the 11 products have rows, and one row sums up the other eight. By hand from X and W_Q."""
    trace = run(Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, use_bias=False))
    products = (trace.x_query.values[0, 6] * trace.params.w_q.values[:, 2, 3]).tolist()
    largest = sorted(products, key=lambda product: -abs(product))
    rows = re.findall(r"<td>([^<]*)</td><td>([^<]*)</td>", added_up(explain(trace, parse_cell("q.3.7.4", trace.cfg)), ()))
    assert rows[3][0] == "+ 8 more products"
    wanted = [*largest[:3], sum(largest[3:])]
    assert [float(value.replace("−", "-")) for _, value in rows[:4]] == pytest.approx(wanted, abs=6e-4)
