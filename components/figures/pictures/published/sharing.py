"""Who shares what: heads above, the keys and values they look at below, a line for each bond."""

from components.figures.chart import bare, hidden, note
from components.figures.theme import EITHER, GHOST
from mha.names import counted, heads_in_words
from mha.published.attention import Attention, Latent
from mha.published.conventions import SHARING, sharing

#: Most heads that are drawn; of more, only the first.
MOST_DRAWN = 128


def sentence(attention: Attention) -> str:
    """Who shares, counted and in words."""
    kind, heads, kv = sharing(attention), heads_in_words(attention.heads), attention.kv_heads
    if latent := attention.latent:
        queries = f"; queries are unpacked from another of {latent.q_rank:,}" if latent.q_rank else ""
        text = (
            f"{heads}, their keys and values unpacked from one summary (latent) of {counted(latent.kv_rank, 'number')} a token, "
            f"each in its own way, and one rotary key of {latent.rope} for all{queries}."
        )
    else:
        text = {
            "MHA": f"{heads}, each with keys and values of its own.",
            "GQA": f"{heads}, {counted(kv, 'key/value head')}: {heads_in_words(attention.heads // kv)} share one.",
            "MQA": f"{heads}, all of them share one key/value head.",
        }[kind]
    return f"{SHARING[kind].capitalize()} attention: {text}"


def alt(attention: Attention) -> str:
    return sentence(attention) + (f" The first {MOST_DRAWN} are drawn." if attention.heads > MOST_DRAWN else "")


def draw(attention: Attention) -> dict:
    """Squares for heads; below them squares for key/value heads, or the bars of the latents."""
    drawn, latent, group = min(attention.heads, MOST_DRAWN), attention.latent, attention.heads // attention.kv_heads
    size = max(4, min(20, 430 // drawn))
    places = [(i + 0.5) / drawn for i in range(drawn)]
    hues = [EITHER[0 if latent or group == 1 else (i // group) % 2] for i in range(drawn)]
    square = {"symbol": "square", "size": size, "line": {"width": 0}}
    heads = {
        "type": "scatter", "mode": "markers", "x": places, "y": [1.0] * drawn, "marker": {**square, "color": hues},
        "text": [f"head {i + 1}" for i in range(drawn)], "hovertemplate": "%{text}<extra></extra>",
    }  # fmt: skip
    below = _shared(attention.kv_heads, group, places, square) if latent is None else _latents(latent, places)
    more = f", the first {drawn} drawn" if drawn < attention.heads else ""
    above = f"{counted(attention.heads, 'query head')} of {attention.d_k:,}{more}"
    notes = [note(above, 0.5, 1.12, yanchor="bottom"), *below["notes"]]
    return {
        "data": [*below["data"], heads],
        "layout": bare(
            236, annotations=notes, shapes=below["shapes"],
            xaxis=hidden(range=[-0.02, 1.02]), yaxis=hidden(range=[-0.42, 1.34]), meta={"tables": [table(attention)]},
        ),
    }  # fmt: skip


def table(attention: Attention) -> dict:
    """What is drawn, to be attached (components/figures/numbers.py): each query head's key/value head, or the latents' sizes."""
    if latent := attention.latent:
        queries, keys = ("summary for queries", latent.q_rank), ("summary for keys and values", latent.kv_rank)
        sizes = (queries, keys, ("rotary key", latent.rope))
        rows = tuple((name, size) for name, size in sizes if size)
        title = f"What {heads_in_words(attention.heads)} share"
        return {"title": title, "heads": ("shared", "numbers a token"), "rows": rows}
    rows = tuple((i + 1, i * attention.kv_heads // attention.heads + 1) for i in range(attention.heads))
    return {"title": "Who shares keys and values", "heads": ("query head", "key/value head"), "rows": rows}


def _bond_lines(pairs: list[tuple[float, float]], low: float, thin: bool = False) -> dict:
    line = {"width": 0.6, "color": "rgba(140, 140, 140, 0.4)"} if thin else {"width": 1, "color": "rgba(140, 140, 140, 0.6)"}
    return {
        "type": "scatter", "mode": "lines", "hoverinfo": "skip", "line": line,
        "x": [v for below, above in pairs for v in (below, above, None)], "y": [v for _ in pairs for v in (low, 1.0, None)],
    }  # fmt: skip


def _shared(kv_heads: int, group: int, places: list[float], square: dict) -> dict:
    """Key/value heads in the middle of the query heads that share them, `group` by `group`."""
    members = [places[i : i + group] for i in range(0, len(places), group)]
    count, middles = len(members), [sum(readers) / len(readers) for readers in members]
    pairs = [(middle, place) for middle, readers in zip(middles, members, strict=True) for place in readers]
    hues = [EITHER[0 if group == 1 else i % 2] for i in range(count)]
    marks = {
        "type": "scatter", "mode": "markers", "x": middles, "y": [0.0] * count,
        "marker": {**square, "color": hues, "symbol": "diamond", "size": square["size"] + 2},
        "text": [f"key/value head {i + 1}" for i in range(count)], "hovertemplate": "%{text}<extra></extra>",
    }  # fmt: skip
    label = counted(kv_heads, "key/value head")
    return {"data": [_bond_lines(pairs, 0.0), marks], "notes": [note(label, 0.5, -0.14, yanchor="top")], "shapes": []}


def _latents(latent: Latent, places: list[float]) -> dict:
    bars = [("summary for keys and values", latent.kv_rank, EITHER[1]), ("rotary key", latent.rope, EITHER[2])]
    if latent.q_rank:
        bars.insert(0, ("summary for queries", latent.q_rank, EITHER[0]))
    slot, longest = 1 / len(bars), max(size for _, size, _ in bars)
    shapes, notes, pairs = [], [], []
    for number, (label, size, hue) in enumerate(bars):
        middle, half = (number + 0.5) * slot, 0.42 * slot * size / longest
        shapes.append(_bar(middle - half, middle + half, -0.07, 0.07, hue))
        notes.append(note(f"{label}<br>{counted(size, 'number')}", middle, -0.12, yanchor="top", size=13))
        pairs += [(middle, place) for place in places]
    shapes.append(_bar(0, 1, 0.86, 1.14, GHOST))
    return {"data": [_bond_lines(pairs, 0.07, thin=len(places) > 24)], "notes": notes, "shapes": shapes}


def _bar(x0: float, x1: float, y0: float, y1: float, hue: str) -> dict:
    return {
        "type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "fillcolor": hue, "line": {"width": 0}, "layer": "below",
    }  # fmt: skip
