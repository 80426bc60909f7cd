"""Switches for variations of attention in published models, such as rotary positions, and sentences about the switches in use."""

from dataclasses import asdict, replace

import streamlit as st

from components.address import quoted
from components.app.controls import control, value_ahead
from components.app.session import Shown
from components.app.stale_widget_values import show_value
from components.app.visit import visit
from components.symbols import set_symbols
from headcount import Config, Trace, run
from headcount.codegen import KerasCall, printed, write
from headcount.config import read_scaling
from headcount.keras.layer import layer_of_config
from headcount.ledger import count_parameters
from headcount.names import counted
from headcount.settings import SWITCHES
from headcount.switches import NONE, Switches, in_words
from headcount.variations import divisor, with_divisor, with_switches

#: Words before the check line if a switch is on, because Keras's layer has none of the switched variations.
BEFORE_SWITCHES = "Of the layer without what is switched on:"
LABEL, KEY = "What else did published models change?", "switches"


def chosen_switches(shown: Shown) -> Switches:
    """The chosen switches, read before their fields are drawn. If the visitor has just opened a layer, sets the switches as in
    its file. If the visitor has just let go of the layer, resets the switches."""
    layer, ours = shown.origin.own, visit()
    mine = (layer.file, *layer.files, layer.number) if layer is not None and layer.flat is not None else None
    if mine != ours.switches_of:
        its = asdict(layer.sizes.switches if layer is not None and mine else NONE)
        for setting in SWITCHES:
            if value_ahead(setting) != its[setting.code]:
                show_value(setting.code, its[setting.code])
    ours.switches_of = mine
    values = {setting.code: value_ahead(setting) for setting in SWITCHES}
    try:
        read_scaling(values["rotary_scaling"])
    except ValueError as fault:
        st.warning(f"{str(fault).split(', got ')[0]}, got {quoted(values['rotary_scaling'])}; the angles are not slowed.")
        values["rotary_scaling"] = ""
    return Switches(**values)


def as_in_file(shown: Shown, trace: Trace | None) -> Trace | None:
    """The trace of a visitor's own layer with the switches of its file, such as rotary positions. Other traces are unchanged."""
    layer = shown.origin.own
    if trace is None or layer is None or layer.standing(trace.cfg) == "away":
        return trace
    return with_switches(trace, layer.sizes.switches)


def switches_control(shown: Shown, switches: Switches) -> None:
    place = st.popover(LABEL, type="tertiary", key=KEY, on_change="rerun")
    if place.open or switches:
        with place:
            for setting in SWITCHES:
                control(setting)
            st.caption(set_symbols("T5 and others do not divide by √d_k: set *Scores divided by* to none."))
    if chosen_switches(shown) != switches:  # Back: a field has taken another value from the address
        st.rerun()


def show_script(trace: Trace, kind: str) -> None:
    """Shows a NumPy script of a layer with switches, if a script can express the layer. `kind`: the divisor of the scores."""
    cfg = trace.cfg
    if cfg == replace(cfg, **asdict(NONE)) or cfg.use_gate or cfg.sliding_window or cfg.drops:
        return
    place = st.expander("As a script", type="compact", key="switches_script", on_change="rerun")
    if not place.open:
        return
    settings = KerasCall(layer_of_config(cfg), causal=cfg.mask == "causal", cfg=cfg, divisor=divisor(cfg, kind))
    with place:
        st.caption("A complete script in NumPy with numbers from the seed; no library has this layer as one call.")
        st.code(printed(settings, with_divisor(run(cfg), kind).output.values), language=None)
        st.code(write(settings, "NumPy"), language="python")


def say_switches(cfg: Config, switches: Switches, trained: bool) -> None:
    """Shows which switches are on, and how many parameters they add. `trained`: whether the numbers are trained."""
    if not switches:
        return
    fitting, lines = switches.fitting(cfg), []
    if words := in_words(fitting):
        after = count_parameters(fitting.on(cfg))
        more = after - count_parameters(cfg)
        costs = f"{counted(more, 'parameter')} more: {after:,}" if more else f"no parameters: {after:,} as before"
        lines.append(f"**With {', '.join(words)}**; {costs}.")
        if trained:
            drawn = ", and the added parameters come from the seed" if more else ""
            lines.append(f"A what-if: the network was trained without it{drawn}.")
        lines.append("No layer of Keras's has this: NumPy computes it.")
    if fitting != switches:
        lines.append(f"Rotary turns numbers in pairs, and d_k = {cfg.key_dim} is odd: it is left out.")
    st.markdown(set_symbols(" ".join(lines)))
