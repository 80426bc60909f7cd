"""Which layer is shown, decided without a session. A visitor's own weights: the same formula, confirmed by the real Keras, and
known only to this visitor. Typed numbers: how a table is read, what is refused, and the layer that they make."""

import gc
import weakref
from dataclasses import dataclass, replace

import numpy as np
import pytest

from headcount import Config, make_inputs, make_params, run
from headcount.arrays import Array
from headcount.comparison import compare
from headcount.custom_layer import CustomLayer, from_arrays
from headcount.forward import overflow
from headcount.layer import MAX_CUTS, Origin
from headcount.settings import NUMBERS, RULE, TYPED, X
from headcount.text_bounds import MAX_X_TEXT
from headcount.typed import RULES, Typed, Unreadable, has_decimal_commas, read_table, read_x, spell_table, typed_of
from tests.layer.test_keras_client import wait_until

CFG = Config(6, 2, query_len=5, key_len=5)


@dataclass(frozen=True)
class Doubled:
    """A source of numbers for one width: the seed's times two, on seven positions."""

    def config(self, cfg: Config) -> Config:
        return Config(cfg.d_model, cfg.num_heads, query_len=7, mask="causal")

    def why_not(self, cfg: Config) -> str:
        return "" if cfg.d_model == 6 else f"it is 6 wide, not {cfg.d_model}"

    def layer(self, cfg: Config) -> CustomLayer | None:
        return CustomLayer(cfg, make_params(cfg), make_inputs(cfg)) if cfg == self.config(cfg) and not self.why_not(cfg) else None


def test_where_nothing_is_chosen_the_seeds_numbers_are_shown():
    origin = Origin()
    assert (origin.layer(CFG), origin.has(CFG), origin.config(CFG), origin.is_private) == (None, False, CFG, False)


def test_another_source_of_numbers_needs_no_change_of_the_module():
    origin, other = Origin(source=Doubled()), Config(10, 2)
    here = origin.config(CFG)
    assert (here.query_len, here.mask, origin.has(CFG), origin.is_private) == (7, "causal", True, False)
    assert origin.layer(here) is not None
    assert (origin.config(other), origin.layer(other), origin.has(other)) == (other, None, False)
    assert not origin.same_weights(here, other)


def test_typed_numbers_are_private_and_the_same_object_each_time():
    typed = typed_of("1 2 3/4 5 7", "identity")
    origin = Origin(source=typed)
    here = origin.config(Config(3, 1))
    layer = origin.layer(here)
    assert layer is not None
    assert layer is origin.layer(here)
    assert (origin.is_typed, origin.is_private) == (True, True)
    np.testing.assert_array_equal(layer.trace().q.values.reshape(2, 3), [[1, 2, 3], [4, 5, 7]])


def test_of_typed_numbers_only_the_last_layers_are_kept():
    cuts: dict = {}
    for number in range(MAX_CUTS + 3):
        typed = typed_of(f"1 2 {number}", "identity")
        origin = Origin(source=typed, typed=cuts)
        assert origin.layer(origin.config(Config(3, 1))) is not None
    assert [key.x[0][2] for key, _ in cuts] == list(range(3, MAX_CUTS + 3))


def test_what_is_too_large_to_compute_is_no_layer_of_typed_numbers():
    typed = typed_of(" ".join("1" * 16), "identity")
    wide = Config(16, 256, 512, 512, query_len=1, key_len=1)
    assert Origin(source=typed).layer(wide) is None


PRIMES = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17)


def custom_layer(cfg: Config = PRIMES) -> CustomLayer:
    """Weights that the seed of `cfg` does not give."""
    other = replace(cfg, seed=cfg.seed + 1)
    return CustomLayer(cfg, make_params(other), make_inputs(other))


def test_the_given_weights_are_the_ones_that_are_run():
    layer = custom_layer()
    np.testing.assert_array_equal(layer.trace().output.values, run(replace(PRIMES, seed=1)).output.values)
    assert np.abs(layer.trace().output.values - run(PRIMES).output.values).max() > 0.1
    assert layer != custom_layer(), "equal numbers of two visitors are two layers"


def test_what_goes_to_the_worker_comes_out_as_it_went_in():
    layer = custom_layer(replace(PRIMES, use_bias=False))
    facts, arrays = layer.message()
    params, inputs = from_arrays(arrays)
    assert Config(**facts["cfg"]) == layer.cfg
    assert params.b_q is None
    np.testing.assert_array_equal(run(layer.cfg, params=params, inputs=inputs).output.values, layer.trace().output.values)
    assert from_arrays({}) == (None, None)


