"""Any address at all: the page comes up with a sentence or a default, and nothing of a visitor's text is more than text."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.address import faults
from mha.backends import BACKENDS
from mha.settings import HEAD_SIZES
from tests.app.driver import PAGES, open_page, outside_code, said, typed, value, whole

#: Key: least, most, default; by hand, as in the issue.
NUMBERS = {
    "d_model": (1, 4096, 16), "num_heads": (1, 256, 4), "key_dim": (1, 4096, 4), "value_dim": (1, 4096, 4),
    "query_len": (1, 512, 13), "key_len": (1, 512, 13), "seed": (0, 9999, 0),
}  # fmt: skip
CHOICES = {
    "mask": ("none", "causal"), "split": ("paper, PyTorch", "Keras"), "backend": tuple(backend.code for backend in BACKENDS),
    "use_bias": ("true", "false"),
}  # fmt: skip
#: Keys of single pages.
OTHERS = ("cell", "head", "head_off", "divisor", "tokens", "kernel", "cut")
KEYS = (*NUMBERS, *CHOICES, *OTHERS, "unknown", "embed", "__proto__", "lang")

#: In every hostile text, so that it can be looked for on the page.
MARK = "zqx"
HOSTILE = (
    f"![{MARK}](http://127.0.0.1/{MARK}.png)", f"[{MARK}](javascript:alert(1))", f"<script>{MARK}</script>",
    f"<img src=x onerror={MARK}>", f"<b>{MARK}</b>", f"`{MARK}`", f"``` {MARK}", f"` **{MARK}** `", f"``{MARK}` x",
    f"**{MARK}**", f":red[{MARK}]", f"$\\href{{x}}{{{MARK}}}$", f"\n\n# {MARK}\n", f"\r\n* {MARK}",
    f"| {MARK} | {MARK} |\n|--|--|", f"\\`{MARK}", f"\u202e{MARK}\u202c", f"\0{MARK}", f"\ud7ff{MARK}\uffff",
    f"%3Cscript%3E{MARK}", f"&lt;i&gt;{MARK}", f"http://127.0.0.1/{MARK}", f"{MARK}\u2028{MARK}", f"{{{{{MARK}}}}}",
    f"../../{MARK}", f"'; drop table {MARK} --", MARK * 3400, f":material/{MARK}:",
)  # fmt: skip
#: Not a whole number within any limits, however it is read.
NOT_NUMBERS = (
    "-1", "-0.5", "99999999999999999999", "9" * 300, "two", " ", "1e99", "nan", "0x10", "4,5", "4;5", "--4", "½", "四",
)  # fmt: skip
LEGAL = (
    "1", "2", "3", "8", "16", "64", "256", "causal", "free", "false", "tensorflow", "none", "w_v", "keras", "q.1.1.1", "a b c",
)  # fmt: skip
RAW = st.one_of(
    st.sampled_from(HOSTILE), st.sampled_from(NOT_NUMBERS), st.sampled_from(LEGAL),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).map(lambda tail: MARK + tail),
)  # fmt: skip
QUERIES = st.dictionaries(st.sampled_from(KEYS), RAW | st.lists(RAW, min_size=2, max_size=3), min_size=1, max_size=7)


def complaints(params: dict[str, list[str]]) -> list[str]:
    return [fault.sentence for fault in faults(params)]


def problems_named(at, key: str) -> list[str]:
    return [warning.value for warning in at.warning if f"**{key}**" in warning.value]


def only_text(at) -> None:
    """A visitor's text stands in code spans, one line each, or not at all; and no element of the page is HTML of theirs: there
    their words stand between quotation marks, without a tag."""
    for body in said(at):
        assert MARK not in outside_code(body), body
    for element in at.get("html"):
        assert MARK not in re.sub("“[^<>”]*”", "", element.proto.body)
    for element in [*at.markdown, *at.caption]:
        assert not element.allow_html


def within_limits(at) -> None:
    sizes = {**at.session_state["settings"].sizes, "seed": at.session_state["settings"].values["seed"]}
    for key, (least, most, _) in NUMBERS.items():
        assert type(sizes[key]) is int
        assert least <= sizes[key] <= most


@settings(max_examples=330, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PAGES), QUERIES)
def test_with_any_query_string_the_page_comes_up(page, query):
    at = whole(open_page(page, **query))
    only_text(at)
    within_limits(at)
    chosen = at.session_state["settings"]
    for key, raw in query.items():
        if key in HEAD_SIZES and chosen.paper:
            assert value(at, key) == max(1, chosen.d_model // chosen.num_heads)
        elif key in NUMBERS and not isinstance(raw, list):
            shown = value(at, key)
            assert str(shown) == raw or (problems_named(at, key) and shown == NUMBERS[key][2]), (key, raw, shown)


@pytest.mark.parametrize("raw", HOSTILE)
def test_hostile_text_in_every_key_at_once_is_only_text(raw):
    at = whole(open_page("attention", **dict.fromkeys(KEYS, raw)))
    only_text(at)
    assert {key for key in (*NUMBERS, *CHOICES) if problems_named(at, key)} == {*NUMBERS, *CHOICES}


@pytest.mark.parametrize("raw", NOT_NUMBERS)
@pytest.mark.parametrize("key", NUMBERS)
def test_what_is_no_number_within_the_limits_is_said_with_field_limits_and_value(key, raw):
    least, most, default = NUMBERS[key]
    (sentence,) = complaints({key: [raw]})
    assert sentence.startswith(f"**{key}** must be a whole number from {least} to {most}, got `")
    assert f"`{raw[:40] or ' '}`" in sentence
    assert sentence.endswith(f"; showing {default}.")
    assert len(sentence) < 200


@pytest.mark.parametrize("end", [0, 1])
def test_a_limit_itself_is_legal_and_one_beyond_is_said_and_the_default_shown(end):
    assert complaints({key: [str(row[end])] for key, row in NUMBERS.items()}) == []
    at = whole(open_page(**{key: (least - 1, most + 1)[end] for key, (least, most, _) in NUMBERS.items()}))
    for key, (*_, default) in NUMBERS.items():
        assert problems_named(at, key), key
        assert value(at, key) == default


@pytest.mark.parametrize("key", CHOICES)
def test_a_word_that_is_not_offered_is_said_with_those_that_are(key):
    (sentence,) = complaints({key: ["blue"]})
    assert sentence == f"**{key}** must be {' or '.join(CHOICES[key])}, got `blue`; showing {CHOICES[key][0]}."
    for word in CHOICES[key]:
        assert complaints({key: [word]}) == []


@settings(max_examples=3000, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=9), st.lists(RAW | st.text(max_size=90), max_size=3), max_size=9))
def test_complaints_are_short_sentences_about_known_keys_with_foreign_text_in_code(params):
    found = complaints(params)
    for sentence in found:
        key = re.match(r"\*\*([\w.]+)\*\*", sentence).group(1)
        assert key in params
        assert len(sentence) < 200
        assert sentence.isprintable()
        assert sentence.count("`") in (0, 2)
        assert MARK not in outside_code(sentence)
        assert key not in ("unknown", "embed", "__proto__", "lang")


@settings(max_examples=2000, deadline=None)
@given(st.sampled_from(list(NUMBERS)), st.integers(-(10**30), 10**30) | st.integers(-3, 9999))
def test_a_whole_number_is_complained_of_exactly_where_it_is_beyond_the_limits(key, number):
    least, most, _ = NUMBERS[key]
    assert (complaints({key: [str(number)]}) == []) == (least <= number <= most)


#: Streamlit's own reading of these raises an error that it does not catch.
INFINITE = ("inf", "-inf", "Infinity", "1e400", "9" * 5000)


@pytest.mark.parametrize("raw", INFINITE)
def test_an_infinite_number_is_said_and_the_default_shown(raw):
    at = whole(open_page(num_heads=raw, seed=raw))
    assert problems_named(at, "num_heads")
    assert problems_named(at, "seed")
    assert (value(at, "num_heads"), value(at, "seed")) == (4, 0)


#: Choices of the pages, and other keys of their own.
OWN = {"heads": (("mask", "split", "backend"), ()), "attention": (("divisor",), ("head",)),
       "projections": (("kernel", "cut"), ()), "concatenation": ((), ("head_off",))}  # fmt: skip


@pytest.mark.parametrize("page", OWN)
def test_an_empty_choice_is_the_default_and_a_bad_value_of_any_key_is_said(page):
    choices, others = OWN[page]
    at = whole(open_page(page, **dict.fromkeys(choices, "")))
    assert all(value(at, key) for key in choices)
    at = whole(open_page(page, **dict.fromkeys(choices + others, "blue")))
    for key in choices + others:
        assert "`blue`" in problems_named(at, key)[0]


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


def test_a_complaint_is_gone_once_the_value_was_changed():
    at = open_page(num_heads="two")
    assert problems_named(at, "num_heads")
    typed(at, "num_heads").set_value(8).run()
    assert not problems_named(whole(at), "num_heads")
