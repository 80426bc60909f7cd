"""Questions to answer before looking: drawn from a seed, answered by computing, with the wrong answers that people give."""

from lessons.quiz.deck import COUNT, KINDS, SEED_MOST, deck
from lessons.quiz.question import Option, Question

__all__ = ["COUNT", "KINDS", "SEED_MOST", "Option", "Question", "deck"]
