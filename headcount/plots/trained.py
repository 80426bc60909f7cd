"""The maps of trained heads, one network's beside another's, on one scale; words on the axes."""

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.explain import Cell
from headcount.names import heads_in_words
from headcount.plots import attention
from headcount.plots.heatmaps import WIDE, Matrix
from headcount.plots.layer import looked_at, place_of
from headcount.trained.sentence import NAME_FROM

#: Of so many heads in one network each is named above its map by what it looks for; of more only by its number.
MAX_NAMED = 8


@dataclass(frozen=True, slots=True)
class Maps:
    """One network's maps. `weights`: (heads, T, S); `attention_on_answer`: (questions, heads), over the fixed examples, names
    what a head is for. `explained`: a click on a cell explains it."""

    title: str
    weights: np.ndarray
    attention_on_answer: np.ndarray
    questions: tuple[str, ...]
    explained: bool = True


def purpose(maps: Maps, head: int) -> tuple[str, float]:
    """The question whose answers get most of a head's attention, and how much."""
    question = int(maps.attention_on_answer[:, head].argmax())
    return maps.questions[question], float(maps.attention_on_answer[question, head])


def draw(
    networks: Sequence[Maps],
    labels: Sequence[str],
    asking: Iterable[int] = (),
    pale: Sequence[int] = (),
    chosen: Cell | None = None,
    width: float = WIDE,
    high: float = 0.0,
    framed: int | None = None,
) -> tuple[dict, str]:
    """All maps of the networks as one figure, and its alt text.

    `labels`: words of rows and columns. `asking`: the rows (0-based) that are asked; the one that is `framed`, the last of them
    where that is None, has a frame, and titles name its most looked-at key. `pale`: rows that are grey. `chosen`: a cell
    that is framed. `width`: pixels; `high`: as `heatmaps` has it.
    """
    asked, words = tuple(asking), tuple(html.escape(label, quote=False) for label in labels)
    framed = asked[-1] if framed is None and asked else framed
    shown = [one for maps in networks for one in _matrices(maps, words, framed, tuple(pale), chosen)]
    alt = " ".join(_alt(maps) for maps in networks) + (f" Asked: {', '.join(labels[row] for row in asked)}." if asked else "")
    return attention.figure(shown, round(width), "Attention weights", high), alt


def _matrices(
    maps: Maps, words: tuple[str, ...], asking: int | None, pale: tuple[int, ...], chosen: Cell | None
) -> Iterator[Matrix]:
    alone, named = len(maps.weights) == 1, len(maps.weights) <= MAX_NAMED
    for head, values in enumerate(maps.weights):
        what, share = purpose(maps, head)
        look = looked_at(values, words, words, asking) if asking is not None else ""
        yield Matrix(
            title=maps.title if alone else attention.title_of(head, what if named and share >= NAME_FROM else ""),
            values=np.asarray(values, np.float32),
            rows=words,
            columns=words,
            subtitle=look,
            hue=head,
            hover=f"{maps.title if alone else f'head {head + 1}'}: ‘%{{y}}’ → ‘%{{x}}’ %{{z:.3f}}",
            name="weights" if maps.explained else "",
            head=head,
            framed=asking,
            pale=pale,
            chosen=place_of(chosen, "weights", head, 1) if maps.explained else None,
        )


def _alt(maps: Maps) -> str:
    purposes = [purpose(maps, head) for head in range(min(len(maps.weights), MAX_NAMED))]
    shares = [f"head {head}: {what} {share:.2f}" for head, (what, share) in enumerate(purposes, 1)]
    many = heads_in_words(len(maps.weights))
    name = maps.title if maps.title in (many, "one head") else f"{maps.title}, {many}"
    return f"{name}. Mean weight where an answer stands: {', '.join(shares)}."
