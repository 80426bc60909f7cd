"""The chart of parameters, multiply-adds and measured time by number of heads."""

import streamlit as st

from components.app.controls import control
from components.app.session import Shown
from components.widgets.chart import show_chart, show_chart_of
from headcount import Trace
from headcount.plots import time


def show_time(heads: int, shown: Shown | None = None, trace: Trace | None = None) -> None:
    """Shows parameters, multiply-adds and time by number of heads. `shown`, `trace`: the page's layer, if the sliders change the
    chart; otherwise None."""
    with st.container(horizontal=True):
        which = control(time.MEASURED), control(time.LENGTH)
    st.markdown(
        f"**{time.headline(*which)}.** In the paper’s convention the heads share one width, so the numbers of parameters "
        "and of multiply-adds stay the same. Each head has its own attention map of tokens × tokens. The softmax of each map "
        "takes time, but no multiply-adds. In Keras’s convention the numbers of parameters and of multiply-adds grow, too."
    )
    if shown is None:
        show_chart(time.draw(*which, heads), "time_against_heads")
    else:
        show_chart_of(shown, trace, "time_against_heads", time.of_layer, *which)
    st.caption(time.source(*which))
