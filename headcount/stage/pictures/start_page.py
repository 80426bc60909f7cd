"""The start page's picture and its two sentences: what more heads do to a layer's matrices and to its count, as the paper sizes
them and as Keras does."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any

from headcount import Config, Trace, count_parameters, ledger
from headcount.config import divisors
from headcount.cost import too_large
from headcount.names import BY_CODE, counted, heads_in_words, noun
from headcount.stage import layout
from headcount.stage.pieces import matrix
from headcount.stage.scene import MAX_CELLS, Block, Grid, Length, Link, Panel, Scene, Text, for_numbers_alone, pool_for, tops_of
from headcount.stage.text import width_of

#: Of a larger layer, the longest side in the cells of the layout, which stand for several numbers on a side.
MAX_UNITS = 512
#: Letters of a sum above which it takes two lines.
LONG_SUM = 24
#: The two conventions, as the setting `split` spells them, and what they are called.
PAPER, KERAS = "paper", "free"
NAMES = {PAPER: "Paper, PyTorch", KERAS: "Keras"}
#: Pixels of the narrowest page on which the conventions are rows, of the words beside the lowest sheets, and of those in a ghost.
LEAST_PAGE, LEAST_TALL, GHOST_WORDS, LARGEST_CELL = 860, 64, 74, 40
#: What is written in a ghost.
GHOST = ("the", "paper’s", "width")
#: Around what is in a card.
PADDING = layout.PANEL["padding"]
#: Head counts that are set side by side.
SIDE_BY_SIDE = (1, 2, 4, 8)
#: A layer's sheets from the front; W_O lies turned, so that its heads stand upright, too.
SHEETS = ("w_q", "w_k", "w_v", "w_g", "w_o")


@dataclass(frozen=True, slots=True)
class Card:
    """One layer in the table. `cfg` None: there is no such layer. `on`: the one of the settings."""

    way: str
    heads: int
    cfg: Config | None
    on: bool

    @property
    def id(self) -> str:
        """What a click on it chooses, as well: "paper 4"."""
        return f"{self.way} {self.heads}"


@dataclass(frozen=True, slots=True)
class Looks:
    """Pixels of a card: type of the count; how far a sheet stands up and right of the one before it. `unit`: numbers on a side of
    a cell, as one number of a large layer is too small to draw; `lines` of the sum below the count, 0 for none; `least`: the
    width of the longest words; `title`: room for the head count above, 0 for none; `spare`: above low sheets, for the words
    beside them."""

    number: int
    step: float
    unit: int
    lines: int = 0
    least: float = 0.0
    title: int = 0
    spare: float = 0.0

    def side(self, numbers: float, px: float = 0.0) -> Length:
        """The side of so many numbers, and pixels."""
        return Length(numbers / self.unit, px)

    @property
    def baseline(self) -> float:
        """Gives the baseline of the count, below the sheets."""
        return self.number * 0.72 + 9


#: Rows of cards; by a layer the grid of its numbers; layers with a trace whose W_Q begins with theirs.
Rows = tuple[tuple[Card, ...], ...]
Shown = Mapping[Config | None, str]
Numbers = Sequence[tuple[Collection[Config], Trace]]
Table = tuple[tuple[Panel, ...], ...]


def head_counts(cfg: Config) -> list[int]:
    """The columns: head counts that divide the width where the present one does and there are at least three; else any."""
    most = BY_CODE["num_heads"].most
    dividing = divisors(cfg.d_model, most)
    return compared(dividing if cfg.num_heads in dividing and len(dividing) > 2 else range(1, most + 1), cfg.num_heads)


def compared(counts: Sequence[int], here: int) -> list[int]:
    """The head counts to compare with `here`, out of those that are layers (ascending): 1, 2, 4 and 8, so that the row stands
    still where they are chosen; else 1, half as many, as many, twice as many, or what is nearest, filled up to four."""
    if here in SIDE_BY_SIDE and set(SIDE_BY_SIDE) <= set(counts):
        return [*SIDE_BY_SIDE]
    chosen = [counts[0], *([here] if here > counts[0] else [])]

    def add(below: bool) -> bool:
        """One more on that side of all but the first; whether there was one."""
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


@lru_cache(maxsize=256)
def cards(cfg: Config, paper: bool) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """The layers of the paper's way, and below them those of Keras's with the sizes of `cfg`."""

    def row(way: str) -> tuple[Card, ...]:
        on = PAPER if paper else KERAS
        return tuple(Card(way, h, layer(cfg, h, way), way == on and h == cfg.num_heads) for h in head_counts(cfg))

    return row(PAPER), row(KERAS)


def layer(cfg: Config, heads: int, way: str) -> Config | None:
    """The layer with another head count; None where the paper's way has none."""
    if way == PAPER and cfg.d_model % heads:
        return None
    try:
        return cfg.with_heads(heads, paper=way == PAPER)
    except ValueError:  # d_model / heads is odd, and positions turn numbers in pairs
        return None


