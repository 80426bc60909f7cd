"""Statements about the layer, each with what settles it; and the questions that people ask, with their answers in numbers."""

from lessons.claims.experiments import measure
from lessons.claims.questions import QUESTIONS
from lessons.claims.records import ARTICLES, VERDICTS, Answer, Claim, Judgement, Question, Run, See
from lessons.claims.statements import CLAIMS

__all__ = ["ARTICLES", "CLAIMS", "QUESTIONS", "VERDICTS", "Answer", "Claim", "Judgement", "Question", "Run", "See", "measure"]
