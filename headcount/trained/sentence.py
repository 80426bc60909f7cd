"""Sentences for the trained networks, of two clauses "X V Z in P T" or "in P X V Z T": people X and Z, verb V, place P, time T.
The verb asks who did it, to whom, where and when. A pronoun asks whom it means. The verb is active ("calls") or passive
("is-called-by"), so word order does not tell who did it. The first clause names a woman and a man, so pronouns are clear."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from headcount.arrays import Floats, Ints
from headcount.text_bounds import MAX_SENTENCE
from headcount.trained.task import UNASKED, Examples, Task

WOMEN = ("Ana", "Bea", "Cleo", "Dora", "Eva", "Fay")
MEN = ("Abe", "Bob", "Carl", "Dan", "Eli", "Finn")
NAMES = (*WOMEN, *MEN)
ACTIVE = ("calls", "sees", "helps", "meets", "hugs", "thanks")
PASSIVE = ("is-called-by", "is-seen-by", "is-helped-by", "is-met-by", "is-hugged-by", "is-thanked-by")
PLACES = ("Rome", "Oslo", "Lima", "Cairo", "Delhi", "Kyoto")
TIMES = ("today", "now", "later", "soon", "often", "twice")
PRONOUNS = ("she", "he")
WORDS = (*NAMES, *ACTIVE, *PASSIVE, *PLACES, *TIMES, "in", "and", *PRONOUNS)
ANSWERS = (*NAMES, *PLACES, *TIMES, *PRONOUNS)
QUESTIONS = ("who", "whom", "where", "when")
#: The question that a pronoun asks: whom the pronoun means.
MEANS = "means"
LENGTH = 13
D_MODEL = 16
#: Every number of heads that divides d_model = 16.
HEADS = (1, 2, 4, 8, 16)
#: In Keras's convention: key and value size, and numbers of heads. Four heads would give the paper's layer.
KEY_DIM, KERAS_HEADS = 4, (1, 2, 8)
PRONOUN_SHARE = 0.6  # of the second clauses begin with a pronoun
ID = {word: number for number, word in enumerate(WORDS)}
SUBJECT, VERB, IS_PASSIVE, OBJECT, PLACE, FRONTED, TIME = range(7)  # the fields of a clause
CLAUSE = 6  # words; "and" joins the two clauses

#: For each word, its index in ANSWERS, or UNASKED if the word is never an answer.
_ANSWER = np.array([ANSWERS.index(word) if word in ANSWERS else UNASKED for word in WORDS])


def encode(fields: Ints) -> Examples:
    """Encodes sentences as examples with right answers. `fields` has the axes (sentence, clause, field from SUBJECT to TIME)."""
    count = len(fields)
    words = np.full((count, LENGTH), ID["and"])
    answers = np.full((count, LENGTH, len(QUESTIONS)), UNASKED)
    answer_at = np.full_like(answers, UNASKED)
    rows = np.arange(count)
    for clause, start in ((0, 0), (1, CLAUSE + 1)):
        subject, verb, passive, other, place, fronted, time = fields[:, clause].T
        first = start + 2 * fronted  # place of X
        at = start + 3 * (1 - fronted)  # place of "in"
        form = ID[ACTIVE[0]] + verb + len(ACTIVE) * passive
        for offset, word in enumerate((subject, form, other)):
            words[rows, first + offset] = word
        words[rows, at], words[rows, at + 1], words[:, start + CLAUSE - 1] = ID["in"], place, time
        agent, patient = first + 2 * passive, first + 2 * (1 - passive)
        for question, place_of in enumerate((agent, patient, at + 1, np.full(count, start + CLAUSE - 1))):
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


def sample_fields(rng: np.random.Generator, count: int) -> Ints:
    """Draws random sentences. Returns the fields of their clauses, axes (sentence, clause, field)."""
    fields = np.zeros((count, 2, 7), dtype=np.int64)
    fields[:, :, VERB] = rng.integers(0, len(ACTIVE), (count, 2))
    fields[:, :, IS_PASSIVE] = rng.integers(0, 2, (count, 2))
    fields[:, :, PLACE] = ID[PLACES[0]] + rng.integers(0, len(PLACES), (count, 2))
    fields[:, :, TIME] = ID[TIMES[0]] + rng.integers(0, len(TIMES), (count, 2))
    fields[:, :, FRONTED] = rng.integers(0, 2, (count, 2))
    pair = np.stack([rng.integers(0, 6, count), 6 + rng.integers(0, 6, count)], axis=1)
    turned = rng.integers(0, 2, count)
    rows = np.arange(count)
    fields[:, 0, SUBJECT], fields[:, 0, OBJECT] = pair[rows, turned], pair[rows, 1 - turned]
    lots = rng.random((count, len(NAMES)))
    np.put_along_axis(lots, pair, 2.0, axis=1)  # the second clause names others than the first
    others = lots.argsort(axis=1)
    pronoun = ID["she"] + rng.integers(0, 2, count)
    fields[:, 1, SUBJECT] = np.where(rng.random(count) < PRONOUN_SHARE, pronoun, others[:, 0])
    fields[:, 1, OBJECT] = others[:, 1]
    return fields


def sample(rng: np.random.Generator, count: int) -> Examples:
    return encode(sample_fields(rng, count))


TASK = Task("sentence", D_MODEL, (("word", len(WORDS)), ("position", LENGTH)), QUESTIONS, ANSWERS, LENGTH, sample)

#: The default sentence of the pages.
DEFAULT_TEXT = "Ana calls Dan in Rome today and she thanks Carl in Oslo later"
FORM = "two clauses joined by “and”, each like “Ana calls Dan in Rome today” or “in Rome Ana is called by Dan today”"
#: Least mean attention weight on the answers to a question for which a head is named after the question.
NAME_FROM = 0.8
BLENDS = "blends"
_BY_LOWER = {word.lower(): word for word in WORDS}


class UnreadableSentence(ValueError):
    """Error: a sentence cannot be read. `args[0]`: the reason and what is allowed. `word`: the wrong word or clause, or ""."""

    def __init__(self, sentence: str, word: str = ""):
        super().__init__(sentence)
        self.word = word


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence for the networks, as the fields of its two clauses (see `encode`)."""

    fields: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def examples(self) -> Examples:
        """The sentence as a batch of one example, with the right answers."""
        return encode(np.array([self.fields]))

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(WORDS[int(word)] for word in self.examples.tokens[0, :, 0])

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def last_verb(self) -> int:
        """The 0-based position of the second clause's verb."""
        return CLAUSE + 2 + 2 * self.fields[1][FRONTED]

    @property
    def pronoun(self) -> str:
        """The pronoun that is the subject of the second clause, or "" if the subject is a name."""
        word = WORDS[self.fields[1][SUBJECT]]
        return word if word in PRONOUNS else ""

    def has(self, field: int) -> bool:
        """Returns whether the second clause is passive (`field` IS_PASSIVE) or begins with its place (`field` FRONTED)."""
        return bool(self.fields[1][field])

    def flipped(self, field: int) -> "Sentence":
        """Returns the sentence with one change to its second clause: `field`, IS_PASSIVE or FRONTED, is inverted."""
        return self._second(field, 1 - self.fields[1][field])

    def with_pronoun(self, word: str) -> "Sentence":
        """Returns the sentence with "she" or "he" as the subject of its second clause."""
        return self._second(SUBJECT, ID[word])

    def with_other_names(self) -> "Sentence":
        """Returns the sentence with each name replaced by the next name in WOMEN or MEN. The first name follows the last."""
        first, second = (list(clause) for clause in self.fields)
        for clause in (first, second):
            for field in (SUBJECT, OBJECT):
                if clause[field] < len(NAMES):
                    clause[field] = clause[field] // 6 * 6 + (clause[field] + 1) % 6
        return Sentence((tuple(first), tuple(second)))

    def _second(self, field: int, value: int) -> "Sentence":
        second = list(self.fields[1])
        second[field] = value
        return Sentence((self.fields[0], tuple(second)))


