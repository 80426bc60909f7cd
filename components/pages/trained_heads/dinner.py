"""The dinner party on the page: one head and several at the same table, and their maps."""

from collections.abc import Mapping
from functools import partial
from statistics import mean

import streamlit as st

from components.pages.trained_heads import BY_CODE
from components.pages.trained_heads.choices import Choice
from components.pages.trained_heads.shared import curves_or_maps, explain_weight, press, span, who
from components.widgets.chart import show_chart, show_heatmaps
from components.widgets.explanation import chosen_cell
from components.widgets.networks import examples, manifest_and_report, measured, network
from components.widgets.stage import show_scene
from headcount.names import counted, heads_in_words
from headcount.plots import trained as plots
from headcount.plots.trained import Maps
from headcount.stage.pictures.trained import charts
from headcount.stage.pictures.trained import sentence as pictures
from headcount.stage.pictures.trained.sentence import Layer
from headcount.trained.dinner import DISHES, HEADS, SHORT, TASK, guests_of
from headcount.trained.network import Pass, forward
from headcount.trained.sentence import Answer, head_names
from headcount.trained.task import Examples


def passes_of(choice: Choice) -> tuple[Examples, dict[int, Pass]]:
    """The chosen dinner, as a batch of one; and what the network with one head and the chosen one make of it, by head counts."""
    here = examples("dinner")[choice.dinner : choice.dinner + 1]
    return here, {heads: forward(network(f"dinner-{heads}"), here.tokens) for heads in (1, choice.heads)}


def headline(choice: Choice) -> tuple[str, str]:
    """Title and the sentence that says what is compared."""
    count = network("dinner-1").parameters
    one, shown = (measured(f"dinner-{heads}").mean for heads in (1, choice.heads))
    seen = manifest_and_report("dinner")[0]["recipe"]
    lessons = seen["steps"] * seen["batch"]
    other = f"with {count:,} parameters" if choice.heads == 1 else f"{heads_in_words(choice.heads)} {shown:.0%}"
    return f"One head gets {one:.0%} of the answers right, {other}.", (
        "Every guest must say at once what the left neighbour, the right one, the partner (same initial) and the host ★ eat. "
        f"All networks have {count:,} parameters, began as the same numbers and saw the same {lessons:,} dinners. "
        "The first sits beside the last."
    )


