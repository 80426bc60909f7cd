"""Who did what: sentences of two clauses; each verb must answer who did it, to whom and where, each pronoun whom it means.

A clause is "X V Z in P" or "in P X V Z", its verb active ("calls") or passive ("called-by"): who is on which side of the verb
does not tell who did it. The first clause has a woman and a man, so that "she" and "he" in the second are clear.
"""

import re

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

#: The number of each word among the answers; UNASKED for words that answer nothing.
_ANSWER = np.array([ANSWERS.index(word) if word in ANSWERS else UNASKED for word in WORDS])


def encode(fields: Ints) -> Examples:
    """Clauses, axes "bcf" (two of six fields; names and places as word numbers), as tokens (word, position) with answers."""
    count = len(fields)
    words = np.full((count, LENGTH), ID["and"])
    answers = np.full((count, LENGTH, len(QUESTIONS)), UNASKED)
    answer_at = np.full_like(answers, UNASKED)
    rows = np.arange(count)
    for clause, start in ((0, 0), (1, 6)):
        subject, verb, passive, other, place, fronted = fields[:, clause].T
        first = start + 2 * fronted  # where X stands
        at = start + 3 * (1 - fronted)  # where "in" stands
        form = ID[ACTIVE[0]] + verb + len(ACTIVE) * passive
        for offset, word in enumerate((subject, form, other)):
            words[rows, first + offset] = word
        words[rows, at], words[rows, at + 1] = ID["in"], place
        agent, patient = first + 2 * passive, first + 2 * (1 - passive)
        for question, place_of in enumerate((agent, patient, at + 1)):
            answers[rows, first + 1, question] = _ANSWER[words[rows, place_of]]
            answer_at[rows, first + 1, question] = place_of
        if clause:
            woman = np.minimum(fields[:, 0, SUBJECT], fields[:, 0, OBJECT])
            man = np.maximum(fields[:, 0, SUBJECT], fields[:, 0, OBJECT])
            meant = np.where(subject == ID["she"], woman, man)
            is_pronoun = subject >= ID["she"]
            pronouns = rows[is_pronoun], first[is_pronoun], 0
            answers[pronouns] = meant[is_pronoun]
            answer_at[pronouns] = (words == meant[:, None]).argmax(axis=1)[is_pronoun]
    positions = np.broadcast_to(np.arange(LENGTH), words.shape)
    return Examples(np.stack([words, positions], axis=-1).astype(np.int32), answers, answer_at)


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
    """`count` sentences, each drawn independently."""
    return encode(draw_fields(rng, count))


TASK = Task("sentence", (("word", len(WORDS)), ("position", LENGTH)), QUESTIONS, ANSWERS, LENGTH, draw)

# A sentence that somebody typed, as the network reads it, or what is wrong with it.

FORM = "two clauses joined by “and”, each like “Ana calls Bob in Rome” or “in Rome Ana called-by Bob”"
MOST_CHARACTERS = 160
_BY_LOWER = {word.lower(): word for word in WORDS}


class UnreadableSentence(ValueError):
    """`args[0]` says what is wrong; `word`: the visitor's words that it is about, if any."""

    def __init__(self, sentence: str, word: str = ""):
        super().__init__(sentence)
        self.word = word


def read(text: str) -> Examples:
    """One sentence as a batch of one, with its right answers. UnreadableSentence names what does not fit."""
    words = [_known(word) for word in re.sub(r"(?i)\b(\w+) by\b", r"\1-by", text[:MOST_CHARACTERS]).replace(".", " ").split()]
    if len(words) != LENGTH or words[5] != "and":
        raise UnreadableSentence(f"It must be {LENGTH} words: {FORM}; it has {len(words)}.")
    clauses = [_clause(words[:5], first=True), _clause(words[6:], first=False)]
    named = [word for clause in clauses for word in (clause[SUBJECT], clause[OBJECT]) if word < len(NAMES)]
    if len(set(named)) < len(named):
        raise UnreadableSentence("Nobody may be named twice.", WORDS[max(named, key=named.count)])
    if len({NAMES[word] in WOMEN for word in named[:2]}) < 2:
        raise UnreadableSentence("The first clause must name one woman and one man, so that “she” and “he” are clear.")
    return encode(np.array([clauses]))


def _known(word: str) -> str:
    if word.lower() not in _BY_LOWER:
        raise UnreadableSentence("The network knows 34 words, and this is none of them.", word)
    return _BY_LOWER[word.lower()]


def _clause(words: list[str], *, first: bool) -> list[int]:
    """The fields of "X V Z in P" or "in P X V Z"."""
    fronted = words[0] == "in"
    (subject, verb, other), (inside, place) = (words[2:], words[:2]) if fronted else (words[:3], words[3:])
    clause = " ".join(words)
    if inside != "in" or place not in PLACES:
        raise UnreadableSentence(f"Each clause must say where, with “in” and one of {', '.join(PLACES)}, first or last.", clause)
    if verb not in (*ACTIVE, *PASSIVE):
        raise UnreadableSentence(f"Between two people stands one of {', '.join((*ACTIVE, *PASSIVE))}.", clause)
    if other not in NAMES or (subject not in NAMES and (first or subject not in ("she", "he"))):
        allowed = "names" if first else "names; “she” or “he” may begin the second clause"
        raise UnreadableSentence(f"On both sides of the verb stand {allowed}.", clause)
    fields = [0] * 6
    fields[SUBJECT], fields[OBJECT], fields[PLACE], fields[FRONTED] = ID[subject], ID[other], ID[place], int(fronted)
    fields[IS_PASSIVE] = int(verb in PASSIVE)
    fields[VERB] = (PASSIVE if fields[IS_PASSIVE] else ACTIVE).index(verb)
    return fields


def spell(examples: Examples, number: int = 0) -> str:
    """The words of one example, as `read` takes them."""
    return " ".join(WORDS[int(word)] for word in examples.tokens[number, :, 0])
