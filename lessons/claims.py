"""Questions about the layer that people ask, and statements of articles, with the answers that `make answers` has measured."""

import json

from headcount.assets import ASSETS
from lessons.question import ARTICLES, Answer, Check, Question, See


def _read() -> tuple[Question, ...]:
    """The cards of assets/answers.json, in order."""
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


#: Former cards by the cards that answer them now, and former cards without an answer.
MERGED = {
    "r131": "r09 r07 r08", "r20": "r22", "q12": "r29 q11", "r62": "r108", "r57": "r106 r88 r60", "r124": "r123 r15",
    "q39": "r58", "q44": "r36 r71", "c7": "r37", "r64": "r128 r129 r87", "r86": "r148 r104", "r55": "r100", "q36": "r109",
    "r66": "r120", "q29": "r121", "r01": "r02", "r76": "r10 r151", "c102": "r49", "r73": "r126 q30 r130", "q32": "r125",
    "r173": "r16", "r42": "r17 r18 r39 r40", "r54": "r27", "r30": "r31", "q15": "r25", "r53": "r103", "q47": "r70",
    "r61": "r101", "q08": "q09", "c59": "r50 q49",
}  # fmt: skip
NOT_ANSWERED = (
    "q50", "r102", "r107", "r122", "r127", "r13", "r14", "r140", "r141", "r142", "r143", "r144", "r149", "r150", "r161", "r38",
    "r56", "r65", "r72", "r74", "r75", "r79", "r82", "r84", "r85", "r97", "r98",
)  # fmt: skip
#: All questions and statements, in reading order.
QUESTIONS = _read()
#: Questions by id, also by the ids of other questions that they answer.
BY_ID = {name: one for one in QUESTIONS for name in (one.id, *one.also, *MERGED.get(one.id, "").split())}
#: The statements, which have a verdict.
CLAIMS: tuple[Question, ...] = tuple(one for one in QUESTIONS if one.source)
#: Ids of the questions and statements to begin with: what heads are and cost, and nothing beyond the layer.
STARTERS = ("c83", "q01", "c91", "q08", "c96", "r63", "c99", "q44", "c103", "r64")
