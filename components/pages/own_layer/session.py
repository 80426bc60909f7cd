"""A visitor's own layer: whether the present sizes show it, and what happens when a file is dropped, a layer picked or let go.

All of it lies in the session: it is in no cache that visitors share, and ends with the visit.
"""

import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.streamlit.address import quoted
from components.streamlit.late_reports import set_value
from components.streamlit.visit import kept
from mha import Config, Inputs, make_inputs
from mha.arrays import Array
from mha.cost import too_large
from mha.custom_layer import CustomLayer
from mha.loading import fit
from mha.loading.archives import read_input
from mha.loading.contents import is_json
from mha.loading.isolated import inspect_in_subprocess
from mha.loading.layers import Measured
from mha.loading.model import Model, Words
from mha.loading.report import Entry, Report
from mha.loading.tensors import UnreadableFile
from mha.names import BY_CODE, counted
from mha.reading import Reading, why_not
from mha.typed import Typed

KEY = "own"
#: What a trained network reads on the page that runs.
READING = "reading"
#: The layers of what the visitor has typed, by that and by their sizes.
TYPED_LAYERS = "typed_layers"
#: Keys of the widgets, and of the last problems.
FILE, INPUT, LAYER, PROBLEM, INPUT_PROBLEM = "own_file", "own_input", "layer", "own_problem", "own_input_problem"
#: The layer, and the X, of the file that was removed last. A browser that replaces a file first removes the old one, in a run of
#: its own: where the new one is bad, the old one comes back.
OUT, INPUT_OUT = "own_out", "own_input_out"
#: A sentence for the server's model, and what was wrong with the last one.
WORDS, WORDS_PROBLEM = "own_words", "own_words_problem"
#: What the uploader called the files in it at the last run.
SEEN = "own_seen"
#: Characters of a file's name that are kept.
MOST_NAME = 120
#: Cuts of one layer that are kept with Keras's answers about them: the present one, and those at the next stops of the slider.
CUTS_KEPT = 6


@dataclass(frozen=True, slots=True)
class VisitorLayer:
    """A file, or several that belong together, and the layer picked from them. `flat`: its numbers as mha.loading.fit lays them
    out, None where the pages cannot show it; `num_heads` are the file's, or where it does not say, those that were on the screen.
    `x`: an input of the visitor's own, axes (positions, width). `files`, by name, so that another layer can be picked; `ids` are
    the uploader's for them. `model` and `words`: a model of the server's, and what it reads, in place of files."""

    file: str
    files: Mapping[str, bytes]
    report: Report
    number: int
    flat: dict[str, np.ndarray] | None
    num_heads: int
    x: np.ndarray | None = None
    x_file: str = ""
    ids: tuple[str, ...] = ()
    model: Model | None = None
    words: Words | None = None
    _cuts: dict[Config, CustomLayer] = field(default_factory=dict)

    @property
    def entry(self) -> Entry:
        return self.report.entries[self.number]

    @property
    def sizes(self) -> Measured:
        """Of the layer; ValueError where its arrays do not fit together (then `flat` is None)."""
        if self.entry.sizes is None:
            raise ValueError(f"layer {self.number + 1} has no sizes: {self.entry.why_not}")
        return self.entry.sizes

    @property
    def title(self) -> str:
        """The layer's name and its file's, quoted for Markdown."""
        return f"{quoted(self.entry.name)} of {quoted(self.file)}"

    @property
    def says_heads(self) -> bool:
        return self.sizes.num_heads is not None

    def config(self, **others: Any) -> Config:
        """The layer as it is in the file."""
        return fit.config(self.sizes, self.num_heads, **others)

    def standing(self, cfg: Config) -> str:
        """What `cfg` shows of it: "whole", "recut" (all numbers, cut into another number of heads), "first" (its first heads),
        or "away": other sizes, where the seeded layer is shown."""
        if self.flat is None:
            return "away"
        sizes = self.sizes
        own = (sizes.query_width, bool(sizes.biases), sizes.gate, 1)
        if (cfg.d_model, cfg.use_bias, cfg.use_gate, cfg.batch) != own:
            return "away"
        in_file = self.config()
        if (cfg.num_heads * cfg.key_dim, cfg.size("(hv)")) == (sizes.inner_k, sizes.inner_v):
            return "whole" if cfg.num_heads == in_file.num_heads else "recut"
        same = (cfg.key_dim, cfg.value_dim) == (in_file.key_dim, in_file.value_dim)
        return "first" if same and cfg.num_heads < in_file.num_heads else "away"

    def brings_input(self, cfg: Config) -> bool:
        """Whether its X is as long and as wide as that of `cfg`."""
        return self.x is not None and self.x.shape == (cfg.query_len, cfg.d_model)

    def custom_layer(self, cfg: Config) -> CustomLayer | None:
        """The layer at these sizes, the same object each time; None where they do not show it."""
        if self.flat is None or self.standing(cfg) == "away":
            return None
        if cfg not in self._cuts:
            while len(self._cuts) >= CUTS_KEPT:
                self._cuts.pop(next(iter(self._cuts)))
            self._cuts[cfg] = CustomLayer(cfg, fit.params(self.flat, cfg), self._inputs(cfg))
        return self._cuts[cfg]

    def _inputs(self, cfg: Config) -> Inputs:
        drawn = make_inputs(cfg)
        if self.x is None or not self.brings_input(cfg):
            return drawn
        x = Array(self.x[None], "btm")
        return Inputs(x, Array(x.values, "bsm") if cfg.is_self_attention else drawn.x_key)

    def with_input(self, x: np.ndarray | None, file: str = "") -> "VisitorLayer":
        return replace(self, x=x, x_file=file, _cuts={})


