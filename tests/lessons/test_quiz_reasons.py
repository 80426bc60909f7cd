"""Every reason in the quiz is true: each option's number by its reason, and each number in a reason, by hand."""

import re
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from headcount.trained import store
from headcount.trained.network import forward
from headcount.trained.sentence import ACTIVE, ANSWERS, MEN, PASSIVE, QUESTIONS, WOMEN, read
from lessons.quiz import KINDS, QuizQuestion, deck
from tests.lessons.test_quiz import changed, fallen, numbers, text

DECKS = range(30)


def sizes(q: QuizQuestion) -> SimpleNamespace:
    """A question's sizes: those of its layer before a change, if it has one, and the others in its text."""
    cfg, asked = q.cfg, numbers(q)
    h, v, T = cfg.num_heads, cfg.value_dim, cfg.query_len
    if q.kind == "keras_count_doubled":
        h //= 2
    if q.kind == "longer":
        T //= 2
    return SimpleNamespace(
        D=cfg.d_model, h=h, k=cfg.key_dim, v=v, T=T, S=cfg.key_len, b=int(cfg.use_bias), B=[*asked, 0][0],
        q=q,
    )  # fmt: skip


def count(D: int, h: int, k: int, v: int, b: int) -> int:
    return D * h * (2 * k + v) + h * v * D + b * (h * (2 * k + v) + D)


def root(n: int) -> str:
    return f"√{n} ≈ {n**0.5:.2f}"


def read_of(s: SimpleNamespace):
    return read(dict(s.q.choices)["tokens"])


def said_of(clause: Sequence[str]) -> dict[str, str]:
    """Who does what to whom, where and when, by the order of a clause's words. "She" is the woman of the first clause."""
    verb = next(place for place, word in enumerate(clause) if word in (*ACTIVE, *PASSIVE))
    who, whom = clause[verb - 1], clause[verb + 1]
    if clause[verb] in PASSIVE:
        who, whom = whom, who
    return {"who": who, "whom": whom, "where": clause[clause.index("in") + 1], "when": clause[-1]}


def share(s: SimpleNamespace) -> int:
    """The percentage of a row that the named head gives to its word."""
    head = QUESTIONS.index(re.search(r"head named “(\w+)”", s.q.asks)[1])
    words = read_of(s)
    row = forward(store.load("sentence-4"), words.examples.tokens).trace.weights.values[0, head, words.last_verb]
    assert words.words[int(row.argmax())] == right(s.q)
    return int(re.findall(r"\d+", per_cent(row.max()))[0])


def right(q: QuizQuestion) -> str:
    return q.options[q.answer].text


def per_cent(share: float) -> str:
    return {"0%": "under 1%", "100%": "over 99%"}.get(said := f"{share:.0%}", said)


def minus(value: float, places: int = 2) -> str:
    return f"{value:.{places}f}".replace("-", "−")


def whose(q: QuizQuestion, heads: int = 4):
    """The words, the place of the last verb, and a pass of a trained network computed by the test's own code."""
    words = read(next(value for key, value in q.choices if key in ("tokens", "sentence")))
    return words.words, words.last_verb, forward(store.load(f"sentence-{heads}"), words.examples.tokens)


def of_she(q: QuizQuestion) -> dict[str, str]:
    words, _, passed = whose(q)
    at = next(place for place, word in enumerate(words) if word in ("she", "he"))
    row = passed.trace.weights.values[0, dict(q.choices)["head"] - 1, at]
    people = [word for word in words if word in (*WOMEN, *MEN)]
    meant = next(word for word in people[:2] if word in (WOMEN if words[at] == "she" else MEN))
    share = {word: per_cent(row[words.index(word)]) for word in people}
    assert row.argmax() == words.index(meant), "the map tells it"
    assert q.asking == at
    of_row = f"of the row of “{words[at]}”"
    return {
        meant: f"“{meant}” has {share[meant]} {of_row}: the strongest cell.", "the map does not tell":
        f"The map tells: one cell of the row of “{words[at]}” has {share[meant]}.",
        **{word: f"“{word}” has {share[word]} {of_row}." for word in people if word != meant},
    }  # fmt: skip


def of_which_head(q: QuizQuestion) -> dict[str, str]:
    words, verb, passed = whose(q)
    row = passed.trace.weights.values[0, dict(q.choices)["head"] - 1, verb]
    said = {
        role: f"“{word}”, the answer to “{role}”, has {per_cent(row[7 + words[7:].index(word)])} of the row of “{words[verb]}”"
        for role, word in said_of(words[7:]).items()
    }
    (asked,) = [role for role, word in said_of(words[7:]).items() if 7 + words[7:].index(word) == row.argmax()]
    assert q.asking == verb
    others = {role: f"{one}." for role, one in said.items() if role != asked}
    return {asked: f"{said[asked]}, more than any other word."} | others


