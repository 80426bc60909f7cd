"""Tables in Markdown or in boxes that scroll, and the expander below each picture with its numbers and downloads."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from components.app.runtime import component, json_of
from components.widgets.downloads import file_buttons
from headcount.assets import ASSETS
from headcount.export.figure import Content
from headcount.layer import SEED, Origin
from headcount.names import decimals
from headcount.stage.numbers import Table, TableValue
from headcount.stage.program import SHARED, joined

SCRIPT, HTML = joined(SHARED, ASSETS / "table/table.js"), '<div class="tables"></div>'
SHEET = (ASSETS / "table/table.css").read_text()
#: The most numbers that a picture's tables show on the page. If there are more, only the files have them.
MAX_SHOWN = 4000
#: A bar (|) with the backslashes before it, and its escaped form. An odd number of backslashes escapes the bar already.
BAR, ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)\|"), r"\1\\|"


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A Markdown table. `heads`: headings; `rows`: cells in Markdown, whose bars get escaped; `right`: right-aligned columns."""
    marks = ["--:" if place in right else ":--" for place in range(len(heads))]
    first, *rest = ("".join(f" {BAR.sub(ESCAPED, cell)} |" if cell else " |" for cell in row) for row in (heads, *rows))
    return "\n".join(f"|{row}" for row in (first, "".join(f"{mark}|" for mark in marks), *rest))


def table_view(
    key: str, alt: str, count: int, tables: Callable[[], Sequence[Table]], drawing: Callable[[], Content], origin: Origin = SEED
) -> None:
    """Draws the expander below a picture. Its contents are computed only while it is open. `count`: how many numbers the picture
    has; `tables`: computes the tables; `drawing`: draws the picture again for its files."""
    view = st.expander("Numbers, downloads", type="compact", key=f"{key}_table", on_change="rerun")
    if not view.open:
        return
    with view:
        st.text(alt)
        file_buttons(key, drawing, alt, origin)
        if count > MAX_SHOWN:
            st.markdown(f"{count:,} numbers are too many to read here (up to {MAX_SHOWN:,} are shown). The file has them all.")
        else:
            data = [{
                "title": table.title, "heads": table.heads, "rows": [[entry(cell) for cell in row] for row in table.rows],
                "words": table.words,
            } for table in tables()]  # fmt: skip
            show_tables(f"{key}_tables", data)


def show_tables(key: str, tables: Sequence[Mapping[str, Any]]) -> None:
    """Shows tables of plain text in boxes that scroll. A table has "title", "heads" (column headings) and "rows". "words" says
    whether the cells are words."""
    component("tables", SCRIPT, HTML, SHEET)(key=key, data=json_of(tables), height="content")


def entry(value: TableValue) -> str:
    """A table's value as text: three decimals or a power of ten, whole numbers with commas, a dash for a masked cell (None)."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    small = value != 0 and abs(value) < 5e-4
    return f"{value:.1e}".replace("-", "−") if small else decimals(value, 3, ",")


def show_sortable(key: str, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], on_row: Callable[[], None]) -> None:
    """Shows a table that the visitor can sort. A click on a row's first cell calls `on_row`, which gets the row from
    `reported(key, "row")`."""
    data = [{"title": title, "heads": heads, "rows": rows, "words": True, "sorts": True}]
    component("tables", SCRIPT, HTML, SHEET)(key=key, data=json_of(data), height="content", on_row_change=on_row)
