"""Scene of one sentence, as trained layers read it: curves, answers and attention maps."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from headcount import Config, Trace
from headcount.names import as_share, counted, decimals, heads_in_words, listed
from headcount.reading import Reading, facts
from headcount.stage.pictures import curves
from headcount.stage.pictures.curves import Glance
from headcount.stage.pieces import map_of
from headcount.stage.scene import Block, Curve, Grid, Length, Panel, Scene, Text
from headcount.stage.text import width_of
from headcount.trained.sentence import BLENDS, CLAUSE, DEFAULT, MEANS, QUESTIONS, Sentence, SentenceAnswer, asked_rows, head_names
from headcount.trained.task import TEST_COUNT

#: What a click on the maps chooses. A click on a word chooses its position, from 1.
OPEN = "all_weights"
#: Pixels. WIDE, NARROW: width of the sentence, beside its answers and on a phone. ANSWERS, LINE: width of the answers, and height
#: of a line. SAID, RIGHT, BAR: left ends of an answer, of the correct answer and of a bar. LONG, THICK: sides of a bar. ABOVE:
#: room above the curves.
WIDE, NARROW, ANSWERS, LINE, SAID, RIGHT, BAR, LONG, THICK, ABOVE = 584, 336, 312, 30, 58, 122, 190, 74, 10, 34
#: Height of the curves (curves.Rise).
RISE = (24, 0.3, 66)
#: Font sizes in pixels: those that a sentence may have, of the title, of answers, and of small labels.
SIZES, TITLE, SIZE, SMALL = (17, 16, 15, 14), 17, 15, 14
#: Most and least pixels between two words, and the least accuracy without a warning.
GAPS, FAIR = (14, 5), 0.75
#: CROWDED: most heads for which a word may get several curves. FEW: most query words whose curves are all drawn. ACROSS: maps in
#: a line, on a wide page and on a phone. CELL: pixels of a cell. HINT: pixels of the text beside the maps.
CROWDED, FEW, ACROSS, CELL, HINT = 4, 3, (9, 4), 8, 150


@dataclass(frozen=True, slots=True)
class ReadLayer:
    """A trained layer that has read a sentence.
    - `names`: the name of each head, which is a question or BLENDS.
    - `rates`: the accuracy of each question, or {} if the layer has a mask.
    - `on_answer`: each head's mean attention weight on the answer, with axes (question, head).
    - `note`: a remark beside the title."""

    trace: Trace
    answers: tuple[SentenceAnswer, ...]
    names: tuple[str, ...]
    rates: Mapping[str, float]
    on_answer: np.ndarray
    note: str = ""

    @property
    def cfg(self) -> Config:
        return self.trace.cfg

    @property
    def heads(self) -> int:
        return self.cfg.num_heads

    @property
    def title(self) -> str:
        return "One head" if self.heads == 1 else heads_in_words(self.heads)

    def at(self, row: int) -> list[SentenceAnswer]:
        """Lists the answers that the layer gives at the word `row` (0-based)."""
        return [one for one in self.answers if one.row == row]

    def looks(self, row: int) -> list[Glance]:
        """Lists the attention weights from the word `row` (0-based) that are at least 1 / S, where S is the number of keys. If
        the layer has more than CROWDED heads, the list has only the largest weight on each word."""
        found = sorted(curves.looks(self.trace, row), key=lambda look: look.weight)
        return found if self.heads <= CROWDED else [*{look.at: look for look in found}.values()]


def layers_of(cfg: Config, paper: bool, sentence: Sentence) -> tuple[ReadLayer, ...]:
    """Runs two trained layers on a sentence: a layer with one head (if it was trained), and the layer with the sizes of `cfg`. If
    `paper`, the one head is d_model wide. Returns () if `cfg` was not trained. Raises `Broken` if a file is unusable."""
    reading, found = Reading(sentence), []
    for one in dict.fromkeys((cfg.with_heads(1, paper=paper), cfg)):
        if (layer := reading.layer(one)) is not None:
            trace, of = layer.trace(), facts(one)
            on_answer = np.array(of["on_answer"])
            rates: dict[str, float] = {} if one.masked else dict(zip(QUESTIONS, of["accuracy"], strict=True))
            called = (BLENDS,) * one.num_heads if one.masked else head_names(on_answer)
            answers = reading.answers(one, trace.output.values)
            found.append(ReadLayer(trace, answers, called, rates, on_answer, _note(one)))
    return tuple(found) if found and found[-1].cfg == cfg else ()


def _note(cfg: Config) -> str:
    if cfg.num_heads == 1:
        return "the word gets one mix of what it looks at"
    return f"each head brings the word {counted(cfg.value_dim, 'number')} of its own"


def telling(sentence: Sentence, layers: Sequence[ReadLayer]) -> int:
    """Returns the first word (0-based) at which the first layer answers a question wrongly and the last layer answers it
    correctly. If there is no such word, or if the second clause is not the default, returns the last word with a question."""
    pairs = zip(layers[0].answers, layers[-1].answers, strict=True)
    told = [there.row for here, there in pairs if there.is_right and not here.is_right]
    return told[0] if told and sentence.fields[1] == DEFAULT.fields[1] else asked_rows(sentence)[-1]


def draw(
    layers: Sequence[ReadLayer], words: Sequence[str], asking: int, asked: Collection[int], pale: tuple[int, ...] = (),
    maps: bool = True, clause: bool = False,
) -> Scene:  # fmt: skip
    """Draws the curves and answers of each layer and, if `maps`, all attention maps. Positions count from 0. `asking` is the
    query word. The words in `asked` can be clicked, and so can the maps if `asked` is not empty. `pale` are rows of the maps
    whose words answer no question. If `clause`, a phone shows the clause without the query word only if a head attends to it."""
    line, rows, narrow = _Line(tuple(words), asking, tuple(asked), clause), [], []
    hint = "; press a dotted word for its answers" * bool(asked)
    for number, layer in enumerate((*layers[:-1], replace(layers[-1], note=layers[-1].note + hint))):
        said = _answers(f"answers-{number}", layer, asking)
        rows.append((line.whole(f"sentence-{number}", layer), said))
        narrow += [
            (line.in_parts(f"sentence-{number}", layer),),
            (replace(said, height=said.height + Length(0, 4 if clause else 16)),),
        ]
    alt = " ".join(_alt(layer, words, asking) for layer in layers)
    if not maps:
        return Scene(tuple(rows), {}, alt, narrow=tuple(narrow))
    grids = {
        f"map-{number}-{head}": Grid(weights, "share")
        for number, layer in enumerate(layers) for head, weights in enumerate(layer.trace.weights.values[0])
    }  # fmt: skip
    wide, phone = (_strip(layers, words, bool(asked), asking, pale, across) for across in ACROSS)
    return Scene(
        (*rows, (wide,)), grids, alt, {"share": 1.0}, max_cell=CELL, min_cell=2, narrow=(*narrow, (phone,)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Line:
    """The words of a sentence, to be drawn in one line or two. Its fields are the arguments of `draw` with the same names."""

    words: tuple[str, ...]
    asking: int
    asked: tuple[int, ...]
    clause: bool

    @property
    def press(self) -> dict[int, str]:
        return {row: str(row + 1) for row in self.asked}

    def unseen(self, layer: ReadLayer) -> dict[int, list[Text]]:
        """Returns labels for right answers without a curve, by position: the largest attention weight on the answer."""
        weights, drawn = layer.trace.weights.values[0, :, self.asking], {look.at for look in layer.looks(self.asking)}
        places = {one.right_at for one in layer.at(self.asking)} - drawn - {self.asking}
        return {at: [Text(as_share(weights[:, at].max()), Length(), Length(), SMALL, "muted")] for at in places}

    def meant(self, layer: ReadLayer) -> dict[int, tuple[str, str]]:
        """Returns, by position, a label (and its role) with what each pronoun but the query means; {} if `asked` is empty."""
        said = [one for one in layer.answers if one.question == MEANS and one.row != self.asking and self.asked]
        return {one.row: (f"{one.question} {one.given}", "muted" if one.is_right else "warn") for one in said}

    def below(self, layer: ReadLayer, drawn: curves.Drawn, first: int = 0) -> list[Text]:
        """Places the labels of `meant` below the words, lower if a weight is near. `first`: the first drawn word's position."""
        noted, texts = {look.at for look in layer.looks(self.asking)} | {*self.unseen(layer)}, []
        for place, (said, role) in self.meant(layer).items():
            if first <= place < first + len(drawn.centres):
                y = drawn.baseline + curves.FIRST + curves.LEADING * bool({place - 1, place, place + 1} & noted)
                texts.append(Text(said, Length(0, drawn.centres[place - first]), Length(0, y), SMALL, role))
        return texts

    def heading(self, layer: ReadLayer) -> tuple[Text, ...]:
        title = Text(layer.title, Length(), Length(0, 16), TITLE, "strong", "start")
        if not layer.note:
            return (title,)
        beside = Length(0, width_of(layer.title, TITLE, bold=True) + 12)
        note = layer.note + f"; a weight below 1/{len(self.words)} has no curve" * bool(self.unseen(layer))
        return title, Text(note, beside, Length(0, 16), SMALL, "muted", "start")

    def whole(self, id: str, layer: ReadLayer) -> Panel:
        size, gap = _fitting(self.words, WIDE)
        looks, others = layer.looks(self.asking), []
        if len(self.asked) <= FEW and layer.heads <= CROWDED:
            others = [row for row in self.asked if row != self.asking and len(layer.at(row)) > 1]
        pale = [look for row in others for look in layer.looks(row) if look.at != row]
        drawn = curves.draw(
            self.words, self.asking, looks, pale=pale, notes=self.unseen(layer), press=self.press, rings=layer.heads > 1,
            size=size, gap=gap, rise=RISE, top=ABOVE,
        )  # fmt: skip
        texts = (*self.heading(layer), *drawn.texts, *self.below(layer, drawn))
        foot = max(drawn.foot, *(text.y.px + 5 for text in texts))
        return Panel(id, Length(0, WIDE), Length(0, foot + 8), (), texts, curves=drawn.curves)

    def in_parts(self, id: str, layer: ReadLayer) -> Panel:
        """Draws the words for a phone, in two lines if one line would be too long. The line with the query word has curves. In
        the other line, a word with a large attention weight has the colour of the head, and the weight below."""
        cut = len(self.words) if sum(width_of(word, SIZES[-1]) + GAPS[1] for word in self.words) < NARROW else CLAUSE + 1
        parts = {0: self.words[:cut]} | ({cut: self.words[cut:]} if cut < len(self.words) else {})
        here = cut if self.asking >= cut else 0
        size, gap = min(_fitting(part, NARROW) for part in parts.values())
        looks = layer.looks(self.asking)
        own = [look for look in looks if (look.at >= cut) == (here > 0)]
        apart = [look for look in looks if look not in own]
        texts, y, found = [*self.heading(replace(layer, note=""))], float(ABOVE), ()
        for first, part in parts.items():
            if first == here:
                notes = {at: note for at, note in self.unseen(layer).items() if (at >= cut) == (here > 0)}
                drawn = curves.draw(
                    part, self.asking, own, notes=notes, press=self.press, rings=layer.heads > 1, size=size, gap=gap,
                    rise=(24, 0.36, 34 if self.clause else 60), top=y, first=first,
                )  # fmt: skip
                texts, found = [*texts, *drawn.texts, *self.below(layer, drawn, first)], drawn.curves
                y = max(drawn.foot, *(text.y.px + 5 for text in texts)) + 10
            elif apart or not self.clause:
                texts += self._plain(layer, first, part, apart, size, gap, y + 16)
                y += 16 + (26 if apart or {*range(first, first + len(part))} & {*self.meant(layer)} else 14)
        return Panel(id, Length(0, NARROW), Length(0, y + 8), (), tuple(texts), curves=found)

    def _plain(
        self, layer: ReadLayer, first: int, words: Sequence[str], looks: Sequence[Glance], size: int, gap: float, y: float
    ) -> list[Text]:  # fmt: skip
        """Draws a line of words without curves. `first` is the position of the first word."""
        texts, x, strongest = [], 0.0, {look.at: look for look in sorted(looks, key=lambda look: look.weight)}
        for place, word in enumerate(words, first):
            look, press = strongest.get(place), self.press.get(place)
            wide = width_of(word, size, bold=look is not None)
            middle, role, hue = Length(0, x + wide / 2), "strong" if look else "muted", look.head if look else None
            texts.append(Text(word, middle, Length(0, y), size, role, hue=hue, mark="dots" if press else "", press=press))
            if look is not None:
                said = as_share(look.weight) if layer.heads == 1 else f"{look.head + 1}: {as_share(look.weight, 2)}"
                texts.append(Text(said, middle, Length(0, y + 20), SMALL, "muted"))
            elif place in self.meant(layer):
                said, role = self.meant(layer)[place]
                texts.append(Text(said, middle, Length(0, y + 20), SMALL, role))
            x += wide + gap
        return texts


