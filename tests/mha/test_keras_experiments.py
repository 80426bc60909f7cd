"""Each experiment of the Keras layer page, run by the real layer, against what is measured and published elsewhere."""

from dataclasses import replace

import numpy as np
import pytest

from mha.keras.layer import KerasLayer, compute, weights_of
from mha.keras.question import question, several
from tests.mha.grouped import grouped

pytestmark = pytest.mark.keras
LONG = 300
#: B, T, S, widths and sizes are different primes.
CROSS = KerasLayer(2, 3, 5, (3, 5, 11), (3, 7, 11), seed=19)
SELF = KerasLayer(2, 3, 5, (3, 5, 11), (3, 5, 11), seed=19)
GRID = KerasLayer(2, 3, 5, (2, 3, 5, 11), (2, 3, 5, 11), seed=19)


def test_before_build_there_are_no_variables_and_no_count(ask):
    found = ask("layer_facts", layer=CROSS.plain())
    assert found["before"]["variables"] == 0
    assert found["before"]["counted"]["error"].startswith("ValueError: You tried to call `count_params`")
    assert len(found["variables"]) == 8
    assert found["variables"][6] == ["attention_output/kernel", [2, 5, 11]]
    assert found["einsums"] == ["abc,cde->abde"] * 3 + ["abcd,cde->abe"]
    assert found["products"] == ["aecd,abcd->acbe", "acbe,aecd->abcd"]


@pytest.mark.parametrize(("size", "count"), [(8, 568), (4, 288)])
def test_the_count_of_the_example_none_6_8(ask, size, count):
    assert ask("layer_facts", layer=KerasLayer(2, size, size, (2, 6, 8), (2, 6, 8)).plain())["count"] == count


@pytest.mark.parametrize(("layer", "said", "real"), [
    (SELF, [None, 2, 5, 5], [3, 2, 5, 5]),
    (KerasLayer(2, 3, 3, (3, 6, 8), (3, 9, 8)), [None, 2, 6, 6], [3, 2, 6, 9]),
    (KerasLayer(2, 3, 3, (3, 5, 6, 8), (3, 5, 6, 8)), [None, 2, 5, 5], [3, 2, 5, 6, 5, 6]),
])  # fmt: skip
def test_the_symbolic_shape_of_the_scores_is_wrong_beyond_self_attention_of_rank_3(ask, layer, said, real):
    found = ask("layer_facts", layer=layer.plain())
    assert (found["symbolic"]["scores"], found["real"]["scores"]) == (said, real)


def test_the_constructor_takes_no_return_attention_scores(ask):
    found = ask("call_forms", layer=CROSS.plain())
    assert found["constructor"]["error"] == (
        "ValueError: Unrecognized keyword arguments passed to MultiHeadAttention: {'return_attention_scores': True}"
    )


def test_a_call_gives_one_tensor_or_output_and_scores(ask):
    found = ask("call_forms", layer=CROSS.plain())
    assert found["one"]["shape"] == [3, 5, 11]
    assert found["pair"]["kind"] == "tuple"
    assert found["pair"]["shapes"] == [[3, 5, 11], [3, 2, 5, 7]]
    assert found["pair"]["row_sums"] == pytest.approx([1, 1], abs=1e-5)
    assert found["swapped"]["shape"] == [3, 5, 11]
    assert found["swapped"]["row_sums"] != pytest.approx([1, 1], abs=0.1)


def test_the_value_comes_before_the_key(ask):
    found = ask("call_forms", layer=CROSS.plain())
    assert found["named"]["apart"] == found["without_key"]["apart"] == 0
    assert found["key_second"]["apart"] > 0.1
    assert "error" in ask("call_forms", layer=replace(CROSS, value_shape=(3, 7, 13)).plain())["key_second"]


def test_keras_says_itself_what_it_thinks_of_rank_2(ask):
    assert ask("rank_two", layer=SELF.plain())["error"].startswith("IndexError: ")


