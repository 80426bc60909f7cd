"""The barest page that shows a picture: one slider, one text, one 512 × 512 canvas."""

import gc

import streamlit as st

st.set_page_config(layout="wide", initial_sidebar_state=270)

DRAW = """export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(".stage"), canvas = box.querySelector("canvas"), g = canvas.getContext("2d");
  g.clearRect(0, 0, 512, 512);
  for (let i = 0; i < 1024; i++) {
    g.fillStyle = `rgb(${data[i]},90,120)`;
    g.fillRect((i % 32) * 16, Math.floor(i / 32) * 16, 15, 15);
  }
  canvas.setAttribute("aria-label", `heads ${data[0]}`);
  box.dataset.drawn = 1 + Number(box.dataset.drawn || 0);
}"""


@st.cache_resource(show_spinner=False)
def picture():
    made = st.components.v2.component(
        "bare_canvas", html='<div class="stage"><canvas class="over" width="512" height="512"></canvas></div>', js=DRAW
    )
    gc.collect()
    gc.freeze()
    return made


heads = st.sidebar.select_slider("Heads (h)", [1, 2, 4, 8, 16], 4)
st.write(f"{heads} heads")
picture()(key="canvas", data=bytes((heads + i) % 256 for i in range(1024)), height="content")
