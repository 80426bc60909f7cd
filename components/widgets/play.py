"""The bar that plays a cell's arithmetic term by term, and the formats of the numbers and terms in it."""

import math
from functools import partial
from typing import Any

from components.app.runtime import component, json_of
from components.app.stale_widget_values import set_value
from headcount.assets import ASSETS
from headcount.explain import Cell, Explanation, Term, terms
from headcount.names import as_share, decimals
from headcount.stage.program import PLAYER, SHARED, joined

PLAY = ASSETS / "play"
SCRIPT = joined(SHARED, PLAYER, *sorted(PLAY.glob("*.js")))
MARKUP, STYLE = ((PLAY / f"play.{kind}").read_text(encoding="utf-8") for kind in ("html", "css"))
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
#: Most decimals of a number that is written as it was typed.
MAX_DECIMALS = 4


def as_typed(value: float) -> str | None:
    """A number as a visitor would type it, without zeros at its end. None if it needs more than MAX_DECIMALS decimals, or is
    1,000,000 or more."""
    spelt = f"{value:.{MAX_DECIMALS}f}"
    if not math.isfinite(value) or abs(value) >= 1e6 or not math.isclose(float(spelt), value, rel_tol=2e-7):
        return None
    return "0" if value == 0 else spelt.rstrip("0").rstrip(".")


def as_number(value: float, typed: bool = False) -> str:
    """A number as text with three decimals. A very small or large one has two digits and a power of ten. `typed`: whether the
    page shows typed numbers; then a number with few decimals is written as it was typed."""
    if typed and (short := as_typed(value)) is not None:
        return short.replace("-", "−")
    if value == float("-inf"):
        return "−∞"
    if value != 0 and (abs(value) < 5e-4 or abs(value) >= 1e6):
        mantissa, power = f"{value:.1e}".split("e")
        return f"{mantissa} · 10{str(int(power)).translate(RAISED)}".replace("-", "−")
    return decimals(value, 3)


def part(value: float, typed: bool = False) -> str:
    """An attention weight as text. A weight below 1 is never rounded up to 1."""
    return as_share(value) if 0.9995 <= value < 1 else as_number(value, typed)


def factor(value: float, typed: bool = False) -> str:
    return f"({as_number(value, typed)})" if value < 0 else as_number(value, typed)


def written(term: Term, typed: bool = False) -> str:
    """One term of a cell's arithmetic as text, such as "0.5 · (−1.2)". `^{…}` marks an exponent."""
    if term.kind == "product":
        return " · ".join(factor(value, typed) for value in term.factors)
    if term.kind == "share":
        return f"head {term.factors[0]:.0f}’s share"
    if term.kind == "bias":
        return f"{factor(term.adds, typed)} (bias)"
    if term.kind == "quotient":
        return " ÷ ".join(as_number(value, typed) for value in term.factors)
    score, less = term.factors
    return f"e^{{{as_number(score, typed)}{f' − {factor(less, typed)}' if less else ''}}}"


def played(cell: Cell, explanation: Explanation | None, typed: bool = False) -> dict[str, Any]:
    """The data of the bar for a cell (assets/types.d.ts): its terms as texts with their places in the arrays. If `explanation`
    is None, there are no terms. `typed`: whether the page shows typed numbers."""
    steps = terms(explanation) if explanation is not None else ()
    divides = bool(steps) and steps[-1].kind == "quotient"
    return {
        "cell": cell.address,
        "terms": [
            [written(term, typed), as_number(term.adds, typed), as_number(term.total, typed), *(term.at or (-1, -1))]
            for term in steps
        ],
        "so_far": "exponentials added up:" if divides else "sum so far:",
        "divides": divides,
    }


def show_bar(data: dict[str, Any]) -> None:
    close = partial(set_value, "cell", "")
    component("play", SCRIPT, MARKUP, STYLE)(key="play", data=json_of(data), height="content", on_close_change=close)
