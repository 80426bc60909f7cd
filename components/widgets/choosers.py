"""Fields of the attention and concatenation pages: a head, a divisor, words for the tokens, a head to switch off."""

import streamlit as st

from components.app.controls import control, value_ahead
from components.app.stale_widget_values import set_value, show_value
from components.export.request import KERNEL, MAX_LETTERS
from components.plots.layer import MAX_MAPS
from components.stage.pictures.attention import names_of_positions
from components.stage.pictures.projections import KERNELS
from mha import Config
from mha.explain import Cell
from mha.names import counted, heads_in_words
from mha.settings import CELL, DIVISOR, HEAD, HEAD_OFF, Whole
from mha.variations import index_of_head

#: Of the head's field.
HEAD_PX = 170


def for_this_layer(setting: Whole, head: int, num_heads: int) -> int:
    """The head that a field names; where the layer has fewer heads, a warning, and the default."""
    if head <= num_heads:
        return head
    which = setting.default_label or setting.default
    st.warning(
        f"**{setting.code}** must be a whole number from {setting.least} to {num_heads} in a layer with "
        f"{heads_in_words(num_heads)}, got `{head}`; showing {which}."
    )
    return setting.default


def chosen_head(cfg: Config) -> int:
    """The head to look at, 0-based, before its field is drawn: the picture comes first."""
    head = value_ahead(HEAD)
    return (head if head <= cfg.num_heads else HEAD.default) - 1


def choose_head(cfg: Config, shown: int) -> None:
    """Draws the field for the head. `shown`: what the pictures show by now."""
    control(HEAD, width=HEAD_PX)
    if chosen_head(cfg) != shown:  # Back: the field has taken another value from the address
        st.rerun()


def turn_pages(cfg: Config, head: int) -> None:
    """Buttons that lead to the next maps of heads, where there are more than are shown at once."""
    if cfg.num_heads <= MAX_MAPS:
        return
    first = head // MAX_MAPS * MAX_MAPS
    past = min(first + MAX_MAPS, cfg.num_heads)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="maps_pager"):
        st.button("Previous", key="maps_before", disabled=first == 0, on_click=set_value, args=(HEAD.code, first - MAX_MAPS + 1))
        st.markdown(f"Heads {first + 1} to {past}: {past - first} of {cfg.num_heads}", width="content")
        st.button("Next", key="maps_after", disabled=past == cfg.num_heads, on_click=set_value, args=(HEAD.code, past + 1))


def choose_divisor(shown: str) -> None:
    """Draws the field for the divisor. `shown`: what the pictures show by now."""
    if control(DIVISOR) != shown:
        st.rerun()


def token_labels(cfg: Config, text: str) -> tuple[str, ...]:
    """The words of `text` for the rows and columns, where there are none those of `names_of_positions`. The numbers stay."""
    words = tuple(word[:MAX_LETTERS] for word in text.split())
    needed = max(cfg.query_len, cfg.key_len)
    if words and len(words) != needed:
        st.caption(f"{counted(len(words), 'word')} for {counted(needed, 'position')}.")
    return names_of_positions(words, cfg)


def chosen_off(cfg: Config) -> int | None:
    """The head that is switched off, 0-based, before its field is drawn: the picture comes first. None: all are on."""
    return index_of_head(value_ahead(HEAD_OFF), cfg.num_heads)


def switch_off(cfg: Config, shown: int | None) -> None:
    """Draws the field for the head that is switched off. `shown`: what the picture has switched off by now."""
    head = control(HEAD_OFF, width=220)
    for_this_layer(HEAD_OFF, head, cfg.num_heads)
    if chosen_off(cfg) != shown:  # Back: the field has taken another value from the address
        st.rerun()


def kernel_of(cell: Cell | None) -> str:
    """The kernel of the corner, before its buttons are drawn: that of the chosen cell, if it has one."""
    wanted = next((name for name, (_, _, result, _) in KERNELS.items() if cell is not None and cell.name == result), None)
    if wanted is not None and wanted != value_ahead(KERNEL):
        show_value(KERNEL.code, wanted)
    return wanted or value_ahead(KERNEL)


def choose_kernel(kernel: str) -> None:
    """Draws the kernels' buttons; another kernel lets go of the chosen cell. `kernel`: what the picture shows by now."""
    if control(KERNEL, label_visibility="collapsed", on_change=set_value, args=(CELL.code, "")) != kernel:
        st.rerun()
