"""A published model when one number moves: its parameters against its heads, and what attention costs against heads, key/value
heads, head size and context."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from components.stage.chart import LEGEND_ABOVE, layout, line, lowered, note
from components.stage.text import bytes_in_words, compact
from components.stage.theme import EITHER
from mha.config import divisors
from mha.models.attention import Attention, Refused
from mha.models.conventions import head_counts
from mha.models.cost import Cost, cost
from mha.models.model import Model
from mha.names import heads_in_words

#: How many of the head counts that are no layer are named, the least first.
MAX_REFUSED = 3
#: The parts of the cost in multiply-adds.
LINES = {"projections": "Q, K, V projections", "scores": "scores QKᵀ", "weighting": "weights · V", "output": lowered("W_O")}
STYLES = dict(zip(LINES, ("solid", "solid", "dash", "dot"), strict=True))
HUES = dict(zip(LINES, EITHER, strict=True))


@dataclass(frozen=True, slots=True)
class Moves:
    """`alone`: key/value heads as chosen. `together`: key/value heads moved in proportion, where that is something else.
    `refused`: head counts up to the largest that are no layer."""

    alone: tuple[tuple[int, int], ...]
    together: tuple[tuple[int, int], ...]
    refused: tuple[int, ...]
    published: tuple[int, int]
    chosen: tuple[int, int]


def _count(model: Model, heads: int, kv_heads: int | None = None) -> int | None:
    try:
        return model.with_heads(heads, kv_heads).attention_total
    except Refused:
        return None


def moves(published: Model, chosen: Model) -> Moves:
    """Counts over the head counts that the slider stops at, no further than the chosen one or 8 times the published one."""
    then, now = published.attention, chosen.attention
    heads = [h for h in head_counts(now) if h <= max(now.heads, 8 * then.heads)]
    alone = [(h, n) for h in heads if (n := _count(chosen, h)) is not None]
    together = []
    if not then.kv_follow:
        for h in heads:
            kv = h * now.kv_heads // now.heads
            if kv and kv * now.heads == h * now.kv_heads and (n := _count(chosen, h, kv)) is not None:
                together.append((h, n))
    refused = tuple(h for h in range(1, max(heads)) if then.tied and _count(chosen, h) is None)
    return Moves(
        tuple(alone), tuple(together) if dict(together) != dict(alone) else (), refused,
        (then.heads, published.attention_total), (now.heads, chosen.attention_total),
    )  # fmt: skip


def moves_alt(counts: Moves) -> str:
    (first, low), (last, high) = counts.alone[0], counts.alone[-1]
    text = f"Attention parameters: {low:,} with {heads_in_words(first)}, {high:,} with {last}."
    if counts.refused:
        text += f" {_refused(counts).capitalize()}."
    return text + f" Chosen: {heads_in_words(counts.chosen[0])}, {counts.chosen[1]:,}."


def _refused(counts: Moves) -> str:
    """The least ones that are refused, and that there are more."""
    least = ", ".join(map(str, counts.refused[:MAX_REFUSED]))
    return f"refused: {least}{', …' if len(counts.refused) > MAX_REFUSED else ''}"


def draw_moves(counts: Moves) -> dict:
    """Draws the counts from zero along both axes: a straight line is so much for each head."""
    traces = [_count_line(counts.alone, "heads alone" if counts.together else "heads", EITHER[0], "solid")]
    if counts.together:
        traces.append(_count_line(counts.together, "key/value heads along", EITHER[2], "dash"))
    h, count = counts.chosen
    most = max(n for points in (counts.alone, counts.together) for _, n in points)
    if counts.published != counts.chosen:
        traces.append(_mark([counts.published[0]], [counts.published[1]], "circle-open", EITHER[3], ["as published"], 13))
    traces.append(_mark([h], [count], "circle-open", EITHER[1], [f"<b>{compact(count)}</b>"], 17))
    legend = len(traces) > 2
    if not legend:
        traces[0]["showlegend"] = False
    refused = f"; {_refused(counts)}" if counts.refused else ""
    return {
        "data": traces,
        "layout": layout(
            300, (66, 16, 12, 46), showlegend=legend, legend=LEGEND_ABOVE, hovermode="closest",
            xaxis={"rangemode": "tozero", "nticks": 9, "title": {"text": f"heads (h){refused}"}},
            yaxis={"range": [0, 1.2 * most], "nticks": 5, "title": {"text": "attention parameters"}},
        ),
    }  # fmt: skip


def _count_line(points: tuple[tuple[int, int], ...], name: str, hue: str, dash: str) -> dict:
    heads, counts = zip(*points, strict=True)
    return line(heads, counts, name, hue, "%{x} heads: %{y:,}<extra></extra>", 6, dash, showlegend=True)


def _mark(x: list[int], y: list[int], symbol: str, hue: str, text: list[str], size: int) -> dict:
    return {
        "type": "scatter", "mode": "markers+text", "x": x, "y": y, "text": text, "textposition": "top center",
        "textfont": {"size": 14}, "showlegend": False, "hoverinfo": "skip",
        "cliponaxis": False, "marker": {"symbol": symbol, "size": size, "color": hue, "line": {"width": 2.5, "color": hue}},
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class CostRow:
    """One row of the picture: which costs, how they are written, factor between two ticks."""

    title: str
    keys: tuple[str, ...]
    spelt: Callable[[float], str]
    step: int


ROWS = (
    CostRow("multiply-adds", tuple(LINES), compact, 100),
    CostRow("score memory, one layer", ("score_bytes",), bytes_in_words, 32),
    CostRow("key/value cache", ("cache_bytes",), bytes_in_words, 32),
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """One axis: what moves, its values, the costs, the present value."""

    label: str
    values: tuple[int, ...]
    costs: tuple[Cost, ...]
    now: int


def _with_key_size(attention: Attention, d_k: int) -> Attention:
    """Returns the module with another size of heads, as if it were a setting."""
    latent = replace(attention.latent, nope=max(d_k - attention.latent.rope, 0)) if attention.latent else None
    return replace(attention, d_k=d_k, d_v=attention.d_v if attention.latent else d_k, tied=False, latent=latent)


def _each(model: Model, change: Callable[[Attention], Attention]) -> Model:
    return replace(model, groups=tuple(replace(g, attention=change(g.attention)) for g in model.groups))


def sweeps(model: Model, context: int, sequences: int) -> list[Sweep]:
    """Heads as the model's convention moves them; the three others as if each were free."""
    a = model.attention
    heads = [h for h in head_counts(a) if h <= 4 * a.heads]
    sizes = sorted({a.d_k, *(d for d in (16, 32, 64, 128, 256, 512) if d <= 4 * a.d_k)})
    lengths = sorted({context, *(context * 2**k for k in range(1, 3)), *(max(context // 2**k, 1) for k in range(1, 4))})
    swept = [
        _sweep("h", heads, a.heads, lambda h: (model.with_heads(h), context), sequences),
        _sweep("d_k", sizes, a.d_k, lambda d: (_each(model, lambda attention: _with_key_size(attention, d)), context), sequences),
        _sweep("T", lengths, context, lambda t: (model, t), sequences),
    ]
    if not a.latent:
        shared = divisors(a.heads)
        kv = lambda n: (_each(model, lambda attention: replace(attention, kv_heads=n, kv_follow=False)), context)  # noqa: E731
        swept.insert(1, _sweep("h_kv", shared, a.kv_heads, kv, sequences))
    return swept


At = Callable[[int], tuple[Model, int]]


def _sweep(label: str, values: list[int], now: int, at: At, sequences: int) -> Sweep:
    layers = {}
    for value in values:
        with suppress(Refused):
            layers[value] = at(value)
    return Sweep(label, tuple(layers), tuple(cost(model, context, sequences) for model, context in layers.values()), now)


def sweeps_alt(swept: list[Sweep]) -> str:
    """How each cost moves from one end of each axis to the other."""
    sentences = []
    for sweep in swept:
        first, last = sweep.costs[0], sweep.costs[-1]
        sentences.append(
            f"{sweep.label} from {sweep.values[0]:,} to {sweep.values[-1]:,}: "
            f"multiply-adds {compact(first.multiply_adds)} to {compact(last.multiply_adds)}, "
            f"score memory {bytes_in_words(first.score_bytes)} to {bytes_in_words(last.score_bytes)}, "
            f"cache {bytes_in_words(first.cache_bytes)} to {bytes_in_words(last.cache_bytes)}."
        )
    return " ".join(sentences)


def draw_sweeps(swept: list[Sweep]) -> dict:
    """Columns: what moves. Rows: multiply-adds, score memory of a layer, cache (where there is one); each row on one scale.

    Both axes are logarithmic: level is free, one step up a step along is in proportion, two are the square.
    """
    rows = [row for row in ROWS if any(getattr(c, row.keys[0]) for sweep in swept for c in sweep.costs)]
    traces, axes, notes = [], {}, []
    for column, sweep in enumerate(swept):
        shown = sorted({sweep.values[0], sweep.now, sweep.values[-1]})
        axes[f"xaxis{_of(column)}"] = _logarithmic(shown, compact) | {"tickangle": 0}
        notes.append(note(f"vs <b>{sweep.label}</b>", 0.5, 1, xref=f"x{_of(column)} domain", yanchor="bottom", yshift=18))
        for number, row in enumerate(rows):
            traces += _lines(sweep, row, {"xaxis": f"x{_of(column)}", "yaxis": f"y{_of(number)}"}, legend=column == 0)
    for number, row in enumerate(rows):
        axes[f"yaxis{_of(number)}"] = _logarithmic([row.step**k for k in range(60)], row.spelt)
        notes.append(note(f"<b>{row.title}</b>", 0, 1, yref=f"y{_of(number)} domain", xanchor="left", yanchor="bottom"))
    return {
        "data": traces,
        "layout": layout(
            80 + 165 * len(rows), (66, 8, 82, 24), showlegend=True, annotations=notes, hovermode="closest", **axes,
            grid={"rows": len(rows), "columns": len(swept), "pattern": "coupled", "xgap": 0.14, "ygap": 0.3},
            legend={"orientation": "h", "x": 0, "y": 1.12, "yanchor": "bottom", "font": {"size": 13}},
        ),
    }  # fmt: skip


def _of(number: int) -> str:
    """How Plotly ends the name of an axis, from 0: the first has no number."""
    return f"{number + 1}" if number else ""


def _logarithmic(ticks: list[int], spelt: Callable[[float], str]) -> dict:
    return {"type": "log", "tickvals": ticks, "ticktext": [spelt(tick) for tick in ticks], "fixedrange": True}


def _lines(sweep: Sweep, row: CostRow, place: dict[str, str], legend: bool) -> list[dict]:
    now, traces = sweep.costs[sweep.values.index(sweep.now)], []
    for key in row.keys:
        values = [getattr(c, key) for c in sweep.costs]
        hue, label = HUES.get(key, EITHER[0]), LINES.get(key, row.title)
        traces.append({
            "type": "scatter", **place, "mode": "lines", "x": sweep.values, "y": values, "name": label, "legendgroup": key,
            "showlegend": legend and key in LINES, "line": {"color": hue, "dash": STYLES.get(key, "solid"), "width": 2.5},
            "text": [row.spelt(v) for v in values], "hovertemplate": "%{x:,}: %{text}<extra>" + label + "</extra>",
        })  # fmt: skip
    hues = [HUES.get(key, EITHER[0]) for key in row.keys]
    traces.append({
        "type": "scatter", **place, "mode": "markers", "x": [sweep.now] * len(row.keys),
        "y": [getattr(now, key) for key in row.keys], "showlegend": False, "hoverinfo": "skip",
        "marker": {"size": 11, "color": hues},
    })  # fmt: skip
    return traces
