"""Every `a × b + c = d` of a text or a formula in which both sides are numbers, and whether it holds as far as it is written."""

import math
import re
from dataclasses import dataclass

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
SOFTMAX = re.compile(rf"\\dfrac\{{(e\^\{{[^{{}}]*\}}|0)\}}\{{((?:e\^\{{[^{{}}]*\}}(?: \+ )?)+)\}} = ({NUMBER})")


@dataclass(frozen=True, slots=True)
class Value:
    """A number as it is written, and half a unit of its last place (0 for a whole number), both carried through a sum."""

    value: float
    off: float = 0.0

    def __add__(self, other: "Value") -> "Value":
        return Value(self.value + other.value, self.off + other.off)

    def __sub__(self, other: "Value") -> "Value":
        return Value(self.value - other.value, self.off + other.off)

    def __mul__(self, other: "Value") -> "Value":
        off = abs(self.value) * other.off + abs(other.value) * self.off + self.off * other.off
        return Value(self.value * other.value, off)

    def __truediv__(self, other: "Value") -> "Value":
        if abs(other.value) <= other.off:
            return Value(math.nan, math.inf)
        quotient = self.value / other.value
        return Value(quotient, (self.off + abs(quotient) * other.off) / (abs(other.value) - other.off))

    def may_be(self, other: "Value") -> bool:
        near = self.off + other.off + 1e-9 * abs(self.value)
        return math.isnan(self.value) or math.isnan(other.value) or abs(self.value - other.value) <= near


def number(text: str) -> Value:
    written = text.replace(",", "").replace("−", "-")
    mantissa, _, power = written.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return Value(float(written), 0.5 * 10.0 ** (int(power or 0) - decimals) if "." in mantissa or power else 0.0)


def side(text: str) -> Value:
    """The value of a sum of products, brackets and signs as usual."""
    tokens = re.findall(rf"{NUMBER}|[()]|[{OPERATOR}]", text)

    def factor() -> Value:
        token = tokens.pop(0)
        if token in "−-":
            return Value(0) - factor()
        if token == "(":
            inside = total()
            tokens.pop(0)
            return inside
        return number(token)

    def product() -> Value:
        value = factor()
        while tokens and tokens[0] in "×·*/":
            value = value / factor() if tokens.pop(0) == "/" else value * factor()
        return value

    def total() -> Value:
        value = product()
        while tokens and tokens[0] in "+−-":
            value = value + product() if tokens.pop(0) == "+" else value - product()
        return value

    return total()


def plain(text: str) -> str:
    """Without the signs of emphasis and code; products and fractions of a formula as in a text."""
    for sign, instead in (("**", ""), ("`", ""), ("\\cdot", "·"), ("\\times", "×"), ("\\,", ""), ("$", " ")):
        text = text.replace(sign, instead)
    return FRACTION.sub(r"\1 / \2", TIMES_TEN.sub(r"\1e\2", UNDER.sub(r"\1", text)))


def wrong_softmax(body: str) -> list[str]:
    """A softmax that is written out: e to a score, over the sum of all of them."""
    found = []
    for above, below, said in SOFTMAX.findall(body):
        scores = [number(score) for score in POWER.findall(below)]
        most = max(score.value for score in scores)
        whole = sum(math.exp(score.value - most) for score in scores)
        share = 0.0 if above == "0" else math.exp(number(POWER.findall(above)[0]).value - most) / whole
        if not Value(share, 2 * max(score.off for score in scores) + 1e-12).may_be(number(said)):
            found.append(f"softmax {body!r}: {share:.4f} is not {said}")
    return found


def chains(text: str) -> list[str]:
    """The equations in which nothing but numbers stands, each within a line."""
    return [chain.group().strip() for line in plain(text).split("  \n") for chain in CHAIN.finditer(line)]


def wrong(text: str) -> list[str]:
    """What is written as equal and is not."""
    found = wrong_softmax(plain(text))
    for chain in chains(text):
        first, *others = map(side, chain.split("="))
        if not all(first.may_be(other) for other in others):
            found.append(f"not equal: {chain!r}")
    return found
