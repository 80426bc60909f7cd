"""A published model when one number moves: its parameters against its heads, and what attention costs against heads, key/value
heads, head size and context."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from components.stage.chart import LEGEND_ABOVE, layout, line, note
from components.stage.text import bytes_in_words, compact
from components.stage.theme import EITHER
from mha.config import divisors
from mha.models.attention import Attention, Refused
from mha.models.conventions import head_counts
from mha.models.cost import Cost, cost
from mha.models.model import Model
from mha.names import heads_in_words

#: The parts of the cost in multiply-adds, and what is remembered: name, hue and dash of each line.
ADDS = {
    "projections": ("Q, K, V projections", EITHER[0], "solid"), "scores": ("scores QKᵀ", EITHER[1], "solid"),
    "weighting": ("weights · V", EITHER[2], "dash"), "output": ("W<sub>O</sub>", EITHER[3], "dot"),
}  # fmt: skip
MEMORY = {"score_bytes": "score memory, one layer", "cache_bytes": "key/value cache"}
LINES = ADDS | {key: (title, EITHER[0], "solid") for key, title in MEMORY.items()}


Counts = dict[int, int]


def moves(published: Model, chosen: Model) -> tuple[Counts, Counts]:
    """Attention's parameters by head counts, those that the slider stops at, no further than the chosen one or 8 times the
    published one: with the chosen key/value heads; and with these moved in proportion, empty where that is the same."""
    then, now = published.attention, chosen.attention
    heads = [h for h in head_counts(now) if h <= max(now.heads, 8 * then.heads)]

    def counts(kv_heads: Mapping[int, int | None]) -> Counts:
        found = {}
        for h, kv in kv_heads.items():
            with suppress(Refused):
                found[h] = chosen.with_heads(h, kv).attention_total
        return found

    alone = counts(dict.fromkeys(heads))
    along = {h: kv for h in heads if not then.kv_follow and (kv := h * now.kv_heads // now.heads) * now.heads == h * now.kv_heads}
    together = counts({h: kv for h, kv in along.items() if kv})
    return alone, {} if together == alone else together


def draw_moves(published: Model, chosen: Model) -> tuple[dict, str]:
    """Draws the counts from zero along both axes, so that a straight line is so much for each head; and says their ends."""
    alone, together = moves(published, chosen)
    then, now = ((one.attention.heads, one.attention_total) for one in (published, chosen))
    traces = [_count_line(alone, "heads alone" if together else "heads", EITHER[0], "solid")]
    traces += [_count_line(together, "key/value heads along", EITHER[2], "dash")] if together else []
    traces += [_mark(then, "as published", EITHER[3], 13)] if then != now else []
    traces.append(_mark(now, f"<b>{compact(now[1])}</b>", EITHER[1], 17))
    legend = len(traces) > 2
    traces[0]["showlegend"] = legend
    figure = {
        "data": traces,
        "layout": layout(
            300, (66, 16, 12, 46), showlegend=legend, legend=LEGEND_ABOVE, hovermode="closest",
            xaxis={"rangemode": "tozero", "nticks": 9, "title": {"text": "heads (h)"}},
            yaxis={"range": [0, 1.2 * max([*alone.values(), *together.values()])], "nticks": 5,
                   "title": {"text": "attention parameters"}},
        ),
    }  # fmt: skip
    first, last = min(alone), max(alone)
    ends = f"Attention parameters: {alone[first]:,} with {heads_in_words(first)}, {alone[last]:,} with {last}."
    return figure, f"{ends} Chosen: {heads_in_words(now[0])}, {now[1]:,}."


def _count_line(counts: Counts, name: str, hue: str, dash: str) -> dict:
    return line([*counts], [*counts.values()], name, hue, "%{x} heads: %{y:,}<extra></extra>", 6, dash, showlegend=True)


def _mark(point: tuple[int, int], text: str, hue: str, size: int) -> dict:
    """A ring with a word above it."""
    return {
        "type": "scatter", "mode": "markers+text", "x": point[:1], "y": point[1:], "text": [text], "textposition": "top center",
        "textfont": {"size": 14}, "showlegend": False, "hoverinfo": "skip", "cliponaxis": False,
        "marker": {"symbol": "circle-open", "size": size, "color": hue, "line": {"width": 2.5, "color": hue}},
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class CostRow:
    """One row of the picture: which costs, how they are written, factor between two ticks."""

    title: str
    keys: tuple[str, ...]
    spelt: Callable[[float], str]
    step: int


ROWS = (
    CostRow("multiply-adds", tuple(ADDS), compact, 100),
    *(CostRow(title, (key,), bytes_in_words, 32) for key, title in MEMORY.items()),
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """One axis: what moves, its values, the costs, the present value."""

    label: str
    values: tuple[int, ...]
    costs: tuple[Cost, ...]
    now: int


def sweeps(model: Model, context: int, sequences: int) -> list[Sweep]:
    """Heads as the model's convention moves them; the three others as if each were free."""

    def swept(label: str, values: list[int], now: int, at: Callable[[int], Model], moves_context: bool = False) -> Sweep:
        costs = {}
        for value in values:
            with suppress(Refused):
                costs[value] = cost(at(value), value if moves_context else context, sequences)
        return Sweep(label, tuple(costs), tuple(costs.values()), now)

    def each(change: Callable[[Attention], Attention]) -> Model:
        return replace(model, groups=tuple(replace(group, attention=change(group.attention)) for group in model.groups))

    def key_size(one: Attention, d_k: int) -> Attention:
        """The module with another size of heads, as if it were a setting."""
        latent = one.latent and replace(one.latent, nope=max(d_k - one.latent.rope, 0))
        return replace(one, d_k=d_k, d_v=one.d_v if latent else d_k, tied=False, latent=latent)

    a = model.attention
    heads = [h for h in head_counts(a) if h <= 4 * a.heads]
    sizes = sorted({a.d_k, *(d for d in (16, 32, 64, 128, 256, 512) if d <= 4 * a.d_k)})
    lengths = sorted({context, *(context * 2**k for k in range(1, 3)), *(max(context // 2**k, 1) for k in range(1, 4))})
    shared = lambda kv: each(lambda one: replace(one, kv_heads=kv, kv_follow=False))  # noqa: E731
    return [
        swept("h", heads, a.heads, model.with_heads),
        *([] if a.latent else [swept("h_kv", divisors(a.heads), a.kv_heads, shared)]),
        swept("d_k", sizes, a.d_k, lambda d: each(lambda one: key_size(one, d))),
        swept("T", lengths, context, lambda _: model, moves_context=True),
    ]


def sweeps_alt(swept: list[Sweep]) -> str:
    """How each cost moves from one end of each axis to the other."""
    return " ".join(
        f"{sweep.label} from {sweep.values[0]:,} to {sweep.values[-1]:,}: "
        f"multiply-adds {compact(first.multiply_adds)} to {compact(last.multiply_adds)}, "
        f"score memory {bytes_in_words(first.score_bytes)} to {bytes_in_words(last.score_bytes)}, "
        f"cache {bytes_in_words(first.cache_bytes)} to {bytes_in_words(last.cache_bytes)}."
        for sweep in swept for first, last in ((sweep.costs[0], sweep.costs[-1]),)
    )  # fmt: skip


def draw_sweeps(swept: list[Sweep]) -> dict:
    """Columns: what moves. Rows: multiply-adds, score memory of a layer, cache (where there is one); each row on one scale.

    Both axes are logarithmic: level is free, one step up a step along is in proportion, two are the square.
    """
    wide = 1 / len(swept)
    rows = [row for row in ROWS if any(getattr(c, row.keys[0]) for sweep in swept for c in sweep.costs)]
    traces, axes, notes = [], {}, []
    for column, sweep in enumerate(swept):
        low, high = column * wide + 0.018, (column + 1) * wide - 0.018
        for number, row in enumerate(rows):
            place, first = (_of(number * len(swept) + one) for one in (column, 0))
            bottom = 1 - (number + 1) / len(rows)
            axes[f"xaxis{place}"] = _across(sweep, place, [low, high], last=row is rows[-1])
            axes[f"yaxis{place}"] = _up(row, place, [bottom + 0.05, bottom + 1 / len(rows) - 0.05], first)
            traces += _lines(sweep, row, place, legend=column == 0)
            if column == 0:
                top = bottom + 1 / len(rows) - 0.05
                notes.append(note(f"<b>{row.title}</b>", low, top, xanchor="left", yanchor="bottom"))
        notes.append(note(f"vs <b>{sweep.label}</b>", (low + high) / 2, 1.0, yanchor="bottom"))
    return {
        "data": traces,
        "layout": layout(
            60 + 165 * len(rows), (66, 8, 62, 24), showlegend=True, annotations=notes, hovermode="closest", **axes,
            legend={"orientation": "h", "x": 0, "y": 1.09, "yanchor": "bottom", "font": {"size": 13}},
        ),
    }  # fmt: skip


def _of(number: int) -> str:
    """How Plotly ends the names of the axes of a chart's part, from 0: the first has no number."""
    return f"{number + 1}" if number else ""


def _across(sweep: Sweep, place: str, domain: list[float], last: bool) -> dict:
    shown = sorted({sweep.values[0], sweep.now, sweep.values[-1]})
    return {
        "domain": domain, "anchor": f"y{place}", "type": "log", "tickvals": shown, "ticktext": [compact(v) for v in shown],
        "showticklabels": last, "fixedrange": True, "tickangle": 0,
    }  # fmt: skip


def _up(row: CostRow, place: str, domain: list[float], first: str) -> dict:
    ticks = {"showticklabels": True} if place == first else {"matches": f"y{first}", "showticklabels": False}
    steps = [row.step**k for k in range(60)]
    return {
        "domain": domain, "anchor": f"x{place}", "type": "log", "tickvals": steps, "ticktext": [row.spelt(v) for v in steps],
        "fixedrange": True, **ticks,
    }  # fmt: skip


def _lines(sweep: Sweep, row: CostRow, place: str, legend: bool) -> list[dict]:
    at = {"type": "scatter", "xaxis": f"x{place}", "yaxis": f"y{place}"}
    now, traces = sweep.costs[sweep.values.index(sweep.now)], []
    for key in row.keys:
        values, (label, hue, dash) = [getattr(c, key) for c in sweep.costs], LINES[key]
        traces.append({
            **at, "mode": "lines", "x": sweep.values, "y": values, "name": label, "showlegend": legend and key in ADDS,
            "legendgroup": key, "line": {"color": hue, "dash": dash, "width": 2.5},
            "text": [row.spelt(v) for v in values], "hovertemplate": "%{x:,}: %{text}<extra>" + label + "</extra>",
        })  # fmt: skip
    traces.append({
        **at, "mode": "markers", "x": [sweep.now] * len(row.keys), "y": [getattr(now, key) for key in row.keys],
        "showlegend": False, "hoverinfo": "skip", "marker": {"size": 11, "color": [LINES[key][1] for key in row.keys]},
    })  # fmt: skip
    return traces
