"""What the runs of claims and questions gave: here at once, in Keras's process as soon as it has answered.

No run depends on a visitor, so each is known once for the whole server: at most as many as there are claims and questions.
"""

import json
from collections.abc import Iterable, Mapping

import streamlit as st

from components.widgets.check import again
from components.widgets.trace import keras_client
from lessons.claims import CLAIMS, QUESTIONS, Answer, Claim, Judged, Question, Run, measure
from mha.keras.question import question

#: Keras's runs asked for in one look: others' questions come in between.
AT_ONCE = 4


@st.cache_resource(show_spinner=False)
def _known() -> dict[str, dict]:
    return {}


def _key(run: Run) -> str:
    return json.dumps([run.name, run.arguments], sort_keys=True)


def result(run: Run) -> dict | None:
    """What the run gave. None: Keras has not answered yet, or cannot."""
    known, key = _known(), _key(run)
    if key not in known:
        found = keras_client().result(question(run.name, **run.arguments)) if run.keras else measure(run.name, run.arguments)
        if found is None:
            return None
        known[key] = found
    return known[key]


def judged(claim: Claim) -> Judged | None:
    """The claim's verdict, by what its run gave just now or before."""
    found = result(claim.run)
    return None if found is None else claim.judge(found)


def replied(asked: Question) -> Answer | None:
    """The question's answer, once all its runs have given theirs."""
    found = [result(run) for run in asked.runs]
    return None if None in found else asked.reply(*found)


def failure(runs: Iterable[Run]) -> str | None:
    """Why one of the runs will not give anything at present."""
    said = (keras_client().failure(question(run.name, **run.arguments)) for run in runs if run.keras)
    return next((sentence for sentence in said if sentence), None)


def verdicts() -> dict[int, str]:
    """The verdict of each claim that has been run, by its number. Asks Keras for a few of the others."""
    known, asked, found = _known(), set(), {}
    ready = keras_client().state == "ready"
    for claim in CLAIMS:
        key = _key(claim.run)
        if claim.run.keras and key not in known:
            if (len(asked) == AT_ONCE and key not in asked) or (ready and failure([claim.run])):
                continue
            asked.add(key)
        if (made := judged(claim)) is not None:
            found[claim.number] = made.verdict
    return found


def keep_looking(claim: Claim, known: Mapping[int, str]) -> None:
    """While claims wait for Keras: says how many, and draws the page anew once this one, or all, have been run."""
    if len(known) < len(CLAIMS):
        _look(claim.number, claim.number in known)


@st.fragment
def _look(number: int, known: bool) -> None:
    found = verdicts()
    if len(found) == len(CLAIMS) or (number in found and not known):
        st.rerun()
    reasons = [failure([claim.run]) for claim in CLAIMS if claim.number not in found]
    waits = None in reasons
    st.caption(f"{len(found)} of {len(CLAIMS)} claims have been run. {'The others wait for Keras.' if waits else reasons[0]}")
    again(waits)


def keep_looking_for(asked: Question, reply: Answer | None) -> None:
    """While the question waits for Keras: draws the page anew once its answer is there."""
    if reply is None:
        _look_for(asked.id)


@st.fragment
def _look_for(name: str) -> None:
    asked = next(question for question in QUESTIONS if question.id == name)
    if replied(asked) is not None:
        st.rerun()
    again(failure(asked.runs) is None)


def waiting(runs: Iterable[Run]) -> None:
    """Why there is nothing to see yet: one sentence, for every state of Keras's process."""
    client, why = keras_client(), failure(runs)
    if client.state == "missing":
        st.info("This one is run by the real Keras layer, and TensorFlow is not installed here.", icon=":material/power_off:")
    elif why:
        st.info(f"This one could not be run: {why}", icon=":material/power_off:")
    else:
        doing = "TensorFlow is being loaded" if client.state == "starting" else "Keras is running it"
        st.info(f"{doing}; the result appears here by itself.", icon=":material/hourglass_top:")
