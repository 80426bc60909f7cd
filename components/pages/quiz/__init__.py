from components.page import Page
from headcount.settings import Whole, text
from lessons.quiz import COUNT, MAX_SEED

QUIZ = Whole(
    code="quiz", default=1, most=MAX_SEED, label="Quiz",
    help="Each number gives one quiz: everyone with that number gets the same questions.",
)  # fmt: skip
QUIZ_NUMBER = Whole(code="number", default=1, least=1, most=COUNT, label="Question")
ANSWERS = text("answers", 2 * COUNT, "Answers")

PAGE = Page("quiz", "Quiz", lab=False, settings=(QUIZ, QUIZ_NUMBER, ANSWERS), asked="test yourself, exercises")
