"""Two layers on the page: what depth adds, compared with what heads add."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.figures.pictures.trained.maps import Maps, scene
from components.pages.trained.choices import Choice, shuffle
from components.pages.trained.networks import examples, first, looks_back, manifest_and_report, measured, network
from components.pages.trained.settings import BY_CODE
from components.pages.trained.shared import answer_table, explain_weight, span
from components.streamlit.controls import control
from components.streamlit.hidden import hidden
from components.widgets.explanation import chosen_cell
from components.widgets.stage import show_scene
from components.widgets.tables import markdown_table
from mha.trained.facts import PAIRS, REPEATED, WORDS
from mha.trained.network import forward

DEEP, FLAT = "facts-2x1", "facts-1x4"
NAMES = {FLAT: "one layer, 4 heads", DEEP: "two layers, 1 head each"}
#: The positions of the things in the facts.
THINGS = tuple(range(1, 2 * PAIRS, 2))


def choose(choice: Choice, place: DeltaGenerator) -> int:
    """Which of the fixed examples is shown, from 0. Hidden in its place where it is for another task, as for a sentence."""
    with place, hidden("facts_choice", unless=choice.task == "facts"):
        left, right, _ = st.columns([2, 1, 4], vertical_alignment="bottom", gap="small")
        right.button("Another one", key="other_facts", on_click=shuffle, args=("facts",), width="stretch")
        return control(BY_CODE["facts"], left) - 1


def headline() -> tuple[str, str]:
    """Title and the sentence that states the task."""
    deep, flat = measured(DEEP, 1).mean, measured(FLAT, 4).mean
    return f"One layer of 4 heads completes {flat:.0%}, two layers of one head {deep:.0%}.", (
        f"{PAIRS} facts are told, then the names come again in another order, each to be followed by its own thing. This is no "
        "matter of heads: a first layer must tell each thing whose it is before a second can look for a name."
    )


def show(choice: Choice, number: int, top: DeltaGenerator) -> None:
    """In `top` the sequence with both networks' answers, and the maps of the two layers; the chosen cell is explained where the
    page is, not in a box of it, whose end its card could not leave."""
    here = first("facts", number)
    deep, flat = forward(network(DEEP), here.tokens), forward(network(FLAT), here.tokens)
    words = tuple(WORDS[word] for word in here.tokens[0, :, 0])
    facts = ", ".join(f"{words[i - 1]} {words[i]}" for i in THINGS)
    top.markdown(f"Told: **{facts}**.")
    questions, right = [f"{words[row]} …" for row in REPEATED], [WORDS[here.answers[0, row, 0]] for row in REPEATED]
    results = ((FLAT, flat), (DEEP, deep))
    answers = {NAMES[name]: [WORDS[result.predicted[0, row, 0]] for row in REPEATED] for name, result in results}
    top.markdown(answer_table(questions, right, answers))
    before, after = (trace.weights.values[0] for trace in deep.traces)
    layers = (
        Maps("layer 1", before, looks_back(DEEP), ("word before",), THINGS, explained=False),
        Maps("layer 2", after, measured(DEEP, 1).attention_on_answer[1], ("answer",), REPEATED),
    )
    cell = chosen_cell(deep.traces[1])
    caption = "Layer 1: a thing looks at the word before it, its name. Layer 2: a name looks at the thing that knows this name."
    with top:
        show_scene(scene(layers, words, caption, veil=True), "stage", key="maps", go="guest", chosen=cell)
        st.markdown("The two together are called an induction head.")
    explain_weight(deep.traces[1], cell, words, choice)


def show_spread() -> None:
    """All seeds of both networks."""
    report = manifest_and_report()[1]
    st.header("Over all seeds")
    rows = []
    for network_name, label in NAMES.items():
        right = [run["mean"] for run in report["runs"][network_name]]
        count = network(network_name).parameters
        rows.append((label, f"{count:,}", f"{len(right)}", span(right)))
    st.markdown(markdown_table(("network", "parameters", "seeds", "right answers, least to most"), rows, right=(1, 2, 3)))
    st.caption(
        f"On {len(examples('facts').tokens):,} examples. A layer that only knows which things were told must guess one of "
        f"{PAIRS} at the first name; later it is easier, as what has been said is out. Here the counts differ: one "
        "more layer is more numbers."
    )
