"""Who shares what: heads above, the keys and values they look at below, a line for each bond."""

from dataclasses import dataclass

from components.figures.chart import bare, hidden, note
from components.figures.theme import EITHER, GHOST
from mha.names import counted, heads_in_words
from mha.published.attention import Attention, Latent
from mha.published.conventions import SHARING, sharing

#: Heads that are drawn one by one; of more, the first ones.
MOST_DRAWN = 128


@dataclass(frozen=True, slots=True)
class Bonds:
    """`drawn` of `heads` heads; `group` is how many of them share one of `kv_heads` key/value heads."""

    kind: str
    heads: int
    kv_heads: int
    drawn: int
    group: int
    sentence: str


def bonds(attention: Attention) -> Bonds:
    """Who shares, counted and in words."""
    kind, h, kv = sharing(attention), attention.heads, attention.kv_heads
    text = {
        "MHA": f"{heads_in_words(h)}, each with keys and values of its own.",
        "GQA": f"{heads_in_words(h)}, {counted(kv, 'key/value head')}: {heads_in_words(h // kv)} share one.",
        "MQA": f"{heads_in_words(h)}, all of them share one key/value head.",
        "MLA": "",
    }[kind]
    if latent := attention.latent:
        queries = f"; queries come up from another of {latent.q_rank:,}" if latent.q_rank else ""
        text = (
            f"{heads_in_words(h)}, all of them from one latent of {counted(latent.kv_rank, 'number')} a token, each through its "
            f"own up-projection, and one rotary key of {latent.rope} for all{queries}."
        )
    drawn = min(h, MOST_DRAWN)
    return Bonds(kind, h, kv, drawn, h // kv, f"{SHARING[kind].capitalize()} attention: {text}")


def alt(groups: Bonds) -> str:
    more = f" The first {groups.drawn} are drawn." if groups.drawn < groups.heads else ""
    return groups.sentence + more


def draw(attention: Attention, groups: Bonds) -> dict:
    """Squares for heads; below them squares for key/value heads, or the bars of the latents."""
    size = max(4, min(20, 430 // groups.drawn))
    places = [(i + 0.5) / groups.drawn for i in range(groups.drawn)]
    hues = [EITHER[(i // groups.group) % 2] if groups.kind != "MLA" else EITHER[0] for i in range(groups.drawn)]
    square = {"symbol": "square", "size": size, "line": {"width": 0}}
    heads = {
        "type": "scatter", "mode": "markers", "x": places, "y": [1.0] * groups.drawn, "marker": {**square, "color": hues},
        "text": [f"head {i + 1}" for i in range(groups.drawn)], "hovertemplate": "%{text}<extra></extra>",
    }  # fmt: skip
    latent = attention.latent
    below = _shared(groups, places, square) if latent is None else _latents(latent, groups, places)
    more = f", the first {groups.drawn} drawn" if groups.drawn < groups.heads else ""
    above = f"{counted(groups.heads, 'query head')} of {attention.d_k:,}{more}"
    notes = [note(above, 0.5, 1.12, yanchor="bottom"), *below["notes"]]
    return {
        "data": [*below["data"], heads],
        "layout": bare(
            236, annotations=notes, shapes=below["shapes"],
            xaxis=hidden(range=[-0.02, 1.02]), yaxis=hidden(range=[-0.42, 1.34]), meta={"tables": [table(attention, groups)]},
        ),
    }  # fmt: skip


def table(attention: Attention, groups: Bonds) -> dict:
    """What is drawn, to be attached (components/figures/numbers.py): each query head's key/value head, or the latents' sizes."""
    if latent := attention.latent:
        sizes = (("query latent", latent.q_rank), ("key/value latent", latent.kv_rank), ("rotary key", latent.rope))
        rows = tuple((name, size) for name, size in sizes if size)
        title = f"Latents that {heads_in_words(groups.heads)} share"
        return {"title": title, "heads": ("latent", "numbers a token"), "rows": rows}
    rows = tuple((i + 1, i // groups.group + 1) for i in range(groups.heads))
    return {"title": "Who shares keys and values", "heads": ("query head", "key/value head"), "rows": rows}


def _bond_lines(pairs: list[tuple[float, float]], low: float, thin: bool = False) -> dict:
    line = {"width": 0.6, "color": "rgba(140, 140, 140, 0.4)"} if thin else {"width": 1, "color": "rgba(140, 140, 140, 0.6)"}
    return {
        "type": "scatter", "mode": "lines", "hoverinfo": "skip", "line": line,
        "x": [v for below, above in pairs for v in (below, above, None)], "y": [v for _ in pairs for v in (low, 1.0, None)],
    }  # fmt: skip


def _shared(groups: Bonds, places: list[float], square: dict) -> dict:
    count = -(-groups.drawn // groups.group)
    members = [places[i * groups.group : (i + 1) * groups.group] for i in range(count)]
    middles = [sum(group) / len(group) for group in members]
    pairs = [(middle, place) for middle, group in zip(middles, members, strict=True) for place in group]
    marks = {
        "type": "scatter", "mode": "markers", "x": middles, "y": [0.0] * count,
        "marker": {**square, "color": [EITHER[i % 2] for i in range(count)], "symbol": "diamond", "size": square["size"] + 2},
        "text": [f"key/value head {i + 1}" for i in range(count)], "hovertemplate": "%{text}<extra></extra>",
    }  # fmt: skip
    label = counted(groups.kv_heads, "key/value head")
    return {"data": [_bond_lines(pairs, 0.0), marks], "notes": [note(label, 0.5, -0.14, yanchor="top")], "shapes": []}


def _latents(latent: Latent, groups: Bonds, places: list[float]) -> dict:
    bars = [("key/value latent", latent.kv_rank, EITHER[1]), ("rotary key", latent.rope, EITHER[2])]
    if latent.q_rank:
        bars.insert(0, ("query latent", latent.q_rank, EITHER[0]))
    slot, longest = 1 / len(bars), max(size for _, size, _ in bars)
    shapes, notes, pairs = [], [], []
    for number, (label, size, hue) in enumerate(bars):
        middle, half = (number + 0.5) * slot, 0.42 * slot * size / longest
        shapes.append(_bar(middle - half, middle + half, -0.07, 0.07, hue))
        notes.append(note(f"{label}<br>{counted(size, 'number')}", middle, -0.12, yanchor="top", size=13))
        pairs += [(middle, place) for place in places]
    shapes.append(_bar(0, 1, 0.86, 1.14, GHOST))
    return {"data": [_bond_lines(pairs, 0.07, thin=groups.drawn > 24)], "notes": notes, "shapes": shapes}


def _bar(x0: float, x1: float, y0: float, y1: float, hue: str) -> dict:
    return {
        "type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "fillcolor": hue, "line": {"width": 0}, "layer": "below",
    }  # fmt: skip
