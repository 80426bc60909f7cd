"""A visitor over AppTest: finds what can be set on a page, sets it, and keeps the address as the browser does."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from unittest.mock import patch
from urllib.parse import urlencode

from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.state.query_params import _coerce_value_for_query_url
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.element_tree import Block, Element, Widget

from components.menu import FOLDERS
from tests.sources import ROOT

PAGES = tuple(page for pages in FOLDERS.values() for page in pages)
Query = dict[str, str | list[str]]
#: Seconds for one run: TensorFlow may have to be loaded on a busy machine.
PATIENCE = 300
#: More has been opened.
MORE = MappingProxyType({"more_drawn": True})
#: Widgets that offer their values one by one.
OFFERING = ("button_group", "selectbox", "select_slider", "radio", "multiselect", "pills")
#: Takes seconds (pictures in a browser of its own), and gives a file that the tests of the export open.
SLOW = "Make a zip of all figures"
#: Texts for any field: empty, what some field takes, and what none does.
TEXTS = (
    "", "1", "6,16", "3,4,16", "16", "0", "-1", "7,2", "2,1", "1,2", "the cat sat on the mat", "q.2.3.1", "weights.1.2.3",
    "output.1.1", "k.9.9.9", "110,011", "0", "6,4", "x", "1e3", "nan", "½", "<b>x</b>", "`x` **y** | z", "$x^2$ {y}",
    "\N{RIGHT-TO-LEFT OVERRIDE}abc", "a" * 300, "9" * 40, "llama", "{}", '{"model_type": "llama", "hidden_size": 0}',
)  # fmt: skip


@dataclass
class Visitor:
    """One visitor's tab. `at` has the session; `page` and `query` are the address bar; `past` is where Back leads; `bound`: keys
    of the widgets that the last run bound to the address."""

    page: str = PAGES[0]
    query: Query = field(default_factory=dict)
    past: list[tuple[str, Query]] = field(default_factory=list)
    at: AppTest = None
    bound: set[str] = field(default_factory=set)

    def open(self, opened: Mapping[str, bool] = MORE) -> "Visitor":
        """Opens the address in a new session, as a link or a reload does. `opened`: the keys of the boxes that are open."""
        self.at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
        self.at.query_params.update(self.query)
        for key, is_open in opened.items():
            self.at.session_state[key] = is_open
        if self.page != PAGES[0]:
            self.at.switch_page(f"pages/{self.page}.py")
        self.at.run()
        return self._look()

    def fresh(self) -> "Visitor":
        """Another visitor who opens the same address."""
        return Visitor(self.page, dict(self.query)).open()

    def run(self, *states: WidgetState) -> "Visitor":
        """Runs the script again. `states`: those that AppTest cannot set (an expander, a row of a table)."""
        widgets = self.at._tree.get_widget_states()
        for state in states:
            widgets.widgets.append(state)
        self.at.query_params.clear()
        self.at.query_params.update(self.query)
        self.at._run(widgets)
        return self._look()

    def go(self, page: str) -> "Visitor":
        """Goes to another page by the menu."""
        if page != self.page:
            self.past.append((self.page, dict(self.query)))
            frame = {node.key for node in self.at.sidebar if getattr(node.proto, "query_param_key", "")}
            self.query = {key: value for key, value in self.query.items() if key in frame}
        self.page = page
        self.at.switch_page(f"pages/{page}.py")
        return self.run()

    def back(self) -> "Visitor":
        (self.page, self.query), self.bound = self.past.pop(), set()
        self.at.switch_page(f"pages/{self.page}.py")
        with patch.object(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True)):
            return self.run()

    def _look(self) -> "Visitor":
        """Updates the address bar after a run: bound widgets off their defaults, and keys without a widget. A bound widget that
        is gone loses its key (`test_a_bound_widget_that_is_not_drawn_loses_its_place_in_the_address`)."""
        state = self.at._session_state._state
        bound, query = set(), {}
        for node in elements(self.at):
            known = state._new_widget_state.widget_metadata.get(getattr(node.proto, "id", None))
            if known is None or known.bind != "query-params":
                continue
            key, value = node.key, state[known.id]
            bound.add(key)
            if value != known.deserializer(None):
                query[key] = _coerce_value_for_query_url(known.serializer(value), known.value_type)
        others = {key: value for key, value in self.at.query_params.items() if key not in bound | self.bound}
        self.bound, self.query = bound, {**others, **{key: value[0] if isinstance(value, list) and len(value) == 1 else value
                                                      for key, value in query.items()}}  # fmt: skip
        return self

    @property
    def address(self) -> str:
        path = "" if self.page == PAGES[0] else self.page
        return f"/{path}{'?' if self.query else ''}{urlencode(self.query, doseq=True)}"


def elements(at: AppTest) -> Iterator[Element]:
    """Everything on the screen, in order, without its containers."""
    return (node for node in at._tree if not isinstance(node, Block))


def blocks(at: AppTest) -> Iterator[Block]:
    return (node for node in at._tree if isinstance(node, Block))


def widgets(at: AppTest) -> dict[str, Widget]:
    """The widgets that can be set, by a name that is the same for every visitor: the key, or kind and label."""
    found: dict[str, Widget] = {}
    for node in elements(at):
        if isinstance(node, Widget) and not node.disabled and node.label != SLOW:
            name = node.key or f"{node.type} {node.label}"
            found[name] = node
    return found


def values(widget: Widget) -> list[object]:
    """The values to try in a widget: all of a few, or the bounds and some between. [] if it wants a file."""
    kind, proto = widget.type, widget.proto
    if kind in OFFERING:
        options = options_of(widget)
        several = kind == "multiselect" or (kind == "button_group" and not widget._is_single_select)
        return [[], options, *([one] for one in options)] if several else options
    if kind in ("toggle", "checkbox"):
        return [False, True]
    if kind in ("number_input", "slider"):
        least, most = int(proto.min), int(proto.max)
        return sorted({least, most, *(n for n in (least + 1, 2, 3, 5, 8, 11, 12, 48, most - 1) if least <= n <= most)})
    if kind in ("text_input", "text_area"):
        most = proto.max_chars or 1000
        return list(dict.fromkeys(text[:most] for text in TEXTS))
    if kind in ("button", "download_button"):
        return [True]
    return []


def options_of(widget: Widget) -> list[object]:
    """The options as Python values. AppTest knows only their texts."""
    known = widget.root.session_state._state._new_widget_state.widget_metadata[widget.id]
    if widget.type == "select_slider":
        return [known.deserializer([text]) for text in widget.options]
    return list(widget.options)


def put(widget: Widget, value: object) -> None:
    """Sets a widget's value without a run."""
    if widget.type in ("button", "download_button"):
        widget.click()
    elif widget.type == "file_uploader":
        name, data = value
        widget.upload(name, data, "application/octet-stream")
    else:
        widget.set_value(value)


