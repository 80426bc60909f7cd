"""Who did what, on the page: a sentence of the visitor's own, read by one head and by several."""

from random import randrange

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.figures.pictures.trained.maps import Maps, scene
from components.pages.trained.choices import Choice
from components.pages.trained.networks import examples, manifest_and_report, measured, network
from components.pages.trained.settings import BY_CODE, SENTENCE_HEADS
from components.pages.trained.shared import answer_table, explain_weight, span
from components.streamlit.address import quoted
from components.streamlit.controls import control
from components.streamlit.hidden import hidden
from components.streamlit.stale_widget_values import set_value
from components.widgets.explanation import chosen_cell
from components.widgets.stage import show_scene
from components.widgets.tables import markdown_table
from mha.names import heads_in_words
from mha.trained.measures import question_rows
from mha.trained.network import Pass, forward
from mha.trained.sentences import ACTIVE, ANSWERS, MEN, PASSIVE, PLACES, QUESTIONS, WOMEN, UnreadableSentence, read, spell
from mha.trained.task import UNASKED, Examples

ONE = "sentence-1"
#: What is read where nothing is typed.
FIRST = "Ana called-by Bob in Rome and in Oslo she helps Dan"


def headline(choice: Choice) -> tuple[str, str]:
    """Title and the sentence that states the task."""
    manifest, report = manifest_and_report()
    twice = next(run for run in report["runs"][ONE] if run["seed"] == manifest["seeds"]["sentence"])["same_twice"]
    heads, count = choice.heads, network(ONE).parameters
    shown = measured(f"sentence-{heads}", heads).mean
    many = "" if heads == 1 else f" {heads} heads get {shown:.0%} right."
    return f"One head names the same person for who and whom in {twice:.0%} of cases.{many}", (
        f"Each verb must say who did it, to whom and where; each pronoun, whom it means. All networks have {count:,} parameters "
        "and began as the same numbers. Active or passive decides which side of the verb is meant."
    )


def _other() -> None:
    fixed = examples("sentence")
    set_value("sentence", spell(fixed, randrange(len(fixed.tokens))))


def choose(choice: Choice, place: DeltaGenerator) -> Examples | None:
    """The field for a sentence and the vocabulary; None, and what is wrong, where it cannot be read.

    For another task it is hidden in its place: a widget that moves from one place of the page to another loses its place in the
    address.
    """
    with place, hidden("sentence_choice", unless=choice.task == "sentence"):
        left, right = st.columns([5, 1], vertical_alignment="bottom", gap="small")
        text = control(
            BY_CODE["sentence"], left, placeholder=FIRST,
            help=f"Women: {', '.join(WOMEN)}. Men: {', '.join(MEN)}. Verbs: {', '.join((*ACTIVE, *PASSIVE))}. "
            f"Places: in {', '.join(PLACES)}. “she” and “he” may begin the second clause.")
        right.button("Another one", key="other_sentence", on_click=_other, width="stretch")
        try:
            return read(text if text.strip() else FIRST)
        except UnreadableSentence as error:
            about = f" It is about {quoted(error.word)}." if error.word else ""
            st.warning(f"**Sentence** cannot be read. {error.args[0]}{about}")
            return None


def show(choice: Choice, sentence: Examples | None, top: DeltaGenerator) -> None:
    """In `top` the answers of both networks and their maps with words on the axes; the chosen cell is explained where the page
    is, not in a box of it, whose end its card could not leave."""
    if sentence is None:
        return
    heads, words, rows = choice.heads, tuple(spell(sentence).split()), question_rows(sentence)
    passes = {"one head": forward(network(ONE), sentence.tokens)}
    result = passes[heads_in_words(heads) if heads > 1 else "one head"] = forward(network(f"sentence-{heads}"), sentence.tokens)
    top.markdown(table(sentence, words, passes))
    shown = tuple(
        Maps(who, one.traces[0].weights.values[0], score.attention_on_answer[0], QUESTIONS, rows, explained=one is result)
        for (who, one), score in zip(passes.items(), (measured(ONE, 1), measured(f"sentence-{heads}", heads)), strict=False)
    )
    cell = chosen_cell(result.traces[0])
    caption = "Only verbs and pronouns are asked anything: their rows lie between rails."
    with top:
        show_scene(scene(shown, words, caption, veil=True), "stage", key="maps", go="guest", chosen=cell)
    explain_weight(result.traces[0], cell, words, choice)


def table(sentence: Examples, words: tuple[str, ...], passes: dict[str, Pass]) -> str:
    """A column for each question that the sentence asks, a row for each network."""
    rows, columns = question_rows(sentence), range(len(QUESTIONS))
    places = [(row, q) for row in rows for q in columns if sentence.answers[0, row, q] != UNASKED]
    questions = [f"{words[row]}: " + ("means" if words[row] in ("she", "he") else f"{QUESTIONS[q]}?") for row, q in places]
    right = [ANSWERS[sentence.answers[0, row, q]] for row, q in places]
    answers = {who: [ANSWERS[result.predicted[0, row, q]] for row, q in places] for who, result in passes.items()}
    return answer_table(questions, right, answers)


def show_spread() -> None:
    """All seeds of this task."""
    manifest, report = manifest_and_report()
    st.header("Over all seeds")
    rows = []
    for heads in SENTENCE_HEADS:
        runs = report["runs"][f"sentence-{heads}"]
        right, twice = [run["mean"] for run in runs], [run["same_twice"] for run in runs]
        rows.append((f"{heads}", f"{len(runs)}", f"{sum(right) / len(runs):.1%}", span(right), span(twice)))
    names = ("heads", "seeds", "right answers", "least to most", "same name for who and whom")
    st.markdown(markdown_table(names, rows, right=range(len(names))))
    st.caption(f"Shown is {manifest['why']['sentence']}; right answers to who, whom and where counted alike.")
