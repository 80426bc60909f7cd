"""The least that a page can cost: the same slider, the same finished figures, nothing computed.

HEADCOUNT_RECORDED names a file with each head count's figures as the app's own page sent them (benchmarks/paint.py writes it).
"""

import base64
import gc
import json
import os
import struct
from pathlib import Path

import streamlit as st


def without_foresight(scene: bytes) -> bytes:
    """The scene without what the next move will show: the floor shows a figure when its server has sent it, and not before."""
    (length,) = struct.unpack_from("<I", scene)
    plan = json.loads(scene[4 : 4 + length])
    plan.pop("slider", None)
    head = json.dumps(plan, separators=(",", ":")).encode()
    head += b" " * (-(len(head) + 4) % 4)
    return struct.pack("<I", len(head)) + head + scene[4 + length :]


st.set_page_config(layout="wide", initial_sidebar_state=270)


@st.cache_resource(show_spinner=False)
def prepared() -> tuple[dict[int, list], object]:
    """For each head count the figures ready to be shown, and the stage's component."""
    import plotly.graph_objects  # noqa: F401  (otherwise the first move would pay for it)

    recorded = json.loads(Path(os.environ["HEADCOUNT_RECORDED"]).read_text())
    stage = next((s for shown in recorded.values() for s in shown if "stage" in s), None)
    component = stage and st.components.v2.component("floor_stage", html=stage["html"], css=stage["css"], js=stage["js"])
    figures = {}
    for heads, shown in recorded.items():
        figures[int(heads)] = [
            {**s, "stage": without_foresight(base64.b64decode(s["stage"]))} if "stage" in s else s for s in shown
        ]
    gc.collect()
    gc.freeze()
    return figures, component


figures, stage = prepared()
heads = st.sidebar.select_slider("Heads (h)", sorted(figures), 4)
for place, figure in enumerate(figures[heads]):
    if "stage" in figure:
        stage(key=f"stage-{place}", data=figure["stage"], height="content")
    else:
        options = {name: figure[name] for name in ("alt", "theme", "config")}
        st.plotly_chart(figure["chart"], key=f"chart-{place}", width="stretch", **options)
