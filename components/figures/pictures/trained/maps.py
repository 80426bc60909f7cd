"""The maps of trained heads on one scale, words on the axes, the chosen row between two rails."""

from dataclasses import dataclass

import numpy as np

from components.figures.layout import TOKEN
from components.figures.pieces import token_room
from components.figures.scene import Block, Grid, Length, Panel, Scene, Text
from mha.names import heads_in_words
from mha.trained.sentence import BLENDS, NAME_FROM

ROW_PX, COLUMN_PX = 86, 62


@dataclass(frozen=True, slots=True)
class Maps:
    """One network's maps. `weights` "hts"; `attention_on_answer` "rh" over the fixed examples names what a head is for.
    `explained`: its cells have an address. `marked` rows (0-based) lie between rails. `off`: a head that is removed."""

    title: str
    weights: np.ndarray
    attention_on_answer: np.ndarray
    questions: tuple[str, ...]
    marked: tuple[int, ...] = ()
    explained: bool = True
    off: int | None = None


def purpose(maps: Maps, head: int) -> tuple[str, float]:
    """The question whose answers get most of a head's attention, and how much."""
    question = int(maps.attention_on_answer[:, head].argmax())
    return maps.questions[question], float(maps.attention_on_answer[question, head])


def scene(
    networks: tuple[Maps, ...], labels: tuple[str, ...], caption: str = "", *, veil: bool = False, wraps: bool = False
) -> Scene:
    """All maps of one or two networks in one line; `labels` on rows and columns. `wraps`: the line may break, so that each of a
    few maps has its own labels.

    `veil`: rows that are not marked are asked no question, so training did not teach them where to look; they lie under a veil
    and have no label.
    """
    grids, panels, few, named = {}, [], sum(len(maps.weights) for maps in networks) <= 9, None
    room = token_room(labels) + TOKEN["beside_strip"] if wraps else ROW_PX
    for place, maps in enumerate(networks):
        whose = "weights" if maps.explained else f"weights of {maps.title.lower()}"
        whose = f"{whose} of network {place + 1}" if f"{whose}/0" in grids else whose
        for head, values in enumerate(maps.weights):
            key = f"{whose}/{head}"
            grids[key] = Grid(np.ascontiguousarray(values, dtype=np.float32), "share")
            again = named == maps.marked and not (wraps and few)
            panels.append(_panel(maps, key, f"{place}/{head}", head, labels, veil, room=0 if again else room, few=few))
            named = maps.marked
    least, most = (12, 20) if few else (10, 14)
    return Scene(
        (tuple(panels),), grids, " ".join(_alt(maps, labels) for maps in networks), {"share": 1.0},
        max_cell=most if len(labels) <= 8 else 17, min_cell=least, captions=(caption,))


def _panel(maps: Maps, grid: str, key: str, head: int, labels: tuple[str, ...], veil: bool, *, room: float, few: bool) -> Panel:
    """`room`: pixels for the words on its rows; 0: the map before has the same."""
    marked = maps.marked
    long, wide = maps.weights.shape[1:]
    left = Length(0, room)
    top = Length(0, 26 + (COLUMN_PX if few else 0))
    removed = head == maps.off
    block = Block(
        f"map-{key}", grid, left, top, long, wide, hue=head, strip="top", faded=removed,
        name="weights" if maps.explained else maps.title.lower(), head=head if maps.explained else None,
        row_labels=() if not room else tuple(label if row in marked or not veil else "" for row, label in enumerate(labels)),
        col_labels=labels if few else (),
    )  # fmt: skip
    blocks = [block]
    if veil:
        others = [row for row in range(long) if row not in marked]
        blocks += [Block(f"veil-{key}-{row}", None, left, top + Length(row), 1, wide) for row in others]
    edges = sorted({edge for row in marked for edge in (row, row + 1)})
    for edge in edges:  # rails thinner than a pixel: no cell's colour is changed
        blocks.append(Block(f"rail-{key}-{edge}", None, left, top + Length(edge), 1, wide, height=0.0, width=wide, hue=head))
    middle, texts = left + Length(wide / 2), []
    alone = len(maps.weights) == 1
    name = maps.title if alone else f"head {head + 1}" if few else f"{head + 1}"
    texts.append(Text(name, middle, Length(0, 14), 13, "strong", hue=head))
    height = top + Length(long, 8)
    if few:
        what, share = purpose(maps, head)
        note = "removed" if removed else f"{what} {share:.2f}" if share >= NAME_FROM else BLENDS
        texts.append(Text(note, middle, height + Length(0, 12), 12, "muted"))
        height = height + Length(0, 20)
    return Panel(f"panel-{key}", left + Length(wide), height, tuple(blocks), tuple(texts), least_px=76 if few else 22)


def _alt(maps: Maps, labels: tuple[str, ...]) -> str:
    purposes = [purpose(maps, head) for head in range(min(len(maps.weights), 8))]
    shares = [f"head {head}: {what} {share:.2f}" for head, (what, share) in enumerate(purposes, 1)]
    seen = f" Marked: {', '.join(labels[row] for row in maps.marked)}." if maps.marked else ""
    many = heads_in_words(len(maps.weights))
    name = maps.title if maps.title in (many, "one head") else f"{maps.title}, {many}"
    return f"{name}. Mean mass where an answer stands: {', '.join(shares)}.{seen}"
