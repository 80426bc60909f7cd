"""Drawing of a sentence. Curves in the colours of the heads go from the query's word to the words that the heads attend to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headcount import Trace
from headcount.names import as_share
from headcount.stage.scene import Curve, Length, Text
from headcount.stage.text import LAYOUT, width_of

#: THICKEST: pixels of a curve of weight 1. APART: least pixels between the centres of two rings with numbers. ABOVE: height of
#: the curves' ends over the baseline, in font sizes. STEP: most pixels between the starts of two curves at one word.
THICKEST, APART, ABOVE, STEP = 9.0, 2 * LAYOUT["curve"]["ring"] + 2, 1.0, 17.0
#: Attention weight above which a word takes the colour of the head that attends to it.
HUE_FROM = 0.5
#: Pixels of the lines below a word: their font size, from the word to the first line, and from line to line.
BELOW, FIRST, LEADING = 14, 26, 18
#: How high a curve rises: least pixels, the fraction of its width that is added, and most pixels.
Rise = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Glance:
    """An attention weight of one head, from the word at position `asking` to the word at position `at`. All count from 0."""

    head: int
    asking: int
    at: int
    weight: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn sentence, in pixels. `baseline` is the y of the words, `foot` the y below all text, `centres` the x of words."""

    texts: tuple[Text, ...]
    curves: tuple[Curve, ...]
    width: float
    baseline: float
    foot: float
    centres: tuple[float, ...]


def looks(trace: Trace, asking: int) -> tuple[Glance, ...]:
    """Lists the attention weights from the word `asking` (0-based) that are at least 1 / S, where S is the number of keys."""
    cfg, weights = trace.cfg, trace.weights.values[0]
    pairs = ((head, at) for head in range(cfg.num_heads) for at in range(cfg.key_len))
    found = (Glance(head, asking, at, float(weights[head, asking, at])) for head, at in pairs)
    return tuple(look for look in found if look.weight >= 1 / cfg.key_len)


def draw(
    words: Sequence[str], asking: int, looks: Sequence[Glance], *, pale: Sequence[Glance] = (),
    notes: Mapping[int, Sequence[Text]] | None = None, press: Mapping[int, str] | None = None, rings: bool = True, size: int = 17,
    gap: float = 14, rise: Rise = (24, 0.36, 86), top: float = 0, first: int = 0,
) -> Drawn:  # fmt: skip
    """Draws the words in a line, a frame around the query `asking`, and a curve for each of `looks`. The query has no curve to
    itself. The largest of these weights on a word is written below the word. Positions count from 0, and lengths are pixels.
    - `pale`: attention weights of other queries, whose curves are faint.
    - `notes`: lines to write below a word, by position. They replace the weight, and the word becomes bold.
    - `press`: what a click on a word chooses, by position.
    - `rings`: whether each curve has a ring with the number of the head.
    - `first`: the position of the first word."""
    notes, press = notes or {}, press or {}
    strongest = {look.at: look for look in sorted(looks, key=lambda look: look.weight)}
    bold = {asking, *strongest, *notes}
    wide = {place: width_of(word, size, bold=place in bold) for place, word in enumerate(words, first)}
    x, centres = 0, {}
    for place in wide:
        x += (framed := LAYOUT["curve"]["frame"][0] * (place == asking))
        centres[place] = x + wide[place] / 2
        x += wide[place] + framed + gap
    high = [_rise(abs(centres[look.at] - centres[look.asking]), rise) for look in (*looks, *pale)]
    base = top + max(high, default=0.0) + (LAYOUT["curve"]["ring"] if rings else THICKEST / 2)
    baseline = base + ABOVE * size + 2
    texts, lines = [], 0
    for place, word in enumerate(words, first):
        look = strongest.get(place)
        hue = look.head if look and look.weight > HUE_FROM and place != asking else None
        role = "strong" if place in bold else "muted"
        mark = "frame" if place == asking else "dots" if place in press else ""
        middle = Length(0, centres[place])
        texts.append(Text(word, middle, Length(0, baseline), size, role, hue=hue, mark=mark, press=press.get(place)))
        number = [Text(as_share(look.weight), Length(), Length(), BELOW, "muted")] if look and place != asking else []
        own = notes.get(place, number)
        for at, line in enumerate(own):
            y = Length(0, baseline + FIRST + LEADING * at)
            texts.append(Text(line.text, middle, y, line.size, line.role, hue=line.hue))
        lines = max(lines, len(own))
    curves = (*_curves(pale, centres, wide, base, rise, rings, faded=True), *_curves(looks, centres, wide, base, rise, rings))
    foot = baseline + (FIRST + LEADING * (lines - 1) + 5 if lines else 0.4 * size)
    return Drawn(tuple(texts), curves, x - gap, baseline, foot, tuple(centres.values()))


def _rise(span: float, rise: Rise) -> float:
    least, share, most = rise
    return min(least + share * span, most)


def _curves(
    looks: Sequence[Glance], centres: Mapping[int, float], wide: Mapping[int, float], base: float, rise: Rise, rings: bool,
    faded: bool = False,
) -> tuple[Curve, ...]:  # fmt: skip
    """Returns the curves of `looks`, large weights in front. On each side, the longest begins nearest to the query's middle."""
    curves: list[tuple[float, Curve]] = []
    taken: list[tuple[float, float]] = []
    for asking in dict.fromkeys(look.asking for look in looks):
        own = [look for look in looks if look.asking == asking != look.at]
        before = sorted((look for look in own if look.at < asking), key=lambda look: (-look.at, look.head))
        after = sorted((look for look in own if look.at > asking), key=lambda look: (-look.at, look.head))
        step = min(STEP, (wide[asking] + 2 * LAYOUT["curve"]["frame"][0]) / max(len(own), 1))
        start = centres[asking] - step * (len(own) - 1) / 2
        for place, look in enumerate((*before, *after)):
            x0, x1 = start + step * place, centres[look.at]
            high = _rise(abs(centres[look.at] - centres[asking]), rise)
            peak = base - high / 0.75  # a cubic curve with handles this high reaches three quarters
            points = tuple((Length(0, x), Length(0, y)) for x, y in ((x0, base), (x0, peak), (x1, peak), (x1, base)))
            at = _free(x0, x1, base, high, taken)
            label = str(look.head + 1) if rings else ""
            curves.append((look.weight, Curve(points, THICKEST * look.weight, look.head, label, at, faded=faded)))
    return tuple(curve for _, curve in sorted(curves, key=lambda one: one[0]))


def _free(x0: float, x1: float, base: float, high: float, taken: list[tuple[float, float]]) -> float:
    """Returns a free position for a ring near the middle of a curve (0 to 1), or the middle itself. Adds the ring to `taken`."""
    spots = [0.5, *(0.5 + sign * off / 20 for off in range(1, 8) for sign in (1, -1))]
    for t in spots:
        x = x0 + (x1 - x0) * (3 * t**2 - 2 * t**3)
        y = base - 4 * t * (1 - t) * high
        if all((x - a) ** 2 + (y - b) ** 2 >= APART**2 for a, b in taken):
            break
    else:
        t, x, y = 0.5, (x0 + x1) / 2, base - high
    taken.append((x, y))
    return t
