"""Left half of the start page's picture: a sentence read by a trained layer, and the layer's weight matrices."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from headcount import Config, Trace, count_parameters
from headcount.names import as_share, begun, heads_in_words
from headcount.reading import Reading, facts
from headcount.stage.numbers import Table
from headcount.stage.pictures import curves, piles
from headcount.stage.pictures.curves import HUE_FROM, Glance
from headcount.stage.scene import Curve, Length, Panel, Text
from headcount.stage.text import width_of
from headcount.trained.sentence import CLAUSE, LENGTH, QUESTIONS, Sentence
from headcount.trained.task import TEST_COUNT

#: LARGE: height of the weight matrices in cells. LEFT: pixels left of them. KEYS: pixels from them to their legend. ROOM: pixels
#: for the sentence. USUAL: the trained layer that is drawn if none was trained at the visitor's sizes.
LARGE, LEFT, KEYS, ROOM = 32, 8, 44, 350
USUAL = Config(query_len=LENGTH)
#: A question with a smaller fraction of right answers is written in grey, with a question mark.
RIGHT_FROM = 0.75
WORDS: dict[int, str] = {
    1: "one", 2: "two", 3: "three", 4: "four", 6: "six", 8: "eight", 12: "twelve", 16: "sixteen",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reader:
    """A trained layer that has read a sentence. `why_not` says why the layer is not that of the sliders, or is "". `looks` has
    the largest attention weight on the answer to each question. `right` has the accuracy for each question."""

    cfg: Config
    why_not: str
    sentence: Sentence
    trace: Trace
    looks: tuple[Glance, ...]
    right: tuple[float, ...]

    @property
    def drawn(self) -> tuple[Glance, ...]:
        """The attention weights that get a curve: at least 1 / LENGTH, which is every word's weight if all weights are equal."""
        return tuple(look for look in self.looks if look.weight >= 1 / LENGTH)

    @property
    def owners(self) -> frozenset[int]:
        """The heads (0-based) that put more than half of their attention weight on an answer."""
        return frozenset(look.head for look in self.looks if look.weight > HUE_FROM)


@lru_cache(maxsize=32)
def reader(cfg: Config, sentence: Sentence) -> Reader:
    """Runs a trained layer on a sentence: that of `cfg`, or USUAL if none was trained. Raises `store.Broken` for a bad file."""
    plain = Reading(sentence)
    reason = plain.why_not(cfg) or "no layer was trained with a mask" * cfg.masked
    own = USUAL if reason else cfg
    layer = plain.layer(own)
    trace = layer.trace("numpy") if layer is not None else None
    assert trace is not None, own
    row, answer_at = sentence.last_verb, sentence.examples.answer_at[0]
    looks = []
    for question in range(len(QUESTIONS)):
        at = int(answer_at[row, question])
        weights = trace.weights.values[0, :, row, at]
        looks.append(Glance(int(weights.argmax()), row, at, float(weights.max())))
    return Reader(own, reason, sentence, trace, tuple(looks), tuple(facts(own)["accuracy"]))


def answers_right(right: Sequence[float]) -> str:
    """Returns a line with the accuracies of the questions, such as "Right answers: whom 34%, the others 100%"."""
    most = "100%" if all(share >= 1 for share in right if share >= 0.99) else "at least 99%"
    low = [f"{question} {share:.0%}" for question, share in zip(QUESTIONS, right, strict=True) if share < 0.99]
    if not low:
        return f"Right answers to all four questions: {most}"
    high = [question for question, share in zip(QUESTIONS, right, strict=True) if share >= 0.99]
    rest = [f"the others {most}"] if len(high) > 1 else [f"{question} {most}" for question in high]
    line = f"Right answers: {', '.join([*low, *rest])}"
    return line if width_of(line, 14) <= ROOM - LEFT else line.replace("Right answers", "Right")


