"""The quiz on its page: questions, answers, score and review, all of it in the address."""

import html
import re
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from components.pages.quiz.page import Quiz, write
from components.pages.quiz.page import read as read_letters
from components.symbols import set_symbols
from headcount import count_parameters
from headcount.trained import store
from headcount.trained.network import forward
from headcount.trained.sentence import read
from lessons.quiz import COUNT, deck
from tests.app.driver import charts, figures, open_page, outside_code, pictures, said, stages, text, title, whole

SEED = 5


def letters(seed: int, hits: int, misses: int) -> str:
    """The address's letters for the first questions answered rightly and the next ones wrongly."""
    questions = deck(seed)
    return "".join("abcd"[q.answer] for q in questions[:hits]) + "".join(
        "abcd"[(q.answer + 1) % len(q.options)] for q in questions[hits : hits + misses]
    )


def offered(at) -> list[str]:
    return [button.label for button in at.button if (button.key or "").startswith("option_")]


def click(at, label: str):
    (button,) = [button for button in at.button if button.label == label]
    return button.click().run()


def corrected(question, wrong: int) -> str:
    return f"You chose :red[{question.options[wrong].text}]; the answer is :green[{question.options[question.answer].text}]."


def asked(at) -> str:
    """The question on the page: the headline and its condition."""
    return f"{title(at)} | {at.markdown[0].value}"


def put(question) -> str:
    return set_symbols(f"{question.headline} | {question.condition}")


def drawn(at) -> list[str]:
    """The alt texts of the cards' and the question's pictures, in the order of the page."""
    return [html.unescape(alt) for node in at.get("html") for alt in re.findall(r'<img .* alt="([^"]*)"', node.proto.body)]


def test_a_question_shows_its_options_and_nothing_of_the_answer():
    at = whole(open_page("quiz", quiz=SEED, number=2))
    question = deck(SEED)[1]
    assert asked(at) == put(question)
    assert offered(at) == [set_symbols(option.text) for option in question.options]
    assert set_symbols(question.options[question.answer].why) not in text(at)
    assert not at.get("link_button")


@pytest.mark.parametrize("number", range(1, COUNT + 1))
def test_every_answer_brings_its_reason_the_real_figure_and_a_link(number):
    question = deck(SEED)[number - 1]
    word = "-" * (number - 1) + "abcd"[question.answer]
    at = whole(open_page("quiz", quiz=SEED, number=number, answers=word))
    assert title(at) == f":green[{set_symbols(question.options[question.answer].text)}] is right."
    assert set_symbols(question.asks) in said(at)
    assert "**1 of 1 right.**" in text(at)
    for option in question.options:
        assert set_symbols(option.why) in text(at)
    counts = question.before is not None
    assert len(stages(at)) + len(charts(at)) == (not counts)
    assert len(drawn(at)) == (len(question.options) + 2) * counts
    assert at.get("link_button")[0].proto.url.startswith("./")


