"""Statements about the layer, each with what settles it; and the questions that people ask, with their answers in numbers."""

from lessons.claims.experiments import measure
from lessons.claims.questions import attention, sizes, variables
from lessons.claims.records import ARTICLES, VERDICTS, Answer, Claim, Judgement, Question, Run, See
from lessons.claims.statements import arrays, calls, conventions, costs, heads

__all__ = ["ARTICLES", "CLAIMS", "QUESTIONS", "VERDICTS", "Answer", "Claim", "Judgement", "Question", "Run", "See", "measure"]

#: In the order in which they are read: by article, then by line.
CLAIMS: tuple[Claim, ...] = tuple(sorted(
    (claim for module in (arrays, calls, conventions, costs, heads) for claim in module.CLAIMS),
    key=lambda claim: (ARTICLES.index(claim.source.article), claim.source.line, claim.number),
))  # fmt: skip
QUESTIONS: tuple[Question, ...] = tuple(sorted(
    (question for module in (attention, sizes, variables) for question in module.QUESTIONS), key=lambda question: question.id
))  # fmt: skip
