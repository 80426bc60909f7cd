"""All figures that can be saved by name, and the functions that draw each figure for a request."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from headcount import Config, count_parameters
from headcount.cost import too_large
from headcount.export.figure import Content, Figure, Picture
from headcount.export.request import (
    ASKING,
    CUT,
    FRAME,
    KERNEL,
    MODEL,
    OF_SWITCHES,
    OF_WORDS,
    SENTENCE,
    SLIDER,
    Request,
    Unavailable,
)
from headcount.models.entry import entries
from headcount.names import counted, did_you_mean, heads_in_words, noun
from headcount.plots import layer, time
from headcount.reading import CUT_HEADS, Reading, why_not
from headcount.settings import DIVISOR, HEAD_OFF
from headcount.stage.diagram import Diagram
from headcount.stage.pictures import (
    attention,
    changes,
    concatenation,
    heads,
    one_query,
    projections,
    schematic,
    split,
    start_page,
)
from headcount.stage.pictures.projections import KERNELS
from headcount.stage.pictures.published import plane, sharing
from headcount.stage.pictures.reader import Reader
from headcount.stage.pictures.trained import costs
from headcount.stage.pictures.trained import sentence as trained_sentence
from headcount.stage.scene import Scene, for_numbers_alone, pool_for_map
from headcount.trained import store
from headcount.trained.sentence import UnreadableSentence, asked_rows, read_or_default
from headcount.trained.task import TEST_COUNT
from headcount.variations import index_of_head, split_embedding, without_head


def origin(request: Request) -> str:
    """Returns a sentence that says where the numbers of a figure come from."""
    if too_large(request.cfg):
        return "Only shapes are shown, because the layer is too large to compute."
    if request.reading is not None:
        return "The numbers come from a layer trained to say who, whom, where and when."
    if request.is_given:
        return "The numbers are those of the given layer."
    return f"The numbers come from random weights (seed {request.cfg.seed}), not from training."


def _of(
    drawn: Scene | Diagram | tuple[Content, str], title: str, caption: str, request: Request | None = None, **more: Any
) -> Picture:
    """Makes a picture from a drawing and its alternative text. A `request` adds the source of its numbers to the caption."""
    drawing, alt = drawn if isinstance(drawn, tuple) else (drawn, drawn.alt)
    return Picture(drawing, title, alt, caption if request is None else f"{caption} {origin(request)}", **more)


def at_a_glance(request: Request) -> Picture:
    cfg = request.cfg
    scene, shown = cards(request)
    squares = start_page.fits_cells(cfg, request.paper)
    read = "Each square is a weight." if squares else "A sheet’s area stands for its number of weights."
    gate = ", W_{G}" if cfg.use_gate else ""
    read += f" In a pile, W_{{Q}} is in front; W_{{K}}, W_{{V}}{gate} and W_{{O}} are behind it."
    return _of(scene, start_page.headline(cfg), f"{read} {origin(shown)}" if squares else read, by_head=True)


def cards(request: Request, reads: Reader | None = None) -> tuple[Scene, Request]:
    """Draws the table of layers and, if given, the sentence that `reads` has read. Also returns the chosen layer's request."""
    cfg, paper = request.cfg, request.paper
    shown = {one: replace(request, cfg=one, reading=None).on_words(cut=True) for one in start_page.layers(cfg, paper)}
    if request.reading is not None and cfg.num_heads != CUT_HEADS:  # in a set, whose other figures show this network
        shown = {cfg: request}
    alike = [one for one in start_page.numbered(cfg, paper) if one in shown and shown[one].is_given == request.is_given]
    network = lambda one: (reading := shown[one].reading) and reading.name(one)  # noqa: E731
    return start_page.draw(cfg, paper, start_page.numbers_of(alike, network, lambda one: shown[one].trace()), reads), shown[cfg]


def pieces(request: Request) -> Picture:
    request = request.on_words(cut=True)
    cfg = request.cfg
    if too_large(cfg):
        raise Unavailable("The layer is too large to compute, so its heads have no numbers to show.")
    scene = heads.pieces(cfg, request.trace())
    bias = ", plus its slice of b_{Q}" if cfg.use_bias else ""
    title = "Every head gets all of X, a copy and not a slice"
    return _of(scene, title, f"Each head’s queries are X times its slice of W_{{Q}}{bias}.", request)


def block_diagram(request: Request) -> Picture:
    cfg = request.cfg
    if cfg.use_gate:
        raise Unavailable("The block diagram has no box for a gate. Choose a layer without one.")
    title = f"The layer in blocks: {heads_in_words(cfg.num_heads)}, {counted(count_parameters(cfg), 'parameter')}"
    together = "All heads see the whole input and exchange nothing before Concat." if cfg.num_heads > 1 else ""
    sizes = "An arrow’s label counts what it carries for one sequence: matrices × (rows × columns) = numbers."
    return _of(schematic.block(cfg), title, f"{together} {sizes}".strip())


