"""Picture and sentences of the start page: what more heads do to weight matrices and parameter count, in both conventions."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from headcount import Config, Trace, count_parameters
from headcount.config import divisors
from headcount.cost import too_large
from headcount.names import BY_CODE, counted, heads_in_words, listed, noun
from headcount.stage.pictures import piles, reader
from headcount.stage.pictures.curves import HUE_FROM
from headcount.stage.pictures.piles import Scale, sum_of
from headcount.stage.pictures.reader import Reader
from headcount.stage.pieces import matrix
from headcount.stage.scene import Grid, Length, Link, Panel, Scene, Text, for_numbers_alone, tops_of
from headcount.stage.text import compact, width_of, wrap
from headcount.trained.sentence import QUESTIONS

#: The page's heading.
HEADING = "Twice the heads. Twice the parameters?"
#: The two conventions as the setting `split` spells them, and their names on screen.
PAPER, KERAS = "paper", "free"
NAMES = {PAPER: "Paper, PyTorch", KERAS: "Keras"}
#: Label of the grey area beside a narrow pile of weight matrices. The area shows the paper's width.
GHOST = ("the", "paper’s", "width")
#: The head counts that are compared for a layer of up to four heads, and of more.
SIDE_BY_SIDE, ABOVE_FOUR = (1, 2, 4, 8), (2, 4, 8, 16)
#: Cells: height of a pile of weight matrices, and greatest width of a row of piles.
HIGH, ROW = 16, 80
#: Pixels: largest cell; smallest cell if the table has the trained layer beside it; margin above and below a card's text.
LARGEST_CELL, LEAST_CELL, MARGIN = 12, 4, 10
#: Least pixels of the digits of a card's parameter count.
LEAST_COUNT = 16
#: Pixels: greatest width of a row's heading, on a wide and a narrow page; width of a card's text.
WIDE_ROW, NARROW_ROW, CARD = 540, 276, 104


@dataclass(frozen=True, slots=True)
class LayerCard:
    """A layer in the table, in the convention `way`. `cfg` is None if there is no such layer. `on` marks the visitor's layer."""

    way: str
    heads: int
    cfg: Config | None
    on: bool

    @property
    def id(self) -> str:
        """The id that a click on the card sends, such as "paper 4"."""
        return f"{self.way} {self.heads}"


@dataclass(frozen=True, slots=True)
class CardSize:
    """Sizes of a card in pixels. `number` is the font size of the parameter count. `least` is the least width of the card, and
    `title` the height of the head count. `lines` is how many lines the sum has. If `brief`, counts are written as "67.1M"."""

    number: int
    scale: Scale
    lines: int = 0
    least: float = 0.0
    title: int = 0
    brief: bool = False

    def side(self, numbers: float, px: float = 0.0) -> Length:
        return Length(numbers / self.scale.unit, px)


#: The cards of each row; the key of each layer's grid; groups of layers, each with a trace whose W_Q begins with that of all.
Rows = tuple[tuple[LayerCard, ...], ...]
Shown = Mapping[Config | None, str]
Numbers = Sequence[tuple[Collection[Config], Trace]]


def head_counts(cfg: Config) -> list[int]:
    """Returns the head counts of the table's columns. All divide d_model if the chosen head count and at least two others do."""
    most = BY_CODE["num_heads"].most
    dividing = divisors(cfg.d_model, most)
    return compared(dividing if cfg.num_heads in dividing and len(dividing) > 2 else range(1, most + 1), cfg.num_heads)


