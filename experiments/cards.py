"""All cards in reading order."""

from importlib import import_module
from pkgutil import iter_modules

from experiments import questions
from experiments.records import Card
from lessons.question import TOPICS

_MODULES = [import_module(f"{questions.__name__}.{found.name}") for found in iter_modules(questions.__path__)]
_TOPIC_OF = {theme: place for place, themes in enumerate(TOPICS.values()) for theme in themes}

CARDS: tuple[Card, ...] = tuple(
    sorted((one for module in _MODULES for one in module.QUESTIONS), key=lambda one: (_TOPIC_OF[one.theme], len(one.id), one.id))
)
