"""What the networks are asked has the right answers, checked by hand and by rule."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.trained import dinner, facts, sentences
from mha.trained.sentences import UnreadableSentence, read, spell
from mha.trained.task import HEADS, UNASKED, fixed_examples, lessons, start

#: Seat by seat: name, dish; the host is Dan. Ana sits beside Finn and Bea.
GUESTS = (("Ana", "soup"), ("Bea", "pie"), ("Dan", "rice"), ("Abe", "fish"), ("Fay", "cake"), ("Dora", "stew"),
          ("Bob", "taco"), ("Finn", "curry"))  # fmt: skip


def seated(guests=GUESTS, host="Dan"):
    rows = [[dinner.NAMES.index(name), dinner.DISHES.index(dish), name == host, seat] for seat, (name, dish) in enumerate(guests)]
    return dinner.examples_of(np.array([rows]))


def test_a_guest_is_asked_for_four_dishes():
    """Ana on seat 1: Finn sits before her, Bea after her, Abe is her partner, Dan the host."""
    made = seated()
    assert [GUESTS[seat][0] for seat in made.answer_at[0, 0]] == ["Finn", "Bea", "Abe", "Dan"]
    assert [dinner.DISHES[dish] for dish in made.answers[0, 0]] == ["curry", "pie", "fish", "rice"]
    assert [dinner.DISHES[dish] for dish in made.answers[0, 7]] == ["taco", "soup", "cake", "rice"]


def test_the_host_is_asked_for_his_own_dish():
    assert dinner.DISHES[seated().answers[0, 2, 3]] == "rice"


@given(seed=st.integers(0, 2**32 - 1))
def test_every_dinner_has_four_couples_eight_dishes_and_one_host(seed):
    tokens = dinner.draw(np.random.default_rng(seed), 5).tokens
    for guests in tokens:
        names = sorted(guests[:, dinner.NAME])
        assert len(set(names)) == len(set(guests[:, dinner.DISH])) == dinner.SEATS
        assert all(name ^ 1 in names for name in names)
        assert guests[:, dinner.HOST].sum() == 1
        assert guests[:, dinner.SEAT].tolist() == list(range(dinner.SEATS))


def test_other_dishes_are_all_others_and_nothing_else_changes():
    before = seated()
    after = dinner.other_dishes(before.tokens)
    assert (after.tokens[..., dinner.DISH] != before.tokens[..., dinner.DISH]).all()
    assert len(set(after.tokens[0, :, dinner.DISH])) == dinner.SEATS
    np.testing.assert_array_equal(after.answer_at, before.answer_at)
    np.testing.assert_array_equal(np.delete(after.tokens, dinner.DISH, axis=2), np.delete(before.tokens, dinner.DISH, axis=2))


def asked_of(made):
    """(word, question) -> right answer and the word at the position that is asked for."""
    words = [sentences.WORDS[word] for word in made.tokens[0, :, 0]]
    return {
        (words[row], sentences.QUESTIONS[q]): (sentences.ANSWERS[made.answers[0, row, q]], words[made.answer_at[0, row, q]])
        for row, q in zip(*np.nonzero(made.answers[0] != UNASKED), strict=True)
    }


def test_a_passive_sentence_turns_who_and_whom_round():
    made = read("Ana called-by Bob in Rome and in Oslo she helps Dan")
    assert asked_of(made) == {
        ("called-by", "who"): ("Bob", "Bob"), ("called-by", "whom"): ("Ana", "Ana"), ("called-by", "where"): ("Rome", "Rome"),
        ("she", "who"): ("Ana", "Ana"),
        ("helps", "who"): ("she", "she"), ("helps", "whom"): ("Dan", "Dan"), ("helps", "where"): ("Oslo", "Oslo"),
    }  # fmt: skip


def test_he_is_the_man_of_the_first_clause_wherever_he_stands():
    assert asked_of(read("in Lima Eli sees Fay and he hugged-by Cleo in Lima"))[("he", "who")] == ("Eli", "Eli")
    assert asked_of(read("in Lima Fay sees Eli and he hugged-by Cleo in Lima"))[("he", "who")] == ("Eli", "Eli")


def test_a_place_that_is_named_twice_is_asked_for_in_its_own_clause():
    made = read("in Lima Eli sees Fay and he hugged-by Cleo in Lima")
    assert made.answer_at[0, 3, 2] == 1
    assert made.answer_at[0, 7, 2] == 10


def test_every_drawn_sentence_can_be_typed_again():
    made = sentences.draw(np.random.default_rng(5), 97)
    for number in range(97):
        again = read(spell(made, number))
        np.testing.assert_array_equal(again.tokens[0], made.tokens[number])
        np.testing.assert_array_equal(again.answers[0], made.answers[number])
        np.testing.assert_array_equal(again.answer_at[0], made.answer_at[number])


@pytest.mark.parametrize(("text", "word"), [
    ("Ana sees Zoe in Rome and he calls Bob in Oslo", "Zoe"),
    ("Ana sees Bob in Rome", ""),
    ("Ana sees Bea in Rome and he calls Dan in Oslo", ""),
    ("Ana sees Bob in Rome and Ana calls Dan in Oslo", "Ana"),
    ("she sees Bob in Rome and he calls Dan in Oslo", "she sees Bob in Rome"),
    ("Ana Rome Bob in Rome and he calls Dan in Oslo", "Ana Rome Bob in Rome"),
    ("Ana sees Bob Rome in and he calls Dan in Oslo", "Ana sees Bob Rome in"),
    ("", ""),
])  # fmt: skip
def test_a_sentence_that_is_none_is_refused_with_the_word_it_is_about(text, word):
    with pytest.raises(UnreadableSentence) as caught:
        read(text)
    assert caught.value.word == word


def test_called_by_may_be_written_apart_and_in_small_letters():
    said = spell(read("ana called by bob in rome and in oslo she helps dan."))
    assert said == "Ana called-by Bob in Rome and in Oslo she helps Dan"


def test_a_name_that_comes_again_is_followed_by_its_own_thing():
    made = facts.draw(np.random.default_rng(3), 11)
    for words, answers, asked in zip(made.tokens[..., 0], made.answers[..., 0], made.answer_at[..., 0], strict=True):
        told = dict(zip(words[:8:2], words[1:8:2], strict=True))
        assert [answers[row] for row in facts.REPEATED] == [told[words[row]] for row in facts.REPEATED]
        assert [words[asked[row]] for row in facts.REPEATED] == [told[words[row]] for row in facts.REPEATED]
        assert (np.delete(answers, facts.REPEATED) == UNASKED).all()


@pytest.mark.parametrize("task", [dinner.TASK, sentences.TASK, facts.task(2)], ids=lambda task: task.name)
def test_all_head_counts_start_from_bit_equal_numbers(task):
    flat = [b"".join(weight.tobytes() for weight in start(task, heads, 5).values()) for heads in HEADS]
    assert len(set(flat)) == 1
    assert flat[0] != b"".join(weight.tobytes() for weight in start(task, 1, 7).values())


@pytest.mark.parametrize(("task", "count"), [
    (dinner.TASK, 4168), (sentences.TASK, 4980), (facts.task(1), 3740), (facts.task(2), 6140),
])  # fmt: skip
def test_the_parameters_are_as_many_as_by_hand(task, count):
    """Dinner: (12 + 10 + 2 + 8) · 24 embeddings, 4 · (24 · 24 + 24) attention, 24 · 40 + 40 for the answers: 4,168."""
    assert {sum(weight.size for weight in start(task, heads, 0).values()) for heads in HEADS} == {count}


def test_what_is_taught_is_not_what_is_asked():
    """The fixed dinners come from another stream than any seed's lessons."""
    fixed = {dinner_.tobytes() for dinner_ in fixed_examples(dinner.TASK).tokens}
    assert len(fixed) == 2000
    assert not fixed & {dinner_.tobytes() for dinner_ in lessons(dinner.TASK, 0, 2000).tokens}