def title(one: Reader) -> str:
    heads = f"{WORDS.get(one.cfg.num_heads, one.cfg.num_heads)} head{'s' * (one.cfg.num_heads > 1)}"
    return f"A trained layer reads with {heads}" if not one.why_not else f"A trained layer, {one.cfg.d_model} wide, with {heads}"


def draw_sentence(one: Reader, size: int, gap: float, top: float = 0) -> tuple[curves.Drawn, Text]:
    """Draws the last clause of the sentence, with curves from the verb. Also returns the words before the clause as a label."""
    words, row = one.sentence.words, one.sentence.last_verb
    notes: dict[int, tuple[Text, ...]] = {row: (note("looks for", "muted"), note("attention weight", "muted"))}
    for question, look, right in zip(QUESTIONS, one.looks, one.right, strict=True):
        knows = right >= RIGHT_FROM
        hue = look.head if look.weight > HUE_FROM and knows else None
        asked = note(question if knows else f"{question}?", "strong" if knows else "muted", hue)
        notes[look.at] = (asked, note(as_share(look.weight), "muted"))
    first = CLAUSE + 1
    room = ROOM * size / 22
    while size > 12 and sum(width_of(word, size, bold=True) for word in words[first:]) + gap * (LENGTH - first - 1) + 16 > room:
        size -= 1
    before = Text(" ".join(words[:first]), Length(0, 0), Length(0, top + 14), max(size - 3, 14), "muted", "start")
    how = {"size": size, "gap": gap, "rise": (36, 0.16, 62), "top": top + 22, "first": first}
    return curves.draw(words[first:], row, one.drawn, notes=notes, **how), before


def note(text: str, role: str, hue: int | None = None) -> Text:
    """Makes a line of text below a word. `curves.draw` sets the position of the line."""
    return Text(text, Length(), Length(), curves.BELOW, role, hue=hue)


def panel(one: Reader, grid: str | None) -> Panel:
    """Draws the left half of the picture. `grid` is the key of W_Q's values, or None."""
    cfg, scale = one.cfg, piles.Scale(one.cfg.d_model / LARGE, LARGE)
    drawn, before = draw_sentence(one, 22, 17, top=28)
    back = piles.behind(cfg)
    top = Length(0, drawn.foot + 34 + back)
    pale = tuple({*range(cfg.num_heads)} - {look.head for look in one.drawn}) if cfg.num_heads > 4 else ()
    blocks = piles.sheets(cfg, "large", scale, grid, LEFT, top, pale)
    front = scale.wide(cfg.num_heads * cfg.key_dim)
    if front < LARGE:
        ghost = piles.matrix("large width", None, Length(front, LEFT), top, 1, 1, width=LARGE - front, height=LARGE, edges="----",
                             faded=True)  # fmt: skip
        blocks = [ghost, *blocks]
    lines = [*drawn.curves, *piles.breaks(cfg, scale, LEFT, top)]
    centres = dict(enumerate(drawn.centres, CLAUSE + 1))
    for look in () if one.why_not else one.looks:
        if look.weight > HUE_FROM:
            x0, x1 = Length(0, centres[look.at]), Length(piles.head_at(cfg, scale, look.head), LEFT + back)
            high, low, middle = drawn.foot + 2, drawn.foot + 32, drawn.foot + 17
            spots = ((x0, high), (x0, middle), (x1, middle), (x1, low))
            lines.append(Curve(tuple((x, Length(0, y)) for x, y in spots), 2, look.head))
    texts = [Text(title(one), Length(), Length(0, 16), 17, "strong", "start"), before, *drawn.texts]
    number = width_of(count := f"{count_parameters(cfg):,}", 46, bold=True)
    for place, (name, *said) in enumerate(keys(cfg, bool(pale))):
        y, x = (0, 12.4, 23.6)[place], Length(LARGE, LEFT + KEYS)
        spot = Length(front, LEFT + (back - 4)) if place == 0 else Length(front * (0.97, 0.91)[place - 1], LEFT)
        at = top + (Length(0, -back / 2 + 2) if place == 0 else Length(y))
        lines.append(Curve(((spot, at), (x + Length(0, -7), at)), 1, dot=True))
        texts.append(Text(name, x, at + Length(0, 5), 14, "strong", "start"))
        texts += [Text(line, x, at + Length(0, 23 + 18 * row), 14, "muted", "start") for row, line in enumerate(said)]
    foot = top + Length(LARGE)
    texts += [
        Text(count, Length(0, LEFT), foot + Length(0, 41), 46, "strong", "start"),
        Text("parameters", Length(0, LEFT + number + 10), foot + Length(0, 41), 17, "strong", "start"),
        Text(" ".join(piles.sum_of(cfg, named=True)), Length(0, LEFT), foot + Length(0, 63), 14, "muted", "start"),
        Text(answers_right(one.right), Length(0, LEFT), foot + Length(0, 85), 14, "ink", "start"),
        Text(quiet(one), Length(0, LEFT), foot + Length(0, 105), 14, "muted", "start"),
    ]
    width, high = Length(LARGE, LEFT + KEYS + 100), foot + Length(0, 110)
    return Panel("reader", width, high, tuple(blocks), tuple(texts), tuple(lines), least_px=max(drawn.width, ROOM))


