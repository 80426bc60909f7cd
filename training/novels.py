"""The text that the language models learn: Jane Austen's six novels, prepared once and shipped beside this file.

Jane Austen died in 1817: her novels are in the public domain everywhere. The text is Project Gutenberg's, as the R package
janeaustenr 1.0.0 (Julia Silge, MIT license) carries it; Debian has that package as r-cran-janeaustenr. Its six data objects
(R's lazy-load files, which the Python package rdata reads), each written as lines to NAME.txt in one folder, are prepared by
`python -m training.novels FOLDER`: headings go, the rest becomes words and marks (`mha.language.text.split`), one novel a line.
"""

import lzma
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mha.arrays import Bools, Ints
from mha.language.network import LENGTH
from mha.language.text import START, UNKNOWN, split

ABOUT = {
    "text": "Jane Austen's six novels",
    "source": "Project Gutenberg's text, by the R package janeaustenr 1.0.0 (Julia Silge, MIT license)",
    "free": "in the public domain: the author died in 1817",
}
FILE = Path(__file__).parent / "novels.txt.xz"
NOVELS = ("sensesensibility", "prideprejudice", "mansfieldpark", "emma", "northangerabbey", "persuasion")  # as they appeared
WORDS = 3000  # the vocabulary, with the start mark and the unknown word
#: Held out: every PART-th block of BLOCK words. No window touches blocks of both kinds.
BLOCK, PART = 2000, 20
ENDS = (".", "!", "?", ";")
_FIRST = re.compile(r"chapter (1|i)\b", re.IGNORECASE)
_HEADING = re.compile(r"(volume|chapter)\s+[ivxlc\d]+\.?|finis|the end", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Novels:
    """`vocabulary`: the words by number, the most frequent first. `ids`: the text, one number a word. `learnt`, `held_out`: where
    windows of LENGTH words may begin, always at the start of a sentence."""

    vocabulary: tuple[str, ...]
    ids: Ints
    learnt: Ints
    held_out: Ints

    @property
    def coverage(self) -> float:
        """The share of the text's words that are in the vocabulary."""
        return float((self.ids != self.vocabulary.index(UNKNOWN)).mean())


def prepared(lines: list[str]) -> list[str]:
    """A novel's words: from the first chapter on, without headings, marks of emphasis and the editor's note at the end."""
    plain = [line.strip() for line in lines]
    first = next(number for number, line in enumerate(plain) if _FIRST.match(line))
    last = next((number for number, line in enumerate(plain) if line.upper().startswith("A NOTE ON THE TEXT")), len(plain))
    kept = (line for line in plain[first:last] if not _HEADING.fullmatch(line))
    return split(" ".join(kept).replace("_", "").replace("*", ""))


def novels() -> Novels:
    """The shipped text, its vocabulary and its windows."""
    text = lzma.decompress(FILE.read_bytes()).decode().split()
    counts = Counter(text)
    often = sorted(counts, key=lambda word: (-counts[word], word))[: WORDS - 2]
    vocabulary = (START, UNKNOWN, *often)
    numbers = {word: number for number, word in enumerate(vocabulary)}
    ids = np.array([numbers.get(word, numbers[UNKNOWN]) for word in text], dtype=np.int32)
    starts = _starts(text)
    first, last = (held_out(place) for place in (starts, starts + LENGTH - 1))
    return Novels(vocabulary, ids, starts[~first & ~last], starts[first & last])


def held_out(places: Ints) -> Bools:
    """Whether the word at each place is in a held-out block."""
    return places // BLOCK % PART == PART - 1


def _starts(text: list[str]) -> Ints:
    """The places of the first words of sentences (after quotation marks) that have LENGTH words after them."""
    found = [0]
    for place in range(1, len(text) - LENGTH):
        before = place - 1
        while before > 0 and text[before] in ('"', "'", ")"):
            before -= 1
        if text[before] in ENDS and text[place] not in ('"', "'", ")", *ENDS):
            found.append(place)
    return np.array(found)


def main() -> None:
    folder = Path(sys.argv[1])
    lines = [" ".join(prepared((folder / f"{name}.txt").read_text(encoding="utf-8").split("\n"))) for name in NOVELS]
    FILE.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))
    sys.stdout.write(f"{sum(len(line.split()) for line in lines):,} words in {FILE.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