def layers_of(here: Examples, passes: Mapping[int, Pass]) -> list[Layer]:
    """What the networks make of one dinner."""
    guests, layers = guests_of(here), []
    for heads, one in passes.items():
        answers = tuple(
            Answer(seat, guest.name, SHORT[q], DISHES[one.predicted[0, seat, q]], DISHES[here.answers[0, seat, q]],
                   int(here.answer_at[0, seat, q]))
            for seat, guest in enumerate(guests) for q in range(len(SHORT))
        )  # fmt: skip
        found = measured(f"dinner-{heads}")
        rates: dict[str, float] = dict(zip(SHORT, map(float, found.accuracy), strict=True))
        wide = counted(TASK.d_model // heads, "number") + (" wide" if heads == 1 else " each")
        called = head_names(found.attention_on_answer, SHORT)
        layers.append(Layer(one.trace, answers, called, rates, found.attention_on_answer, wide))
    return layers


def show(choice: Choice) -> None:
    """The guests in the order of their seats, as one head and the chosen network look at them; or all maps."""
    here, passes = passes_of(choice)
    labels, dishes = labels_of(here), [guest.dish for guest in guests_of(here)]
    layers = layers_of(here, passes)
    drawn = partial(pictures.draw, layers, labels, choice.guest, range(len(labels)), (), dishes, "dinners")
    show_curves = partial(show_scene, drawn, "dinner_picture", partial(press, BY_CODE["guest"]))
    curves_or_maps(show_curves, partial(show_maps, choice))


def labels_of(here: Examples) -> tuple[str, ...]:
    """The guests of one dinner, the host with a star."""
    return tuple(guest.name + (" ★" if guest.host else "") for guest in guests_of(here))


def show_maps(choice: Choice) -> None:
    """All weights as maps: the one-head network's next to those of the chosen one, whose cells alone can be
    chosen. The chosen guest's row has a frame, a chosen cell is explained below."""
    here, passes = passes_of(choice)
    trace, labels = passes[choice.heads].trace, labels_of(here)
    maps = [
        Maps(who(heads), one.trace.weights.values[0], measured(f"dinner-{heads}").attention_on_answer, SHORT, one.trace is trace)
        for heads, one in passes.items()
    ]
    cell = chosen_cell(trace)
    with st.container(key="look"):
        show_heatmaps("maps", partial(plots.draw, maps, labels, (choice.guest,), chosen=cell))
        st.caption(f"A row is the guest who looks, a column the guest looked at. {labels[choice.guest]}’s row has a frame.")
        explain_weight(trace, cell, labels)


def show_spread(choice: Choice) -> None:
    """All seeds, not only the chosen one; and the paper's own table."""
    manifest, report = manifest_and_report("dinner")
    spreads = charts.spreads(report, "dinner", manifest["seed"])
    one, four = (next(spread for spread in spreads if spread.heads == heads) for heads in (1, 4))
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.header(f"Over all seeds: one head {one.mean:.0%}, four {four.mean:.0%}")
        show_chart(charts.draw_spreads(spreads, choice.heads), "right_answers_against_heads")
        few, many = min(len(spread.seeds) for spread in spreads), max(len(spread.seeds) for spread in spreads)
        st.caption(f"{few} to {many} seeds for each number of heads, each on the same {report['examples']:,} dinners.")
    with right:
        st.header("The paper saw the same shape")
        show_chart(charts.draw_bleu(), "paper_table_3a")
        st.caption("Attention Is All You Need, Table 3 (A): translation, equal computation. Mind the scale: it begins at 24.5.")


def show_limits() -> None:
    """Limits of the experiment that a reader should not have to discover alone."""
    manifest, report = manifest_and_report("dinner")
    runs, longer, times = report["runs"], report["longer"], report["longer_times"]
    right = {heads: [run["mean"] for run in runs[f"dinner-{heads}"]] for heads in HEADS}
    crisp = sum(min(run["mass"]) >= 0.9 and len(set(run["heads"])) == len(run["heads"]) for run in runs["dinner-4"])
    recut = [run["recut"][report["recut_to"].index(1)] for run in report["changed"]["dinner-4"]]

    def more(heads: int) -> str:
        """Whether more training would have helped; "" where that was not tried."""
        tried = longer.get(f"dinner-{heads}")
        return f" (with {times} times the training {span([run['mean'] for run in tried])})" if tried else ""

    st.header("What this shows, and what it does not")
    points = (
        f"**Picked by hand.** The tables and the maps above are seed {manifest['seed']} for every h: "
        f"{manifest['why']}. So it is in {crisp} of {len(right[4])} seeds with h = 4. Means over seeds are in the "
        "curve only.",
        f"**Not “four questions need four heads”.** Two heads get {mean(right[2]):.0%}, {span(right[2])}{more(2)}, with "
        "maps that nobody can read: two weights per seat make a plane, and every corner of what they can mix may be read "
        "out. What needs four heads is one readable head for each question.",
        f"**Why one head fails.** It gets {mean(right[1]):.0%}{more(1)}. A row of weights that does not depend on the dishes can "
        "single out one seat only, the one it weighs most. One head escapes a little: it lets the dishes move its weights.",
        f"**With one number per head it falls again.** h = 24 gets {mean(right[24]):.0%}{more(24)}. With $d_k$ = 1 a score is "
        "one number times another, so a row ranks all seats along one line, and the largest or the smallest key wins. That finds "
        "a neighbour or the host, but not one partner among twelve names.",
        f"**The cut is learnt.** The numbers of four heads cut for one get {span(recut)} over {len(recut)} seeds.",
    )
    st.markdown("\n".join(f"- {point}" for point in points))
    st.caption(
        "A small task, made to be read. In large models: Voita et al. 2019 removed 38 of 48 encoder heads for 0.15 BLEU; "
        "Michel et al. 2019 many at test time; Bhojanapalli et al. 2020 argue for heads as wide as the sequence is long."
    )
