"""Bars: a whole model, every component as long as its parameters; and all heads together against d_model, one bar a model."""

from collections.abc import Sequence

from headcount.models.conventions import CONVENTIONS, convention
from headcount.models.model import KINDS, Model
from headcount.names import counted
from headcount.stage.chart import LEGEND_ABOVE, layout
from headcount.stage.text import compact
from headcount.stage.theme import EITHER

GREY = "rgba(138, 143, 152, 0.55)"
PART_HUES = dict(zip(KINDS, (EITHER[2], EITHER[0], EITHER[1], "rgba(160, 142, 118, 0.55)", EITHER[3], GREY), strict=True))
SPLIT_HUES = dict(zip(CONVENTIONS, (EITHER[3], EITHER[0], EITHER[1], EITHER[2]), strict=True))


def draw_parts(model: Model) -> tuple[dict, str]:
    """One stacked bar, and each kind with its sum; segments of one kind stand together and are named where there is room."""
    total, traces, sums = sum(part.count for part in model.ledger()), [], []
    for kind in KINDS:
        if parts := [part for part in model.ledger() if part.kind == kind]:
            count = sum(part.count for part in parts)
            sums.append(f"{kind} {count:,} ({count / total:.1%})")
            traces.append({
                "type": "bar", "orientation": "h", "y": [0] * len(parts), "x": [part.count for part in parts], "width": 0.8,
                "name": f"{kind} {compact(count)}, {count / total:.1%}",
                "marker": {"color": PART_HUES[kind], "line": {"width": 1, "color": "rgba(255, 255, 255, 0.65)"}},
                "text": [f"{part.times:,} × {part.label}" if part.times > 1 else part.label for part in parts],
                "textposition": "none", "hovertemplate": "%{text}: %{value:,}<extra></extra>",
            })  # fmt: skip
    figure = {
        "data": traces,
        "layout": layout(
            212, (8, 24, 106, 26), barmode="stack",  # a legend gets half: on a phone each kind has a row of 19 pixels
            showlegend=True, hovermode="closest",
            legend=LEGEND_ABOVE | {"font": {"size": 12}, "entrywidth": 150, "traceorder": "normal"},
            xaxis={"range": [0, total], "nticks": 6, "fixedrange": True, "tickfont": {"size": 12}, "showgrid": False},
            yaxis={"visible": False, "fixedrange": True},
        ),
    }  # fmt: skip
    return figure, f"{counted(total, 'parameter')}: {', '.join(sums)}."


def widest(models: Sequence[tuple[str, Model]], most: int) -> list[tuple[str, Model]]:
    """The widest by h · d_k, the first of each pair of h · d_k and d_model."""
    pairs = {(m.attention.inner, m.attention.d_model): (name, m) for name, m in reversed(models)}
    return [pairs[pair] for pair in sorted(pairs, reverse=True)[:most]]


def draw_widths(models: Sequence[tuple[str, Model]]) -> tuple[dict, str]:
    """Bars for h · d_k coloured by convention (named in the legend) on a pale bar for d_model; and how many are wider or narrower
    than d_model, and the widest."""
    names = [name for name, _ in models]
    rows = [(name, a.heads, a.d_k, a.inner, a.d_model, CONVENTIONS[convention(a)]) for name, m in models for a in (m.attention,)]
    table = {"title": "All heads together against the model's width", "rows": rows,
             "heads": ("model", "heads", "head size", "heads × head size", "d_model", "convention")}  # fmt: skip
    traces = [{
        "type": "bar", "orientation": "h", "y": names, "x": [m.attention.d_model for _, m in models], "name": "d<sub>model</sub>",
        "hoverinfo": "skip", "width": 0.92, "marker": {"color": "rgba(140, 140, 140, 0.34)"},
    }]  # fmt: skip
    for key, label in CONVENTIONS.items():
        of_split = [(name, m.attention) for name, m in models if convention(m.attention) == key]
        if of_split:
            traces.append({
                "type": "bar", "orientation": "h", "y": [name for name, _ in of_split], "x": [a.inner for _, a in of_split],
                "name": label, "marker": {"color": SPLIT_HUES[key]}, "width": 0.46,
                "customdata": [[a.heads, a.d_k, a.d_model] for _, a in of_split],
                "hovertemplate": "%{y}: %{customdata[0]} × %{customdata[1]} = %{x:,}, "
                                 "d<sub>model</sub> %{customdata[2]:,}<extra></extra>",
            })  # fmt: skip
    other = [name for name, m in models if m.attention.inner != m.attention.d_model]
    name, most = max(models, key=lambda pair: pair[1].attention.inner)
    alt = (
        f"h · d_k beside d_model for {len(models)} models at one scale. In {len(other)} they differ. "
        f"Widest: {name}, {most.attention.inner:,} against {most.attention.d_model:,}."
    )
    figure = {
        "data": traces,
        "layout": layout(
            90 + 19 * len(models), (150, 16, 40, 30), showlegend=True, barmode="overlay", hovermode="closest",
            legend=LEGEND_ABOVE | {"y": 1},
            xaxis={"tickformat": ",", "nticks": 7},
            yaxis={"autorange": "reversed", "tickfont": {"size": 12}, "categoryorder": "array", "categoryarray": names},
            meta={"tables": [table]},
        ),
    }  # fmt: skip
    return figure, alt
