"""The app's assumptions about Streamlit 1.67, one for each test. After an upgrade they say which no longer holds.

Half of them are reasons for workarounds. If such a test fails because Streamlit has become better, the workaround that its
docstring names can go.
"""

import inspect
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from starlette.middleware import Middleware
from streamlit import config, file_util
from streamlit.components import v2
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import populate_hash_if_needed
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from components.app.server import Addresses, index_page
from tests.sources import ROOT
from tests.test_public_streamlit import PARTS

STATIC = Path(file_util.get_static_dir())


def opened(script, **query: str) -> AppTest:
    at = AppTest.from_function(script, default_timeout=60)
    for key, text in query.items():
        at.query_params[key] = text
    return at.run()


def bound_number():
    import streamlit as st

    st.number_input("n", 1, 9, 1, key="n", bind="query-params")


def test_another_page_begins_without_what_the_page_before_had_bound_in_the_address(tmp_path: Path):
    """components/app/address.py `restore_query` puts each page's own keys back when it is opened again."""
    (tmp_path / "app.py").write_text('import streamlit as st\nst.navigation([st.Page("a.py"), st.Page("b.py")]).run()\n')
    (tmp_path / "a.py").write_text('import streamlit as st\nst.number_input("n", 1, 9, 1, key="n", bind="query-params")\n')
    (tmp_path / "b.py").write_text("import streamlit as st\nst.text(dict(st.query_params))\n")
    at = AppTest.from_file(str(tmp_path / "app.py"), default_timeout=60)
    at.query_params["n"] = "4"
    at.query_params["free"] = "1"
    at.run()
    assert at.number_input[0].value == 4
    assert at.switch_page("b.py").run().text[0].value == "{'free': '1'}"


def test_a_folder_called_pages_means_the_old_mode_until_navigation_is_called(monkeypatch):
    """components/frame.py `open_lab`: a page that is run alone draws the frame first."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    PagesManager(str(ROOT / "app.py"))
    assert PagesManager.uses_pages_directory is True
    st.navigation([st.Page(ROOT / "pages/heads.py", title="Heads", default=True)])
    assert PagesManager.uses_pages_directory is False


def test_one_run_of_a_script_has_one_thread_and_its_fragments_run_in_it():
    """components/frame.py `FRAME`, which is local to a thread."""

    def script():
        import threading

        import streamlit as st

        st.text(threading.get_ident())
        st.fragment(lambda: st.text(threading.get_ident()))()

    assert len({element.value for element in opened(script).text}) == 1


def test_what_a_run_keeps_for_its_visitor_is_not_seen_outside():
    """components/app/session.py `visitor_layer`: a test or a command line has no visitor."""

    def script():
        import streamlit as st

        st.session_state["own"] = "a visitor's"
        st.text(st.session_state["own"])

    assert opened(script).text[0].value == "a visitor's"
    assert "own" not in st.session_state


def test_middleware_of_an_app_sees_a_request_before_streamlit_does():
    """app.py and components/app/server.py rely on it."""
    app = st.App(ROOT / "app.py", middleware=[Middleware(Addresses)])
    assert app._build_starlette_app().user_middleware[0].cls is Addresses


@pytest.mark.parametrize("presented", [False, True])
def test_the_index_page_gains_one_style_sheet_in_the_walk_what_keeps_early_keys_and_is_not_translated(presented: bool):
    """components/app/server.py `index_page`."""
    plain = (STATIC / "index.html").read_text(encoding="utf-8")
    link = r'  <link rel="stylesheet" href="\./programs/style\.[0-9a-f]{16}\.css">'
    link += (r'<script src="\./programs/keys\.[0-9a-f]{16}\.js"></script>' if presented else "") + r"\n  (?=</head>)"
    assert len(re.findall(link, index_page(presented))) == plain.count("</head>") == 1
    untranslated = index_page(presented).replace(' translate="no"', "", 1)
    untranslated = untranslated.replace('\n    <meta name="google" content="notranslate" />', "", 1)
    assert re.sub(link, "", untranslated) == plain


@pytest.mark.parametrize(("least", "named"), [(10_000, True), (1_000_000_000, False)])
def test_a_long_message_is_named_instead_of_sent_again_from_a_length_on_that_is_set(least: int, named: bool):
    """.streamlit/config.toml sets that length, and no message of ours is that long."""
    before = config.get_option("global.minCachedMessageSize")
    config.set_option("global.minCachedMessageSize", least)
    try:
        message = ForwardMsg()
        message.delta.new_element.markdown.body = "a" * 100_000
        populate_hash_if_needed(message)
        assert message.metadata.cacheable is named
    finally:
        config.set_option("global.minCachedMessageSize", before)


def test_a_callback_may_write_the_key_of_a_bound_widget_and_the_address_follows():
    """components/app/stale_widget_values.py `set_value`."""

    def script():
        import streamlit as st

        st.button("five", on_click=lambda: st.session_state.update(n=5))
        st.number_input("n", 1, 9, 1, key="n", bind="query-params")

    at = opened(script)
    at.button[0].click().run()
    assert (at.number_input[0].value, at.query_params["n"]) == (5, "5")


def test_nobody_may_write_the_key_of_a_widget_that_has_been_drawn():
    """components/app/stale_widget_values.py `end_run` writes its own widget's key before it draws it."""

    def script():
        import streamlit as st

        st.number_input("n", 1, 9, 1, key="n", bind="query-params")
        st.session_state["n"] = 5

    assert len(opened(script).exception) == 1


