"""English, word by word, on the page: perplexity against heads, what every head looks at, and what is lost without it."""

import math
from urllib.parse import urlencode

import streamlit as st

from components.figures.pictures.trained import charts, language
from components.figures.pictures.trained.language import Head, Layer, measured_layers
from components.pages.trained.choices import Choice
from components.streamlit.runtime import PageEnds
from components.streamlit.stale_widget_values import set_value
from components.widgets.chart import show_chart
from components.widgets.stage import show_links
from components.widgets.tables import markdown_table
from mha.language import store
from mha.language.heads import NAMES
from mha.names import heads_in_words, noun
from mha.settings import HEAD, NETWORK_LAYER, SHARED, by_code

D_MODEL, NUM_HEADS = (by_code(SHARED)[code] for code in ("d_model", "num_heads"))

#: Heads, and words of each, in the table of what is lost.
MOST_HEADS, MOST_WORDS = 8, 5
#: What a network's layer has besides its sizes.
PAPER = {"split": "paper", "use_bias": True}
#: Where the session keeps the address of the maps that were asked for.
ASKED = "maps_asked_for"


def facts() -> tuple[dict, dict]:
    """Manifest and report; where one is missing, says so and ends the page."""
    try:
        return store.manifest(), store.report()
    except store.Broken as error:
        st.error(str(error))
        raise PageEnds from None


def _points(width: int) -> tuple[charts.Spread, ...]:
    manifest, report = facts()
    return charts.perplexities(report, width, next(iter(manifest["networks"].values()))["seed"])


def headline(choice: Choice) -> tuple[str, str]:
    """Title and the sentence that says what is compared, whatever came out."""
    manifest, points = facts()[0], _points(choice.network[0])
    one, best = points[0], min(points, key=lambda spread: spread.mean)
    count = manifest["networks"][f"d{choice.network[0]}-h{choice.network[1]}"]["parameters"]
    others = [spread for spread in points if spread.heads > 1]
    least, most = min(spread.mean for spread in others), max(spread.mean for spread in others)
    seeds = max(spread.deviation for spread in points)
    title = f"English: perplexity {one.mean:.1f} with one head, {best.mean:.1f} with {best.heads}. All have {count:,} parameters."
    return title, (
        f"Perplexity: among how many equally likely words a network hesitates at the next one, on text that it has not seen. "
        f"With 2 to {points[-1].heads} heads it is {least:.1f} to {most:.1f}; seeds differ by up to ± {seeds:.1f}."
    )


def show(choice: Choice) -> None:
    """The perplexities beside the paper's table, the map of all heads, and what is lost without each."""
    (width, heads), report = choice.network, facts()[1]
    points = _points(width)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.header("Perplexity against heads, at equal count")
        figure = charts.draw_spreads(points, heads, charts.PERPLEXITY)
        show_chart(figure, "perplexity_against_heads", charts.perplexities_alt(points))
        seeds = sorted({len(spread.seeds) for spread in points})
        many = " or ".join(map(str, seeds)) + noun(seeds[-1], " seed")
        st.caption(f"d_model {width}, two layers of attention alone, {many} each. Mind the scale: it does not begin at 0.")
    with right:
        st.header("The paper’s Table 3 (A)")
        show_chart(charts.draw_bleu(), "paper_table_3a", charts.bleu_alt())
        st.caption("Translation by a far larger model, at equal computation: here more is better. The scale begins at 24.5.")
    _show_map(width, heads, report)
    _show_lost(width, heads, report)


def _show_map(width: int, heads: int, report: dict) -> None:
    """All heads of all networks of this width. A click on a network leads to its maps."""
    layers = measured_layers(report, width)
    st.header("What each head looks at")
    st.markdown(
        "Each column is a head: the mean share of its weight, on held-out text, that goes to the word before, to the word "
        "itself, and so on. A head whose share reaches the measure’s threshold bears its name. **Click a network** for its maps."
    )
    show_links(language.draw(layers, heads), "heads_map", lambda place: _ask(width, layers[place - 1]))
    go_to_maps()
    rows = {layer.heads: [f"{layer.heads}"] for layer in layers}
    for layer in layers:
        links = ((head, urlencode(query_of(width, layer, head))) for head in layer.all if head.met)
        written = (f"[{head.head + 1}: {head.name}](./attention?{link})" for head, link in links)
        rows[layer.heads].append(", ".join(written) or "none")
    with st.expander("The heads that bear a name, and how it was measured", type="compact"):
        st.markdown(markdown_table(("heads", "layer 1", "layer 2"), rows.values(), right=(0,)))
        names = ((name.label, name.measured, f"{name.threshold:.2f}") for name in NAMES.values())
        st.markdown(markdown_table(("name", "mean share of a head’s weight", "from"), names, right=(2,)))


def _ask(width: int, layer: Layer) -> None:
    """In a callback: the shared sizes become the network's; the rest of the address is kept for `go_to_maps`."""
    query = query_of(width, layer, layer.clearest)
    for key, value in {**PAPER, D_MODEL.code: width, NUM_HEADS.code: layer.heads}.items():
        set_value(key, value)
    st.session_state[ASKED] = {key: value for key, value in query.items() if key not in (D_MODEL.code, NUM_HEADS.code)}


def go_to_maps() -> None:
    """To the maps that a click asked for. (Streamlit 1.67 refuses an address with keys that a widget of this page holds.)"""
    if (query := st.session_state.pop(ASKED, None)) is not None:
        st.switch_page("pages/attention.py", query_params=query)


def query_of(width: int, layer: Layer, head: Head) -> dict[str, str]:
    """The address of a head's map, as far as it is off its defaults."""
    usual = (D_MODEL, NUM_HEADS, NETWORK_LAYER, HEAD)
    values = (width, layer.heads, f"{layer.number}", head.head + 1)
    pairs = zip(usual, values, strict=True)
    return {setting.code: setting.spell(value) for setting, value in pairs if value != setting.default}


def _show_lost(width: int, heads: int, report: dict) -> None:
    """The heads of the chosen network whose removal costs most, and the words whose prediction suffers."""
    every = [head for layer in measured_layers(report, width) if layer.heads == heads for head in layer.all]
    measured = report["heads"][f"d{width}-h{heads}"]
    lost = sorted(((measured[one.layer - 1][one.head]["without"], one) for one in every), key=lambda row: -row[0]["loss"])
    rows = []
    for without, one in lost[:MOST_HEADS]:
        words = ", ".join(f"`{word}` × {math.exp(-more):.2f}" for word, more, _ in without["words"][:MOST_WORDS] if more > 0)
        gain = f"{math.exp(without['loss']) - 1:+.1%}".replace("-", "−")
        rows.append((f"{one.layer}", f"{one.head + 1}", one.name, gain, words))
    st.header("Without one head")
    first = f"The {len(rows)} of {len(every)} heads that cost most" if len(rows) < len(every) else "Each head alone"
    st.markdown(
        f"{first}, of the network with {heads_in_words(heads)} in each of two layers: how much its perplexity on held-out text "
        "grows, and the words whose probability falls most, with what it is multiplied by."
    )
    columns = ("layer", "head", "looks at", "perplexity", "words whose prediction suffers most")
    st.markdown(markdown_table(columns, rows, right=(0, 1, 3)))


def show_check(choice: Choice) -> None:
    """The quiet line: who computed these numbers, and what they were compared with."""
    recipe = facts()[0]["recipe"]
    backend = recipe["backend"].replace("tensorflow", "TensorFlow")
    with st.container(key="check"):
        st.caption(f"Numbers by NumPy, of networks that Keras {recipe['keras']} on {backend} trained.")
