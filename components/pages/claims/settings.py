"""What the address may say on the pages of claims and questions."""

from lessons.claims import ARTICLES, CLAIMS, QUESTIONS, TOPICS, VERDICTS
from mha.settings import text, word

ALL, OPEN, TEN = "all", "open", "first ten"
MOST_SEARCH = 60
#: Claims by their row in the table of the articles' statements; the first is shown where the address names none.
CLAIM = word("claim", tuple(str(claim.number) for claim in CLAIMS), "Claim")
IDS = tuple(question.id for question in QUESTIONS)
TOPIC = word(
    "topic", (TEN, ALL, *TOPICS), "Topic", "The first ten are those to begin with, where nothing else is chosen or searched for."
)
SEARCH = text("contains", MOST_SEARCH, "Search", "Words or numbers, in any order.")
ARTICLE = word("article", (ALL, *(article.key for article in ARTICLES)), "Article")
VERDICT = word("verdict", (ALL, OPEN, *VERDICTS), "Verdict, once guessed")
QUESTION = word("question", IDS, "Question")
SETTINGS = (CLAIM, TOPIC, SEARCH, ARTICLE, VERDICT, QUESTION)
