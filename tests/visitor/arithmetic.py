"""Finds every `a × b + c = d` of numbers in a text or formula, and checks that it is true as far as it is written."""

import ast
import math
import operator
import re
from collections.abc import Iterator
from contextlib import suppress

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[−-]?\d+)?"
OPERATOR = "×·*/+−-"
#: A number, a negative one, or a product in brackets.
TERM = rf"(?:\(\s*[−-]?{NUMBER}(?:\s*[{OPERATOR}]\s*{NUMBER})*\s*\)|[−-]?{NUMBER})"
SIDE = rf"{TERM}(?:\s*[{OPERATOR}]\s*{TERM})*"
#: Nothing that belongs to a longer product may stand before it (`h × 4 = 16`), no unit and no further factor after it.
CHAIN = re.compile(
    rf"(?<![\w.,)\]}}^√{OPERATOR}])(?<![\w)\]}}^√{OPERATOR}]\s[{OPERATOR}]\s)(?<![^\s\w]\s[^\w\s(=]\s)(?<![{OPERATOR}√^]\s)"
    rf"{SIDE}(?:\s*=\s*{SIDE})+(?![\w(]|[.,]\d|\s*[×·*/^√]|\s?(?:[kMGTB]B?|million|billion|thousand|%|…)(?!\w)|\s*[+−]\s*\S)"
)
UNDER = re.compile(r"\\underbrace\{((?:[^{}]|\{[^{}]*\})*)\}_\{(?:[^{}]|\{[^{}]*\})*\}")
TIMES_TEN = re.compile(r"(\d[\d.]*) ?· ?10\^\{?([−-]?\d+)\}?")
FRACTION = re.compile(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}")
POWER = re.compile(r"e\^\{([^{}]*)\}")
#: A number, and how far it may be off: half a unit of the last place that is written, 0 for a whole number.
Value = tuple[float, float]
SOFTMAX = re.compile(rf"\\dfrac\{{(e\^\{{[^{{}}]*\}}|0)\}}\{{((?:e\^\{{[^{{}}]*\}}(?: \+ )?)+)\}} = ({NUMBER})")


def number(text: str) -> Value:
    written = text.replace(",", "").replace("−", "-")
    mantissa, _, power = written.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(written), 0.5 * 10.0 ** (int(power or 0) - decimals) if "." in mantissa or power else 0.0


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def worked_out(node: ast.expr, values: Iterator[float]) -> float:
    """The value of a formula in which the names stand for these values, from left to right."""
    match node:
        case ast.BinOp(left, by, right):
            return OPERATORS[type(by)](worked_out(left, values), worked_out(right, values))
        case ast.UnaryOp(ast.USub(), operand):
            return -worked_out(operand, values)
        case _:
            return next(values)


def side(text: str) -> Value:
    """The value of one side of an equation, and how far it may be off because its numbers are rounded."""
    formula = ast.parse(re.sub(NUMBER, "n", text).translate(str.maketrans("×·−", "**-")).strip(), mode="eval").body
    found = [number(one) for one in re.findall(NUMBER, text)]
    values = [value for value, _ in found]
    at = lambda values: worked_out(formula, iter(values))  # noqa: E731
    moved = [
        [at([*values[:i], values[i] + by, *values[i + 1 :]]) for by in (off, -off)] for i, (_, off) in enumerate(found) if off
    ]
    return at(values), sum(max(abs(one - at(values)) for one in both) for both in moved)


def near(one: Value, other: Value) -> bool:
    return abs(one[0] - other[0]) <= one[1] + other[1] + 1e-9 * abs(one[0])


def plain(text: str) -> str:
    """The text without marks of emphasis and code, and with formulas written as plain text."""
    for sign, instead in (("**", ""), ("`", ""), ("\\cdot", "·"), ("\\times", "×"), ("\\,", ""), ("$", " ")):
        text = text.replace(sign, instead)
    return FRACTION.sub(r"\1 / \2", TIMES_TEN.sub(r"\1e\2", UNDER.sub(r"\1", text)))


def wrong_softmax(body: str) -> list[str]:
    """The written softmaxes (e to a score, divided by the sum for all scores) whose result is wrong."""
    found = []
    for above, below, said in SOFTMAX.findall(body):
        scores = [number(score) for score in POWER.findall(below)]
        most = max(score for score, _ in scores)
        whole = sum(math.exp(score - most) for score, _ in scores)
        share = 0.0 if above == "0" else math.exp(number(POWER.findall(above)[0])[0] - most) / whole
        if not near((share, 2 * max(off for _, off in scores) + 1e-12), number(said)):
            found.append(f"softmax {body!r}: {share:.4f} is not {said}")
    return found


def wrong(text: str) -> list[str]:
    """The equations in a text that are not true, each within one line."""
    found = wrong_softmax(plain(text))
    for chain in (chain.group().strip() for line in plain(text).split("  \n") for chain in CHAIN.finditer(line)):
        with suppress(ZeroDivisionError):  # a divisor that is written as 0.000
            first, *others = map(side, chain.split("="))
            if all(near(first, other) for other in others):
                continue
            found.append(f"not equal: {chain!r}")
    return found
