"""Chart of a whole model as one bar. Each component is a segment, whose length is the component's parameter count."""

from headcount.models.model import KINDS, Model
from headcount.names import counted
from headcount.stage.chart import LEGEND_ABOVE, layout
from headcount.stage.text import compact
from headcount.stage.theme import EITHER

GREY = "rgba(138, 143, 152, 0.55)"
PART_HUES = dict(zip(KINDS, (EITHER[2], EITHER[0], EITHER[1], "rgba(160, 142, 118, 0.55)", EITHER[3], GREY), strict=True))


def draw_parts(model: Model) -> tuple[dict, str]:
    """Draws a bar with a segment for each component of a model, sorted by kind. Also returns the count of each kind in words."""
    total, traces, sums = sum(part.count for part in model.ledger()), [], []
    for kind in KINDS:
        if parts := [part for part in model.ledger() if part.kind == kind]:
            count = sum(part.count for part in parts)
            fraction = f"{100 * count / total:.3g}%"
            sums.append(f"{kind} {count:,} ({fraction})")
            traces.append({
                "type": "bar", "orientation": "h", "y": [0] * len(parts), "x": [part.count for part in parts], "width": 0.8,
                "name": f"{kind} {compact(count)}, {fraction}",
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