def cuts_schematic(request: Request) -> Picture:
    cfg, symbol = request.cfg, KERNELS[request[KERNEL]][0]
    each = " Each slice belongs to one head." if cfg.num_heads > 1 else ""
    return _of(
        schematic.cuts(cfg, request[KERNEL]),
        f"Three ways to cut W_{{{symbol}}} into heads",
        f"All three cuts hold the same numbers.{each}",
    )


def time_and_counts(request: Request) -> Picture:
    which, heads = (request[time.MEASURED], request[time.LENGTH]), request.cfg.num_heads
    return _of(time.draw(*which, heads), time.headline(*which), time.source(*which))


def corner(request: Request) -> Picture:
    cfg, name = request.cfg, request[KERNEL]
    scene = projections.corner(cfg, None if too_large(cfg) else request.trace(), name, request.reading_labels)
    caption = f"Each head reads the whole input through its own columns of W_{KERNELS[name][0]}."
    return _of(scene, projections.claim(cfg), caption, request)


#: The caption of Q, K and V and of their matrices.
EACH_OWNS = "Each head has its own columns of each matrix."


def _maps(draw: Callable[..., tuple[dict, str]], title: str, caption: str, request: Request | None = None) -> Picture:
    """Makes a picture of heatmaps. `draw(width=…, high=…)` draws the heatmaps for a width and a largest height in pixels."""
    arranged = lambda width, high: draw(width=width, high=high)[0]  # noqa: E731
    return _of(draw(), title, caption, request, arranged=arranged)


def projection_maps(request: Request) -> Picture:
    return _maps(partial(layer.projections, request.trace(), request.reading_labels), "Q, K and V", EACH_OWNS, request)


def kernel_maps(request: Request) -> Picture:
    return _maps(partial(layer.kernels, request.trace()), "W_{Q}, W_{K} and W_{V}", EACH_OWNS, request)


def three_cuts(request: Request) -> Picture:
    if request.reading is not None and request.cfg.follows_paper:
        request = replace(request, reading=replace(request.reading, cut=True))
    scene = projections.three_cuts(request.cfg, request.trace(), request[KERNEL], request[CUT])
    title = f"W_{{{KERNELS[request[KERNEL]][0]}}}, cut for {heads_in_words(request.cfg.num_heads)}"
    return _of(scene, title, "This is one of three ways to cut the same numbers.", request)


def copied_not_split(request: Request) -> Picture:
    trace = request.trace()
    wrong = split_embedding(trace)
    if wrong is None:
        reason = split.sentence(request.cfg, None).replace("$", "")
        raise Unavailable(f"{reason} The figure needs a head count that divides d_model.")
    title = "The embedding is copied to every head, not split"
    return _of(split.draw(trace, wrong), title, "Each head multiplies all of X, not a slice of it.", request)


def means(cfg: Config) -> str:
    """Returns a sentence that says how many attention weights a cell averages, or "" if each cell is one weight."""
    pool = pool_for_map(cfg.query_len, cfg.key_len)
    return f" A cell is the mean of {pool} × {pool} weights." if pool > 1 else ""


def which_heads(cfg: Config, head: int, most: int) -> str:
    """Returns a sentence on the group of `most` heads with `head` (0-based) in it, or "" if one or all heads are shown."""
    first = head // most * most
    last = min(first + most, cfg.num_heads)
    return f" Heads {first + 1} to {last} of {cfg.num_heads} are shown." if 1 < most < cfg.num_heads else ""


def maps(request: Request, most: int = layer.MAX_MAPS) -> Picture:
    cfg, trace = request.cfg, request.trace()
    reading = None if request.switches else request.reading
    draw = partial(
        layer.maps_of, trace, request.switches, request[DIVISOR], reading, request.tokens, request.head, most=most,
        clean=request[FRAME] == "none",
    )  # fmt: skip
    title = (
        f"Head {request.head + 1}: how each query shares its attention"
        if most == 1
        else attention.headline(cfg, trace, reading, attention.row_sums(request.switches.on(cfg))).rstrip(".")
    )
    caption = "Each row shows how one query shares its attention among the keys."
    return _maps(draw, title, f"{caption}{means(cfg)}{which_heads(cfg, request.head, most)}", request)


def map_without_name(request: Request, row: int, letter: str) -> Picture:
    """Draws the attention map of the request's head for a quiz. Its title is a letter. The query `row` (0-based) is framed."""
    return _maps(partial(layer.nameless, request.trace(), request.tokens, request.head, row, letter), letter, "")


