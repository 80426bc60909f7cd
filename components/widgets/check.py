"""The quiet line: are the numbers on the screen those of the real Keras layer?

Keras answers from a process of its own. Until it has, a small component polls: it runs this fragment alone every moment, and
stops once the answer is there (`run_every` would go on for every visitor).
"""

import json
import time
from collections.abc import Callable
from functools import cache

import streamlit as st
from streamlit.components import v2

from components.pages.own_layer.session import custom_layer
from components.streamlit import runtime
from components.streamlit.late_reports import rerun_if_changed
from components.widgets.trace import keras_client
from mha import Config, Trace
from mha.assets import ASSETS
from mha.backends import backend_named
from mha.comparison import Comparison, KerasAnswer, compare
from mha.cost import too_large
from mha.custom_layer import CustomLayer
from mha.keras.question import Question, Reply

FILE = ASSETS / "proof.json"
MISSING = (
    "There is no TensorFlow in a browser, so this is not compared live; `pip install -r requirements.txt` and "
    "`streamlit run app.py` on your own machine do it."
)


@cache
def stored() -> dict:
    return json.loads(FILE.read_text(encoding="utf-8"))


def stored_sentence(cfg: Config) -> str:
    """Marked as stored: Keras's answer about this very layer, or, where there is none, about how many others."""
    proof = stored()
    versions = f"Keras {proof['keras']} on TensorFlow {proof['tensorflow']}, {proof['date']}"
    row = next((row for row in proof["layers"] if Config(**row["layer"]) == cfg), None)
    if row is not None:
        return (
            f"✓ Stored proof, not a live one ({versions}): for this layer the real one gave the same, output within "
            f"{row['output']:.0e}, attention within {row['weights']:.0e}, count_params() {row['count']:,}. {MISSING}"
        )
    worst = max(row["output"] for row in proof["layers"])
    return (
        f"Numbers by NumPy. Stored proof, not a live one ({versions}): this layer was not asked for; "
        f"{len(proof['layers'])} others agreed, output within {worst:.0e}. {MISSING}"
    )


Draw = Callable[[KerasAnswer | None], None]
#: A poll that goes out before the server has heard of a click, a key or Back undoes what that does (a page stayed blank, Back was
#: lost: Streamlit 1.67 joins the two messages, and the later one names the page). So it waits, until the new run calls this anew.
#: Streamlit cleans up after the last call alone: each call ends the one before.
POLL = """export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.ended?.abort();
  const ended = (parentElement.ended = new AbortController()), { signal } = ended;
  const ask = () => { timer = 0; setTriggerValue("poll", 1); };
  let timer = data.pending ? setTimeout(ask, data.after) : 0;
  const wait = () => { if (timer) { clearTimeout(timer); timer = setTimeout(ask, Math.max(data.after, 2000)); } };
  for (const kind of ["click", "keydown", "popstate"]) window.addEventListener(kind, wait, { capture: true, signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  return () => ended.abort();
}"""
#: Milliseconds between two polls: while TensorFlow is loaded (seconds), and while it computes (a few hundredths of one).
WHILE_LOADING, WHILE_COMPUTING = 1000, 250
WHILE_TRYING = 100  # the page is about the answer: its dots must not stay long


@cache
def poll_component():
    """Registered once for each process."""
    return v2.component("headcount_poll", js=POLL)


def poll(pending: bool, computing: int = WHILE_COMPUTING) -> None:
    """Runs this fragment once more in a moment, if something is `pending`; `computing`: in how many milliseconds while Keras
    computes."""
    rerun_if_changed()
    # "time": the browser calls a component once more only when its data have changed.
    after = WHILE_LOADING if keras_client().state == "starting" else computing
    data = {"pending": pending, "after": after, "time": time.monotonic()}
    poll_component()(key="poll", data=data, height="content", on_poll_change=lambda: None)


@st.fragment
def with_answer(cfg: Config, draw: Draw) -> None:
    """Draw with Keras's answer as soon as there is one; the rest of the page does not wait."""
    layer = custom_layer(cfg) or cfg
    answer = None if too_large(cfg) else keras_client().answer(layer)
    draw(answer)
    poll(answer is None and not too_large(cfg) and may_come(layer))


@st.fragment
def with_reply(question: Question, draw: Callable[[Reply], None]) -> None:
    """The same for an experiment (`mha.keras.question.question`, or `several` of them)."""
    reply = keras_client().reply_to(question)
    draw(reply)
    poll(reply.awaited, computing=WHILE_TRYING)


def may_come(layer: Config | CustomLayer) -> bool:
    """Whether an answer that is not there yet may still come."""
    client = keras_client()
    return client.state in ("starting", "ready") and client.failure(layer) is None


def check_line(cfg: Config, trace: Trace | None, by: str, wanted: str, above: Draw | None = None) -> None:
    """The line at a page's end. `by`: label of the backend that computed the trace; `wanted`: code of the one that was chosen.

    `above` draws what else waits for Keras: the browser mixes up two fragments that poll at the same time.
    """

    def draw(answer: KerasAnswer | None) -> None:
        if above is not None:
            above(answer)
        client, layer = keras_client(), custom_layer(cfg) or cfg
        if by != backend_named(wanted).label and trace is not None and client.trace(layer, wanted) is not None:
            st.rerun()
        st.caption(sentence(trace, answer, client.state, client.failure(layer), by))

    with st.container(key="check"):
        with_answer(cfg, draw)


def sentence(trace: Trace | None, answer: KerasAnswer | None, state: str, failure: str | None, by: str) -> str:
    """What the line says, for every state of the check."""
    if trace is None:
        return "Nothing is computed at these sizes, so there is nothing to check; the ledger is exact."
    if answer is not None:
        return verdict(compare(trace, answer), f"Keras {answer.keras_version} on TensorFlow {answer.tensorflow_version}", by)
    if state == "missing" and runtime.IN_BROWSER:
        return stored_sentence(trace.cfg)
    if state == "missing":
        return (
            f"Numbers by {by}, not checked: TensorFlow is not installed here. "
            "`pip install tensorflow` adds the real Keras layer and this check."
        )
    if failure:
        return f"Numbers by {by}, not checked: {failure}"
    doing = "is being loaded" if state == "starting" else "is computing"
    return f"Numbers by {by}. The real Keras layer {doing}, to check them."


def verdict(comparison: Comparison, versions: str, by: str) -> str:
    """Differences, row sums and counts, agreeing or not."""
    same = " equal" if comparison.same_count else f", ours {comparison.count:,}"
    counts = f"count_params() {comparison.keras_count:,}{same}"
    measured = (
        f"output within {comparison.output_difference:.0e}, attention within {comparison.weights_difference:.0e}, "
        f"rows sum to 1 within {comparison.row_sum_error:.0e}, {counts}"
    )
    if comparison.agrees:
        return f"✓ Numbers by {by}, same as the real layer ({versions}): {measured}."
    if comparison.known_bug:
        return (
            f"⚠ Here Keras itself is off ({versions}): with key_dim or value_dim 1 and as many tokens as heads it adds the bias "
            f"along the wrong axis (Keras 3.10 to 3.15, TensorFlow only). Numbers by {by}: {measured}."
        )
    return f"✗ Numbers by {by} differ from the real layer ({versions}): {measured}."
