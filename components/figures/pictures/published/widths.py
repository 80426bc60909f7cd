"""All heads together against d_model, one bar a model, one scale."""

from collections.abc import Sequence

from components.figures.pictures.published.style import layout
from components.figures.theme import EITHER
from mha.published.conventions import CONVENTIONS, convention
from mha.published.model import Model

HUES = dict(zip(CONVENTIONS, (EITHER[3], EITHER[0], EITHER[1], EITHER[2]), strict=True))


def alt(models: Sequence[tuple[str, Model]]) -> str:
    """How many are wider or narrower than d_model, and the widest."""
    other = [name for name, m in models if m.attention.inner != m.attention.d_model]
    name, widest = max(models, key=lambda one: one[1].attention.inner)
    return (
        f"h · d_k beside d_model for {len(models)} models at one scale. In {len(other)} they differ. "
        f"Widest: {name}, {widest.attention.inner:,} against {widest.attention.d_model:,}."
    )


def draw(models: Sequence[tuple[str, Model]]) -> dict:
    """Bars for h · d_k coloured by convention (named in the legend) on a pale bar for d_model."""
    names = [name for name, _ in models]
    traces = [{
        "type": "bar", "orientation": "h", "y": names, "x": [m.attention.d_model for _, m in models], "name": "d_model",
        "hoverinfo": "skip", "width": 0.92, "marker": {"color": "rgba(140, 140, 140, 0.34)"},
    }]  # fmt: skip
    for key, label in CONVENTIONS.items():
        own = [(name, m.attention) for name, m in models if convention(m.attention) == key]
        if own:
            traces.append({
                "type": "bar", "orientation": "h", "y": [name for name, _ in own], "x": [a.inner for _, a in own], "name": label,
                "marker": {"color": HUES[key]}, "width": 0.46, "customdata": [[a.heads, a.d_k, a.d_model] for _, a in own],
                "hovertemplate": "%{y}: %{customdata[0]} × %{customdata[1]} = %{x:,}, d_model %{customdata[2]:,}<extra></extra>",
            })  # fmt: skip
    return {
        "data": traces,
        "layout": layout(
            90 + 19 * len(models), showlegend=True, margin={"l": 150, "r": 16, "t": 40, "b": 30}, barmode="overlay",
            legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"size": 13}},
            xaxis={"tickformat": ",", "nticks": 7},
            yaxis={"autorange": "reversed", "tickfont": {"size": 12}, "categoryorder": "array", "categoryarray": names},
        ),
    }  # fmt: skip
