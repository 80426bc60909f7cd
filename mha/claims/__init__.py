"""Statements about the layer, each with what settles it; and the questions that people ask, with their answers in numbers."""

from mha.claims.answers import Answer, Question
from mha.claims.measuring import measure
from mha.claims.model import ARTICLES, VERDICTS, Claim, Judged, Run, See
from mha.claims.replies import QUESTIONS
from mha.claims.said import CLAIMS

__all__ = ["ARTICLES", "CLAIMS", "QUESTIONS", "VERDICTS", "Answer", "Claim", "Judged", "Question", "Run", "See", "measure"]