def clicked(chart: str, sent: dict) -> WidgetState:
    """The report of a click on the second point of a chart's last trace, as assets/chart sends it."""
    chosen = sent["data"][-1].get("customdata")
    return pressed(chart, "point", {"at": 1, "data": chosen[1] if isinstance(chosen, list) else None})


def pressed(component: str, event: str, value: object) -> WidgetState:
    """The report of one of the app's components to the page. Streamlit (1.67) names the widget in this way."""
    told = json.dumps([{"event": event, "value": value}])
    return WidgetState(id=_make_trigger_id(component, "events"), json_trigger_value=told)


def switches(at: AppTest) -> dict[str, Callable[[], WidgetState]]:
    """Boxes whose opening reruns the script and tables whose rows can be chosen, each with a function that makes the report."""
    made: dict[str, Callable[[], WidgetState]] = {}
    for node in blocks(at):
        if node.type == "expander" and node.proto.id:
            made[f"expander {node.proto.id.split('-', 2)[-1]}"] = partial(
                WidgetState, id=node.proto.id, bool_value=not node.proto.expanded
            )
    for node in elements(at):
        if node.type == "bidi_component" and node.proto.component_name == "headcount_tables":
            for table in json.loads(node.proto.bytes):
                if table.get("sorts") and len(table["rows"]) > 3:
                    made[f"row of {node.key}"] = partial(pressed, node.proto.id, "row", table["rows"][3][0])
        if node.type == "bidi_component" and node.proto.component_name.startswith("headcount_chart"):
            sent = json.loads(node.proto.bytes)
            if sent.get("click"):
                made[f"point of {node.key}"] = partial(clicked, node.proto.id, sent)
    return made
