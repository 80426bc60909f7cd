"""Text as the networks read it: words and punctuation marks in lower case, at most 32 of them."""

import re
from dataclasses import dataclass

from mha.language.store import vocabulary

#: Tokens that a network was trained on at once, the start mark counted in.
MOST_WORDS = 32
MOST_CHARACTERS = 2000
START, UNKNOWN = "<s>", "<unk>"  # the vocabulary's first two entries
START_LABEL = "start"

_SPELT_ALIKE = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "—": "--", "–": "--"})
#: A title without its point; 's; two hyphens; one ASCII mark; a run of anything else, with the apostrophes inside it.
_TOKEN = re.compile(
    r"\b(mrs?|dr|messrs|esq)\.|('s)\b|(--)|([!-/:-@\[-`{-~])|((?:(?!'s\b)'(?=\w)|[^\s!-/:-@\[-`{-~])+)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`words` as typed, lower case, after the start mark; `ids` in the vocabulary; `known`: False where the network has no
    numbers for a word and reads it as the unknown word."""

    words: tuple[str, ...]
    ids: tuple[int, ...]
    known: tuple[bool, ...]


def split(text: str) -> list[str]:
    """Words and marks. A hyphen inside a word parts it, "Mr." is the word "mr", "Emma's" is "emma" and "'s"."""
    plain = re.sub(r"(?<=\w)-(?=\w)", " ", text.translate(_SPELT_ALIKE).lower())
    return [next(filter(None, found)) for found in _TOKEN.findall(plain)]


def read(text: str) -> Sentence:
    """The start mark and the text's words. ValueError where they are more than MOST_WORDS; `Broken` without a vocabulary."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"tokens must be at most {MOST_CHARACTERS:,} characters here, got {len(text):,}")
    words = split(text)
    if len(words) > MOST_WORDS - 1:
        raise ValueError(f"tokens must be at most {MOST_WORDS - 1} words and punctuation marks here, got {len(words)}")
    numbers = vocabulary().numbers
    ids = [numbers.get(word, numbers[UNKNOWN]) for word in words]
    return Sentence((START_LABEL, *words), (numbers[START], *ids), (True, *(word in numbers for word in words)))