def visitor_layer() -> VisitorLayer | None:
    """That of the visitor for whom this script runs."""
    if get_script_run_ctx(suppress_warning=True) is None:  # a test or a command line: there is no visitor
        return None
    return st.session_state.get(KEY)


def show_reading(reading: Reading | Typed | None) -> None:
    """From here on: what a trained network reads on this page, or what the visitor has typed; None: the page shows neither."""
    kept()[READING] = reading


def shown_reading() -> Reading | Typed | None:
    """What a trained network reads on this page, or what the visitor has typed; None beside a visitor's own layer."""
    if visitor_layer() is not None or get_script_run_ctx(suppress_warning=True) is None:
        return None
    return kept().get(READING)


def shows_typed() -> bool:
    """Whether this page shows numbers that the visitor has typed, at the sizes that they have."""
    return isinstance(shown_reading(), Typed)


def shows_network(cfg: Config) -> bool:
    """Whether this page shows a trained network, or what was typed, at these sizes, whatever their mask and lengths are."""
    shown = shown_reading()
    return shown is not None and not (shown.why_not(cfg) if isinstance(shown, Typed) else why_not(cfg))


def custom_layer(cfg: Config) -> CustomLayer | None:
    """The visitor's own layer, where `cfg` shows it, or on a page that shows them that of a trained network or of typed numbers;
    None for the seeded one."""
    if (layer := visitor_layer()) is not None:
        return layer.custom_layer(cfg)
    shown = shown_reading()
    return _typed_layer(shown, cfg) if isinstance(shown, Typed) else None if shown is None else shown.layer(cfg)


def _typed_layer(typed: Typed, cfg: Config) -> CustomLayer | None:
    """The same object each time, with what Keras has said about it: kept with the visitor."""
    if too_large(cfg):
        return None
    layers = st.session_state.setdefault(TYPED_LAYERS, {})
    if (typed, cfg) not in layers:
        while len(layers) >= CUTS_KEPT:
            layers.pop(next(iter(layers)))
        layers[typed, cfg] = typed.layer(cfg)
    return layers[typed, cfg]


def same_weights(cfg: Config, *others: Config) -> bool:
    """Whether all show numbers of one kind: all the seed's, all those of the visitor, or all a trained network's."""
    return len({custom_layer(one) is None for one in (cfg, *others)}) == 1


@dataclass(frozen=True, slots=True)
class Problem:
    """A sentence with a {} for each of `names`, which came from a file: quote them. `refused`: nothing of the file is used, and
    what was there before it still is."""

    file: str
    sentence: str
    names: tuple[str, ...]
    refused: bool = True


def take_file() -> None:
    """Files dropped. Bad ones leave the layer before them in place; where a good one is removed, its layer goes, too.

    What is new is read by itself; a configuration alone, or another part of a model, together with the weights before it.
    """
    state = st.session_state
    state.pop(PROBLEM, None)
    held: Sequence[UploadedFile] = state.get(FILE) or ()
    seen, ids = state.get(SEEN, ()), tuple(file.file_id for file in held)
    state[SEEN] = ids
    before: VisitorLayer | None = state.get(KEY)
    new = [file for file in held if file.file_id not in seen]
    if not new:
        _removed({*seen} - {*ids}, held)
        return
    if (out := state.pop(OUT, None)) is not None:
        state[KEY] = before = out
    name = new[0].name[:MOST_NAME]
    try:
        parts = _parts([file.name for file in new])
        layer = _read([file for file in held if file in new or _parts([file.name]) & parts], before)
        name = layer.file
        number = first_to_show(layer.report, state.get(LAYER, 1) - 1)
        instead = before is None and len(layer.report.entries) > 1  # nothing to lose, and another layer to choose
        _show(_with_layer(layer, number, must=not instead))
    except UnreadableFile as error:
        state[PROBLEM] = Problem(name, error.sentence, error.names)
        return
    state.pop(INPUT_PROBLEM, None)


