"""The records of a question or a statement and of its answer. The verdict follows from what was measured."""

from collections.abc import Mapping
from dataclasses import dataclass

#: "opinion": nothing in the claim can be measured.
VERDICTS = ("true", "false", "misleading", "depends", "opinion")
#: What a check is for. "says": what the claim states; "suggests": what a reader takes from it, or the reason it gives;
#: "case": the same statement under one convention, version or setting among several.
ROLES = ("says", "suggests", "case")


@dataclass(frozen=True, slots=True)
class Article:
    """One of the three texts: its key in the address, and what it is called on the screen."""

    key: str
    title: str

    def line(self, number: int, quote: str) -> "Source":
        return Source(self, number, quote)


@dataclass(frozen=True, slots=True)
class Source:
    """The place of a claim in an article. `quote`: at most 15 of the article's words."""

    article: Article
    line: int
    quote: str


BLOG = Article("blog", "a blog post on heads and parameters")
KEY_DIM = Article("key_dim", "an article on key_dim and num_heads")
NONE_6_8 = Article("none_6_8", "an article on the shape (None, 6, 8)")
ARTICLES = (BLOG, KEY_DIM, NONE_6_8)


@dataclass(frozen=True, slots=True)
class See:
    """The page that shows it, and the settings under which it does (keys and values of the address)."""

    page: str
    query: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Check:
    """One measurement: what was measured, what the claim says it is, what it is, and whether the two agree."""

    role: str
    what: str
    claimed: str
    measured: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question or a statement. `text`: one to three sentences; `rows`: what was measured, and its value;
    `checks`: what a statement's verdict follows from. All numbers were measured."""

    text: str
    rows: tuple[tuple[str, str], ...] = ()
    checks: tuple[Check, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdict on a statement. It is an opinion without a check, false if what it says, or every case, fails. It depends
        if some cases fail, and is misleading if only what it suggests fails. Otherwise it is true."""
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
    """A question that people ask, or a statement of an article. `asks`: either, in our words; `addresses`: where people asked it;
    `also`: the names of other questions that it answers; `source`: where the article has the statement; `code`: what was run, in
    Python; `asked`: the words of people who do not know the answer's words, for the search; `by`: what it was measured with, in
    words."""

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