def _fitting(words: Sequence[str], width: float) -> tuple[int, float]:
    """Returns the largest font size and gap, in pixels, with which the words fit in one line, or the smallest if none fits."""
    for size in SIZES:
        left = width - sum(width_of(word, size, bold=True) for word in words) - 20
        if (gap := left / max(len(words) - 1, 1)) >= GAPS[1]:
            return size, min(gap, GAPS[0] if len(words) > CLAUSE + 2 else 3 * GAPS[0])
    return SIZES[-1], GAPS[1]


def _answers(id: str, layer: ReadLayer, asking: int) -> Panel:
    answers = layer.at(asking)
    texts, bars = [Text(f"“{answers[0].word}” says", Length(), Length(0, 16), SMALL, "muted", "start")], []
    if layer.rates:
        texts.append(Text(f"right, in {TEST_COUNT:,} sentences", Length(0, ANSWERS), Length(0, 16), SMALL, "muted", "end"))
    for place, one in enumerate(answers):
        y = Length(0, 18 + LINE * (place + 1))
        hue = layer.names.index(one.question) if one.question in layer.names and layer.heads > 1 else None
        mark, role = ("✓", "strong") if one.is_right else ("✗", "warn")
        texts.append(Text(one.question, Length(), y, SIZE, "ink" if hue is None else "strong", "start", hue))
        texts.append(Text(f"{mark} {one.given}", Length(0, SAID), y, SIZE, role, "start"))
        if not one.is_right:
            texts.append(Text(f"it is {one.right}", Length(0, RIGHT), y, SMALL, "muted", "start"))
        if one.question in layer.rates:
            rate, middle = layer.rates[one.question], Length(0, y.px - 5)
            ends = tuple((Length(0, BAR + THICK / 2 + part * (LONG - THICK)), middle) for part in (0.0, rate))
            bars.append(Curve(ends, THICK, 0 if layer.heads == 1 else hue, faded=layer.heads > 1 and hue is None))
            said = f"{decimals(100 * rate, 0)}%"
            texts.append(Text(said, Length(0, ANSWERS), y, SIZE, "ink" if rate >= FAIR else "warn", "end"))
        elif layer.rates:
            texts.append(Text("counted with who", Length(0, ANSWERS), y, SMALL, "muted", "end"))
    wide = ANSWERS if layer.rates else RIGHT + 50
    return Panel(id, Length(0, wide), Length(0, 26 + LINE * len(answers)), (), tuple(texts), curves=tuple(bars))