def layers(cfg: Config, paper: bool) -> tuple[Config, ...]:
    """All that are drawn."""
    return tuple(card.cfg for row in cards(cfg, paper) for card in row if card.cfg is not None)


def widest(layers: Collection[Config]) -> Config:
    """The one whose W_Q has most columns: those of every other are its first."""
    return max(layers, key=lambda c: c.num_heads * c.key_dim)


def fits_cells(cfg: Config, paper: bool) -> bool:
    """Whether each weight of W_Q is drawn as a cell."""
    one = widest(layers(cfg, paper))
    return max(one.d_model, one.num_heads * one.key_dim) <= MAX_CELLS


def numbered(cfg: Config, paper: bool) -> tuple[Config, ...]:
    """The layers whose numbers are drawn: none where they are outlines; for files of numbers the one at hand, of which the cards
    of other head counts are cut."""
    if for_numbers_alone():
        return () if too_large(cfg) else (cfg,)
    return layers(cfg, paper) if fits_cells(cfg, paper) else ()


def lead(cfg: Config, paper: bool, coloured: bool = True) -> str:
    """What a head is, and how the picture is read, in a sentence; `_{…}` is lowered. `coloured`: its colour is named."""
    square = "A square is a weight" if fits_cells(cfg, paper) else "An area is its weights"
    sheets = f"W_{{Q}} in front, W_{{K}}, W_{{V}}{', W_{G}' if cfg.use_gate else ''}, W_{{O}} behind"
    return f"A head is one way of looking{', in its own colour' * coloured}. {square}: {sheets}."


def headline(cfg: Config, paper: bool) -> str:
    """What is seen, in a sentence."""
    cut = sum(card.cfg is not None for card in cards(cfg, paper)[0])
    if cut > 1:
        return "More heads: the paper cuts finer, Keras adds pieces."
    into = f" into {cfg.num_heads}" if cfg.num_heads > 1 else ""
    return f"More heads: the paper cannot cut {cfg.d_model}{into}, Keras adds pieces."


def numbers_of(layers: Collection[Config], kind: Callable[[Config], object], trace: Callable[[Config], Trace | None]) -> Numbers:
    """The layers by the `kind` of their numbers, each kind with the trace of its widest one, whose W_Q begins with theirs."""
    by_kind = ([one for one in layers if kind(one) == here] for here in dict.fromkeys(map(kind, layers)))
    return [(alike, found) for alike in by_kind if (found := trace(widest(alike))) is not None]


