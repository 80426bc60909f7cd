"""The part "arrays" of the page: what a change of each array moves. Every number comes from the layer on the screen."""

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.app.controls import control, for_this_layer, value_ahead
from components.app.session import Shown
from components.pages.keras_layer import BY_CODE
from components.settings import Settings
from components.widgets.check import check_line
from components.widgets.explanation import chosen_cell, explain_cell
from components.widgets.refusal import layer_or_end
from components.widgets.stage import show_scene
from components.widgets.tables import entry, markdown_table
from components.widgets.trace import explain_no_numbers, in_turn, trace_by
from headcount import Config, Trace, count_parameters
from headcount.cost import multiply_adds
from headcount.explain import CHANGES, CHOSEN, Cell, Explanation, explain, explain_change
from headcount.ledger import nearest_variable
from headcount.names import LABELS, counted
from headcount.redundancy import factorised, idle, sees_one_key, some_see_nothing
from headcount.sensitivity import WATCHED, Moved, effects, in_float64, moved
from headcount.settings import ARRAY, HEAD, TIMES
from headcount.stage.pictures import arrays

#: A pass of this many multiply-adds takes 10 ms in float64; the table needs some twenty.
MAX_MULTIPLY_ADDS = 1 << 26
#: The purpose of each array, and so what its change moves.
REASONS = {
    "w_q": "$W_Q$ makes the queries. Scores, weights and output are computed from them, so all three move.",
    "b_q": "$b_Q$ is added to every query. A score is a query times a key: each key feels it differently, so all three move.",
    "w_k": "$W_K$ makes the keys. Scores, weights and output are computed from them, so all three move.",
    "b_k": "$b_K$ adds the same number, $q \\cdot b_K$, to all scores of a query, so a row moves as a whole. A softmax only "
    "sees how far the scores of a row are apart.",
    "w_v": "$W_V$ makes the values. The weights are computed without them, so only the output moves.",
    "b_v": "$b_V$ is added to every value. Each row of weights sums to 1, so every query gets it whole: $b_O$ could do the same.",
    "w_o": "$W_O$ comes last: it mixes the heads' results, and nothing is computed after it.",
    "b_o": "$b_O$ comes last: every row of the output gets it.",
    "w_g": "$W_G$ makes the gates. They multiply what the heads have found, so scores and weights stay.",
    "b_g": "$b_G$ is added to what makes the gates. They multiply what the heads have found, so scores and weights stay.",
}  # fmt: skip
ONE_KEY = "No query sees more than one key here. A softmax of one score is 1, whatever the score, so queries and keys do nothing."


def reason(cfg: Config, array: str) -> str:
    """A sentence about what an array does in this layer, which explains what its change moves."""
    if sees_one_key(cfg) and array[2:] in ("q", "k"):
        return ONE_KEY
    if array == "b_v" and (cfg.use_gate or some_see_nothing(cfg)):  # it does not reach each row of the output whole
        part = "The gate lets each query have another part" if cfg.use_gate else "A query that may look nowhere gets none"
        return f"$b_V$ is added to every value. {part} of it, so $b_O$ could not do the same."
    return REASONS[array]


def symbol(array: str) -> str:
    return f"${LABELS[array]}$"


def moved_in_words(change: Moved) -> str:
    """The effect of a change in words, such as "scores and weights stay, the output moves"."""
    moving, still = ([name for name in WATCHED if bool(change.largest(name)) == wanted] for wanted in (True, False))
    if not still:
        return "scores, weights and output move"
    if not moving:
        return "nothing moves"
    if moving == ["scores"]:
        return "the scores move, but weights and output stay"
    return f"{' and '.join(still)} stay, the {' and '.join(moving)} {'moves' if moving == ['output'] else 'move'}"


def show_change(title: DeltaGenerator, shown: Shown, trace: Trace | None, array: str, change: Moved | None) -> None:
    """Shows what moves when one array changes, then a table of all arrays."""
    cfg, times = shown.cfg, float(value_ahead(TIMES))
    done = f"Without {symbol(array)}" if times == 0 else f"With {symbol(array)} times {times:g}"
    title.title(f"{done}, what would move?" if change is None else f"{done}, {moved_in_words(change)}.")
    st.markdown(reason(cfg, array))
    how = show_scene(partial(arrays.change, cfg, change), chosen=chosen_cell(trace, CHOSEN), origin=shown.origin)
    explain_no_numbers(shown)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        control(ARRAY)
        control(TIMES)
    if (wanted := value_ahead(ARRAY)) != array:
        st.caption(f"This layer has no {symbol(wanted)}; {symbol(array)} is shown.")
    if trace is not None and change is not None:
        explain_any(shown, trace, change, how)
        st.header("All arrays of this layer")
        show_effects(trace, times)


