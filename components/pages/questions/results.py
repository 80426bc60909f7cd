"""What the runs of questions gave: here at once, in Keras's process as soon as it has answered.

No run depends on a visitor, so each is known once for the whole server: at most as many as there are questions.
"""

from collections.abc import Iterable

import streamlit as st

from components.widgets.check import WHILE_COMPUTING, WHILE_RESTING, poll
from components.widgets.trace import keras_client
from lessons.claims import BY_ID, Answer, Question, Run, measure
from mha.keras.question import question as keras_question


@st.cache_resource(show_spinner=False)
def _known() -> dict[str, dict]:
    """The results of runs by their keys, shared by all visitors."""
    return {}


def result(run: Run, wait: float = 0.0) -> dict | None:
    """What the run gave. None: Keras has not answered in `wait` seconds, or cannot."""
    known = _known()
    if run.key not in known:
        arguments = run.arguments
        reply = keras_client().result(keras_question(run.name, **arguments), wait) if run.keras else measure(run.name, arguments)
        if reply is None:
            return None
        known[run.key] = reply
    return known[run.key]


def answer_to(question: Question, wait: float = 0.0) -> Answer | None:
    """The question's answer, once all its runs have given theirs; for each Keras has `wait` seconds."""
    measured = [result(run, wait) for run in question.runs]
    return None if None in measured else question.reply(*measured)


def failure(runs: Iterable[Run]) -> str | None:
    """Why one of the runs will not give anything at present."""
    reasons = (keras_client().failure(keras_question(run.name, **run.arguments)) for run in runs if run.keras)
    return next((reason for reason in reasons if reason), None)


def asks_again(runs: Iterable[Run]) -> bool:
    """Whether all of them may still give something: Keras's process may have ended, and comes back."""
    return all(keras_client().asks_again(keras_question(run.name, **run.arguments)) for run in runs if run.keras)


def verdicts(names: Iterable[str]) -> dict[str, str]:
    """The verdict of each of these statements that has been run, by its id."""
    answers = {name: answer_to(BY_ID[name]) for name in names}
    return {name: answer.verdict for name, answer in answers.items() if answer is not None}


@st.fragment
def keep_looking(focus: Question | None) -> None:
    """Looks again while this question waits for Keras, and reruns the page with its answer. A fragment on every run, as the
    check line is (components.widgets.check)."""
    if focus is not None and answer_to(focus) is not None:
        st.rerun()
    runs = focus.runs if focus is not None else ()
    poll(bool(runs) and asks_again(runs), WHILE_RESTING if failure(runs) else WHILE_COMPUTING)


def waiting(runs: Iterable[Run]) -> None:
    """Why there is nothing to see yet: one sentence, for every state of Keras's process."""
    client, why = keras_client(), failure(runs)
    if client.state == "missing":
        st.info("This one is run by the real Keras layer, and TensorFlow is not installed here.", icon=":material/power_off:")
    elif why:
        st.info(f"This one could not be run: {why}", icon=":material/power_off:")
    else:
        doing = "TensorFlow is being loaded" if client.state == "starting" else "Keras is running it"
        st.info(f"{doing}; the result will appear here.", icon=":material/hourglass_top:")
