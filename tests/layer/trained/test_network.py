"""The shipped networks in NumPy, compared with a second computation and with the known effects of changes. Also the shipped
files: they fit their manifest, are small, and reach the required rates."""

import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

from headcount.trained import sentence, store
from headcount.trained.measures import measure, without_each
from headcount.trained.network import forward
from headcount.trained.sentence import combinations
from headcount.trained.store import FOLDER, Broken, load, manifest, report
from headcount.trained.task import UNASKED, fixed_examples

NAMES = (*manifest("sentence")["networks"],)
OF_STOPS = (*manifest("stops")["networks"],)


def some(name, count=13):
    return fixed_examples(load(name).task)[:count]


def slowly(network, tokens):
    """The logits of one example in float64, head by head and query by query, with the softmax written out."""
    w = {name: weight.astype(np.float64) for name, weight in network.weights.items()}
    x = np.array([sum(w[f"embed_{name}"][row[i]] for i, (name, _) in enumerate(network.task.features)) for row in tokens])
    out = np.zeros_like(x) + w["layer1_b_o"]
    for head in range(network.heads):
        q, k, v = (x @ w[f"layer1_w_{letter}"][:, head] + w[f"layer1_b_{letter}"][head] for letter in "qkv")
        for t in range(len(x)):
            scores = [math.exp(q[t] @ k[s] / math.sqrt(k.shape[1])) for s in range(len(x))]
            out[t] += sum(score * v[s] for s, score in enumerate(scores)) / sum(scores) @ w["layer1_w_o"][head]
    return (out @ w["answer_w"] + w["answer_b"]).reshape(len(x), len(network.task.questions), -1)


@pytest.mark.parametrize("name", [*NAMES, *OF_STOPS])
def test_the_forward_pass_is_the_one_written_out(name):
    network, examples = load(name), some(name, 3)
    made = forward(network, examples.tokens).logits
    for number, tokens in enumerate(examples.tokens):
        expected = slowly(network, tokens)
        np.testing.assert_allclose(made[number], expected, atol=3e-4, rtol=2e-5)


@pytest.mark.parametrize("name", [*NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in OF_STOPS)])
def test_every_shipped_network_gets_what_the_manifest_says(name):
    network, told = load(name), manifest(load(name).task.name)["networks"][name]["accuracy"]
    np.testing.assert_allclose(measure(network, fixed_examples(network.task)).accuracy, told, atol=6e-4)


def test_a_network_cut_for_another_number_and_back_is_the_same_and_one_that_does_not_divide_is_refused():
    network, examples = load("sentence-4"), some("sentence-4")
    for heads in sentence.HEADS:
        cut = network.cut_for(heads)
        assert b"".join(w.tobytes() for w in cut.weights.values()) == b"".join(w.tobytes() for w in network.weights.values())
        assert forward(cut, examples.tokens).trace.weights.shape == (13, heads, 13, 13)
        again = forward(cut.cut_for(4), examples.tokens).logits
        np.testing.assert_array_equal(again, forward(network, examples.tokens).logits)
    for heads in (5, 48):
        with pytest.raises(ValueError, match=f"heads must divide 16, got {heads}"):
            network.cut_for(heads)


@pytest.mark.parametrize("name", ["sentence-4", "sentence-8", "sentence-2"])
def test_all_heads_removed_in_turn_is_each_removed_alone(name):
    """A head is removed if its rows of W_O are 0."""
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


def test_the_heads_of_a_sentences_network_stand_in_the_order_of_the_questions():
    """The first head attends more than the others to the answer of who. Of the rest, the next does to whom; then where and
    when."""
    for name in (*manifest("sentence")["networks"], *OF_STOPS):
        looks = np.array(manifest(load(name).task.name)["networks"][name]["on_answer"])
        for place in range(min(looks.shape)):
            assert looks[place, place] == looks[place, place:].max(), name


TASKS = ("sentence", "stops")


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "trained")
    return tmp_path / "trained"


def test_a_changed_byte_in_the_weights_is_said_and_nothing_is_read(folder, monkeypatch):
    path = folder / "sentence.npz"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    monkeypatch.setattr(store.np, "load", lambda *a, **k: pytest.fail("looked into a file that is not ours"))
    with pytest.raises(Broken, match=r"`sentence\.npz` are not those that were trained"):
        load("sentence-4", folder)


def test_a_file_that_goes_on_is_not_read_to_its_end(folder):
    with (folder / "sentence.npz").open("ab") as file:
        file.write(bytes(1 << 20))
    with pytest.raises(Broken):
        load("sentence-1", folder)


def test_missing_files_are_said(folder):
    (folder / "sentence.npz").unlink()
    with pytest.raises(Broken, match=r"`sentence\.npz` are missing"):
        load("sentence-2", folder)
    (folder / "report.json").write_text("{")
    with pytest.raises(Broken, match=r"`report.json` .* missing or damaged"):
        report("sentence", folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(Broken, match=r"`manifest.json` .* missing or damaged"):
        load("sentence-1", folder)


def test_loaded_weights_cannot_be_changed_by_one_visitor_for_all():
    with pytest.raises(ValueError, match="read-only"):
        load("sentence-4").weights["answer_b"][0] = 1


def test_all_shipped_files_are_small_and_in_the_manifest_with_every_head_count_of_a_task():
    files = list(FOLDER.iterdir())
    assert sum(path.stat().st_size for path in files) < 3_000_000
    assert (FOLDER / manifest("stops")["file"]).stat().st_size < 2_500_000
    named = {manifest(task)["file"] for task in TASKS}
    assert {path.name for path in files} == named | {"manifest.json", "report.json"}
    paper = {f"sentence-{heads}" for heads in sentence.HEADS}
    assert {*manifest("sentence")["networks"]} == paper | {f"sentence-{heads}-key4" for heads in (1, 2, 8)}


def runs(name):
    return report(store.task_of(name).name)["runs"][name]


def shown(name):
    facts = manifest(store.task_of(name).name)
    return next(run for run in runs(name) if run["seed"] == facts["networks"][name].get("seed", facts["seed"]))


def test_in_the_shipped_networks_each_question_has_a_head_of_its_own():
    assert min(shown("sentence-4")["mass"]) >= sentence.NAME_FROM
    assert shown("sentence-4")["heads"] == [1, 2, 3, 4]


def test_one_head_cannot_tell_who_from_whom_with_any_seed():
    assert len(runs("sentence-1")) == len(runs("sentence-4")) == 10
    assert max(min(run["accuracy"][:2]) for run in runs("sentence-1")) < 0.6
    assert min(shown("sentence-4")["accuracy"]) > 0.999
