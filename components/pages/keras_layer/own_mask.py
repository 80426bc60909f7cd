"""The visitor's own mask: by lengths, by clicking or typing, joined with the causal one, and what the real layer makes of it."""

import numpy as np
import streamlit as st

from components.figures.pictures.keras_layer import clicking
from components.figures.pictures.keras_layer.maps import Case, allowed_only, scene
from components.pages.keras_layer.chosen import Chosen
from components.pages.keras_layer.fields import MOST_SIDE, write_cells
from components.pages.keras_layer.words import all_of, apart, code, drawn_of, shape, state_line
from components.streamlit.late_reports import set_value
from components.widgets.stage import show_scene
from mha.keras.layer import MOST_MASK
from mha.keras.question import Question, Reply, question
from mha.names import counted


def ask_own(chosen: Chosen) -> Question:
    mask = None if chosen.mask is None else chosen.mask.astype(np.float32)
    return question("mask_own", layer=chosen.flat.plain(), mask=mask, causal=chosen.causal)


def show_own(chosen: Chosen, reply: Reply) -> None:
    st.markdown(sentence(chosen, reply))
    if reply.found:
        scores, full = reply["scores"], reply["full"]
        maps = allowed_only(scores, np.broadcast_to(allowed(chosen), full)[: scores.shape[0], : scores.shape[1]])
        one = Case(f"output off by {apart(reply['apart'])}", "from the one without a mask", maps)
        part = drawn_of(scores.shape, full)
        show_scene(scene([[one]], f"{one.title}: {one.note}. {part}".strip()), chosen.drawn_by, key="mask_yours")
        if part:
            st.caption(part)
    st.caption(state_line(reply, "Weights (Keras's attention_scores) of the real layer; hatched: may not look."))


def allowed(chosen: Chosen) -> np.ndarray:
    """What mask and triangle let look together, to be spread over (B, h, T, S). Only for a layer that is computed."""
    queries, keys = chosen.flat.query_shape[1], chosen.flat.value_shape[1]
    mask = np.ones((queries, keys), bool) if chosen.mask is None else chosen.mask
    mask = mask[:, None] if mask.ndim == 3 else mask
    return mask & np.tril(np.ones((queries, keys), bool)) if chosen.causal else mask


def pairs(chosen: Chosen) -> tuple[int, int]:
    """Of all samples together: pairs of query and key that may look, and queries that may look nowhere. A mask of lengths may
    stand for more pairs than fit into memory: counted one line a sample."""
    batch, queries, keys = chosen.flat.query_shape[0], chosen.flat.query_shape[1], chosen.flat.value_shape[1]
    if chosen.mask is not None and chosen.mask.ndim == 2:
        mask = allowed(chosen)
        return batch * int(mask.sum()), batch * int((~mask.any(axis=-1)).sum())
    lengths = [keys] * batch if chosen.mask is None else [int(length) for length in chosen.mask[:, 0].sum(axis=-1)]
    return sum(under(queries, length, chosen.causal) for length in lengths), queries * lengths.count(0)


def under(queries: int, keys: int, causal: bool) -> int:
    """Pairs of a whole rectangle, or of the triangle that starts at its top left: 1 + 2 + … up to `keys` a query."""
    if not causal:
        return queries * keys
    steps = min(queries, keys)
    return steps * (steps + 1) // 2 + (queries - steps) * keys


def written(chosen: Chosen) -> str:
    """The call as it is typed."""
    arguments = [] if chosen.mask is None else [f"attention_mask=({', '.join(map(str, chosen.mask.shape))})"]
    arguments += ["use_causal_mask=True"] if chosen.causal else []
    return f"layer(query, value, key{''.join(f', {argument}' for argument in arguments)})"


def told(chosen: Chosen) -> str:
    batch, queries, keys = chosen.flat.query_shape[0], chosen.flat.query_shape[1], chosen.flat.value_shape[1]
    may, whole = pairs(chosen)[0], batch * queries * keys
    if may == whole:
        none = chosen.mask is None and not chosen.causal
        return f"{'No mask' if none else 'The mask leaves nothing out'}: every query sees {all_of(keys, 'key')}."
    return f"{may:,} of {counted(whole, 'pair')} may look."


def left_out(chosen: Chosen) -> str:
    """Why there is no mask although one was chosen; "" otherwise."""
    if chosen.mask is not None or chosen.attention_mask == "none":
        return ""
    if chosen.attention_mask == "custom":
        return f"A mask is typed up to {MOST_SIDE} × {MOST_SIDE}; here all may look."
    return f"A mask of lengths is made for up to {MOST_MASK:,} keys of all samples together; here all may look."


def sentence(chosen: Chosen, reply: Reply) -> str:
    empty = pairs(chosen)[1]
    said = "" if chosen.mask is None else f"The mask has the shape {shape(chosen.mask.shape)}: {KINDS[chosen.attention_mask]}. "
    if empty:
        said += f"**{counted(empty, 'query')} may look nowhere**: see *empty_row*. "
    if why := left_out(chosen):
        said += f"{why} "
    said = f"{code(written(chosen))}  \n{said}"
    return said + code(reply.why) if reply.state == "refused" else said


KINDS = {"padding": "(B, 1, S), from one length a sample", "custom": "(T, S), the same for all samples and heads"}


def show_squares(mask: np.ndarray) -> None:
    """Squares to click. The field that holds the mask is what is changed; this chart has no state of its own."""
    st.plotly_chart(
        clicking.draw(mask), key="mask_squares", alt=clicking.alt(mask), width="content", on_select=lambda: _flip(mask),
        selection_mode="points", config={"displayModeBar": False},
    )  # fmt: skip


def _flip(mask: np.ndarray) -> None:
    chosen = st.session_state["mask_squares"]["selection"]["point_indices"]
    changed = mask.copy()
    for place in chosen[:1]:
        changed.flat[place] = not changed.flat[place]
    if len(chosen):
        set_value("mask_cells", write_cells(changed))
