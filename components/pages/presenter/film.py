"""The walk's computations as they are played: one still after the other, with what is written, marked and filled in at each.

The numbers are those of mha/explain.py, written as in the card of a cell's arithmetic.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from components.pages.presenter.walk import layers_beside, request
from components.stage.pictures import start_page
from components.stage.scene import Panel, Scene
from components.stage.wire import Slider
from components.widgets.play import factor, plain
from lessons.walk import FOLLOWED, Step
from mha import Config, Trace, count_parameters
from mha.explain import Cell, Term, explain, terms
from mha.names import heads_in_words

#: A block's id, its first row and column, 0-based within the block, and how many rows and columns.
Area = tuple[str, int, int, int, int]
#: Seconds: to be said aloud, to be followed with the eye, and for what is the same once more.
SLOW, STEADY, QUICK = 1.1, 0.7, 0.25


@dataclass(frozen=True, slots=True)
class Still:
    """One moment. `act`: what is under way; `text`: what is computed, `^{…}` raised and `_{…}` lowered; `result`: what it comes
    to; `total`: the sum with it. `marks`: the areas that it is about; `lands`: those whose numbers are there from now on."""

    act: str
    seconds: float
    text: str
    result: str = ""
    total: str = ""
    marks: tuple[Area, ...] = ()
    lands: tuple[Area, ...] = ()


@dataclass(frozen=True, slots=True)
class Film:
    """`empty`: the blocks whose numbers are not there yet at the beginning."""

    empty: tuple[str, ...]
    stills: tuple[Still, ...]


def pace(place: int, seconds: float) -> float:
    """`seconds` for the first three of a kind, quick for those after them."""
    return seconds if place < 3 else QUICK


def product(*factors: float) -> str:
    return " · ".join(map(factor, factors))


def taken_apart(trace: Trace, name: str, row: int, col: int, head: int | None = 0) -> tuple[Term, ...]:
    return terms(explain(trace, Cell(name, row, col, head)))


def of_tables(trace: Trace, tokens: Sequence[str]) -> Film:
    """One number of Q product by product, then its row, then all rows, then K and V."""
    row, (rows, width, size) = FOLLOWED, (trace.cfg.query_len, trace.cfg.d_model, trace.cfg.key_dim)
    found = taken_apart(trace, "q", row, 0)

    def stills() -> Iterator[Still]:
        act = f"One number of Q: row “{tokens[row]}”, column 1"
        for k, term in enumerate(found[:width]):
            marks = (("x", row, k, 1, 1), ("w_q", k, 0, 1, 1))
            yield Still(act, pace(k, SLOW), product(*term.factors), plain(term.adds), plain(term.total), marks)
        for term in found[width:]:
            yield Still(act, SLOW, "bias", plain(term.adds), plain(term.total), (("b_q", 0, 0, 1, 1),))
        here: Area = ("q", row, 0, 1, 1)
        yield Still(act, 2 * SLOW, "their sum", plain(found[-1].total), marks=(here,), lands=(here,))
        act = "The same row meets every column"
        for col in range(1, size):
            here = ("q", row, col, 1, 1)
            text, value = f"row “{tokens[row]}” · column {col + 1} of W_{{Q}}", taken_apart(trace, "q", row, col)[-1].total
            yield Still(act, QUICK, text, plain(value), "", (("x", row, 0, 1, width), ("w_q", 0, col, width, 1), here), (here,))
        act = "Every row meets every column"
        for other in (other for other in range(rows) if other != row):
            here = ("q", other, 0, 1, size)
            yield Still(act, QUICK, f"row “{tokens[other]}” · W_{{Q}}", marks=(("x", other, 0, 1, width), here), lands=(here,))
        for symbol, kernel, result in (("K", "w_k", "k"), ("V", "w_v", "v")):
            size_of = trace[result].shape[-1]
            here = (result, 0, 0, rows, size_of)
            marks = (("x", 0, 0, rows, width), (kernel, 0, 0, width, size_of), here)
            yield Still(f"The same for {symbol}", 2 * SLOW, f"X · W_{{{symbol}}}", marks=marks, lands=(here,))

    return Film(("q", "k", "v"), tuple(stills()))


def of_row(trace: Trace, tokens: Sequence[str]) -> Film:
    """One query's scores, these divided, the shares by softmax, and the values' mix, its first number product by product."""
    row, keys, size = FOLLOWED, trace.cfg.key_len, trace.cfg.value_dim

    def stills() -> Iterator[Still]:
        for key, token in enumerate(tokens):
            parts, here = explain(trace, Cell("scores", row, key, 0)).parts, ("scores", key, 0, 1, 1)
            text = f"“{tokens[row]}” · “{token}” = {product(*parts[0])} + … + {product(*parts[-1])}"
            score = plain(taken_apart(trace, "scores", row, key)[-1].total)
            marks = (("query", 0, 0, 1, trace.cfg.key_dim), ("keys", key, 0, 1, trace.cfg.key_dim), here)
            yield Still("Score: query · key", pace(key, SLOW), text, score, "", marks, (here,))
        for key in range(keys):
            divided, here = explain(trace, Cell("scaled", row, key, 0)), ("scaled", key, 0, 1, 1)
            text = f"{plain(divided.parts[0][0])} ÷ √{trace.cfg.key_dim}"
            yield Still("Divide", QUICK, text, plain(divided.value), "", (("scores", key, 0, 1, 1), here), (here,))
        softmax = taken_apart(trace, "weights", row, 0)
        for key, term in enumerate(softmax[:-1]):
            score, less = term.factors
            text = f"e^{{{plain(score)} − {plain(less)}}}" if less else f"e^{{{plain(score)}}}"
            marks = (("scaled", key, 0, 1, 1),)
            yield Still("Softmax: e to each, added up", pace(key, STEADY), text, plain(term.adds), plain(term.total), marks)
        so_far = 0.0
        for key in range(keys):
            last, here = taken_apart(trace, "weights", row, key)[-1], ("weights", key, 0, 1, 1)
            so_far += last.adds
            yield Still(
                "Softmax: each ÷ their sum", pace(key, STEADY), " ÷ ".join(map(plain, last.factors)), plain(last.adds),
                plain(so_far), (here,), (here,),
            )  # fmt: skip
        for key, term in enumerate(taken_apart(trace, "context", row, 0)):
            marks = (("weights", key, 0, 1, 1), ("v", key, 0, 1, 1))
            seconds, text = pace(key, STEADY), product(*term.factors)
            yield Still("Mix: share · value", seconds, text, plain(term.adds), plain(term.total), marks)
        for col in range(size):
            total, here = plain(taken_apart(trace, "context", row, col)[-1].total), ("mix", 0, col, 1, 1)
            marks = (("weights", 0, 0, keys, 1), ("v", 0, col, keys, 1), here)
            yield Still("Mix: share · value", QUICK if col else SLOW, f"shares · column {col + 1}", total, "", marks, (here,))

    return Film(("scores", "scaled", "weights", "mix"), tuple(stills()))


def of_sum(trace: Trace, tokens: Sequence[str]) -> Film:
    """One number of the output head by head, then every head's whole share, then the output."""
    row, cfg = FOLLOWED, trace.cfg
    rows, width, size = cfg.query_len, cfg.d_model, cfg.value_dim
    added_up = taken_apart(trace, "output", row, 0, None)

    def stills() -> Iterator[Still]:
        act = f"One number of the output: row “{tokens[row]}”, column 1"
        for head, term in enumerate(added_up[: cfg.num_heads]):
            text = f"head {head + 1}: " + " + ".join(product(*part.factors) for part in taken_apart(trace, "share", row, 0, head))
            here = (f"share-{head}", row, 0, 1, 1)
            marks = ((f"context-{head}", row, 0, 1, size), (f"w_o-{head}", 0, 0, size, 1), here)
            yield Still(act, 2 * SLOW, text, plain(term.adds), plain(term.total), marks, (here,))
        for term in added_up[cfg.num_heads :]:
            yield Still(act, SLOW, "bias", plain(term.adds), plain(term.total), (("b_o-term", 0, 0, 1, 1),))
        cells = tuple((f"share-{head}", row, 0, 1, 1) for head in range(cfg.num_heads))
        here = ("output-sum", row, 0, 1, 1)
        yield Still(act, 2 * SLOW, "the sum of the shares", plain(added_up[-1].total), "", (*cells, here), (here,))
        for head in range(cfg.num_heads):
            whole = (f"share-{head}", 0, 0, rows, width)
            marks = ((f"context-{head}", 0, 0, rows, size), (f"w_o-{head}", 0, 0, size, width), whole)
            text = f"head {head + 1}: its columns · its rows of W_{{O}}"
            yield Still("All numbers, head by head", SLOW, text, marks=marks, lands=(whole,))
        whole = ("output-sum", 0, 0, rows, width)
        yield Still("Added up", SLOW, "the output", marks=(whole,), lands=(whole,))

    return Film((*(f"share-{head}" for head in range(cfg.num_heads)), "output-sum"), tuple(stills()))


