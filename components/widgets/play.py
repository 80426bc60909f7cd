"""The bar that plays a cell's arithmetic term by term, and functions that write numbers and terms as text."""

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


def as_number(value: float) -> str:
    """A number as text with three decimals. A very small or large number has two digits and a power of ten."""
    if value == float("-inf"):
        return "−∞"
    if value != 0 and (abs(value) < 5e-4 or abs(value) >= 1e6):
        mantissa, power = f"{value:.1e}".split("e")
        return f"{mantissa} · 10{str(int(power)).translate(RAISED)}".replace("-", "−")
    return decimals(value, 3)


def part(value: float) -> str:
    """An attention weight as text. A weight below 1 is never rounded up to 1."""
    return as_share(value) if 0.9995 <= value < 1 else as_number(value)


def factor(value: float) -> str:
    return f"({as_number(value)})" if value < 0 else as_number(value)


def written(term: Term) -> str:
    """One term of a cell's arithmetic as text, such as "0.500 · (−1.200)". `^{…}` marks an exponent."""
    if term.kind == "product":
        return " · ".join(map(factor, term.factors))
    if term.kind == "share":
        return f"head {term.factors[0]:.0f}’s share"
    if term.kind == "bias":
        return f"{factor(term.adds)} (bias)"
    if term.kind == "quotient":
        return " ÷ ".join(map(as_number, term.factors))
    score, less = term.factors
    return f"e^{{{as_number(score)} − {factor(less)}}}" if less else f"e^{{{as_number(score)}}}"


def played(cell: Cell, explanation: Explanation | None) -> dict[str, Any]:
    """The data of the bar for a cell (assets/types.d.ts): the terms as texts, with their places in the arrays."""
    steps = terms(explanation) if explanation is not None else ()
    divides = bool(steps) and steps[-1].kind == "quotient"
    return {
        "cell": cell.address,
        "terms": [[written(term), as_number(term.adds), as_number(term.total), *(term.at or (-1, -1))] for term in steps],
        "so_far": "exponentials added up:" if divides else "sum so far:",
        "divides": divides,
    }


def show_bar(data: dict[str, Any]) -> None:
    close = partial(set_value, "cell", "")
    component("play", SCRIPT, MARKUP, STYLE)(key="play", data=json_of(data), height="content", on_close_change=close)