def show_effects(trace: Trace, times: float) -> None:
    """A table of the changes that each array causes, if the layer is small enough to change all of them at once."""
    cfg = trace.cfg
    if sum(multiply_adds(cfg).values()) > MAX_MULTIPLY_ADDS:
        st.markdown("One array at a time is computed here: this layer is too large to change all of them at once.")
        return
    with in_turn(cfg):
        found = effects(cfg, in_float64(trace), times)
    heads = ("array", "numbers", "change of scores", "of weights", "of the output")
    table = [(symbol(name), f"{trace[name].values.size:,}", *map(number, change.values())) for name, change in found.items()]
    st.markdown(markdown_table(heads, table, right=(1, 2, 3, 4)))
    dead = idle(cfg).alone
    st.markdown(
        f"**{dead:,} of {count_parameters(cfg):,} parameters cannot change the output at all**, whatever the input: their "
        "gradient is 0."
        if dead
        else f"Each of the {count_parameters(cfg):,} parameters can change the output, one at a time."
    )
    st.caption(f"Largest changes of a number if the array is multiplied by {times:g}. 0: less than the rounding of float64.")


def number(value: float) -> str:
    return "0" if value == 0 else f"**{entry(value)}**"


def explain_any(shown: Shown, trace: Trace, change: Moved, how: str) -> None:
    """Shows the field of the chosen cell and the arithmetic behind its number: of the change, or of the layer's own arrays."""

    def of(trace: Trace, cell: Cell) -> Explanation:
        return explain_change(change, cell) if cell.name in CHANGES else explain(trace, cell)

    explain_cell(shown, trace, chosen_cell(trace, CHOSEN), how, CHOSEN, of)


def show_products(title: DeltaGenerator, shown: Shown, trace: Trace | None, change: Moved | None) -> None:
    """Shows the products W_Q W_Kᵀ and W_V W_O of one head as matrices, and how many numbers their factors have."""
    cfg = shown.cfg
    head = min(value_ahead(HEAD), cfg.num_heads) - 1
    held, free = factorised(cfg)
    most = min(cfg.key_dim, cfg.d_model)
    title.title(
        f"$W_Q W_K^T$ has {cfg.d_model} × {cfg.d_model} = {free:,} numbers, made of 2 · {cfg.d_model} · {cfg.key_dim} = {held:,}."
    )
    st.markdown(
        "A head uses $W_Q$ and $W_K$ only as this product, and $W_V$ and $W_O$ only as theirs. The inner size is its limit: "
        f"a rank of at most {most} of {cfg.d_model}. {verdict(cfg)} $W_Q G$ and $W_K G^{{-T}}$ have the same product for any "
        f"invertible $G$. No output shows {counted(idle(cfg).qk, 'direction')} in $W_Q$ and $W_K$ of all heads."
    )
    cell = chosen_cell(trace, CHOSEN)
    how = show_scene(partial(arrays.products, cfg, trace, head), key="products", chosen=cell, origin=shown.origin)
    explain_no_numbers(shown)
    for_this_layer(HEAD, control(HEAD, width=120, help="From 1."), cfg.num_heads)
    if trace is not None and change is not None:
        explain_any(shown, trace, change, how)


def verdict(cfg: Config) -> str:
    """A sentence that compares the numbers in the factors W_Q and W_K with those of a free matrix."""
    held, free = factorised(cfg)
    if held < free:
        return f"The factors hold {held / free:.0%} of what a free matrix would."
    if held == free:
        return "With $d_k = d_{model}/2$ the factors hold as many numbers as a free matrix, at half its rank."
    return f"With $d_k > d_{{model}}/2$ the factors hold more numbers than a free matrix: {held:,} against {free:,}."


def show(settings: Settings, title: DeltaGenerator) -> None:
    """Shows the chosen idea for the layer in inference, because with dropout each pass would differ."""
    shown = layer_or_end(settings)
    shown = replace(shown, cfg=(cfg := replace(shown.cfg, training=False)))
    trace, by = trace_by(shown)
    array, change = nearest_variable(cfg, value_ahead(ARRAY)), None  # where this layer has not the chosen one, another
    if trace is not None:
        with in_turn(cfg):
            change = moved(cfg, in_float64(trace), array, float(value_ahead(TIMES)))
    if control(BY_CODE["idea"], label_visibility="collapsed", width="stretch") == "products":
        show_products(title, shown, trace, change)
    else:
        show_change(title, shown, trace, array, change)
    check_line(shown, trace, by)
