"""The questions that people ask about the layer, with the answers that `make answers` measured."""

import json

from headcount.assets import ASSETS
from lessons.question import Answer, Question, See


def _read() -> tuple[Question, ...]:
    book = json.loads((ASSETS / "answers.json").read_text(encoding="utf-8"))
    return tuple(
        Question(
            one["id"], one["topic"], one["asks"], See(*one["see"]), Answer(one["text"], tuple(map(tuple, one["rows"]))),
            tuple(one["addresses"]), tuple(one["also"]), one["asked"],
            " and ".join(f"{name} {book['versions'][name]}" for name in one["by"]),
        )
        for one in book["cards"]
    )  # fmt: skip


#: Cards that were once, by those that answer now; and those that nothing answers.
MERGED = {
    "r62": "r108", "r57": "q20 r106 r88 r60", "q44": "r35 c7 r37 r36 r71", "r64": "r45 r19 r128 r129 r87",
    "q36": "r109 c62 r172", "q29": "r01 r02 r03 r121 c27", "r76": "r131 r09 r07 r08 r10 r151",
    "c102": "q39 r58 r49 c91 c99 c100", "q32": "r125", "r42": "r17 r18 r39 r40 r41", "q15": "r25", "r61": "r101",
    "q08": "q12 r29 q11 q09 c24 c71", "c59": "r50 q49 c56", "r73": "r126 q30 r130 c28", "r54": "r27 c96",
    "q01": "r46 c83 c87 r47", "q13": "c21 c44 c49 c50", "q22": "c67", "q40": "r11 r12 c35 c105 c106 c107", "r48": "c94",
    "r95": "c101 r171", "r174": "c32", "c63": "c13 c14", "c65": "c15 c73 c74", "q48": "c79", "q17": "r53 r103 r59",
}  # fmt: skip
NOT_ANSWERED = (
    "c103", "c104", "c36", "c43", "c51", "c57", "c77", "c85", "q47", "q50", "r04", "r05", "r06", "r100", "r102", "r104",
    "r107", "r120", "r122", "r123", "r124", "r127", "r13", "r14", "r140", "r141", "r142", "r143", "r144", "r145", "r146",
    "r147", "r148", "r149", "r15", "r150", "r16", "r161", "r173", "r20", "r21", "r22", "r23", "r24", "r26", "r28", "r30",
    "r31", "r33", "r34", "r38", "r43", "r44", "r51", "r55", "r56", "r65", "r66", "r67", "r68", "r70", "r72", "r74", "r75",
    "r77", "r78", "r79", "r80", "r82", "r83", "r84", "r85", "r86", "r89", "r90", "r91", "r92", "r93", "r94", "r97", "r98",
    "r99",
)  # fmt: skip
QUESTIONS = _read()
#: By their names, and by those of the questions that they answer, too.
BY_ID = {name: one for one in QUESTIONS for name in (one.id, *one.also, *MERGED.get(one.id, "").split())}
#: Those to begin with: what heads are and cost, and none that needs more than the layer itself.
STARTERS = ("r95", "q01", "c102", "q08", "r54", "r63", "q44", "q25", "r176", "r64")