def layers_of(step: Step) -> dict[str, Config]:
    """Gives each layer of the row that the step is about, by the id of its card."""
    layer = request(step)
    return layers_beside(layer.cfg, layer.paper)


def of_cards(step: Step) -> Film:
    """One layer after the other, with more heads each, and what they come to."""
    return Film((), tuple(
        Still(heads_in_words(cfg.num_heads), 2 * SLOW, " ".join(start_page.sum_of(cfg)), f"{count_parameters(cfg):,}")
        for cfg in layers_of(step).values()
    ))  # fmt: skip


def card_by_card(step: Step, scene: Scene) -> tuple[Scene, Slider[Scene]]:
    """The picture, and by still what of it is there by then. A card's matrices are copies of those of the card before it, out of
    which they glide."""
    ids = [*layers_of(step)]

    def until(most: int) -> Scene:
        def shown(panel: Panel) -> Panel:
            if panel.id not in ids:
                return panel
            place = ids.index(panel.id)
            if place >= most:
                return replace(panel, blocks=(), texts=(), on=False)
            blocks = tuple(replace(one, id=one.id.removeprefix(panel.id), copy=place) for one in panel.blocks)
            return replace(panel, blocks=blocks, zone=step.answers)

        rows, narrow = (tuple(tuple(map(shown, row)) for row in table) for table in (scene.rows, scene.narrow))
        links = tuple(link for link in scene.links if not {link.first, link.second} & {*ids[most:]})
        return replace(scene, rows=rows, narrow=narrow, links=links)

    last = len(ids)
    return until(last), Slider("", range(1, last + 1), last, {most: until(most) for most in range(1, last)})


FILMS: Mapping[str, Callable[[Trace, Sequence[str]], Film]] = {"tables": of_tables, "row": of_row, "sum": of_sum}


def film(step: Step) -> Film | None:
    """What is played at the step; None where nothing is."""
    if step.answers:
        return of_cards(step)
    layer = request(step)
    return FILMS[step.figure](layer.trace(), layer.tokens) if step.figure in FILMS else None


def sent(found: Film, name: str, rest: str) -> dict[str, Any]:
    """Gives the film as assets/types.d.ts has it. `name`: tells films apart; `rest`: the sentence beside the whole picture."""
    return {"name": name, "rest": rest, "empty": found.empty, "stills": [astuple(still) for still in found.stills]}
