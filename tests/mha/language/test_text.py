"""What a visitor types becomes words that the networks know, or are told not to know."""

import pytest

from mha.language import text
from mha.language.text import MOST_WORDS, read, split


@pytest.mark.parametrize(("typed", "words"), [
    ("She gave her sister the letter.", "she gave her sister the letter ."),
    ("“Mr. Darcy’s well-known house”—he said", '" mr darcy \'s well known house " -- he said'),
    ("Don't! it's o'clock; (mrs bennet)", "don't ! it 's o'clock ; ( mrs bennet )"),
    ("what?!", "what ? !"),
    ("  \n\t ", ""),
    ("<b>bold</b>", "< b > bold < / b >"),
    ("привет 你好 नमस्ते 😀", "привет 你好 नमस्ते 😀"),
])
def test_text_falls_into_words_and_marks(typed, words):
    assert split(typed) == words.split()


def test_a_sentence_begins_with_the_start_mark_and_knows_its_words():
    sentence = read("She gave")
    assert sentence.words == ("start", "she", "gave")
    assert sentence.known == (True, True, True)
    vocabulary = text.vocabulary().words
    assert [vocabulary[number] for number in sentence.ids] == ["<s>", "she", "gave"]


@pytest.mark.parametrize("typed", ["blockchain", "привет", "你好", "😀", "\u202e", "\x00", "a\u0301b", "x" * 1900])
def test_any_other_word_is_one_unknown_word_that_keeps_its_spelling(typed):
    sentence = read(f"the {typed} was")
    assert sentence.words == ("start", "the", typed.lower(), "was")
    assert sentence.known == (True, True, False, True)
    assert text.vocabulary().words[sentence.ids[2]] == "<unk>"


def test_the_marks_of_the_vocabulary_cannot_be_typed():
    assert "<s>" not in split("<s> <unk>")
    assert read("<s>").words == ("start", "<", "s", ">")


def test_the_start_mark_alone_is_a_sentence():
    assert read("").words == ("start",)


def test_thirty_one_words_are_read_and_thirty_two_are_refused_in_a_sentence():
    assert len(read("the " * 31).words) == MOST_WORDS
    with pytest.raises(ValueError, match=r"tokens must be at most 31 words and punctuation marks here, got 32"):
        read("the " * 32)


def test_a_text_that_goes_on_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(text, "split", lambda typed: pytest.fail("read it"))
    with pytest.raises(ValueError, match=r"tokens must be at most 2,000 characters here, got 2,001"):
        read("x" * 2001)


def test_the_vocabulary_has_three_thousand_words_once_each():
    words = text.vocabulary().words
    assert len(words) == len(set(words)) == 3000
    assert words[:2] == ("<s>", "<unk>")
    assert all(split(word) == [word] for word in words[2:])
