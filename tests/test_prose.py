"""Plain English in docstrings, comments, documents and the book: short sentences, the field's terms, no inverted sentence.

No package fits. proselint (0.16) had 294 findings in 1,258 docstrings and ten documents of ours: 247 straight quotes, and no long
or inverted sentence. Vale is a Go program that would need these same rules in a language of its own. So the rules are plain
lengths and patterns. A fault reads "file:line: rule: sentence".
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.sources import ROOT, project_files, python_files

MAX_WORDS = 25
ROOMS = ("headcount", "experiments", "training", "benchmarks", "components", "pages", "lessons", "deploy")
DOCUMENTS = [path for path in project_files() if path.suffix == ".md" and path.parent.as_posix() in (".", "docs")]
BOOK = [path for path in project_files() if path.match("tests/book/*.md")]
#: Faults that nobody has edited yet. A number may only fall: write the lower one here. A room without a number has none.
LEFT: dict[str, int] = {}

#: Patterns of our dialect, and what to write.
SAY_INSTEAD = {
    r"(gradients?|derivatives?|differentiated?)( of [\w ]+)? by": "with respect to",
    r"hand(s|ed|ing)? on": "pass on, return, keep",
    r"(whose|its|their|his|own|right|equal|an?|the|this|each|every|head's|heads') shares?\b(?! (a|one|keys)\b)|shares? of":
        "attention weight (of a key), contribution (of a head), fraction",
    r"pieces?": "slice (of a matrix), part",
    r"tables? of (weights|numbers|parameters)": "weight matrix",
    r"(stand|stands|stood|standing) (at|in|on|below|above|beside|behind|there|first|last|alone|by itself)": "is, comes",
    r"(lie|lies|lay) (at|in|on|below|above|beside|there)": "is",
    r"so (many|much) (?!(as|that)\b)\w+": "that many, the number of",
    r"one's own": "your own",
    r"anew": "again",
    r"(?<!, and )(?<!and )besides(?= *[.,;:)]|$)|(?<=is )besides|(?<=has )besides": "also, in addition",
    r"what(ever)? else": "the other …, everything else",
    r"where there (is|are) (none|one|some)": "if there is …",
    r"(None|ValueError|KeyError|TypeError|OSError|UnreadableFile|Bad\w+|NotServed|Declined|Ended|Broken) where": "if",
    r"mends|mended|herewith|thereof|wherein|whereby": "a plain word",
    r"kernels?": "weight matrix, if it is not Keras's",
}  # fmt: skip
#: Where a kernel is what the field calls a kernel.
KERNELS = re.compile(r"Keras|TensorFlow|PyTorch|CUDA|[Ff]lash|fused|kernel/|/kernel|plain kernel")
#: How an inverted sentence begins.
INVERTED = re.compile(
    r"Where [^.]*?:( |$)"
    r"|Where (they|it|this|that) (is|are)\b"
    r"|Of (the|a|an|its|their|several|many|all|one|these|each|every|any)\b.*(,|\b(is|are|has|have|comes?)\b)"
    r"|(Not|Nor|Neither)\b(?! (all|every|only|measured|a number|yet)\b)"
    r"|With [^.,]* (comes?|goes|go|stands?)\b"
    r"|To (each|every|it|them|these)\b[^.,]* is\b"
    r"|So (is|are|do|does|has|have) (?!a\b)"
    r"|(Nowhere|Never|Seldom|Only (there|then|so))\b"
    r"|(Below|Above|Beside|Behind|Under) (it|them|these|this|each|every)\b[^.,]*\b(is|are|stands?)\b"
    r"|As [^.,:]*:",
)
#: A docstring begins with a verb in the third person or with a noun phrase, unless it asks.
NO_BEGINNING = re.compile(
    r"(Above|Also|And|As|At|Before|Below|But|By|For|From|Here|How|If|In|Its|Not|Of|On|Or|So|The same|Their|There|Those|To)\b"
    r"|(Until|Up|What|When|Where|Which|Who|Whom|Whose|Why|With|Without)\b"
    r"|(Build|Check|Compute|Draw|Find|Get|Give|Make|Return|Say|Show|Take|Tell|Write)\b"
    r"|(None|\w+Error|True|False)\b|[a-z]",
)
#: Code, formulas, addresses, quotations and lists of names: one word each.
ONE_WORD = re.compile(
    r"``.+?``|`[^`]+`|\$[^$\n]+\$|\]\([^)]*\)|“[^”]*”|‘[^’]*’|(?<!\w)\"[^\"]*\""
    r"|[^\s,;:(]+,(\s+[^\s,;:(]+,){2,}(\s+[^\s,;:(]+)?(\s+(and|or)\s+[^\s,;:.)]+)?",
    re.DOTALL,
)
#: Where a sentence ends, or an item of a list before the next "name:".
END = re.compile(r'(?<=[.!?])["”’)*_]*\s+(?=["“‘(*`A-Z0-9−|$])|;\s+(?=[`"]?[\w., ]+[`"]?(\s\([^)]*\))?:)|\Z')
DIALECT = {re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE): instead for pattern, instead in SAY_INSTEAD.items()}

#: What says a sentence in the book, before it.
KINDS = re.compile(
    r"^(\s*(\[\w+\]|## \w+:|[#?>*-]+"
    r"|(at \d+ / \d+, )?(picture|drawing|chart|tables|title|caption|alt|note|at rest|seen|right|wrong|code):"
    r"|(picture|tables), labels:|guessed \w+:|True:|False:|Misleading:) )+"
)

Sentence = tuple[int, str]


def sentences(text: str, line: int) -> Iterator[Sentence]:
    """The sentences of a paragraph, each with the line on which it begins."""
    begin = 0
    for match in END.finditer(text):
        said = text[begin : match.start()]
        if said.strip():
            yield line + text.count("\n", 0, begin + len(said) - len(said.lstrip())), said.strip()
        begin = match.end()


def paragraphs(text: str, line: int) -> Iterator[Sentence]:
    """The paragraphs and items of a text, each with its first line. Code, tables and pictures are left out."""
    held: list[str] = []
    first, fenced = line, False
    for number, row in enumerate([*text.split("\n"), ""], line):
        fenced ^= row.startswith("```")
        left_out = fenced or re.match(r"```|\||!\[|<|    |\[[\w.]+\]: ", row) or not row.strip()
        if held and (left_out or re.match(r"\s*([-*#]|#+|\d+\.) ", row)):
            yield first, "\n".join(held)
            held = []
        if not left_out:
            first = first if held else number
            held.append(re.sub(r"^\s*([-*]|#+|\d+\.) ", "", row))


def docstrings(path: Path) -> Iterator[list[Sentence]]:
    """The sentences of each docstring of a module."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.AsyncFunctionDef | ast.ClassDef | ast.FunctionDef | ast.Module):
            text = ast.get_docstring(node) or ""
            yield [one for line, part in paragraphs(text, node.body[0].lineno if text else 0) for one in sentences(part, line)]