def test_the_scores_shape_of_each_choice_of_axes(ask):
    layer = KerasLayer(2, 3, 3, (3, 5, 6, 8), (3, 5, 6, 8))
    choices = {(): [3, 2, 5, 6, 5, 6], (1,): [3, 6, 2, 5, 5], (-2,): [3, 5, 2, 6, 6], (2, 1): [3, 2, 6, 5, 6, 5]}
    found = [ask("axes_view", layer=replace(layer, attention_axes=axes).plain()) for axes in choices]
    assert [one["scores"] for one in found] == list(choices.values())
    straight, crossed = found[0]["view"], found[3]["view"]
    np.testing.assert_allclose(straight, crossed, atol=1e-6)  # the order of the axes changes the layout only
    assert np.nansum(found[1]["view"]) == pytest.approx(1, abs=1e-5)
    assert np.isfinite(found[1]["view"]).sum() == 5


def test_axes_that_are_none_of_positions_leak_between_samples(ask):
    found = ask("axes_leak", layer=replace(SELF, attention_axes=(0,)).plain())
    assert found["scores"] == [5, 2, 3, 3]
    assert found["leak"] > 0.1
    assert found["leak_without_scores"] == 0  # the path without scores ignores attention_axes
    assert found["apart"] > 0.1


@pytest.mark.parametrize("kv", [8, 4, 2, 1])
def test_query_head_i_reads_key_value_head_i_over_the_group(ask, kv):
    layer = grouped(8, kv, 3, 5, 7, (11, 13, 17), seed=19)
    found = ask("grouped_facts", layer=layer.plain())
    assert found["reads"] == [head // (8 // kv) for head in range(8)]
    assert found["scores"] == [1, 8, 5, 7]


def test_as_many_key_value_heads_as_query_heads_is_the_full_layer(ask):
    layer = grouped(8, 2, 3, 5, 7, (11, 13, 17), seed=19).plain()
    found = ask("grouped_and_full", layer=layer)
    assert found["apart"] < 1e-5
    assert ask("grouped_count", layer=layer | {"num_kv_heads": 8})["count"] == found["count"]


@pytest.mark.parametrize(("name", "arguments", "words"), [
    ("grouped_facts", {"layer": grouped(256, 1, 512, 5, 7, (4096, 13, 17)).plain()}, "up to 4,194,304 are computed live"),
])  # fmt: skip
def test_what_this_app_does_not_ask_is_a_sentence_of_its_own_and_no_error_of_keras(client, name, arguments, words):
    assert client.result(question(name, **arguments), wait=LONG) is None
    reply = client.reply_to(question(name, **arguments), wait=LONG)
    assert reply.state == "declined"
    assert words in reply.why
    assert client.failure(question(name, **arguments)) == f"This app does not ask Keras for it: {reply.why}."
    assert client.state == "ready"


def test_what_is_declined_in_one_question_of_several_stays_told_apart_from_what_keras_refuses(client):
    large = KerasLayer(8, 128, 128, (2, 6, 1024), (2, 6, 1024))
    asked = several([question("layer_facts", layer=large.plain()), question("rank_two", layer=CROSS.plain()),
                     question("layer_facts", layer=CROSS.plain())])  # fmt: skip
    parts = client.reply_to(asked, wait=LONG).parts(3)
    assert [part.state for part in parts] == ["declined", "refused", "answered"]
    assert parts[0].why == f"the layer takes {large.numbers:,} numbers; up to 4,194,304 are computed live"
    assert parts[1].why.startswith("IndexError: ")
    assert parts[0].part("symbolic") == parts[0]


def test_the_counts_of_grouped_heads_that_can_be_built_come_beside_one_that_is_too_large(client):
    asked = [question("grouped_count", layer=grouped(8, kv, 128, 5, 7, (1024, 1024, 1024)).plain()) for kv in (8, 2)]
    large, small = client.reply_to(several(asked), wait=LONG).parts(2)
    assert (large.state, small.state) == ("declined", "answered")
    assert small["count"] == 8 * 128 * 2049 + 2 * 128 * 2050 + 1024


def test_240_heads_have_twenty_divisors_and_each_is_counted(client):
    choices = [kv for kv in range(1, 241) if 240 % kv == 0]
    asked = several([question("grouped_count", layer=grouped(240, kv, 1, 2, 3, (5, 5, 5)).plain()) for kv in choices])
    counts = [part["count"] for part in client.reply_to(asked, wait=LONG).parts(20)]
    assert counts == [240 * 11 + kv * 12 + 5 for kv in choices]


def test_who_reads_whom_is_found_with_a_single_key_too(ask):
    """With one key every weight is 1, whatever the kernels are."""
    found = ask("grouped_facts", layer=grouped(6, 3, 5, 4, 1, (11, 13, 17), seed=19).plain())
    assert found["reads"] == [0, 0, 1, 1, 2, 2]
    assert found["scores"] == [1, 6, 4, 1]


def test_the_rows_of_scores_over_two_axes_sum_to_one_over_both(ask):
    found = ask("call_forms", layer=GRID.plain())["pair"]
    assert found["shapes"][1] == [2, 2, 3, 5, 3, 5]
    assert found["row_sums"] == pytest.approx([1, 1], abs=1e-5)


@pytest.mark.parametrize(("layer", "axes"), [(SELF, (0,)), (SELF, (2,)), (GRID, (3,)), (GRID, (0,)), (GRID, (2, 1))])
def test_the_shape_of_the_scores_by_formula_holds_for_wrong_axes_too(ask, layer, axes):
    layer = replace(layer, attention_axes=axes)
    assert tuple(ask("layer_facts", layer=layer.plain())["real"]["scores"]) == layer.score_shape


def test_an_own_mask_brings_the_output_that_the_script_prints(ask):
    mask = np.tril(np.ones((5, 7), np.float32))
    np.testing.assert_allclose(ask("mask_own", layer=CROSS.plain(), mask=mask)["output"], compute(CROSS, mask > 0)[0], atol=1e-5)


def test_given_numbers_are_what_the_real_layer_holds(ask):
    """Twice the kernel of the values is twice the output, less the biases' part: here there are none."""
    layer = KerasLayer(2, 3, 5, (3, 5, 11), (3, 5, 11), use_bias=False, seed=19)
    weights = weights_of(layer)
    twice = replace(layer, weights=weights | {"w_v": 2 * weights["w_v"]})
    np.testing.assert_allclose(ask("mask_own", layer=twice.plain())["output"],
                               2 * ask("mask_own", layer=layer.plain())["output"], atol=1e-5)  # fmt: skip
    with pytest.raises(ValueError, match="weights must have the shapes"):
        weights_of(replace(layer, weights={"w_q": weights["w_k"]}))


def test_training_alone_drops_and_the_returned_scores_are_those_before_dropout(ask):
    found = ask("dropout_calls", layer=replace(CROSS, dropout=0.4, use_gate=True).plain())
    still, trained = found["False"], found["True"]
    assert (still["dropped"], still["apart"]) == (0, 0.0)
    assert still["used"] == still["returned"] == trained["returned"] == pytest.approx([1, 1], abs=1e-5)
    assert trained["weights"] == 3 * 2 * 5 * 7
    assert 0.2 < trained["dropped"] / trained["weights"] < 0.6
    low, high = trained["used"]
    assert low < 0.9
    assert 1.1 < high <= 1 / 0.6 + 1e-5
    assert trained["apart"] > 0.1


def test_in_a_window_of_one_it_is_still_found_which_key_value_head_is_read(ask):
    layer = grouped(6, 3, 5, 7, 7, (11, 11, 11), sliding_window=1, use_gate=True)
    assert ask("grouped_facts", layer=layer.plain())["reads"] == [0, 0, 1, 1, 2, 2]
    assert ask("grouped_and_full", layer=layer.plain())["apart"] < 1e-5
