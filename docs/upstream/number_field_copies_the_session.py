"""Streamlit 1.67: each number field copies the whole session. `streamlit run number_field_copies_the_session.py`

Expected: drawing a field costs the same, whatever the session holds. Seen: it grows with the number of keys, because
`st.number_input` (and the slider and the text field) look up their own key in a copy of all keys and values.
"""

import time

import streamlit as st

st.number_input("n", 1, 9)  # the first of all costs more
for keys in (0, 1_000, 10_000):
    for number in range(keys):
        st.session_state.setdefault(f"key_{number}", number)
    begun = time.perf_counter()
    for number in range(20):
        st.number_input("n", 1, 9, key=f"n_{keys}_{number}")
    st.write(f"{keys} keys: {(time.perf_counter() - begun) / 20 * 1000:.2f} ms a field")
