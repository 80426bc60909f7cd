"""Numbers that a visitor types: how a table is read, what is refused, and the layer that they make."""

import numpy as np
import pytest

from mha import Config
from mha.custom_layer import CustomLayer
from mha.names import LABELS
from mha.settings import ARRAYS, NUMBERS, RULE, TYPED, X
from mha.typed import (
    MAX_X_TEXT,
    RULES,
    Typed,
    Unreadable,
    has_decimal_commas,
    read_arrays,
    read_table,
    read_x,
    spell_arrays,
    spell_table,
    typed_of,
)

#: The example of a well-known introduction (Karim, "Illustrated: Self-Attention", 2019): its X and its three kernels, and the
#: scores and values that it works out by hand.
KERNELS = """w_k
0 0 1
1 1 0
0 1 0
1 1 0
w_q
1 0 1
1 0 0
0 0 1
0 1 1
w_v
0 2 0
0 3 0
1 0 3
1 1 0"""


def layer_of(typed: Typed, sizes: Config) -> CustomLayer:
    layer = typed.layer(typed.config(sizes))
    assert layer is not None
    return layer


@pytest.mark.parametrize(("text", "table"), [
    ("1 2 3\n4 5 6", ((1, 2, 3), (4, 5, 6))),
    ("\ufeff1\t2\r\n3\t4\r\n", ((1, 2), (3, 4))),
    ("1,2\n3,4", ((1, 2), (3, 4))),
    ("1, 2,\n3, 4,", ((1, 2), (3, 4))),
    ("1,5\t2,25\n3\t4", ((1.5, 2.25), (3, 4))),
    ("1,5;2,25\n3;4", ((1.5, 2.25), (3, 4))),
    ("1,5 2,25\n3 4", ((1.5, 2.25), (3, 4))),
    ("[[1, 0],\n [0, −2.5]]", ((1, 0), (0, -2.5))),
    ("1 2/3 4", ((1, 2), (3, 4))),
    ("1e-3 .5", ((0.001, 0.5),)),
])  # fmt: skip
def test_a_table_is_read_however_a_spreadsheet_or_a_program_writes_it(text: str, table: tuple):
    assert read_table("x", text) == table
    assert read_table("x", spell_table(table)) == table


def test_a_comma_is_a_decimal_one_only_where_something_else_separates():
    assert [has_decimal_commas(text) for text in ("1,5\t2", "1,5;2", "1,5 2", "1,5", "1, 5", "1 5")] == [True] * 3 + [False] * 3


@pytest.mark.parametrize(("text", "place"), [
    ("1 nan", "row 1, column 2"),
    ("inf", "row 1, column 1"),
    ("1 2\n3 1e9", "row 2, column 2"),
    ("a b", "row 1, column 1"),
    ("1 2\n3 -1000.5", "row 2, column 2"),
    ("1\t\t2", "row 1, column 2"),
    ("0x10", "row 1, column 1"),
    ("1.234,5\t2", "row 1, column 1"),
    ("1 2\n3", "row 2 has 1 number, row 1 has 2"),
    ("0.12345678901234567", "16 characters"),
])  # fmt: skip
def test_what_is_no_bounded_number_is_named_by_its_place(text: str, place: str):
    with pytest.raises(Unreadable, match=r"^x[, ]") as error:
        read_x(text)
    assert place in str(error.value)


@pytest.mark.parametrize(("x", "arrays", "says"), [
    ("1 " * 17, "", "at most 16 rows of 16 numbers, got 1 × 17"),
    ("1\n" * 17, "", "got 17 × 1"),
    ("1" * (MAX_X_TEXT + 1), "", "x must be at most 2,600 characters, got more"),
    ("1", "1 2", "arrays must begin with a name, one of w_q"),
    ("1", "w_q 1 w_q 2", "got w_q twice"),
    ("1", "w_q", "arrays, w_q must be a table of numbers"),
])  # fmt: skip
def test_what_is_too_much_or_has_no_name_is_refused_in_a_sentence(x: str, arrays: str, says: str):
    with pytest.raises(Unreadable) as error:
        typed_of(x, "identity", arrays)
    assert says in str(error.value)


def test_a_textbook_example_gives_the_numbers_of_its_text():
    typed = typed_of("1 0 1 0\n0 2 0 2\n1 1 1 1", "identity", KERNELS)
    sizes = typed.sizes(Config())
    assert sizes == {"d_model": 4, "num_heads": 1, "split": "free", "key_dim": 3, "value_dim": 3}
    trace = layer_of(typed, Config(4, 1, 3, 3)).trace()
    assert trace.q.values[0, :, 0].tolist() == [[1, 0, 2], [2, 2, 2], [2, 1, 3]]
    assert trace.k.values[0, :, 0].tolist() == [[0, 1, 1], [4, 4, 0], [2, 3, 1]]
    assert trace.v.values[0, :, 0].tolist() == [[1, 2, 3], [2, 8, 0], [2, 6, 3]]
    assert trace.scores.values[0, 0].tolist() == [[2, 4, 4], [4, 16, 12], [4, 12, 10]]
    assert trace.output.values[0, :, 3].tolist() == [0, 0, 0], "the identity has no fourth row here: three columns go on"


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
    typed = typed_of("1 2 3\n4 5 6", "identity", "w_o 1 2 3/4 5 6; b_q 1 2")
    assert typed.why_not(Config(5, 1)) == "X is 3 wide and d_model is 5"
    assert "2 × 3 and the layer’s is 3 × 3" in typed.why_not(Config(3, 1))
    assert typed.layer(typed.config(Config(3, 1))) is None
    sizes = typed.sizes(Config(3, 1))
    assert sizes == {"d_model": 3, "num_heads": 1, "split": "free", "key_dim": 2, "value_dim": 2, "use_bias": True}
    assert not typed.why_not(Config(3, 1, 2, 2))
    assert typed.why_not(Config(3, 1, 2, 2, use_bias=False)) == f"the layer has no {LABELS['b_q']}"


def test_what_the_address_holds_is_read_as_it_was_written():
    arrays = read_arrays(KERNELS)
    assert read_arrays(spell_arrays(arrays)) == arrays == read_arrays(spell_arrays(arrays, "\n", "\n"))
    assert (X.default, RULE.default, ARRAYS.default) == ("", "identity", "")
    assert "typed" in NUMBERS.choices
    assert RULE.choices == tuple(RULES)
    assert len({setting.code for setting in TYPED}) == 3
