"""The questions that people ask, by subject."""

from lessons.claims.questions import attention, sizes, variables
from lessons.claims.records import Question

MODULES = (attention, sizes, variables)
QUESTIONS: tuple[Question, ...] = tuple(
    sorted((question for module in MODULES for question in module.QUESTIONS), key=lambda question: question.id)
)
