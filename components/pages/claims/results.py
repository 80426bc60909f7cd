"""What the runs of claims and questions gave: here at once, in Keras's process as soon as it has answered.

No run depends on a visitor, so each is known once for the whole server: at most as many as there are claims and questions.
"""

from collections.abc import Iterable, Mapping

import streamlit as st

from components.widgets.check import WHILE_COMPUTING, WHILE_RESTING, poll
from components.widgets.trace import keras_client
from lessons.claims import CLAIMS, Answer, Claim, Judgement, Question, Run, measure
from mha.keras.question import question as keras_question

#: Runs asked of Keras in one pass: questions from elsewhere come in between.
AT_ONCE = 4


@st.cache_resource(show_spinner=False)
def _known() -> dict[str, dict]:
    """By the run's key."""
    return {}


def run_by(keras: bool) -> str:
    """Who has run it, as the page says it."""
    return "the real Keras layer" if keras else "NumPy"


def result(run: Run) -> dict | None:
    """What the run gave. None: Keras has not answered yet, or cannot."""
    known = _known()
    if run.key not in known:
        arguments = run.arguments
        reply = keras_client().result(keras_question(run.name, **arguments)) if run.keras else measure(run.name, arguments)
        if reply is None:
            return None
        known[run.key] = reply
    return known[run.key]


def judgement_of(claim: Claim) -> Judgement | None:
    """The claim's verdict with its reason. None: its run has not given anything yet."""
    measured = result(claim.run)
    return None if measured is None else claim.judge(measured)


def answer_to(question: Question) -> Answer | None:
    """The question's answer, once all its runs have given theirs."""
    measured = [result(run) for run in question.runs]
    return None if None in measured else question.reply(*measured)


def failure(runs: Iterable[Run]) -> str | None:
    """Why one of the runs will not give anything at present."""
    reasons = (keras_client().failure(keras_question(run.name, **run.arguments)) for run in runs if run.keras)
    return next((reason for reason in reasons if reason), None)


def asks_again(runs: Iterable[Run]) -> bool:
    """Whether all of them may still give something: Keras's process may have ended, and comes back."""
    return all(keras_client().asks_again(keras_question(run.name, **run.arguments)) for run in runs if run.keras)


def verdicts() -> dict[int, str]:
    """The verdict of each claim that has been run, by its number. Asks Keras for a few of the others."""
    known, requested, settled = _known(), set(), {}
    ready = keras_client().state == "ready"
    for claim in CLAIMS:
        key = claim.run.key
        if claim.run.keras and key not in known:
            if (len(requested) == AT_ONCE and key not in requested) or (ready and failure([claim.run])):
                continue
            requested.add(key)
        if (judgement := judgement_of(claim)) is not None:
            settled[claim.number] = judgement.verdict
    return settled


@st.fragment
def keep_looking(claim: Claim, known: Mapping[int, str]) -> None:
    """While claims wait for Keras: says how many, and reruns the page once this one, or all, have been run. A fragment on every
    run, as the check line is (components.widgets.check)."""
    if len(known) == len(CLAIMS):
        poll(False)
        return
    settled = verdicts()
    if len(settled) == len(CLAIMS) or (claim.number in settled and claim.number not in known):
        st.rerun()
    others = [claim.run for claim in CLAIMS if claim.number not in settled]
    reasons = [failure([run]) for run in others]
    waits = None in reasons
    st.caption(f"{len(settled)} of {len(CLAIMS)} claims have been run. {'The others wait for Keras.' if waits else reasons[0]}")
    poll(any(asks_again([run]) for run in others), WHILE_COMPUTING if waits else WHILE_RESTING)


@st.fragment
def keep_looking_for(question: Question, answer: Answer | None) -> None:
    """While the question waits for Keras: reruns the page once its answer is there. A fragment on every run, as above."""
    if answer is not None:
        poll(False)
        return
    if answer_to(question) is not None:
        st.rerun()
    poll(asks_again(question.runs), WHILE_COMPUTING if failure(question.runs) is None else WHILE_RESTING)


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
