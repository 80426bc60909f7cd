"""All cards in reading order."""

from importlib import import_module
from pkgutil import iter_modules

from experiments import questions, statements
from experiments.records import Card
from lessons.question import ARTICLES, TOPICS

_MODULES = [
    import_module(f"{package.__name__}.{found.name}")
    for package in (statements, questions) for found in iter_modules(package.__path__)
]  # fmt: skip
_TOPIC_OF = {theme: place for place, themes in enumerate(TOPICS.values()) for theme in themes}


def _order(one: Card) -> tuple[object, ...]:
    """Sort key of a card: its topic; then statements before questions, by article, then by line."""
    stands = (0, ARTICLES.index(one.source.article), one.source.line) if one.source else (1, 0, 0)
    return (_TOPIC_OF[one.theme], *stands, len(one.id), one.id)


CARDS: tuple[Card, ...] = tuple(sorted((one for module in _MODULES for one in module.QUESTIONS), key=_order))
