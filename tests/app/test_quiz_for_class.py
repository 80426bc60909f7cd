"""Hand-ins and Moodle: handed-in links give back the table that they were made from, and a GIFT file is read by a parser that
knows only Moodle's rules."""

import csv
import io
import json
import random
import re
import time
from collections import Counter
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from components.pages.quiz import for_class
from components.pages.quiz.for_class import by_line, by_question, read_pile
from components.pages.quiz.gift import MAX_VERSIONS, gift
from components.pages.quiz.page import write
from headcount import commands
from headcount.stage.numbers import as_csv
from lessons.quiz import COUNT, KINDS, deck
from tests.app.driver import component, open_page, said, whole

#: How a link may stand in a line: alone, in a CSV, quoted, copied from a page, with what else an address may hold.
SHAPES = (
    "https://example.org/quiz?{}", "  /quiz?{}  ", "Ana Lovelace,https://example.org/app/quiz?{},2026-11-28", '"7","/quiz?{}"',
    "<https://example.org/quiz?{}>", "https://example.org/quiz?num_heads=2&{}&number=8#top", "see http://h/quiz?{} thanks",
)  # fmt: skip
BROKEN = {
    "name,link,date": "no link to an answered quiz", "https://example.org/quiz?quiz=17": "no link to an answered quiz",
    "/quiz?quiz=10000&answers=a": "no quiz from 0 to 9999", "/quiz?quiz=-1&answers=a": "no quiz from 0 to 9999",
    "/quiz?quiz=17&answers=axz": "answers that are none", f"/quiz?quiz=17&answers={'a' * 99}": "answers that are none",
    "<script>alert(1)</script> **bold** /quiz?quiz=<b>&answers=a": "no quiz from 0 to 9999",
}  # fmt: skip


