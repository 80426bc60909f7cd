"""The right answers to what the networks are asked, checked by hand and by rule."""

import numpy as np
import pytest

from headcount.text_bounds import MAX_SENTENCE
from headcount.trained import sentence
from headcount.trained.sentence import (
    DEFAULT_TEXT,
    FRONTED,
    IS_PASSIVE,
    Sentence,
    UnreadableSentence,
    answers,
    read,
)
from headcount.trained.task import UNASKED, fixed_examples, lessons, start


def asked_of(made):
    """The right answer and the word at the asked position, by (word, question)."""
    words = [sentence.WORDS[word] for word in made.tokens[0, :, 0]]
    return {
        (words[row], sentence.QUESTIONS[q]): (sentence.ANSWERS[made.answers[0, row, q]], words[made.answer_at[0, row, q]])
        for row, q in zip(*np.nonzero(made.answers[0] != UNASKED), strict=True)
    }


def test_a_passive_sentence_turns_who_and_whom_round():
    made = read("Ana called-by Bob in Rome now and in Oslo she helps Dan twice").examples
    assert asked_of(made) == {
        ("is-called-by", "who"): ("Bob", "Bob"), ("is-called-by", "whom"): ("Ana", "Ana"),
        ("is-called-by", "where"): ("Rome", "Rome"), ("is-called-by", "when"): ("now", "now"), ("she", "who"): ("Ana", "Ana"),
        ("helps", "who"): ("she", "she"), ("helps", "whom"): ("Dan", "Dan"), ("helps", "where"): ("Oslo", "Oslo"),
        ("helps", "when"): ("twice", "twice"),
    }  # fmt: skip


@pytest.mark.parametrize("clause", ["Eli sees Fay", "Fay sees Eli"])
def test_he_is_the_man_of_the_first_clause_wherever_he_stands(clause):
    assert asked_of(read(f"in Lima {clause} soon and he hugged-by Cleo in Lima soon").examples)[("he", "who")] == ("Eli", "Eli")


def test_a_place_and_a_time_that_come_twice_are_asked_for_in_their_own_clause():
    made = read("in Lima Eli sees Fay soon and he hugged-by Cleo in Lima soon").examples
    assert made.answer_at[0, 3, 2:].tolist() == [1, 5]
    assert made.answer_at[0, 8, 2:].tolist() == [11, 12]


def test_every_drawn_sentence_can_be_typed_again():
    fields = sentence.sample_fields(np.random.default_rng(5), 97)
    made = sentence.encode(fields)
    for number in range(97):
        words = " ".join(sentence.WORDS[word] for word in made.tokens[number, :, 0])
        assert read(words).fields == tuple(map(tuple, fields[number]))
        np.testing.assert_array_equal(read(words).examples.answer_at[0], made.answer_at[number])


@pytest.mark.parametrize(("text", "word"), [
    ("Ana sees Zoe in Rome now and he calls Bob in Oslo now", "Zoe"),
    ("Ana sees Bob in Rome now", ""),
    ("Ana sees Bea in Rome now and he calls Dan in Oslo now", ""),
    ("Ana sees Bob in Rome now and Ana calls Dan in Oslo now", "Ana"),
    ("she sees Bob in Rome now and he calls Dan in Oslo now", "she sees Bob in Rome now"),
    ("Ana Rome Bob in Rome now and he calls Dan in Oslo now", "Ana Rome Bob in Rome now"),
    ("Ana sees Bob Rome in now and he calls Dan in Oslo now", "Ana sees Bob Rome in now"),
    ("Ana sees Bob in Rome Lima and he calls Dan in Oslo now", "Ana sees Bob in Rome Lima"),
    ("<b>Ana</b>", "<b>Ana</b>"),
    ("", ""),
])  # fmt: skip
def test_a_sentence_that_is_none_is_refused_with_the_word_it_is_about(text, word):
    with pytest.raises(UnreadableSentence) as caught:
        read(text)
    assert caught.value.word == word


def test_a_text_without_end_is_refused_by_its_length_before_it_is_read():
    with pytest.raises(UnreadableSentence, match=r"at most 200 characters; it has 1,000,000\. It reads two clauses") as caught:
        read("Ana " * 250_000)
    assert caught.value.word == ""
    assert len(DEFAULT_TEXT) < MAX_SENTENCE


