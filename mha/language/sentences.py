"""Sentences to begin with, each chosen for what one head of a shipped network does on it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """`text` as it is typed, and in a few words what it `shows`: of the network of this width and number of heads, in `layer`
    (from 1), `head` (from 0), the word at `row` gives most of its weight to the word at `key` (places, the start mark at 0)."""

    text: str
    shows: str
    d_model: int
    heads: int
    layer: int
    head: int
    row: int
    key: int


SENTENCES = (
    Example("Emma was happy; he was not", "The mark that ends a clause.", 16, 4, 2, 1, 7, 4),
    Example("she gave her sister the letter", "The verb: what was done.", 16, 4, 2, 0, 4, 2),
    Example("he was happy, and so was she", "A first layer: most words look at themselves.", 16, 4, 1, 0, 2, 2),
    Example("my dear, you must not be angry", "Who must not be angry?", 64, 4, 2, 3, 7, 4),
    Example("the letter was from her brother", "Not always a person: the subject.", 64, 4, 2, 3, 3, 2),
    Example("the man who loved her was not so rich", "Who was not so rich? Not the last one named.", 64, 8, 2, 7, 8, 2),
    Example("Mrs. Weston was very happy, and so was he", "The subject, by name.", 64, 8, 2, 5, 5, 2),
    Example("he loved her, and she loved him", "The verb before its object.", 64, 8, 2, 3, 3, 2),
)
#: What is read where nothing is typed.
FIRST = SENTENCES[0].text
