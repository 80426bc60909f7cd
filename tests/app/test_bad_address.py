"""Any address opens a page with a sentence or a default, and a visitor's text is never more than text."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.address import faults
from components.pages.keras_layer import BY_CODE
from headcount.backends import BACKENDS
from headcount.settings import HEAD_SIZES
from tests.app.driver import PAGES, open_page, outside_code, preview, said, title, typed, value, whole

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
#: Many keys in one address: it is the page that takes time.
QUERIES = st.dictionaries(st.sampled_from(KEYS), RAW | st.lists(RAW, min_size=2, max_size=3), min_size=5, max_size=15)


def complaints(params: dict[str, list[str]]) -> list[str]:
    return [fault.sentence for fault in faults(params)]


def problems_named(at, key: str) -> list[str]:
    return [warning.value for warning in at.warning if f"**{key}**" in warning.value]


def only_text(at) -> None:
    """Asserts that a visitor's text appears only in code spans of one line. In HTML it may only be between quotation marks,
    without a tag."""
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


@pytest.mark.slow
@settings(max_examples=90, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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


#: Of each page what takes text of any kind, and what else is chosen; in a picture each text stands by itself.
TEXTS = [setting.code for setting in BY_CODE.values() if setting.kind == "text"]
FULL = [("attention", KEYS, {}, place) for place in range(0, len(HOSTILE), 4)]
FULL += [("keras_layer", (*TEXTS, "query_width", "mask"), {"part": "shapes"}, place) for place in range(0, len(HOSTILE), 4)]
FULL += [("figures", ("tokens",), {"figure": "steps"}, place) for place in range(0, len(HOSTILE), 4)]
FULL += [("figures", ("tokens",), {"figure": "steps", "numbers": "seed"}, place) for place in range(len(HOSTILE))]


@pytest.mark.parametrize(("page", "keys", "chosen", "place"), FULL)
def test_hostile_text_in_every_key_at_once_is_only_text(page, keys, chosen, place):
    """Each key has another text."""
    texts = {key: HOSTILE[(place + number) % len(HOSTILE)] for number, key in enumerate(keys)}
    at = whole(open_page(page, **chosen, **texts))
    only_text(at)
    assert {key for key in (*NUMBERS, *CHOICES) if problems_named(at, key)} >= {*NUMBERS, *CHOICES} & {*texts} - {"mask"}
    assert page == "figures" or any(MARK in warning.value for warning in at.warning)
    if "numbers" in chosen:
        ET.fromstring(preview(at))


@pytest.mark.parametrize("raw", NOT_NUMBERS)
@pytest.mark.parametrize("key", NUMBERS)
def test_what_is_no_number_within_the_limits_is_said_with_field_limits_and_value(key, raw):
    least, most, default = NUMBERS[key]
    (sentence,) = complaints({key: [raw]})
    assert sentence.startswith(f"**{key}** must be a whole number from {least:,} to {most:,}, got `")
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
    quoted = [f"“{word}”" if any(" " in other for other in CHOICES[key]) else word for word in CHOICES[key]]
    assert sentence == f"**{key}** must be {' or '.join(quoted)}, got `blue`; showing {quoted[0]}."
    for word in CHOICES[key]:
        assert complaints({key: [word]}) == []


def test_a_choice_is_named_as_its_buttons_say_it_and_may_stand_so_in_the_address():
    """The button says random; the app's own addresses say seed."""
    assert complaints({"numbers": ["blue"]}) == ["**numbers** must be trained or random, got `blue`; showing trained."]
    assert complaints({"numbers": ["random"]}) == complaints({"numbers": ["seed"]}) == []
    assert value(open_page("attention", numbers="random"), "numbers") == "seed"


LISTS = st.lists(RAW | st.text(max_size=90), max_size=3)


@pytest.mark.slow
@settings(max_examples=900, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=9), LISTS, min_size=5, max_size=15))
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


#: Streamlit's own reading of these raises an error that it does not catch.
INFINITE = ("inf", "-inf", "Infinity", "1e400", "9" * 5000)


def test_an_infinite_number_is_said_and_the_default_shown():
    keys = ("d_model", "num_heads", "query_len", "key_len", "seed")
    at = whole(open_page(**dict(zip(keys, INFINITE, strict=True))))
    assert all(problems_named(at, key) for key in keys)
    assert [value(at, key) for key in keys] == [NUMBERS[key][2] for key in keys]


