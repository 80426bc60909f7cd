"""What people ask about the layer, and what articles state about it, each with the run that answers it."""

import json
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from lessons.claims import questions, statements
from lessons.claims.experiments import measure
from lessons.claims.records import ARTICLES, VERDICTS, Answer, Check, Question, Run, See
from mha.assets import ASSETS

__all__ = [
    "ARTICLES",
    "BY_ID",
    "CLAIMS",
    "QUESTIONS",
    "STARTERS",
    "TOPICS",
    "VERDICTS",
    "Answer",
    "Question",
    "Run",
    "See",
    "answers",
    "measure",
]

_MODULES = [
    import_module(f"{package.__name__}.{found.name}")
    for package in (statements, questions) for found in iter_modules(package.__path__)
]  # fmt: skip
#: The themes of each topic.
TOPICS: dict[str, tuple[str, ...]] = {
    "heads": ("Heads", "Maps", "Sum or concatenation", "Order", "Scaling"),
    "arrays": (
        "Arrays", "Parameters", "Numbers that do nothing", "Weights", "A single key", "QK and OV", "Start of training",
    ),
    "costs": (
        "Cost", "Cache and memory", "Parameters of a model", "Shared keys and values", "Adapters and pruning",
        "Kernels and devices", "Low precision",
    ),
    "calls": ("A call", "Masks", "Shapes", "Inputs of rank 4"),
    "conventions": ("Conventions", "Head size"),
}  # fmt: skip
_TOPIC_OF = {theme: place for place, themes in enumerate(TOPICS.values()) for theme in themes}


def _order(one: Question) -> tuple[object, ...]:
    """Sort key of a question: its topic; there, statements before questions, by article, then by line."""
    stands = (0, ARTICLES.index(one.source.article), one.source.line) if one.source else (1, 0, 0)
    return (_TOPIC_OF[one.theme], *stands, len(one.id), one.id)


#: All of them, in the order in which they are read.
QUESTIONS: tuple[Question, ...] = tuple(sorted((one for module in _MODULES for one in module.QUESTIONS), key=_order))
#: By their names, and by those of the questions that they answer, too.
BY_ID = {name: one for one in QUESTIONS for name in (one.id, *one.also)}
#: The statements among them, which have a verdict.
CLAIMS: tuple[Question, ...] = tuple(one for one in QUESTIONS if one.source)
#: Those to begin with, statements and questions in turn: what heads are and cost, and none that needs more than the layer itself.
STARTERS = ("c83", "q01", "c91", "q08", "c96", "r63", "c99", "q44", "c103", "r64")


@cache
def answers() -> dict[str, Answer]:
    """What `make answers` has written down, by the ids of questions."""
    cards = json.loads((ASSETS / "answers.json").read_text(encoding="utf-8"))["cards"]
    return {
        one["id"]: Answer(one["text"], tuple(map(tuple, one["rows"])), tuple(Check(*check) for check in one["checks"]))
        for one in cards
    }
