"""The visitor's own mask: by lengths, by clicking or typing, joined with the causal one, and what the real layer makes of it."""

import numpy as np
import streamlit as st

from components.figures.keras_layer import clicking
from components.figures.keras_layer.maps import Case, allowed_only, scene
from components.keras_layer.chosen import Chosen
from components.keras_layer.reading import MOST_SIDE, write_cells
from components.keras_layer.words import apart, code, shape, state_line
from components.late_reports import set_value
from components.stage import show_scene
from mha.keras_question import Question, question


def ask_own(chosen: Chosen) -> Question:
    mask = None if chosen.mask is None else chosen.mask.astype(np.float32)
    return question("mask_own", layer=chosen.flat.plain(), mask=mask, causal=chosen.causal)


def show_own(chosen: Chosen, asked: Question, reply: dict | None) -> None:
    st.markdown(sentence(chosen, reply))
    if reply is not None and "error" not in reply:
        maps = allowed_only(
            reply["scores"], np.broadcast_to(allowed(chosen), reply["full"])[: len(reply["scores"]), : reply["scores"].shape[1]]
        )
        one = Case(f"output off by {apart(reply['apart'])}", "from the one without a mask", maps)
        show_scene(scene([[one]], f"{one.title}: {one.note}."), chosen.drawn_by, key="mask_yours")
    st.caption(state_line(asked, reply, "Weights (Keras's attention_scores) of the real layer; hatched: may not look."))


def allowed(chosen: Chosen) -> np.ndarray:
    """What mask and triangle let look together, to be spread over (B, h, T, S)."""
    queries, keys = chosen.flat.query_shape[1], chosen.flat.value_shape[1]
    mask = np.ones((queries, keys), bool) if chosen.mask is None else chosen.mask
    mask = mask[:, None] if mask.ndim == 3 else mask
    return mask & np.tril(np.ones((queries, keys), bool)) if chosen.causal else mask


def written(chosen: Chosen) -> str:
    """The call as it is typed."""
    arguments = [] if chosen.mask is None else [f"attention_mask=({', '.join(map(str, chosen.mask.shape))})"]
    arguments += ["use_causal_mask=True"] if chosen.causal else []
    return f"layer(query, value, key{''.join(f', {argument}' for argument in arguments)})"


def told(chosen: Chosen) -> str:
    mask = allowed(chosen)
    whole = np.broadcast_to(mask, (chosen.flat.query_shape[0], 1, chosen.flat.query_shape[1], mask.shape[-1]))
    if whole.all():
        return f"No mask: every query sees all {mask.shape[-1]} keys."
    return f"{int(whole.sum()):,} of {whole.size:,} pairs may look."


def sentence(chosen: Chosen, reply: dict | None) -> str:
    empty = int((~allowed(chosen).any(axis=-1)).sum())
    said = "" if chosen.mask is None else f"The mask has the shape {shape(chosen.mask.shape)}: {KINDS[chosen.attention_mask]}. "
    if empty:
        said += f"**{empty} {'row has' if empty == 1 else 'rows have'} nothing to see**: see *empty_row*. "
    if max(chosen.flat.query_shape[1], chosen.flat.value_shape[1]) > MOST_SIDE and chosen.attention_mask == "custom":
        said += f"A mask is typed up to {MOST_SIDE} × {MOST_SIDE}; here all may look. "
    said = f"{code(written(chosen))}  \n{said}"
    return said + code(reply["error"]) if reply is not None and "error" in reply else said


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
