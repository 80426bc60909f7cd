"""The check line: a sentence below a page that says whether the numbers on the screen agree with the real Keras layer.

Until Keras has answered, a small component asks again and again, which reruns only the fragment of the check line. Streamlit's
`run_every` would go on asking after the answer.
"""

import time
from collections.abc import Callable

import streamlit as st

from components.app.runtime import component
from components.app.session import Shown
from components.app.stale_widget_values import rerun_if_changed
from components.app.visit import visit
from components.widgets.trace import SMALL, has_no_numbers, keras_client, trace_by
from headcount import Config, Trace
from headcount.backends import backend_named
from headcount.comparison import Comparison, KerasAnswer, compare
from headcount.cost import numbers_kept
from headcount.keras.question import REMEDY, KerasQuestion, Reply

#: The polling component. A poll right after a click, a key or Back undoes that act, because Streamlit (1.67) joins the two
#: messages. So such an act postpones the poll. Streamlit cleans up only after the last call, so each call ends the one before it.
POLL = """export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.ended?.abort();
  const ended = (parentElement.ended = new AbortController()), { signal } = ended;
  const ask = () => { timer = 0; setTriggerValue("poll", 1); };
  let timer = setTimeout(ask, data.after);
  const wait = () => { if (timer) { clearTimeout(timer); timer = setTimeout(ask, Math.max(data.after, 2000)); } };
  for (const kind of ["click", "keydown", "popstate"]) window.addEventListener(kind, wait, { capture: true, signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  return () => ended.abort();
}"""
#: Milliseconds between two polls: while TensorFlow is loaded (seconds), and while it computes (a few hundredths of one).
WHILE_LOADING, WHILE_COMPUTING = 1000, 250
WHILE_RESTING = 5000  # Keras's process has ended, and is started again
WHILE_TRYING = 100  # on a page about the answer itself, the waiting dots must not stay long


def poll(pending: bool, computing: int = WHILE_COMPUTING) -> None:
    """Reruns the fragment after a wait, if an answer is `pending`. `computing`: the milliseconds once TensorFlow is loaded."""
    rerun_if_changed()
    if not pending:
        return
    # "time": the browser calls a component again only if its data have changed.
    after = WHILE_LOADING if keras_client().state == "starting" else computing
    data = {"after": after, "time": time.monotonic()}
    component("poll", POLL)(key="poll", data=data, height="content", on_poll_change=lambda: None)


@st.fragment
def with_reply(question: KerasQuestion, draw: Callable[[Reply], None]) -> None:
    """Calls `draw` with the real Keras layer's reply to a question. This fragment runs again until Keras has replied."""
    reply = keras_client().reply_to(question)
    draw(reply)
    poll(reply.awaited or reply.state == "failed", computing=WHILE_TRYING if reply.awaited else WHILE_RESTING)


def check_line(shown: Shown, trace: Trace | None, by: str, first: str = "") -> None:
    """Draws the check line. `by`: the label of the backend that computed the trace; `first`: words before the sentence. The
    fragment does not keep a large trace in memory."""
    cfg, backend, client = shown.cfg, shown.settings.backend, keras_client()
    computed = not has_no_numbers(shown.origin, cfg)
    layer = (shown.origin.layer(cfg) or cfg) if computed else cfg
    known = client.answer(layer) if computed else None
    held = None if numbers_kept(cfg) > SMALL else trace

    def check() -> None:
        answer = known or (client.answer(layer) if computed else None)
        if by != backend_named(backend).label and computed and client.trace(layer, backend) is not None:
            st.rerun()
        failure = None if answer is not None else client.failure(layer)
        waits = computed and answer is None
        if waits:
            said = waiting(cfg, client.state, failure, by)
        else:
            said = sentence(held or trace_by(shown)[0], answer, client.state, failure, by)
        st.caption(f"{first} {said}".strip())
        poll(waits and client.asks_again(layer), WHILE_COMPUTING if failure is None else WHILE_RESTING)

    with visit().line:
        st.fragment(check)()


def sentence(trace: Trace | None, answer: KerasAnswer | None, state: str, failure: str | None, by: str) -> str:
    """The text of the check line. `trace`: None if the layer has no numbers; `failure`: why Keras gave no answer."""
    if trace is None:
        return "The layer has no numbers here, so there is nothing to check; formulas give the counts and shapes."
    if answer is not None:
        said = verdict(compare(trace, answer), f"Keras {answer.keras_version} on TensorFlow {answer.tensorflow_version}", by)
        alike = " Its dropout was made to drop the same weights: which ones, Keras's own generator would draw."
        return said + alike * trace.cfg.drops
    return waiting(trace.cfg, state, failure, by)


def waiting(cfg: Config, state: str, failure: str | None, by: str) -> str:
    if state == "missing":
        why = f"Numbers by {by}. They are not checked, because TensorFlow is not installed here."
        return f"{why} {REMEDY} the real Keras layer and this check."
    if failure:
        return f"Numbers by {by}, not checked: {failure}"
    doing = "is being loaded" if state == "starting" else "is computing"
    return f"Numbers by {by}. The real Keras layer {doing}, to check them."


def verdict(comparison: Comparison, versions: str, by: str) -> str:
    """The result of a comparison in words. `versions`: the versions of Keras and TensorFlow; `by`: the backend's label."""
    same = " equal" if comparison.same_count else f", ours {comparison.count:,}"
    counts = f"count_params() {comparison.keras_count:,}{same}"
    measured = (
        f"output within {comparison.output_error:.0e} of its largest number, attention within {comparison.weights_error:.0e}, "
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
