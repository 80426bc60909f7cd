"""How many heads to take: what too many cost and too few, with the trained networks of the sentence."""

import streamlit as st

from components.pages.presenter.walk import right, says
from components.pages.trained.networks import network
from components.widgets.tables import markdown_table
from lessons.walk import STEPS
from mha.redundancy import rank_of
from mha.trained.network import forward
from mha.trained.sentence import D_MODEL, HEADS, Sentence

STEP = next(step for step in STEPS if step.figure == "paper_table")


def rows(sentence: Sentence) -> list[tuple[str, str, str, str]]:
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
        st.markdown(markdown_table(heads, rows(sentence), right=range(len(heads))))
        st.markdown(
            f"**Too many**: where $d_k$ < {words}, the scores of a head have rank $d_k$ at most, so it cannot order the words "
            "freely for each of them. **Too few**: one head has one map, so all that a word looks at reaches it as one average."
        )
