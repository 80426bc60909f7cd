"""Parameters against heads, three conventions, the present choice marked."""

from dataclasses import dataclass
from functools import lru_cache

from components.stage.chart import LEGEND_ABOVE, layout, line, lowered
from components.stage.theme import CLEAR, EITHER
from mha import Config, count_parameters
from mha.ledger import keras_count, paper_count, pinned_count
from mha.names import counted, heads_in_words


@dataclass(frozen=True, slots=True)
class Curve:
    label: str
    heads: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Curves:
    curves: tuple[Curve, ...]
    chosen: tuple[int, int]
    alt: str


@lru_cache(maxsize=64)
def parameter_curves(cfg: Config) -> Curves:
    """Counts parameters by three rules for head counts 1, 2, 4 … to past the present one and no further than 256."""
    last = max(16, 2 * cfg.num_heads)
    heads = sorted({*(h for h in (1, 2, 4, 8, 16, 32, 64, 128, 256) if h <= last), cfg.num_heads})
    lines = []
    for label, count in (
        ("paper: d_k = d_model / h", paper_count),
        (f"Keras: key_dim = {cfg.key_dim} for each head", keras_count),
        ("one key/value head for all", pinned_count),
    ):
        points = [(h, n) for h in heads if (n := count(cfg, h)) is not None]
        lines.append(Curve(label, tuple(h for h, _ in points), tuple(n for _, n in points)))
    chosen = (cfg.num_heads, count_parameters(cfg))
    alt = "Parameters against heads. " + " ".join(
        f"{c.label}: {c.counts[0]:,} with {c.heads[0]} to {c.counts[-1]:,} with {heads_in_words(c.heads[-1])}."
        for c in lines
        if c.counts
    )
    return Curves(tuple(lines), chosen, alt + f" Chosen: {heads_in_words(cfg.num_heads)}, {counted(chosen[1], 'parameter')}.")


def drawn(cfg: Config, _: object = None) -> tuple[dict, str]:
    """The figure, and what it says in words."""
    curve = parameter_curves(cfg)
    return draw(curve), curve.alt


def draw(data: Curves) -> dict:
    """A plain Plotly figure."""
    traces = []
    for curve, colour, dash in zip(data.curves, EITHER, ("solid", "dash", "dot"), strict=False):
        name = lowered(curve.label)
        hover = f"%{{x}} heads: %{{y:,}} parameters<extra>{name}</extra>"
        traces.append(line(curve.heads, curve.counts, name, colour, hover, 7, dash))
    h, count = data.chosen
    traces.append({
        "type": "scatter", "mode": "markers+text", "x": [h], "y": [count], "showlegend": False,
        "marker": {"size": 17, "color": CLEAR, "line": {"width": 2.5, "color": EITHER[3]}},
        "text": [f"<b>{count:,}</b>"], "textposition": "top center", "textfont": {"size": 15}, "hoverinfo": "skip",
    })  # fmt: skip
    ticks = sorted({h for curve in data.curves for h in curve.heads})
    return {
        "data": traces,
        "layout": layout(
            340, (70, 16, 12, 48), hovermode="closest",
            xaxis={"tickvals": ticks, "ticktext": [str(t) for t in ticks], "title": {"text": "heads (h)"}},
            yaxis={"title": {"text": "parameters"}, "rangemode": "tozero", "tickformat": ",", "nticks": 5},
            legend=LEGEND_ABOVE,
        ),
    }  # fmt: skip