def draw(cfg: Config, paper: bool, numbers: Numbers = ()) -> Scene:
    """The table. `numbers`: those of W_Q, as `numbers_of` finds them; a layer that is not among them has tints alone."""
    rows = cards(cfg, paper)
    grids: dict[str, Grid] = {}
    shown: dict[Config | None, str] = {}
    for place, (alike, trace) in enumerate(numbers):
        name = f"w_q/{place}" if place else "w_q"
        grids[name] = Grid(trace["w_q"].values.reshape(cfg.d_model, -1), "weight")
        shown |= dict.fromkeys(alike, name)
    drawn = layers(cfg, paper)
    longest = max((f"{count_parameters(c):,}" for c in drawn), key=len)
    size = lambda most, room: min(most, int(most * room / width_of(longest, most, bold=True)))  # noqa: E731
    lines = 2 if max(len(" ".join(sum_of(c))) for c in drawn) > LONG_SUM else 1
    unit = pool_for(max(max(c.d_model, c.num_heads * max(c.key_dim, c.value_dim)) for c in drawn), MAX_UNITS)
    least = max(width_of(longest, size(46, 132), bold=True), *(width_of(line, 14) for c in drawn for line in in_lines(c, lines)))
    looks = Looks(size(46, 132), 4.5, unit, lines, math.ceil(least))
    table = wide_rows(rows, cfg, looks, shown)
    cell = layout.largest_cell(table, layout.PANEL["between"], LEAST_PAGE, LARGEST_CELL)
    if (low := LEAST_TALL - cell * cfg.d_model / unit) > 0:
        table = wide_rows(rows, cfg, replace(looks, spare=low), shown)
    wide, narrow = tuple(named(row, cell) for row in table), tuple(narrow_rows(rows, cfg, Looks(size(28, 84), 3, unit), shown))
    same = ((one, other) for one, other in zip(*rows, strict=True) if one.cfg is not None and one.cfg == other.cfg)
    links = tuple(Link(one.id, other.id, "the same layer", "=") for one, other in same)
    alt, tops = described(cfg, paper), tops_of(grids)
    return Scene(wide, grids, alt, tops, max_cell=LARGEST_CELL, min_cell=round(cell, 3), narrow=narrow, links=links)


def wide_rows(rows: Rows, cfg: Config, looks: Looks, shown: Shown) -> Table:
    """A row for each convention, its name before it; above the first the head counts."""
    both = zip(rows, (replace(looks, title=31), looks), strict=True)
    return tuple(
        (way_panel(cfg, row[0].way, own), *(panel(one, cfg, own, shown.get(one.cfg)) for one in row)) for row, own in both
    )


def narrow_rows(rows: Rows, cfg: Config, looks: Looks, shown: Shown) -> Iterator[tuple[Panel, ...]]:
    """A row for each head count, a column for each convention."""
    yield Panel("corner", Length(), Length(), ()), *(way_title(cfg, way) for way in NAMES)
    for pair in zip(*rows, strict=True):
        yield heads_panel(pair[0], cfg, looks), *(without_ghost(panel(one, cfg, looks, shown.get(one.cfg))) for one in pair)


def named(row: tuple[Panel, ...], cell: float) -> tuple[Panel, ...]:
    """Names the first ghost that has room for words in cells of `cell` pixels; where none has, there are none."""
    for place, one in enumerate(row):
        ghost = next((block for block in one.blocks if not block.bands), None)
        if ghost is not None and len(one.blocks) > 1 and ghost.w * cell >= GHOST_WORDS:
            middle, low = ghost.x + Length(ghost.w / 2, 7), ghost.y + Length(ghost.h, -50)
            words = (Text(line, middle, low + Length(0, 18 * n), 14, "muted") for n, line in enumerate(GHOST))
            return (*row[:place], replace(one, texts=(*one.texts, *words)), *row[place + 1 :])
    return tuple(map(without_ghost, row))


def without_ghost(card: Panel) -> Panel:
    """The card of a layer without the ghost beside its sheets, and without words in it: nobody knows what one is that no card
    names."""
    sheets = tuple(block for block in card.blocks if block.bands)
    return replace(card, blocks=sheets or card.blocks, texts=tuple(text for text in card.texts if text.text not in GHOST))


def described(cfg: Config, paper: bool) -> str:
    """The picture in words."""
    ways = []
    for row in cards(cfg, paper):
        counts = [(card.heads, card.cfg and count_parameters(card.cfg)) for card in row]
        words = "; ".join(
            f"{heads_in_words(h)}: {counted(n, 'parameter') if n else f'no layer, {cfg.d_model} / {h} is not whole'}"
            for h, n in counts
        )
        ways.append(f"{NAMES[row[0].way]}{'' if row[0].way == PAPER else f', {own_sizes(cfg)}'}: {words}.")
    same = [heads_in_words(one.heads) for one, other in zip(*cards(cfg, paper), strict=True) if one.cfg and one.cfg == other.cfg]
    both = f" With {same[0]} both are the same layer." if same else ""
    chosen = f"Chosen: {NAMES[PAPER if paper else KERAS]}, {heads_in_words(cfg.num_heads)}."
    return f"The weights of one layer, a colour for each head. {' '.join(ways)}{both} {chosen}"


