"""The quiz: the effects of changes from whole arrays, and one right option in each question, the same for everyone."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount import Config, run
from headcount.trained import store
from headcount.trained.network import forward
from headcount.trained.sentence import QUESTIONS, Sentence
from lessons.quiz import COUNT, KINDS, MAX_SEED, ROUNDS, TAUGHT, QuizQuestion, deck

DECKS = range(12)
SEEDS = st.integers(0, MAX_SEED)


def text(shape) -> str:
    return "(" + ", ".join(str(n) for n in shape) + ")"


def numbers(q: QuizQuestion) -> list[int]:
    """The numbers in the question."""
    return [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", q.asks)]


def changed(sentence: Sentence, head: int) -> np.ndarray:
    """For each question at the last verb, whether its answer changes in a pass in which this head's result is 0."""
    whole = store.load("sentence-4")
    w_o = whole.weights["layer1_w_o"].copy()
    w_o[head] = 0
    without = replace(whole, weights={**whole.weights, "layer1_w_o": w_o})
    before, after = (forward(one, sentence.examples.tokens).predicted[0, sentence.last_verb] for one in (whole, without))
    return before != after


def fallen(sentence: Sentence, head: int) -> str:
    """The one question at the last verb whose answer fails without the head."""
    (only,) = np.flatnonzero(changed(sentence, head))
    return QUESTIONS[only]


def what_grows(one: Config, other: Config) -> dict[str, bool]:
    """For each option's words, whether the arrays of two layers differ in it."""
    a, b = run(one), run(other)
    kernels = ("w_q", "w_k", "w_v", "w_o")
    return {
        "the cells of all attention maps": a.weights.values.size != b.weights.values.size,
        "the weights in W_Q, W_K, W_V and W_O": sum(a[n].values.size for n in kernels) != sum(b[n].values.size for n in kernels),
        "the multiply-adds of the projections": one.size("(hv)") != other.size("(hv)"),
        "the width of the output": a.output.shape[-1] != b.output.shape[-1],
    }


def test_of_what_may_grow_with_the_heads_the_right_option_alone_does():
    """By hand, from their reasons: tests/lessons/test_quiz_reasons.py."""
    asked = [q for seed in DECKS for q in deck(seed) if q.kind == "grows"]
    assert len(asked) == len(DECKS)
    for q in asked:
        grows = what_grows(q.cfg.with_heads(1, paper=True), q.cfg)
        assert [option.right for option in q.options] == [grows[option.text] for option in q.options], q.asks


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_every_question_has_one_right_option_and_different_ones(seed):
    questions = deck(seed)
    assert len(questions) == COUNT >= 18
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


def test_none_is_asked_before_a_page_taught_it():
    """The walk shows sentences, but no weight matrix's shape, mask or gate. Each later round has its page."""
    assert {*TAUGHT} == {*ROUNDS}
    pages = [where.partition("?")[0] for where in TAUGHT.values()]
    assert [page for page in pages if page] == ["projections", "attention", "concatenation", "keras_layer"]
    for seed in DECKS:
        questions = deck(seed)
        first = " ".join(f"{q.asks} {' '.join(o.text + o.why for o in q.options)}" for q in questions[: len(ROUNDS["the walk"])])
        assert not re.search(r"kernel|mask|gate|array|return_|\bT\b|\bS\b", first)
        early = " ".join(q.asks for q in questions if KINDS[q.kind] not in ROUNDS["the Keras layer"])
        assert not re.search(r"kernel|mask|gate", early)


def test_each_round_asks_of_one_topic_and_the_first_of_what_the_walk_has_taught():
    assert sum(map(len, ROUNDS.values())) == len(KINDS) == COUNT, "no kind is in two rounds"
    for seed in DECKS:
        kinds = [KINDS[question.kind] for question in deck(seed)]
        assert kinds[0] is KINDS["paper_count"]
        for own in ROUNDS.values():
            assert {*kinds[: len(own)]} == {*own}
            del kinds[: len(own)]
    assert len({deck(seed) for seed in DECKS}) == len(DECKS), "seeds differ"
    places = Counter(q.answer for seed in DECKS for q in deck(seed))
    assert all(places[place] > COUNT for place in range(4)), "the right option stands in every place"
