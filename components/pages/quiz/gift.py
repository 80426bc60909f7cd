"""Writes the quiz as a file in Moodle's GIFT format. It has a category for each kind of question, with several versions."""

import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from components.pages.quiz.pictures import map_of
from headcount.export.command import BadCommand, OneLine, ended, writable
from headcount.settings import Whole
from lessons.quiz import MAX_SEED, ROUNDS, QuizQuestion, deck

FORMATS, MAX_VERSIONS, USUAL = ("gift",), 100, 30


def gift(seed: int, versions: int) -> str:
    """The text of a GIFT file with the questions of `versions` quizzes, from quiz number `seed` on. Name and id of a question
    depend only on its quiz and kind, so a second file has the same names and ids."""
    decks = {one: {question.kind: question for question in deck(one)} for one in range(seed, seed + versions)}
    lines = [f"// Headcount, quizzes {seed} to {seed + versions - 1}."]
    for number, (topic, kinds) in enumerate(ROUNDS.items(), start=1):
        for kind in (kind.__name__ for kind in kinds):
            lines += ["", f"$CATEGORY: $course$/top/Headcount/{number} {topic}/{kind}"]
            for one, questions in decks.items():
                lines += ["", *_question(f"headcount-{one}-{kind}", questions[kind])]
    return "\n".join([*lines, ""])


def _question(name: str, question: QuizQuestion) -> Iterator[str]:
    """The lines of a question. If the question is about an attention map, the framed row is also described in words."""
    row = "" if question.asking is None else f" {map_of(question, named=False)[1].partition('. ')[2]}"
    yield f"// [id:{name}]"
    yield f"::{name}::[plain]{_escaped(question.asks + row)} {{"
    for option in question.options:
        yield f"  {'=' if option.right else '~'}{_escaped(option.text)}#{_escaped(option.why)}"
    yield "}"


def _escaped(text: str) -> str:
    return re.sub(r"([\\~=#{}:])", r"\\\1", text.replace("`", ""))


def file_name(seed: int, versions: int) -> str:
    return f"headcount_quiz_{seed}_{versions}.gift.txt"


def write(args: Namespace) -> list[Path]:
    """Writes the file for a command line. Returns a list with its path. Raises BadCommand or ValueError for wrong arguments."""
    if args.format not in FORMATS:
        raise BadCommand(f"format must be {' or '.join(FORMATS)}, got {args.format!r}")
    seed = Whole(code="seed", default=1, most=MAX_SEED).parse(args.seed)
    most = min(MAX_VERSIONS, MAX_SEED + 1 - seed)
    versions = Whole(code="versions", default=1, least=1, most=most).parse(args.versions)
    out = Path(args.out or ".")
    out = writable(out / file_name(seed, versions) if out.is_dir() else out)
    out.write_text(gift(seed, versions), encoding="utf-8")
    return [out]


def parser() -> OneLine:
    result = OneLine(prog="python -m headcount quiz", allow_abbrev=False, description="Writes the quiz's questions for Moodle.")
    for name, usual, about in (
        ("format", "gift", "gift"), ("seed", "1", f"the first quiz, 0 to {MAX_SEED}"),
        ("versions", f"{USUAL}", f"how many of each question, 1 to {MAX_VERSIONS}"), ("out", None, "file, or folder"),
    ):  # fmt: skip
        about += f"; left out: {usual or 'a name that says what it is, here'}"
        result.add_argument(f"--{name}", default=usual, metavar=name.upper(), help=about)
    return result


def main(argv: Sequence[str] | None = None) -> int:
    return ended(parser(), argv, write)
