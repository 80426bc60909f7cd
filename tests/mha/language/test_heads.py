"""Names of heads: planted ones get theirs, random ones get none."""

import numpy as np
import pytest

from mha.arrays import Array
from mha.config import Config
from mha.forward import run
from mha.language.heads import NAMES, PUNCTUATION, measure, names_of, targets
from mha.language.store import SIZES, load, report
from mha.language.text import split
from mha.params import Inputs, params_of
from training.novels import novels
from training.perplexity import windows

TEXT = novels()
SEEN, _ = windows(TEXT.ids, TEXT.held_out[::17])
WINDOWS = len(SEEN)
WORDS = [[TEXT.vocabulary[number] for number in window] for window in SEEN]
WHERE = {code: np.stack([targets(words)[code] for words in WORDS]) for code in NAMES}


def named(maps):
    """The names of each head of maps "bhts" of the first windows."""
    values = measure(maps, {code: where[: len(maps)] for code, where in WHERE.items()})
    each = [{code: float(shares[head]) for code, shares in values.items()} for head in range(maps.shape[1])]
    return [[code for code, _ in names_of(one)] for one in each]


def even(count=32):
    return np.tri(count) / np.arange(1, count + 1)[:, None]


@pytest.mark.parametrize("code", NAMES)
def test_a_head_that_looks_where_its_name_says_gets_it(code):
    """Even where it has nothing to look at, and elsewhere with a fifth of its weight, too."""
    where = WHERE[code]
    share = where / np.maximum(where.sum(axis=-1, keepdims=True), 1)
    maps = np.where(where.any(axis=-1, keepdims=True), 0.8 * share + 0.2 * even(), even())
    assert code in named(maps[:, None])[0]


def weights_of(x, w_q, w_k):
    """The maps of heads whose queries and keys are X·W_Q and X·W_K, by this project's own layer."""
    heads, size = w_q.shape[1:]
    cfg = Config(x.shape[2], heads, size, query_len=x.shape[1], mask="causal", batch=len(x), use_bias=False)
    zeros = {"w_v": np.zeros(w_q.shape), "w_o": np.zeros((heads, size, x.shape[2]))}
    inputs = Inputs(Array(x, "btm"), Array(x, "bsm"))
    return run(cfg, params=params_of({"w_q": w_q, "w_k": w_k, **zeros}), inputs=inputs)["weights"]


def test_heads_whose_weights_were_made_by_hand_for_one_rule_get_its_name_and_no_other():
    """X tells a word's place (32 numbers) and whether it is a mark (one). Four heads: W_Q asks for the place before, the same
    place, the first place, a mark."""
    marks = np.array([[word in PUNCTUATION for word in words] for words in WORDS], dtype=float)
    x = np.concatenate([np.broadcast_to(np.eye(32), (WINDOWS, 32, 32)), marks[..., None]], axis=2)
    w_q, w_k = np.zeros((33, 4, 33)), np.zeros((33, 4, 33))
    strong = 200.0
    w_k[:] = np.eye(33)[:, None]
    for place in range(32):
        w_q[place, 0, max(place - 1, 0)] = strong
        w_q[place, 1, place] = strong
        w_q[place, 2, 0] = strong
        w_q[place, 3, 32] = strong
    assert named(weights_of(x, w_q, w_k).values) == [["previous"], ["same"], ["first"], ["punctuation"]]


def test_random_heads_get_no_name_in_a_thousand_draws():
    """Half of them: weights as they are drawn before a training, on the words of a trained network. Half: any causal map, from
    soft to hard."""
    rng = np.random.default_rng(7)
    network = load(64, 4)
    few = 23  # windows: chance has more room than in many
    x = network.weights["words"][SEEN[:few]]
    x = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)
    found = []
    for _ in range(50):
        w_q, w_k = (rng.standard_normal((64, 10, 16)) / 8 for _ in range(2))
        found += named(weights_of(x, w_q, w_k).values)
    for draw in range(50):
        scores = rng.standard_normal((few, 10, 32, 32)) * (0.5 + draw / 5)
        hard = np.exp(scores) * np.tri(32)
        found += named(hard / hard.sum(axis=-1, keepdims=True))
    assert len(found) == 1000
    assert [names for names in found if names] == []


def test_attention_that_is_spread_evenly_has_no_name():
    assert named(np.broadcast_to(even(), (WINDOWS, 1, 32, 32))) == [[]]


def places(sentence, code):
    """For each word of a sentence the words that a measure asks for."""
    words = ["<s>", *split(sentence)]
    asked = zip(words, targets(words)[code], strict=True)
    return {word: [words[s] for s in np.flatnonzero(row)] for word, row in asked if row.any()}


def test_subjects_and_verbs_are_found_in_sentences_read_by_hand():
    assert places("the man who loved her was not so rich .", "subject") == {
        "loved": ["man"], "her": ["man"], "was": ["man"], "not": ["man"], "so": ["man"], "rich": ["man"]}
    assert places("she gave her sister the letter .", "verb") == {"sister": ["gave"], "the": ["gave"], "letter": ["gave"]}
    after = ("her", "sister", "the", "letter")
    assert places("she gave her sister the letter .", "subject") == {word: ["she"] for word in after}
    assert places("emma smiled ; it was late", "subject") == {"late": ["it"]}
    assert places("a very old house", "verb") == {}


def test_position_and_punctuation_by_hand():
    assert places("yes , he was", "punctuation") == {"was": [","]}
    assert places("he was", "previous") == {"was": ["he"]}
    assert places("he was", "same") == {"he": ["he"], "was": ["was"]}
    assert places("he was", "first") == {"was": ["<s>"]}


def test_a_share_by_hand():
    """Two rows are measured, 3 and 4: 0.5 and 0.25 of the weight."""
    maps = np.zeros((1, 1, 5, 5))
    maps[0, 0, 3, 1], maps[0, 0, 4, 1] = 0.5, 0.25
    where = np.zeros((1, 5, 5), dtype=bool)
    where[0, 3:, 1] = True
    assert measure(maps, {"previous": where})["previous"].tolist() == [0.375]


def test_names_come_by_how_clearly_they_are_met():
    values = {"previous": 0.41, "same": 0.1, "first": 0.24, "punctuation": 0.0, "subject": 0.45, "verb": 0.25}
    assert names_of(values) == (("subject", 0.45), ("previous", 0.41), ("verb", 0.25))


def test_every_head_of_every_shipped_network_is_measured():
    for d_model, heads in SIZES:
        layers = report()["heads"][f"d{d_model}-h{heads}"]
        assert [len(layer) for layer in layers] == [heads, heads]
        assert all(set(one["values"]) == set(NAMES) for layer in layers for one in layer)