def _removed(ids: set[str], held: Sequence[UploadedFile]) -> None:
    """Files taken out of the uploader. Where one of the layer's went, so does the layer, or what that file said of it."""
    state, layer = st.session_state, st.session_state.get(KEY)
    if layer is None or not ids & {*layer.ids}:
        return
    rest = [file for file in held if file.file_id in layer.ids]
    try:
        if not rest:
            raise UnreadableFile("")
        _show(_with_layer(_read(rest, None), layer.number, must=True))
    except UnreadableFile:
        let_go()
        state[OUT] = layer


def _read(new: Sequence[UploadedFile], before: "VisitorLayer | None") -> VisitorLayer:
    """The layers of these files; of a configuration alone, those that are shown, with what it says."""
    files, ids = _named(new), tuple(file.file_id for file in new)
    if before is not None and all(map(is_json, files.values())):
        files, ids = {**before.files, **files}, (*before.ids, *ids)
    report, _ = inspect_in_subprocess(files)
    _check_layers(report)
    name = next((name for name, data in files.items() if not is_json(data)), next(iter(files)))
    layer = VisitorLayer(name, files, report, 0, None, 1, ids=ids)
    return layer if before is None else layer.with_input(before.x, before.x_file)


def _named(files: Sequence[UploadedFile]) -> dict[str, bytes]:
    """By their names, cut; a name that is there already has its number behind it."""
    named: dict[str, bytes] = {}
    for number, file in enumerate(files, 1):
        name = file.name[:MOST_NAME]
        named[name if name not in named else f"{name} ({number})"] = file.getvalue()
    return named


def _parts(names: Sequence[str]) -> set[str]:
    """Of files that are parts of a larger one: what their names have in common."""
    return {f"{found[1]} {found[2]}" for name in names if (found := re.fullmatch(r"(.*)-[0-9]+-of-([0-9]+)\..*", name))}


def _check_layers(report: Report) -> None:
    """UnreadableFile where the file has no layer, or none whose arrays fit together."""
    if not report.entries:
        some = [name for name, _ in report.unknown[:3]]
        such = f" such as {', '.join('{}' for _ in some)}" if some else ""
        arrays = f"{report.others:,} array{'s' if report.others != 1 else ''}{such}"
        needed = "it needs kernels of query, key, value and output under one of the names that this page lists"
        raise UnreadableFile(f"No attention layer was found among {arrays}; {needed}.", *some)
    if all(entry.sizes is None for entry in report.entries):
        raise UnreadableFile(report.entries[0].why_not, *report.entries[0].named)


def first_to_show(report: Report, number: int) -> int:
    """The layer of this number (from 0), or the last; for the number 0, the default, the first layer that can be shown."""
    if number == 0:
        return next((i for i, entry in enumerate(report.entries) if not entry.why_not), 0)
    return min(number, len(report.entries) - 1)


def pick_layer() -> None:
    """Another layer of the same file."""
    if (layer := st.session_state.get(KEY)) is not None and layer.report.entries:
        st.session_state.pop(PROBLEM, None)
        _show(_with_layer(layer, min(st.session_state[LAYER], len(layer.report.entries)) - 1))


def _with_layer(layer: VisitorLayer, number: int, must: bool = False) -> VisitorLayer:
    """With the numbers of that layer, or none where it cannot be shown. Where they cannot be read the page says so, or, if they
    `must` be, UnreadableFile is raised."""
    entry, flat, heads = layer.report.entries[number], None, 1
    if layer.model is not None and layer.words is not None:
        x, flat = layer.model.entering(layer.words.ids, number), layer.model.flat(number)
        return replace(layer, number=number, flat=flat, x=x, _cuts={})
    if not entry.why_not and entry.sizes is not None:
        try:
            _, flat = inspect_in_subprocess(layer.files, number)
            heads = entry.sizes.num_heads or likely_heads(entry.sizes, st.session_state.get("num_heads", 1))
        except UnreadableFile as error:
            if must:
                raise
            st.session_state[PROBLEM] = Problem(layer.file, error.sentence, error.names, refused=False)
    return replace(layer, number=number, flat=flat, num_heads=heads, _cuts={})


