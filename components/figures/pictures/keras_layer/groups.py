"""Which query heads read which key/value head: a panel for each key/value head, the query heads that read it below."""

import numpy as np

from components.figures.scene import Block, Grid, Length, Panel, Scene, Text, pool_for, pooled, tops_of
from mha.keras.grouped import GroupedLayer, grouped_weights

MOST_PANELS = 16
MOST_CELLS = 32
GAP_PX, TOP_PX, BETWEEN_PX = 6, 46, 54


def scene(layer: GroupedLayer, reads: list[int], alt: str) -> Scene:
    """W_K and W_V of each key/value head, and below them W_Q of the query heads that `reads` says read it. Area is parameters."""
    weights = grouped_weights(layer)
    widths = max(layer.query_width, layer.key_width, layer.value_width)
    pool = pool_for(widths, MOST_CELLS)
    size, grids, panels = layer.head_dim / pool, {}, []
    put = lambda name, head: grids.setdefault(f"{name}/{head}", Grid(pooled(weights[name][:, head], pool), "weight", pool))  # noqa: E731
    for kv in range(min(layer.num_kv_heads, MOST_PANELS)):
        readers = [head for head, read in enumerate(reads) if read == kv]
        blocks, texts = [], [Text(f"key/value head {kv + 1}", Length(), Length(0, 14), 14, "strong", "start", hue=kv)]
        height = max(layer.key_width, layer.value_width) / pool
        for number, name in enumerate(("w_k", "w_v")):
            put(name, kv)
            x = Length(number * size, number * GAP_PX)
            blocks.append(_block(name, kv, kv, x, Length(0, TOP_PX), grids, pool))
            texts.append(Text("W_{K}" if name == "w_k" else "W_{V}", x + Length(size / 2), Length(0, TOP_PX - 11), 12))
        low = Length(height, TOP_PX + BETWEEN_PX)
        said = "read by query head " if len(readers) == 1 else "read by query heads "
        texts.append(
            Text(said + ", ".join(str(head + 1) for head in readers), Length(), low + Length(0, -31), 12, "ink", "start")
        )
        for number, head in enumerate(readers):
            put("w_q", head)
            x = Length(number * size, number * GAP_PX)
            blocks.append(_block("w_q", head, kv, x, low, grids, pool))
            texts.append(Text(f"W_{{Q{head + 1}}}", x + Length(size / 2), low + Length(0, -11), 12))
        columns = max(2, len(readers))
        width = Length(columns * size, (columns - 1) * GAP_PX)
        least = min(max(len(said) * 6.4 + len(readers) * 16, 130), 320)
        panels.append(
            Panel(f"kv-{kv}", width, low + Length(layer.query_width / pool, 8), tuple(blocks), tuple(texts), least_px=least)
        )
    return Scene((tuple(panels),), grids, alt, tops_of(grids), max_cell=9, min_cell=2)


def _block(name: str, head: int, hue: int, x: Length, y: Length, grids: dict[str, Grid], pool: int) -> Block:
    values = np.asarray(grids[f"{name}/{head}"].values)
    tall, wide = values.shape
    return Block(f"{name}-{head}", f"{name}/{head}", x, y, tall, wide, name=name, head=head, hue=hue, strip="top")
