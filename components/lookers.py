"""What the attention and concatenation pages let one choose: a head, a divisor, words for the tokens, a head to switch off."""

import streamlit as st

from components.figures.attention import MAP_CELLS, SHOWN_MAPS
from components.figures.plotly_scene import MOST_CHOSEN
from mha import Config
from mha.names import BY_CODE, counted, heads_in_words
from mha.variations import DIVISORS

MOST_HEADS = BY_CODE["num_heads"].most
MOST_LETTERS, MOST_TEXT = 14, 2000


def maps_answer_clicks(cfg: Config) -> bool:
    """Whether Plotly's maps of this layer do: see components.figures.plotly_scene.cells_to_choose."""
    own_cells = max(cfg.query_len, cfg.key_len) <= MAP_CELLS
    return own_cells and min(cfg.num_heads, SHOWN_MAPS) * cfg.query_len * cfg.key_len <= MOST_CHOSEN


def chosen_head(cfg: Config) -> int:
    """The head to look at, 0-based; one that the layer has not is said and the last one shown."""
    drawn_by = st.session_state["settings"].drawn_by
    click = drawn_by != "plotly" or maps_answer_clicks(cfg)
    head = st.number_input(
        "Head", 1, MOST_HEADS, 1, key="head", bind="query-params", help="Or click a map." if click else "From 1."
    )
    if head > cfg.num_heads:
        st.caption(f"The layer has {heads_in_words(cfg.num_heads)}; showing head {cfg.num_heads}.")
    return min(head, cfg.num_heads) - 1


def divisor_control() -> str:
    return st.segmented_control(
        "Scores divided by",
        DIVISORS,
        default="sqrt_d_k",
        key="divisor",
        bind="query-params",
        required=True,
        help=r"The layer divides by $\sqrt{d_k}$. The others are for learning: the line at the end goes on checking the layer "
        "itself.",
    )


def token_labels(cfg: Config) -> tuple[str, ...]:
    """Words for the rows and columns. Labels only: the numbers stay those of the seed."""
    text = st.text_input(
        "Tokens",
        key="tokens",
        bind="query-params",
        max_chars=MOST_TEXT,
        placeholder="the cat sat on the mat",
        help="Words for rows and columns, separated by spaces. They are labels; X stays as drawn from the seed.",
    )
    words = tuple(word[:MOST_LETTERS] for word in text.split())
    needed = max(cfg.query_len, cfg.key_len)
    if words and len(words) != needed:
        st.caption(f"{counted(len(words), 'word')} for {counted(needed, 'position')}.")
    return words[:needed]


def chosen_off(cfg: Config) -> int | None:
    """The head that is switched off, 0-based, before its field is drawn: the picture comes first. None: all are on."""
    raw = str(st.session_state.get("head_off", st.query_params.get("head_off", "0")))
    head = int(raw) if raw.isascii() and raw.isdigit() else 0
    return head - 1 if 1 <= head <= cfg.num_heads else None


def switch_off(cfg: Config, shown: int | None) -> None:
    """The field for it. `shown`: what the picture has switched off by now."""
    head = st.number_input(
        "Switch off head", 0, MOST_HEADS, 0, key="head_off", bind="query-params", help="0: all heads are on.", width=220
    )
    if head > cfg.num_heads:
        st.caption(f"The layer has {heads_in_words(cfg.num_heads)}; all are on.")
    if chosen_off(cfg) != shown:  # Back: the field has taken another value from the address
        st.rerun()
