"""The frame around every page: configuration, navigation, shared controls, warnings about the address."""

import threading
from base64 import b64encode
from functools import cache

import streamlit as st

from components.address import faults, known, respelt, translate
from components.app.address import apply_changes, keep_room, query, restore_query, save_query
from components.app.controls import draw_controls
from components.app.runtime import PageEnds, Serving, keep_in_touch
from components.app.server import PAGE_SHEET
from components.app.session import visitor_layer
from components.app.stale_widget_values import begin_run, end_controls, end_run
from components.app.visit import visit
from components.menu import BY_LABEL, SECTIONS, START, next_of_lesson
from components.presenter.screen import current_step, present, show_start_button
from components.presenter.slide import asks_in_sequence, presents, show_slide
from components.presenter.votes import is_phone, keep_tab, show_phone
from components.settings import Settings
from components.widgets.banner import show_banner
from components.widgets.glossary import show_words
from components.widgets.links import link_to
from components.widgets.previews import send_ahead
from components.widgets.refusal import config_or_end
from headcount.assets import ASSETS

#: Whether this run has `drawn` the frame, and the `page` in it. Streamlit (1.67) gives each run a thread of its own
#: (tests/app/test_streamlit_contract.py); in a shared one, visitors would get each other's pages.
FRAME = threading.local()
SIDEBAR_PX = 256
#: The menu's button with the pages under "More", as Streamlit marks the link to the page that is shown.
MARKED = """[data-testid="stHeader"] button[aria-haspopup]:has(p) {
  background: light-dark(rgb(197 181 140 / .25), rgb(163 177 199 / .25)); & p { font-weight: 600; }
}"""


@cache
def images() -> tuple[str, str]:
    """The icon and the logo as data URLs. If they were paths, Streamlit would look for the two files in each run."""
    paths = (ASSETS / "favicon.svg", ASSETS / "logo.svg")
    first, second = (f"data:image/svg+xml;base64,{b64encode(path.read_bytes()).decode()}" for path in paths)
    return first, second


def menu() -> dict[str, list]:
    """The pages as Streamlit's objects, by section. The objects are made once for the visit and kept, because `st.navigation`
    marks one of them as the page that may run."""
    if not visit().menu:
        visit().menu = {
            name: [st.Page(page.file, title=page.label, default=page is START) for page in pages]
            for name, pages in SECTIONS.items()
        }
    return visit().menu


def draw_frame() -> None:
    # At the top: in the sidebar, twelve links would push the heads slider out of a projector's sight.
    script = st.navigation(menu(), position="top")
    page = BY_LABEL[script.title]
    begin_run(known())
    if page in SECTIONS["More"]:  # its items are in the menu's last button, which Streamlit (1.67) does not mark
        st.html(f"<style>{MARKED}</style>")
    # Once in a run: a second call (Streamlit 1.67) lays out every chart three times (tests/browser/test_frame.py).
    icon, logo = images()
    st.set_page_config(page_title=page.tab, page_icon=icon, layout="wide", initial_sidebar_state=SIDEBAR_PX)
    if not Serving.addresses:  # else it is in the index page
        st.html(f"<style>{PAGE_SHEET}</style>")  # before anything that it styles; nothing of a visitor's ever gets into it
    st.logo(logo, size="large")
    if visit().faults is None:
        renamed: dict[str, str | None] = {}
        for changes in (translate, respelt):
            texts = changes(query())
            apply_changes(st.query_params, texts)
            renamed |= texts
        wrong = visit().faults = faults(query())
        apply_changes(st.query_params, {fault.key: fault.shown for fault in wrong})
        if wrong or renamed:
            st.rerun()
    st.session_state["settings"] = draw_controls(page.lab, page.keras)
    end_controls(st.session_state["settings"].values)
    FRAME.drawn, FRAME.page = True, page
    restore_query(page.file, page.words)
    keep_room()
    try:
        if is_phone():
            show_phone()
            raise PageEnds
        if (step := current_step()) is not None:
            show_faults()
            present(step)
        presented = step is not None or show_slide(page.name, st.session_state["settings"])
        visit().pictures = {}
        body = st.container(key="presenter" if asks_in_sequence(page.name) else None)
        # Streamlit (1.67) identifies a fragment by its place. After a slider's move, a poll for the page before may come. Without
        # that fragment the move would be lost with the poll (tests/deploy/test_messages.py).
        visit().line = st.container(key="check")
        # The link comes after the page, because nothing below it is seen before its program is loaded.
        if not presented and not st.context.is_embedded:  # there is no header there
            with st.container(key="magnifier"):
                link_to("questions", "Search", ":material/search:")
        with body:
            script.run()
        if not presented:
            show_words(page.name)
            if (following := next_of_lesson(page)) is not None:
                st.page_link(following.file, label=f"Next: {following.title}", icon=":material/arrow_forward:")
            send_ahead()
        save_query(page.file)
    except PageEnds:
        pass
    finally:
        FRAME.drawn = False
    show_start_button(presents(page.name))  # below the page's own fields
    end_run(known())
    keep_tab()
    keep_in_touch(st.session_state["settings"].in_address())


def open_lab() -> Settings:
    """Shows the warnings and the banner, and returns the shared settings. A page calls this function first. Until a server has
    run app.py, Streamlit (1.67) runs the page of a deep link alone (tests/browser/test_deep_links.py), as AppTest does. Then this
    function draws the frame, which runs the page."""
    if not getattr(FRAME, "drawn", False):
        draw_frame()
        st.stop()
    show_faults()
    settings = st.session_state["settings"]
    if FRAME.page.lab:
        show_banner(visitor_layer(), settings, FRAME.page.own)
    return settings


def show_faults() -> None:
    """Shows a warning for each fault of the opened address, until the visitor changes the setting."""
    state, ours = st.session_state, visit()
    wrong = ours.faults or []
    ours.at_first = ours.at_first or {fault.key: state.get(fault.key) for fault in wrong}
    ours.faults = [fault for fault in wrong if state.get(fault.key) in (ours.at_first[fault.key], None)]
    for fault in ours.faults:
        st.warning(f"In the address, {fault.sentence}", icon=":material/link_off:")


def open_layer() -> Settings:
    """The shared settings of a page that needs a valid layer. If the settings describe no layer, shows why and ends the page."""
    settings = open_lab()
    config_or_end(settings)
    return settings
