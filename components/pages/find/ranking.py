"""Words and numbers of a text, and how well an entry fits what is looked for. Plain counting: no service, no model."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

#: Words that say nothing about what is looked for.
EMPTY = frozenset(re.findall(
    r"\w+",
    """a an and are as at be by can do does for from has have how i if in is it its many me much my not of on or so than that the
    their then there this to what when where which who why will with you""",
))  # fmt: skip
#: How much a word counts in an entry's name, and in its text; a word that only begins with it, and one that only contains it.
IN_NAME, IN_TEXT, BEGINS, CONTAINS = 3.0, 1.0, 0.5, 0.25
#: Letters from which on a part of a word counts; and the share of what is looked for that an entry must have.
LEAST_BEGINS, LEAST_CONTAINS, ENOUGH = 3, 5, 0.5
#: What counts besides where the words stand in this order in the text.
IN_ORDER = 2.0


def plain(text: str) -> str:
    """Lower case, and each number without separators: 1,050,624 and 1_050_624 are 1050624."""
    return re.sub(r"(?<=\d)[,_'’](?=\d{3}(?!\d))", "", text.lower())


def words_of(text: str) -> list[str]:
    """ "(None, 6, 8)" has three, "key_dim" is one; a decimal point stays in its number."""
    return re.findall(r"\d+\.\d+|\w+", plain(text))


def sought(query: str) -> list[str]:
    """The words of what is looked for, without empty ones where others are there. A number of three
    groups, alone, may have spaces or points between them."""
    if re.fullmatch(r"\s*\d{1,3}(?:[ .\u00a0\u202f]\d{3}){2,}\s*", query):
        return [re.sub(r"\D", "", query)]
    words = words_of(query)
    return [word for word in words if word not in EMPTY] or words


@dataclass(frozen=True)
class Item:
    """One thing that can be found. `name` is what is shown of it, `text` what it is also found by; `address` shows it."""

    kind: str
    name: str
    address: str
    text: str = ""

    @cached_property
    def in_name(self) -> frozenset[str]:
        return frozenset(words_of(self.name))

    @cached_property
    def in_text(self) -> frozenset[str]:
        return frozenset(words_of(self.text))

    @cached_property
    def line(self) -> str:
        """All words in their order, for those that are looked for in one."""
        return f" {' '.join([*words_of(self.name), '|', *words_of(self.text)])} "

    def has(self, word: str) -> float:
        """How well it has the word: 0 where it has not."""
        for words, weight in ((self.in_name, IN_NAME), (self.in_text, IN_TEXT)):
            if word in words:
                return weight
        if word.isdigit():  # half a number is another number
            return 0.0
        every = self.in_name | self.in_text
        if len(word) >= LEAST_BEGINS and any(other.startswith(word) for other in every):
            return BEGINS
        return CONTAINS if len(word) >= LEAST_CONTAINS and any(word in other for other in every) else 0.0


def ranked(items: Sequence[Item], query: str, most: int) -> list[Item]:
    """The entries that have what is looked for, best first: rare words count more than frequent ones, all in their order most."""
    words = list(dict.fromkeys(sought(query)))
    having = {word: [item.has(word) for item in items] for word in words}
    rare = {word: math.log(1 + len(items) / (1 + sum(1 for one in has if one))) for word, has in having.items()}
    whole, phrase = sum(rare.values()), f" {' '.join(sought(query))} "
    found: list[tuple[float, int]] = []
    for place, item in enumerate(items):
        had = sum(rare[word] for word in words if having[word][place])
        if not whole or had < ENOUGH * whole or not had:
            continue
        score = sum(rare[word] * having[word][place] for word in words) * (had / whole) ** 2
        in_order = IN_ORDER if len(words) > 1 and phrase in item.line else 0.0
        found.append((-(score + in_order * whole), place))
    return [items[place] for _, place in sorted(found)[:most]]
