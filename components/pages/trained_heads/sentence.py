"""The one sentence on the page: who, whom, where and when, answered by one head and by several of the same count."""

from collections.abc import Mapping
from functools import partial
from statistics import mean

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.app.controls import control, hidden
from components.pages.trained_heads import BY_CODE
from components.pages.trained_heads.choices import Choice
from components.pages.trained_heads.shared import explain_weight, span, who
from components.presenter.walk import right, says
from components.widgets.chart import show_heatmaps
from components.widgets.explanation import chosen_cell
from components.widgets.networks import manifest_and_report, measured, network
from components.widgets.tables import markdown_table
from components.widgets.words import change_buttons, read_sentence, say_unreadable
from headcount import Config, count_parameters
from headcount.explain import Cell
from headcount.names import heads_in_words
from headcount.plots import trained as plots
from headcount.plots.heatmaps import WIDE
from headcount.plots.trained import Maps
from headcount.reading import GREY_ROWS, Reading
from headcount.redundancy import rank_of
from headcount.trained.network import Pass, forward
from headcount.trained.sentence import (
    ANSWERS,
    D_MODEL,
    DEFAULT,
    DEFAULT_TEXT,
    HEADS,
    KERAS_HEADS,
    KEY_DIM,
    LENGTH,
    NAME_FROM,
    QUESTIONS,
    Sentence,
    answers,
    asked_rows,
)  # fmt: skip
from lessons.walk import STEPS

ONE = "sentence-1"
#: The step of the walk on how many heads to take.
STEP = next(step for step in STEPS if step.figure == "paper_table")


def headline(choice: Choice) -> tuple[str, str]:
    """Title and the sentence that states the task. Where not all is right, the title says it of whom, as the walk does."""
    count = count_parameters(Config(D_MODEL, choice.heads))
    one, shown = (measured(f"sentence-{heads}").accuracy[:2] for heads in (1, choice.heads))
    if one.min() < 0.5 and shown.min() > 0.99:
        title = f"One head cannot tell who from whom; {heads_in_words(choice.heads)} can."
    else:
        more = f", {heads_in_words(choice.heads)} {right(choice.heads)}" if choice.heads > 1 else ""
        title = f"Asked whom, one head is right {right(1)} of the time{more}."
    has = "Both have" if choice.heads > 1 else "It has"
    cut = "; only the cut into heads differs" if choice.heads > 1 else ""
    return title, f"Each verb must say who, whom, where and when. {has} {count:,} parameters{cut}."


def choose(choice: Choice, place: DeltaGenerator) -> Sentence:
    """The field for a sentence with its one-tap changes. Where it cannot be read, says so and gives the default.

    For another task it is hidden in its place: a widget that moves from one place of the page to another loses its place in the
    address.
    """
    with place, hidden("sentence_choice", unless=choice.task == "sentence"):
        with st.container(key="sentence_bar", horizontal=True, vertical_alignment="center", gap="small"):
            text = control(BY_CODE["sentence"], label_visibility="collapsed", placeholder=DEFAULT_TEXT)
            sentence, fault = read_sentence(text)
            change_buttons(sentence, "sentence")
        if fault is not None:
            say_unreadable(fault)
        return sentence


def show(choice: Choice, sentence: Sentence, top: DeltaGenerator) -> None:
    """Shows in `top` the answers of both networks and their maps with words on the axes, and the arithmetic of a chosen cell."""
    passes = {count: forward(network(f"sentence-{count}"), sentence.examples.tokens) for count in (1, choice.heads)}
    asked, rows = answers(sentence, passes[1].predicted[0]), []
    for count, one in passes.items():
        said = (f"✓ {it.given}" if it.is_right else f"✗ **{it.given}**" for it in answers(sentence, one.predicted[0]))
        rows.append((f"**{who(count)}**", *said))
    trace = passes[choice.heads].trace
    cell = chosen_cell(trace)
    with top, st.container(key="look"):
        show_heatmaps("maps", partial(maps_of, sentence, passes, chosen=cell))
        st.caption(GREY_ROWS)
        explain_weight(trace, cell, sentence.words)
    with top, st.container(key="answers"), st.expander("Their answers"):
        heads = ("network", *(f"{one.word}: {one.question}" for one in asked))
        st.markdown(markdown_table(heads, [("it is", *(one.right for one in asked)), *rows]))