@pytest.mark.parametrize("change", [
    {"w_k": Array(np.zeros((11, 5, 3), np.float32), "mhk")},
    {"b_o": None},
    {"w_o": Array(np.zeros((3, 7, 13), np.float32), "hvm")},
])  # fmt: skip
def test_weights_and_inputs_of_another_layer_are_refused(change):
    with pytest.raises(ValueError, match="must have the shape"):
        CustomLayer(PRIMES, replace(make_params(PRIMES), **change), make_inputs(PRIMES))
    with pytest.raises(ValueError, match="x_key must have the shape"):
        CustomLayer(PRIMES, make_params(PRIMES), make_inputs(replace(PRIMES, key_len=19)))


@pytest.mark.parametrize(("cfg", "given", "told"), [
    (Config(), {"params": make_params(Config(num_heads=2))},
     r"w_q \(query/kernel\) must have the shape \(16, 4, 4\), .* of 4 heads, 16 wide; got \(16, 2, 8\)"),
    (PRIMES, {"params": make_params(replace(PRIMES, value_dim=2))}, r"w_v .* \(11, 3, 7\).* got \(11, 3, 2\)"),
    (PRIMES, {"params": make_params(replace(PRIMES, use_bias=False))}, r"b_q .* \(3, 5\).* got None"),
    (replace(PRIMES, use_bias=False), {"params": make_params(PRIMES)}, r"b_q .* must be None .* got \(3, 5\)"),
    (PRIMES, {"inputs": make_inputs(replace(PRIMES, query_len=2))}, r"x_query .* \(1, 13, 11\).* got \(1, 2, 11\)"),
    (PRIMES, {"inputs": make_inputs(replace(PRIMES, batch=2))}, r"x_query .* \(1, 13, 11\).* got \(2, 13, 11\)"),
])  # fmt: skip
def test_a_pass_with_weights_or_inputs_of_another_layer_is_refused_by_name_with_what_was_wanted_and_what_came(cfg, given, told):
    with pytest.raises(ValueError, match=told):
        run(cfg, **given)


@pytest.mark.keras
def test_the_real_layer_holds_exactly_the_given_weights_and_its_answer_goes_with_them(client):
    layer, seeded = custom_layer(), client.answer(PRIMES, wait=120)
    known = len(client._known)
    answer = client.answer(layer, wait=120)
    assert compare(layer.trace(), answer).agrees
    assert compare(run(PRIMES), seeded).agrees
    assert not compare(layer.trace(), seeded).same_values
    trace = client.trace(layer, "tensorflow", wait=120)
    np.testing.assert_allclose(trace.output.values, layer.trace().output.values, atol=1e-5)
    assert len(client._known) == known  # nothing of the given one
    gone = weakref.ref(layer.params.w_q.values)
    del layer, trace, answer
    gc.collect()
    assert wait_until(lambda: gone() is None)


def layer_of(typed: Typed, sizes: Config) -> CustomLayer:
    layer = typed.layer(typed.config(sizes))
    assert layer is not None
    return layer


@pytest.mark.parametrize(("text", "table"), [
    ("1 2 3\n4 5 6", ((1, 2, 3), (4, 5, 6))), ("\ufeff1\t2\r\n3\t4\r\n", ((1, 2), (3, 4))), ("1,2\n3,4", ((1, 2), (3, 4))),
    ("1, 2,\n3, 4,", ((1, 2), (3, 4))), ("1,5\t2,25\n3\t4", ((1.5, 2.25), (3, 4))), ("1,5;2,25\n3;4", ((1.5, 2.25), (3, 4))),
    ("1,5 2,25\n3 4", ((1.5, 2.25), (3, 4))), ("[[1, 0],\n [0, −2.5]]", ((1, 0), (0, -2.5))), ("1 2/3 4", ((1, 2), (3, 4))),
    ("1e-3 .5", ((0.001, 0.5),)),
])  # fmt: skip
def test_a_table_is_read_however_a_spreadsheet_or_a_program_writes_it(text: str, table: tuple):
    assert read_table("x", text) == table
    assert read_table("x", spell_table(table)) == table


def test_a_comma_is_a_decimal_one_only_where_something_else_separates():
    assert [has_decimal_commas(text) for text in ("1,5\t2", "1,5;2", "1,5 2", "1,5", "1, 5", "1 5")] == [True] * 3 + [False] * 3


