"""The settings, the search results and the record of the page Questions."""

from collections.abc import Iterator

from components.page import Item, Page, address
from headcount import Config, count_parameters
from headcount.settings import Whole, Word, text, word
from lessons.question import TOPICS, See
from lessons.questions import BY_ID, QUESTIONS

#: Settings of the page: the query, the topic, the question whose card is open, and the number of results shown.
ALL, TEN = "all", 10
FIND = text("find", 500, "Find", "A word, a name as Keras spells it, a number or a shape.")
TOPIC = Word(
    code="topic", choices=(ALL, *TOPICS), default=ALL, label="Topic", spelt=True,
    labels=("All", "Heads and maps", "Arrays", "Costs", "Calls and masks", "Conventions"),
)  # fmt: skip
QUESTION = word("question", ("none", *BY_ID), "Question")
SHOWN = Whole(code="shown", default=TEN, least=TEN, most=1000, label="Questions shown")


def items() -> Iterator[Item]:
    """The page's entries for the search: each question, found by the words of the question and of the answer."""
    for one in QUESTIONS:
        numbers = " ".join(f"{what} {value}" for what, value in one.answer.rows)
        text = f"{_layer_in_words(one.see)} {numbers}"
        yield Item("question", one.asks, address("questions", {"question": one.id}), text, one.answer.text, one.asked)


def _layer_in_words(see: See) -> str:
    """The settings under which a page shows an answer, as text for the search. A parameter count follows if d_model is given."""
    of_layer = ("d_model", "num_heads", "key_dim", "value_dim", "use_bias")
    sizes = {key: value for key, value in see.query.items() if key in of_layer}
    spelt = " ".join(f"{key} {value}" for key, value in see.query.items())
    try:
        return f"{spelt} {count_parameters(Config(**sizes)):,}" if "d_model" in sizes else spelt  # type: ignore[arg-type]
    except ValueError:
        return spelt


PAGE = Page(
    "questions", "Questions", "if you look for an answer", lab=False, settings=(FIND, TOPIC, QUESTION, SHOWN),
    listed=("question",), items=items,
)  # fmt: skip
