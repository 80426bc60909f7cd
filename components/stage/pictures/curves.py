"""Parameters against heads, three conventions, the present choice marked."""

from components.stage.chart import LEGEND_ABOVE, layout, line
from components.stage.numbers import plain
from components.stage.theme import CLEAR, EITHER
from mha import Config, count_parameters
from mha.ledger import keras_count, paper_count, pinned_count
from mha.names import counted, heads_in_words


def parameter_curves(cfg: Config) -> dict[str, dict[int, int]]:
    """Counts by three rules, each with its name, for head counts 1, 2, 4 … to past the present one and no further than 256."""
    last = max(16, 2 * cfg.num_heads)
    heads = sorted({*(h for h in (1, 2, 4, 8, 16, 32, 64, 128, 256) if h <= last), cfg.num_heads})
    rules = {
        "paper: d<sub>k</sub> = d<sub>model</sub> / h": paper_count,
        f"Keras: key_dim = {cfg.key_dim} for each head": keras_count,
        "one key/value head for all": pinned_count,
    }
    return {name: {h: n for h in heads if (n := count(cfg, h)) is not None} for name, count in rules.items()}


def draw(cfg: Config, _: object = None) -> tuple[dict, str]:
    """A plain Plotly figure, and what it says in words."""
    curves, count = parameter_curves(cfg), count_parameters(cfg)
    traces, said = [], ["Parameters against heads."]
    for (label, points), colour, dash in zip(curves.items(), EITHER, ("solid", "dash", "dot"), strict=False):
        heads, counts = [*points], [*points.values()]
        traces.append(line(heads, counts, label, colour, f"%{{x}} heads: %{{y:,}} parameters<extra>{label}</extra>", 7, dash))
        if points:
            said.append(f"{plain(label)}: {counts[0]:,} with {heads[0]} to {counts[-1]:,} with {heads_in_words(heads[-1])}.")
    traces.append({
        "type": "scatter", "mode": "markers+text", "x": [cfg.num_heads], "y": [count], "showlegend": False,
        "marker": {"size": 17, "color": CLEAR, "line": {"width": 2.5, "color": EITHER[3]}},
        "text": [f"<b>{count:,}</b>"], "textposition": "top center", "textfont": {"size": 15}, "hoverinfo": "skip",
    })  # fmt: skip
    ticks = sorted({h for points in curves.values() for h in points})
    figure = {
        "data": traces,
        "layout": layout(
            340, (70, 16, 12, 48), hovermode="closest",
            xaxis={"tickvals": ticks, "ticktext": [str(t) for t in ticks], "title": {"text": "heads (h)"}},
            yaxis={"title": {"text": "parameters"}, "rangemode": "tozero", "tickformat": ",", "nticks": 5},
            legend=LEGEND_ABOVE,
        ),
    }  # fmt: skip
    said.append(f"Chosen: {heads_in_words(cfg.num_heads)}, {counted(count, 'parameter')}.")
    return figure, " ".join(said)