def own_sizes(cfg: Config) -> str:
    """What Keras is told: "key_dim = 4"."""
    return f"key_dim = {cfg.key_dim}" + ("" if cfg.value_dim == cfg.key_dim else f", value_dim = {cfg.value_dim}")


def sum_of(cfg: Config) -> tuple[str, ...]:
    """Kernels, and what is added to them: "4 × 256", "+ 64"."""
    rows = ledger(cfg)
    kernels = [f"{len([*same])} × {count:,}" for count, same in groupby(row.count for row in rows if not row.is_bias)]
    biases = sum(row.count for row in rows if row.is_bias)
    return (" + ".join(kernels), *([f"+ {biases:,}"] if biases else []))


def in_lines(cfg: Config, lines: int) -> tuple[str, ...]:
    """The sum in one line or two."""
    return sum_of(cfg) if lines > 1 else (" ".join(sum_of(cfg)),)


def sheets(cfg: Config, id: str, looks: Looks, grid: str | None, up: float) -> list[Block]:
    """A layer's kernels, the last one behind all others."""
    names = [name for name in SHEETS if name != "w_g" or cfg.use_gate]
    blocks = []
    for place, name in reversed([*enumerate(names)]):
        columns = cfg.num_heads * (cfg.key_dim if name in ("w_q", "w_k") else cfg.value_dim)
        at, shown = (Length(0, looks.step * place), Length(0, up - looks.step * place)), grid if name == "w_q" else None
        own: dict[str, Any] = {"width": columns / looks.unit, "height": cfg.d_model / looks.unit, "turned": name == "w_o"}
        sheet = matrix(f"{id} {name}", shown, *at, cfg.d_model, columns, looks.unit, name=name, bands=cfg.num_heads, **own)
        blocks.append(sheet)
    return blocks


def panel(card: Card, cfg: Config, looks: Looks, grid: str | None) -> Panel:
    """A card: its sheets, how many parameters they are with the biases, and the sum."""
    own, tall, behind = card.cfg, cfg.d_model, 4 if cfg.use_gate else 3
    up = looks.title + looks.step * behind + looks.spare
    front = own.num_heads * own.key_dim if own else 0
    wide = max(front, cfg.d_model)
    at, sides = (looks.side(front), Length(0, up)), {"width": (wide - front) / looks.unit, "height": tall / looks.unit}
    ghost = matrix(f"{card.id} width", None, *at, tall, wide - front, looks.unit, edges="----", faded=True, **sides)
    blocks = ([ghost] if front < wide else []) + (sheets(own, card.id, looks, grid, up) if own else [])
    widest = max(wide, own.num_heads * own.value_dim if own else 0)
    middle, baseline = looks.side((widest if looks.lines else wide) / 2), looks.side(tall, up + looks.baseline)
    title = [Text(heads_in_words(card.heads), middle, Length(0, 14), 16, "strong")] if looks.title else []
    number = [Text(f"{count_parameters(own):,}", middle, baseline, looks.number, "strong")] if own else []
    small = in_lines(own, looks.lines) if own else ("no such layer", f"{cfg.d_model} / {card.heads} is not whole")
    small = small if looks.lines else () if own else ("none",)
    first = baseline + Length(0, 22 if own else 0)
    sums = [Text(line, middle, first + Length(0, 18 * n), 14, "muted") for n, line in enumerate(small)]
    height = baseline + Length(0, 6 + 18 * looks.lines if looks.lines else 2)
    width = looks.side(widest, looks.step * behind)
    words, go = (*title, *number, *sums), card.id if own else None
    return Panel(card.id, width, height, tuple(blocks), words, on=card.on, go=go, least_px=looks.least, padded=True)


def way_panel(cfg: Config, way: str, looks: Looks) -> Panel:
    """What a row of the table is: its name, what it does, and what its numbers are. At the page's edge, so without padding."""
    up = PADDING + looks.title + looks.step * (4 if cfg.use_gate else 3)
    number = looks.side(cfg.d_model, up + looks.spare + looks.baseline)
    lines = [
        (NAMES[way], Length(0, up + 14), 20, "strong"),
        *((line, Length(0, up + 41 + 20 * n), 16, "muted") for n, line in enumerate(way_words(cfg, way))),
        ("parameters", number, 16, "muted"),
        *([("weights + biases", number + Length(0, 22), 14, "muted")] if cfg.use_bias else []),
    ]
    both = [(line, Length(), 16, "muted") for one in NAMES for line in way_words(cfg, one)]
    drawn = words_panel(way, lines, number + Length(0, 24 + PADDING))
    return replace(drawn, width=Length(0, 4 + max(drawn.width.px, words_panel("both", both, Length()).width.px)))


