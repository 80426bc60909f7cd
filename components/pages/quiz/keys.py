"""What the quiz keeps in the address: which questions, which of them, and what was answered."""

from lessons.quiz import COUNT, SEED_MOST
from mha.settings import Whole, text

QUIZ = Whole(
    code="quiz", default=1, most=SEED_MOST, label="Quiz",
    help="Any number is a quiz, and the same number gives everyone the same questions.",
)  # fmt: skip
NUMBER = Whole(code="number", default=1, least=1, most=COUNT, label="Question")
ANSWERS = text("answers", 2 * COUNT, "Answers")
SETTINGS = (QUIZ, NUMBER, ANSWERS)
