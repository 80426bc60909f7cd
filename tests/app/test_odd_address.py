"""Addresses that Streamlit's own widgets read otherwise than one would think: each is said, and nothing said is false."""

import pytest

from tests.app.driver import open_page, typed, value, whole

#: Streamlit's own reading of these raises an error that it does not catch.
INFINITE = ("inf", "-inf", "Infinity", "1e400", "9" * 5000)


def problems_named(at, key: str) -> list[str]:
    return [warning.value for warning in at.warning if f"**{key}**" in warning.value]


@pytest.mark.parametrize("raw", INFINITE)
@pytest.mark.parametrize("key", ["num_heads", "seed"])
def test_an_infinite_number_is_said_and_the_default_shown(key, raw):
    at = whole(open_page(**{key: raw}))
    assert problems_named(at, key)
    assert value(at, key) == {"num_heads": 4, "seed": 0}[key]


@pytest.mark.parametrize(("page", "key"), [
    ("heads", "mask"), ("heads", "split"), ("heads", "backend"),
    ("attention", "divisor"), ("projections", "kernel"), ("projections", "cut"),
])  # fmt: skip
def test_an_empty_choice_is_the_default(page, key):
    assert value(whole(open_page(page, **{key: ""})), key)


@pytest.mark.parametrize("raw", ["8.0", "8.", "8e0", "1e1", "2.5"])
def test_a_complaint_is_true_about_what_is_shown(raw):
    at = whole(open_page(num_heads=raw))
    for sentence in problems_named(at, "num_heads"):
        assert sentence.endswith(f"showing {value(at, 'num_heads')}.")


def test_of_a_repeated_word_the_last_counts_as_it_is_said():
    at = whole(open_page(mask=["none", "causal"]))
    assert "the last one counts" in problems_named(at, "mask")[0]
    assert value(at, "mask") == "causal"


@pytest.mark.parametrize(("key", "raw"), [("mask", "CAUSAL"), ("split", "Free"), ("backend", "TensorFlow")])
def test_a_word_in_capitals_is_taken_or_said(key, raw):
    at = whole(open_page(**{key: raw}))
    assert value(at, key) == raw.lower() or problems_named(at, key)


@pytest.mark.parametrize(("page", "key"), [
    ("attention", "head"), ("attention", "divisor"), ("projections", "kernel"), ("projections", "cut"),
    ("concatenation", "head_off"),
])  # fmt: skip
def test_a_bad_value_of_a_pages_own_key_is_said(page, key):
    assert "`blue`" in problems_named(whole(open_page(page, **{key: "blue"})), key)[0]


def test_a_complaint_is_gone_once_the_value_was_changed():
    at = open_page(num_heads="two")
    assert problems_named(at, "num_heads")
    typed(at, "num_heads").set_value(8).run()
    assert not problems_named(whole(at), "num_heads")
