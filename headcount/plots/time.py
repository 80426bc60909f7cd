"""Chart of the cost of more heads: parameters, multiply-adds, numbers in the attention maps, and measured time."""

import math

from headcount.config import Config
from headcount.cost import multiply_adds, score_cells
from headcount.forward import Trace
from headcount.ledger import count_parameters
from headcount.names import counted, heads_in_words
from headcount.settings import Word, word
from headcount.stage.chart import LEGEND_ABOVE, layout, line
from headcount.stage.theme import EITHER
from headcount.timing import APART, BASE, Series, measured

MEASURED = word("measured", tuple(measured()), "Measured with")
LENGTH = Word(code="time_tokens", choices=("128", "512", "2048"), default="512", label="Tokens")
#: The counts in the chart: function, colour, dash and width of a line. In the paper's convention, the first two lines coincide.
COUNTS = {
    "parameters": (count_parameters, EITHER[1], "solid", 7),
    "multiply-adds": (lambda cfg: sum(multiply_adds(cfg).values()), EITHER[0], "dot", 2),
    "numbers in the maps": (lambda cfg: cfg.batch * score_cells(cfg), EITHER[2], "dash", 2),
}


def chosen(way: str, length: str) -> list[Series]:
    """Returns the measurements of `way` at the length nearest to `length` tokens: the paper's, then Keras's, if measured."""
    series = measured()[way]
    tokens = min((tokens for tokens, _ in series), key=lambda tokens: abs(tokens - int(length)))
    return [series[tokens, paper] for paper in (True, False) if (tokens, paper) in series]


def headline(way: str, length: str) -> str:
    """Returns a sentence that compares parameters and time of BASE heads with those of the largest measured number of heads."""
    one = chosen(way, length)[0]
    last = max(one.runs)
    count = count_parameters(one.layer(last)) / count_parameters(one.layer(BASE))
    more = "as many" if count == 1 else f"{count:g} × as many"
    return f"{last} heads have {more} parameters as {BASE} and take {one.times(last):.2g} × the time"


def source(way: str, length: str) -> str:
    """Returns sentences that say where the times come from, and which times are doubtful or missing."""
    every = chosen(way, length)
    one = every[0]
    layer = f"The layer is {one.width} wide, has no biases and gets {counted(one.batch, 'sequence')} of {one.tokens} tokens."
    said = [f"Measured on {one.about}. {layer} Each time is a median of many calls, the lowest of several runs."]
    if not all(each.confirmed(h) for each in every for h in each.runs):
        said.append(f"A hollow mark is a doubtful time: no second run came within {APART:.0%} of it.")
    return " ".join([*said, *(f"{heads_in_words(h)}: {why}." for each in every for h, why in each.without.items())])


def draw(way: str, length: str, heads: int) -> tuple[dict, str]:
    """Draws counts and time by number of heads, relative to BASE heads. If `heads` is on the chart, a line marks it. Returns the
    figure and its alternative text."""
    every = chosen(way, length)
    paper = every[0]
    few, said, traces = sorted({*paper.runs, *paper.without}), [], []
    counts = {name: [count(paper.layer(h)) for h in few] for name, (count, *_) in COUNTS.items()}
    for name, values in counts.items():
        (_, hue, dash, wide), ratios = COUNTS[name], [value / values[few.index(BASE)] for value in values]
        hover = f"%{{x}} heads: %{{customdata:,}} {name}<extra></extra>"
        traces.append(line(few, ratios, name, hue, hover, 0, dash, customdata=values, mode="lines"))
        traces[-1]["line"]["width"] = wide
    for one, hue, sign in zip(every, (EITHER[0], EITHER[3]), ("circle", "square"), strict=False):
        name = "measured time" if one.paper else f"time, key_dim {one.width // BASE} (Keras)"
        known = sorted(one.runs)
        times = [one.times(h) for h in known]
        traces.append(line(
            known, times, name, hue, "%{x} heads: %{customdata:,.4g} ms<extra></extra>", 9, mode="lines+markers+text",
            text=["" if h != known[-1] else f"<b>{times[-1]:.2g} ×</b>" for h in known], textposition="top left",
            customdata=[one.runs[h][0] for h in known],
        ))  # fmt: skip
        traces[-1]["marker"]["symbol"] = [sign + "-open" * (not one.confirmed(h)) for h in known]
        each = "; ".join(f"{heads_in_words(h)}: {time:.2f}" for h, time in zip(known, times, strict=True))
        what = name if one.paper else f"time in a layer whose heads each keep key_dim {one.width // BASE}"
        said.append(f"The {what} is given as a multiple of the time with {BASE} heads. With {each}.")
    low, *_, high = sorted(y for trace in traces for y in trace["y"])
    powers = [4.0**power for power in range(-6, 7) if low / 2 <= 4.0**power <= 2 * high]
    if heads <= few[-1]:
        traces.append({
            "type": "scatter", "mode": "lines+text", "x": [heads] * 2, "y": [low, high], "hoverinfo": "skip", "showlegend": False,
            "text": [f"\u2002{heads_in_words(heads)}", ""], "textposition": "middle right",
            "name": f"{heads_in_words(heads)}, chosen", "line": {"width": 1, "color": EITHER[0]},
        })  # fmt: skip
    columns = (few, *counts.values(), *([one.runs.get(h, [None])[0] for h in few] for one in every))
    titles = ("heads", *COUNTS, "milliseconds", "milliseconds, Keras")[: len(columns)]
    table = {"title": "Counted and measured", "heads": titles, "rows": [*zip(*columns, strict=True)]}
    look = layout(
        380, (70, 16, 12, 48), f"relative to {BASE} heads", hovermode="closest", legend=LEGEND_ABOVE, meta={"tables": [table]},
        xaxis={"type": "log", "tickvals": few, "ticktext": [*map(str, few)], "title": {"text": "heads (h)"}},
        yaxis={"type": "log", "tickvals": powers, "ticktext": [f"{power:g} ×" for power in powers],
               "range": [math.log10(low / 1.5), math.log10(high * 2)]},
    )  # fmt: skip
    return {"data": traces, "layout": look}, f"{headline(way, length)}. {' '.join(said)}"


def of_layer(cfg: Config, trace: Trace | None, way: str, length: str) -> tuple[dict, str]:
    """Draws the chart (see `draw`) for a layer's number of heads. `trace` is not used, but all charts of layers get one."""
    return draw(way, length, cfg.num_heads)