def of_one_head(q: QuizQuestion) -> dict[str, str]:
    words, verb, passed = whose(q, 1)
    row = passed.trace.weights.values[0, 0, verb]
    first, second = sorted(range(13), key=lambda place: -row[place])[:2]
    roles, given = said_of(words[7:]), passed.predicted[0, verb]
    wrong = [(role, ANSWERS[given[number]]) for number, role in enumerate(QUESTIONS) if ANSWERS[given[number]] != roles[role]]
    asked = re.search(r"Asked “(\w+)” at “(\w+)”, four heads say (\w+), and one head says (\w+)\.", q.asks).groups()
    assert (asked[0], asked[3]) == wrong[0]
    assert (asked[1], asked[2]) == (words[verb], roles[asked[0]])
    assert [ANSWERS[one] for one in whose(q)[2].predicted[0, verb]] == [roles[role] for role in QUESTIONS], "four heads are right"
    shares = ", ".join(f"{per_cent(row[place])} at “{words[place]}”" for place in (first, second))
    return {
        "one mix for all questions": f"One head has one row of weights for the word: {shares}. Four heads have four rows.",
        "fewer parameters": f"Both layers have {count(16, 1, 16, 16, 1):,} parameters.",
        "less of X": "One head reads all 16 numbers of each word, and so does each of four heads.",
        "a small key size": f"One head has key size 16, and each of four heads has only {16 // 4}.",
    }


def of_softmax(q: QuizQuestion) -> dict[str, str]:
    words, verb, passed = whose(q)
    head = dict(q.choices)["head"] - 1
    scores = passed.trace.q.values[0, verb, head] @ passed.trace.k.values[0, :, head].T / 2
    e = np.exp(scores)
    first, second = sorted(range(13), key=lambda place: -scores[place])[:2]
    total = passed.trace.weights.values[0, head, :, first].sum()
    asked = rf"In head {head + 1} the scores of “{words[verb]}”, divided by √d_k, go from (.*) to (.*?)\. "
    low, high = re.search(asked, q.asks).groups()
    assert (low, high) == (minus(scores.min(), 1), minus(scores.max(), 1))
    assert (scores / scores.sum()).min() < 0
    assert abs(total - 1) > 0.01
    keeps = per_cent(e[second] / e.sum())
    given = f"{per_cent(e[first] / e.sum())} for “{words[first]}”, then {keeps} for “{words[second]}”"
    return {
        "weights in the same order": f"The weights sum to 1, and the largest score gets the largest weight: {given}.",
        "the largest alone": "True of a hard maximum, which keeps only the largest score. Here the second largest score, "
        f"that of “{words[second]}”, gets {keeps}.",
        "scores / their sum": f"Then one weight would be {minus((scores / scores.sum()).min())}, but no weight is below 0.",
        "columns that sum to 1": f"The rows sum to 1. The column of “{words[first]}” sums to {minus(total)}.",
    }


def of_w_o_adds(q: QuizQuestion) -> dict[str, str]:
    words, verb, passed = whose(q)
    head = int(re.search(r"Without head (\d)", q.options[q.answer].why)[1]) - 1
    z, w_o = passed.trace.context.values[0], store.load("sentence-4").weights["layer1_w_o"]
    parts = [minus(z[verb, one] @ w_o[one][:, 0]) for one in range(4)]
    assert (np.abs(z[:, head] @ w_o[head]).max(axis=0) > 1e-6).all(), "every column has a part of that head"
    before, after = z[verb, 0, 0], passed.trace.output.values[0, verb, 0]
    return {
        "a mix of all heads": f"Without head {head + 1}, all 16 columns of the output change, not only 4 of them.",
        "more columns": f"{4 * 4} columns go in, and {w_o.shape[-1]} come out.",
        "the best head": f"W_O adds up a part from every head. At “{words[verb]}”, in column 1, "
        f"heads 1 to 4 add {', '.join(parts)}.",
        "nothing": f"At “{words[verb]}”, column 1 is {minus(before)} before W_O, and {minus(after)} after.",
    }


#: By kind of the walk's questions on the trained layers: every option and its reason, the right one first, by hand.
BY_HAND = {"she": of_she, "which_head": of_which_head, "one_head": of_one_head, "softmax": of_softmax, "w_o_adds": of_w_o_adds}


