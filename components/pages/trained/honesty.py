"""What the dinner party shows and what it does not, in the report's own numbers; and the line about who computed them."""

from statistics import mean

import streamlit as st

from components.pages.trained.choices import Choice
from components.pages.trained.networks import told
from components.pages.trained.words import span
from mha.trained.task import HEADS


def show() -> None:
    """Five sentences that a reader should not have to find out alone."""
    manifest, report = told()
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
        f"**Picked by hand.** The tables, the maps and the changes above are seed {manifest['seeds']['dinner']} for every h: "
        f"{manifest['why']['dinner']}. So it is in {crisp} of {len(right[4])} seeds with h = 4. Means over seeds are in the "
        "curve only.",
        f"**Not “four questions need four heads”.** Two heads get {mean(right[2]):.0%}, {span(right[2])}{more(2)}, with "
        "maps that nobody can read: two weights per seat make a plane, and every corner of what they can mix may be read "
        "out. What needs four heads is one readable head for each question.",
        f"**Why one head fails.** It gets {mean(right[1]):.0%}{more(1)}. A row of weights that does not depend on the dishes can "
        "single out one seat only, the one it weighs most. One head escapes a little: it lets the dishes move its weights.",
        f"**With one number per head it falls again.** h = 24 gets {mean(right[24]):.0%}{more(24)}. With d_k = 1 a score is one "
        "number times another, so a row ranks all seats along one line, and the largest or the smallest key wins. That finds a "
        "neighbour or the host, but not one partner among twelve names.",
        f"**The cut is learnt.** The numbers of four heads cut for one get {span(recut)} over {len(recut)} seeds.",
    )
    st.markdown("\n".join(f"- {point}" for point in points))
    st.caption(
        "A small task, made to be read. In large models: Voita et al. 2019 removed 38 of 48 encoder heads for 0.15 BLEU; "
        "Michel et al. 2019 many at test time; Bhojanapalli et al. 2020 argue for heads as wide as the sequence is long."
    )


def check(choice: Choice, *names: str) -> None:
    """The quiet line: who computed these numbers, and what they were held to."""
    manifest = told()[0]
    found = [manifest["networks"][name] for name in names]
    recipe = manifest["recipe"]
    attention = max(one["keras"]["attention"] for one in found)
    likely = max(one["keras"]["probabilities"] for one in found)
    changed = " A changed network is NumPy's alone." if choice.changed else ""
    with st.container(key="check"):
        st.caption(
            f"✓ Numbers by NumPy. When these weights were trained, Keras {recipe['keras']} on TensorFlow "
            f"{recipe['tensorflow']} gave the same: attention within {attention:.0e}, probabilities within {likely:.0e}. "
            f"The files are the ones that were written then (SHA-256).{changed}"
        )
