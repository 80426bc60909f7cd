"""What the address may say on the pages of claims and questions."""

from lessons.claims import ARTICLES, CLAIMS, QUESTIONS, VERDICTS
from mha.settings import word

ALL, OPEN = "all", "open"
#: Claims by their row in the table of the articles' statements; the first is shown where the address names none.
CLAIM = word("claim", tuple(str(claim.number) for claim in CLAIMS), "Claim")
IDS = tuple(question.id for question in QUESTIONS)
ARTICLE = word("article", (ALL, *(article.key for article in ARTICLES)), "Article")
VERDICT = word("verdict", (ALL, OPEN, *VERDICTS), "Verdict, once guessed")
QUESTION = word("question", IDS, "Question")
SETTINGS = (CLAIM, ARTICLE, VERDICT, QUESTION)