def quiet(one: Reader) -> str:
    """Returns the remark below the picture: why the layer is not that of the sliders, or that other sizes have other layers."""
    if one.why_not:
        return f"{begun(one.why_not)}."
    return "Other sizes have other trained layers." + f" No curve below 1/{LENGTH}." * (len(one.drawn) < len(one.looks))


def keys(cfg: Config, pale: bool) -> tuple[tuple[str, ...], ...]:
    """Returns the legend of the weight matrices. It explains sheets, squares and colours, each by a name and lines of text."""
    side, count = piles.square(cfg), len(piles.names(cfg))
    sheets = (f"{count} matrices", "query, key,", "value, output" if count == 4 else "value, gate, output")
    if side == 1:
        square = ("1 square", "one weight,", "a number to learn")
    elif side:
        square = ("1 square", f"{side} × {side} weights,", "numbers to learn")
    else:
        square = ("The area", "all weights,", "numbers to learn")
    if pale:
        return sheets, square, ("1 strip", "one head, pale", "if without a curve")
    if cfg.num_heads == 1:
        return sheets, square, ("1 colour", "the only head, in", "every matrix")
    return sheets, square, ("1 strip", "one head, in", "every matrix")


def narrow(one: Reader) -> Panel:
    drawn, before = draw_sentence(one, 18, 12)
    return Panel("reader", Length(0, drawn.width), Length(0, drawn.foot + 4), (), (before, *drawn.texts), drawn.curves)


def said(one: Reader) -> str:
    """Returns the alternative text of the left half of the picture."""
    words = one.sentence.words
    found = "; ".join(
        f"{question}: “{words[look.at]}” gets {as_share(look.weight)} from head {look.head + 1}"
        for question, look in zip(QUESTIONS, one.looks, strict=True)
    )
    why = f"{quiet(one)} So the picture shows another layer, {one.cfg.d_model} wide and without a mask. " if one.why_not else ""
    return (
        f"{why}A trained layer with {heads_in_words(one.cfg.num_heads)} reads “{one.sentence.text}”. From "
        f"“{words[one.sentence.last_verb]}”, these are the largest attention weights on the answers. "
        f"{begun(found)}. {answers_right(one.right)}. This trained layer has {count_parameters(one.cfg):,} "
        "parameters."
    )


def table(one: Reader) -> Table:
    """Returns a table with a row for each question: the head that attends most to the answer, the weight, and the accuracy."""
    words, asks = one.sentence.words, one.sentence.words[one.sentence.last_verb]
    rows = tuple(
        (question, words[look.at], look.head + 1, look.weight, right)
        for question, look, right in zip(QUESTIONS, one.looks, one.right, strict=True)
    )
    heads = ("question", "answer", "head", "attention weight", f"right answers in {TEST_COUNT:,} sentences")
    return Table(f"From “{asks}”: the head that looks most at each answer", heads, rows)
