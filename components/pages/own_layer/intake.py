"""Reads the files that a visitor drops on the page Your own layer, and the attention layer that is picked from the files."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol

import numpy as np
import streamlit as st

from components.address import quoted
from components.app.session import KEY, PROBLEM, follow, let_go
from components.app.stale_widget_values import set_value
from components.app.visit import visit
from headcount.arrays import Floats
from headcount.export.request import request_of
from headcount.files.contents import is_json
from headcount.files.formats import NPY_MAGIC, as_npz, read_input
from headcount.files.report import Report, inspect_in_subprocess
from headcount.files.tensors import MAX_NAME, UnreadableFile
from headcount.layer import VisitorLayer, first_to_show, likely_heads
from headcount.names import BY_CODE, counted

FILE, LAYER = "own_file", "layer"
#: Key of the session: ids of the files that were in the uploader at the last run.
SEEN = "own_seen"


class Upload(Protocol):
    """A file as st.file_uploader returns it."""

    name: str
    file_id: str

    def getvalue(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with a visitor's file. `sentence`: what is wrong, in Markdown. `refused`: whether the file is not used."""

    file: str
    sentence: str
    refused: bool = True


def visitor() -> object:
    """A key for the visitor: the IP address, or else the visit's id. One visitor's files are read one at a time."""
    return st.context.ip_address or id(visit())


def is_lost(file: object) -> bool:
    """Whether the server no longer has a file of the uploader's list. Streamlit then lists a DeletedFile, which has no name."""
    return file is not None and not hasattr(file, "name")


def kind_of(data: bytes) -> str:
    """The kind of a dropped file by its contents: "x" (an input, .npy), "config" (JSON) or "weights" (anything else)."""
    return "x" if data.startswith(NPY_MAGIC) else "config" if is_json(data) else "weights"


def take_file() -> None:
    """Callback of the uploader: reads new files. New weights replace the old weights and their config.json, but not the input X.
    If no file is new, the contents of removed files are forgotten. If a new file cannot be read, the previous layer stays."""
    state = st.session_state
    state.pop(PROBLEM, None)
    listed = state.get(FILE) or ()
    held: Sequence[Upload] = [file for file in listed if not is_lost(file)]
    seen = state.get(SEEN, ())
    state[SEEN] = ids = [file.file_id for file in listed]
    before: VisitorLayer | None = state.get(KEY)
    new = {file.file_id: file.getvalue() for file in held if file.file_id not in seen}
    names = {kind_of(new[file.file_id]): file.name[:MAX_NAME] for file in held if file.file_id in new}
    old, gone = before.files if before else {}, set[str]() if new else {*seen} - {*ids}
    instead = {*names, "config"} if "weights" in names else {*names}
    files = {id: data for id, data in old.items() if id not in gone and kind_of(data) not in instead} | new
    if files.keys() == old.keys():
        return
    name = names.get("weights") or next(iter(names.values()), "")
    try:
        layer = _read(files, before, names)
        if "x" in names:
            name = names["x"]
            layer = layer.with_input(_x_for(layer, next(data for data in new.values() if kind_of(data) == "x")), name)
        elif "x" not in map(kind_of, files.values()):
            layer = layer.with_input(None)
        _show(replace(layer, files=files))
    except UnreadableFile as error:
        if new:
            state[PROBLEM] = Problem(name, error.said(quoted))
        else:
            let_go()


def _read(files: Mapping[str, bytes], before: VisitorLayer | None, names: Mapping[str, str]) -> VisitorLayer:
    """The layer in these files, with the X of `before`. If only X has changed, `before` itself. Raises UnreadableFile."""
    parts = _parts(files)
    if before is not None and parts.keys() == _parts(before.files).keys():
        return before
    report, _ = inspect_in_subprocess(parts or files, visitor=visitor())
    _check_layers(report)
    if report.unused and {*names} == {"config"}:
        raise UnreadableFile(f"It was not used: {report.unused[0]}", *report.unused[1:])
    number = first_to_show(report, st.session_state.get(LAYER, 1) - 1)
    name = names.get("weights") or (before.file if before else "")
    instead = before is None and len(report.entries) > 1  # nothing to lose, and another layer to choose
    layer = _with_layer(VisitorLayer(name, files, report, 0, None, 1), number, must=not instead)
    return layer if before is None else layer.with_input(before.x, before.x_file)