def maps_of(
    sentence: Sentence, passes: Mapping[int, Pass], *, chosen: Cell | None = None, width: float = WIDE, high: float = 0.0
) -> tuple[dict, str]:
    """The maps of networks that have read one sentence, by their head counts, and their alt text. The word that the first network
    answers wrongly and the last one rightly is framed; where there is none, or the second clause is not the default's, the last
    that asks: a change is seen there. Cells of the one with most heads have an address, one of them `chosen`; `width`,
    `high`: as headcount.plots.trained has them."""
    asked = asked_rows(sentence)
    shown = [
        Maps(who(count), one.trace.weights.values[0], measured(f"sentence-{count}").attention_on_answer, QUESTIONS,
             explained=count == max(passes))
        for count, one in passes.items()
    ]  # fmt: skip
    pale = Reading(sentence).unasked
    first, last = (answers(sentence, passes[count].predicted[0]) for count in (min(passes), max(passes)))
    told = [there.row for here, there in zip(first, last, strict=True) if there.is_right and not here.is_right]
    framed = told[0] if told and sentence.fields[1] == DEFAULT.fields[1] else None
    return plots.draw(shown, sentence.words, asked, pale, chosen, width, high, framed)


def ranks(sentence: Sentence) -> list[tuple[str, str, str, str]]:
    """Lists for each head count the key size, the largest rank of a head's scores here, and how often whom is right."""
    found = []
    for heads in HEADS:
        trace = forward(network(f"sentence-{heads}"), sentence.examples.tokens).trace
        rank = max(rank_of(trace.q.values[0, :, head], trace.k.values[0, :, head].T) for head in range(heads))
        found.append((f"{heads}", f"{D_MODEL // heads}", f"{rank}", right(heads)))
    return found


def show_how_many(sentence: Sentence) -> None:
    """Computed once it is opened."""
    view = st.expander(STEP.headline, key="how_many", on_change="rerun")
    if not view.open:
        return
    with view:
        st.markdown(says(STEP))
        words = len(sentence.words)
        heads = ("heads", "$d_k$", f"rank of $QK^T$, {words} × {words}", "whom is right")
        st.markdown(markdown_table(heads, ranks(sentence), right=range(len(heads))))
        st.markdown(
            f"**Too many**: where $d_k$ < {words}, the scores of a head have rank $d_k$ at most, so it cannot order the words "
            "freely for each of them. **Too few**: one head has one map, so all that a word looks at reaches it as one average."
        )


def show_spread() -> None:
    """All seeds of all head counts, in both ways."""
    manifest, report = manifest_and_report("sentence")
    names = [f"sentence-{heads}" for heads in HEADS] + [f"sentence-{heads}-key{KEY_DIM}" for heads in KERAS_HEADS]
    rows = []
    for name in names:
        runs, shown = report["runs"][name], network(name)
        right = [run["mean"] for run in runs]
        way = f"{shown.heads} × {shown.key_dim}" + (" (Keras)" if shown.heads * shown.key_dim != D_MODEL else "")
        count = count_parameters(Config(D_MODEL, shown.heads, shown.key_dim))
        own = sum(min(run["mass"]) >= NAME_FROM and len({*run["heads"]}) == len(QUESTIONS) for run in runs)
        rows.append((
            way, f"{count:,}", f"{mean(right):.1%}", span(right), span([min(run["accuracy"][:2]) for run in runs]),
            f"{own} of {len(runs)}",
        ))  # fmt: skip
    columns = (
        "heads × width", "parameters", "right answers", "least to most", "the worse of who and whom", "a head for each question",
    )  # fmt: skip
    seeds, longer = len(report["runs"][ONE]), report["longer_times"]
    tried = [min(run["accuracy"][:2]) for run in report["longer"].get(ONE, ())]
    more = ""
    if tried:
        more = f"After {longer} times the training, one head gets {span(tried)} of who or whom right, whichever is worse. "
    with st.expander("More heads, fewer heads"):
        st.markdown(markdown_table(columns, rows, right=range(1, len(columns))))
        st.caption(
            f"{seeds} seeds each (Keras: 3), on the same {report['examples']:,} sentences. {more}A head has a question where "
            f"at least {NAME_FROM:.0%} of its weight is on the answers. Shown is seed {manifest['seed']}, {manifest['why']}. "
            f"It is a toy: {LENGTH} words, {len(ANSWERS)} answers, one layer of attention and no MLP."
        )
