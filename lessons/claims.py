"""What people ask about the layer, and what articles state about it, with the answers that `make answers` measured."""

import json

from lessons.question import ARTICLES, Answer, Check, Question, See
from mha.assets import ASSETS


def _read() -> tuple[Question, ...]:
    """The cards of assets/answers.json, in their order."""
    book = json.loads((ASSETS / "answers.json").read_text(encoding="utf-8"))
    articles = {article.key: article for article in ARTICLES}
    return tuple(
        Question(
            one["id"], one["theme"], one["asks"], See(*one["see"]),
            Answer(one["text"], tuple(map(tuple, one["rows"])), tuple(Check(*check) for check in one["checks"])),
            tuple(one["addresses"]), tuple(one["also"]),
            articles[one["source"][0]].line(*one["source"][1:]) if one["source"] else None, one["code"], one["asked"],
            " and ".join(f"{name} {book['versions'][name]}" for name in one["by"]),
        )
        for one in book["cards"]
    )  # fmt: skip


#: All of them, in the order in which they are read.
QUESTIONS = _read()
#: By their names, and by those of the questions that they answer, too.
BY_ID = {name: one for one in QUESTIONS for name in (one.id, *one.also)}
#: The statements among them, which have a verdict.
CLAIMS: tuple[Question, ...] = tuple(one for one in QUESTIONS if one.source)
#: Those to begin with, statements and questions in turn: what heads are and cost, and none that needs more than the layer itself.
STARTERS = ("c83", "q01", "c91", "q08", "c96", "r63", "c99", "q44", "c103", "r64")
