"""The pictures of the Keras layer page: maps by case, a mask to click."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from headcount.names import counted
from headcount.stage.chart import layout
from headcount.stage.pieces import grid_of, matrix, side
from headcount.stage.scene import Grid, Length, Panel, Scene, Text, pool_for_map
from headcount.stage.theme import EITHER

#: Pixels from a panel's top to its title and to its note; the width of a title's letter; the widest panel for a phone.
TITLE_PX, NOTE_PX, TITLE_LETTER_PX, MAX_LEAST_PX = 16, 36, 8.2, 320
#: Pixels in a case: above a head's map, between maps, for sample names, the least width of a map, a letter of the note.
LABEL_PX, GAP_PX, SAMPLE_PX, LEAST_MAP_PX, LETTER_PX = 18, 12, 60, 48, 6.6
#: Size of a mask: the side of a square.
SQUARE_PX = 26


@dataclass(frozen=True, slots=True)
class Case:
    """One case with its attention maps. `maps` has the axes sample, head, query, key, and NaN if a query may not look. `note`
    says what was measured."""

    title: str
    note: str
    maps: np.ndarray


def allowed_only(scores: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
    """Returns the weights with NaN where `allowed` is False. Without `allowed`, weights of exactly 0, which Keras's mask leaves,
    become NaN."""
    return np.where(scores > 0 if allowed is None else allowed, scores, np.float32("nan")).astype(np.float32)


def cases(every: list[Case], alt: str) -> Scene:
    """Draws cases side by side, all maps on one scale, 0 to 1, with cells of one size."""
    pool = min(pool_for_map(*case.maps.shape[2:]) for case in every)
    grids: dict[str, Grid] = {}
    panels = tuple(_case(f"case-{number}", case, pool, grids) for number, case in enumerate(every))
    return Scene((panels,), grids, alt, {"share": 1.0}, max_cell=22, min_cell=5 if pool == 1 else 2)


def _case(name: str, case: Case, pool: int, grids: dict[str, Grid]) -> Panel:
    """Draws one case as a panel: a row of maps for each sample, and a column for each head."""
    samples, heads, queries, keys = case.maps.shape
    wide, tall = side(keys, pool), side(queries, pool)
    left, top = SAMPLE_PX, NOTE_PX + 10 + LABEL_PX
    texts = [
        Text(case.title, Length(), Length(0, TITLE_PX), 14, "strong", "start"),
        Text(case.note, Length(), Length(0, NOTE_PX), 12, "muted", "start"),
    ]
    blocks = []
    for sample, head in product(range(samples), range(heads)):
        key = f"{name}/{sample}/{head}"
        grids[key] = grid_of(case.maps[sample, head], "share", pool)
        x, y = Length(head * wide, left + head * GAP_PX), Length(sample * tall, top + sample * GAP_PX)
        blocks.append(matrix(key, key, x, y, queries, keys, pool, name="weights", head=head, hue=head))
        if sample == 0:
            texts.append(Text(f"head {head + 1}", x + Length(wide / 2), y + Length(0, -6), 11, "muted"))
        if head == 0:
            texts.append(Text(f"sample {sample + 1}", Length(), y + Length(tall / 2, 4), 11, "muted", "start"))
    width = Length(heads * wide, left + (heads - 1) * GAP_PX)
    height = Length(samples * tall, top + (samples - 1) * GAP_PX + 8)
    least = max(left + heads * LEAST_MAP_PX, len(case.title) * TITLE_LETTER_PX, len(case.note) * LETTER_PX)
    return Panel(name, width, height, tuple(blocks), tuple(texts), least_px=min(least, MAX_LEAST_PX))


def clickable_mask(mask: np.ndarray) -> tuple[dict, str]:
    """Draws a mask to click on, as a Plotly figure with one square for each pair of query and key. The point number is row · keys
    + column. Returns the figure and its alternative text."""
    queries, keys = mask.shape
    places, columns = np.indices(mask.shape).reshape(2, -1) + 1
    cell = SQUARE_PX if max(mask.shape) <= 16 else 16
    allowed = mask.ravel()

    def axis(count: int, title: str, **more: object) -> dict:
        fixed = {"showgrid": False, "zeroline": False, "fixedrange": True}
        return {**more, "title": {"text": title}, "tickmode": "linear", "dtick": 1 if count <= 16 else 4, **fixed}

    figure = {
        "data": [{
            "type": "scatter", "mode": "markers", "x": columns, "y": places, "showlegend": False,
            "marker": {
                "symbol": ["square" if on else "x-thin-open" for on in allowed],
                "size": [cell - 4 if on else cell / 3 for on in allowed],
                "color": [EITHER[2] if on else EITHER[3] for on in allowed], "line": {"width": 1.5, "color": EITHER[3]},
            },
            "unselected": {"marker": {"opacity": 1}},
            "hovertemplate": [f"query {r}, key {c}: {'may look' if on else 'may not'}<extra></extra>"
                              for r, c, on in zip(places, columns, allowed, strict=True)],
        }],
        "layout": layout(
            queries * cell + 60, (46, 8, 36, 4), width=keys * cell + 70,
            xaxis=axis(keys, "key", side="top", range=[0.4, keys + 0.6]),
            yaxis=axis(queries, "query", range=[queries + 0.6, 0.4]),
            dragmode=False, clickmode="event+select", hovermode="closest",
        ),
    }  # fmt: skip
    return figure, (
        f"Mask of {counted(queries, 'query', 'queries')} by {counted(keys, 'key')}: "
        f"{int(mask.sum())} of {counted(mask.size, 'pair')} may look. Click a square to change it."
    )
