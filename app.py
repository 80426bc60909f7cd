"""Headcount shows what the number of attention heads really changes. `streamlit run app.py` starts the app."""

if __name__ == "__main__":  # run by Streamlit, for each visitor
    from components.frame import draw_frame

    draw_frame()
else:  # imported by the server, once
    import sys

    import streamlit as st
    from starlette.middleware import Middleware

    from components.app.server import Addresses
    from components.app.uploads import Uploads
    from headcount.keras.client import KerasClient

    if KerasClient().state == "missing":
        sys.stderr.write("TensorFlow is not installed here: the check by the real Keras layer is off.\n")
    app = st.App(__file__, middleware=[Middleware(Uploads), Middleware(Addresses)])
