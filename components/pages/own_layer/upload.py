"""What happens when a visitor drops a file, picks a layer, or lets go: the callbacks. Sizes follow the file."""

from collections.abc import MutableMapping
from dataclasses import dataclass

import streamlit as st

from components.pages.own_layer.session import KEY, VisitorLayer
from components.streamlit.late_reports import set_value
from mha.loading import fit
from mha.loading.archives import read_input
from mha.loading.isolated import inspect_in_subprocess
from mha.loading.layers import Measured
from mha.loading.report import Report
from mha.loading.tensors import UnreadableFile
from mha.names import BY_CODE, counted

#: Keys of the widgets, and of the last problems.
FILE, INPUT, LAYER, PROBLEM, INPUT_PROBLEM = "own_file", "own_input", "layer", "own_problem", "own_input_problem"
#: The layer, and the X, of the file that was removed last. A browser that replaces a file first removes the old one, in a run of
#: its own: where the new one is bad, the old one comes back.
OUT, INPUT_OUT = "own_out", "own_input_out"
#: Characters of a file's name that are kept.
MOST_NAME = 120


@dataclass(frozen=True, slots=True)
class Problem:
    """A sentence with a {} for each of `names`, which came from a file: quote them. `refused`: nothing of the file is used, and
    what was there before it still is."""

    file: str
    sentence: str
    names: tuple[str, ...]
    refused: bool = True


def take_file() -> None:
    """The file dropped. A bad one leaves the layer before it in place; where a good one is removed, its layer goes, too."""
    state = st.session_state
    problem: Problem | None = state.pop(PROBLEM, None)
    if (file := state.get(FILE)) is None:
        if problem is None or not problem.refused:
            mine = state.get(KEY)
            let_go()
            state[OUT] = mine
        return
    if (before := state.pop(OUT, None)) is not None:
        state[KEY] = before
    name, data, before = file.name[:MOST_NAME], file.getvalue(), state.get(KEY)
    try:
        report, _ = inspect_in_subprocess(data)
        _check_layers(report)
        mine = VisitorLayer(name, data, report, 0, None, 1)
        if before is not None:
            mine = mine.with_input(before.x, before.x_file)
        number = first_to_show(report, state.get(LAYER, 1) - 1)
        instead = before is None and len(report.entries) > 1  # nothing to lose, and another layer to choose
        _show(_picked(mine, number, must=not instead))
    except UnreadableFile as error:
        state[PROBLEM] = Problem(name, error.sentence, error.names)
        return
    state.pop(INPUT_PROBLEM, None)


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
    if (mine := st.session_state.get(KEY)) is not None and mine.report.entries:
        st.session_state.pop(PROBLEM, None)
        _show(_picked(mine, min(st.session_state[LAYER], len(mine.report.entries)) - 1))


def _picked(mine: VisitorLayer, number: int, must: bool = False) -> VisitorLayer:
    """With the numbers of that layer, or none where it cannot be shown. Where they cannot be read the page says so, or, if they
    `must` be, UnreadableFile is raised."""
    entry, flat, heads = mine.report.entries[number], None, 1
    if not entry.why_not and entry.sizes is not None:
        try:
            _, flat = inspect_in_subprocess(mine.data, number)
            heads = entry.sizes.num_heads or likely_heads(entry.sizes, st.session_state.get("num_heads", 1))
        except UnreadableFile as error:
            if must:
                raise
            st.session_state[PROBLEM] = Problem(mine.file, error.sentence, error.names, refused=False)
    return VisitorLayer(mine.file, mine.data, mine.report, number, flat, heads, mine.x, mine.x_file)


def _show(mine: VisitorLayer) -> None:
    """From now on this is the visitor's layer. The sizes follow; where it cannot be shown, they stay as they are."""
    set_value(LAYER, mine.number + 1)
    st.session_state[KEY] = mine
    if mine.flat is not None:
        follow()


def likely_heads(sizes: Measured, shown: int) -> int:
    """Where a file does not say: heads of 64 as in BERT and GPT-2, else as many as are on the screen, or near that."""
    wanted = sizes.inner_k // 64 if sizes.inner_k % 64 == 0 else shown
    return min(fit.head_counts(sizes), key=lambda h: abs(h - wanted))


def follow() -> None:
    """The shared sizes become those of the visitor's layer; its X, where there is one, sets the lengths."""
    state: MutableMapping = st.session_state
    mine: VisitorLayer = state[KEY]
    cfg = mine.config()
    shown = {"d_model": cfg.d_model, "num_heads": cfg.num_heads, "use_bias": cfg.use_bias}
    shown["split"] = "paper" if cfg.follows_paper else "free"
    if not cfg.follows_paper:
        shown |= {"key_dim": cfg.key_dim, "value_dim": cfg.value_dim}
    if mine.entry.looks_back:
        shown["mask"] = "causal"
    if mine.x is not None and mine.x.shape[1] == cfg.d_model:
        shown |= {"query_len": len(mine.x), "key_len": len(mine.x)}
    for key, value in shown.items():
        set_value(key, value)


def take_input() -> None:
    """An X of the visitor's own. A bad one leaves the X before it in place; where a good one is removed, the seed's X returns."""
    state = st.session_state
    mine: VisitorLayer | None = state.get(KEY)
    problem = state.pop(INPUT_PROBLEM, None)
    if mine is None:
        return
    if (file := state.get(INPUT)) is None:
        if problem is None:
            state[INPUT_OUT] = mine.x, mine.x_file
            state[KEY] = mine.with_input(None)
        return
    if (before := state.pop(INPUT_OUT, None)) is not None:
        state[KEY] = mine = mine.with_input(*before)
    name = file.name[:MOST_NAME]
    try:
        x = read_input(file.getvalue())
        longest, width = BY_CODE["query_len"].most, mine.sizes.query_width
        if len(x) > longest:
            raise UnreadableFile(f"X has {counted(len(x), 'position')}; up to {longest} are shown.")
        if x.shape[1] != width:
            raise UnreadableFile(f"X is {x.shape[1]:,} wide; the layer takes d_model = {width:,}.")
    except UnreadableFile as error:
        state[INPUT_PROBLEM] = Problem(name, error.sentence, error.names)
        return
    state[KEY] = mine.with_input(x, name)
    follow()


def let_go() -> None:
    """Back to the seeded layer; nothing of the file stays."""
    for key in (KEY, PROBLEM, INPUT_PROBLEM, OUT, INPUT_OUT):
        st.session_state.pop(key, None)
