"""The page Why several: one head and several heads answer who, whom, where and when about the same sentence."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from components.app.controls import control, hidden
from components.app.stale_widget_values import set_value, show_value
from components.app.visit import visit
from components.presenter.walk import right, says
from components.settings import Settings
from components.widgets.chart import clicked, show_chart
from components.widgets.networks import manifest_and_report, network, or_end
from components.widgets.stage import show_scene
from components.widgets.tables import markdown_table
from components.widgets.words import change_buttons, read_sentence, say_unreadable
from headcount import Config, count_parameters
from headcount.export.request import ASKING, SENTENCE, SLIDER
from headcount.names import heads_in_words, listed, noun
from headcount.reading import Reading, pale_rows, sizes_of
from headcount.settings import CELL, HEAD_SIZES, TOKENS
from headcount.stage.pictures.trained import costs
from headcount.stage.pictures.trained import sentence as pictures
from headcount.stage.pictures.trained.sentence import ReadLayer
from headcount.timing import usual
from headcount.trained.network import forward
from headcount.trained.sentence import ANSWERS, D_MODEL, DEFAULT_TEXT, HEADS, LENGTH, Sentence, asked_rows
from lessons.walk import STEPS

ONE = "sentence-1"
#: The step of the walk on how many heads to take.
STEP = next(step for step in STEPS if step.figure == "right_answers")


def both(cfg: Config, paper: bool, sentence: Sentence) -> tuple[ReadLayer, ...]:
    """The trained layers to compare on a sentence: the layer with a single head, if one was trained, then `cfg`, if it has
    several heads. () if `cfg` was not trained."""
    return or_end(lambda: pictures.layers_of(cfg, paper, sentence))


def headline(layers: Sequence[ReadLayer]) -> tuple[str, str]:
    """The page's title, which says what the layers can answer, and a text with the task and the parameter counts."""
    shown, counts = layers[-1], [count_parameters(one.cfg) for one in layers]
    many, compared = who(shown.heads), len(layers) > 1
    if not shown.rates:
        found = sum(one.is_right for one in shown.answers)
        title = f"With a mask, {many} {noun(shown.heads, 'gets', 'get')} {found} of {len(shown.answers)} answers right."
    elif compared and min(shown.rates[one] for one in costs.PEOPLE) > 0.99 and _cannot_tell(layers[0].cfg):
        title = f"One head cannot tell who from whom; {many} can."
    else:
        worst = shown if min(shown.rates.values()) < 0.99 else layers[0]
        question = min(worst.rates, key=worst.rates.__getitem__)
        first, *others = (f"{who(one.heads)} {{}}{one.rates[question]:.0%}" for one in layers)
        first = first.format(f"{noun(layers[0].heads, 'is', 'are')} right ") + " of the time"
        title = f"Asked {question}, {', '.join([first, *(other.format('') for other in others)])}."
    has = f"{many.capitalize()} {noun(shown.heads, 'has', 'have')} {counts[0]:,} parameters."
    if compared:
        same = f"Both layers have {counts[0]:,} parameters and were trained alike."
        has = same if counts[0] == counts[1] else f"One head has {counts[0]:,} parameters, and {many} have {counts[1]:,}."
    if not shown.rates:
        rows = Counter((one.row, one.word) for one in shown.answers)
        asked = listed([f"{count} at “{word}”" for (_, word), count in rows.items()])
        has = f"The {len(shown.answers)} answers: {asked}. No layer was trained with a mask."
    return title, f"Each verb must say who, whom, where and when. {has}"


def _cannot_tell(cfg: Config) -> bool:
    return or_end(lambda: costs.stop(sizes_of(cfg), cfg.num_heads)).cannot_tell


def choose() -> Sentence:
    """Draws the field for a sentence, with buttons that change it. Returns the sentence, DEFAULT for an unreadable text."""
    with st.container(key="sentence_bar", horizontal=True, vertical_alignment="center", gap="small"):
        text = control(SENTENCE, label_visibility="collapsed", placeholder=DEFAULT_TEXT)
        sentence, fault = read_sentence(text)
        change_buttons(sentence, "sentence")
    if fault is not None:
        say_unreadable(fault)
    return sentence


def choose_asking(sentence: Sentence, layers: Sequence[ReadLayer]) -> int:
    """The row (from 0) of the word whose attention and answers are shown. A hidden field has the row's number, from 1. A press in
    the picture sets the number, and a new sentence resets it. An impossible number gets a warning."""
    rows, changed = asked_rows(sentence), visit().sentence not in (None, sentence.text)
    visit().sentence = sentence.text
    if changed and st.session_state.get(ASKING.code):
        show_value(ASKING.code, 0)
    with hidden("asking_choice"):
        chosen = control(ASKING)
    first = pictures.telling(sentence, layers)
    if chosen - 1 in rows:
        return chosen - 1
    if chosen:
        asking = " or ".join(f"{row + 1} (“{sentence.words[row]}”)" for row in rows)
        st.warning(f"**asking** must be {asking}, got `{chosen}`; showing “{sentence.words[first]}”.")
    return first


