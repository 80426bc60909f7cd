"""The content of the steps of lessons/walk.py: sentences, computed numbers, and pictures."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from string import Formatter

from components.presenter import pictures as own
from components.widgets.networks import manifest_and_report, network
from headcount import Config, Trace, count_parameters
from headcount.export.figure import Picture
from headcount.export.figures import FIGURES
from headcount.export.request import Request, request_of
from headcount.models.entry import entries
from headcount.names import counted, heads_in_words, listed, noun
from headcount.reading import Reading, pale_rows
from headcount.stage.pictures import start_page
from headcount.stage.pictures.trained import costs
from headcount.stage.pictures.trained.sentence import draw, layers_of
from headcount.stage.scene import Length, Panel, Scene, longest
from headcount.timing import usual
from headcount.trained.network import forward
from headcount.trained.sentence import DEFAULT, QUESTIONS, asked_rows
from headcount.trained.sentence import answers as answers_of
from headcount.trained.task import TEST_COUNT
from lessons.walk import FOLLOWED, GUESSES, HEADS_TRIED, PUBLISHED, STEPS, WalkStep

#: The walk's own pictures by name: the page that shows the subject, and the function that draws it for a layer.
OWN: Mapping[str, tuple[str, Callable[[Trace, Sequence[str]], Scene] | None]] = {
    "sentence": ("attention", None), "rows": ("projections", own.rows_of_numbers), "tables": ("projections", own.three_tables),
    "row": ("attention", own.one_row), "copied": ("projections", own.one_x), "sum": ("concatenation", own.sum_of_heads),
    "both": ("trained_heads", None), "published": ("models", None), "farewell": ("quiz", None),
}  # fmt: skip


def request(step: WalkStep) -> Request:
    """The request for a step's layer. A step without settings has the default layer."""
    asked = request_of(dict(step.settings))
    return asked.on_words() if step.figure in (*OWN, "attention") else asked


def layers_beside(asked: Request) -> dict[str, Config]:
    """The layers in the start page's row for the request's convention, by the id of the layer's card."""
    return {card.id: card.cfg for card in start_page.cards(asked.cfg, asked.paper)[not asked.paper] if card.cfg is not None}


def numbers(asked: Request) -> dict[str, object]:
    """The numbers of a step's layer by the names that the step's sentences use. "heads", "counts" and "each_count" list the
    numbers of all layers in the row."""
    cfg, layers = asked.cfg, layers_beside(asked).values()
    counts = [count_parameters(layer) for layer in layers]
    (least, count), *more = zip(layers, counts, strict=True)
    each = [f"{heads_in_words(least.num_heads)} {noun(least.num_heads, 'has', 'have')} {counted(count, 'parameter')}"]
    each += [f"{heads_in_words(layer.num_heads)} have {number:,}" for layer, number in more]
    sizes = {name: getattr(cfg, name) for name in ("d_model", "num_heads", "key_dim", "value_dim", "query_len", "key_len")}
    return sizes | {
        "joined": cfg.num_heads * cfg.value_dim,
        "heads": listed([str(layer.num_heads) for layer in layers]),
        "count": f"{count_parameters(cfg):,}",
        "counts": listed([f"{count:,}" for count in dict.fromkeys(counts)]),
        "each_count": listed(each),
        "word": DEFAULT.words[FOLLOWED],
    }


def right(heads: int) -> str:
    """The rate of right answers to "whom" over all test sentences, such as "53%". `heads`: the trained layer's heads."""
    known = manifest_and_report("sentence")[0]["networks"][f"sentence-{heads}"]
    return f"{known['accuracy'][QUESTIONS.index('whom')]:.0%}"


def one_says(question: str) -> str:
    """The answer that the layer with one head gives to a question at the sentence's first verb."""
    given = answers_of(DEFAULT, forward(network("sentence-1"), DEFAULT.examples.tokens).predicted[0])
    return next(one.given for one in given if one.question == question)


def meant() -> tuple[str, str]:
    """The word with the largest attention weight in the row FOLLOWED of the one-head layer (step "row"), and that weight."""
    weights = request(next(step for step in STEPS if step.figure == "row")).trace().weights.values[0, 0, FOLLOWED]
    return DEFAULT.words[int(weights.argmax())], f"{weights.max():.2f}"


