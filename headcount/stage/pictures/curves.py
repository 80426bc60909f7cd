"""A sentence with curves from the word that asks to the words that it attends to. A curve's colour and number show the head, its
thickness the attention weight."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from headcount import Trace
from headcount.names import as_share
from headcount.stage.scene import Curve, Length, Text
from headcount.stage.text import LAYOUT, width_of

#: THICKEST: pixels of a curve of weight 1; APART: least pixels between the centres of two rings; ABOVE: height of the curves'
#: ends over the baseline, relative to the letters; STEP: most pixels between the starts of two curves at one word.
THICKEST, APART, ABOVE, STEP = 9.0, 2 * LAYOUT["curve"]["ring"] + 2, 1.0, 17.0
#: A word has the colour of a head whose attention weight on it is larger than this.
HUE_FROM = 0.5
#: Pixels of the letters below a word, from the word's baseline to the first line's, and from line to line.
BELOW, FIRST, LEADING = 14, 26, 18
#: The height of a curve: least pixels, the fraction of its span that is added, and most pixels.
Rise = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Glance:
    """The attention weight of one head (0-based) from the word at place `asking` to the word at place `at`, both from 0."""

    head: int
    asking: int
    at: int
    weight: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """The drawn sentence as a part of a panel: its words, its curves, and lengths in pixels. `baseline` is where the words are,
    `foot` is below the last line under them, and `centres` has the centre of each word."""

    texts: tuple[Text, ...]
    curves: tuple[Curve, ...]
    width: float
    baseline: float
    foot: float
    centres: tuple[float, ...]


def looks(trace: Trace, asking: int, heads: Collection[int] | None = None) -> tuple[Glance, ...]:
    """Lists all weights from a word (its place from 0) of some heads, or of all, that are at least the even weight 1 / S."""
    cfg, weights = trace.cfg, trace.weights.values[0]
    pairs = ((head, at) for head in (range(cfg.num_heads) if heads is None else heads) for at in range(cfg.key_len))
    found = (Glance(head, asking, at, float(weights[head, asking, at])) for head, at in pairs)
    return tuple(look for look in found if look.weight >= 1 / cfg.key_len)


def draw(
    words: Sequence[str], asking: int, looks: Sequence[Glance], *, pale: Sequence[Glance] = (),
    notes: Mapping[int, Sequence[Text]] | None = None, press: Mapping[int, str] | None = None, rings: bool = True, size: int = 17,
    gap: float = 14, rise: Rise = (24, 0.36, 86), left: float = 0, top: float = 0, first: int = 0,
) -> Drawn:  # fmt: skip
    """Draws the words in one line, with a frame around the word `asking` and a curve for each of `looks`. The word's look at
    itself is not drawn. The largest weight of a word is below it. Places count from 0, and `first` is that of the first word.
    `pale` are looks from other words, drawn fainter. `notes` replace the weight below a word, which is then bold. `press` says,
    by place, what a click on a word chooses; these words have dots. `rings` writes the number of the head on each curve. `gap` is
    in pixels between words. `left` and `top` are the upper left corner of the drawing."""
    notes, press = notes or {}, press or {}
    strongest = {look.at: look for look in sorted(looks, key=lambda look: look.weight)}
    bold = {asking, *strongest, *notes}
    wide = {place: width_of(word, size, bold=place in bold) for place, word in enumerate(words, first)}
    x, centres = left, {}
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
    return Drawn(tuple(texts), curves, x - gap - left, baseline, foot, tuple(centres.values()))


def _rise(span: float, rise: Rise) -> float:
    least, share, most = rise
    return min(least + share * span, most)


def _curves(
    looks: Sequence[Glance], centres: Mapping[int, float], wide: Mapping[int, float], base: float, rise: Rise, rings: bool,
    faded: bool = False,
) -> tuple[Curve, ...]:  # fmt: skip
    """Draws curves that do not cross: on each side, the curve to the farthest word begins nearest to the middle. The largest
    weight is drawn last."""
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
    """Returns the place of a curve's ring along the curve, from 0 to 1: the middle, or the nearest place without another ring."""
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
