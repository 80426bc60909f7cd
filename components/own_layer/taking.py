"""What happens when a visitor drops a file, picks a layer, or lets go: the callbacks. Sizes follow the file."""

from collections.abc import MutableMapping
from dataclasses import dataclass

import streamlit as st

from components.late_reports import set_value
from components.own_layer.holding import KEY, Own
from mha.loading import fit
from mha.loading.apart import look_apart
from mha.loading.measure import Measured
from mha.loading.npy import read_input
from mha.loading.refusal import Unreadable
from mha.loading.report import Report
from mha.names import BY_CODE

#: Keys of the widgets, and of what went wrong last.
FILE, INPUT, LAYER, PROBLEM, INPUT_PROBLEM = "own_file", "own_input", "layer", "own_problem", "own_input_problem"
#: Characters of a file's name that are kept.
MOST_NAME = 120


@dataclass(frozen=True, slots=True)
class Problem:
    """A sentence with a {} for each of `names`, which came from a file: quote them."""

    file: str
    sentence: str
    names: tuple[str, ...]


def take_file() -> None:
    """The file dropped; taken out again, its layer is let go."""
    state = st.session_state
    let_go()
    if (file := state.get(FILE)) is None:
        return
    name, data = file.name[:MOST_NAME], file.getvalue()
    try:
        report, _ = look_apart(data)
    except Unreadable as error:
        state[PROBLEM] = Problem(name, error.sentence, error.names)
        return
    state[KEY] = Own(name, data, report, 0, None, 1)
    if report.entries:
        _pick(first_to_show(report, state.get(LAYER, 1) - 1))


def first_to_show(report: Report, asked: int) -> int:
    """The layer asked for, or where nothing was asked and the first cannot be shown, the first that can."""
    if asked == 0:
        return next((i for i, entry in enumerate(report.entries) if not entry.why_not), 0)
    return min(asked, len(report.entries) - 1)


def pick_layer() -> None:
    """Another layer of the same file."""
    if (mine := st.session_state.get(KEY)) is not None and mine.report.entries:
        _pick(min(st.session_state[LAYER], len(mine.report.entries)) - 1)


def _pick(number: int) -> None:
    """Its numbers are read and the sizes follow; where it cannot be shown, the sizes stay as they are."""
    state = st.session_state
    mine: Own = state[KEY]
    entry, flat, heads = mine.report.entries[number], None, 1
    state.pop(PROBLEM, None)
    if not entry.why_not:
        try:
            _, flat = look_apart(mine.data, number)
            heads = entry.sizes.num_heads or likely_heads(entry.sizes, state.get("num_heads", 1))
        except Unreadable as error:
            state[PROBLEM] = Problem(mine.file, error.sentence, error.names)
    set_value(LAYER, number + 1)
    state[KEY] = Own(mine.file, mine.data, mine.report, number, flat, heads, mine.x, mine.x_file)
    if flat is not None:
        follow()


def likely_heads(sizes: Measured, shown: int) -> int:
    """Where a file does not say: heads of 64 as in BERT and GPT-2, else as many as are on the screen, or near that."""
    wanted = sizes.inner_k // 64 if sizes.inner_k % 64 == 0 else shown
    return min(fit.head_counts(sizes), key=lambda h: abs(h - wanted))


def follow() -> None:
    """The shared sizes become those of the visitor's layer; its X, where there is one, sets the lengths."""
    state: MutableMapping = st.session_state
    mine: Own = state[KEY]
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
    """An X of the visitor's own; taken out again, the seed draws."""
    state = st.session_state
    mine: Own | None = state.get(KEY)
    state.pop(INPUT_PROBLEM, None)
    if mine is None:
        return
    state[KEY] = mine.with_input(None)
    if (file := state.get(INPUT)) is None:
        return
    name = file.name[:MOST_NAME]
    try:
        x = read_input(file.getvalue())
        longest, width = BY_CODE["query_len"].most, mine.entry.sizes.query_width
        if len(x) > longest:
            raise Unreadable(f"X has {len(x):,} positions; up to {longest} are shown.")
        if x.shape[1] != width:
            raise Unreadable(f"X is {x.shape[1]:,} wide; the layer takes d_model = {width:,}.")
    except Unreadable as error:
        state[INPUT_PROBLEM] = Problem(name, error.sentence, error.names)
        return
    state[KEY] = mine.with_input(x, name)
    follow()


def let_go() -> None:
    """The seeded layer again; nothing of the file stays."""
    for key in (KEY, PROBLEM, INPUT_PROBLEM):
        st.session_state.pop(key, None)
