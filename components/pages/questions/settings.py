"""What the page of questions has in the address."""

from lessons.claims import BY_ID, TOPICS
from mha.settings import Whole, Word, text, word

ALL, TEN = "all", 10
FIND = text("find", 200, "Find", "A word, a name as Keras spells it, a number or a shape.")
TOPIC = Word(
    code="topic", choices=(ALL, *TOPICS), default=ALL, label="Topic", spelt=True,
    labels=("All", "Heads and maps", "Arrays", "Costs", "Calls and masks", "Conventions"),
)  # fmt: skip
#: The one whose card is open.
QUESTION = word("question", ("none", *BY_ID), "Question")
SHOWN = Whole(code="shown", default=TEN, least=TEN, most=1000, label="Shown")
SETTINGS = (FIND, TOPIC, QUESTION, SHOWN)
