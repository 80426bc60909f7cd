"""The pages of claims and questions: a guess, a verdict by a run, a score, filters, links; without TensorFlow."""

from urllib.parse import parse_qs, urlsplit

import pytest

from components.address import faults
from components.pages.claims.card import address_of
from components.symbols import set_symbols
from components.widgets import trace as tracing
from components.widgets.trace import keras_client
from lessons.claims import CLAIMS, QUESTIONS, STARTERS, TOPICS, measure
from mha.keras import client as clients
from mha.keras.client import KerasClient
from mha.keras.question import question
from mha.keras.supervisor import Limits
from tests.app.driver import config, open_page, said, text, title, value, whole

BY_NUMPY = [claim for claim in CLAIMS if not claim.run.keras]
BY_KERAS = [claim for claim in CLAIMS if claim.run.keras]
SHOWN = (*CLAIMS, *QUESTIONS)


def guessed(claim, verdict):
    at = whole(open_page("claims", claim=claim.number))
    at.button(key=f"guess_{verdict}").click().run()
    return whole(at)


def judged(claim):
    return claim.judge(measure(claim.run.name, claim.run.arguments))


def subheaders(at):
    return " ".join(element.value for element in at.subheader)


@pytest.mark.parametrize("claim", [BY_NUMPY[0], BY_KERAS[0]], ids=["numpy", "keras"])
def test_before_the_guess_nothing_is_given_away(claim):
    at = whole(open_page("claims", claim=claim.number))
    assert set_symbols(claim.says) in text(at)
    assert len(at.subheader) == 0
    assert set_symbols(judged(BY_NUMPY[0]).reason) not in text(at)


@pytest.mark.parametrize("claim", BY_NUMPY, ids=lambda claim: str(claim.number))
def test_a_guess_shows_the_verdict_of_the_run_with_reason_measurements_and_link(claim):
    made = judged(claim)
    at = guessed(claim, made.verdict)
    assert "as you said" in subheaders(at)
    assert set_symbols(made.reason) in text(at)
    assert "**You have 1 of 1 right.**" in text(at)
    for check in made.checks:
        assert set_symbols(check.what) in text(at)
    assert address_of(claim.see) in [link.proto.url for link in at.get("link_button")]


def test_a_wrong_guess_is_said_and_scored_and_can_be_taken_back():
    claim = next(claim for claim in BY_NUMPY if judged(claim).verdict == "misleading")
    at = guessed(claim, "true")
    assert "Misleading, you said: true." in subheaders(at)
    assert "**You have 0 of 1 right, and 1 in part.**" in text(at)
    at.button(key="take_back").click().run()
    assert "You have" not in text(whole(at))
    assert len(at.subheader) == 0


def test_a_claim_of_the_real_layer_says_that_it_is_not_installed():
    at = guessed(BY_KERAS[0], "false")
    assert "TensorFlow is not installed here" in at.info[0].value
    assert len(at.subheader) == 0


def test_what_has_been_run_is_counted_below_a_title_that_stays():
    at = whole(open_page("claims"))
    verdicts = [judged(claim).verdict for claim in BY_NUMPY]
    assert title(at) == f"{len(CLAIMS)} claims about this layer, each run in front of you."
    assert f"**{len(BY_NUMPY)} of {len(CLAIMS)} run so far: {verdicts.count('true')} true" in text(at)
    assert f"{len(BY_NUMPY)} of {len(CLAIMS)} claims have been run" in text(at)


@pytest.mark.parametrize(("verdict", "guess", "part"), [
    ("misleading", "true", "What the claim says is true"), ("depends", "true", "true in this case"),
    ("depends", "false", "false in this case"), ("misleading", "false", ""), ("false", "true", ""), ("true", "false", ""),
])  # fmt: skip
def test_a_guess_that_holds_in_part_is_not_simply_wrong(verdict, guess, part):
    claim = next(claim for claim in BY_NUMPY if judged(claim).verdict == verdict)
    at = guessed(claim, guess)
    assert ("Your answer holds in part" in text(at)) == bool(part)
    assert part in text(at)
    assert ("You have 0 of 1 right, and 1 in part." in text(at)) == bool(part)


