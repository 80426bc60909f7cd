"""Reads the canvas of the stage: where a number is, its colour, and the frames of a movement."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from playwright.sync_api import Page

# The only place that knows how the stage keeps its blocks.
FIND = """(box, {name, head, row, col, panel}) => {
  const stage = box.getRootNode().stage, canvas = stage.base.getBoundingClientRect();
  for (const { block: b, panel: p, x, y, w, h } of stage.now.blocks) {
    if (b.name !== name || !b.grid || (panel && p.id !== panel) || (head !== null && b.head !== head)) continue;
    const r = head === null ? row - b.row : row, c = head === null ? col - b.col : col;
    if (r < 0 || c < 0 || r >= b.rows || c >= b.cols) continue;
    const wide = w / b.cols, tall = h / b.rows;
    return { x: x + c * wide, y: y + r * tall, wide, tall, left: canvas.left, top: canvas.top, ratio: stage.ratio };
  }
  return null;
}"""
# Samples after each painted frame; a canvas that is not there counts as empty.
WATCH = """(key) => {
  const small = document.createElement('canvas'), g = small.getContext('2d', { willReadFrequently: true });
  small.width = 240; small.height = 120;
  const seen = window.seenFrames = { going: true, hashes: [], filled: [] };
  const look = () => {
    const host = document.querySelector(`.st-key-${key} [data-testid^="stBidiComponentIsolated"]`);
    const base = host?.shadowRoot?.querySelector('.base');
    g.clearRect(0, 0, 240, 120);
    if (base?.width && base.isConnected) g.drawImage(base, 0, 0, 240, 120);
    const data = g.getImageData(0, 0, 240, 120).data;
    let hash = 0, filled = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 20) filled++;
      hash = (hash * 31 + data[i] + 3 * data[i + 1] + 7 * data[i + 2] + data[i + 3]) | 0;
    }
    seen.hashes.push(hash); seen.filled.push(filled);
    if (seen.going) requestAnimationFrame(() => setTimeout(look));
  };
  look();
}"""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell on the canvas in CSS pixels. `left`, `top`: the canvas's place in the window."""

    x: float
    y: float
    wide: float
    tall: float
    left: float
    top: float
    ratio: float

    @property
    def middle(self) -> tuple[float, float]:
        return self.left + self.x + self.wide / 2, self.top + self.y + self.tall / 2


def place(page: Page, name: str, row: int, col: int, head: int | None = None, panel: str = "", key: str = "stage") -> Place:
    """The place of the number at this row and column (from 0), of one head's matrix if `head` is given."""
    box = page.locator(f".st-key-{key} .stage")
    wanted = {"name": name, "head": head, "row": row, "col": col, "panel": panel}
    box.scroll_into_view_if_needed()
    found = box.evaluate(FIND, wanted)
    assert found, f"not on the stage: {wanted}"
    middle = found["top"] + found["y"]
    if not 60 < middle < page.viewport_size["height"] - 40:  # under the header or below the window: nobody could point at it
        page.mouse.move(page.viewport_size["width"] * 0.7, page.viewport_size["height"] / 2)
        page.mouse.wheel(0, middle - page.viewport_size["height"] / 2)
        page.wait_for_timeout(150)
        found = box.evaluate(FIND, wanted)
    return Place(**found)


def colour(page: Page, at: Place, key: str = "stage", canvas: str = "base", across: float = 0.2, down: float = 0.15) -> list[int]:
    """Red, green, blue and opacity in a cell, near its corner, where no number is written."""
    spot = [round((at.x + across * at.wide) * at.ratio), round((at.y + down * at.tall) * at.ratio)]
    pick = "(c, [x, y]) => [...c.getContext('2d').getImageData(x, y, 1, 1).data]"
    return page.locator(f".st-key-{key} .{canvas}").evaluate(pick, spot)


def colours(page: Page, at: Place, key: str = "stage") -> set[tuple[int, ...]]:
    """All colours (red, green, blue, opacity) in the inner part of a cell."""
    spot = [
        round((at.x + 2) * at.ratio), round((at.y + 2) * at.ratio), int((at.wide - 5) * at.ratio), int((at.tall - 5) * at.ratio),
    ]  # fmt: skip
    pick = "(c, [x, y, w, h]) => [...c.getContext('2d').getImageData(x, y, w, h).data]"
    flat = page.locator(f".st-key-{key} .base").evaluate(pick, spot)
    return {tuple(flat[i : i + 4]) for i in range(0, len(flat), 4)}