def why_several(request: Request) -> Picture:
    try:
        sentence = read_or_default(request[SENTENCE])
        layers = trained_sentence.layers_of(request.cfg, request.paper, sentence)
    except UnreadableSentence as why:
        raise Unavailable(f"The sentence cannot be read. {why}") from None
    except store.Broken as why:
        raise Unavailable(str(why)) from None
    if not layers:
        raise Unavailable(f"The sentence is not shown: {why_not(request.cfg)}.")
    asked = asked_rows(sentence)
    row = request[ASKING] - 1 if request[ASKING] - 1 in asked else trained_sentence.telling(sentence, layers)
    scene = trained_sentence.draw(layers, sentence.words, row, asked, maps=for_numbers_alone())
    wrong = [sum(not one.is_right for one in layer.answers) for layer in layers]
    names = [f"{layer.title.lower()} {noun(layer.heads, 'gives', 'give')}" for layer in layers]
    errs = ", ".join(f"{name} {count or 'none'}" for name, count in zip(names, wrong, strict=True))
    caption = f"The curves show what “{sentence.words[row]}” looks at: a thicker curve is a larger attention weight."
    read = replace(request, reading=Reading(sentence))
    return _of(scene, f"Wrong answers in one sentence: {errs}", caption, read, by_head=True)


def steps(request: Request) -> Picture:
    reading = None if request.switches else request.reading
    how = (request.head, request[DIVISOR], request.tokens, request.switches, reading, layer.asking(reading, request.cfg))
    scene = attention.steps(request.cfg, request.trace(), *how)
    title = f"Head {request.head + 1}: from QK^{{T}} to attention weights"
    caption = "Products of queries and keys become attention weights. Scores before and after the division have one colour scale."
    return _of(scene, title, caption, request)


def query(request: Request) -> Picture:
    how = (request.head, layer.asking(request.reading, request.cfg), request[DIVISOR], request.tokens, request.switches)
    title = f"Head {request.head + 1}: how one query shares its attention"
    return _of(one_query.draw(request.cfg, request.trace(), *how), title, "Each score becomes an attention weight.", request)


def divisors(request: Request) -> Picture:
    trace, switches, head = request.trace(), request.switches, request.head
    row = changes.most_divided(trace, switches, head)
    drawn = changes.divisors(None, trace, switches, head, row, request.tokens)
    title = "Why divide by √d_{k}: one query’s weights under several divisors"
    caption = (
        "Before the softmax, the same scores are divided by different numbers. Usually, a larger divisor makes the weights more "
        "even."
    )
    return _of(drawn, title, caption, request)


def _off(request: Request) -> int | None:
    return index_of_head(request[HEAD_OFF], request.cfg.num_heads)


def joined(request: Request) -> Picture:
    cfg = request.cfg
    numbers = None if too_large(cfg) else request.trace()
    scene = concatenation.corner(cfg, numbers, _off(request), request.reading_labels)
    columns = counted(cfg.num_heads * cfg.value_dim, "column")
    title = f"{heads_in_words(cfg.num_heads)} × {cfg.value_dim} = {columns} side by side, then W_{{O}} mixes them"
    return _of(scene, title, "The head outputs are side by side until W_O mixes them.", request)


def results(request: Request) -> Picture:
    draw = partial(layer.results, request.trace(), request.reading_labels, off=_off(request))
    gates = ", each times its gate" if request.cfg.use_gate else ""
    return _maps(draw, "Z, the head outputs", f"Concat has these head outputs side by side{gates}.", request)


def shares(request: Request) -> Picture:
    clean = request[FRAME] == "none"
    draw = partial(layer.shares, request.trace(), request.reading_labels, off=_off(request), clean=clean)
    bias = ", plus b_O" if request.cfg.use_bias else ""
    caption = f"The output is the sum of what the heads add{bias}."
    return _maps(draw, "What each head adds to the output", caption, request)


def switched_off(request: Request) -> Picture:
    off, trace = (request[HEAD_OFF] or 1) - 1, request.trace()
    if off >= request.cfg.num_heads:
        raise Unavailable(f"There is no head {off + 1}. Choose head_off from 1 to {request.cfg.num_heads}.")
    after = without_head(trace, off)
    drawn = changes.draw_changes(trace, after, off)
    title = f"Columns that change before and after W_{{O}} without head {off + 1}"
    return _of(drawn, title, drawn[1], request, by_head=request.cfg.num_heads > 1)