@pytest.mark.parametrize("kind", BY_HAND)
def test_each_reason_on_a_trained_layer_is_what_its_own_pass_says(kind: str):
    """Every word of it, in 30 quizzes whose verbs are active and whose words each occur once."""
    for q in (q for seed in DECKS for q in deck(seed) if q.kind == kind):
        wanted = BY_HAND[kind](q)
        assert q.options[q.answer].text == next(iter(wanted)), q.asks
        for option in q.options:
            assert option.why == wanted[option.text], q.asks
        words = whose(q)[0]
        assert not {*words} & {*PASSIVE}
        assert len({*words}) == 12, "only “in” twice"


def test_each_kind_has_its_reasons_told_by_hand():
    assert {*REASONS} | {*BY_HAND} == {*KINDS}
    assert not {*REASONS} & {*BY_HAND}


CELLS, KERNELS = "the cells of all attention maps", "the weights in W_Q, W_K, W_V and W_O"
WIDTH = "the width of the output"
#: By kind: how a reason begins (# for a number), the option that follows from it, and the numbers that the reason names.
REASONS: dict[str, dict[str, tuple]] = {
    "query_kernel": {
        "Keras keeps an axis": (lambda s: text((s.D, s.h, s.k)),),
        "True of one matrix with all heads side by side": (lambda s: text((s.D, s.h * s.k)),),
        "True of one matrix for all heads if heads · key_dim": (lambda s: text((s.D, s.D)), lambda s: [s.h, s.k, s.h * s.k]),
        "True of one matrix without an axis for the heads, if": (lambda s: text((s.D, s.k)), lambda s: [s.k]),
        "True of Keras's output kernel": (lambda s: text((s.h, s.k, s.D)),),
    },
    "weights": {
        "One map for each head of each sequence, with a row for each query": (lambda s: text((s.B, s.h, s.T, s.S)),),
        "True of PyTorch's default": (lambda s: text((s.B, s.T, s.S)),),
        "True if the queries looked at their own": (lambda s: text((s.B, s.h, s.T, s.T)),),
        "True if the keys were the rows": (lambda s: text((s.B, s.h, s.S, s.T)),),
        "True of the head outputs": (lambda s: text((s.B, s.h, s.T, s.v)),),
    },
    "concat": {
        "Together they have heads · value_dim = ": (lambda s: f"{s.h * s.v}", lambda s: [s.h, s.v]),
        "True if the heads had to share d_model": (lambda s: f"{s.D}",),
        "True if the outputs were as wide as the keys": (lambda s: f"{s.h * s.k}",),
        "True with one head, or if the outputs were added up": (lambda s: f"{s.v}",),
    },
    "piece": {
        "The slice has all ": (lambda s: f"{s.D} × {s.k}", lambda s: [s.D, s.D, s.h, s.D // s.h]),
        "True if a head got only a slice": (lambda s: f"{s.k} × {s.k}",),
        "True if every head had the full width": (lambda s: f"{s.D} × {s.D}", lambda s: [s.D]),
        "True of a head's slice of W_O": (lambda s: f"{s.v} × {s.D}",),
    },
    "reads": {
        "Every head gets all of X": (lambda s: f"{s.D}",),
        "True if the embedding were split": (lambda s: f"{s.D // s.h}", lambda s: [s.h]),
        "That is key_dim: how many numbers a query of one head has": (lambda s: f"{s.k}",),
        "That is heads · key_dim: how many numbers the queries of all heads have": (lambda s: f"{s.h * s.k}",),
    },
    "paper_count": {
        "The same matrices are cut into # slices": (lambda s: f"{count(s.D, 1, s.D, s.D, s.b):,}", lambda s: [s.h, s.D]),
        "True in Keras with key_dim kept": (lambda s: f"{count(s.D, s.h, s.D, s.D, s.b):,}", lambda s: [s.D]),
        "True of one head of key size ": (lambda s: f"{count(s.D, 1, s.D, s.D, s.b) // s.h:,}", lambda s: [s.D // s.h]),
        "This divides the count by the number of heads. But even one of the # heads alone would have ": (
            lambda s: f"{count(s.D, 1, s.D, s.D, s.b) // s.h:,}",
            lambda s: [s.h, count(s.D, 1, s.D // s.h, s.D // s.h, s.b)],
        ),
        "True if each head were a whole layer": (lambda s: f"{s.h * count(s.D, 1, s.D, s.D, s.b):,}",),
    },
    "keras_count_doubled": {
        "Each head has the whole key_dim and value_dim": (lambda s: f"{count(s.D, 2 * s.h, s.k, s.v, s.b):,}",),
        "True if the heads shared one width": (lambda s: f"{count(s.D, s.h, s.k, s.v, s.b):,}",),
        "True if W_O did not grow. But it has rows": (
            lambda s: f"{s.D * 2 * s.h * (2 * s.k + s.v) + s.h * s.v * s.D + s.b * (2 * s.h * (2 * s.k + s.v) + s.D):,}",
        ),
        "True if matrices and biases became four times as large": (lambda s: f"{4 * count(s.D, s.h, s.k, s.v, s.b):,}",),
        "True if b_O doubled, too": (lambda s: f"{count(s.D, 2 * s.h, s.k, s.v, s.b) + s.b * s.D:,}", lambda s: [s.D]),
    },
    "longer": {
        "No parameter's shape depends": (lambda s: f"{count(s.D, 1, s.D, s.D, s.b):,}",),
        "True if the layer held an embedding": (lambda s: f"{count(s.D, 1, s.D, s.D, s.b) + (2 * s.T - s.T) * s.D:,}",),
        "True if the maps were parameters": (
            lambda s: f"{count(s.D, 1, s.D, s.D, s.b) + s.h * ((2 * s.T) ** 2 - s.T**2):,}",
        ),
        "True if each token had its own weights": (lambda s: f"{2 * count(s.D, 1, s.D, s.D, s.b):,}",),
    },
    "map_sum": {
        "Each row, one per query, sums to 1": (lambda s: f"{s.T}", lambda s: [1]),
        "True if softmax ran over the whole map": (lambda s: "1",),
        "True if the columns summed to 1": (lambda s: f"{s.S}", lambda s: [1]),
        "True if every weight were 1": (lambda s: f"{s.T * s.S}", lambda s: [1]),
    },
    "grows": {
        "# cells become #: each head has its own map": (lambda s: CELLS, lambda s: [s.T * s.T, s.h * s.T * s.T]),
        "True if key_dim stayed ": (
            lambda s: (KERNELS, "the multiply-adds of the projections"), lambda s: [s.D, (4 * s.D**2, s.T * 4 * s.D**2)],
        ),
        "True if value_dim stayed # as heads are added, and no W_O followed": (lambda s: WIDTH, lambda s: [s.D]),
    },
    "divisor": {
        "The scores are sums of key_dim products": (lambda s: root(s.k),),
        "True if each head's queries were d_model wide": (lambda s: root(s.D),),
        "True if the scores grew with key_dim": (lambda s: f"{s.k}",),
        "True if the scores were sums of value_dim products": (lambda s: root(s.v),),
        "True of one head as wide as all": (lambda s: root(s.h * s.k),),
    },
    "finds": {
        "This word has ": (lambda s: right(s.q), lambda s: [share(s)]),
        **{
            f"That word answers “{role}”": (lambda s, role=role: said_of(read_of(s).words[7:])[role],)
            for role in QUESTIONS
        },
    },
    "falls": {
        "This answer is wrong without head #, and the three other answers": (
            lambda s: fallen(read_of(s), dict(s.q.choices)["head_off"] - 1),
            lambda s: [dict(s.q.choices)["head_off"]],
        ),
        "That answer stays right without head ": (
            lambda s: tuple(np.array(QUESTIONS)[~changed(read_of(s), dict(s.q.choices)["head_off"] - 1)]),
            lambda s: [dict(s.q.choices)["head_off"]],
        ),
    },
}  # fmt: skip
#: Words that a reason ends with where the layer has biases, and where it has none.
ENDS = {
    "keras_count_doubled": (". Only b_O stays as it is.", "its own slices."),
    "arrays": (", and a bias for each.", "for all heads."),
}  # fmt: skip


#: How the reasons of wrong options begin.
WRONG = ("True ", "That ", "This divides", "They start", "Keras has no such rule")


def begins(why: str, words: str) -> bool:
    return re.match(re.escape(words).replace(r"\#", r"[\d,]*\d"), why) is not None


def allowed(wanted: object, said: object) -> bool:
    return said in wanted if isinstance(wanted, tuple) else said == wanted


@pytest.mark.parametrize("kind", REASONS)
def test_each_option_is_what_follows_from_its_reason_and_each_number_in_a_reason_is_the_layers(kind: str):
    """In 30 rounds every reason occurs."""
    used = set()
    for q in (q for seed in DECKS for q in deck(seed) if q.kind == kind):
        s = sizes(q)
        for option in q.options:
            (begin,) = [begin for begin in REASONS[kind] if begins(option.why, begin)]
            used.add(begin)
            follows, *named = REASONS[kind][begin]
            assert allowed(follows(s), option.text), (q.asks, option)
            there = [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", option.why)]
            wanted = named[0](s) if named else []
            assert len(there) == len(wanted), (q.asks, option)
            assert all(map(allowed, wanted, there)), (q.asks, option)
            assert option.right == (option.text == right(q)) == (not begin.startswith(WRONG))
        if kind in ENDS:
            assert q.options[q.answer].why.endswith(ENDS[kind][1 - s.b])
    assert used == {*REASONS[kind]}, "each reason came up"