def test_a_bound_number_stumbles_over_infinity_in_the_address():
    """components/app/address.py `apply_changes`."""
    assert len(opened(bound_number, n="inf").exception) == 1


def test_a_bound_number_leaves_another_spelling_in_the_address():
    """components/address.py `respelt`."""
    at = opened(bound_number, n="8.0")
    assert (at.number_input[0].value, at.query_params["n"]) == (8, "8.0")


@pytest.mark.parametrize(("text", "value"), [("8", 8), ("08", 1), ("3", 1)])
def test_a_bound_slider_knows_its_stops_by_their_spelling_alone(text: str, value: int):
    """components/app/controls.py `_between` makes the address's number a stop, and components/address.py `respelt` spells it."""

    def script():
        import streamlit as st

        st.select_slider("n", [1, 2, 8], 1, key="n", bind="query-params")

    assert opened(script, n=text).select_slider[0].value == value


def test_a_bound_widget_that_is_not_drawn_loses_its_place_in_the_address():
    """components/app/controls.py: such a widget is hidden rather than left out."""

    def script():
        import streamlit as st

        if st.toggle("drawn", True):
            st.number_input("n", 1, 9, 1, key="n", bind="query-params")

    at = opened(script, n="4")
    assert at.query_params["n"] == "4"
    at.toggle[0].set_value(False).run()
    assert "n" not in at.query_params


def test_the_public_way_to_start_a_server_takes_no_command_line():
    """headcount/commands.py calls the program behind the command `streamlit`, whose options are Streamlit's own."""
    assert [*inspect.signature(st.App.run).parameters] == ["self", "config"]


def test_an_error_is_kept_from_the_visitor_as_it_is_set(monkeypatch):
    """.streamlit/config.toml: the details of an error are in the server's log alone."""
    chosen = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["client"]["showErrorDetails"]
    shown = config.get_option
    monkeypatch.setattr(config, "get_option", lambda key: chosen if key == "client.showErrorDetails" else shown(key))

    def script():
        raise ValueError("a secret")

    (error,) = opened(script).exception
    assert "secret" not in f"{error.message} {error.proto}"


def test_a_component_is_known_by_the_name_it_was_registered_under():
    """Every `component()` of ours relies on it, and the tests find pictures by this name."""

    def script():
        from streamlit.components import v2

        v2.component("contract", html="<p></p>", css="p {}", js="export default function () {}")(key="part", data={"a": 1})

    assert {"html", "css", "js"} <= {*inspect.signature(v2.component).parameters}
    assert [element.proto.component_name for element in opened(script).get("bidi_component")] == ["contract"]


@cache
def shipped() -> str:
    """The text of all programs that Streamlit sends to the browser."""
    return "\n".join(path.read_text(encoding="utf-8") for path in (STATIC / "static/js").glob("*.js"))


def test_each_part_of_streamlit_s_page_that_we_name_is_in_its_program():
    """Stylesheets and programs find them by these names; `popstate` is how the presenter's bar goes from step to step."""
    named = PARTS | {"data-test-connection-state", "data-variant", "st-key-", "popstate"}
    assert {name for name in named if name not in shipped()} == set()
