"""What happens when a visitor drops a file, picks a layer of it or brings an X."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import streamlit as st

from components.address import quoted
from components.app.session import INPUT_OUT, INPUT_PROBLEM, KEY, PROBLEM, follow, let_go
from components.app.stale_widget_values import set_value
from components.app.visit import kept
from mha.files.contents import is_json
from mha.files.formats import read_input
from mha.files.report import Report, inspect_in_subprocess
from mha.files.tensors import MAX_NAME, UnreadableFile
from mha.layer import VisitorLayer, first_to_show, likely_heads
from mha.names import BY_CODE, counted

FILE, INPUT, LAYER = "own_file", "own_input", "layer"
#: What the uploader called the files in it at the last run.
SEEN = "own_seen"


class Upload(Protocol):
    """A file in st.file_uploader."""

    name: str
    file_id: str

    def getvalue(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Problem:
    """A sentence in Markdown about a file. `refused`: nothing of the file is used, and what was there before it still is."""

    file: str
    sentence: str
    refused: bool = True


def visitor() -> object:
    """Whose files are read one after the other: those of one address, or on this machine of one visit."""
    return st.context.ip_address or id(kept())


def is_lost(file: object) -> bool:
    """Whether a file that the browser lists has no bytes on the server (Streamlit's DeletedFile)."""
    return file is not None and not hasattr(file, "name")


def take_file() -> None:
    """Callback: takes dropped files. Bad ones leave the layer before them in place; a good one that is removed takes its layer
    along.

    What is new is read by itself; a configuration alone, or another part of a model, together with the weights before it.
    """
    state = st.session_state
    state.pop(PROBLEM, None)
    listed = state.get(FILE) or ()
    held: Sequence[Upload] = [file for file in listed if not is_lost(file)]
    seen = state.get(SEEN, ())
    state[SEEN] = ids = [file.file_id for file in listed]
    before: VisitorLayer | None = state.get(KEY)
    new = [file for file in held if file.file_id not in seen]
    if not new:
        _removed({*seen} - {*ids}, held)
        return
    name = new[0].name[:MAX_NAME]
    try:
        models = {_model_of(file) for file in new} - {""}
        layer = _read([file for file in held if file in new or _model_of(file) in models], before)
        name = layer.file
        number = first_to_show(layer.report, state.get(LAYER, 1) - 1)
        instead = before is None and len(layer.report.entries) > 1  # nothing to lose, and another layer to choose
        _show(_with_layer(layer, number, must=not instead))
    except UnreadableFile as error:
        state[PROBLEM] = Problem(name, error.said(quoted))
        return
    state.pop(INPUT_PROBLEM, None)


def _removed(ids: set[str], held: Sequence[Upload]) -> None:
    """Follows files taken out of the uploader: where one of the layer's went, so does the layer, or what that file said of it."""
    layer = st.session_state.get(KEY)
    if layer is None or not ids & {*layer.files}:
        return
    try:
        _show(_with_layer(_read([file for file in held if file.file_id in layer.files], None), layer.number, must=True))
    except UnreadableFile:
        let_go()


def _read(new: Sequence[Upload], before: "VisitorLayer | None") -> VisitorLayer:
    """The layers of these files; of a configuration alone, those that are shown, with what it says in place of one before."""
    files = {file.file_id: file.getvalue() for file in new}
    name = next((file.name[:MAX_NAME] for file in new if not is_json(files[file.file_id])), "config.json")
    if before is not None and all(map(is_json, files.values())):
        name, files = before.file, {id: data for id, data in before.files.items() if not is_json(data)} | files
    report, _ = inspect_in_subprocess(files, visitor=visitor())
    _check_layers(report)
    layer = VisitorLayer(name, files, report, 0, None, 1)
    return layer if before is None else layer.with_input(before.x, before.x_file)


def _model_of(file: Upload) -> str:
    """What the name of a file that is a part of a model has in common with the other parts; "" for any other."""
    found = re.fullmatch(r"(.*)-[0-9]+-of-([0-9]+)\..*", file.name)
    return f"{found[1]} {found[2]}" if found else ""


def _check_layers(report: Report) -> None:
    """Raises UnreadableFile where the file has no layer, or none whose arrays fit together."""
    if not report.entries:
        some = [name for name, _ in report.unknown[:3]]
        such = f" such as {', '.join('{}' for _ in some)}" if some else ""
        arrays = f"{report.others:,} array{'s' if report.others != 1 else ''}{such}"
        needed = "it needs kernels of query, key, value and output under one of the names that this page lists"
        raise UnreadableFile(f"No attention layer was found among {arrays}; {needed}.", *some)
    if all(entry.sizes is None for entry in report.entries):
        raise UnreadableFile(report.entries[0].why_not, *report.entries[0].named)


def pick_layer() -> None:
    """Callback: shows another layer of the same file."""
    if (layer := st.session_state.get(KEY)) is not None and layer.report.entries:
        st.session_state.pop(PROBLEM, None)
        _show(_with_layer(layer, min(st.session_state[LAYER], len(layer.report.entries)) - 1))


def _with_layer(layer: VisitorLayer, number: int, must: bool = False) -> VisitorLayer:
    """Returns the visitor's layer with the numbers of another of its file's layers, or none where it cannot be shown. Where they
    cannot be read the page says so, or, if they `must` be, UnreadableFile is raised."""
    entry, flat, heads = layer.report.entries[number], None, 1
    if not entry.why_not and entry.sizes is not None:
        try:
            _, flat = inspect_in_subprocess(layer.files, number, visitor())
            heads = entry.sizes.num_heads or likely_heads(entry.sizes, st.session_state.get("num_heads", 1))
        except UnreadableFile as error:
            if must:
                raise
            st.session_state[PROBLEM] = Problem(layer.file, error.said(quoted), refused=False)
    return replace(layer, number=number, flat=flat, num_heads=heads, _cuts={})


def _show(layer: VisitorLayer) -> None:
    """Makes this the visitor's layer. The sizes follow; where it cannot be shown, they stay as they are."""
    set_value(LAYER, layer.number + 1)
    st.session_state[KEY] = layer
    if layer.flat is not None:
        follow()


def take_input() -> None:
    """An X of the visitor's own. A bad one leaves the X before it in place; where a good one is removed, the seed's X returns."""
    state = st.session_state
    layer: VisitorLayer | None = state.get(KEY)
    problem = state.pop(INPUT_PROBLEM, None)
    if layer is None or is_lost(file := state.get(INPUT)):
        return
    if file is None:
        if problem is None:
            state[INPUT_OUT] = layer.x, layer.x_file
            state[KEY] = layer.with_input(None)
        return
    if (before := state.pop(INPUT_OUT, None)) is not None:
        state[KEY] = layer = layer.with_input(*before)
    name = file.name[:MAX_NAME]
    try:
        x = read_input(file.getvalue())
        longest, width = BY_CODE["query_len"].most, layer.sizes.query_width
        if len(x) > longest:
            raise UnreadableFile(f"X has {counted(len(x), 'position')}; up to {longest} are shown.")
        if x.shape[1] != width:
            raise UnreadableFile(f"X is {x.shape[1]:,} wide; the layer takes d_model = {width:,}.")
    except UnreadableFile as error:
        state[INPUT_PROBLEM] = Problem(name, error.said(quoted))
        return
    state[KEY] = layer.with_input(x, name)
    follow()
