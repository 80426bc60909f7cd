"""The options of a quiz question that are pictures: maps under several masks, or W_Q under several cuts, by letter."""

from collections.abc import Mapping

import numpy as np

from headcount import Trace
from headcount.names import counted
from headcount.stage.pieces import edges, lying, upright
from headcount.stage.scene import Block, Grid, Length, Panel, Scene, Text, tops_of
from lessons.quiz.pictures import mask_named
from lessons.quiz.question import Question

LETTERS = "ABCDEF"
CUTS = {"columns": "neighbouring columns", "rows": "neighbouring rows", "diagonal": "blocks on the diagonal",
        "turns": "columns in turns"}  # fmt: skip


def options(question: Question, trace: Trace) -> Scene:
    """One panel for each option, in their order. `trace`: of the question's layer."""
    names = dict(zip(LETTERS, (option.text for option in question.options), strict=False))
    return _maps(trace, names) if question.drawn == "mask" else _cuts(trace, names)


def _maps(trace: Trace, masks: Mapping[str, str]) -> Scene:
    """Head 1's weights under each mask, by letter: softmax of the layer's own scores over the keys that the mask allows."""
    cfg, scores = trace.cfg, trace.scaled.values[0, 0]
    grids, panels = {}, []
    for letter, name in masks.items():
        grids[f"{letter}/weights"] = Grid(_softmax(scores, mask_named(name, cfg)), "share")
        at = Length(), Length(0, 30)
        block = Block(f"map-{letter}", f"{letter}/weights", *at, cfg.query_len, cfg.key_len, name="weights under mask")
        panels.append(_panel(letter, Length(cfg.key_len), Length(cfg.query_len), (block,)))
    masked = "; ".join(f"{letter}: {_rows(mask_named(name, cfg))}" for letter, name in masks.items())
    size = f"{counted(cfg.query_len, 'query', 'queries')} by {counted(cfg.key_len, 'key')}"
    alt = f"{len(panels)} maps of {size}. Keys that each query sees, in {masked}."
    return Scene((tuple(panels),), grids, alt, {"share": 1.0}, max_cell=30, min_cell=8)


def _softmax(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Each row's softmax over the keys that it may see. Masked cells are NaN, so is a whole row that may see no key."""
    shares = np.where(allowed, np.exp(scores - scores.max()), 0)
    total = shares.sum(axis=1, keepdims=True)
    return np.where(allowed, shares / np.where(total == 0, 1, total), np.nan).astype(np.float32)


def _rows(allowed: np.ndarray) -> str:
    """Says which keys each query sees: runs of them, row by row."""
    rows = []
    for row in allowed:
        seen = np.flatnonzero(row) + 1
        rows.append("none" if not seen.size else f"{seen[0]}" if seen.size == 1 else f"{seen[0]}–{seen[-1]}")
    return ", ".join(rows)


def _cuts(trace: Trace, cuts: Mapping[str, str]) -> Scene:
    """W_Q in each cut, by letter; every piece is marked with the number of its head."""
    cfg = trace.cfg
    grids = {"w_q": Grid(trace.params.w_q.values.reshape(cfg.d_model, -1), "weight")}
    panels = []
    for letter, name in cuts.items():
        blocks = tuple(_pieces(name, cfg.d_model, cfg.num_heads, cfg.key_dim))
        numbers = tuple(_number(block, name) for block in blocks)
        panels.append(_panel(letter, Length(cfg.d_model, 30), Length(cfg.d_model, 34), blocks, numbers))
    described = "; ".join(f"{letter}: {CUTS[name]}" for letter, name in cuts.items())
    alt = f"W_Q, {cfg.d_model} × {cfg.d_model}, in {len(panels)} cuts for {cfg.num_heads} heads. {described}."
    return Scene((tuple(panels),), grids, alt, tops_of(grids), max_cell=16, min_cell=5)


def _pieces(cut: str, width: int, heads: int, size: int) -> list[Block]:
    """The pieces below the letter and the numbers."""
    x, y = Length(0, 20), Length(0, 50)
    if cut == "columns":
        return upright("piece", "w_q", x, y, heads=heads, rows=width, size=size)
    if cut == "rows":
        return lying("piece", "w_q", x, y, heads=heads, size=size, columns=width)
    blocks = []
    for column in range(width if cut == "turns" else heads):
        head, wide = (column % heads, 1) if cut == "turns" else (column, size)
        tall, top = (width, 0) if cut == "turns" else (size, column * size)
        at = x + Length(column * wide)
        blocks.append(Block(
            f"piece-{column}", "w_q", at, y + Length(top), tall, wide, row=top, col=column * wide, name="piece", head=head,
            hue=head, strip="top", edges=edges(column, width) if cut == "turns" else "oooo",
        ))  # fmt: skip
    return blocks


def _number(block: Block, cut: str) -> Text:
    """Places a number above an upright piece, to the left of a lying one."""
    x, y = (Length(0, -13), Length(block.h / 2, 4)) if cut == "rows" else (Length(block.w / 2), Length(0, -10))
    return Text(str((block.head or 0) + 1), block.x + x, block.y + y, 12, "strong", hue=block.hue)


def _panel(letter: str, width: Length, height: Length, blocks: tuple[Block, ...], texts: tuple[Text, ...] = ()) -> Panel:
    name = Text(letter, width.half, Length(0, 16), 17, "strong")
    return Panel(f"option-{letter}", width, height + Length(0, 34), blocks, (name, *texts), least_px=60)
