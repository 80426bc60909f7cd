"""A sentence that somebody typed, as the network reads it; or what is wrong with it."""

import re

import numpy as np

from mha.trained.sentences import (  # fmt: skip
    ACTIVE,
    FRONTED,
    ID,
    IS_PASSIVE,
    LENGTH,
    NAMES,
    OBJECT,
    PASSIVE,
    PLACE,
    PLACES,
    SUBJECT,
    VERB,
    WOMEN,
    WORDS,
    encode,
)
from mha.trained.task import Examples

FORM = "two clauses joined by “and”, each like “Ana calls Bob in Rome” or “in Rome Ana called-by Bob”"
MOST_CHARACTERS = 160
_BY_LOWER = {word.lower(): word for word in WORDS}


class Unreadable(ValueError):
    """`args[0]` is a sentence of ours; `word`, where there is one, is the visitor's word that it is about."""

    def __init__(self, sentence: str, word: str = ""):
        super().__init__(sentence)
        self.word = word


def read(text: str) -> Examples:
    """One sentence as a batch of one, with its right answers. `Unreadable` says what is not in the vocabulary or the form."""
    words = [_known(word) for word in re.sub(r"(?i)\b(\w+) by\b", r"\1-by", text[:MOST_CHARACTERS]).replace(".", " ").split()]
    if len(words) != LENGTH or words[5] != "and":
        raise Unreadable(f"It must be {LENGTH} words: {FORM}; it has {len(words)}.")
    clauses = [_clause(words[:5], first=True), _clause(words[6:], first=False)]
    named = [word for clause in clauses for word in (clause[SUBJECT], clause[OBJECT]) if word < len(NAMES)]
    if len(set(named)) < len(named):
        raise Unreadable("Nobody may be named twice.", WORDS[max(named, key=named.count)])
    if len({NAMES[word] in WOMEN for word in named[:2]}) < 2:
        raise Unreadable("The first clause must name one woman and one man, so that “she” and “he” are clear.")
    return encode(np.array([clauses]))


def _known(word: str) -> str:
    if word.lower() not in _BY_LOWER:
        raise Unreadable("The network knows 34 words, and this is none of them.", word)
    return _BY_LOWER[word.lower()]


def _clause(words: list[str], *, first: bool) -> list[int]:
    """The fields of "X V Z in P" or "in P X V Z"."""
    fronted = words[0] == "in"
    (subject, verb, other), (inside, place) = (words[2:], words[:2]) if fronted else (words[:3], words[3:])
    said = " ".join(words)
    if inside != "in" or place not in PLACES:
        raise Unreadable(f"Each clause must say where, with “in” and one of {', '.join(PLACES)}, first or last.", said)
    if verb not in (*ACTIVE, *PASSIVE):
        raise Unreadable(f"Between two people stands one of {', '.join((*ACTIVE, *PASSIVE))}.", said)
    if other not in NAMES or (subject not in NAMES and (first or subject not in ("she", "he"))):
        allowed = "names" if first else "names; “she” or “he” may begin the second clause"
        raise Unreadable(f"On both sides of the verb stand {allowed}.", said)
    made = [0] * 6
    made[SUBJECT], made[OBJECT], made[PLACE], made[FRONTED] = ID[subject], ID[other], ID[place], int(fronted)
    made[IS_PASSIVE] = int(verb in PASSIVE)
    made[VERB] = (PASSIVE if made[IS_PASSIVE] else ACTIVE).index(verb)
    return made


def spell(examples: Examples, number: int = 0) -> str:
    """The words of one example, as `read` takes them."""
    return " ".join(WORDS[int(word)] for word in examples.tokens[number, :, 0])
