"""The explanation of any computed cell: its parts, put together as it says, give the number shown."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import STEPS, Config, run
from headcount.explain import (
    EXPLAINED,
    Cell,
    example,
    explain,
    explained,
    most_looked_at,
    parse_cell,
    shape_of,
    terms,
)
from headcount.switches import Switches
from headcount.variations import with_divisor, with_switches, without_head

SIZE = st.integers(1, 5)
CONFIGS = st.builds(
    Config, d_model=SIZE, num_heads=SIZE, key_dim=SIZE, value_dim=SIZE, query_len=SIZE, key_len=SIZE,
    mask=st.sampled_from(["none", "causal"]), use_bias=st.booleans(), seed=st.integers(0, 99),
    use_gate=st.booleans(), sliding_window=st.none() | SIZE,
    dropout=st.sampled_from([0.0, 0.4]), training=st.booleans(),
)  # fmt: skip
SWITCHES = st.builds(
    Switches, rotary=st.sampled_from(["none", "halves", "pairs"]), qk_norm=st.sampled_from(["none", "rms", "rms_wide", "layer"]),
    soft_cap=st.sampled_from([0.0, 0.7, 50.0]), alibi=st.booleans(), sinks=st.booleans(),
)  # fmt: skip
PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
#: Rows, columns and heads of PRIMES by hand, and the kinds of arithmetic that an array is made by.
ARRAYS = {
    "q": (13, 5, True, "sum"), "k": (17, 5, True, "sum"), "v": (17, 7, True, "sum"), "scores": (13, 17, True, "sum"),
    "scaled": (13, 17, True, "ratio"), "masked": (13, 17, True, "copy masked"), "weights": (13, 17, True, "softmax nowhere"),
    "context": (13, 7, True, "sum"), "concat": (13, 21, False, "copy"), "output": (13, 11, False, "sum"),
    "share": (13, 11, True, "sum"), "dropped": (13, 17, True, "ratio dropped"), "g": (13, 7, True, "sum"),
    "gate": (13, 7, True, "sigmoid"), "gated": (13, 7, True, "product"), "q_normed": (13, 5, True, "norm"),
    "k_normed": (17, 5, True, "norm"), "q_rotated": (13, 5, True, "sum"), "k_rotated": (17, 5, True, "sum"),
    "capped": (13, 17, True, "cap"), "biased": (13, 17, True, "sum"),
}  # fmt: skip


def cells_of(cfg: Config):
    for name in explained(cfg):
        rows, cols, has_heads = shape_of(cfg, name)
        for head, row, col in product(range(cfg.num_heads) if has_heads else [None], range(rows), range(cols)):
            yield Cell(name, row, col, head)


def shown(trace, cell: Cell) -> float:
    """The number on the screen, by plain indexing. Heads are axis 1 of scores and axis 2 of vectors."""
    if cell.name == "share":
        joined = trace.gated if trace.cfg.use_gate else trace.context
        return joined.values[0, cell.row, cell.head] @ trace.params.w_o.values[cell.head, :, cell.col]
    values = getattr(trace, cell.name).values[0]
    if cell.head is None:
        return values[cell.row, cell.col]
    if cell.name in ("scores", "scaled", "capped", "biased", "masked", "weights", "dropped"):
        return values[cell.head, cell.row, cell.col]
    return values[cell.row, cell.head, cell.col]


def put_together(made) -> tuple[float, float]:
    """The value that the parts give, and the size on which the rounding error depends."""
    parts = made.parts
    if made.kind == "sum":
        return math.fsum([a * b for a, b in parts] + [made.bias or 0.0]), math.fsum(abs(a * b) for a, b in parts) + 1
    if made.kind == "norm":
        (above, size), (gain, _) = parts
        return above / size * gain + (made.bias or 0.0), abs(above / size * gain) + 20 / size  # a small row is a coarse one
    if made.kind == "cap":
        ((score, most),) = parts
        return most * math.tanh(score / most), abs(score) + 1
    if made.kind == "ratio":
        ((number, divisor),) = parts
        return number / divisor, abs(number) + 1
    if made.kind == "nowhere":
        assert parts == ()
        return 0.0, 1
    if made.kind == "dropped":
        ((_, after),) = parts
        return after, 1
    if made.kind == "product":
        ((one, other),) = parts
        return one * other, abs(one * other) + 1
    if made.kind == "sigmoid":
        ((number, power),) = parts
        assert power == pytest.approx(math.exp(-number), rel=1e-6)
        return 1 / (1 + power), 1
    if made.kind == "softmax":
        sinks = [] if made.bias is None else [made.bias]
        top = max([score for score, _ in parts] + sinks)
        for score, power in parts:
            assert power == pytest.approx(math.exp(score - top), rel=1e-6)
        below = [power for _, power in parts] + [math.exp(sink - top) for sink in sinks]
        return parts[made.cell.col][1] / math.fsum(below), 1
    ((number, _),) = parts
    return (-math.inf if made.kind == "masked" else number), abs(number) + 1


def agree(trace, made) -> None:
    assert made.value == pytest.approx(shown(trace, made.cell), rel=1e-6, abs=1e-6), made.cell
    assert made.kind in ARRAYS[made.cell.name][3].split(), made.cell
    number, size = put_together(made)
    if made.kind == "masked":
        assert made.value == -math.inf
    elif made.kind == "copy":
        assert number == made.value, made.cell
    else:
        assert abs(number - made.value) <= 2e-6 * size, (made.cell, number, made.value)


def test_everything_that_is_computed_explains_itself():
    assert set(ARRAYS) == {step.name for step in STEPS} | {"share"} == set(EXPLAINED)


@settings(deadline=None)
@given(CONFIGS, st.just(Switches()) | SWITCHES, st.sampled_from(["sqrt_d_k", "none", "sqrt_d_model"]))
def test_the_parts_of_every_cell_make_the_number_shown(cfg, switches, by):
    """Also with changes of published models, and with another divisor."""
    trace = with_divisor(with_switches(run(cfg), switches), by)
    for cell in cells_of(trace.cfg):
        agree(trace, explain(trace, cell, by))


def test_with_a_head_switched_off_the_parts_still_make_the_number_shown():
    varied = without_head(run(PRIMES), 1)
    for cell in cells_of(PRIMES):
        if cell.name in ("concat", "output"):
            agree(varied, explain(varied, cell))


@pytest.mark.parametrize("use_bias", [True, False])
def test_the_bias_is_a_term_of_its_own_and_named_where_there_is_one(use_bias):
    trace = run(Config(d_model=3, num_heads=2, key_dim=5, value_dim=7, query_len=2, use_bias=use_bias))
    p, cells = trace.params, [Cell(name, 0, 1, 1) for name in ("q", "k", "v", "scores", "context")] + [Cell("output", 0, 1)]
    there = [p.b_q.values[1, 1], p.b_k.values[1, 1], p.b_v.values[1, 1], None, None, p.b_o.values[1]] if use_bias else [None] * 6
    made = [explain(trace, cell) for cell in cells]
    assert [one.bias for one in made] == there
    assert [one.added for one in made] == (["b_Q", "b_K", "b_V", "", "", "b_O"] if use_bias else [""] * 6)


def test_what_is_added_besides_a_bias_has_its_own_name():
    trace = with_switches(run(PRIMES), Switches(qk_norm="layer", alibi=True, sinks=True))
    added = {name: explain(trace, Cell(name, 3, 2, 1)).added for name in ("q_normed", "k_normed", "biased", "weights")}
    assert added == {"q_normed": "β_Q", "k_normed": "β_K", "biased": "the score", "weights": "the sink"}


def test_a_sum_has_one_term_for_each_number_of_the_inner_dimension_and_says_what_it_multiplies():
    """d_k = 5, d_v = 7: column 2 of head 2's slice is column 7 of W_Q and W_K, and column 9 of W_V; head 3's V has column 16.
    Column 15 of Concat is the first of head 3."""
    trace = run(PRIMES)
    lengths = {name: len(explain(trace, Cell(name, 4, 2, head)).parts) for name, head in
               (("q", 1), ("k", 1), ("v", 1), ("scores", 1), ("weights", 1), ("context", 1), ("output", None))}  # fmt: skip
    assert lengths == {"q": 11, "k": 11, "v": 11, "scores": 5, "weights": 17, "context": 17, "output": 21}
    made = {name: explain(trace, Cell(name, 2, 1, 1)) for name in ("q", "k", "v")}
    assert made["q"].right == "column 2 of head 2's slice, column 7 of W_Q"
    assert made["k"].right == "column 2 of head 2's slice, column 7 of W_K"
    assert made["v"].right == "column 2 of head 2's slice, column 9 of W_V"
    assert (made["q"].left, made["k"].left) == ("X, row 3", "X′, row 3"), "a second sequence is called what the picture calls it"
    assert explain(trace, Cell("context", 0, 1, 2)).right == "column 2 of head 3's V, column 16 of all V side by side"
    assert explain(trace, Cell("share", 2, 1, 1)).right == "rows 8 to 14 of W_O (this head's), column 2"
    alone = run(Config(d_model=7, num_heads=1, query_len=3))
    assert explain(alone, Cell("q", 2, 1, 0)).right == "W_Q, column 2"
    first = explain(trace, Cell("concat", 4, 14))
    assert (first.left, first.value) == ("Z of head 3, row 5, column 1", trace.context.values[0, 4, 2, 0])


def test_a_divisor_is_called_what_it_is():
    trace = run(Config(d_model=13, num_heads=2, key_dim=7, query_len=3))
    for by, name, number in (("sqrt_d_k", "√d_k", 7**0.5), ("none", "1", 1.0), ("sqrt_d_model", "√d_model", 13**0.5)):
        made = explain(trace, Cell("scaled", 1, 2, 0), by)
        assert made.right == name
        assert made.parts[0][1] == pytest.approx(number)


@pytest.mark.parametrize("name", ARRAYS)
def test_shapes_of_the_matrices_by_hand(name):
    assert shape_of(PRIMES, name) == ARRAYS[name][:3]


@settings(deadline=None)
@given(CONFIGS)
def test_every_cell_is_found_again_by_its_address(cfg):
    for cell in cells_of(cfg):
        assert parse_cell(cell.address, cfg) == cell


def test_an_address_counts_from_one():
    assert parse_cell("q.2.3.4", PRIMES) == Cell("q", row=2, col=3, head=1)
    assert parse_cell(" concat.13.21 ", PRIMES) == Cell("concat", row=12, col=20)
    assert Cell("q", row=2, col=3, head=1).address == "q.2.3.4"
    assert Cell("output", row=0, col=10).address == "output.1.11"


LIMITS = {"q": "q.head.row.column with head 1 to 3, row 1 to 13, column 1 to 5",
          "concat": "concat.row.column with row 1 to 13, column 1 to 21"}  # fmt: skip


@pytest.mark.parametrize("text", [
    "q.0.1.1", "q.4.1.1", "q.1.0.1", "q.1.14.1", "q.1.1.0", "q.1.1.6", "q.-1.1.1", "q.1.1", "q.1.1.1.1", "q", "q.", "q.1.1.x",
    "q.1.1.1e0", "q.1.1.１", "q.1.1.٣", "q.1.1.²", f"q.1.1.{'9' * 5000}", "q.1.1.0000001", "q.1.1.1.", "q..1.1", "q.1 .1.1",
    "concat.1", "concat.1.1.1", "concat.14.1", "concat.1.22", "concat.0.1",
])  # fmt: skip
def test_a_cell_that_is_not_there_is_refused_with_its_form_and_ranges(text):
    with pytest.raises(ValueError, match=f"^cell must be {LIMITS[text.split('.')[0]]}$"):
        parse_cell(text, PRIMES)


@pytest.mark.parametrize("text", ["", ".", "x.1.1.1", "Q.1.1.1", "x_query.1.1", "w_q.1.1.1", "__class__.1.1", "q,1,1,1", "\0"])
def test_an_array_that_is_not_computed_is_refused_and_those_that_are_named(text):
    names = "q, k, v, scores, scaled, masked, weights, context, concat, output, share"
    with pytest.raises(ValueError, match=f"^cell must start with one of {names}$"):
        parse_cell(text, PRIMES)


@given(st.text(max_size=60))
def test_any_text_is_a_cell_or_a_sentence(text):
    try:
        cell = parse_cell(text, PRIMES)
    except ValueError as error:
        cell, said = None, str(error)
    if cell is None:
        assert said.startswith("cell must ")
    else:
        np.testing.assert_array_less((cell.row, cell.col), ARRAYS[cell.name][:2])


@pytest.mark.parametrize(("mask", "left"), [("none", "row 3 of QKᵀ/√d_k"), ("causal", "row 3 of the masked scores")])
def test_a_weight_comes_from_masked_scores_only_where_there_is_a_mask(mask, left):
    trace = run(Config(d_model=6, num_heads=2, query_len=5, mask=mask))
    assert explain(trace, Cell("weights", 2, 0, 1)).left == left


def test_the_terms_of_a_sum_add_up_by_hand_and_say_where_they_stand():
    """Z of head 2, row 3, column 4: 17 weights times 17 numbers of V."""
    trace = run(PRIMES)
    weights, v = trace.weights.values[0, 1, 2].astype(float), trace.v.values[0, :, 1, 3].astype(float)
    found = terms(explain(trace, Cell("context", 2, 3, 1)))
    assert [term.adds for term in found] == pytest.approx(weights * v)
    assert [term.total for term in found] == pytest.approx([(weights * v)[: k + 1].sum() for k in range(17)])
    assert [term.at for term in found] == [(k, k + 1) for k in range(17)]


def test_the_terms_of_the_output_are_each_heads_columns_of_concat_times_its_rows_of_w_o():
    """d_v = 7: head 2 has columns 8 to 14; the bias comes last."""
    trace = run(PRIMES)
    concat, kernel = trace.concat.values[0, 4].astype(float), trace.params.w_o.values.reshape(21, 11)[:, 6].astype(float)
    found = terms(explain(trace, Cell("output", 4, 6)))
    assert [term.kind for term in found] == ["share", "share", "share", "bias"]
    shares = [concat[i : i + 7] @ kernel[i : i + 7] for i in (0, 7, 14)]
    assert [term.adds for term in found[:3]] == pytest.approx(shares, rel=1e-5)
    assert [term.at for term in found[:3]] == [(0, 7), (7, 14), (14, 21)]
    assert found[-1].total == pytest.approx(float(trace.output.values[0, 4, 6]), rel=1e-5)
    share = terms(explain(trace, Cell("share", 1, 2, 2)))
    assert [term.at for term in share] == [(14 + k, 15 + k) for k in range(7)], "in its own columns of Concat"
    alone = run(Config(d_model=7, num_heads=1, key_dim=3, value_dim=5, query_len=2))
    assert [term.kind for term in terms(explain(alone, Cell("output", 1, 2)))] == ["product"] * 5 + ["bias"]


@pytest.mark.parametrize("by", ["sqrt_d_k", "none"])
@pytest.mark.parametrize("stretch", [1, 19])
def test_the_terms_of_a_weight_are_powers_of_e_and_end_in_the_weight(by: str, stretch: int):
    """Undivided scores of a wide head are above 10."""
    cfg = Config(d_model=13 * stretch, num_heads=2, key_dim=11 * stretch, value_dim=3, query_len=5, mask="causal")
    trace = with_divisor(run(cfg), by)
    made = explain(trace, Cell("weights", 3, 1, 1))
    *powers, division = terms(made)
    scores = trace.masked.values[0, 1, 3].astype(float)
    assert (scores.max() > 10) == (by == "none" and stretch == 19)
    assert [term.adds for term in powers] == pytest.approx(np.exp(scores))
    assert powers[4].adds == 0, "the mask forbids row 4 the fifth key"
    assert division.factors == pytest.approx((np.exp(scores[1]), np.exp(scores).sum()))
    assert division.factors[0] / division.factors[1] == pytest.approx(float(trace.weights.values[0, 1, 3, 1]), rel=1e-5)
    assert division.adds == float(trace.weights.values[0, 1, 3, 1])


@pytest.mark.parametrize("shift", [900.0, -900.0])
def test_of_scores_whose_powers_no_number_holds_the_largest_is_taken_off_first(shift: float):
    made = explain(run(PRIMES), Cell("weights", 3, 1, 1))
    scores = np.array([score for score, _ in made.parts])
    *powers, division = terms(replace(made, parts=tuple((score + shift, power) for score, power in made.parts)))
    assert [term.adds for term in powers] == pytest.approx(np.exp(scores - scores.max()))
    assert division.factors[0] / division.factors[1] == pytest.approx(made.value, rel=1e-5)


def test_the_key_that_is_looked_at_most_is_the_one_that_no_other_weight_of_the_row_exceeds():
    trace = run(PRIMES)
    for head, query in product(range(3), range(13)):
        cell = most_looked_at(trace, head, query)
        row = trace.weights.values[0, head, query].tolist()
        assert (cell.name, cell.head, cell.row) == ("weights", head, query)
        assert row[cell.col] == sorted(row)[-1] > row[cell.col - 1]


@pytest.mark.parametrize("name", "qkv")
def test_the_example_is_the_largest_number_of_its_row_whatever_its_sign_and_at_no_border_of_its_head(name):
    trace = run(PRIMES)
    cell = example(trace, name)
    row = [abs(float(value)) for value in trace[name].values[0, cell.row, cell.head]]
    assert (cell.row, cell.head) == (2 * len(trace[name].values[0]) // 3, 1)
    assert 0 < cell.col < len(row) - 1
    assert row[cell.col] == max(row[1:-1])


def test_the_example_of_the_output_is_a_number_in_which_no_heads_share_is_small():
    trace = run(PRIMES)
    cell = example(trace, "output")
    least = [min(abs(shown(trace, Cell("share", cell.row, col, head))) for head in range(3)) for col in range(11)]
    assert least[cell.col] == max(least)
