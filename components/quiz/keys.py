"""What the quiz keeps in the address: which questions, which of them, and what was answered."""

from mha.quiz import COUNT, SEED_MOST

CHOICES: dict[str, tuple[str, ...]] = {}
NUMBERS = {"quiz": (0, SEED_MOST, 1), "number": (1, COUNT, 1)}
