"""NumPy runs the shipped networks: held to a second way of computing them, and to what a change must do."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mha.trained.dinner import HEADS
from mha.trained.measures import measure, without_each
from mha.trained.network import forward
from mha.trained.sentence import combinations
from mha.trained.store import load, manifest
from mha.trained.task import UNASKED, fixed_examples

NAMES = (*manifest("dinner")["networks"], *manifest("sentence")["networks"])


def some(name, count=13):
    return fixed_examples(load(name).task)[:count]


def slowly(network, tokens):
    """Logits of one example in float64, head by head and query by query, softmax written out."""
    w = {name: weight.astype(np.float64) for name, weight in network.weights.items()}
    x = np.array([sum(w[f"embed_{name}"][row[i]] for i, (name, _) in enumerate(network.task.features)) for row in tokens])
    out = np.zeros_like(x) + w["layer1_b_o"]
    for head in range(network.heads):
        q, k, v = (x @ w[f"layer1_w_{letter}"][:, head] + w[f"layer1_b_{letter}"][head] for letter in "qkv")
        for t in range(len(x)):
            scores = [math.exp(q[t] @ k[s] / math.sqrt(k.shape[1])) for s in range(len(x))]
            out[t] += sum(score * v[s] for s, score in enumerate(scores)) / sum(scores) @ w["layer1_w_o"][head]
    return (out @ w["answer_w"] + w["answer_b"]).reshape(len(x), len(network.task.questions), -1)


@pytest.mark.parametrize("name", NAMES)
def test_the_forward_pass_is_the_one_written_out(name):
    network, examples = load(name), some(name, 3)
    made = forward(network, examples.tokens).logits
    for number, tokens in enumerate(examples.tokens):
        expected = slowly(network, tokens)
        np.testing.assert_allclose(made[number], expected, atol=3e-4, rtol=2e-5)


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_network_gets_what_the_manifest_says(name):
    network, told = load(name), manifest(load(name).task.name)["networks"][name]["accuracy"]
    np.testing.assert_allclose(measure(network, fixed_examples(network.task)).accuracy, told, atol=6e-4)


def test_a_network_cut_for_another_number_and_back_is_the_same_and_one_that_does_not_divide_is_refused():
    network, examples = load("dinner-4"), some("dinner-4")
    for heads in HEADS:
        cut = network.cut_for(heads)
        assert b"".join(w.tobytes() for w in cut.weights.values()) == b"".join(w.tobytes() for w in network.weights.values())
        assert forward(cut, examples.tokens).trace.weights.shape == (13, heads, 8, 8)
        again = forward(cut.cut_for(4), examples.tokens).logits
        np.testing.assert_array_equal(again, forward(network, examples.tokens).logits)
    for heads in (5, 48):
        with pytest.raises(ValueError, match=f"heads must divide 24, got {heads}"):
            network.cut_for(heads)


@pytest.mark.parametrize("name", ["dinner-4", "dinner-8", "sentence-2"])
def test_all_heads_removed_in_turn_is_each_removed_alone(name):
    """Its rows of W_O set to zero leave the sum of the others."""
    network, examples = load(name), some(name, 211)
    each = without_each(network, examples)
    for head in range(network.heads):
        w_o = network.weights["layer1_w_o"].copy()
        w_o[head] = 0
        without = replace(network, weights={**network.weights, "layer1_w_o": w_o})
        np.testing.assert_allclose(each[head], measure(without, examples).accuracy, atol=1e-9)


def test_mass_is_the_weight_on_the_place_that_is_asked_for():
    network, examples = load("sentence-2"), some("sentence-2", 7)
    weights, expected, count = forward(network, examples.tokens).trace.weights.values, np.zeros((4, 2)), np.zeros(4)
    for b, t, r in zip(*np.nonzero(examples.answer_at != UNASKED), strict=True):
        expected[r] += weights[b, :, t, examples.answer_at[b, t, r]]
        count[r] += 1
    np.testing.assert_allclose(measure(network, examples).attention_on_answer, expected / count[:, None], rtol=1e-6)


def test_from_she_and_he_the_head_of_who_finds_whom_is_meant():
    network, examples = load("sentence-4"), some("sentence-4", 500)
    weights = forward(network, examples.tokens).trace.weights.values
    pronouns = zip(*np.nonzero(examples.tokens[..., 0] >= 38), strict=True)  # the last two words
    on_meant = np.mean([weights[b, :, t, examples.answer_at[b, t, 0]] for b, t in pronouns], axis=0)
    assert on_meant.argmax() == 0
    assert on_meant.max() >= 0.95


def test_four_heads_answer_every_question_of_all_32_ways_to_say_it():
    examples = combinations()
    predicted = forward(load("sentence-4"), examples.tokens).predicted
    assert ((predicted == examples.answers) | (examples.answers == UNASKED)).all()