def read(text: str) -> Sentence:
    """Reads a typed sentence. Raises UnreadableSentence, which says what is wrong and what is allowed."""
    if len(text) > MAX_SENTENCE:
        raise UnreadableSentence(f"It may have at most {MAX_SENTENCE} characters; it has {len(text):,}. It reads {FORM}.")
    plain = re.sub(r"(?i)\b(?:is[ -])?(\w+)[ -]by\b", r"is-\1-by", re.sub(r"[.,;!?]", " ", text))
    words = [_known(word) for word in plain.split()]
    if len(words) != LENGTH or words[CLAUSE] != "and":
        raise UnreadableSentence(f"It must be {LENGTH} words: {FORM}; it has {len(words)}.")
    clauses = _clause(words[:CLAUSE], first=True), _clause(words[CLAUSE + 1 :], first=False)
    named = [word for clause in clauses for word in (clause[SUBJECT], clause[OBJECT]) if word < len(NAMES)]
    if len(set(named)) < len(named):
        raise UnreadableSentence("Nobody may be named twice.", WORDS[max(named, key=named.count)])
    if len({NAMES[word] in WOMEN for word in named[:2]}) < 2:
        raise UnreadableSentence("The first clause must name one woman and one man, so that “she” and “he” are clear.")
    return Sentence(clauses)


