"""Sentences to begin with, each chosen for what heads of the networks trained on English do on it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """`text` as it is typed, and in one line what it `shows`."""

    text: str
    shows: str


SENTENCES = (
    Example("she gave her sister the letter", "x"),
    Example("he was very happy to see her", "x"),
)
#: What is read where nothing is typed.
FIRST = SENTENCES[0].text