def test_a_guess_holds_in_the_cases_that_the_run_found():
    """The first claim is true of the paper's layer and not of Keras's, and each guess names its own cases alone."""
    claim = CLAIMS[0]
    checks = judged(claim).checks
    cases = {holds: [set_symbols(check.what) for check in checks if check.holds == holds] for holds in (True, False)}
    for guess, holds in (("true", True), ("false", False)):
        (line,) = (one for one in said(guessed(claim, guess)) if "holds in part" in one)
        assert all(what in line for what in cases[holds])
        assert not any(what in line for what in cases[not holds])


def listed(at):
    return [button.key for button in at.button if button.key.startswith("to_")]


def keys_of(claims):
    return [f"to_{claim.number}" for claim in claims]


def test_ten_claims_to_begin_with_and_all_others_by_topic():
    assert len(STARTERS) == 10
    assert listed(whole(open_page("claims"))) == keys_of(claim for claim in CLAIMS if claim.number in STARTERS)
    assert listed(whole(open_page("claims", topic="all"))) == keys_of(CLAIMS)
    for topic, numbers in TOPICS.items():
        assert listed(whole(open_page("claims", topic=topic))) == keys_of(claim for claim in CLAIMS if claim.number in numbers)
    assert sorted(number for numbers in TOPICS.values() for number in numbers) == sorted(claim.number for claim in CLAIMS)


def test_a_link_to_a_claim_beyond_the_ten_finds_it_among_all_and_the_ten_can_still_be_chosen():
    at = whole(open_page("claims", claim=49))
    assert "to_49" in listed(at)
    assert len(listed(at)) == len(CLAIMS)
    at.button_group(key="topic").set_value("first ten").run()
    assert len(listed(whole(at))) == 10
    assert value(at, "claim") == str(next(claim.number for claim in CLAIMS if claim.number in STARTERS)), "the first of them"


def test_a_claim_beyond_the_ten_is_found_among_all_when_its_search_is_cleared():
    at = whole(open_page("claims", claim=21, contains="VALUE_DIM scores"))
    assert value(at, "topic") == "first ten", "with a search they are not all that is listed"
    assert "to_21" in listed(at)
    at.text_input(key="contains").set_value("").run()
    assert value(whole(at), "topic") == "all"
    assert "to_21" in listed(at)


@pytest.mark.parametrize(("search", "wanted"), [("109514298", {85}), ("109,514,298 first", {85}), ("VALUE_DIM scores", {21})])
def test_claims_are_searched_by_words_and_numbers_however_these_are_written(search, wanted):
    assert listed(whole(open_page("claims", contains=search))) == keys_of(claim for claim in CLAIMS if claim.number in wanted)


@pytest.mark.parametrize("page", ["claims", "questions"])
def test_a_search_that_finds_nothing_says_so_and_can_be_cleared(page):
    at = whole(open_page(page, contains="<b>zebra</b>"))
    assert listed(at) == []
    assert "contains `<b>zebra</b>`." in text(at)
    at.button(key="clear_search").click().run()
    assert value(whole(at), "contains") == ""
    assert listed(at)


def test_questions_are_searched_in_text_numbers_and_theme():
    assert listed(whole(open_page("questions", contains="2560"))) == ["to_q12"]
    assert listed(whole(open_page("questions", contains="masks nan"))) == ["to_q22"]


def test_next_and_previous_walk_in_reading_order_and_round_the_end():
    at = whole(open_page("claims", topic="all"))
    assert value(at, "claim") == str(CLAIMS[0].number)
    at.button(key="walk_N").click().run()
    assert value(at, "claim") == str(CLAIMS[1].number)
    at.button(key="walk_P").click().run()
    at.button(key="walk_P").click().run()
    assert value(at, "claim") == str(CLAIMS[-1].number)
    at.button(key="walk_N").click().run()
    assert value(at, "claim") == str(CLAIMS[0].number)


@pytest.mark.parametrize("article", ["blog", "key_dim", "none_6_8"])
def test_the_filter_by_article_leaves_its_claims_only(article):
    at = whole(open_page("claims", article=article))
    listed = [button.key for button in at.button if button.key.startswith("to_")]
    assert listed == [f"to_{claim.number}" for claim in CLAIMS if claim.source.article.key == article]