def _strip(layers: Sequence[ReadLayer], words: Sequence[str], opens: bool, row: int, pale: tuple[int, ...], across: int) -> Panel:
    """Draws all attention maps, at most `across` in a line, and frames the row `row`. If `opens`, a click opens the maps."""
    left, top = ((HINT, 0) if across == ACROSS[0] else (0, 44)) if opens else (62, 0)
    side, blocks, number, foot = len(words), [], 0, 0 if opens else 16
    high = Length(side, 40)
    texts = [
        Text("All attention weights", Length(), Length(0, 16), SMALL, "strong", "start"),
        Text("Press to open the maps.", Length(), Length(0, 36), SMALL, "muted", "start"),
    ] if opens else []  # fmt: skip
    for nth, layer in enumerate(layers):
        for head, name in enumerate(layer.names):
            line, place = divmod(number, across)
            x, y = Length(place * side, left + place * 14), Length(line * side, top + line * 40 + 22)
            alone, id = layer.heads == 1, f"map-{nth}-{head}"
            title = "one head" if alone else f"{head + 1}" if name == BLENDS or layer.heads > 8 else f"{head + 1} {name}"
            name, own = ("one head’s weights", None) if alone and len(layers) > 1 else ("weights", head)
            beside = () if opens or place else tuple(words)
            hit = int(layer.trace.weights.values[0, head, row].argmax())
            named = {} if opens else {"col_labels": tuple(words), "hit": hit}
            blocks.append(map_of(id, x, y, side, side, own, pale=pale, row_labels=beside, name=name, **named))
            rules = ((f"row-{id}", 0), (f"foot-{id}", 1))  # above and below the row; the map's outline closes them
            blocks += [Block(rule, None, x, y + Length(row + down), 1, side, height=0, edges="o---") for rule, down in rules]
            texts.append(Text(title, x, y + Length(0, -12), SMALL, "strong", "start", None if alone else head))
            number += 1
    lines, line = -(-number // across), min(number, across)
    size = Length(line * side, left + (line - 1) * 14 + foot), Length(lines * high.cells, top + (lines - 1) * high.px + 32 + foot)
    return Panel("maps", *size, tuple(blocks), tuple(texts), go=OPEN if opens else None)


def _alt(layer: ReadLayer, words: Sequence[str], asking: int) -> str:
    at: dict[int, list[str]] = {}
    for look in sorted(layer.looks(asking), key=lambda look: (look.head, -look.weight)):
        at.setdefault(look.head, []).append(f"“{words[look.at]}” ({as_share(look.weight)})")
    looks = " ".join(f"Head {head + 1} looks at {listed(some)}." for head, some in at.items()) or "All weights are almost equal."
    known = {
        "Right answers": [f"{one.question} ({one.given})" for one in layer.at(asking) if one.is_right],
        "Wrong answers": [f"{one.question} ({one.given} instead of {one.right})" for one in layer.at(asking) if not one.is_right],
        f"Right answers in {TEST_COUNT:,} sentences": [f"{name} {rate:.0%}" for name, rate in layer.rates.items()],
    }
    said = " ".join(f"{what}: {listed(some)}." for what, some in known.items() if some)
    heads = "one head" if layer.heads == 1 else layer.title
    return f"The picture shows where “{words[asking]}” looks in {heads}. {looks} {said}"