def compared(counts: Sequence[int], here: int) -> list[int]:
    """Picks up to four of `counts` (ascending), among them `here`. The usual choice is 1, 2, 4, 8, or 2, 4, 8, 16 if `here` is
    above four. If that is not possible, picks the first count, `here`, and counts near half of `here` and twice `here`."""
    usual = SIDE_BY_SIDE if here <= 4 else ABOVE_FOUR
    if here in usual and set(usual) <= set(counts):
        return [*usual]
    chosen = [counts[0], *([here] if here > counts[0] else [])]

    def add(below: bool) -> bool:
        """Adds a smaller (`below`) or larger count, if possible half or twice a chosen one. Returns whether it found one."""
        inner = [h for h in chosen if h > counts[0]] or chosen
        end, wanted = (min(inner), min(inner) // 2) if below else (max(inner), 2 * max(inner))
        near = [h for h in counts if (h < end if below else h > end) and h not in chosen]
        if near:
            chosen.append(wanted if wanted in near else near[-1] if below else near[0])
        return bool(near)

    add(below=True)
    add(below=False)
    while len(chosen) < len(SIDE_BY_SIDE) and (add(below=True) or add(below=False)):
        pass
    return sorted(chosen)


def lead(reads: Reader | None) -> str:
    """Returns the page's first sentences: what attention is and, with `reads`, what the heads of this trained layer find."""
    first = "Language models use attention: words look at other words."
    if reads is None:
        return first
    missed = [f"“{name}”" for name, look in zip(QUESTIONS, reads.looks, strict=True) if look.weight <= HUE_FROM]
    if reads.cfg.num_heads == len(reads.owners) == len(QUESTIONS):
        more = "Each head has a colour and looks for something different."
    elif reads.cfg.num_heads == 1:
        more = "Here one head must find who, whom, where and when."
    elif not missed:
        more = "Here each answer has a head that looks mostly at it."
    elif len(missed) < len(QUESTIONS):
        more = f"Here no single head finds {listed(missed, 'or')}."
    else:
        more = "Here no head looks mostly at an answer."
    return f"{first} {more}"


@lru_cache(maxsize=256)
def cards(cfg: Config, paper: bool) -> tuple[tuple[LayerCard, ...], tuple[LayerCard, ...]]:
    """Makes two rows of cards, with a card for each head count. The first row has layers in the paper's convention. The second
    row has Keras's layers, with the key and value size of `cfg`. `paper`: whether the visitor's layer is in the first row."""

    def row(way: str) -> tuple[LayerCard, ...]:
        on = PAPER if paper else KERAS
        return tuple(LayerCard(way, h, layer(cfg, h, way), way == on and h == cfg.num_heads) for h in head_counts(cfg))

    return row(PAPER), row(KERAS)


def layer(cfg: Config, heads: int, way: str) -> Config | None:
    """Returns the layer with `heads` heads in the convention `way`, or None if there is no such layer."""
    if way == PAPER and cfg.d_model % heads:
        return None
    try:
        return cfg.with_heads(heads, paper=way == PAPER)
    except ValueError:  # d_model / heads is odd, and rotary positions need pairs
        return None


def layers(cfg: Config, paper: bool) -> tuple[Config, ...]:
    return tuple(card.cfg for row in cards(cfg, paper) for card in row if card.cfg is not None)


def widest(layers: Collection[Config]) -> Config:
    """Returns the layer whose W_Q has the most columns."""
    return max(layers, key=lambda c: c.num_heads * c.key_dim)


def fits_cells(cfg: Config, paper: bool) -> bool:
    """Returns whether the values of W_Q can be drawn for every layer of the table."""
    return all(map(piles.has_numbers, layers(cfg, paper)))


def numbered(cfg: Config, paper: bool) -> tuple[Config, ...]:
    """Lists the layers whose values are drawn: all of them, or none if a pile is too large to show values. In a file of numbers,
    only `cfg`, or none if that is too large to compute."""
    if for_numbers_alone():
        return () if too_large(cfg) else (cfg,)
    return layers(cfg, paper) if fits_cells(cfg, paper) else ()


def verdict(cfg: Config, way: str) -> str:
    """Answers whether twice the heads have twice the parameters in the convention `way`: "no", "nearly" or "yes"."""
    one = layer(cfg, cfg.num_heads, way)
    other = None if one is None else layer(cfg, 2 * cfg.num_heads, way)
    if one is None or other is None:
        return "no"
    times = count_parameters(other) / count_parameters(one)
    return "no" if times == 1 else "yes" if times == 2 else "nearly"


def does(cfg: Config) -> str:
    if sum(card.cfg is not None for card in cards(cfg, paper=True)[0]) > 1:
        return "cuts thinner slices"
    return f"cannot cut {cfg.d_model:,}" + (f" into {cfg.num_heads}" if cfg.num_heads > 1 else "")


def headline(cfg: Config) -> str:
    """Returns the message of the picture in one sentence, as a title for files."""
    return f"More heads: the paper {does(cfg)}, Keras adds slices"


def row_heading(cfg: Config, way: str, cut: bool, row: Sequence[LayerCard], narrow: bool) -> tuple[str, str]:
    """Returns the heading of a row of the table, and an explanation. `cut`: whether the middle of some piles is left out."""
    if way == PAPER:
        shared = "PyTorch does the same."
        shared += "" if narrow else f" All heads together are {cfg.d_model:,} wide."
        return f"The 2017 Transformer paper: {verdict(cfg, way)}. It {does(cfg)}.", shared
    wide = f" {cfg.key_dim:,} wide" if cfg.key_dim == cfg.value_dim else f": keys {cfg.key_dim:,} wide, values {cfg.value_dim:,}"
    more = ["Gaps skip columns."] if cut else []
    most = max(cfg.key_dim, cfg.value_dim)
    if narrow and any(card.cfg and card.heads * most < cfg.d_model for card in row):
        more.append("Grey is the paper’s width.")
    heads, rest = divmod(cfg.d_model, cfg.key_dim)
    if not rest and cfg.key_dim == cfg.value_dim and heads not in [card.heads for card in row[2:]]:
        more.append(f"{heads_in_words(heads)} {noun(heads, 'makes', 'make')} the paper’s layer.")
    return f"Keras: {verdict(cfg, way)}. It adds slices.", " ".join([f"Each head brings slices{wide}.", *more])


def numbers_of(layers: Collection[Config], kind: Callable[[Config], object], trace: Callable[[Config], Trace | None]) -> Numbers:
    """Groups layers by the source of their numbers, which `kind(layer)` returns. Returns each group with the `trace` of the
    group's widest layer. A group is left out if this trace is None."""
    by_kind = ([one for one in layers if kind(one) == here] for here in dict.fromkeys(map(kind, layers)))
    return [(alike, found) for alike in by_kind if (found := trace(widest(alike))) is not None]


def draw(cfg: Config, paper: bool, numbers: Numbers = (), reads: Reader | None = None) -> Scene:
    """Draws the table of layers. `numbers` are the values to draw (see `numbers_of`). A layer without values has only its heads'
    colours. `reads` is a trained layer with its sentence. It is drawn beside the table, or above it on a narrow page."""
    rows = cards(cfg, paper)
    grids: dict[str, Grid] = {}
    shown: dict[Config | None, str] = {}
    for place, (alike, trace) in enumerate(numbers):
        name = f"w_q/{place}" if place else "w_q"
        grids[name] = Grid(trace["w_q"].values.reshape(cfg.d_model, -1), "weight")
        shown |= dict.fromkeys(alike, name)
    beside = None
    if reads is not None:
        if piles.has_numbers(reads.cfg) and not too_large(cfg) and not for_numbers_alone():
            grids["reader/w_q"] = Grid(reads.trace["w_q"].values.reshape(reads.cfg.d_model, -1), "weight")
        beside = reader.panel(reads, "reader/w_q" if "reader/w_q" in grids else None)
    unit = cfg.d_model / HIGH
    cut = cuts(rows, unit)
    same = [place for place, (one, other) in enumerate(zip(*rows, strict=True)) if one.cfg is not None and one.cfg == other.cfg]
    longest = max((f"{count_parameters(c):,}" for c in layers(cfg, paper)), key=len)
    lines = 2 if max(width_of(" ".join(sum_of(c)), 14) for c in layers(cfg, paper)) > CARD else 1
    size = lambda most, room: min(most, int(most * room / width_of(longest, most, bold=True)))  # noqa: E731

    def table(narrow: bool) -> Iterator[tuple[Panel, ...]]:
        number = size(26, 62) if narrow else size(40, CARD)
        brief = narrow and number < LEAST_COUNT
        number = LEAST_COUNT if brief else number
        for row, are_cut in zip(rows, cut, strict=True):
            way, least = row[0].way, width_of("888.8M" if brief else longest, number, bold=True)
            yield (heading_panel(way, *row_heading(cfg, way, any(are_cut), row, narrow), narrow),)
            looks = CardSize(number, Scale(unit), 0 if narrow else lines, least, 31 if way == PAPER else 0, brief)
            yield tuple(
                panel(one, cfg, replace(looks, scale=Scale(unit, HIGH if is_cut else None)), shown.get(one.cfg))
                for one, is_cut in zip(row, are_cut, strict=True)
            )

    wide, narrow = tuple(table(False)), tuple(table(True))
    if reads is not None:
        narrow = ((reader.narrow(reads),), *narrow, (key_line(cfg),))
    links = tuple(Link(rows[0][place].id, rows[1][place].id, "the same layer") for place in same if place > 1)
    alt = described(cfg, paper) if reads is None else f"{reader.said(reads)} {described(cfg, paper)}"
    return Scene(
        named(wide), grids, alt, tops_of(grids), max_cell=LARGEST_CELL, min_cell=LEAST_CELL, narrow=narrow, links=links,
        beside=beside, tables=() if reads is None else (reader.table(reads),),
    )  # fmt: skip


def cuts(rows: Rows, unit: float) -> tuple[tuple[bool, ...], ...]:
    """Returns, card by card, whether the pile loses its middle. The widest columns shrink to the paper's width until all fit."""

    def wide(card: LayerCard) -> float:
        own = card.cfg
        return own.num_heads * max(own.key_dim, own.value_dim) / unit if own else 0

    columns = {place: max(HIGH, *(wide(row[place]) for row in rows)) for place in range(len(rows[0]))}
    for place in sorted(columns, key=lambda one: -columns[one]):
        if sum(columns.values()) > ROW:
            columns[place] = HIGH
    return tuple(tuple(wide(card) > columns[place] for place, card in enumerate(row)) for row in rows)


def heading_panel(way: str, name: str, words: str, narrow: bool) -> Panel:
    most, size = (NARROW_ROW, 14) if narrow else (WIDE_ROW, 18)
    names, lines = wrap(name, most, size, bold=True), wrap(words, most, 14)
    texts = (*below_each_other(names, 16, size, "strong"), *below_each_other(lines, 20 + 18 * len(names), 14, "muted"))
    wide = max(width_of(text.text, text.size, bold=text.role == "strong") for text in texts)
    return Panel(f"heading {way}", Length(0, wide), Length(0, 8 + 18 * (len(names) + len(lines))), (), texts)


def below_each_other(lines: Sequence[str], y: int, size: int, role: str) -> tuple[Text, ...]:
    return tuple(Text(line, Length(), Length(0, y + 18 * place), size, role, "start") for place, line in enumerate(lines))


def key_line(cfg: Config) -> Panel:
    """Draws the legend of the weight matrices as text, for a narrow page."""
    said = [f"{name}: {' '.join(more)}" for name, *more in reader.keys(cfg, pale=False)]
    lines = wrap(". ".join(said) + ".", NARROW_ROW, 14)
    return Panel("keys", Length(0, NARROW_ROW), Length(0, 4 + 18 * len(lines)), (), below_each_other(lines, 14, 14, "muted"))


def named(rows: tuple[tuple[Panel, ...], ...]) -> tuple[tuple[Panel, ...], ...]:
    """Labels the first grey area (the paper's width) that has room. If none has room, removes every layer's grey area."""
    cards = [panel for row in rows for panel in row]
    room = lambda panel: any(not block.bands and block.w >= 11 for block in panel.blocks) and len(panel.blocks) > 1  # noqa: E731
    first = next((panel.id for panel in cards if room(panel)), None)

    def shown(panel: Panel) -> Panel:
        sheets = tuple(block for block in panel.blocks if block.bands)
        ghost = next((block for block in panel.blocks if not block.bands), None)
        if first is None or ghost is None:
            return panel if ghost is None or not sheets else replace(panel, blocks=sheets)
        if panel.id != first:
            return panel
        x, low = ghost.x + Length(0, 19), ghost.y + Length(ghost.h, -40)  # clear of the sheets behind
        words = (Text(line, x, low + Length(0, 16 * n), 14, "muted", "start") for n, line in enumerate(GHOST))
        return replace(panel, texts=(*panel.texts, *words))

    return tuple(tuple(map(shown, row)) for row in rows)


def described(cfg: Config, paper: bool) -> str:
    ways, value_dim = [], "" if cfg.value_dim == cfg.key_dim else f" and value_dim {cfg.value_dim}"
    for row in cards(cfg, paper):
        sizes = f", with key_dim {cfg.key_dim}{value_dim} per head:"
        where = "the paper and PyTorch," if row[0].way == PAPER else f"Keras{sizes}"
        found = [(card.heads, count_parameters(card.cfg)) for card in row if card.cfg]
        words = [f"{heads_in_words(h)} {noun(h, 'has', 'have')} {counted(n, 'parameter')}" for h, n in found[:1]]
        words += [f"{heads_in_words(h)} {n:,}" for h, n in found[1:]]
        if len(found) > 1 and len({n for _, n in found}) == 1:
            every = "both" if len(found) == 2 else "all"
            words = [f"{listed([str(h) for h, _ in found])} heads {every} have {counted(found[0][1], 'parameter')}"]
        none = listed([heads_in_words(card.heads) for card in row if not card.cfg] or [""], "or")
        ways += [f"In {where} {listed(words)}."] if words else []
        ways += [f"{NAMES[row[0].way]}: no layer has {none}."] if none else []
    same = [heads_in_words(one.heads) for one, other in zip(*cards(cfg, paper), strict=True) if one.cfg and one.cfg == other.cfg]
    both = f" With {same[0]}, the paper and Keras have the same layer." if same else ""
    whose = "the paper’s" if paper else "Keras’s"
    chosen = f"The chosen layer is {whose}, with {heads_in_words(cfg.num_heads)}."
    return f"Each card shows the weights of one layer, with its heads in colours. {' '.join(ways)}{both} {chosen}"


def panel(card: LayerCard, cfg: Config, looks: CardSize, grid: str | None) -> Panel:
    """Draws a card: weight matrices, the parameter count, and the count as a sum. `grid` is the key of W_Q's values, or None."""
    own, usual, scale = card.cfg, looks.side(cfg.d_model).cells, looks.scale
    up = MARGIN + looks.title + piles.behind(cfg)
    front, widest, blocks, torn = 0.0, usual, [], ()
    if own is not None:
        front = max(scale.wide(own.num_heads * own.key_dim), scale.wide(own.num_heads * own.value_dim))
        widest = max(usual, front)
        blocks = piles.sheets(own, card.id, scale, grid, 0, Length(0, up))
        torn = tuple(piles.breaks(own, scale, 0, Length(0, up)))
    if front < usual and not torn:
        sides = {"width": usual - front, "height": usual, "edges": "----", "faded": True}
        blocks = [matrix(f"{card.id} width", None, Length(front), Length(0, up), 1, 1, **sides), *blocks]
    middle, baseline = Length(widest / 2), Length(usual, up + looks.number * 0.72 + 9)
    name = Text(heads_in_words(card.heads), middle, Length(0, MARGIN + 14), 16 if looks.lines else 14, "strong")
    title = [name] if looks.title else []
    spelt = compact if looks.brief else "{:,}".format
    number = [Text(spelt(count_parameters(own)), middle, baseline, looks.number, "strong")] if own else []
    small = () if not own or not looks.lines else sum_of(own) if looks.lines > 1 else (" ".join(sum_of(own)),)
    small = small if own else ("no layer:", f"{cfg.d_model} / {card.heads} is", "not whole")
    first = baseline + Length(0, 22) if own else Length(usual / 2, up - 12)
    sums = [Text(line, middle, first + Length(0, 18 * n), 14, "muted") for n, line in enumerate(small)]
    height = baseline + Length(0, MARGIN + 18 * looks.lines)
    words, go = (*title, *number, *sums), card.id if own else None
    width = Length(widest, piles.behind(cfg))
    return Panel(card.id, width, height, tuple(blocks), words, torn, on=card.on, go=go, least_px=looks.least)