@pytest.mark.parametrize(("text", "place"), [
    ("1 nan", "row 1, column 2"), ("inf", "row 1, column 1"), ("1 2\n3 1e9", "row 2, column 2"), ("a b", "row 1, column 1"),
    ("1 2\n3 -1000.5", "row 2, column 2"), ("1\t\t2", "row 1, column 2"), ("0x10", "row 1, column 1"),
    ("1.234,5\t2", "row 1, column 1"), ("1 2\n3", "row 2 has 1 number, row 1 has 2"), ("0.12345678901234567", "16 characters"),
])  # fmt: skip
def test_what_is_no_bounded_number_is_named_by_its_place(text: str, place: str):
    with pytest.raises(Unreadable, match=r"^x[, ]") as error:
        read_x(text)
    assert place in str(error.value)


@pytest.mark.parametrize(("x", "says"), [
    ("1 " * 17, "at most 16 rows of 16 numbers, got 1 × 17"),
    ("1\n" * 17, "got 17 × 1"),
    ("1" * (MAX_X_TEXT + 1), "x must be at most 2,600 characters, got more"),
])  # fmt: skip
def test_an_x_that_is_too_large_is_refused_in_a_sentence(x: str, says: str):
    with pytest.raises(Unreadable) as error:
        typed_of(x, "identity")
    assert says in str(error.value)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_with_the_identity_every_head_has_its_own_columns_of_x(heads: int):
    typed = Typed(read_x("1 0 3 0\n0 2 0 −2\n1 1 1 1\n5 0 0 0.5\n1 2 3 4"))
    layer = layer_of(typed, Config(4, heads))
    for name in ("q", "k", "v"):
        np.testing.assert_array_equal(layer.trace()[name].values.reshape(5, 4), np.array(typed.x))


def test_zeros_weigh_all_keys_alike_and_give_zeros():
    typed = Typed(read_x("1 2 3\n4 5 6"), "zeros")
    layer = layer_of(typed, Config(3, 1))
    assert layer.trace().weights.values.tolist() == [[[[0.5, 0.5], [0.5, 0.5]]]]
    assert not layer.trace().output.values.any()


def test_equal_heads_have_one_map_and_each_the_same_share_of_the_output():
    typed = Typed(read_x("1 2 3 4 5 6\n6 5 4 3 2 1"), "equal")
    layer = layer_of(typed, Config(6, 3))
    maps, w_o = layer.trace().weights.values[0], layer.params.w_o.values
    for head in (1, 2):
        np.testing.assert_array_equal(maps[head], maps[0])
        np.testing.assert_array_equal(w_o[head], w_o[0])


def test_numbers_of_other_sizes_say_why_and_under_which_sizes_they_are_a_layer():
    typed = typed_of("1 2 3\n4 5 6", "identity")
    assert typed.why_not(Config(5, 1)) == "X is 3 wide and d_model is 5"
    assert typed.layer(typed.config(Config(5, 1))) is None
    assert typed.sizes(Config(5, 1)) == {"d_model": 3, "num_heads": 1, "split": "paper"}
    assert typed.sizes(Config(3, 3)) == {"d_model": 3, "num_heads": 3, "split": "paper"}
    assert not typed.why_not(Config(3, 1, 2, 2))


def test_the_settings_of_typed_numbers_are_x_and_a_rule():
    assert (X.default, RULE.default) == ("", "identity")
    assert "typed" in NUMBERS.choices
    assert RULE.choices == tuple(RULES)
    assert [setting.code for setting in TYPED] == ["x", "weights"]


@pytest.mark.parametrize(("large", "step"), [
    ({"w_q": 3e38}, "q"), ({"w_k": 3e38}, "k"), ({"w_v": 3e38}, "v"), ({"w_g": 3e38}, "g"),
    ({"w_q": 1e25, "w_k": 1e25}, "scores"), ({"w_v": 1e25, "w_o": 1e25}, "output"), ({"w_q": 1e15, "w_k": 1e15}, None),
    ({}, None),
])  # fmt: skip
def test_the_first_step_is_named_in_which_a_number_is_too_large_for_float32_and_a_masked_score_is_none(large, step):
    cfg = replace(PRIMES, mask="causal", use_gate=True)
    drawn = make_params(cfg)
    grown = {name: replace(one := getattr(drawn, name), values=np.full_like(one.values, size)) for name, size in large.items()}
    found = overflow(run(cfg, params=replace(drawn, **grown)))
    assert (found and found.name) == step
