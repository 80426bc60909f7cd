"""What attention costs against heads, key/value heads, head size and context: the rest as chosen."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from components.figures.published.look import bytes_in_words, layout, note, short
from components.theme import EITHER
from mha.published.attention import Attention, Refused
from mha.published.conventions import divisors, head_counts, with_key_size
from mha.published.cost import Cost, cost
from mha.published.model import Model

LINES = {"projections": "Q, K, V projections", "scores": "scores QKᵀ", "weighting": "weights · V", "output": "W_O"}
STYLES = dict(zip(LINES, ("solid", "solid", "dash", "dot"), strict=True))
HUES = dict(zip(LINES, (EITHER[0], EITHER[1], EITHER[2], EITHER[3]), strict=True))


@dataclass(frozen=True, slots=True)
class Sweep:
    """One axis: what moves, its values, the costs, the present value."""

    label: str
    values: tuple[int, ...]
    costs: tuple[Cost, ...]
    now: int


def _each(model: Model, change: Callable[[Attention], Attention]) -> Model:
    return replace(model, groups=tuple(replace(g, attention=change(g.attention)) for g in model.groups))


def sweeps(model: Model, context: int, sequences: int) -> list[Sweep]:
    """Heads as the model's convention moves them; the three others as if each were free."""
    a = model.attention
    heads = [h for h in head_counts(a) if h <= 4 * a.heads]
    sizes = sorted({a.d_k, *(d for d in (16, 32, 64, 128, 256, 512) if d <= 4 * a.d_k)})
    lengths = sorted({context, *(context * 2**k for k in range(1, 3)), *(max(context // 2**k, 1) for k in range(1, 4))})
    made = [
        _sweep("heads h", heads, a.heads, lambda h: (model.with_heads(h), context), sequences),
        _sweep("key size d_k", sizes, a.d_k, lambda d: (_each(model, lambda one: with_key_size(one, d)), context), sequences),
        _sweep("context T", lengths, context, lambda t: (model, t), sequences),
    ]
    if not a.latent:
        shared = divisors(a.heads, a.heads)
        kv = lambda n: (_each(model, lambda one: replace(one, kv_heads=n, kv_follow=False)), context)  # noqa: E731
        made.insert(1, _sweep("key/value heads h_kv", shared, a.kv_heads, kv, sequences))
    return made


At = Callable[[int], tuple[Model, int]]


def _sweep(label: str, values: list[int], now: int, at: At, sequences: int) -> Sweep:
    def points() -> Iterator[tuple[int, Cost]]:
        for value in values:
            try:
                model, context = at(value)
            except Refused:
                continue
            yield value, cost(model, context, sequences)

    made = list(points())
    return Sweep(label, tuple(v for v, _ in made), tuple(c for _, c in made), now)


def alt(made: list[Sweep]) -> str:
    """How each cost moves from one end of each axis to the other."""
    said = []
    for sweep in made:
        first, last = sweep.costs[0], sweep.costs[-1]
        said.append(
            f"{sweep.label} from {sweep.values[0]:,} to {sweep.values[-1]:,}: "
            f"multiply-adds {short(first.multiply_adds)} to {short(last.multiply_adds)}, "
            f"score memory {bytes_in_words(first.score_bytes)} to {bytes_in_words(last.score_bytes)}, "
            f"cache {bytes_in_words(first.cache_bytes)} to {bytes_in_words(last.cache_bytes)}."
        )
    return " ".join(said)


def draw(made: list[Sweep]) -> dict:
    """Columns: what moves. Rows: multiply-adds, score memory of a layer, cache; each row on one scale."""
    wide = 1 / len(made)
    traces, axes, notes = [], {}, []
    rows = ((0.70, 1.0), (0.36, 0.60), (0.0, 0.26))
    for column, sweep in enumerate(made):
        low, high = column * wide + 0.015, (column + 1) * wide - 0.015
        for row, domain in enumerate(rows):
            number = row * len(made) + column + 1
            x, y = f"x{number}", f"y{number}"
            axes[f"xaxis{number}"] = {
                "domain": [low, high], "anchor": y, "type": "log", "tickvals": _ticks(sweep), "showticklabels": row == 2,
                "ticktext": [short(v) for v in _ticks(sweep)], "fixedrange": True, "tickangle": 0,
            }  # fmt: skip
            axes[f"yaxis{number}"] = {
                "domain": list(domain), "anchor": x, "rangemode": "tozero", "nticks": 4, "showticklabels": column == 0,
                "fixedrange": True, **({} if column == 0 else {"matches": f"y{row * len(made) + 1}"}),
            }  # fmt: skip
            traces += _row_traces(sweep, row, x.removesuffix("1") if number == 1 else x, y if number > 1 else "y", column == 0)
        notes.append(note(f"<b>{sweep.label}</b>", (low + high) / 2, 1.02, xref="paper", yref="paper", yanchor="bottom"))
    for text, (_, top) in zip(("multiply-adds", "score memory, one layer", "key/value cache"), rows, strict=True):
        notes.append(note(text, 0.015, top, xref="paper", yref="paper", xanchor="left", yanchor="top", size=12, xshift=4))
    return {
        "data": traces,
        "layout": layout(
            600, showlegend=True, margin={"l": 58, "r": 8, "t": 66, "b": 30}, annotations=notes, **axes,
            legend={"orientation": "h", "x": 0, "y": 1.07, "yanchor": "bottom", "font": {"size": 13}},
        ),
    }  # fmt: skip


def _ticks(sweep: Sweep) -> list[int]:
    step = max(1, -(-len(sweep.values) // 5))
    return list(sweep.values[::step])


def _row_traces(sweep: Sweep, row: int, x: str, y: str, legend: bool) -> list[dict]:
    at = {"type": "scatter", "xaxis": x, "yaxis": y, "x": sweep.values}
    if row == 0:
        lines = [
            {**at, "mode": "lines", "name": label, "y": [getattr(c, key) for c in sweep.costs], "showlegend": legend,
             "legendgroup": key, "line": {"color": HUES[key], "dash": STYLES[key], "width": 2.5},
             "hovertemplate": "%{x:,}: %{y:,}<extra>" + label + "</extra>"}
            for key, label in LINES.items()
        ]  # fmt: skip
        marked = [(getattr(_present(sweep), key), HUES[key]) for key in LINES]
    else:
        key = ("score_bytes", "cache_bytes")[row - 1]
        values = [getattr(c, key) for c in sweep.costs]
        lines = [
            {**at, "mode": "lines", "y": values, "showlegend": False, "line": {"color": EITHER[0], "width": 2.5},
             "text": [bytes_in_words(v) for v in values], "hovertemplate": "%{x:,}: %{text}<extra></extra>"}
        ]  # fmt: skip
        marked = [(getattr(_present(sweep), key), EITHER[0])]
    dots = {
        **at, "mode": "markers", "x": [sweep.now] * len(marked), "y": [v for v, _ in marked], "showlegend": False,
        "hoverinfo": "skip", "marker": {"size": 11, "color": [hue for _, hue in marked]},
    }  # fmt: skip
    return [*lines, dots]


def _present(sweep: Sweep) -> Cost:
    return sweep.costs[sweep.values.index(sweep.now)]
