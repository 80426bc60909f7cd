"""Records of a question or statement and its answer. The verdict follows from the measurements."""

from collections.abc import Mapping
from dataclasses import dataclass

#: Verdicts on a statement. "opinion" means that nothing in it can be measured.
VERDICTS = ("true", "false", "misleading", "depends", "opinion")
#: What a check is for. "says": what the claim states; "suggests": what a reader takes from it, or the reason it gives;
#: "case": the same statement under one convention, version or setting among several.
ROLES = ("says", "suggests", "case")


@dataclass(frozen=True, slots=True)
class Article:
    """One of the three articles: its key in the address, and its title on the screen."""

    key: str
    title: str

    def line(self, number: int, quote: str) -> "Source":
        return Source(self, number, quote)


@dataclass(frozen=True, slots=True)
class Source:
    """The line of a statement in an article. `quote`: at most 15 of the article's words."""

    article: Article
    line: int
    quote: str


BLOG = Article("blog", "a blog post on heads and parameters")
KEY_DIM = Article("key_dim", "an article on key_dim and num_heads")
NONE_6_8 = Article("none_6_8", "an article on the shape (None, 6, 8)")
ARTICLES = (BLOG, KEY_DIM, NONE_6_8)


@dataclass(frozen=True, slots=True)
class See:
    """The page that shows an answer, and the settings that it needs there (keys and values of the address)."""

    page: str
    query: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Check:
    """One measurement: what was measured, the claimed and the measured value, and whether they agree. `role`: one of ROLES."""

    role: str
    what: str
    claimed: str
    measured: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question or statement. `text`: one to three sentences; `rows`: measured quantities and their values;
    `checks`: measurements that decide a statement's verdict."""

    text: str
    rows: tuple[tuple[str, str], ...] = ()
    checks: tuple[Check, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdict on a statement. It is "opinion" without checks, and "false" if what the statement says fails or all
        cases fail. It is "depends" if some cases fail, and "misleading" if only what it suggests fails. Otherwise it is
        "true"."""
        if not self.checks:
            return "opinion"
        holds = {role: [check.holds for check in self.checks if check.role == role] for role in ROLES}
        if not all(holds["says"]) or (holds["case"] and not any(holds["case"])):
            return "false"
        if not all(holds["case"]):
            return "depends"
        return "true" if all(holds["suggests"]) else "misleading"


@dataclass(frozen=True, slots=True)
class Question:
    """A question that people ask, or a statement of an article. `asks`: its text in our words; `see`: the page that shows the
    answer; `addresses`: where people asked it; `also`: ids of other questions with the same answer; `source`: the statement's
    line in an article; `code`: Python code that was run; `asked`: other words for the search; `by`: libraries that measured
    it."""

    id: str
    theme: str
    asks: str
    see: See
    answer: Answer
    addresses: tuple[str, ...]
    also: tuple[str, ...]
    source: Source | None
    code: str
    asked: str
    by: str


#: The themes of each topic.
TOPICS: dict[str, tuple[str, ...]] = {
    "heads": ("Heads", "Maps", "Sum or concatenation", "Order", "Scaling"),
    "arrays": (
        "Arrays", "Parameters", "Numbers that do nothing", "Weights", "A single key", "QK and OV", "Start of training",
    ),
    "costs": (
        "Cost", "Cache and memory", "Parameters of a model", "Shared keys and values", "Adapters and pruning",
        "Kernels and devices", "Low precision",
    ),
    "calls": ("A call", "Masks", "Shapes", "Inputs of rank 4"),
    "conventions": ("Conventions", "Head size"),
}  # fmt: skip
