"""The teacher's part of the quiz: tables of the links that students hand in, and the questions as a file for Moodle.

A link has the number of a quiz and the answers, and nothing about the student. The tables never show pasted text."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.pages.quiz import QUIZ, gift
from components.pages.quiz.page import Quiz, invalid_letters, read, write
from components.presenter.votes import address_of
from components.widgets.downloads import Download, show_downloads
from components.widgets.tables import show_tables
from headcount.names import counted
from headcount.stage.numbers import as_csv
from lessons.quiz import MAX_SEED, deck

#: Limits on the pasted links (the pile): lines, different quizzes, characters, characters read of a line, unreadable lines named.
MAX_LINES, MAX_QUIZZES, MAX_PILE, MAX_LINE, NAMED = 500, 20, 100_000, 2000, 12


@dataclass(frozen=True, slots=True)
class HandIn:
    """A handed-in link. `line`: its line, from 1. `seed`: the quiz. `chosen`: for each question an option (from 0) or None."""

    line: int
    seed: int
    chosen: tuple[int | None, ...]


def read_pile(text: str) -> tuple[list[HandIn], list[str]]:
    """Reads a text with a handed-in link in each line. Returns the links, and for each unreadable line a text with its number and
    the reason. Raises ValueError if the text is too long."""
    if len(text) > MAX_PILE:
        raise ValueError(f"The pile must have at most {MAX_PILE:,} characters, got {len(text):,}.")
    if len(lines := text.splitlines()) > MAX_LINES:
        raise ValueError(f"The pile must have at most {MAX_LINES} lines, got {len(lines):,}.")
    found: list[HandIn] = []
    broken: list[str] = []
    for number, line in enumerate(lines, start=1):
        one = _read_line(number, line[:MAX_LINE], {hand_in.seed for hand_in in found})
        if isinstance(one, HandIn):
            found.append(one)
        elif line.strip():
            broken.append(f"line {number}, {one}")
    return found, broken


def _read_line(number: int, line: str, seeds: set[int]) -> HandIn | str:
    """Reads one line. Returns the handed-in link, or the reason why there is none. `seeds`: the quizzes of the lines before."""
    link = re.search(r"\bquiz\?(\S*)", line)
    said = dict(re.findall(r"(?:^|[&;])(quiz|answers)=([^&;,\"'<>#]*)", link[1])) if link else {}
    seed = QUIZ.convert(said.get("quiz", str(QUIZ.default)))
    if "answers" not in said:
        return "no link to an answered quiz"
    if not QUIZ.is_valid(seed):
        return f"no quiz from 0 to {MAX_SEED}"
    if seed not in seeds and len(seeds) == MAX_QUIZZES:
        return f"another quiz than the first {MAX_QUIZZES}"
    if invalid_letters(said["answers"], deck(seed)):
        return "answers that are none"
    return HandIn(number, seed, read(said["answers"], deck(seed)))


def by_line(pile: Sequence[HandIn]) -> list[list[str]]:
    """A table with a row for each handed-in link. A cell has the number of the chosen option, with a tick if it is right."""
    rows = []
    for one in pile:
        hits = [place == question.answer for place, question in zip(one.chosen, deck(one.seed), strict=True)]
        marks = ["" if place is None else f"{place + 1}{' ✓' * hit}" for place, hit in zip(one.chosen, hits, strict=True)]
        rows.append([str(one.line), str(one.seed), str(sum(hits)), str(len(hits) - marks.count("")), *marks])
    last = max(place for row in rows for place, mark in enumerate(row, start=1) if mark)
    return [row[:last] for row in (["Line", "Quiz", "Right", "Answered", *map(str, range(1, last))], *rows)]


def by_question(pile: Sequence[HandIn]) -> list[list[str]]:
    """A table with a row for each answered question: right answers, how often each option was chosen, the usual mistake."""
    rows = [["Question", "Quiz", "Asked", "Answered", "Right", *"1234", "Most taken wrong", "Which means"]]
    for seed in dict.fromkeys(one.seed for one in pile):
        for number, question in enumerate(deck(seed)):
            taken = Counter(one.chosen[number] for one in pile if one.seed == seed and one.chosen[number] is not None)
            if not taken:
                continue
            counts = [taken[place] for place in range(len(question.options))]
            wrong = [0 if option.right else count for option, count in zip(question.options, counts, strict=True)]
            option = question.options[wrong.index(max(wrong))]
            said = [question.headline, f"{sum(counts)}", f"{counts[question.answer] / sum(counts):.0%}"]
            said += [*map(str, counts), *[""] * (4 - len(counts)), *((option.text, option.why) if any(wrong) else ("", ""))]
            rows.append([str(number + 1), str(seed), *(part.replace("`", "") for part in said)])
    return rows


def offer_link(quiz: Quiz) -> None:
    """Shows the link that a student hands in, as soon as all questions of the present round are answered."""
    if quiz.score.startswith("Round"):
        st.caption(f"Round {quiz.round} is answered. Hand in this link:")
        st.code(address_of("quiz", quiz=f"{quiz.seed}", answers=write(quiz.chosen)), language=None, wrap_lines=True)


def draw_class(quiz: Quiz) -> None:
    view = st.expander("For a class", type="compact", key="class", on_change="rerun")
    if not view.open:
        return
    with view:
        st.caption("Lessons of 10, 45 and 90 minutes: `docs/teaching.md` in the app's source.")
        text = st.text_area(
            "Links that were handed in, one a line", key="pile", max_chars=MAX_PILE, height=120,
            help=f"Up to {MAX_LINES}, or the lines of a CSV file. They are read here, and kept nowhere.",
        )  # fmt: skip
        if text.strip():
            draw_pile(text)
        versions = min(gift.USUAL, MAX_SEED + 1 - quiz.seed)
        st.markdown(f"The questions for Moodle, from {counted(versions, 'quiz', 'quizzes')}:")
        name, write_it = gift.file_name(quiz.seed, versions), lambda: gift.gift(quiz.seed, versions).encode()
        show_downloads("gift", [Download("GIFT", name, "text/plain", write_it, marked=True)])


def draw_pile(text: str) -> None:
    """Draws the tables of the handed-in links with their downloads, and names the lines that cannot be read."""
    try:
        pile, broken = read_pile(text)
    except ValueError as why:
        st.error(str(why))
        return
    if broken:
        more = f"; and {counted(len(broken) - NAMED, 'more line')}" if len(broken) > NAMED else ""
        st.warning(f"Not read: {'; '.join(broken[:NAMED])}{more}.")
    if not pile:
        return
    tables = {"by question": by_question(pile), "by line": by_line(pile)}
    show_tables("hand_ins", [
        {"title": f"Hand-ins {title}", "heads": rows[0], "rows": rows[1:], "words": True} for title, rows in tables.items()
    ])  # fmt: skip
    show_downloads("pile", [
        Download(f"CSV {title}", f"hand_ins_{title.replace(' ', '_')}.csv", "text/csv",
                 as_csv(heads, rows).encode("utf-8-sig"), marked=True)  # by which spreadsheets know it
        for title, (heads, *rows) in tables.items()
    ])  # fmt: skip
