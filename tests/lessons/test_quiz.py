"""The quiz: each answer again by another way, from whole arrays where the question had formulas, and by hand where it ran."""

import importlib
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lessons.quiz
from lessons.quiz import COUNT, KINDS, MAX_SEED, ROUNDS, Question, changes, deck, pictures, sizes, trained
from lessons.quiz.pictures import mask_named
from lessons.quiz.question import DRAWN_BY, kind
from mha import Config, run
from mha.params import make_params
from mha.trained import store
from mha.trained.network import forward
from mha.trained.sentence import QUESTIONS, Sentence, read
from mha.variations import contributions

DECKS = range(12)
SEEDS = st.integers(0, MAX_SEED)


def text(shape) -> str:
    return "(" + ", ".join(str(n) for n in shape) + ")"


def arrays(cfg: Config) -> list[np.ndarray]:
    params = make_params(cfg)
    found = [getattr(params, name) for name in ("w_q", "b_q", "w_k", "b_k", "w_v", "b_v", "w_o", "b_o", "w_g", "b_g")]
    return [array.values for array in found if array is not None]


def size(cfg: Config) -> str:
    """All parameters, one array after the other."""
    return f"{sum(array.size for array in arrays(cfg)):,}"


def added(cfg: Config, **before: object) -> str:
    """Parameters that a layer has and the same one before a change had not."""
    return f"{sum(array.size for array in arrays(cfg)) - sum(array.size for array in arrays(replace(cfg, **before))):,}"


