"""Chart of published models as dots: h · d_k is plotted against d_model. A line marks the paper's rule, h · d_k = d_model."""

from collections.abc import Sequence
from math import log

from headcount.models.conventions import CONVENTIONS, convention
from headcount.models.entry import entries
from headcount.models.model import Model
from headcount.names import heads_in_words
from headcount.stage.chart import layout
from headcount.stage.theme import EITHER, EITHER_HEADS

#: Most dots with a name among those off the line. The farthest ones have names.
MAX_NAMED = 6
ON, OFF = EITHER_HEADS[0], EITHER_HEADS[1]
TICKS = [2**power for power in range(8, 16)]


def published() -> list[tuple[str, Model]]:
    """Lists the published models as pairs of name and model. Variants from the paper's table or from the blog are left out."""
    return [(entry.slug, entry.model) for entry in entries().values() if entry.row in ("model", "formula only")]


def times(model: Model) -> float:
    """Returns h · d_k divided by the model's d_model. By the paper's rule the result is 1."""
    return model.attention.inner / model.attention.d_model


def counted(models: Sequence[tuple[str, Model]]) -> str:
    on = sum(times(model) == 1 for _, model in models)
    return f"In {on} of {len(models)} models, heads × key size = width"


def draw(models: Sequence[tuple[str, Model]], chosen: str = "") -> tuple[dict, str]:
    """Draws the models on logarithmic axes, and the paper's rule as a line. Models with the same d_model and h · d_k share one
    dot, which is larger. A dot is hollow if none of its models has the convention "invariant" (headcount.models.conventions). The
    dot of the model `chosen` has a ring and a name. The figure's last trace has the dots, in the order of `at_points`."""
    points = at_points(models)
    low, high = min(min(at) for at in points) / 1.4, max(max(at) for at in points) * 1.4
    of = dict(models)
    far = sorted((at for at in points if at[0] != at[1]), key=lambda at: -abs(log(at[1] / at[0])))[:MAX_NAMED]
    named = {at: points[at][0] for at in far} | {at: chosen for at, names in points.items() if chosen in names}
    traces = [
        {"type": "scatter", "mode": "lines", "x": [low, high], "y": [low, high], "hoverinfo": "skip",
         "line": {"color": EITHER[0], "width": 1.5}},
        {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "line": {"color": OFF, "width": 1}, "opacity": 0.4,
         "x": [x for width, inner in points if width != inner for x in (width, width, None)],
         "y": [y for width, inner in points if width != inner for y in (width, inner, None)]},
        {"type": "scatter", "mode": "markers", "hoverinfo": "skip",
         "x": [at[0] for at, names in points.items() if chosen in names],
         "y": [at[1] for at, names in points.items() if chosen in names],
         "marker": {"size": 26, "color": "rgba(0, 0, 0, 0)", "line": {"width": 2, "color": EITHER[0]}}},
        {"type": "scatter", "mode": "markers+text", "x": [at[0] for at in points], "y": [at[1] for at in points],
         "marker": {
             "size": [10 + 2 * min(len(names) - 1, 3) for names in points.values()], "opacity": 1,
             "color": [ON if width == inner else OFF for width, inner in points],
             "symbol": ["circle" if any(convention(of[name].attention) == "invariant" for name in names) else "circle-open"
                        for names in points.values()],
             "line": {"width": 2},
         },
         "text": [_label(named.get(at, ""), at) for at in points], "textfont": {"size": 13},
         "textposition": ["middle left" if at[1] > 1.2 * at[0] else "bottom right" for at in points],
         "hovertext": [_hover(names, of) for names in points.values()], "hovertemplate": "%{hovertext}<extra></extra>"},
    ]  # fmt: skip
    ticks = [tick for tick in TICKS if low <= tick <= high]
    axis = {"type": "log", "range": [log(low, 10), log(high, 10)], "tickvals": ticks, "ticktext": [f"{tick:,}" for tick in ticks],
            "tickfont": {"size": 13}, "fixedrange": True}  # fmt: skip
    rows = [(name, a.heads, a.d_k, a.inner, a.d_model, CONVENTIONS[convention(a)]) for name, m in models for a in (m.attention,)]
    table = {"title": "All heads together against the model's width", "rows": rows,
             "heads": ("model", "heads", "key size", "heads × key size", "width", "convention")}  # fmt: skip
    figure = {
        "data": traces,
        "layout": layout(
            450, (60, 16, 30, 46), over="heads × key size", showlegend=False, hovermode="closest", meta={"tables": [table]},
            xaxis=axis | {"title": {"text": "width d<sub>model</sub>"}}, yaxis=axis,
        ),
    }  # fmt: skip
    name, most = max(models, key=lambda pair: times(pair[1]))
    far = f"{name} is farthest from the line: heads × key size is {times(most):.3g} times the width."
    alt = f"{counted(models)}: their dots are on one line. {far}"
    return figure, alt


def at_points(models: Sequence[tuple[str, Model]]) -> dict[tuple[int, int], list[str]]:
    """Groups the names of models by dot. The key of a dot is the pair (d_model, h · d_k)."""
    points: dict[tuple[int, int], list[str]] = {}
    for name, model in models:
        points.setdefault((model.attention.d_model, model.attention.inner), []).append(name)
    return points


def pressed(models: Sequence[tuple[str, Model]], number: int, now: str) -> str:
    """Returns the name of the model that a click on dot `number` chooses: the dot's first model. If the current model `now`
    belongs to the dot, the click chooses the model after `now`. Returns `now` if there is no such dot."""
    points = [*at_points(models).values()]
    names = points[number] if 0 <= number < len(points) else [now]
    return names[(names.index(now) + 1) % len(names)] if now in names else names[0]


def _label(name: str, at: tuple[int, int]) -> str:
    width, inner = at
    return name if not name or width == inner else f"{name} ×{inner / width:.2g}"


def _hover(names: Sequence[str], models: dict[str, Model]) -> str:
    lines = (
        f"{name}: {heads_in_words(a.heads)} of {a.d_k}, {a.d_model:,} wide" for name in names for a in (models[name].attention,)
    )
    return "<br>".join(lines)
