"""Questions to predict before one looks: drawn from a seed, answered by computing, wrong in the ways in which people are."""

from lessons.quiz.deck import COUNT, KINDS, SEED_MOST, deck
from lessons.quiz.question import Option, Question

__all__ = ["COUNT", "KINDS", "SEED_MOST", "Option", "Question", "deck"]