def _known(word: str) -> str:
    if word.lower() not in _BY_LOWER:
        raise UnreadableSentence(f"The network knows only {len(WORDS)} words. It reads {FORM}.", word)
    return _BY_LOWER[word.lower()]


def _clause(words: Sequence[str], *, first: bool) -> tuple[int, ...]:
    """Returns the fields of a clause, "X V Z in P T" or "in P X V Z T". Raises UnreadableSentence for any other clause."""
    *words, time = words
    fronted = words[0] == "in"
    (subject, verb, other), (inside, place) = (words[2:], words[:2]) if fronted else (words[:3], words[3:])
    clause = " ".join((*words, time))
    if time not in TIMES:
        raise UnreadableSentence(f"Each clause must end with when: one of {', '.join(TIMES)}.", clause)
    if inside != "in" or place not in PLACES:
        raise UnreadableSentence(f"Each clause must say where, with “in” and one of {', '.join(PLACES)}, first or last.", clause)
    if verb not in (*ACTIVE, *PASSIVE):
        raise UnreadableSentence(f"One of {', '.join((*ACTIVE, *PASSIVE))} must stand between two people.", clause)
    if other not in NAMES or (subject not in NAMES and (first or subject not in PRONOUNS)):
        allowed = "names" if first else "names; “she” or “he” may begin the second clause"
        raise UnreadableSentence(f"The words on both sides of the verb must be {allowed}.", clause)
    passive = verb in PASSIVE
    number = (PASSIVE if passive else ACTIVE).index(verb)
    return ID[subject], number, int(passive), ID[other], ID[place], int(fronted), ID[time]


DEFAULT = read(DEFAULT_TEXT)


def read_or_default(text: str) -> Sentence:
    """Reads a typed sentence; returns the default sentence for a blank text. Raises UnreadableSentence like `read`."""
    return read(text) if text.strip() else DEFAULT


def combinations() -> Examples:
    """Makes 32 forms of the default sentence: each clause active or passive, its place first or last, and "she" or "he"."""
    fields: list[list[list[int]]] = []
    for *switches, pronoun in product((0, 1), (0, 1), (0, 1), (0, 1), PRONOUNS):
        clauses = [list(clause) for clause in DEFAULT.fields]
        for clause, passive, fronted in zip(clauses, switches[:2], switches[2:], strict=True):
            clause[IS_PASSIVE], clause[FRONTED] = passive, fronted
        clauses[1][SUBJECT] = ID[pronoun]
        fields.append(clauses)
    return encode(np.array(fields))


def head_names(attention_on_answer: Floats, questions: Sequence[str] = QUESTIONS) -> tuple[str, ...]:
    """Names each head after the question on whose answers it has its largest mean attention weight. If this weight is below
    NAME_FROM, the name is BLENDS. `attention_on_answer` has the mean weights, axes (question, head)."""
    best = map(int, attention_on_answer.argmax(axis=0))
    return tuple(questions[r] if attention_on_answer[r, h] >= NAME_FROM else BLENDS for h, r in enumerate(best))


@dataclass(frozen=True, slots=True)
class SentenceAnswer:
    """A question and the network's answer. `row`: the 0-based position of the word that asks. `right_at`: the 0-based position of
    the right answer. `question`: one of QUESTIONS, or MEANS at a pronoun."""

    row: int
    word: str
    question: str
    given: str
    right: str
    right_at: int

    @property
    def is_right(self) -> bool:
        return self.given == self.right


def answers(sentence: Sentence, predicted: Ints) -> tuple[SentenceAnswer, ...]:
    """Lists a sentence's questions with answers, in the order of the words. `predicted` has the axes (position, question)."""
    examples, words = sentence.examples, sentence.words
    return tuple(
        SentenceAnswer(
            row, words[row], MEANS if words[row] in PRONOUNS else QUESTIONS[question], ANSWERS[int(predicted[row, question])],
            ANSWERS[int(examples.answers[0, row, question])], int(examples.answer_at[0, row, question]),
        )
        for row, question in _asked(examples)
    )  # fmt: skip


def _asked(examples: Examples) -> list[tuple[int, int]]:
    return [(int(row), int(question)) for row, question in np.argwhere(examples.answers[0] != UNASKED)]


def asked_rows(sentence: Sentence) -> tuple[int, ...]:
    """Lists the 0-based positions with a question. Only these rows of an attention map were trained."""
    return tuple(dict.fromkeys(row for row, _ in _asked(sentence.examples)))