def comments(path: Path) -> Iterator[Sentence]:
    """The sentences of the comments of a module that have lines of their own."""
    rows = (ROOT / path).read_text(encoding="utf-8").split("\n")
    only = "\n".join(match[1] if (match := re.match(r"\s*#:? ([^ ].*)", row)) else "" for row in rows)
    yield from (one for line, part in paragraphs(only, 1) for one in sentences(part, line))


def of_document(path: Path) -> Iterator[Sentence]:
    """The sentences of a document; of the changes, those of the newest version."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.name == "CHANGELOG.md":
        before, newest, *_ = re.split(r"(?m)^(?=## )", text)
        text = "\n" * before.count("\n") + newest
    yield from (one for line, part in paragraphs(text, 1) for one in sentences(part, line))


def of_book(path: Path) -> Iterator[Sentence]:
    """The sentences of a chapter of the book, without the labels of their kind. Left out are lists of labels, and code without
    its comments. A setting that a refusal names is a word of code."""
    for number, row in enumerate((ROOT / path).read_text(encoding="utf-8").split("\n"), 1):
        row = re.sub(r"^\*\*(\w+)\*\*(?= must be )", r"`\1`", row)
        if " · " not in row and not re.match(r"chart, labels|\[link\]|http|code: (?!#)", row):
            yield from sentences(KINDS.sub("", row), number)


def faults_of(said: str) -> Iterator[str]:
    """The rules that a sentence breaks."""
    plain = ONE_WORD.sub(lambda match: "X" + "\n" * match[0].count("\n"), said)
    count = sum(any(letter.isalnum() for letter in word) for word in plain.split()) if len(said) > 2 * MAX_WORDS else 0
    if count > MAX_WORDS:
        yield f"{count} words, at most {MAX_WORDS}"
    for pattern, instead in DIALECT.items():
        if (match := pattern.search(plain)) and not (match[0].lower().startswith("kernel") and KERNELS.search(said)):
            yield f'not "{" ".join(match[0].split())}" but {instead}'
    if INVERTED.match(plain):
        yield "inverted"


def faults_of_docstring(said: list[Sentence]) -> Iterator[tuple[int, str, str]]:
    """The rules that a docstring breaks, each with line and sentence."""
    for line, one in said:
        yield from ((line, rule, one) for rule in faults_of(one))
    if said and NO_BEGINNING.match(said[0][1]) and not said[0][1].endswith("?"):
        yield said[0][0], "begins with no verb in the third person and no noun phrase", said[0][1]
    if said and not re.search(r"[.?!…][)\"”]*$", said[-1][1]):
        yield said[-1][0], "ends in no full stop", said[-1][1]


@cache
def faults(path: Path) -> tuple[str, ...]:
    """Every fault in a file, as "file:line: rule: sentence"."""
    if path.suffix == ".py":
        found = [fault for said in docstrings(path) for fault in faults_of_docstring(said)]
        others = comments(path)
    else:
        found, others = [], of_book(path) if path in BOOK else of_document(path)
    found += [(line, rule, one) for line, one in others for rule in faults_of(one)]
    return tuple(f"{path}:{line}: {rule}: {' '.join(one.split())}" for line, rule, one in found)


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_and_comments_are_plain_english(room: str):
    found = [fault for path in python_files(room) for fault in faults(path)]
    assert len(found) <= LEFT.get(room, 0), "\n".join(found)


@pytest.mark.parametrize("path", DOCUMENTS, ids=str)
def test_a_document_is_plain_english(path: Path):
    assert len(faults(path)) <= LEFT.get(str(path), 0), "\n".join(faults(path))


def test_the_app_speaks_plain_english():
    found = [fault for path in BOOK for fault in faults(path)]
    assert len(found) <= LEFT.get("tests/book", 0), "\n".join(found)


@pytest.mark.parametrize(("text", "rule"), [
    ("Word " * 26 + "ends.", "27 words"), ("A head adds its share.", "contribution"), ("It hands on the mask.", "pass on"),
    ("Each piece\nof W_Q is a head's.", "slice"), ("It shows the kernel.", "weight matrix"), ("Drawn anew.", "again"),
    ("Returns it; None where it is missing.", "if"), ("Where they are: in a list.", "inverted"),
    ("Of several such, all are named.", "inverted"), ("Nor is it drawn.", "inverted"), ("To each a row is added.", "inverted"),
    ("The gradient of the loss by V.", "with respect to"), ("The answer stands below.", "is, comes"),
        ("Whatever else is drawn.", "everything else"),
])  # fmt: skip
def test_a_sentence_of_the_dialect_is_found(text: str, rule: str):
    assert [one for _, said in sentences(text, 1) for one in faults_of(said) if rule in one]


@pytest.mark.parametrize("text", [
    "Word " * 24 + "ends.", "Visitors share a cache.", "The kernel of Keras's layer.", "A fused kernel stores none.",
    f"The error is “{'word ' * 30}”.", f"It has {', '.join('abcdefghijklmnopqrstuvwxyz')} and more.", "Not all rows are drawn.",
    "`a`: one word; `b`: " + "word " * 20 + "; `c`: three.", "It stands for a size.", "So a plan is made once.",
])  # fmt: skip
def test_a_plain_sentence_is_not_refused(text: str):
    assert [rule for _, said in sentences(text, 1) for rule in faults_of(said)] == []


@pytest.mark.parametrize("text", [
    "What it gives.", "Return the sum.", "ValueError for none.", "of a row.", "Gives the sum", "Whose turn it is.",
    "The same of another head.", "Until it ends.",
])  # fmt: skip
def test_a_docstring_that_begins_or_ends_badly_is_found(text: str):
    assert [*faults_of_docstring([(1, text)])]


def test_a_fault_is_named_with_its_line_and_code_is_not_read():
    text = "A title\n\nOne sentence. Two\nlines here. Drawn\nanew.\n\n    code anew\n\n```sh\nanew\n```\n\n| anew |\n\n- An item."
    said = [one for line, part in paragraphs(text, 5) for one in sentences(part, line)]
    assert said == [(5, "A title"), (7, "One sentence."), (7, "Two\nlines here."), (8, "Drawn\nanew."), (19, "An item.")]
