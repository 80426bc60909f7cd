"""The field for uploading files, and the link that replaces it if uploads do not work in this browser."""

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from components.app.address import query
from components.app.runtime import Serving

#: Without this cookie Streamlit (1.67) refuses each upload with 403. In the frame of another site, a browser does not store it.
COOKIE = "_streamlit_xsrf"


def can_arrive() -> bool:
    """Whether uploads work: the visitor's browser has the necessary cookie, or no cookie is necessary."""
    return not (Serving.addresses and st.get_option("server.enableXsrfProtection")) or COOKIE in st.context.cookies


def show_uploader(label: str, kinds: str | tuple[str, ...], **options: Any) -> None:
    """Draws `st.file_uploader(label, kinds, **options)`. If no upload can arrive, draws a link to this page in a new tab."""
    if can_arrive():
        st.file_uploader(label, kinds, **options)
        return
    address, words = st.context.url or "", urlencode(query(), doseq=True)
    st.link_button(
        "Open in a tab of its own", f"{address}?{words}" if words else address, icon=":material/open_in_new:",
        help=f"To upload there: {label}",
    )  # fmt: skip
    st.caption("Here this browser keeps no cookie of this server, as in a frame of another site, and a file cannot be uploaded.")
