"""Reads from each page what can be chosen there, and makes few addresses in which all pairs of choices occur."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

from components.menu import PAGES
from headcount.settings import SHARED, Switch
from tests.visitor.visitor import OFFERING, Query, Visitor, elements, widgets

#: Of a longer list not all pairs with other choices are tried: its values meet them in turn.
LONG = 8
#: So many addresses at least where there are long lists.
TURNS = 24
SEED = 11
SHARED_CODES = {setting.code for setting in SHARED}
#: For each group of settings that is drawn only where it is asked for, an address that opens it.
OPENING = {one.group: {one.code: "true"} for one in reversed(SHARED) if one.group and isinstance(one, Switch)}
LAB_PAGES = {page.name for page in PAGES if page.lab}


def bound(visitor: Visitor) -> dict[str, object]:
    """The widgets of the page with a place in the address, by key; those of shared settings only on pages that show them."""
    inside = {id(node) for node in visitor.at.sidebar}
    return {
        node.key: node for node in elements(visitor.at)
        if getattr(node.proto, "query_param_key", "") and not (id(node) in inside and visitor.page not in LAB_PAGES)
    }  # fmt: skip


def in_address(widget) -> list[str]:
    if widget.type in ("toggle", "checkbox"):
        return ["true", "false"]
    return [str(option) for option in widget.options]


def opening(page: str) -> list[Query]:
    """Addresses of the page, each of which opens one group of settings."""
    return [*OPENING.values()] if page in LAB_PAGES else []


@cache
def offered(page: str) -> Mapping[str, tuple[str, ...]]:
    """Every list of choices on the page, by key. Includes lists that appear only after another choice."""
    found: dict[str, tuple[str, ...]] = {}

    def collect(visitor: Visitor) -> list[str]:
        new = [key for key, widget in bound(visitor).items()
               if key not in found and (widget.type in OFFERING or widget.type in ("toggle", "checkbox"))]  # fmt: skip
        found.update({key: tuple(in_address(widget)) for key, widget in bound(visitor).items() if key in new})
        return new

    waiting = collect(Visitor(page).open())
    for query in opening(page):
        waiting += collect(Visitor(page, query).open())
    while waiting:
        key = waiting.pop()
        for value in found[key] if len(found[key]) <= LONG else ():
            waiting += collect(Visitor(page, {key: value}).open())
    return found


@cache
def numbers(page: str) -> Mapping[str, tuple[int, ...]]:
    """Every number field of the page with a place in the address: its bounds and some numbers next to them."""
    seen = [bound(Visitor(page, query).open()) for query in ({}, *opening(page))]
    fields = {key: widget.proto for there in seen for key, widget in there.items() if widget.type == "number_input"}
    return {key: tuple(sorted({edge for edge in (int(p.min), int(p.min) + 1, 3, int(p.max)) if p.min <= edge <= p.max}))
            for key, p in fields.items()}  # fmt: skip


def alone(page: str) -> Iterator[Query]:
    """Addresses for what `together` leaves out, with all else at its default: the bounds of every number, and long lists of
    choices. The page's own numbers also change all at once."""
    yield {}
    rows = len(together(page))
    for key, values in offered(page).items():
        if len(values) > max(rows, LONG):
            yield from ({key: value} for value in values)
    own = {key: edges for key, edges in numbers(page).items() if key not in SHARED_CODES}
    for turn in range(max(map(len, own.values()), default=0)):
        yield {key: str(edges[(place + turn) % len(edges)]) for place, (key, edges) in enumerate(own.items())}
    for key, edges in numbers(page).items():
        yield from ({key: str(edge)} for edge in edges if key in SHARED_CODES)


def together(page: str, others: Mapping[str, Sequence[str]] | None = None) -> list[Query]:
    """Addresses in which every two values of different choices occur together. Values of long lists take turns.

    `others`: choices that no address has. Then each of their values occurs with each of the page's own; shared settings take
    turns.
    """
    short = {key: values for key, values in offered(page).items()
             if len(values) <= LONG and not (others and key in SHARED_CODES)}  # fmt: skip
    long = {key: values for key, values in offered(page).items() if key not in short}
    rows = covering(short | (others or {}), random.Random(SEED))
    if others and len(others) == 1 and not short:
        rows = [{key: value} for key, values in others.items() for value in values]
    elif long and not others:
        rows = [dict(row) for row in rows * -(-TURNS // len(rows))] if rows else [{} for _ in range(TURNS)]
    for key, values in long.items():
        order = random.Random(f"{SEED} {key}").sample(values, len(values))  # two equally long lists must not go in step
        for place, row in enumerate(rows):
            row[key] = order[place % len(order)]
    return rows


def covering(factors: Mapping[str, Sequence[str]], rng: random.Random) -> list[dict[str, str]]:
    """Few rows, with one value of each factor, in which every pair of values of two factors occurs (by a greedy search)."""
    missing = {
        frozenset(((one, a), (other, b)))
        for one, other in combinations(factors, 2) for a in factors[one] for b in factors[other]
    }  # fmt: skip
    rows: list[dict[str, str]] = []
    while missing:
        seed = dict(min(missing, key=lambda pair: sorted(pair)))
        row = dict(seed)
        for key in sorted(factors, key=lambda key: rng.random()):
            if key not in row:
                gains = {value: sum(frozenset(((key, value), (other, chosen))) in missing for other, chosen in row.items())
                         for value in factors[key]}  # fmt: skip
                row[key] = max(factors[key], key=lambda value: (gains[value], rng.random()))
        missing -= {frozenset(pair) for pair in combinations(row.items(), 2)}
        rows.append(row)
    return rows or [{key: value} for key, values in factors.items() for value in values]


def unbound(visitor: Visitor) -> list[str]:
    """Names of the widgets that have no place in the address, such as buttons and ticks."""
    shown = bound(visitor)
    hidden = {node.key for node in visitor.at.sidebar if visitor.page not in LAB_PAGES and getattr(node, "key", None)}
    return [name for name in widgets(visitor.at) if name not in shown and name not in hidden]
