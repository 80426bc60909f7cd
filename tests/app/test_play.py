"""What the card's bar is sent: a cell's terms as text."""

import numpy as np
import pytest

from components.widgets.play import played
from mha import Config, run
from mha.explain import explain, parse_cell

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
TRACE = run(PRIMES)


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
    sent = bar("weights.3.5.2")
    assert sent["terms"][0][0].startswith("e^{")
    assert " ÷ " in sent["terms"][-1][0]
    assert len(sent["terms"]) == 17 + 1


def test_a_number_of_the_output_is_sent_as_a_share_for_each_head_and_the_bias():
    sent = bar("output.4.3")
    assert [term[0] for term in sent["terms"][:3]] == ["head 1’s share", "head 2’s share", "head 3’s share"]
    assert [term[3:] for term in sent["terms"]] == [[0, 7], [7, 14], [14, 21], [-1, -1]]


@pytest.mark.parametrize("address", ["scaled.1.1.1", "concat.2.5", "masked.1.2.1"])
def test_where_nothing_is_added_up_there_is_nothing_to_play(address: str):
    assert bar(address)["terms"] == []