IN_WORDS = {"half": "half", "same": "the same", "double": "twice", "fourfold": "four times"}
#: "Attention Is All You Need", Table 3 (A): heads, and BLEU (English to German, newstest2013) at equal computation.
BLEU = {1: 24.9, 4: 25.5, 8: 25.8, 16: 25.8, 32: 25.4}
#: Functions for the numbers of single steps, called only if a step names them.
MEASURED: Mapping[str, Callable[[], str]] = {
    "verb": lambda: DEFAULT.words[DEFAULT.last_verb],
    "asking": lambda: listed([f"“{DEFAULT.words[row]}”" for row in asked_rows(DEFAULT)]),
    "meant": lambda: meant()[0],
    "meant_share": lambda: meant()[1],
    "one_who": lambda: one_says("who"),
    "one_whom": lambda: one_says("whom"),
    "one_right": lambda: right(1),
    "four_right": lambda: right(4),
    "tests": lambda: f"{TEST_COUNT:,}",
    "same_count": lambda: f"{count_parameters(Config()):,}",
    "enough": lambda: (
        costs.headline(costs.stops_of(Config(), True, "num_heads"), "num_heads").partition(", but")[0].rstrip(".") + "."
    ),
    "best": lambda: " and ".join(str(heads) for heads, score in BLEU.items() if score == max(BLEU.values())),
    "usual": lambda: " or ".join(
        str(size) for size, _ in sorted(Counter(entry.model.attention.d_k for entry in entries().values()).most_common(2))
    ),
    "slower": lambda: f"{usual().times(128):.1f}",
    "published_count": lambda: f"{entries()[PUBLISHED].model.total:,}",
    "tried": lambda: f"{', '.join(map(str, HEADS_TRIED[:-1]))} or {HEADS_TRIED[-1]}",
}


def says(step: WalkStep, guessed: str = "") -> str:
    """The step's sentences. `guessed`: the reader's guess (a key of GUESSES) if the step answers a guess, or ""."""
    known = numbers(request(step)) | {"said": settled(step, guessed)}
    wanted = {name for _, name, _, _ in Formatter().parse(step.says) if name}
    return step.says.format(**known, **{name: MEASURED[name]() for name in wanted - {*known}})


def read_aloud(text: str) -> str:
    """A text without the signs `$` and `*` of LaTeX and Markdown, to be read aloud."""
    return text.replace("$", "").replace("*", "")


def asking(code: str) -> WalkStep:
    return next(step for step in STEPS if step.asks == code)


def answers(step: WalkStep) -> dict[str, int]:
    """The parameter count for each guess, a multiple of the layer's count. The right count replaces the nearest multiple."""
    now = count_parameters(request(step).cfg)
    counts = {guess: int(now * times) for guess, times in GUESSES.items()}
    return counts | {min(counts, key=lambda guess: abs(counts[guess] - truth(step))): truth(step)}


def in_words(step: WalkStep, guess: str) -> str:
    exact = GUESSES[guess] * count_parameters(request(step).cfg) == answers(step)[guess]
    return IN_WORDS[guess] if exact else f"almost {IN_WORDS[guess]}"


def truth(step: WalkStep) -> int:
    """The right answer to a guess: the parameter count with twice the heads."""
    layer = request(step)
    return count_parameters(layer.cfg.with_heads(2 * layer.cfg.num_heads, paper=layer.paper))


def settled(step: WalkStep, guessed: str) -> str:
    """A sentence about the reader's guess; "" if there is no guess, or if the step does not answer the guess."""
    if not step.answers or guessed not in GUESSES:
        return ""
    question = asking(step.answers)
    said, true = answers(question)[guessed], truth(question)
    return f"You said {said:,}: right. " if said == true else f"You said {said:,}; it is {true:,}. "