def made_up(count: int, rng: random.Random) -> tuple[str, list[tuple[int, int, list[int | None]]], list[str]]:
    """A text of `count` links to the quizzes 17 and 1 (which an address omits) among broken and empty lines. Also what each link
    was made from, and the sentences about the broken ones."""
    lines: list[str] = []
    made, said_of = [], []
    for number in range(count):
        if number % 37 == 5:
            bad, why = list(BROKEN.items())[number // 37 % len(BROKEN)]
            lines.append(bad)
            said_of.append(f"line {len(lines)}, {why}")
        if number % 50 == 3:
            lines.append(" ")
        seed = rng.choice((17, 17, 1))
        chosen = [rng.choice((None, *range(len(q.options)))) if at < 8 else None for at, q in enumerate(deck(seed))]
        query = {"answers": write(chosen)} | ({"quiz": seed} if seed != 1 else {})
        link = urlencode(dict(rng.sample([*query.items()], len(query))))
        lines.append(rng.choice(SHAPES).format(link.upper().replace("QUIZ=", "quiz=").replace("ANSWERS=", "answers=")))
        made.append((len(lines), seed, chosen))
    return "\n".join(lines), made, said_of


def test_a_pile_of_300_links_gives_the_tables_they_were_made_from():
    pile, made, broken = made_up(300, random.Random(5))
    found, not_read = read_pile(pile)
    assert not_read == broken
    assert len(found) == 300
    heads, *rows = by_line(found)
    assert heads == ["Line", "Quiz", "Right", "Answered", *"12345678"]
    for row, (line, seed, chosen) in zip(rows, made, strict=True):
        right = [question.answer for question in deck(seed)]
        marks = ["" if c is None else f"{c + 1} ✓" if c == r else f"{c + 1}" for c, r in zip(chosen, right, strict=True)]
        hits = sum(c == r for c, r in zip(chosen, right, strict=True))
        assert row == [str(line), str(seed), str(hits), str(8 - chosen[:8].count(None)), *marks[:8]]
    heads, *rows = by_question(found)
    assert len(rows) == 16
    for row in rows:
        told = dict(zip(heads, row, strict=True))
        number, seed = int(told["Question"]), int(told["Quiz"])
        question = deck(seed)[number - 1]
        taken = Counter(chosen[number - 1] for _, one, chosen in made if one == seed and chosen[number - 1] is not None)
        assert told["Asked"] == question.headline.replace("`", "")
        assert int(told["Answered"]) == taken.total()
        assert told["Right"] == f"{100 * taken[question.answer] / taken.total():.0f}%"
        assert [told[one] for one in "1234"] == [str(taken[i]) if i < len(question.options) else "" for i in range(4)]
        most = next(option for option in question.options if option.text.replace("`", "") == told["Most taken wrong"])
        assert not most.right
        assert taken[question.options.index(most)] == max(n for i, n in taken.items() if i != question.answer)
        assert told["Which means"] == most.why.replace("`", "")
    for table in (by_line(found), by_question(found)):
        assert [*csv.reader(io.StringIO(as_csv(table[0], table[1:])))] == table


def test_a_question_that_all_have_right_names_no_wrong_answer():
    right = "abcd"[deck(17)[0].answer]
    _, row = by_question(read_pile(f"/quiz?quiz=17&answers={right}\n" * 3)[0])
    assert (row[3], row[4], row[-2:]) == ("3", "100%", ["", ""])


@pytest.mark.parametrize(("pile", "why"), [
    ("/quiz?answers=a\n" * 501, "The pile must have at most 500 lines, got 501."),
    ("x" * 100_001, "The pile must have at most 100,000 characters, got 100,001."),
])  # fmt: skip
def test_a_pile_that_is_too_large_is_not_read(pile, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        read_pile(pile)
    at = whole(open_page("quiz", quiz=17))
    at.session_state["class"] = True
    at.session_state["pile"] = pile
    assert [one.value for one in whole(at.run()).error] == [why]


def test_only_so_many_quizzes_are_drawn_whatever_a_pile_names():
    found, broken = read_pile("\n".join(f"/quiz?quiz={seed}&answers=a" for seed in range(30, 60)))
    assert [one.seed for one in found] == [*range(30, 50)]
    assert broken == [f"line {line}, another quiz than the first 20" for line in range(21, 31)]


@pytest.mark.parametrize("line", ["quiz?" * 19_999, "/quiz?" + "&" * 90_000, "/quiz?answers=" + "a" * 90_000, "&quiz=1" * 14_000])
def test_a_hostile_line_costs_little(line):
    start = time.perf_counter()
    assert len(read_pile(line)[1]) == 1
    assert time.perf_counter() - start < 1


def test_the_page_shows_tables_of_a_pile_and_nothing_that_a_visitor_wrote():
    pile, made, _ = made_up(300, random.Random(7))
    at = whole(open_page("quiz", quiz=17))
    assert not at.text_area
    at.session_state["class"] = True
    whole(at.run()).text_area(key="pile").set_value(pile).run()
    tables = json.loads(dict(component(whole(at), "tables"))["hand_ins"])
    assert [table["title"] for table in tables] == ["Hand-ins by question", "Hand-ins by line"]
    assert [row[0] for row in tables[1]["rows"]] == [str(line) for line, *_ in made]
    (warning,) = at.warning
    assert re.match("Not read: line [67], no link to an answered quiz; line ", warning.value)
    everything = "\n".join(said(at)) + json.dumps(tables)
    assert not re.search(r"script|bold|Ana Lovelace|example\.org", everything)


def test_of_many_broken_lines_the_first_are_named_and_the_others_counted():
    at = whole(open_page("quiz", quiz=17))
    at.session_state["class"] = True
    at.session_state["pile"] = "nothing\n" * 40
    assert whole(at.run()).warning[0].value.endswith("line 12, no link to an answered quiz; and 28 more lines.")


def test_an_answered_round_offers_its_link_which_is_what_is_handed_in():
    answers = "".join("abcd"[(q.answer + at) % len(q.options)] for at, q in enumerate(deck(17)[:8]))
    assert not whole(open_page("quiz", quiz=17, number=8, answers=answers[:7])).code
    at = whole(open_page("quiz", quiz=17, number=8, answers=answers))
    assert "Round 1 is answered. Hand in this link:" in said(at)
    ((one,), broken) = read_pile(at.code[0].value)
    assert not broken
    assert (one.seed, write(one.chosen)) == (17, answers)


def parsed(source: str) -> list[SimpleNamespace]:
    """The questions of a GIFT file by the rules of docs.moodle.org/en/GIFT_format and of Moodle's importer, without code of ours.
    Blank lines separate questions. // begins a comment, in which [id:…] is an id; $CATEGORY: holds for all that follows. ::…:: is
    a name, [plain] a format, = the right answer, ~ a wrong one, # its feedback; a backslash escapes a sign."""
    questions, category = [], ""
    for block in re.split(r"\n\s*\n", source.strip()):
        lines = block.split("\n")
        ids = [found[1] for line in lines if line.startswith("//") and (found := re.search(r"\[id:([^\]]+)\]", line))]
        body = "\n".join(line for line in lines if not line.startswith("//")).strip()
        for sign in r":#={}~":
            body = body.replace(f"\\{sign}", chr(0xE000 + ord(sign)))
        assert "\\" not in body
        if body.startswith("$CATEGORY:"):
            category = body.removeprefix("$CATEGORY:").strip()
        elif body:
            _, name, rest = body.split("::")
            assert rest.count("{") == rest.count("}") == 1
            asks, answers = rest.rstrip().removesuffix("}").split("{")
            plain = lambda part: re.sub("[\ue000-\ue0ff]", lambda one: chr(ord(one[0]) - 0xE000), part).strip()  # noqa: E731
            options = re.findall(r"([=~])([^=~#]*)#([^=~#]*)", answers)
            assert "".join(f"{sign}{said_}#{why}" for sign, said_, why in options).strip() == answers.strip()
            assert asks.startswith("[plain]")
            questions.append(SimpleNamespace(
                category=category, id=ids, name=plain(name), asks=plain(asks.removeprefix("[plain]")),
                options=[(sign == "=", plain(said_), plain(why)) for sign, said_, why in options],
            ))  # fmt: skip
    return questions


def test_a_gift_file_is_the_quizzes_when_an_independent_parser_reads_it():
    """30 versions of every kind: text, options and feedback, and an id that stays the same."""
    found = parsed(gift(17, 30))
    assert len(found) == 30 * len(KINDS) == 30 * COUNT
    assert len({one.name for one in found}) == len(found)
    by_name = {one.name: one for one in found}
    for seed in range(17, 47):
        for question in deck(seed):
            one = by_name[f"headcount-{seed}-{question.kind}"]
            assert one.id == [one.name]
            assert one.category.endswith(f"/{question.kind}")
            asks = question.asks.replace("`", "")
            assert one.asks == asks if question.asking is None else one.asks.startswith(f"{asks} The row of “")
            wanted = [(o.right, o.text.replace("`", ""), o.why.replace("`", "")) for o in question.options]
            assert one.options == wanted
    assert {one.name: one for one in parsed(gift(20, 2))} == {n: o for n, o in by_name.items() if re.search(r"-2[01]-", n)}


def test_the_command_writes_the_file_and_refuses_what_it_does_not_know_in_one_line(tmp_path, capsys):
    out = tmp_path / "new" / "quiz.txt"
    assert commands.main(["quiz", "--format", "gift", "--seed", "17", "--versions", "3", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    assert out.read_text(encoding="utf-8") == gift(17, 3)
    for words, why in (
        (["--format", "qti"], "format must be gift, got 'qti'"),
        (["--seed", "ten"], "seed must be a whole number from 0 to 9,999, got 'ten'"),
        (["--versions", "0"], f"versions must be a whole number from 1 to {MAX_VERSIONS}, got 0"),
        (["--seed", "9990", "--versions", "11"], "versions must be a whole number from 1 to 10, got 11"),
    ):
        assert commands.main(["quiz", *words, "--out", str(tmp_path)]) == 2
        assert capsys.readouterr().err == f"{why}\n"


def test_the_button_hands_out_the_same_file(monkeypatch: pytest.MonkeyPatch):
    made = []
    monkeypatch.setattr(for_class, "show_downloads", lambda key, downloads: made.extend(downloads))
    at = whole(open_page("quiz", quiz=9995))
    at.session_state["class"] = True
    whole(at.run())
    (one,) = made
    assert (one.name, one.write()) == ("headcount_quiz_9995_5.gift.txt", gift(9995, 5).encode())