#: Options of a figure of attention weights.
OF_MAPS = ("head", "divisor", *OF_SWITCHES, *OF_WORDS)
FRAMED = (*OF_MAPS, FRAME.code)
LAYER = (
    Figure("heads", "More heads, in both conventions", "", at_a_glance, key="law", trained=True),
    Figure("pieces", "X times each head’s slice", "", pieces, trained=True),
    Figure("block_diagram", "The layer as a block diagram", "figures", block_diagram),
    Figure("time", "What more heads cost", "", time_and_counts, (time.MEASURED.code, time.LENGTH.code), key="time_against_heads"),
    Figure("projections", "A row of X meets a column of W", "projections", corner, ("kernel", *OF_WORDS)),
    Figure("projection_maps", "Q, K and V", "projections", projection_maps, OF_WORDS, key="projections"),
    Figure("kernel_maps", "W_Q, W_K and W_V", "projections", kernel_maps, OF_WORDS, key="kernels"),
    Figure("cuts", "One matrix, three cuts", "projections", three_cuts, ("kernel", "cut", *OF_WORDS), key="cuts",
           instead="cuts_schematic"),
    Figure("cuts_schematic", "Three cuts of a matrix, schematic", "figures", cuts_schematic, ("kernel",)),
    Figure("copied_not_split", "Copied, not split", "projections", copied_not_split, OF_WORDS, key="copied_not_split"),
    Figure("attention", "All attention maps", "attention", maps, FRAMED, key="attention_maps", names_positions=True),
    Figure("head_map", "One head’s map alone", "figures", partial(maps, most=1), FRAMED, names_positions=True),
    Figure("one_query", "One query meets the keys", "attention", query, OF_MAPS, key="query", names_positions=True),
    Figure("steps", "One head step by step", "attention", steps, OF_MAPS, names_positions=True),
    Figure("divisors", "Why divide by √d_k", "attention", divisors, ("head", *OF_SWITCHES, *OF_WORDS), key="divisors",
           names_positions=True),
    Figure("concatenation", "Concat times W_O", "concatenation", joined, ("head_off", *OF_WORDS)),
    Figure("results", "Z, the head outputs", "concatenation", results, ("head_off", *OF_WORDS), key="results"),
    Figure("shares", "What each head adds", "concatenation", shares, ("head_off", FRAME.code, *OF_WORDS), key="shares"),
    Figure("head_switched_off", "What changes without one head", "concatenation", switched_off, ("head_off", *OF_WORDS),
           key="head_switched_off", part="head_off=1"),
)  # fmt: skip


def shared(request: Request) -> Picture:
    slug = request[MODEL]
    heads_of = entries()[slug].model.attention
    return _of(sharing.draw(heads_of), f"{slug}: which heads share keys and values", sharing.sentence(heads_of))


def all_widths(request: Request) -> Picture:
    models = plane.published()
    caption = "Each dot is a model; a large dot is several models at one point. The page Models names the source of the sizes."
    return _of(plane.draw(models), plane.counted(models), caption)


PUBLISHED = (
    Figure("published_sharing", "Which heads share keys and values", "models", shared, ("model",), of_layer=False, key="sharing"),
    Figure("published_widths", "Heads × key size against width", "models", all_widths, of_layer=False, key="widths"),
)


def right_answers(request: Request) -> Picture:
    slider = request[SLIDER]
    try:
        stops = costs.stops_of(request.cfg, request.paper, slider)
    except store.Broken as why:
        raise Unavailable(str(why)) from None
    if len(stops) < 2:
        raise Unavailable(f"{costs.headline(stops, slider)} Choose another slider, or other sizes.")
    caption = (
        f"Each bar is the fraction of right answers to a question in {TEST_COUNT:,} sentences, by a layer trained with this "
        "value. A thin line shows the range over all layers trained with this value. The parameter count is below each value."
    )
    return _of(costs.draw(stops, slider, getattr(request.cfg, slider)), costs.headline(stops, slider).rstrip("."), caption)


TRAINED = (
    Figure("why_several", "One head and several, one sentence", "trained_heads", why_several, (SENTENCE.code, ASKING.code),
           key="sentence_picture", trained=True),
    Figure("right_answers", "Right answers for each size or head count", "trained_heads", right_answers, (SLIDER.code,),
           key="costs"),
)  # fmt: skip


#: Every figure by name, and the figures that can be downloaded.
EVERY: dict[str, Figure] = {figure.name: figure for figure in (*LAYER, *TRAINED, *PUBLISHED)}
FIGURES: dict[str, Figure] = {name: figure for name, figure in EVERY.items() if not figure.instead}

#: Every figure by its page ("" is the start page) and its key on the page.
SHOWN: dict[tuple[str, str], Figure] = {(figure.page, figure.key): figure for figure in EVERY.values()}


def figure_named(name: str) -> Figure:
    """Returns the figure with this name. Raises ValueError, which lists all names and suggests a similar name."""
    if name not in FIGURES:
        raise ValueError(f"there is no figure {name!r} among {', '.join(FIGURES)}{did_you_mean(name, FIGURES)}")
    return FIGURES[name]
