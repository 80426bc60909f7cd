"""What the walk keeps in the address: whether it is on, at which step, and what was guessed on the way."""

from lessons.walk import GUESSES, STEPS
from mha.settings import Whole, word

ASKED = tuple(word(step.asks, ("none", *GUESSES)) for step in STEPS if step.asks)
SETTINGS = (word("present", ("0", "1")), Whole(code="step", default=1, least=1, most=len(STEPS)), *ASKED)