@pytest.mark.parametrize("verb", ["is called by", "called by", "called-by", "Is-called-by", "is called-by"])
def test_is_called_by_may_be_written_apart_without_is_and_in_small_letters(verb):
    """Old links have "called-by" and are still read."""
    said = read(f"ana {verb} bob in rome now, and in oslo she helps dan twice.").text
    assert said == "Ana is-called-by Bob in Rome now and in Oslo she helps Dan twice"


def test_one_tap_changes_the_second_clause_and_a_second_tap_changes_it_back():
    first = read("Ana calls Dan in Rome today and she thanks Carl in Oslo later")
    passive, fronted = first.flipped(IS_PASSIVE), first.flipped(FRONTED)
    assert passive.text == "Ana calls Dan in Rome today and she is-thanked-by Carl in Oslo later"
    assert fronted.text == "Ana calls Dan in Rome today and in Oslo she thanks Carl later"
    assert first.with_pronoun("he").text == "Ana calls Dan in Rome today and he thanks Carl in Oslo later"
    assert passive.flipped(IS_PASSIVE) == fronted.flipped(FRONTED) == first
    assert [one.words[one.last_verb] for one in (first, passive, fronted)] == ["thanks", "is-thanked-by", "thanks"]


def test_other_names_are_all_others_and_keep_who_is_a_woman_and_who_a_man():
    first = read(DEFAULT_TEXT)
    turned = first.with_other_names()
    assert turned.text == "Bea calls Eli in Rome today and she thanks Dan in Oslo later"
    for _ in range(5):
        turned = turned.with_other_names()
    assert turned == first


def test_the_combinations_are_the_default_sentence_in_all_32_ways():
    words = {" ".join(sentence.WORDS[word] for word in tokens[:, 0]) for tokens in sentence.combinations().tokens}
    assert len(words) == 32
    assert DEFAULT_TEXT in words
    assert "in Rome Ana is-called-by Dan today and in Oslo he is-thanked-by Carl later" in words


def test_an_answer_says_what_was_given_and_what_is_right():
    made: Sentence = read(DEFAULT_TEXT)
    given = made.examples.answers[0].copy()
    given[1, 1] = sentence.ANSWERS.index("Ana")
    wrong = [one for one in answers(made, given) if not one.is_right]
    assert [(one.word, one.question, one.given, one.right, one.right_at) for one in wrong] == [("calls", "whom", "Ana", "Dan", 2)]
    assert [(one.word, one.question) for one in answers(made, given)][4] == ("she", "means")


def test_a_head_is_called_after_the_question_it_answers_with_four_fifths_of_its_weight():
    on_answer = np.array([[0.1, 0.8, 0.2], [0.79, 0.1, 0.0], [0.0, 0.0, 0.97], [0.1, 0.1, 0.0]])
    assert sentence.head_names(on_answer) == ("blends", "who", "where")


def test_all_head_counts_start_from_bit_equal_numbers():
    flat = [b"".join(weight.tobytes() for weight in start(sentence.TASK, heads, 5).values()) for heads in sentence.HEADS]
    assert len(set(flat)) == 1
    assert flat[0] != b"".join(weight.tobytes() for weight in start(sentence.TASK, 1, 7).values())


def test_the_parameters_are_as_many_as_by_hand():
    """(40 + 13) · 16 embeddings, 4 · (16 · 16 + 16) = 1,088 attention, 16 · 104 + 104 for the answers: 3,704."""
    assert {sum(weight.size for weight in start(sentence.TASK, heads, 0).values()) for heads in sentence.HEADS} == {3704}


def test_in_kerass_way_each_head_brings_its_own_parameters():
    """4 · 16 · 4 h + 3 · 4 h + 16 parameters of the layer: 284 for one head, 2,160 for eight."""
    counts = {h: sum(w.size for n, w in start(sentence.TASK, h, 0, 4).items() if n.startswith("layer1")) for h in (1, 2, 8)}
    assert counts == {1: 284, 2: 552, 8: 2160}


def test_what_is_taught_is_not_what_is_asked():
    """The fixed test sentences come from another random stream than any seed's training sentences."""
    fixed = {one.tobytes() for one in fixed_examples(sentence.TASK).tokens}
    assert not fixed & {one.tobytes() for one in lessons(sentence.TASK, 0, 2000).tokens}
