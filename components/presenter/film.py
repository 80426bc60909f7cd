"""Films for the walk, which show a computation step by step with the numbers of headcount/explain.py."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from components.presenter.walk import layers_beside, request
from components.widgets.play import as_number, written
from headcount import Trace, count_parameters
from headcount.explain import Cell, Term, explain, terms
from headcount.names import heads_in_words
from headcount.stage.pictures import start_page
from headcount.stage.scene import Panel, Scene
from headcount.stage.wire import Slider
from lessons.walk import FOLLOWED, WalkStep

#: A part of a block: the block's id, first row, first column (from 0), and the numbers of rows and columns.
Area = tuple[str, int, int, int, int]
#: Durations in seconds: time to say it aloud, time to follow it, and time for a repetition.
SLOW, STEADY, QUICK = 1.1, 0.7, 0.25


@dataclass(frozen=True, slots=True)
class Still:
    """One step of a film.
    - `act`: the part of the computation; `total`: the sum so far.
    - `text`: what is computed, with `^{…}` for superscripts and `_{…}` for subscripts.
    - `marks`: the areas that are highlighted; `lands`: the areas whose numbers appear.
    """

    act: str
    seconds: float
    text: str
    result: str = ""
    total: str = ""
    marks: tuple[Area, ...] = ()
    lands: tuple[Area, ...] = ()


def pace(place: int, seconds: float) -> float:
    """The seconds of a step: `seconds` for the first three steps of a kind, QUICK afterwards. `place`: the step's index."""
    return seconds if place < 3 else QUICK


def taken_apart(trace: Trace, name: str, row: int, col: int, head: int | None = 0) -> tuple[Term, ...]:
    return terms(explain(trace, Cell(name, row, col, head)))


def value(trace: Trace, name: str, row: int, col: int) -> str:
    """A number of the first head as text."""
    return as_number(explain(trace, Cell(name, row, col, 0)).value)


def added(act: str, seconds: float, text: str, term: Term, *marks: Area, lands: tuple[Area, ...] = ()) -> Still:
    return Still(act, seconds, text, as_number(term.adds), as_number(term.total), marks, lands)


def of_tables(trace: Trace, tokens: Sequence[str]) -> Iterator[Still]:
    """The film of Q, K and V. First comes one number of Q, product by product, then its row, then all of Q, and last K and V."""
    row, (rows, width, size) = FOLLOWED, (trace.cfg.query_len, trace.cfg.d_model, trace.cfg.key_dim)
    act, here = f"One number of Q: row “{tokens[row]}”, column 1", ("q", row, 0, 1, 1)
    *products, bias = taken_apart(trace, "q", row, 0)
    for k, term in enumerate(products):
        yield added(act, pace(k, SLOW), written(term), term, ("x", row, k, 1, 1), ("w_q", k, 0, 1, 1))
    yield added(act, SLOW, "bias", bias, ("b_q", 0, 0, 1, 1))
    yield Still(act, 2 * SLOW, "their sum", as_number(bias.total), marks=(here,), lands=(here,))
    act = "The same row meets every column"
    for col in range(1, size):
        here, text = ("q", row, col, 1, 1), f"row “{tokens[row]}” · column {col + 1} of W_{{Q}}"
        marks = (("x", row, 0, 1, width), ("w_q", 0, col, width, 1), here)
        yield Still(act, QUICK, text, value(trace, "q", row, col), "", marks, (here,))
    act = "Every row meets every column"
    for other in (other for other in range(rows) if other != row):
        here = ("q", other, 0, 1, size)
        yield Still(act, QUICK, f"row “{tokens[other]}” · W_{{Q}}", marks=(("x", other, 0, 1, width), here), lands=(here,))
    for symbol, kernel, result in (("K", "w_k", "k"), ("V", "w_v", "v")):
        here = (result, 0, 0, rows, trace[result].shape[-1])
        marks = (("x", 0, 0, rows, width), (kernel, 0, 0, width, here[-1]), here)
        yield Still(f"The same for {symbol}", 2 * SLOW, f"X · W_{{{symbol}}}", marks=marks, lands=(here,))