@pytest.mark.parametrize("kind", ["paper_count", "keras_count_doubled", "longer"])
def test_a_question_of_counts_draws_no_option_before_the_answer_and_then_a_layer_only_where_one_has_so_many(kind):
    """Equal outlines would show which counts are equal."""
    number, question = next((number, one) for number, one in enumerate(deck(1), 1) if one.kind == kind)
    (before,) = drawn(whole(open_page("quiz", quiz=1, number=number)))
    known = whole(open_page("quiz", quiz=1, number=number, answers="-" * (number - 1) + "abcd"[question.answer]))
    there, came, *claims = drawn(known)
    assert (there, came) == (before, claims[question.answer])
    for option, claim in zip(question.options, claims, strict=True):
        layers = re.match(r"(\d+) layers? of (\d+) heads?, W_Q (\d+) × (\d+)", claim)
        if layers is None:
            assert claim == f"A dashed area of {option.text} parameters, which is no layer."
        else:
            count, heads, rows, columns = map(int, layers.groups())
            cfg = replace(question.cfg, num_heads=heads, key_dim=columns // heads)
            halved = 2 * cfg.key_dim == question.cfg.key_dim  # then its values, too
            value_dim = cfg.key_dim if question.paper else question.cfg.value_dim // (1 + halved)
            assert f"{count * count_parameters(replace(cfg, value_dim=value_dim)):,}" == option.text
            assert rows == question.cfg.d_model
    assert f"**{question.options[question.answer].text}**" in said(known)


def test_a_question_on_the_trained_layer_is_answered_by_that_layers_numbers():
    """Two questions of seed 5: the map of the head that finds a word, and the results of a head that stays on."""
    of_kind = {question.kind: (number, question) for number, question in enumerate(deck(SEED), 1)}
    of = {}
    for kind in ("finds", "falls"):
        number, question = of_kind[kind]
        of[kind] = whole(open_page("quiz", quiz=SEED, number=number, answers="-" * (number - 1) + "abcd"[question.answer]))
        assert "numbers" not in of[kind].get("link_button")[0].proto.url, "the page shows trained numbers by itself"
    traces = {
        kind: forward(store.load("sentence-4"), read(dict(of_kind[kind][1].choices)["tokens"]).examples.tokens).trace
        for kind in of
    }
    (chart,) = figures(of["finds"]).values()
    sent = np.frombuffer(b64decode(chart["data"][0]["z"]["bdata"]), "f4")
    head = dict(of_kind["finds"][1].choices)["head"] - 1
    np.testing.assert_allclose(sent, traces["finds"].weights.values[0, head].ravel(), atol=1e-6)
    (_, numbers), results = (
        pictures(of["falls"])[0],
        traces["falls"].context.values[0, :, dict(of_kind["falls"][1].choices)["head_off"] % 4],
    )
    assert np.isclose(numbers[:, None], results.ravel(), atol=1e-5).any(axis=0).all()


def test_a_wrong_answer_is_told_what_it_would_have_taken_and_is_kept_for_review():
    at = open_page("quiz", quiz=SEED)
    question = deck(SEED)[0]
    wrong = (question.answer + 1) % len(question.options)
    at.button(key=f"option_{wrong + 1}").click().run()
    whole(at)
    assert title(at) == corrected(question, wrong)
    assert set_symbols(question.options[wrong].why) in text(at)
    assert "**0 of 1 right.**" in text(at)
    assert at.query_params["answers"] in ("abcd"[wrong], ["abcd"[wrong]])
    assert [button for button in at.button if button.label.startswith("1: you chose ")]


def test_the_review_leads_back_to_the_question_and_it_can_be_answered_again():
    at = open_page("quiz", quiz=SEED, number=9, answers=letters(SEED, 3, 2))
    assert "**3 of 5 right.**" in text(at)
    again = [button for button in at.button if re.match(r"\d+: you chose ", button.label)]
    assert [int(button.label.split(":")[0]) for button in again] == [4, 5]
    again[1].click().run()
    assert set_symbols(deck(SEED)[4].asks) in said(at)
    click(at, "Answer again")
    assert offered(whole(at))
    assert asked(at) == put(deck(SEED)[4])
    assert "**3 of 4 right.**" in text(at)


def test_next_and_previous_stop_at_the_ends():
    at = open_page("quiz", quiz=SEED, number=COUNT)
    assert [button.disabled for button in at.button if button.label in ("Previous", "Next")] == [False, True]
    click(at, "Previous")
    assert asked(at) == put(deck(SEED)[COUNT - 2])


@pytest.mark.parametrize(("number", "place", "score"), [
    (1, "Question 1 of 8, round 1 of 5, taught in [the walk](./?present=1)", "Round 1: 5 of 8 right."),
    (8, "Question 8 of 8, round 1 of 5, taught in [the walk](./?present=1)", "Round 1: 5 of 8 right."),
    (10, "Question 2 of 2, round 2 of 5, taught in [Projections](./projections)", "5 of 9 right."),
    (18, "Question 2 of 2, round 5 of 5, taught in [the Keras layer](./keras_layer)", "5 of 9 right."),
])  # fmt: skip
def test_a_round_says_where_it_was_taught_and_how_many_were_right_once_it_is_answered(number, place, score):
    """Nine answers, of which the first five are right: five of the first eight. The second round is not complete."""
    at = whole(open_page("quiz", quiz=SEED, number=number, answers=letters(SEED, 5, 4)))
    assert f"{place}. **{score}**" in said(at)
    assert "Round 2:" not in text(at)


def test_rounds_may_have_different_numbers_of_questions():
    """They have eight, two, four, two and two."""
    questions = deck(SEED)
    at = lambda number: Quiz(SEED, number, questions, tuple(question.answer for question in questions))  # noqa: E731
    assert [at(number).place.partition(", taught")[0] for number in (10, 11, 16, COUNT)] == [
        "Question 2 of 2, round 2 of 5", "Question 1 of 4, round 3 of 5", "Question 2 of 2, round 4 of 5",
        "Question 2 of 2, round 5 of 5",
    ]  # fmt: skip
    assert [at(number).score for number in (8, 9, 11, 17)] == [
        "Round 1: 8 of 8 right.", "Round 2: 2 of 2 right.", "Round 3: 4 of 4 right.", "Round 5: 2 of 2 right.",
    ]  # fmt: skip
    assert replace(at(COUNT), chosen=(None, *at(1).chosen[1:])).score == "Round 5: 2 of 2 right."
    assert replace(at(1), chosen=(None, *at(1).chosen[1:])).score == f"{COUNT - 1} of {COUNT - 1} right."


@pytest.mark.parametrize("kind", ["she", "which_head"])
def test_a_map_that_is_asked_about_has_no_name_no_hue_and_no_word_at_its_columns_until_it_is_answered(kind):
    number, question = next((number, one) for number, one in enumerate(deck(SEED), 1) if one.kind == kind)
    words = read(dict(question.choices)["tokens"]).words
    head = dict(question.choices)["head"] - 1
    before, after = (
        whole(open_page("quiz", quiz=SEED, number=number, answers=answers))
        for answers in ("", "-" * (number - 1) + "abcd"[question.answer])
    )
    (chart,), (named,) = (figures(at).values() for at in (before, after))
    weights = forward(store.load("sentence-4"), read(dict(question.choices)["tokens"]).examples.tokens).trace.weights.values[
        0, head
    ]
    for one in (chart, named):
        sent = np.frombuffer(b64decode(one["data"][0]["z"]["bdata"]), "f4")
        np.testing.assert_allclose(sent, weights.ravel(), atol=1e-6)
        assert one["layout"]["xaxis"]["ticktext"] == [*map(str, range(1, 14))]
        rows = one["layout"]["yaxis"]["ticktext"]
        assert [re.sub("</?b>", "", row) for row in rows] == [f"{place} {word}" for place, word in enumerate(words, 1)]
        assert [row.startswith("<b>") for row in rows].index(True) == question.asking
    titles = [{note["text"] for note in one["layout"]["annotations"]} for one in (chart, named)]
    assert "?" in "".join(titles[0])
    assert not {*"".join(titles[0]).split()} & {"who", "whom", "where", "when", "head"}
    assert {"who", "whom", "where", "when"} & {*re.sub("<.*?>", " ", " ".join(titles[1])).split()}


def test_another_quiz_begins_anew():
    at = open_page("quiz", quiz=SEED, number=7, answers=letters(SEED, 2, 2))
    at.number_input(key="quiz").set_value(SEED + 1).run()
    assert asked(whole(at)) == put(deck(SEED + 1)[0])
    assert "Question 1 of 8, round 1 of 5, taught in [the walk](./?present=1)" in said(at)


def test_the_layer_that_a_visitor_was_looking_at_stays_in_the_address():
    at = whole(open_page("quiz", quiz=SEED, num_heads=8, answers=letters(SEED, 1, 0)))
    assert at.session_state["num_heads"] == 8


@pytest.mark.parametrize("raw", ["z", "aé", "a" * 33, "0000", "a`**b**", "<b>"])
def test_answers_that_are_none_are_said_as_text_and_left_open(raw):
    at = whole(open_page("quiz", quiz=SEED, answers=raw))
    assert "**answers** must be a letter from a to d" in at.warning[0].value
    assert not any("<b>" in outside_code(body) for body in said(at))


def test_the_word_of_the_address_is_read_as_it_was_written():
    questions = deck(SEED)
    chosen = [None, 1, 0, None, 2, *[None] * (COUNT - 5)]
    assert write(chosen) == "-ba-c"
    assert [*read_letters("-BA-c", questions)] == chosen
    assert read_letters("", questions) == (None,) * COUNT
    all_right = [q.answer for q in questions]
    assert Quiz(SEED, 1, questions, (*all_right,)).wrong == {}
    assert Quiz(SEED, 1, questions, (1 - all_right[0] if all_right[0] < 2 else 0, *all_right[1:])).wrong.keys() == {1}