def _parts(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {id: data for id, data in files.items() if kind_of(data) != "x"}


def _x_for(layer: VisitorLayer, data: bytes) -> np.ndarray:
    """The visitor's X, an array (positions, d_model), from the bytes of an .npy file. Raises UnreadableFile."""
    if layer.flat is None:
        raise UnreadableFile("X needs a layer that is shown.")
    x, longest, width = read_input(data), BY_CODE["query_len"].most, layer.sizes.query_width
    if len(x) > longest:
        raise UnreadableFile(f"X has {counted(len(x), 'position')}; up to {longest} are shown.")
    if x.shape[1] != width:
        raise UnreadableFile(f"X is {x.shape[1]:,} wide; the layer takes d_model = {width:,}.")
    return x


def _check_layers(report: Report) -> None:
    """Raises UnreadableFile if the file has no attention layer whose arrays fit together."""
    if not report.entries:
        some = [name for name, _ in report.unknown[:3]]
        such = f" such as {', '.join('{}' for _ in some)}" if some else ""
        arrays = f"{report.others:,} array{'s' if report.others != 1 else ''}{such}"
        needed = "it needs kernels of query, key, value and output under one of the names that this page lists"
        raise UnreadableFile(f"No attention layer was found among {arrays}; {needed}.", *some)
    if all(entry.sizes is None for entry in report.entries):
        raise UnreadableFile(report.entries[0].why_not, *report.entries[0].named)


@cache
def example() -> VisitorLayer:
    """An example of a visitor's layer: the start page's trained layer, written to files and read like files of a visitor."""
    trace = request_of({}).in_a_set().trace()
    arrays: dict[str, Floats] = {"norm.weight": np.ones(trace.cfg.d_model, np.float32)}
    for role, values in trace.params.by_name.items():
        module = {"o": "out"}.get(role[2], role[2])
        flat = values.reshape((trace.cfg.d_model,) * (2 if role[0] == "w" else 1)).T
        arrays[f"attention.{module}_proj.{'weight' if role[0] == 'w' else 'bias'}"] = flat
    said = {"hidden_size": trace.cfg.d_model, "num_attention_heads": trace.cfg.num_heads, "num_hidden_layers": 1}
    x = io.BytesIO()
    np.save(x, trace.x_query.values[0])
    files = {"weights": as_npz(arrays), "config": json.dumps(said).encode(), "x": x.getvalue()}
    report, flat = inspect_in_subprocess(_parts(files), 0)
    layer = VisitorLayer("tiny.npz", files, report, 0, flat, trace.cfg.num_heads)
    return layer.with_input(read_input(files["x"]), "x.npy")


def take_example() -> None:
    _show(replace(example(), _cuts={}))


def pick_layer() -> None:
    if (layer := st.session_state.get(KEY)) is not None and layer.report.entries:
        st.session_state.pop(PROBLEM, None)
        _show(_with_layer(layer, min(st.session_state[LAYER], len(layer.report.entries)) - 1))


def _with_layer(layer: VisitorLayer, number: int, must: bool = False) -> VisitorLayer:
    """The visitor's layer with the weights of entry `number` (from 0) of the file. An entry that cannot be shown gets no weights.
    If weights cannot be read, the session keeps the problem. With `must`, raises UnreadableFile instead."""
    entry, flat, heads = layer.report.entries[number], None, 1
    if not entry.why_not and entry.sizes is not None:
        try:
            _, flat = inspect_in_subprocess(_parts(layer.files), number, visitor())
            heads = entry.sizes.num_heads or likely_heads(entry.sizes, st.session_state.get("num_heads", 1))
        except UnreadableFile as error:
            if must:
                raise
            st.session_state[PROBLEM] = Problem(layer.file, error.said(quoted), refused=False)
    return replace(layer, number=number, flat=flat, num_heads=heads, _cuts={})


def _show(layer: VisitorLayer) -> None:
    """Makes this layer the visitor's own, and sets the shared sizes to its sizes."""
    set_value(LAYER, layer.number + 1)
    st.session_state[KEY] = layer
    if layer.flat is not None:
        follow()
