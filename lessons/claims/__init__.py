"""Statements about the layer, each with what settles it; and the questions that people ask, with their answers in numbers."""

from lessons.claims.answers import QUESTIONS
from lessons.claims.claim import ARTICLES, VERDICTS, Claim, Judged, Run, See
from lessons.claims.measure import measure
from lessons.claims.question import Answer, Question
from lessons.claims.statements import CLAIMS

__all__ = ["ARTICLES", "CLAIMS", "QUESTIONS", "VERDICTS", "Answer", "Claim", "Judged", "Question", "Run", "See", "measure"]
