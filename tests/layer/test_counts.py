"""The number of parameters and where they are, the layer's cost, and the two meanings of "more heads": by hand and published."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Config, count_parameters, ledger, make_params, run
from headcount.cost import contrasts, multiply_adds, numbers_kept, projection_multiply_adds, score_cells, too_large
from headcount.ledger import keras_count, paper_count

PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)
SIZE = st.integers(1, 40)
CONFIGS = st.builds(Config, d_model=SIZE, num_heads=SIZE, key_dim=SIZE, value_dim=SIZE, use_bias=st.booleans())


@pytest.mark.parametrize(("sizes", "count"), [
    # In the paper's split 4 · 512² + 4 · 512, for h = 1 … 512.
    *(({"d_model": 512, "num_heads": 2**i}, 1_050_624) for i in range(10)),
    *(({"d_model": 512, "num_heads": 2**i, "use_bias": False}, 1_048_576) for i in range(10)),
    ({"d_model": 512, "num_heads": 1, "key_dim": 512}, 1_050_624),
    ({"d_model": 512, "num_heads": 2, "key_dim": 512}, 2_100_736),
    ({"d_model": 512, "num_heads": 4, "key_dim": 512}, 4_200_960),
    ({"d_model": 512, "num_heads": 8, "key_dim": 512}, 8_401_408),
    ({"d_model": 512, "num_heads": 8, "key_dim": 64, "value_dim": 32}, 788_224),
    ({"d_model": 512, "num_heads": 3, "key_dim": 170}, 1_046_522),
    ({"d_model": 8, "num_heads": 2, "key_dim": 8}, 568),
    ({"d_model": 8, "num_heads": 2, "key_dim": 4}, 288),
])  # fmt: skip
def test_count_is_the_one_that_keras_printed(sizes, count):
    assert count_parameters(Config(**sizes)) == count


@given(CONFIGS)
def test_count_follows_the_closed_formula(cfg):
    """P = I_k (2 D + 2 b) + I_v (2 D + b) + b D with I_k = h d_k, I_v = h d_v: heads enter only through these products."""
    width, i_k, i_v, b = cfg.d_model, cfg.num_heads * cfg.key_dim, cfg.num_heads * cfg.value_dim, int(cfg.use_bias)
    assert count_parameters(cfg) == i_k * (2 * width + 2 * b) + i_v * (2 * width + b) + b * width


@given(CONFIGS)
def test_each_row_describes_the_array_that_is_really_drawn(cfg):
    params = make_params(cfg)
    for row in ledger(cfg):
        array = getattr(params, row.name)
        assert (array.axes, array.shape, array.values.size) == (row.axes, row.shape, row.count)
        assert row.numbers == " · ".join(map(str, array.shape))


def test_multiply_adds_and_score_cells_by_hand():
    """Each number of a result has one product for each number of the inner dimension. T = 13, S = 17, h = 3, D = 11."""
    assert multiply_adds(PRIMES) == {
        "q": 13 * 3 * 5 * 11, "k": 17 * 3 * 5 * 11, "v": 17 * 3 * 7 * 11,
        "scores": 3 * 13 * 17 * 5, "context": 3 * 13 * 7 * 17, "output": 13 * 11 * 21,
    }  # fmt: skip
    assert projection_multiply_adds(PRIMES) == 2_145 + 2_805 + 3_927 + 3_003
    assert score_cells(PRIMES) == 3 * 13 * 17


@pytest.mark.parametrize("num_heads", [1, 2, 4, 8, 16, 512])
def test_in_the_papers_split_no_head_count_costs_more_multiply_adds(num_heads):
    """D = 512, T = 128: four projections of T D², and QKᵀ and A V of T² D each: together 150,994,944 for every h."""
    cfg = Config(d_model=512, num_heads=num_heads, query_len=128)
    assert projection_multiply_adds(cfg) == 4 * 128 * 512**2 == 134_217_728
    assert sum(multiply_adds(cfg).values()) == 150_994_944


@pytest.mark.parametrize("cfg", [PRIMES, replace(PRIMES, use_bias=False), Config(), Config(d_model=1, num_heads=1, query_len=1)])
def test_numbers_kept_are_those_that_a_trace_really_holds(cfg):
    trace = run(cfg)
    arrays = ("x_query", "x_key", "q", "k", "v", "scores", "scaled", "masked", "weights", "context", "concat", "output")
    params = [getattr(trace.params, name) for name in ("w_q", "b_q", "w_k", "b_k", "w_v", "b_v", "w_o", "b_o")]
    held = [trace[name] for name in arrays] + [array for array in params if array is not None]
    assert numbers_kept(cfg) == sum(array.values.size for array in held)


@pytest.mark.parametrize(("cfg", "large"), [
    (Config(), False),
    (Config(d_model=768, num_heads=12, query_len=128), False),  # BERT-base
    (Config(d_model=1024, num_heads=16, query_len=128), False),  # BERT-large
    (Config(d_model=4096, num_heads=32), True),
    (Config(d_model=512, num_heads=256, key_dim=512), True),
    (Config(d_model=256, num_heads=256, query_len=512), True),  # few parameters, 67 million score cells
    (Config(d_model=1, num_heads=1, query_len=512), False),
    (Config(d_model=1444, num_heads=1, query_len=1), False),
    (Config(d_model=1448, num_heads=1, query_len=1), True),
])  # fmt: skip
def test_what_is_too_large_to_compute_live(cfg, large):
    """The last two: 4 · 1444² = 8,340,544 weights, 5,776 biases and 11,556 other numbers are below 2²³ = 8,388,608; with 4 ·
    1448² they are not."""
    assert too_large(cfg) is large


def test_the_papers_count_is_flat_keras_a_straight_line_as_keras_printed_it():
    """Both have D = 512, key_dim = 64."""
    cfg = Config(d_model=512, num_heads=8)
    assert [paper_count(cfg, h) for h in (1, 2, 3, 4, 8, 256, 512)] == [1_050_624, 1_050_624, None, *[1_050_624] * 4]
    counts = [keras_count(cfg, h) for h in (1, 2, 4, 8, 16, 32)]
    assert counts == [131_776, 263_040, 525_568, 1_050_624, 2_100_736, 4_200_960]


@pytest.mark.parametrize(("here", "there", "changed"), [
    (PRIMES, PRIMES.with_heads(2, paper=False), [False, True, True, True, True]), (PRIMES, PRIMES, [False] * 5),
])  # fmt: skip
def test_keras_way_keeps_the_pieces_and_changes_everything_else(here, there, changed):
    """The values are: one head's slice, score cells, weights, biases, multiply-adds of the projections."""
    assert [not row.same for row in contrasts(here, there)] == changed


def test_the_papers_split_changes_pieces_and_score_cells_and_nothing_that_is_counted():
    cfg = Config(d_model=512, num_heads=8, query_len=7)
    assert [(row.here, row.there, row.same) for row in contrasts(cfg, cfg.with_heads(2, paper=True))] == [
        ((512, 64), (512, 256), False), (392, 98, False), (1_048_576, 1_048_576, True), (2_048, 2_048, True),
        (4 * 7 * 512**2, 4 * 7 * 512**2, True),
    ]  # fmt: skip
