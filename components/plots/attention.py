"""Every head's map as the page, the walk and files show them: which row asks, what the heads are called, which rows are pale."""

from components.plots.heatmaps import WIDE
from components.plots.layer import MAX_MAPS, maps
from components.stage.pictures.attention import QUERY_ROWS
from mha import Config, Trace
from mha.explain import Cell, most_looked_at
from mha.reading import Reading
from mha.switches import Switches
from mha.trained.sentence import BLENDS, asked_rows
from mha.variations import with_divisor, with_switches


def asking(reading: Reading | None, cfg: Config, cell: Cell | None = None) -> int:
    """The query (0-based) whose row is framed: the chosen cell's; without one the sentence's last verb, or the last of any."""
    if cell is not None and cell.name in QUERY_ROWS:
        return min(cell.row, cfg.query_len - 1)
    return cfg.query_len - 1 if reading is None else reading.sentence.last_verb


def draw(
    trace: Trace,
    switches: Switches,
    divisor: str,
    reading: Reading | None,
    words: tuple[str, ...],
    head: int = 0,
    cell: Cell | None = None,
    width: int = WIDE,
    line: int = 0,
    most: int = MAX_MAPS,
) -> tuple[dict, str]:
    """The maps among which `head` (0-based) is, and their alt text; without a chosen cell, where that head looks most from the
    row that asks is framed. `reading`: what the trained network reads, whose heads have names and whose rows that ask nothing are
    pale; None: it is no such layer. `width`, `line`, `most`: as components.plots.layer has them."""
    varied = with_divisor(with_switches(trace, switches), divisor)
    cfg, row = varied.cfg, asking(reading, varied.cfg, cell)
    chosen, first = cell or most_looked_at(varied, head, row), head // most * most
    names, pale = (), ()
    if reading is not None:
        found = [name for name, _ in reading.head_names(cfg)] or [BLENDS] * cfg.num_heads
        names = tuple("" if name == BLENDS else name for name in found)
        pale = [sorted({*range(cfg.query_len)} - {*asked_rows(reading.sentence, name)}) for name in found]
    return maps(varied, words, asking=row, names=names, pale=pale, first=first, chosen=chosen, width=width, line=line, most=most)