#: Of each page what its own keys may not be, all in one address, and what is said of it there.
WRONG = {
    "heads": {"mask": ("blue", ""), "split": ("blue", ""), "backend": ("blue", "")},
    "attention": {"divisor": ("blue", ""), "head": ("blue", "")},
    "projections": {"kernel": ("blue", ""), "cut": ("blue", "")},
    "concatenation": {"head_off": ("blue", "")},
    "figures": {
        "width_mm": ("1", "a number from 40 to 420, got `1`; showing 139.7."),
        "figure": ("hedas", "got `hedas`; showing all."),
        "size": ("poster", "page, column, slide or own, got `poster`; showing slide."),
        "theme": ("sepia", "light, dark or print, got `sepia`; showing light."),
        "with_title": ("maybe", "true or false, got `maybe`; showing true."),
    },
    "keras_layer": {
        "library": ("jax", "keras, pytorch or numpy, got `jax`; showing keras."), "part": ("all", ""),
        "batch": ("65", "a whole number from 1 to 64, got `65`; showing 2."),
    },
    "models": {
        "model": (MARK, f"one of the choices on the page, such as RoBERTa-blog, got `{MARK}`; showing BERT-base."),
        "model_heads": ("0", "a whole number from 1 to 4,096, got `0`; showing the model's own."),
        "further": ("compare", "all-models, ledger or costs, got `compare`; showing all-models."),
        "context": ("99999999", "a whole number from 1 to 16,777,216, got `99999999`; showing 8,192."),
        "sequences": ("none", "a whole number from 1 to 65,536, got `none`; showing 1."),
    },
    "questions": {"question": ("<b>c3</b>", ""), "topic": ("maybe", "")},
    "quiz": {"quiz": ("-1", "a whole number"), "number": ("99", "a whole number")},
    "trained_heads": {
        "asking": (MARK, f"a whole number from 0 to 13, got `{MARK}`"),
        "slider": ("width", "“heads”, “d_model”, “key size” or “value size”, got `width`; showing “key size”."),
    },
}  # fmt: skip


@pytest.mark.parametrize("page", WRONG)
def test_a_wrong_value_of_each_of_a_pages_own_keys_is_said_there_and_the_page_stays(page):
    at = whole(open_page(page, **{key: raw for key, (raw, _) in WRONG[page].items()}))
    for key, (raw, words) in WRONG[page].items():
        (sentence,) = problems_named(at, key)
        assert f"**{key}** must be " in sentence
        assert f"`{raw}`" in sentence
        assert words in sentence
        assert key not in at.query_params
        assert all(len(fault) < 200 for fault in complaints({key: [raw]}))
    assert len(at.warning) == len(WRONG[page])
    assert page != "figures" or "figures to take away" in title(at)
    assert page != "trained_heads" or "One head cannot tell who from whom" in title(at)


@pytest.mark.parametrize(("key", "raw"), [
    ("question", "two"), ("question", "q99"), ("quiz", "10000"), ("quiz", "two"), ("number", "0"), ("asking", "x"),
])  # fmt: skip
def test_another_wrong_value_of_them_is_said_in_the_same_words(key, raw):
    (sentence,) = complaints({key: [raw]})
    assert sentence.startswith(f"**{key}** must be ")


@pytest.mark.parametrize(("page", "keys"), [
    ("heads", ("mask", "split", "backend")), ("attention", ("divisor",)), ("projections", ("kernel", "cut")),
])  # fmt: skip
def test_an_empty_choice_is_the_default(page, keys):
    at = whole(open_page(page, **dict.fromkeys(keys, "")))
    assert all(value(at, key) for key in keys)


def test_a_complaint_is_true_about_what_is_shown():
    at = whole(open_page(d_model="8.0", num_heads="8.", query_len="8e0", key_len="1e1", seed="2.5"))
    for key in ("d_model", "num_heads", "query_len", "key_len", "seed"):
        assert all(sentence.endswith(f"showing {value(at, key)}.") for sentence in problems_named(at, key)), key


def test_of_a_repeated_word_the_last_counts_as_it_is_said():
    at = whole(open_page(mask=["none", "causal"]))
    assert "the last one counts" in problems_named(at, "mask")[0]
    assert value(at, "mask") == "causal"


def test_a_word_in_capitals_is_taken_or_said():
    words = {"mask": "CAUSAL", "split": "Free", "backend": "TensorFlow"}
    at = whole(open_page(**words))
    assert all(value(at, key) == raw.lower() or problems_named(at, key) for key, raw in words.items())


@pytest.mark.parametrize("page", ["projections", "attention", "concatenation"])
def test_an_old_link_with_typed_numbers_opens_the_page_and_says_where_numbers_come_from_now(page):
    old = {"numbers": "typed", "x": "3 0 0.5 0 -1/0 2 0 2 0", "weights": "zeros", "arrays": "w_q 1 0"}
    at = whole(open_page(page, d_model=5, num_heads=1, **old))
    gone = "In the address, **numbers=typed** is gone. The page Your own layer reads a layer's weights and X from files."
    assert [one.value for one in at.warning if "gone" in one.value] == [gone]
    assert {*at.query_params} == {"d_model", "num_heads"}


def test_an_old_link_with_a_sum_of_head_outputs_says_that_they_are_concatenated():
    at = whole(open_page("concatenation", combine="sum"))
    gone = "In the address, **combine** is gone. The layer concatenates the head outputs."
    assert [one.value for one in at.warning if "gone" in one.value] == [gone]
    assert {*at.query_params} == set()


def test_a_complaint_is_gone_once_the_value_was_changed():
    at = open_page(num_heads="two")
    assert problems_named(at, "num_heads")
    typed(at, "num_heads").set_value(8).run()
    assert not problems_named(whole(at), "num_heads")
