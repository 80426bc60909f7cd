"""What a head looks at: six measures over thousands of windows of text, each with the value from which a head bears its name."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.arrays import Bools, Floats
from mha.language.store import report

#: A head is called after what it gives at least this share of its weight to, where there is such a word. Attention that is spread
#: evenly gives 0.07 to 0.10; to punctuation marks, which are many, 0.13.
THRESHOLD, TO_MANY = 0.25, 0.35


@dataclass(frozen=True, slots=True)
class HeadName:
    """`measured`: the share of a head's weight that is measured, and from which words; `threshold`: from which share on a head
    is called so."""

    label: str
    measured: str
    threshold: float = THRESHOLD


NAMES = {
    "previous": HeadName("previous word", "on the word before, from every word that has two before it"),
    "same": HeadName("same word", "on the word itself, from every word but the start"),
    "first": HeadName("first position", "on the start, from every word that has a word between"),
    "punctuation": HeadName("punctuation", "on punctuation marks two or more words back, where there is one", TO_MANY),
    "subject": HeadName(
        "the clause's subject", "on the last pronoun, name or noun before the clause's verb, where it is two or more words back"),
    "verb": HeadName("the last verb", "on the last verb of the clause, where it is two or more words back"),
}  # fmt: skip
UNNAMED = "unnamed"


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


PUNCTUATION = _listed(", . ; : ! ? -- ( ) \" '")
CLAUSE_ENDS = _listed(". ; : ! ? --")
#: What can be a verb's subject: pronouns, names and frequent nouns, most of them for people. Only the last one before a verb is.
SUBJECTS = _listed("""
    i he she it we you they there this nobody everybody mr mrs miss
    emma elizabeth elinor marianne fanny anne catherine harriet jane edmund crawford darcy knightley weston elton bingley
    willoughby wentworth wickham collins churchill fairfax tilney thorpe elliot edward frank henry john charles mary lydia
    isabella eleanor maria julia lucy thomas william walter norris dashwood bennet woodhouse bertram jennings
    middleton russell brandon ferrars rushworth allen bates musgrove louisa charlotte morland smith
    man men woman women lady ladies gentleman gentlemen girl girls boy child children people person friend friends family
    sister sisters brother mother father daughter son aunt uncle cousin husband wife captain colonel sir mama papa party
    letter house room day time heart mind eyes
""")
#: Forms that are hardly ever anything but verbs, most of them finite.
VERBS = _listed("""
    is was are were am has had have did do does could would should might must may can cannot will shall don't won't didn't
    said says say thought think thinks knew know knows saw see sees came come comes went go goes gave give gives took take
    made make makes found felt feel heard hear told tell left got began became brought kept ran sat stood spoke wrote met
    understood lost held fell drew grew threw ate drank sang slept laughed loved liked hated wanted wished hoped seemed seems
    looked walked talked turned asked answered replied cried called continued added believed believe suppose lived married
    appeared remained returned passed received followed entered arrived stopped started opened closed tried used helped
    danced smiled listened observed declared expected determined played sent read let put
""")


def targets(words: Sequence[str]) -> dict[str, Bools]:
    """For each measure where the weight of each row should be, axes "ts": rows without True are not measured. The first of
    `words` is the start mark. A map is causal, so a row's target stands before it or is itself."""
    count = len(words)
    rows, keys = np.arange(count)[:, None], np.arange(count)
    marks = np.array([word in PUNCTUATION for word in words])
    subject, verb = _grammar(words)
    far = rows - keys >= 2
    return {
        "previous": (keys == rows - 1) & (rows >= 2),
        "same": (keys == rows) & (rows >= 1),
        "first": (keys == 0) & far,
        "punctuation": marks & far,
        "subject": (keys == subject[:, None]) & far,
        "verb": (keys == verb[:, None]) & far,
    }


def _grammar(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """For each word the places of its clause's subject and last verb so far, itself counted in; -1 where there is none."""
    subjects, verbs = np.full(len(words), -1), np.full(len(words), -1)
    subject = verb = candidate = -1
    for place, word in enumerate(words):
        if word in CLAUSE_ENDS:
            subject = verb = candidate = -1
        elif word in VERBS:
            verb = place
            subject = candidate if candidate >= 0 else subject
            candidate = -1
        elif word in SUBJECTS:
            candidate = place
        subjects[place], verbs[place] = subject, verb
    return subjects, verbs


def measure(maps: Floats, wanted: dict[str, Bools]) -> dict[str, Floats]:
    """The mean weight on each measure's targets, axis "h". `maps`: axes "bhts"; `wanted`: axes "bts"."""
    result: dict[str, Floats] = {}
    for code, where in wanted.items():
        measured = where.any(axis=-1)
        on_target = np.einsum("bhts,bts->h", maps, where.astype(maps.dtype))
        result[code] = on_target / max(int(measured.sum()), 1)
    return result


def names_of(values: dict[str, float]) -> tuple[tuple[str, float], ...]:
    """The names whose threshold is met, the one met most clearly first."""
    met = [(code, values[code]) for code in NAMES if values[code] >= NAMES[code].threshold]
    return tuple(sorted(met, key=lambda one: one[1] / NAMES[one[0]].threshold, reverse=True))


def values_of(network: str, layer: int, head: int) -> dict[str, float]:
    """What was measured of a shipped network's head: the network's name ("d64-h4"), the layer from 1, the head from 0."""
    return report()["heads"][network][layer - 1][head]["values"]


def named(network: str, layer: int, head: int) -> tuple[tuple[str, float], ...]:
    """The head's names with the measured share; ((UNNAMED, 0.0),) where it meets none."""
    return names_of(values_of(network, layer, head)) or ((UNNAMED, 0.0),)
