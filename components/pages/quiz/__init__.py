from components.page import Page
from headcount.settings import Switch, Whole, text
from lessons.quiz import COUNT, MAX_SEED

QUIZ = Whole(
    code="quiz", default=1, most=MAX_SEED, label="Quiz",
    help="Each number gives one quiz: everyone with that number gets the same questions.",
)  # fmt: skip
QUIZ_NUMBER = Whole(code="number", default=1, least=1, most=COUNT, label="Question")
ANSWERS = text("answers", 2 * COUNT, "Answers")
#: For a class: an answer is kept, and what is right appears on a press. `REVEALED`: the question it was pressed for; 0: none.
TOGETHER = Switch(
    code="together", default=False, label="Show when all have answered",
    help="For a class: a click on an answer does not yet show what is right; a button does.",
)  # fmt: skip
REVEALED = Whole(code="revealed", default=0, most=COUNT, label="Revealed")

PAGE = Page(
    "quiz", "Quiz", lab=False, settings=(QUIZ, QUIZ_NUMBER, ANSWERS, TOGETHER, REVEALED), asked="test yourself, exercises",
)  # fmt: skip
