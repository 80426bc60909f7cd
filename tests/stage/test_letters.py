"""How wide words are and where they break: in the font that figures embed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from components.stage.text import FACES, embedded, pieces, width_of, wrap


def test_a_label_falls_apart_into_what_is_on_the_line_lowered_and_raised():
    assert pieces("Q_{1}K_{1}^{T} ÷ √d_{k}") == [
        ("Q", ""), ("1", "_"), ("K", ""), ("1", "_"), ("T", "^"), (" ÷ √d", ""), ("k", "_"),
    ]  # fmt: skip
    assert pieces("d_model, 2^3") == [("d_model, 2^3", "")]


@pytest.mark.parametrize("face", ["sans", "serif"])
def test_bold_is_wider_and_a_size_is_a_factor(face):
    assert width_of("1,088 parameters", 13, face, bold=True) > width_of("1,088 parameters", 13, face)
    assert width_of("1,088 parameters", 26, face) == pytest.approx(2 * width_of("1,088 parameters", 13, face))


@pytest.mark.parametrize("face", FACES)
def test_no_sign_of_the_formulas_is_missing_in_a_font(face):
    """A sign that a font has not is drawn as its box for missing ones, like a letter that no font has."""
    font = ImageFont.truetype(FACES[face].path(400), 100)
    box = bytes(font.getmask("\ue000"))
    assert {sign for sign in "√×−·→…÷Σ≤′äß" if bytes(font.getmask(sign)) == box} == set()


@given(st.lists(st.text("abWM1,_{}^", min_size=1, max_size=9), max_size=30), st.integers(20, 300))
def test_no_line_is_too_wide_and_no_word_is_lost(words, width):
    text = " ".join(words)
    lines = wrap(text, width, 11)
    assert " ".join(lines).split() == text.split()
    assert all(width_of(line, 11) <= width or " " not in line for line in lines)


def test_a_link_is_broken_where_its_query_is_and_only_where_it_must_be():
    link = "/attention?d_model=64&num_heads=8&tokens=cat"
    lines = wrap(f"see {link} now", 150, 11)
    assert lines[0] == "see"
    assert "".join(lines[1:]) == f"{link} now"
    assert len(lines) > 2
    assert all(line.endswith(("?", "&")) for line in lines[1:-1])
    assert all(width_of(line, 11) <= 150 for line in lines)
    assert wrap(f"see {link}", 900, 11) == [f"see {link}"]


def test_a_font_is_embedded_as_it_lies_in_the_folder():
    rule = embedded("sans")
    assert rule.startswith("@font-face{font-family:'Headcount Sans';")
    assert len(rule) < 60_000
    assert "http" not in rule
