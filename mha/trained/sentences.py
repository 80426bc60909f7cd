"""Who did what: sentences of two clauses; each verb must say who did it, to whom and where, each pronoun whom it means.

A clause is "X V Z in P" or "in P X V Z", its verb active ("calls") or passive ("called-by"): who is on which side of the verb
does not say who did it. The first clause has a woman and a man, so that "she" and "he" in the second are clear.
"""

import numpy as np

from mha.arrays import Ints
from mha.trained.task import UNASKED, Examples, Task

WOMEN = ("Ana", "Bea", "Cleo", "Dora", "Eva", "Fay")
MEN = ("Abe", "Bob", "Carl", "Dan", "Eli", "Finn")
NAMES = (*WOMEN, *MEN)
ACTIVE = ("calls", "sees", "helps", "meets", "hugs", "thanks")
PASSIVE = ("called-by", "seen-by", "helped-by", "met-by", "hugged-by", "thanked-by")
PLACES = ("Rome", "Oslo", "Lima", "Cairo", "Delhi", "Kyoto")
WORDS = (*NAMES, *ACTIVE, *PASSIVE, *PLACES, "in", "and", "she", "he")
ANSWERS = (*NAMES, *PLACES, "she", "he")
QUESTIONS = ("who", "whom", "where")
LENGTH = 11
ID = {word: number for number, word in enumerate(WORDS)}
SUBJECT, VERB, IS_PASSIVE, OBJECT, PLACE, FRONTED = range(6)  # the fields of a clause

#: The answer that is a given word; UNASKED for words that answer nothing.
_ANSWER = np.array([ANSWERS.index(word) if word in ANSWERS else UNASKED for word in WORDS])


def encode(fields: Ints) -> Examples:
    """Clauses, axes "bcf" (two of six fields; names and places as word numbers), as tokens (word, position) with answers."""
    count = len(fields)
    words = np.full((count, LENGTH), ID["and"])
    answers = np.full((count, LENGTH, len(QUESTIONS)), UNASKED)
    asked = np.full_like(answers, UNASKED)
    rows = np.arange(count)
    for clause, start in ((0, 0), (1, 6)):
        subject, verb, passive, other, place, fronted = fields[:, clause].T
        first = start + 2 * fronted  # where X stands
        at = start + 3 * (1 - fronted)  # where "in" stands
        said = ID[ACTIVE[0]] + verb + len(ACTIVE) * passive
        for offset, word in enumerate((subject, said, other)):
            words[rows, first + offset] = word
        words[rows, at], words[rows, at + 1] = ID["in"], place
        agent, patient = first + 2 * passive, first + 2 * (1 - passive)
        for question, place_of in enumerate((agent, patient, at + 1)):
            answers[rows, first + 1, question] = _ANSWER[words[rows, place_of]]
            asked[rows, first + 1, question] = place_of
        if clause:
            woman = np.minimum(fields[:, 0, SUBJECT], fields[:, 0, OBJECT])
            man = np.maximum(fields[:, 0, SUBJECT], fields[:, 0, OBJECT])
            meant = np.where(subject == ID["she"], woman, man)
            is_pronoun = subject >= ID["she"]
            who = rows[is_pronoun], first[is_pronoun], 0
            answers[who] = meant[is_pronoun]
            asked[who] = (words == meant[:, None]).argmax(axis=1)[is_pronoun]
    positions = np.broadcast_to(np.arange(LENGTH), words.shape)
    return Examples(np.stack([words, positions], axis=-1).astype(np.int32), answers, asked)


def draw_fields(rng: np.random.Generator, count: int) -> Ints:
    """`count` sentences as the fields of their clauses, axes "bcf". Clause 2 begins with a pronoun in 6 of 10."""
    fields = np.zeros((count, 2, 6), dtype=np.int64)
    fields[:, :, VERB] = rng.integers(0, len(ACTIVE), (count, 2))
    fields[:, :, IS_PASSIVE] = rng.integers(0, 2, (count, 2))
    fields[:, :, PLACE] = ID[PLACES[0]] + rng.integers(0, len(PLACES), (count, 2))
    fields[:, :, FRONTED] = rng.integers(0, 2, (count, 2))
    pair = np.stack([rng.integers(0, 6, count), 6 + rng.integers(0, 6, count)], axis=1)
    turned = rng.integers(0, 2, count)
    rows = np.arange(count)
    fields[:, 0, SUBJECT], fields[:, 0, OBJECT] = pair[rows, turned], pair[rows, 1 - turned]
    lots = rng.random((count, len(NAMES)))
    np.put_along_axis(lots, pair, 2.0, axis=1)  # the second clause names others than the first
    others = lots.argsort(axis=1)
    pronoun = ID["she"] + rng.integers(0, 2, count)
    fields[:, 1, SUBJECT] = np.where(rng.random(count) < 0.6, pronoun, others[:, 0])
    fields[:, 1, OBJECT] = others[:, 1]
    return fields


def draw(rng: np.random.Generator, count: int) -> Examples:
    """`count` sentences, every one of them drawn anew."""
    return encode(draw_fields(rng, count))


TASK = Task("sentence", (("word", len(WORDS)), ("position", LENGTH)), QUESTIONS, ANSWERS, LENGTH, draw)