def lit(page: Page, at: Place, key: str = "stage") -> bool:
    """Whether a side of the cell is highlighted."""
    sides = ((0.5, -0.06), (0.5, 1.0), (-0.06, 0.5), (1.0, 0.5), (0.5, 0.0), (0.0, 0.5))
    return any(colour(page, at, key, "over", across, down)[3] > 0 for across, down in sides)


def on_ramp(share: float, colours: Sequence[str]) -> np.ndarray:
    """The colour at `share` (0 to 1) of a scale with evenly spaced colours, computed without the stage's own code."""
    stops = np.array([[int(hue[i : i + 2], 16) for i in (1, 3, 5)] for hue in colours])
    return np.array([np.interp(share * (len(colours) - 1), range(len(colours)), stops[:, channel]) for channel in range(3)])


def drawn(page: Page, key: str = "stage") -> int:
    """The number of pictures that the stage has drawn."""
    return int(page.locator(f".st-key-{key} .stage").get_attribute("data-drawn") or 0)


def point_at(page: Page, at: Place) -> None:
    page.mouse.move(*at.middle)


def tip(page: Page, key: str = "stage") -> str:
    """The text of the tooltip for the cell below the pointer."""
    shown = page.locator(f".st-key-{key} .tip")
    return shown.inner_text() if shown.is_visible() else ""


def start_watching(page: Page, key: str = "stage") -> None:
    page.evaluate(WATCH, key)


def frames(page: Page) -> tuple[list[int], list[int]]:
    """Ends the recording of frames. Returns for each frame a fingerprint, and how many of 28,800 points of the canvas were not
    empty."""
    seen = page.evaluate("() => { window.seenFrames.going = false; return window.seenFrames; }")
    return seen["hashes"], seen["filled"]


# Of a card on the start page: a spot above its sheets, its own name and its count.
CARD = """(box, id) => {
  const stage = box.getRootNode().stage, at = box.getBoundingClientRect();
  const { panel, x, y } = stage.now.frames.find(({ panel }) => (id ? panel.id === id : panel.on));
  const count = panel.texts.map((one) => one.text).find((text) => /^[\\d,]+$/.test(text));
  return { spot: [at.x + x + 6, at.y + y + 6], id: panel.id, count: Number((count ?? "0").replaceAll(",", "")) };
}"""


def lit_card(page: Page) -> tuple[str, int]:
    """The start page's highlighted card, such as "paper 4", and its parameter count; "" and 0 before it is drawn."""
    box = page.locator(".st-key-law .stage[data-drawn]")
    card = box.evaluate(CARD, "") if box.count() else {"id": "", "count": 0}
    return card["id"], card["count"]


def card(page: Page, id: str) -> tuple[float, float]:
    """The point (x, y) at which a card of the start page can be clicked."""
    left, top = page.locator(".st-key-law .stage").evaluate(CARD, id)["spot"]
    return left, top


#: Plotly's heatmaps of a key; and in the window the middle of a cell (row, column) of the one with this number, all from 0.
FIGURE = "(key) => document.querySelector(`.st-key-${key} .js-plotly-plot`)"
SPOT = f"""([key, number, row, col, scrolls]) => {{
  const figure = ({FIGURE})(key), layout = figure._fullLayout, end = number ? number + 1 : "";
  if (scrolls) figure.scrollIntoView({{ block: "center", behavior: "instant" }});
  const box = figure.getBoundingClientRect(), x = layout[`xaxis${{end}}`], y = layout[`yaxis${{end}}`];
  return [box.left + x._offset + x.l2p(col + 1), box.top + y._offset + y.l2p(row + 1)];
}}"""


def spot(page: Page, number: int, row: int, col: int, key: str = "attention_maps", scrolls: bool = True) -> tuple[float, float]:
    """The point (x, y) of a cell. `scrolls`: scrolls its figure into view first."""
    return tuple(page.evaluate(SPOT, [key, number, row, col, scrolls]))
