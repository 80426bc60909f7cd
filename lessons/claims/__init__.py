"""Statements about the layer, each with what settles it; and the questions that people ask, with their answers in numbers."""

import lessons.claims.formats
import lessons.claims.parameters
import lessons.claims.served  # noqa: F401 (these three for their experiments, which are found by name)
from lessons.claims.experiments import measure
from lessons.claims.questions import (
    adapters,
    attention,
    choices,
    grouped,
    hardware,
    memory,
    parameters,
    precision,
    sizes,
    variables,
)  # fmt: skip
from lessons.claims.records import ARTICLES, VERDICTS, Answer, Claim, Judgement, Question, Run, See
from lessons.claims.statements import arrays, calls, conventions, costs, heads

__all__ = [
    "ARTICLES", "CLAIMS", "QUESTIONS", "STARTERS", "TOPICS", "VERDICTS",
    "Answer", "Claim", "Judgement", "Question", "Run", "See", "measure",
]  # fmt: skip

_BY_TOPIC = {"heads": heads, "arrays": arrays, "costs": costs, "calls": calls, "conventions": conventions}
#: In the order in which they are read: by article, then by line.
CLAIMS: tuple[Claim, ...] = tuple(sorted(
    (claim for module in _BY_TOPIC.values() for claim in module.CLAIMS),
    key=lambda claim: (ARTICLES.index(claim.source.article), claim.source.line, claim.number),
))  # fmt: skip
#: The numbers of the claims about each topic.
TOPICS: dict[str, frozenset[int]] = {
    topic: frozenset(claim.number for claim in module.CLAIMS) for topic, module in _BY_TOPIC.items()
}
#: Those to begin with: what heads are and cost, a few of each verdict, and none that needs more than the paper's layer.
STARTERS = frozenset((83, 87, 91, 96, 99, 100, 103, 104, 107, 43))
_ASKED = (attention, memory, parameters, sizes, variables, hardware, precision, grouped, adapters, choices)
QUESTIONS: tuple[Question, ...] = tuple(sorted(
    (question for module in _ASKED for question in module.QUESTIONS),
    key=lambda question: question.id,
))  # fmt: skip
