"""What is said about the difference to Keras, with made-up answers: no TensorFlow."""

from dataclasses import replace

import numpy as np
import pytest

from mha import Config, ledger, run
from mha.arrays import Array
from mha.comparison import KerasAnswer, compare

CFG = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17, batch=2)
TRACE = run(CFG)
SAME = KerasAnswer(TRACE.output, TRACE.weights, 854, tuple((row.path, row.shape) for row in ledger(CFG)), "3", "2")


def moved(array: Array, by: float) -> Array:
    """One number of `array` changed."""
    values = array.values.copy()
    values.flat[0] += by
    return Array(values, array.axes)


def test_the_same_numbers_agree():
    """15 · (2 · 11 + 2) + 21 · (2 · 11 + 1) + 11 = 360 + 483 + 11 = 854 parameters."""
    comparison = compare(TRACE, SAME)
    assert comparison.agrees
    assert (comparison.output_difference, comparison.weights_difference, comparison.count) == (0, 0, 854)
    assert comparison.row_sum_error < 1e-6
    assert comparison.output_scale == np.abs(TRACE.output.values).max()


def test_one_number_off_is_told_with_its_size_and_so_are_rows_that_do_not_sum_to_one():
    comparison = compare(TRACE, replace(SAME, output=moved(TRACE.output, 0.5), weights=moved(TRACE.weights, 0.25)))
    assert comparison.output_difference == pytest.approx(0.5, rel=1e-5)
    assert comparison.weights_difference == pytest.approx(0.25, rel=1e-5)
    assert not comparison.same_values
    assert compare(replace(TRACE, weights=moved(TRACE.weights, 0.5)), SAME).row_sum_error == pytest.approx(0.5, rel=1e-5)


@pytest.mark.parametrize("name", ["output", "weights"])
def test_rounding_is_no_difference_and_ten_times_the_tolerance_is(name):
    array = getattr(TRACE, name)
    top = float(np.abs(array.values).max())
    assert compare(TRACE, replace(SAME, **{name: moved(array, 3e-6 * top)})).same_values
    assert not compare(TRACE, replace(SAME, **{name: moved(array, 1e-4 * top)})).same_values


@pytest.mark.parametrize("change", [
    {"count": 853},
    {"variables": SAME.variables[:-1]},
    {"variables": SAME.variables[::-1]},
    {"variables": (("query/kernel", (11, 5, 3)), *SAME.variables[1:])},
])  # fmt: skip
def test_another_count_name_order_or_shape_does_not_agree(change):
    assert not compare(TRACE, replace(SAME, **change)).agrees


def test_an_answer_of_another_shape_is_refused():
    other = Array(np.zeros((2, 13, 12), np.float32), "btm")
    with pytest.raises(ValueError, match=r"output: ours has axes btm \(2, 13, 11\), Keras's has btm \(2, 13, 12\)"):
        compare(TRACE, replace(SAME, output=other))