def numbers(q: Question) -> list[int]:
    """The numbers in the question."""
    return [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", q.asks)]


def widened(q: Question) -> str:
    before, after = map(int, re.search(r"from (\d+) to (\d+)", q.asks).groups())
    assert q.cfg.value_dim == after
    return added(q.cfg, value_dim=before)


def pass_by_hand(cfg: Config, x: np.ndarray) -> np.ndarray:
    """The whole layer head by head in float64, for one sequence."""
    p = make_params(cfg)
    bias = lambda name, head: 0 if getattr(p, name) is None else getattr(p, name).values[head]  # noqa: E731
    out = np.zeros((len(x), cfg.d_model)) + (0 if p.b_o is None else p.b_o.values)
    for head in range(cfg.num_heads):
        q, k, v = (x @ getattr(p, f"w_{n}").values[:, head].astype(float) + bias(f"b_{n}", head) for n in "qkv")
        scores = q @ k.T / np.sqrt(cfg.key_dim)
        for t in range(len(x)):
            seen = slice(0, t + 1 if cfg.mask == "causal" else None)
            weights = np.exp(scores[t, seen]) / np.exp(scores[t, seen]).sum()
            out[t] += weights @ v[seen] @ p.w_o.values[head]
    return out


def rows_by_hand(q: Question) -> str:
    x = np.random.default_rng(5).standard_normal((q.cfg.query_len, q.cfg.d_model))
    other = x.copy()
    other[-1] *= -2
    return str(int((np.abs(pass_by_hand(q.cfg, x) - pass_by_hand(q.cfg, other)).max(axis=1) > 1e-9).sum()))


def changed(sentence: Sentence, head: int) -> np.ndarray:
    """Whether each question's answer at the last verb is another in a pass in which this head's result is set to 0."""
    whole = store.load("sentence-4")
    w_o = whole.weights["layer1_w_o"].copy()
    w_o[head] = 0
    without = replace(whole, weights={**whole.weights, "layer1_w_o": w_o})
    before, after = (forward(one, sentence.examples.tokens).predicted[0, sentence.last_verb] for one in (whole, without))
    return before != after


def fallen(sentence: Sentence, head: int) -> str:
    """The one question at the last verb whose answer falls without the head."""
    (only,) = np.flatnonzero(changed(sentence, head))
    return QUESTIONS[only]


def what_differs(one: Config, other: Config) -> dict[str, bool]:
    """By the words of the options, whether two layers' arrays differ in it."""
    a, b = run(one), run(other)
    kernels = ("w_q", "w_k", "w_v", "w_o")
    return {
        "the cells of all attention maps": a.weights.values.size != b.weights.values.size,
        "the weights in W_Q, W_K, W_V and W_O": sum(a[n].values.size for n in kernels) != sum(b[n].values.size for n in kernels),
        "the multiply-adds of the projections": one.size("(hv)") != other.size("(hv)"),
        "the width of the output": a.output.shape[-1] != b.output.shape[-1],
        "the shape of the output": a.output.shape != b.output.shape,
        "the number of parameters": size(one) != size(other),
        "the columns of Concat": a.concat.shape[-1] != b.concat.shape[-1],
        "the shape of the query kernel": a["w_q"].shape != b["w_q"].shape,
        "the attention weights": a.weights.shape != b.weights.shape or not np.array_equal(a.weights.values, b.weights.values),
    }


def only(q: Question, differs: dict[str, bool], wanted: bool) -> str:
    """The one option of the question that differs, or does not."""
    (found,) = [option.text for option in q.options if differs[option.text] is wanted]
    return found


AGAIN = {
    "query_kernel": lambda q: text(make_params(q.cfg).w_q.shape),
    "output_kernel": lambda q: text(make_params(q.cfg).w_o.shape),
    "weights": lambda q: text(run(replace(q.cfg, batch=numbers(q)[0])).weights.shape),
    "output": lambda q: text(run(replace(q.cfg, batch=numbers(q)[0])).output.shape),
    "concat": lambda q: str(run(q.cfg).concat.shape[-1]),
    "piece": lambda q: " × ".join(map(str, make_params(q.cfg).w_q.values[:, 0].shape)),
    "reads": lambda q: str(np.count_nonzero(make_params(q.cfg).w_q.values[:, 0].any(axis=1))),
    "paper_count": lambda q: size(q.cfg),
    "keras_count_doubled": lambda q: size(q.cfg),
    "arrays": lambda q: str(len(arrays(q.cfg))),
    "bias_count": lambda q: str(sum(array.size for array in arrays(q.cfg)[1::2])),
    "gate_adds": lambda q: added(q.cfg, use_gate=False),
    "window_keys": lambda q: str(int(np.isfinite(run(q.cfg).masked.values[0, 0, q.cfg.sliding_window]).sum())),
    "wider_values": widened,
    "longer": lambda q: size(q.cfg),
    "map_cells": lambda q: str(run(q.cfg).weights.values.size),
    "map_sum": lambda q: f"{run(q.cfg).weights.values[0, 0].sum():.0f}",
    "masked_pairs": lambda q: str(int(np.isneginf(run(q.cfg).masked.values[0, 0]).sum())),
    "grows": lambda q: only(q, what_differs(q.cfg.with_heads(1, paper=True), q.cfg), True),
    "stays": lambda q: only(q, what_differs(replace(q.cfg, num_heads=q.cfg.num_heads // 2), q.cfg), False),
    "value_dim": lambda q: only(q, what_differs(replace(q.cfg, value_dim=numbers(q)[0]), q.cfg), True),
    "head_off": lambda q: str(np.count_nonzero(contributions(run(q.cfg))[numbers(q)[1] - 1].any(axis=0))),
    "last_token": rows_by_hand,
    "first_row": lambda q: f"{run(q.cfg).weights.values[0, 0, 0, 0]:.2f}",
    "keys_seen": lambda q: str(np.count_nonzero(run(q.cfg).weights.values[0, 0, numbers(q)[2] - 1])),
    "divisor": lambda q: f"√{q.cfg.key_dim} ≈ {np.sqrt(q.cfg.key_dim):.2f}",
    "legal": lambda q: "both" if q.cfg.d_model / q.cfg.num_heads == q.cfg.d_model // q.cfg.num_heads
    else "Keras builds it, PyTorch refuses it",
    "mask": lambda q: next(
        o.text for o in q.options if np.array_equal(mask_named(o.text, q.cfg), run(q.cfg).weights.values[0, 0] > 0)
    ),
    "padding": lambda q: next(
        o.text for o in q.options
        if (seen := mask_named(o.text, q.cfg)).all(axis=0).tolist() == [True] * (q.cfg.key_len - 2) + [False] * 2
        and not seen[:, -2:].any()
    ),
    "finds": lambda q: (words := read(dict(q.choices)["tokens"])).words[
        forward(store.load("sentence-4"), words.examples.tokens).trace.weights.values[
            0, QUESTIONS.index(re.search(r"head named “(\w+)”", q.asks)[1]), words.last_verb
        ].argmax()
    ],
    "falls": lambda q: fallen(read(dict(q.choices)["tokens"]), dict(q.choices)["head_off"] - 1),
    "cut": lambda q: "columns" if all(
        np.array_equal(make_params(q.cfg).w_q.values.reshape(q.cfg.d_model, -1)[:, h * q.cfg.key_dim:(h + 1) * q.cfg.key_dim],
                       make_params(q.cfg).w_q.values[:, h]) for h in range(q.cfg.num_heads)
    ) else "",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_option_is_what_another_way_gives(kind):
    asked = [q for seed in DECKS for q in deck(seed) if q.kind == kind]
    assert len(asked) >= len(DECKS)
    for q in asked:
        assert q.options[q.answer].text == AGAIN[kind](q), q.asks


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_every_question_has_one_right_option_and_different_ones(seed):
    questions = deck(seed)
    assert len(questions) == COUNT >= 30
    assert len({q.asks for q in questions}) == COUNT
    for q in questions:
        assert sum(option.right for option in q.options) == 1
        assert len({option.text for option in q.options}) == len(q.options)
        assert 3 <= len(q.options) <= 4
        assert all(option.why.endswith(".") for option in q.options)


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_a_seed_gives_everyone_the_same_questions(seed):
    first = deck(seed)
    deck.cache_clear()
    assert deck(seed) == first


def test_a_kind_is_what_is_marked_as_one_whatever_a_module_imports_under_its_name(monkeypatch: pytest.MonkeyPatch):
    for module in (changes, pictures, sizes, trained):
        for name in KINDS:
            monkeypatch.setattr(module, name, Config, raising=False)
    before = dict(vars(lessons.quiz))
    kinds = {*importlib.reload(lessons.quiz).KINDS.values()}
    vars(lessons.quiz).update(before)  # other modules hold the tables that were there
    assert kinds == {*DRAWN_BY.values()}
    assert all(draw.__module__.startswith("lessons.quiz.") for draw in DRAWN_BY.values())
    with pytest.raises(ValueError, match="two kinds of questions called map_sum"):
        kind(type("map_sum", (), {}))


def test_each_round_asks_of_one_topic_and_the_first_of_what_the_walk_has_taught():
    assert sorted(kind for kinds in ROUNDS.values() for kind in kinds) == sorted(KINDS)
    for seed in DECKS:
        kinds = [question.kind for question in deck(seed)]
        assert kinds[0] == "paper_count"
        assert [{*kinds[i : i + 8]} for i in range(0, COUNT, 8)] == [{*own} for own in ROUNDS.values()]
    assert len({deck(seed) for seed in DECKS}) == len(DECKS), "seeds differ"
    places = Counter(q.answer for seed in DECKS for q in deck(seed))
    assert all(places[place] > COUNT for place in range(4)), "the right option stands in every place"
