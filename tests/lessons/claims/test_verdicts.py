"""Every verdict follows from a run, is the one of the table of statements, and turns when the run's result is spoilt."""

import ast

import pytest

from experiments.cards import CARDS
from experiments.records import Card, differs, fewer, more, near
from lessons.claims import BY_ID
from lessons.question import VERDICTS, Answer, Check
from tests.lessons.claims.running import TABLE

FILES = {"blog": "blog_heads_parameters.txt", "key_dim": "keras_key_dim_num_heads.txt", "none_6_8": "keras_none_6_8.txt"}
JUDGED = {f"c{number}": (file, line, verdict) for number, file, line, verdict in TABLE}
CLAIMS = [card for card in CARDS if card.source]
WITH_CHECKS = [card for card in CLAIMS if JUDGED[card.id][2] != "opinion"]


def each(cards: list[Card]):
    """Parametrizes by cards; those of the real layer are marked."""
    marks = {True: [pytest.mark.keras], False: []}
    return pytest.mark.parametrize("card", [pytest.param(card, id=card.id, marks=marks[card.keras]) for card in cards])


@each(CLAIMS)
def test_a_claims_verdict_by_its_run_is_the_tables_and_the_apps(card, result):
    assert card.reply(*result).verdict == JUDGED[card.id][2] == BY_ID[card.id].answer.verdict


def test_there_are_claims_of_every_verdict_and_article():
    assert len(CLAIMS) >= 40
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert {JUDGED[claim.id][2] for claim in CLAIMS} == set(VERDICTS)
    assert {claim.source.article.key for claim in CLAIMS} == set(FILES)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_names_its_article_and_line_and_quotes_at_most_15_words(claim):
    assert (FILES[claim.source.article.key], claim.source.line) == JUDGED[claim.id][:2]
    assert 0 < len(claim.source.quote.split()) <= 15
    assert claim.asks.endswith((".", "?"))
    assert claim.asks.strip(".").lower() not in claim.source.quote.lower()


def claimed(judgement: Answer) -> list:
    """What the claim makes of its run, as values: 4, [512, 512], "yes"."""
    found = []
    for check in judgement.checks:
        try:
            value = ast.literal_eval(check.claimed.replace(",", "") if "(" not in check.claimed else check.claimed)
        except (ValueError, SyntaxError):
            value = check.claimed
        found.append(list(value) if isinstance(value, tuple) else value)
    return found


def spoilt(value: object, others: list):
    """The value with one thing in it changed, one after the other: a number, a word, a switch, or a run that was refused."""
    if isinstance(value, dict):
        if "output" in value:
            yield {"error": "ValueError: spoilt"}
        for name, inner in value.items():
            yield from ({**value, name: other} for other in spoilt(inner, others))
    elif isinstance(value, list | tuple):
        yield from (other for other in others if isinstance(other, list))
        for place, inner in enumerate(value):
            for other in spoilt(inner, others):
                yield [*value[:place], other, *value[place + 1 :]]
        yield from ([], value[:1] * len(value), value[: len(value) // 2], value[:-1], value[::-1], *([inner] for inner in value))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (other for other in others if type(other) is int)
        yield from (value + 1, value * 2, 0)
    else:
        yield from (None if other is None else str(other) for other in (*others, "spoilt", None))


def turned(claim: Card, run: dict) -> bool:
    """Whether the verdict turns when the run is spoilt: step by step, each time so that most checks say otherwise."""
    first = claim.reply(run)
    for _ in range(4):
        best = (0, run)
        for other in spoilt(run, claimed(first)):
            try:
                made = claim.reply(other)
            except Exception:
                continue  # a result of another form than any run's: there is no verdict to speak of
            if made.verdict != first.verdict:
                return True
            flipped = sum(now.holds != before.holds for now, before in zip(made.checks, first.checks, strict=True))
            best = max(best, (flipped, other), key=lambda it: it[0])
        run = best[1]
    return False


@each(WITH_CHECKS)
def test_a_spoilt_run_turns_the_verdict(card, result):
    assert turned(card, *result)


def checks(**holds: tuple[bool, ...]) -> tuple[Check, ...]:
    return tuple(Check(role, "", "", "", held) for role, all_held in holds.items() for held in all_held)


@pytest.mark.parametrize(("made", "wanted"), [
    (checks(), "opinion"), (checks(says=(True, True)), "true"), (checks(says=(True, False)), "false"),
    (checks(says=(True,), suggests=(True,)), "true"), (checks(says=(True,), suggests=(True, False)), "misleading"),
    (checks(says=(False,), suggests=(False,)), "false"), (checks(case=(True, True)), "true"),
    (checks(case=(True, False)), "depends"), (checks(case=(False, False)), "false"),
    (checks(says=(False,), case=(True, False)), "false"),
])  # fmt: skip
def test_a_verdict_by_hand(made, wanted):
    assert Answer("", checks=made).verdict == wanted


@pytest.mark.parametrize(("measured", "same", "other"), [
    (0.0, True, False), (3e-7, True, False), (9e-5, True, False), (9e-3, False, False), (0.02, False, True), (1.7, False, True),
])  # fmt: skip
def test_the_rounding_of_float32_is_no_difference_and_a_real_one_is_far_above_it(measured: float, same: bool, other: bool):
    assert (near("says", "outputs", measured).holds, differs("says", "outputs", measured).holds) == (same, other)


def test_more_and_fewer_are_that_and_not_as_many():
    assert [more("says", "n", 7, than).holds for than in (5, 7, 11)] == [True, False, False]
    assert [fewer("says", "n", 7, than).holds for than in (5, 7, 11)] == [False, False, True]
