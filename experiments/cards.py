"""All cards, in reading order."""

from importlib import import_module
from pkgutil import iter_modules

from experiments import questions
from experiments.records import Card
from lessons.question import TOPICS

_MODULES = [import_module(f"{questions.__name__}.{found.name}") for found in iter_modules(questions.__path__)]

CARDS: tuple[Card, ...] = tuple(
    sorted((one for each in _MODULES for one in each.QUESTIONS), key=lambda one: (TOPICS.index(one.topic), len(one.id), one.id))
)
