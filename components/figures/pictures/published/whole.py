"""A whole model as one bar: every component as long as its parameters."""

from components.figures.pictures.published.style import layout, short
from components.figures.theme import EITHER
from mha.names import counted
from mha.published.model import KINDS, Model

HUES = dict(zip(KINDS, (EITHER[2], EITHER[0], EITHER[1], EITHER[3], "rgba(138, 143, 152, 0.55)"), strict=True))


def alt(model: Model) -> str:
    """Each kind with its sum."""
    sums = {kind: sum(part.count for part in model.ledger() if part.kind == kind) for kind in KINDS}
    total = sum(sums.values())
    said = [f"{kind} {count:,} ({count / total:.1%})" for kind, count in sums.items() if count]
    return counted(total, "parameter") + ": " + ", ".join(said) + "."


def draw(model: Model) -> dict:
    """One stacked bar; segments of one kind stand together and are named where there is room."""
    parts = sorted(model.ledger(), key=lambda part: KINDS.index(part.kind))
    total = sum(part.count for part in parts)
    traces, start = [], 0
    for kind in KINDS:
        own = [part for part in parts if part.kind == kind]
        starts = [start + sum(part.count for part in own[:i]) for i in range(len(own))]
        kind_sum = sum(part.count for part in own)
        start += kind_sum
        if own:
            traces.append({
                "type": "bar", "orientation": "h", "y": [0] * len(own), "x": [part.count for part in own], "base": starts,
                "name": f"{kind} {short(kind_sum)}, {kind_sum / total:.1%}", "width": 0.8,
                "marker": {"color": HUES[kind], "line": {"width": 1, "color": "rgba(255, 255, 255, 0.65)"}},
                "text": [f"{part.times:,} × {part.label}" if part.times > 1 else part.label for part in own],
                "textposition": "none", "customdata": [part.count for part in own],
                "hovertemplate": "%{text}: %{customdata:,}<extra></extra>",
            })  # fmt: skip
    return {
        "data": traces,
        "layout": layout(
            212, showlegend=True, barmode="overlay",  # a legend gets half: on a phone each kind has a row of 19 pixels
            legend={"orientation": "h", "x": 0, "y": 1.04, "yanchor": "bottom", "font": {"size": 12}, "entrywidth": 150},
            xaxis={"range": [0, total], "nticks": 6, "fixedrange": True, "tickfont": {"size": 12}, "showgrid": False},
            yaxis={"visible": False, "fixedrange": True},
            margin={"l": 8, "r": 24, "t": 106, "b": 26},
        ),
    }  # fmt: skip