def _show(layer: VisitorLayer) -> None:
    """From now on this is the visitor's layer. The sizes follow; where it cannot be shown, they stay as they are."""
    set_value(LAYER, layer.number + 1)
    st.session_state[KEY] = layer
    if layer.flat is not None:
        follow()


def read_words(model: Model) -> None:
    """The sentence that was typed, through the model: from now on its layer is the visitor's. One that cannot be read leaves what
    was there."""
    state = st.session_state
    state.pop(WORDS_PROBLEM, None)
    if not (text := state[WORDS].strip()):
        return
    try:
        layer = VisitorLayer(model.name, {}, model.report, 0, None, model.heads, model=model, words=model.read(text))
        number = first_to_show(model.report, min(state.get(LAYER, 1), len(model.layers)) - 1)
        _show(_with_layer(layer, number))
        state.pop(PROBLEM, None)
    except UnreadableFile as error:
        state[WORDS_PROBLEM] = Problem("", error.sentence, error.names)


def own_labels(cfg: Config) -> tuple[str, ...]:
    """Tokens for rows and columns, where the visitor's layer reads words."""
    layer = visitor_layer()
    shown = layer is not None and layer.words is not None and layer.brings_input(cfg) and cfg.is_self_attention
    return layer.words.tokens if shown and layer is not None and layer.words is not None else ()


def likely_heads(sizes: Measured, shown: int) -> int:
    """Where a file does not say: heads of 64 as in BERT and GPT-2, else as many as are on the screen, or near that."""
    wanted = sizes.inner_k // 64 if sizes.inner_k % 64 == 0 else shown
    return min(fit.head_counts(sizes), key=lambda h: abs(h - wanted))


def follow() -> None:
    """The shared sizes become those of the visitor's layer; its X, where there is one, sets the lengths."""
    state: MutableMapping = st.session_state
    layer: VisitorLayer = state[KEY]
    cfg = layer.config()
    shown = {"d_model": cfg.d_model, "num_heads": cfg.num_heads, "use_bias": cfg.use_bias}
    shown["split"] = "paper" if cfg.follows_paper else "free"
    if not cfg.follows_paper:
        shown |= {"key_dim": cfg.key_dim, "value_dim": cfg.value_dim}
    if layer.sizes.gate or state.get("use_gate"):
        shown["use_gate"] = layer.sizes.gate
    if layer.sizes.sliding_window is not None:
        shown["sliding_window"] = layer.sizes.sliding_window
    if layer.entry.looks_back or layer.words is not None:
        shown["mask"] = "causal" if layer.entry.looks_back else "none"
    if layer.x is not None and layer.x.shape[1] == cfg.d_model:
        shown |= {"query_len": len(layer.x), "key_len": len(layer.x)}
    for key, value in shown.items():
        set_value(key, value)


def take_input() -> None:
    """An X of the visitor's own. A bad one leaves the X before it in place; where a good one is removed, the seed's X returns."""
    state = st.session_state
    layer: VisitorLayer | None = state.get(KEY)
    problem = state.pop(INPUT_PROBLEM, None)
    if layer is None:
        return
    if (file := state.get(INPUT)) is None:
        if problem is None:
            state[INPUT_OUT] = layer.x, layer.x_file
            state[KEY] = layer.with_input(None)
        return
    if (before := state.pop(INPUT_OUT, None)) is not None:
        state[KEY] = layer = layer.with_input(*before)
    name = file.name[:MOST_NAME]
    try:
        x = read_input(file.getvalue())
        longest, width = BY_CODE["query_len"].most, layer.sizes.query_width
        if len(x) > longest:
            raise UnreadableFile(f"X has {counted(len(x), 'position')}; up to {longest} are shown.")
        if x.shape[1] != width:
            raise UnreadableFile(f"X is {x.shape[1]:,} wide; the layer takes d_model = {width:,}.")
    except UnreadableFile as error:
        state[INPUT_PROBLEM] = Problem(name, error.sentence, error.names)
        return
    state[KEY] = layer.with_input(x, name)
    follow()


def let_go() -> None:
    """Back to the seeded layer; nothing of the file stays."""
    for key in (KEY, PROBLEM, INPUT_PROBLEM, OUT, INPUT_OUT, WORDS_PROBLEM):
        st.session_state.pop(key, None)