def test_the_filter_by_verdict_lists_only_what_was_guessed():
    claim = next(claim for claim in BY_NUMPY if judged(claim).verdict == "true")
    at = whole(open_page("claims", claim=claim.number, verdict="true"))
    assert [button.key for button in at.button if button.key.startswith("to_")] == []
    at.button(key="guess_false").click().run()
    assert [button.key for button in at.button if button.key.startswith("to_")] == [f"to_{claim.number}"]
    left = whole(open_page("claims", verdict="open"))
    assert len([button for button in left.button if button.key.startswith("to_")]) == len(CLAIMS)


def test_a_claim_of_the_list_comes_into_focus():
    at = whole(open_page("claims", topic="all"))
    at.button(key=f"to_{CLAIMS[7].number}").click().run()
    assert set_symbols(CLAIMS[7].says) in text(whole(at))
    assert value(at, "claim") == str(CLAIMS[7].number)


@pytest.mark.parametrize(("page", "key", "raw"), [
    ("claims", "claim", "3"), ("claims", "claim", "two"), ("claims", "article", "<b>x</b>"), ("claims", "verdict", "maybe"),
    ("questions", "question", "q99"),
])  # fmt: skip
def test_what_the_address_cannot_say_is_named_and_the_first_is_shown(page, key, raw):
    at = whole(open_page(page, **{key: raw}))
    assert f"**{key}** must be" in at.warning[0].value
    assert len(at.warning) == 1


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_every_question_has_its_page_with_a_link(question):
    at = whole(open_page("questions", question=question.id))
    assert set_symbols(question.asks) in [element.value for element in at.header]
    assert address_of(question.see) in [link.proto.url for link in at.get("link_button")]
    if question.keras:
        assert "TensorFlow is not installed here" in at.info[0].value
    else:
        answer = question.reply(*(measure(run.name, run.arguments) for run in question.runs))
        assert set_symbols(answer.text) in said(at)
        assert all(set_symbols(what) in text(at) and value in text(at) for what, value in answer.rows)


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: str(getattr(shown, "number", getattr(shown, "id", ""))))
def test_the_address_of_every_link_is_one_that_its_page_understands(shown):
    query = parse_qs(urlsplit(address_of(shown.see)).query)
    assert faults(query) == []
    assert {key: values[0] for key, values in query.items()} == {key: str(value) for key, value in shown.see.query.items()}


@pytest.mark.parametrize("shown", [CLAIMS[0], next(claim for claim in CLAIMS if claim.number == 49), QUESTIONS[1], QUESTIONS[16]],
                         ids=lambda shown: str(getattr(shown, "number", getattr(shown, "id", ""))))  # fmt: skip
def test_a_link_opens_its_page_with_those_settings(shown):
    at = whole(open_page(shown.see.page, **shown.see.query))
    cfg = config(at)
    for key in ("d_model", "num_heads", "key_dim", "value_dim", "query_len", "key_len"):
        assert getattr(cfg, key) == shown.see.query.get(key, getattr(cfg, key))


@pytest.mark.parametrize("address", sorted({address_of(shown.see) for shown in SHOWN if shown.see.page == "keras_layer"}))
def test_a_link_to_the_keras_layer_comes_up_without_a_complaint(address):
    parts = urlsplit(address)
    at = whole(open_page(parts.path, **{key: values[0] for key, values in parse_qs(parts.query).items()}))
    assert [warning.value for warning in at.warning] == []
    assert [error.value for error in at.error] == []


@pytest.fixture
def ended(monkeypatch):
    """Keras's process has ended, as when it was killed in its start."""
    monkeypatch.setattr(clients, "_installed", lambda: True)
    client = KerasClient(Limits(), ("/no/such/python",))
    assert client.result(question("echo"), wait=60) is None
    monkeypatch.setattr(tracing, "KerasClient", lambda: client)
    keras_client.clear()
    yield
    client.close()
    keras_client.clear()


@pytest.mark.parametrize("address", [{"claim": BY_KERAS[0].number}, {"view": "list"}], ids=["claim", "list"])
def test_claims_are_asked_again_where_keras_has_ended(ended, address):
    at = whole(open_page("claims", **address))
    assert "Keras did not start" in text(at)
    assert "poll" in at.session_state._state.filtered_state


def test_a_question_is_asked_again_where_keras_has_ended(ended):
    asked = next(one for one in QUESTIONS if one.keras)
    at = whole(open_page("questions", question=asked.id))
    assert "could not be run" in text(at)
    assert "poll" in at.session_state._state.filtered_state
