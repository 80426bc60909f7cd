"""The language models by NumPy: what is computed, and what cannot be."""

import numpy as np
import pytest

from mha.language.network import LENGTH, Network, forward, layer, norm, shapes
from mha.language.store import SIZES, load
from mha.language.text import read

SENTENCE = read("She was very happy to see her sister.").ids


def drawn(d_model=12, heads=3, words=11, seed=5):
    rng = np.random.default_rng(seed)
    weights = {name: rng.standard_normal(shape) for name, shape in shapes(words, d_model, heads).items()}
    return Network(d_model, heads, tuple(map(str, range(words))), weights=weights)


def test_a_norm_by_hand():
    x = np.array([[1.0, 3.0, 5.0, 7.0]])  # mean 4, variance (9 + 1 + 1 + 9) / 4 = 5
    by_hand = np.array([[-3, -1, 1, 3]]) / np.sqrt(5.00001) * 2 + 0.5
    np.testing.assert_allclose(norm(x, np.full(4, 2.0), np.full(4, 0.5)), by_hand, rtol=1e-12)


def test_a_pass_is_the_sum_of_embeddings_layers_and_a_comparison_with_every_word():
    """Written out number by number: no function of the network is used."""
    network, ids = drawn(), [3, 7, 1, 7, 2]
    w = network.weights

    def normed(vector, gain, bias):
        mean = sum(vector) / len(vector)
        variance = sum((one - mean) ** 2 for one in vector) / len(vector)
        return np.array([(one - mean) / (variance + 1e-5) ** 0.5 for one in vector]) * gain + bias

    x = [w["words"][word] + w["positions"][place] for place, word in enumerate(ids)]
    for number in (1, 2):
        part = {name: w[f"layer{number}_{name}"] for name in ("w_q", "b_q", "w_k", "b_k", "w_v", "b_v", "w_o", "b_o")}
        entering = [normed(one, w[f"norm{number}_gain"], w[f"norm{number}_bias"]) for one in x]
        added = [part["b_o"].copy() for _ in ids]
        for head in range(3):
            q, k, v = ([one @ part[f"w_{c}"][:, head] + part[f"b_{c}"][head] for one in entering] for c in "qkv")
            for t in range(len(ids)):
                scores = np.exp([q[t] @ k[s] / 2 for s in range(t + 1)])
                added[t] += sum(share * v[s] for s, share in enumerate(scores / scores.sum())) @ part["w_o"][head]
        x = [before + more for before, more in zip(x, added, strict=True)]
    logits = [[normed(one, w["last_gain"], w["last_bias"]) @ word for word in w["words"]] for one in x]
    np.testing.assert_allclose(forward(network, ids).logits[0], logits, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", sorted(SIZES))
def test_one_layer_by_itself_is_that_layer_of_the_pass(size):
    network = load(*size)
    result = forward(network, SENTENCE)
    for number in (1, 2):
        alone = layer(network, SENTENCE, number)
        assert (alone.cfg.mask, alone.cfg.use_bias, alone.cfg.query_len) == ("causal", True, len(SENTENCE))
        np.testing.assert_array_equal(alone.inputs.x_query.values, result.inputs[number - 1])
        np.testing.assert_array_equal(alone.inputs.x_key.values, result.inputs[number - 1])
        np.testing.assert_allclose(alone.trace().output.values, result.traces[number - 1].output.values, atol=1e-5)


def test_a_later_word_changes_nothing_before_it():
    network = load(64, 4)
    first, other = forward(network, [*SENTENCE, 5]), forward(network, [*SENTENCE, 1234])
    np.testing.assert_array_equal(first.logits[:, :-1], other.logits[:, :-1])


def test_a_head_that_is_off_is_a_head_whose_rows_of_w_o_are_zero():
    network = drawn()
    weights = dict(network.weights)
    weights["layer1_w_o"] = weights["layer1_w_o"].copy()
    weights["layer1_w_o"][2] = 0
    zeroed = Network(12, 3, network.vocabulary, weights=weights)
    np.testing.assert_allclose(forward(network, [1, 2, 3], (1, 2)).logits, forward(zeroed, [1, 2, 3]).logits, rtol=1e-12)
    assert not np.allclose(forward(network, [1, 2, 3]).logits, forward(zeroed, [1, 2, 3]).logits)


def test_a_batch_is_its_sentences():
    network = drawn()
    both = forward(network, np.array([[1, 2, 3], [4, 5, 6]])).logits
    np.testing.assert_allclose(both[1], forward(network, [4, 5, 6]).logits[0], rtol=1e-12)


def test_the_precision_of_a_pass_is_that_of_the_weights():
    assert forward(load(16, 2), SENTENCE).logits.dtype == np.float32
    assert forward(load(16, 2).as_type(np.float64), SENTENCE).logits.dtype == np.float64


@pytest.mark.parametrize("count", [0, 33])
def test_a_sentence_of_no_or_too_many_words_is_refused(count):
    with pytest.raises(ValueError, match=rf"ids must be 1 to {LENGTH} words, got {count}"):
        forward(drawn(), [1] * count)


@pytest.mark.parametrize("number", [0, 3])
def test_there_are_two_layers(number):
    with pytest.raises(ValueError, match=f"layer must be a whole number from 1 to 2, got {number}"):
        layer(drawn(), [1, 2], number)


@pytest.mark.parametrize("d_model", [64, 16])
def test_networks_of_one_size_have_the_same_count_for_every_number_of_heads(d_model):
    """By hand: tables of 3,000 words and 32 positions, two layers of four matrices with biases, three norms."""
    by_hand = 3000 * d_model + 32 * d_model + 2 * 4 * (d_model * d_model + d_model) + 3 * 2 * d_model
    assert {load(d, h).parameters for d, h in SIZES if d == d_model} == {by_hand}
