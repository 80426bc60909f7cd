"""Streamlit 1.67: a value that was on its way undoes the server's. `streamlit run late_value_undoes_the_servers.py`

Press "to 5" and, within two seconds, type into the text field and press Enter. Expected: the slider stays at 5, and what was
typed is there. Seen: the message about the text brings the slider's old value along, which Streamlit takes for a move.
"""

import time

import streamlit as st


def to_five() -> None:
    st.session_state.n = 5


st.button("to 5", on_click=to_five)
time.sleep(2)  # a slow line: the browser has not heard of the 5 yet
st.slider("n", 1, 9, 1, key="n")
st.text_input("text", key="text")
st.write(f"n is {st.session_state.n}")
