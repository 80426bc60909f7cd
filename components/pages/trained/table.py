"""The round table on the screen: a small component; a guest that is clicked becomes the chosen one."""

import json
from dataclasses import asdict
from functools import cache

import streamlit as st
from streamlit.components import v2

from components.figures.pictures.trained.table import Table, plan
from components.figures.program import PREVIEW, joined
from components.figures.theme import THEMES
from components.figures.wire import Slider
from components.streamlit.late_reports import set_value
from components.streamlit.runtime import picture_first
from mha.assets import ASSETS

FOLDER = ASSETS / "round_table"


def script() -> str:
    """The component's program with the palettes of both themes in it."""
    palettes = {name: asdict(theme) for name, theme in THEMES.items()}
    kept = {name: {key: theme[key] for key in ("heads", "head_text")} for name, theme in palettes.items()}
    program = joined(PREVIEW, FOLDER / "table.js", FOLDER / "component.js")
    return program.replace("/*PALETTE*/{}", json.dumps(kept, separators=(",", ":")))


@cache
def component():
    """Registered once for each process."""
    return v2.component(
        "headcount_table", html='<div class="tables"></div>', css=(FOLDER / "table.css").read_text(encoding="utf-8"), js=script())


def _send() -> None:
    if (guest := st.session_state["tables"].get("guest")) is not None:
        set_value("guest", int(guest))


def show_tables(tables: tuple[Table, ...], guest: int, slider: Slider[tuple[Table, ...]] | None = None) -> None:
    """One or two networks at the same table, `guest` (0-based) chosen; `slider`: what it will show when that slider moves."""
    component()(key="tables", data=plan(tables, guest, slider), height="content", on_guest_change=_send)
    if slider is None:  # not foretold: the browser draws it before the rest of the page comes
        picture_first()
