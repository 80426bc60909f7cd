"""What a claim is, and how its verdict follows from what its run measured. No verdict is written down anywhere."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

#: "opinion": nothing in the claim can be measured.
VERDICTS = ("true", "false", "misleading", "depends", "opinion")
#: What a check is for. "says": what the claim states; "suggests": what a reader takes from it, or the reason it gives;
#: "case": the same statement under one convention, version or setting among several.
ROLES = ("says", "suggests", "case")


@dataclass(frozen=True, slots=True)
class Article:
    """One of the three texts: how it is referred to, and the name of its file."""

    key: str
    title: str
    file: str


ARTICLES = (
    Article("blog", "a blog post on heads and parameters", "blog_heads_parameters.txt"),
    Article("key_dim", "an article on key_dim and num_heads", "keras_key_dim_num_heads.txt"),
    Article("none_6_8", "an article on the shape (None, 6, 8)", "keras_none_6_8.txt"),
)
BY_KEY = {article.key: article for article in ARTICLES}


@dataclass(frozen=True, slots=True)
class Run:
    """What is run: the name of a function in `lessons.claims.runs`, or of an experiment in Keras's worker, with its arguments."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    keras: bool = False


@dataclass(frozen=True, slots=True)
class See:
    """The page that shows it, and the settings under which it does (keys and values of the address)."""

    page: str
    query: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Check:
    """One measurement: what was measured, what the claim makes of it, what came out, and whether the two agree."""

    role: str
    what: str
    claimed: str
    found: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """The checks, and the reason in one sentence, both made of what was measured."""

    reason: str
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> str:
        return verdict(self.checks)


@dataclass(frozen=True, slots=True)
class Claim:
    """`number`: its row in the table of the articles' statements; `says`: in our words; `quote`: at most 15 of the article's.

    `judge` turns what the run gave into checks and a reason; `code`: the lines of Python that the run comes down to.
    """

    number: int
    article: str
    line: int
    quote: str
    says: str
    run: Run
    judge: Callable[[Mapping], Judged]
    see: See
    code: str = ""


def verdict(checks: tuple[Check, ...]) -> str:
    """opinion without a check; false where what is said, or every case, fails; depends where some cases fail; misleading
    where only what is suggested fails; true otherwise."""
    if not checks:
        return "opinion"
    holds = {role: [check.holds for check in checks if check.role == role] for role in ROLES}
    if not all(holds["says"]) or (holds["case"] and not any(holds["case"])):
        return "false"
    if not all(holds["case"]):
        return "depends"
    return "true" if all(holds["suggests"]) else "misleading"


def shown(value: object) -> str:
    """A measured value as it is read: 1,050,624; (512, 8, 64); 3e-07; yes."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "None"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return "0" if value == 0 else f"{value:.0e}" if abs(value) < 1e-3 else f"{value:.3g}"
    if isinstance(value, list | tuple):
        return f"({', '.join('None' if v is None else str(v) for v in value)}{',' if len(value) == 1 else ''})"
    return str(value)


def same(role: str, what: str, claimed: object, found: object) -> Check:
    """Holds where the value found is the one claimed."""
    plain = lambda value: list(value) if isinstance(value, list | tuple) else value  # noqa: E731 (JSON knows no tuples)
    return Check(role, what, shown(claimed), shown(found), plain(claimed) == plain(found))


def near(role: str, what: str, found: float, within: float = 1e-4, claimed: str = "no difference") -> Check:
    """Holds where a difference is the rounding of float32: `within` is far above it and far below a wrong formula's."""
    return Check(role, what, claimed, shown(float(found)), found <= within)


def differs(role: str, what: str, found: float, beyond: float = 1e-2, claimed: str = "a difference") -> Check:
    """Holds where there is a real difference."""
    return Check(role, what, claimed, shown(float(found)), found > beyond)


def that(role: str, what: str, claimed: str, found: object, holds: bool) -> Check:
    """Any other comparison."""
    return Check(role, what, claimed, shown(found), bool(holds))


class Claims(list):
    """Collects claims: `@claims.add(…)` above the function that judges."""

    def add(self, number: int, article: str, line: int, quote: str, says: str, run: Run, see: See, code: str = ""):
        def keep(judge: Callable[[Mapping], Judged]) -> Callable[[Mapping], Judged]:
            self.append(Claim(number, article, line, quote, says, run, judge, see, code))
            return judge

        return keep


def judged(reason: str, *checks: Check) -> Judged:
    return Judged(reason, checks)


def keras(name: str, **arguments: object) -> Run:
    return Run(f"claims_{name}", arguments, keras=True)


def numpy(name: str, **arguments: object) -> Run:
    return Run(name, arguments)


def see(page: str, **query: object) -> See:
    """Self-attention where only the queries' number is given."""
    if "query_len" in query:
        query.setdefault("key_len", query["query_len"])
    return See(page, query)
