"""The questions that people ask, by subject."""

from lessons.claims.answers import heads, inside, masks, sizes, weights, widths
from lessons.claims.question import Question

_FILES = (heads, inside, masks, sizes, weights, widths)
QUESTIONS: tuple[Question, ...] = tuple(
    sorted((asked for file in _FILES for asked in file.QUESTIONS), key=lambda asked: asked.id)
)
