"""What has been answered: a letter for each question in one word of the address, `acb--d`, a dash where none is given yet."""

from collections.abc import Sequence

from components.figures.quiz import LETTERS
from mha.quiz import COUNT, Question

OPEN = "-"


def read(word: str, questions: Sequence[Question]) -> tuple[int | None, ...]:
    """The place of the chosen option for each question, from 0; None where there is none, or no such option."""
    letters = word.lower()[: len(questions)].ljust(len(questions), OPEN)
    places = (LETTERS.lower().find(letter) for letter in letters)
    return tuple(place if 0 <= place < len(q.options) else None for place, q in zip(places, questions, strict=True))


def write(chosen: Sequence[int | None]) -> str:
    """The word for the address, without the dashes at its end."""
    return "".join(OPEN if place is None else LETTERS[place].lower() for place in chosen).rstrip(OPEN)


def wrong_letters(word: str, questions: Sequence[Question]) -> str:
    """What of the word is no answer, so that it can be said; "" where all of it is."""
    known = [*read(word, questions)]
    bad = [letter for letter, place in zip(word.lower(), known, strict=False) if place is None and letter != OPEN]
    return "".join(bad) + word[COUNT:]


def right(chosen: Sequence[int | None], questions: Sequence[Question]) -> int:
    return sum(place == question.answer for place, question in zip(chosen, questions, strict=True))


def missed(chosen: Sequence[int | None], questions: Sequence[Question]) -> list[int]:
    """Numbers of the questions answered wrongly, from 1."""
    pairs = enumerate(zip(chosen, questions, strict=True), start=1)
    return [number for number, (place, question) in pairs if place is not None and place != question.answer]