def words_panel(id: str, lines: Sequence[tuple[str, Length, int, str]], height: Length, left: float = 0.0) -> Panel:
    """A panel as wide as its words: of each line its baseline, size and role."""
    words = tuple(Text(line, Length(0, left), y, size, role, "start") for line, y, size, role in lines)
    widest = math.ceil(max(width_of(line, size, bold=role == "strong") for line, _, size, role in lines))
    return Panel(id, Length(0, left + widest), height, (), words)


def way_words(cfg: Config, way: str) -> tuple[str, ...]:
    """Says in a few lines what a convention does."""
    if way == PAPER:
        return "The heads share", f"one width of {cfg.d_model:,}."
    sizes = own_sizes(cfg).split(", ")
    return ("Each head brings", f"its own, {sizes[0]}" + (",", ".")[len(sizes) == 1], *(f"{more}." for more in sizes[1:]))


def way_title(cfg: Config, way: str) -> Panel:
    """Gives a convention's name above a column of a narrow page."""
    lines = (f"one width of {cfg.d_model:,}",) if way == PAPER else tuple(own_sizes(cfg).split(", "))
    sizes = ((line, Length(0, 36 + 18 * n), 14, "muted") for n, line in enumerate(lines))
    name = (NAMES[way], Length(0, 16), 16, "strong")
    return words_panel(f"{way} title", (name, *sizes), Length(0, 30 + 18 * len(lines)), PADDING)


def heads_panel(card: Card, cfg: Config, looks: Looks) -> Panel:
    """A head count before its row of a narrow page."""
    middle = looks.side(cfg.d_model / 2, PADDING + 12)
    words = ((f"{card.heads}", middle, 26, "strong"), (noun(card.heads, "head"), middle + Length(0, 20), 14, "muted"))
    return words_panel(f"heads {card.heads}", words, looks.side(cfg.d_model, 40))


def side_by_side(a: Config, b: Config, papers: tuple[bool, bool], trace: Callable[[int], Trace]) -> Scene:
    """Two layers on one scale, a card each, with what they are called and their sizes. `papers`: whose heads share one width;
    `trace`: the numbers of one of them, by its place."""
    largest = max(max(c.d_model, c.num_heads * max(c.key_dim, c.value_dim)) for c in (a, b))
    panels, grids = [], {}
    for place, (cfg, paper) in enumerate(zip((a, b), papers, strict=True)):
        name, grid = "AB"[place], ("first/w_q", "second/w_q")[place]
        card = Card(f"{name}: {NAMES[PAPER if paper else KERAS]},", cfg.num_heads, cfg, on=False)
        sizes = f"d_{{model}} {cfg.d_model}, h {cfg.num_heads}, d_{{k}} {cfg.key_dim}, d_{{v}} {cfg.value_dim}"
        title = f"{card.way} {heads_in_words(cfg.num_heads)}"
        least = max(width_of(title, 16, bold=True), width_of(sizes, 14), 150)
        if not too_large(cfg) and pool_for(largest) == 1:
            grids[grid] = Grid(trace(place)["w_q"].values.reshape(cfg.d_model, -1), "weight")
        drawn = without_ghost(panel(card, cfg, Looks(46, 4.5, pool_for(largest, MAX_UNITS), 1, least, title=31), grid))
        first, *rest = drawn.texts
        below = Text(sizes, first.x, drawn.height + Length(0, 12), 14, "muted")
        ours = (replace(first, text=title), *rest, below)
        panels.append(replace(drawn, id=name, go=None, texts=ours, height=drawn.height + Length(0, 24)))
    counts = [counted(count_parameters(cfg), "parameter") for cfg in (a, b)]
    alt = " ".join(f"{one.texts[0].text}: {count}." for one, count in zip(panels, counts, strict=True))
    said = f"Two layers, one size of cell. {alt}"
    return Scene((tuple(panels),), grids, said, tops_of(grids), max_cell=LARGEST_CELL, min_cell=0.3)