def of_row(trace: Trace, tokens: Sequence[str]) -> Iterator[Still]:
    """The film of one query: its scores, the scaled scores, the attention weights, and the mix of the values."""
    row, keys, (width, size) = FOLLOWED, trace.cfg.key_len, (trace.cfg.key_dim, trace.cfg.value_dim)
    own = lambda name: [(name, key, 0, 1, 1) for key in range(keys)]  # noqa: E731
    scores, scaled, weights = map(own, ("scores", "scaled", "weights"))
    for key, token in enumerate(tokens):
        first, *_, last = taken_apart(trace, "scores", row, key)
        text = f"“{tokens[row]}” · “{token}” = {written(first)} + … + {written(last)}"
        marks = (("q", 0, 0, 1, width), ("k", key, 0, 1, width), scores[key])
        yield Still("Score: query · key", pace(key, SLOW), text, value(trace, "scores", row, key), "", marks, (scores[key],))
    for key in range(keys):
        text = f"{value(trace, 'scores', row, key)} ÷ √{width}"
        yield Still("Divide", QUICK, text, value(trace, "scaled", row, key), "", (scores[key], scaled[key]), (scaled[key],))
    for key, term in enumerate(taken_apart(trace, "weights", row, 0)[:-1]):
        yield added("Softmax: e to each, added up", pace(key, STEADY), written(term), term, scaled[key])
    so_far = 0.0
    for key in range(keys):
        last = taken_apart(trace, "weights", row, key)[-1]
        so_far += last.adds
        last = replace(last, total=so_far)
        yield added("Softmax: each ÷ their sum", pace(key, STEADY), written(last), last, weights[key], lands=(weights[key],))
    act = "Mix: weight · value"
    for key, term in enumerate(taken_apart(trace, "context", row, 0)):
        yield added(act, pace(key, STEADY), written(term), term, weights[key], ("v", key, 0, 1, 1))
    for col in range(size):
        here, total = ("context", 0, col, 1, 1), value(trace, "context", row, col)
        marks = (("weights", 0, 0, keys, 1), ("v", 0, col, keys, 1), here)
        yield Still(act, QUICK if col else SLOW, f"weights · column {col + 1}", total, "", marks, (here,))


def of_sum(trace: Trace, tokens: Sequence[str]) -> Iterator[Still]:
    """The film of the output: one number, added up head by head, then every head's contribution, and the output."""
    row, cfg = FOLLOWED, trace.cfg
    rows, width, size, heads = cfg.query_len, cfg.d_model, cfg.value_dim, range(cfg.num_heads)
    act = f"One number of the output: row “{tokens[row]}”, column 1"
    *shares, bias = taken_apart(trace, "output", row, 0, None)
    cells, here = tuple((f"share-{head}", row, 0, 1, 1) for head in heads), ("output-sum", row, 0, 1, 1)
    for head, term in enumerate(shares):
        text = f"head {head + 1}: " + " + ".join(map(written, taken_apart(trace, "share", row, 0, head)))
        marks = ((f"context-{head}", row, 0, 1, size), (f"w_o-{head}", 0, 0, size, 1), cells[head])
        yield added(act, 2 * SLOW, text, term, *marks, lands=(cells[head],))
    yield added(act, SLOW, "bias", bias, ("b_o-term", 0, 0, 1, 1))
    yield Still(act, 2 * SLOW, "the sum of the parts", as_number(bias.total), "", (*cells, here), (here,))
    for head in heads:
        whole = (f"share-{head}", 0, 0, rows, width)
        marks = ((f"context-{head}", 0, 0, rows, size), (f"w_o-{head}", 0, 0, size, width), whole)
        text = f"head {head + 1}: its columns · its rows of W_{{O}}"
        yield Still("All numbers, head by head", SLOW, text, marks=marks, lands=(whole,))
    whole = ("output-sum", 0, 0, rows, width)
    yield Still("Added up", SLOW, "the output", marks=(whole,), lands=(whole,))


def card_by_card(step: WalkStep, scene: Scene) -> tuple[Scene, Slider]:
    """The picture of all layers, and a slider with pictures of the first layer, of the first two, and so on. A block has the same
    id in every layer, so the matrices of a new layer glide out of the layer before."""
    ids = [*layers_beside(request(step))]

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
        drawn = {block.grid for row in rows for panel in row for block in panel.blocks}
        grids = {name: grid for name, grid in scene.grids.items() if name in drawn}
        return replace(scene, rows=rows, narrow=narrow, links=links, grids=grids)

    last = len(ids)
    return until(last), Slider(last, {most: until(most) for most in range(1, last)})


FILMS: Mapping[str, Callable[[Trace, Sequence[str]], Iterator[Still]]] = {"tables": of_tables, "row": of_row, "sum": of_sum}


def film(step: WalkStep) -> tuple[Still, ...]:
    """The stills of a step's film; () if the step has no film. A step that answers a guess has one still for each layer."""
    layer = request(step)
    if step.answers:
        return tuple(
            Still(heads_in_words(cfg.num_heads), 2 * SLOW, " ".join(start_page.sum_of(cfg)), f"{count_parameters(cfg):,}")
            for cfg in layers_beside(layer).values()
        )
    return tuple(FILMS[step.figure](layer.trace(), layer.tokens)) if step.figure in FILMS else ()
