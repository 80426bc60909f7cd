"""Answers lead to their own numbers: what an answer or a verdict names stands on the page that its "see it" link opens.

Those that NumPy gives; what the real Keras gives is on its page only where Keras is installed.
"""

import re

import numpy as np
import pytest

from lessons.claims import QUESTIONS, measure
from tests.app.driver import open_page, pictures, text, whole

#: What stands for itself: a shape, "4 of 8", a count with thousands, a number with decimals. Small numbers are on every page.
TELLING = re.compile(r"\([\d,]+(?: [\d,]+)+\)|\b\d+ of \d+\b|\b\d{1,3}(?:,\d{3})+\b|\b\d+\.\d+\b")
COUNT = re.compile(r"\b\d{1,3}(?:,\d{3})+\b")
#: Questions and claims whose link shows what is meant, while no page writes a number that their runs give.
ONLY_MEASURED = {
    "q23": "sums of columns", "q25": "the mean over heads", "q36": "a view by tokens", "q39": "heads that are removed",
    "q48": "differences between Q, K and V", "q50": "one more key of zeros", "r15": "tokens in another order",
    "r30": "what float16 holds", "r52": "True for False",
    "r60": "triangles that are not square", "r63": "other trained layers than the one shown", "r64": "percentages",
    "r68": "keys in another order", "r75": "what float16 and bfloat16 hold",
    "c94": "three models; the page shows one",
}  # fmt: skip


def telling(words: str) -> list[str]:
    """Shapes with the sign that pages have between two sizes as well."""
    found = list(dict.fromkeys(TELLING.findall(words)))
    return found + [shape.strip("()").replace(", ", " × ") for shape in found if shape.startswith("(") and shape.count(", ") == 1]


def on_page(page: str, query: dict[str, object]) -> str:
    """All that is written there, in pictures and in their cells as well, without the marks of bold type."""
    at = whole(open_page(page, **query))
    parts = [text(at)]
    for element in at.get("bidi_component"):
        parts.append(element.proto.bytes.decode("utf-8", errors="ignore"))
    for _, cells in pictures(at):
        parts += [f" {value:z.{places}f}" for places in (2, 3) for value in np.abs(cells[np.isfinite(cells)])]
    return "\n".join(parts).replace("*", "")


def stands(number: str, page: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d]|[.,]\d)", page) is not None


@pytest.mark.parametrize("question", [one for one in QUESTIONS if not one.keras], ids=lambda one: one.id)
def test_a_number_of_the_answer_stands_on_the_page_that_its_link_opens(question):
    """Of a statement a count, where its reason or its checks have one."""
    answer = question.reply(*(measure(run.name, run.arguments) for run in question.runs))
    words = " ".join([answer.text, *(value for _, value in answer.rows), *(check.measured for check in answer.checks)])
    named = COUNT.findall(words) if question.source else telling(words)
    page = on_page(question.see.page, question.see.query) if named or not question.source else ""
    found = [number for number in named if stands(number, page)]
    assert bool(found) == (bool(named or not question.source) and question.id not in ONLY_MEASURED), (named, found)
