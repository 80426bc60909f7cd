"""The questions that people ask, by subject."""

from mha.claims.answers import Question
from mha.claims.replies import heads, inside, masks, sizes, weights, widths

_FILES = (heads, inside, masks, sizes, weights, widths)
QUESTIONS: tuple[Question, ...] = tuple(
    sorted((asked for file in _FILES for asked in file.QUESTIONS), key=lambda asked: asked.id)
)
