"""What the address may say on the pages of claims and questions."""

from mha.claims import ARTICLES, CLAIMS, QUESTIONS, VERDICTS

ALL, OPEN = "all", "open"
#: Claims by their row in the table of the articles' statements; the first is shown where the address names none.
NUMBERS = tuple(str(claim.number) for claim in CLAIMS)
IDS = tuple(question.id for question in QUESTIONS)
CHOICES = {
    "claim": NUMBERS,
    "article": (ALL, *(article.key for article in ARTICLES)),
    "verdict": (ALL, OPEN, *VERDICTS),
    "question": IDS,
}