def picture(step: WalkStep) -> Scene | Picture | None:
    """The scene or the chart of a step. None if the step shows something else."""
    if step.figure in ("attention", "both"):
        return draw_sentence(step)
    if step.figure == "farewell":
        drawn = (picture(one) for one in STEPS if one.answers == "guess_keras" or one.figure == "both")
        counts, looks = (one for one in drawn if isinstance(one, Scene))
        return own.side_by_side(counts, looks, [f"whom: {right(heads)} right" for heads in (1, 4)])
    if step.figure == "published":
        return own.cuts_of_model(entries()[PUBLISHED].model, HEADS_TRIED)
    if step.figure in FIGURES:
        return of_page(step)
    draw, layer = OWN[step.figure][1], request(step)
    return draw and draw(layer.trace(), layer.tokens)


def draw_sentence(step: WalkStep) -> Scene:
    """The scene of attention on the words and of the answers, in a step's layer. The step "both" also has the layer with one
    head, and the rates of right answers. If the first layer has one head, the asking word is the first word that asks, else the
    last verb."""
    compares, shown = step.figure == "both", request(step)
    layers = tuple(replace(layer, note="") for layer in layers_of(shown.cfg, shown.paper, DEFAULT))
    if not compares:
        layers = (replace(layers[-1], rates={}),)
    asks = DEFAULT.last_verb if layers[0].heads > 1 else asked_rows(DEFAULT)[0]
    return draw(layers, DEFAULT.words, asks, (), pale_rows(Reading(DEFAULT)), maps=not compares, clause=compares)


def of_page(step: WalkStep) -> Scene | Picture:
    """The part of a registered figure that a step shows. A chart is shown whole."""
    drawn = FIGURES[step.figure].draw(request(step))
    if drawn.is_chart:
        return replace(drawn, drawing=in_hall(drawn.chart))
    scene = drawn.scene

    def shown(rows: tuple[tuple[Panel, ...], ...]) -> tuple[tuple[Panel, ...], ...]:
        bare = lambda panel: replace(closed_up(panel), on=False, go=None) if step.only else named(panel)  # noqa: E731
        return tuple(tuple(bare(panel) for panel in row if panel.id.startswith(step.only)) for row in rows)

    if not step.only:
        return replace(scene, rows=shown(scene.rows), narrow=shown(scene.narrow), beside=None)
    rows = tuple(filter(None, shown(scene.rows)))
    grids = {name: scene.grids[name] for row in rows for panel in row for block in panel.blocks if (name := block.grid)}
    return replace(scene, rows=rows, grids=grids, captions=(), narrow=(), links=(), beside=None)


def named(panel: Panel) -> Panel:
    """A panel of the start page without its link. The heading of a row keeps only the name of the convention."""
    if (way := panel.id.removeprefix("heading ")) not in start_page.NAMES:
        return replace(panel, go=None)
    return replace(panel, texts=(replace(panel.texts[0], text=start_page.NAMES[way]),), height=Length(0, 20))


def in_hall(figure: dict) -> dict:
    """A chart for a lecture hall: as large as the window, with large type, and without error bars."""
    layout, font = figure["layout"], {"size": 17}
    axes = {name: {**layout[name], "tickfont": font} for name in ("xaxis", "yaxis")}
    axes["legend"] = layout["legend"] | {"font": font, "title": layout["legend"]["title"] | {"font": font}}
    axes["xaxis"]["title"] |= {"font": font}
    bars = [one | {"error_y": {}} for one in figure["data"]]
    hall = {"width": 960, "height": 400, "font": font, "margin": {"r": 24, "t": 40}, "meta": {"grow": 0.3, "hall": True}}
    return {"data": bars, "layout": layout | hall | axes}


def closed_up(panel: Panel) -> Panel:
    """A panel without the empty space above its lower texts. The space aligned them with the texts of taller panels."""
    bottom = longest([block.y + Length(block.h) for block in panel.blocks])
    below = [text.y for text in panel.texts if text.y.at(8) > bottom.at(8)]
    spare = Length(bottom.cells - min((y.cells for y in below), default=bottom.cells))
    texts = tuple(replace(text, y=text.y + spare) if text.y in below else text for text in panel.texts)
    return replace(panel, texts=texts, height=panel.height + spare)


def link(step: WalkStep) -> str:
    """The address of the page that shows the step's subject at the step's settings, relative to any page of the app."""
    asked = request(step)
    if step.figure in FIGURES:
        return "." + FIGURES[step.figure].link(asked)
    return "." + asked.link(OWN[step.figure][0], tuple(step.settings))