def show(sentence: Sentence, layers: Sequence[ReadLayer], row: int) -> None:
    """Draws the sentence with each layer's attention and answers. A press on a word chooses the word. A press on the link opens
    the page Attention."""
    drawn = partial(pictures.draw, layers, sentence.words, row, asked_rows(sentence), pale_rows(Reading(sentence)))
    show_scene(drawn, "sentence_picture", _press)
    if st.session_state.pop(pictures.OPEN, False):
        key = int(layers[-1].trace.weights.values[0, 0, row].argmax())
        words = {} if sentence.text == DEFAULT_TEXT else {TOKENS.code: sentence.text}
        st.switch_page("pages/attention.py", query_params=words | {CELL.code: f"weights.1.{row + 1}.{key + 1}"})


def _press(what: str) -> None:
    if what == pictures.OPEN:
        st.session_state[what] = True
    elif ASKING.is_valid(place := ASKING.convert(what)):
        set_value(ASKING.code, place)


def show_costs(settings: Settings, cfg: Config) -> None:
    """Shows how the rate of right answers depends on one size: the size that was last moved, or that is chosen here."""
    now, before = settings.sizes, visit().sizes or settings.sizes
    visit().sizes = now
    if moved := [code for code in SLIDER.choices if now[code] != before[code]]:
        show_value(SLIDER.code, moved[0])  # the first, as the head sizes follow
    heading = st.container()
    slider = control(SLIDER, label_visibility="collapsed")
    stops = costs.stops_of(cfg, settings.paper, slider)
    with heading:
        st.header(costs.headline(stops, slider))
    if len(stops) > 1:
        here = now[slider]
        show_chart(
            costs.draw(stops, slider, here), "costs", partial(_go_to, [one.value for one in stops], slider, settings.paper)
        )


def _go_to(values: Sequence[int], slider: str, paper: bool) -> None:
    if 0 <= (at := clicked("costs")) < len(values):
        set_value(slider, values[at])
        if paper and slider in HEAD_SIZES:
            set_value("split", "free")
            visit().moved = slider


def ranks(sentence: Sentence) -> list[tuple[str, str, str, str]]:
    """Table rows by number of heads: heads, key size, largest rank of a head's scores, rate of right answers to "whom"."""
    found = []
    for heads in HEADS:
        trace = forward(network(f"sentence-{heads}"), sentence.examples.tokens).trace
        q, k = (array.values[0].astype(np.float64).transpose(1, 0, 2) for array in (trace.q, trace.k))
        rank = np.linalg.matrix_rank(q @ k.transpose(0, 2, 1)).max()
        found.append((f"{heads}", f"{D_MODEL // heads}", f"{rank}", right(heads)))
    return found


def show_how_many(sentence: Sentence) -> None:
    """Shows an expander about the right number of heads. The contents are computed only while the expander is open."""
    view = st.expander(STEP.headline, key="how_many", on_change="rerun")
    if not view.open:
        return
    with view:
        st.markdown(says(STEP))
        words = len(sentence.words)
        heads = ("heads", "$d_k$", f"rank of $QK^T$, {words} × {words}", "whom is right")
        st.markdown(markdown_table(heads, ranks(sentence), right=range(len(heads))))
        time, longer = usual(), ", ".join(f"{usual().times(h):.1f} with {h}" for h in (16, 32, 64, 128))
        st.markdown(
            f"**Too many**: if $d_k$ < {words}, the scores of a head have at most rank $d_k$, so the head cannot order the words "
            "freely for each word. **Too few**: one head has one map, so a word gets one average of all that it looks at. "
            f"**Time**: each head fills a map of its own. Measured on {time.about}, width {time.width}, {time.tokens} tokens, in "
            f"times of 8 heads: {longer}."
        )
        manifest, report = manifest_and_report("sentence")
        tried = span([min(run["accuracy"][:2]) for run in report["longer"][ONE]])
        st.caption(
            f"After {report['longer_times']} times the training, one head gets {tried} of who or whom right, whichever is worse. "
            f"The page shows seed {manifest['seed']}, {manifest['why']}. The network is a toy: {LENGTH} words, {len(ANSWERS)} "
            "answers, one layer of attention and no MLP."
        )


def who(heads: int) -> str:
    """The subject of a sentence: "one head" or, for example, "4 heads"."""
    return heads_in_words(heads) if heads > 1 else "one head"


def span(values: Sequence[float]) -> str:
    """A range of rates as text, such as "53%" or "34% to 56%"."""
    low, high = f"{min(values):.0%}", f"{max(values):.0%}"
    return low if low == high else f"{low} to {high}"


def show_check(*names: str) -> None:
    """Shows how far NumPy and Keras differed after the training of these networks. The text is in the line for checks."""
    found = [manifest_and_report(name.partition("-")[0])[0] for name in names]
    recipe, differences = found[0]["recipe"], [one["networks"][name]["keras"] for one, name in zip(found, names, strict=True)]
    attention, likely = (max(one[what] for one in differences) for what in ("attention", "probabilities"))
    with visit().line:
        st.caption(
            f"✓ Numbers by NumPy. After the training, Keras {recipe['keras']} on TensorFlow {recipe['tensorflow']} gave the same "
            f"numbers: attention weights within {attention:.0e}, probabilities within {likely:.0e}. The files are unchanged "
            "since then (SHA-256)."
        )
