"""The choice of the layer's numbers (trained or random), and of the sentence that the trained layer reads."""

from dataclasses import replace
from typing import Any

import streamlit as st

from components.address import quoted
from components.app.controls import control, hidden, value_ahead
from components.app.session import Shown
from components.app.stale_widget_values import set_value
from components.app.visit import visit
from components.settings import Settings
from components.widgets.refusal import layer_or_end
from components.widgets.trace import trace_of
from headcount import Config, Trace, count_parameters
from headcount.cost import too_large
from headcount.export.request import MAX_LETTERS
from headcount.layer import Origin
from headcount.names import begun, counted, listed
from headcount.reading import CUT_HEADS, Reading, facts, nearest, sizes_of
from headcount.settings import HEAD_SIZES, NUMBERS, STOPS, TOKENS
from headcount.stage.pictures.attention import names_of_positions
from headcount.trained import store
from headcount.trained.sentence import (
    DEFAULT,
    DEFAULT_TEXT,
    FRONTED,
    IS_PASSIVE,
    LENGTH,
    PRONOUNS,
    QUESTIONS,
    Sentence,
    UnreadableSentence,
    read_or_default,
)  # fmt: skip
from headcount.trained.task import TEST_COUNT

#: Key of the buttons for the numbers if no trained layer has these sizes. Then “random” looks pressed.
AWAY = "numbers_away"
CUT_IN_WORDS = f"This layer was trained with {CUT_HEADS} heads."


def read_layer(settings: Settings) -> Shown:
    """The layer that the address describes, for a page without fields for numbers and words. In the paper's convention, trained
    numbers are those of the layer trained with four heads, cut into the chosen number of heads."""
    return _read(layer_or_end(settings), value_ahead(NUMBERS), value_ahead(TOKENS), cut=True)


def _read(shown: Shown, numbers: str, text: str, cut: bool = False) -> Shown:
    """The shown layer with the chosen `numbers`: "trained" numbers, which read the sentence `text`, or random ones ("seed"). A
    visitor's own layer is unchanged. `cut`: whether the layer trained with four heads is cut into the shown heads."""
    if numbers == "seed" or shown.origin.own is not None:
        return shown
    sentence, fault = read_sentence(text)
    reading = Reading(sentence, cut)
    trained = replace(shown, origin=Origin(source=reading))
    if reason := reading.why_not(shown.cfg):
        return replace(trained, why_not=reason)
    try:
        trace_of(trained.origin, trained.cfg)
    except store.Broken as error:
        return replace(shown, why_not=str(error))
    return replace(trained, fault=fault, labels=reading.labels)


def read_sentence(text: str) -> tuple[Sentence, UnreadableSentence | None]:
    """Reads a text as a sentence. Returns the sentence and None, or DEFAULT and the error if the text cannot be read."""
    try:
        return read_or_default(text), None
    except UnreadableSentence as error:
        return DEFAULT, error


def choose_layer(settings: Settings, named: bool = False) -> Shown:
    """Draws the sidebar's fields for the numbers and the words, and returns the layer that the page shows. `named`: whether rows
    and columns always have names. A trained layer then also gets buttons for other sentences."""
    shown = layer_or_end(settings)
    seeded, cfg = shown.origin.own is None, shown.cfg
    away = value_ahead(NUMBERS) == "trained" and bool(_read(shown, "trained", "").why_not)
    said = st.container()  # always drawn, because without its place all pictures below would be removed and drawn again
    with visit().numbers:
        with hidden("numbers_choice", unless=seeded):
            numbers = choose_numbers(cfg, away, width="stretch")
        trained = seeded and numbers == "trained" and not away
        with hidden("tokens_choice", unless=trained or named):
            text = control(TOKENS, placeholder=DEFAULT_TEXT if trained else "the cat sat on the mat")
        others = st.container(horizontal=True, gap="xsmall")
        if seeded and numbers == "seed" and not too_large(cfg):
            st.caption("The numbers are random, drawn from the seed: **the pattern means nothing.**")
    with said:
        shown = _read(shown, numbers, text)
        _say(shown)
    if named and shown.reading is not None:
        with others:
            change_buttons(shown.reading.sentence, type="tertiary")
    return shown if trained or not named else replace(shown, labels=_names(shown, text))


def _names(shown: Shown, text: str) -> tuple[str, ...]:
    """The names of rows and columns for a layer that reads no sentence."""
    cfg = shown.cfg
    if shown.origin.own is not None and not text.strip():  # its X is random: no row is a "cat"
        return tuple(str(place) for place in range(1, max(cfg.query_len, cfg.key_len) + 1))
    words, needed = tuple(word[:MAX_LETTERS] for word in text.split()), max(cfg.query_len, cfg.key_len)
    if words and len(words) != needed:
        st.caption(f"{counted(len(words), 'word')} for {counted(needed, 'position')}.")
    return names_of_positions(words, cfg)


def choose_numbers(cfg: Config, away: bool, **more: Any) -> str:
    """Draws the buttons that choose trained or random numbers, and returns the choice. `away`: whether trained numbers are
    chosen, but no trained layer has the sizes `cfg`. The button "random" then looks pressed."""
    if not away:
        return control(NUMBERS, **more)
    options, names = NUMBERS.choices, dict(zip(NUMBERS.choices, NUMBERS.labels, strict=True))
    st.session_state[AWAY] = "seed"
    st.segmented_control(
        NUMBERS.label, options, key=AWAY, format_func=names.__getitem__, required=True, on_change=_leave, args=(cfg,), **more
    )
    return "trained"


def cut_trace(shown: Shown, trace: Trace) -> Trace:
    """The trace of the layer trained with four heads, cut into the shown heads. Returns `trace` if another layer is shown."""
    reading, cfg = shown.reading, shown.cfg
    layer = None if reading is None or not cfg.follows_paper else replace(reading, cut=True).layer(cfg)
    return trace if layer is None else layer.trace()


def say_cut(shown: Shown) -> None:
    """Shows where the numbers come from, on a page that divides one trained layer into the chosen number of heads."""
    if shown.reading is not None and shown.cfg.follows_paper:
        st.caption(CUT_IN_WORDS)
    elif shown.why_not:
        _say(shown)
    elif shown.reading is None and shown.origin.own is None and not too_large(shown.cfg):
        st.caption("The numbers are random, drawn from the seed.")
    else:
        say_trained(shown)


def change_buttons(sentence: Sentence, field: str = TOKENS.code, **more: Any) -> None:
    """Draws buttons that change the sentence, for example to the passive. `field`: the key of the sentence's field."""
    changes = {
        "active" if sentence.has(IS_PASSIVE) else "passive": sentence.flipped(IS_PASSIVE),
        "place last" if sentence.has(FRONTED) else "place first": sentence.flipped(FRONTED),
        "he" if sentence.pronoun == "she" else "she": sentence.with_pronoun(PRONOUNS[sentence.pronoun == "she"]),
        "other names": sentence.with_other_names(),
    }
    for number, (label, changed) in enumerate(changes.items()):
        st.button(label, key=f"change_{field}_{number}", on_click=_show, args=(field, changed), **more)


def say_unreadable(fault: UnreadableSentence) -> None:
    """Shows what is wrong with a sentence, quotes the visitor's word, and names the sentence that is read instead."""
    about = f" The fault is at {quoted(fault.word)}." if fault.word else ""
    st.warning(f"**Sentence** cannot be read. {fault.args[0]}{about} Showing “{DEFAULT_TEXT}”.")


def _show(field: str, sentence: Sentence) -> None:
    set_value(field, "" if sentence == DEFAULT else sentence.text)


def _leave(cfg: Config) -> None:
    """Callback of the buttons for numbers if "random" looks pressed: "trained" sets the sizes of the nearest trained layer."""
    if st.session_state.get(AWAY) == "trained":
        to_trained(cfg)


def _say(shown: Shown) -> None:
    """Shows why the numbers are random although trained numbers are chosen, and why a sentence could not be read."""
    source = shown.origin.source
    if shown.fault is not None:
        say_unreadable(shown.fault)
    if not shown.why_not:
        return
    said = f"The numbers are random, because {shown.why_not}: **the pattern means nothing.**"
    said = f"{begun(shown.why_not)}." if too_large(shown.cfg) else said
    say_untrained(shown.cfg, "" if source is None else source.sentence.text, said)


def say_untrained(cfg: Config, sentence: str, said: str) -> None:
    """Shows the text `said`, with a button to the sizes of the nearest trained layer. `sentence`: a grey text above `said`."""
    with st.container(key="untrained", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":gray[{sentence}]  \n{said}" if sentence else said, width="content")
        st.button(nearest_in_words(cfg), on_click=to_trained, args=(cfg,), key="to_network")


def say_trained(shown: Shown) -> None:
    """Shows a trained layer's parameter count. Without a mask, also shows the rates of right answers, if a rate is below 100%."""
    place, cfg = st.container(), shown.cfg
    if shown.reading is not None:
        right = {question: f"{share:.0%}" for question, share in zip(QUESTIONS, facts(cfg)["accuracy"], strict=True)}
        said = listed([f"{question} {share}" for question, share in right.items()])
        layer = "layer, trained without a mask," if cfg.masked else "trained layer"
        answers = f" Right answers in {TEST_COUNT:,} sentences: {said}."
        answers = "" if cfg.masked or {*right.values()} == {"100%"} else answers
        place.caption(f"The {layer} has {count_parameters(cfg):,} parameters.{answers}")


def say_fallen(reading: Reading, before: Trace, after: Trace) -> str:
    """A sentence about the answers that differ between the traces `before` and `after`."""
    pairs = zip(reading.answers(before.cfg, before.output.values), reading.answers(after.cfg, after.output.values), strict=True)
    fallen = [f"{one.word}: {one.question} **{now.given}** (it was {one.given})" for one, now in pairs if one.given != now.given]
    return f"These answers change: {'; '.join(fallen)}." if fallen else "All answers stay as they were."


def nearest_in_words(cfg: Config) -> str:
    """The label of the button that sets the sizes of the nearest trained layer."""
    there = nearest(cfg)
    width, heads, key_dim, value_dim = there
    said = [f"d_model {width}", counted(heads, "head"), f"key size {key_dim}", f"value size {value_dim}"]
    free = zip(said, sizes_of(cfg), there, strict=True)
    changed = [one for one, here, new in [*free][: 2 if cfg.follows_paper else 4] if here != new]
    return f"To the nearest trained layer: {listed(changed or said[:2])}"


def to_trained(cfg: Config) -> None:
    """Callback: sets the shared settings to those of the nearest trained layer in the chosen convention."""
    sizes = {
        **dict(zip(STOPS, nearest(cfg), strict=True)), "use_bias": True, "query_len": LENGTH, "key_len": LENGTH,
        "use_gate": False, "dropout": 0.0,
    }  # fmt: skip
    if st.session_state.get("split") == "paper":
        sizes = {key: value for key, value in sizes.items() if key not in HEAD_SIZES}
    for key, value in sizes.items():
        if key in st.session_state:  # others are at their defaults
            set_value(key, value)
