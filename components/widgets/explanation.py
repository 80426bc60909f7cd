"""The explanation of a number in a picture: a card with its arithmetic, and the field that names its cell, such as q.2.3.1."""

import math
from collections.abc import Sequence
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.address import quoted
from components.app.controls import control, value_ahead
from components.app.session import Shown
from components.app.stale_widget_values import set_value, show_value
from components.symbols import set_symbols
from components.widgets.play import as_number, part, played, show_bar, written
from headcount import Trace
from headcount.explain import Cell, Explanation, explain, parse_cell, terms
from headcount.export.request import KERNEL
from headcount.names import LABELS, noun
from headcount.settings import CELL, HEAD
from headcount.stage.pictures.projections import KERNELS
from headcount.stage.theme import LIGHT
from headcount.variations import largest_gap

#: Most terms of a written sum; the rest are one sum.
SHOWN_TERMS = 12


def in_latex(value: float) -> str:
    """A number in LaTeX with three decimals. A number below 0.0005 has two digits and a power of ten."""
    if value != 0 and abs(value) < 5e-4:
        mantissa, power = f"{value:.1e}".split("e")
        return f"{mantissa} \\cdot 10^{{{int(power)}}}"
    return f"{value:z.3f}"


def in_words(cell: Cell) -> str:
    head = "" if cell.head is None else f" of head {cell.head + 1}"
    return f"{LABELS[cell.name]}{head}, row {cell.row + 1}, column {cell.col + 1}"


def arithmetic(explanation: Explanation) -> str:
    """The arithmetic of a number as LaTeX, such as a sum of products. The formula ends in the number."""

    def signed(value: float) -> str:
        return f"({in_latex(value)})" if value < 0 else in_latex(value)

    parts, value = explanation.parts[:SHOWN_TERMS], explanation.value
    total = part(value) if explanation.kind == "softmax" else in_latex(value)
    rest = explanation.parts[SHOWN_TERMS:]
    if explanation.kind == "sum":
        terms = [rf"{signed(a)} \cdot {signed(b)}" for a, b in parts]
        if rest:
            terms.append(rf"\underbrace{{{signed(sum(a * b for a, b in rest))}}}_{{{len(rest)}\text{{ more products}}}}")
        if explanation.bias is not None:
            added = explanation.added if "_" in explanation.added else rf"\text{{{explanation.added}}}"
            terms.append(rf"\underbrace{{{signed(explanation.bias)}}}_{{{added}}}")
        return " + ".join(terms) + f" = {total}"
    if explanation.kind == "norm":
        (above, size), (gain, _) = parts
        plus = "" if explanation.bias is None else rf" + \underbrace{{{signed(explanation.bias)}}}_{{\beta}}"
        return rf"\dfrac{{{in_latex(above)}}}{{{in_latex(size)}}} \cdot \underbrace{{{signed(gain)}}}_{{\gamma}}{plus} = {total}"
    if explanation.kind == "softmax":
        own = explanation.parts[explanation.cell.col][0]
        below = [rf"e^{{{in_latex(score)}}}" for score, _ in parts if score != float("-inf")]
        if any(score != float("-inf") for score, _ in rest):
            below.append(r"\dots")
        if explanation.bias is not None:
            below.append(rf"\underbrace{{e^{{{in_latex(explanation.bias)}}}}}_{{\text{{sink}}}}")
        above = "0" if own == float("-inf") else rf"e^{{{in_latex(own)}}}"
        return rf"\dfrac{{{above}}}{{{' + '.join(below)}}} = {total}"
    one, other = explanation.parts[0] if explanation.parts else (value, 1.0)
    short = {
        "ratio": rf"\dfrac{{{in_latex(one)}}}{{{in_latex(other)}}} = {total}",
        "cap": rf"{in_latex(other)} \cdot \tanh\dfrac{{{in_latex(one)}}}{{{in_latex(other)}}} = {total}",
        "product": rf"{signed(one)} \cdot {signed(other)} = {total}",
        "sigmoid": rf"\dfrac{{1}}{{1 + e^{{{in_latex(-one)}}}}} = {total}",
        "dropped": rf"{in_latex(one)} \to 0",
        "masked": rf"{in_latex(one)} \to -\infty",
    }
    return short.get(explanation.kind, total)


def show_explanation(explanation: Explanation) -> None:
    source = {
        "sum": f"{explanation.left} times {explanation.right}" + (f", plus {explanation.added}" if explanation.added else ""),
        "ratio": f"{explanation.left} divided by {explanation.right}",
        "softmax": f"softmax of {explanation.left}" + (f" and {explanation.added}" if explanation.added else ""),
        "norm": f"{explanation.left}, divided by {explanation.right}, times γ",
        "cap": f"c · tanh of {explanation.left} / c",
        "product": f"{explanation.left} times {explanation.right}",
        "sigmoid": f"sigmoid of the same place of {explanation.left}",
        "masked": "the mask forbids this pair",
        "nowhere": "the mask lets this query look nowhere; its weights are 0, as in Keras where the scores are asked for",
        "dropped": "dropped in this pass: dropout sets it to 0",
        "copy": f"the same number as {explanation.left}",
    }
    sentence = set_symbols(f"**{in_words(explanation.cell)}** · {source[explanation.kind]}")
    st.markdown(f"{sentence}  \n${arithmetic(explanation)}$")


def show_card(cell: Cell, explanation: Explanation | None, closes: bool = True, table: str = "", brief: bool = False) -> None:
    """Shows a card with a cell's arithmetic, and a bar that plays the arithmetic term by term. `table`: the arithmetic in HTML;
    without it, the card has a formula. `explanation`: None if the cell's head is switched off; `closes`: whether the bar can
    close the card; `brief`: whether the card is one line high."""
    with st.container(key="explain"):
        show_bar(played(cell, explanation) | {"closes": closes, "brief": brief})
        if explanation is None:
            st.markdown(f"**{in_words(cell)}** · head {(cell.head or 0) + 1} is switched off: its result is set to 0.")
        elif table:
            st.html(table)
        else:
            show_explanation(explanation)


#: Most terms in a card's table.
CARD_TERMS = 3


def explain_corner(shown: Shown, trace: Trace | None, cell: Cell | None, chosen: bool, off: int | None = None) -> None:
    """Shows a cell's arithmetic in the empty corner of the picture, or below the picture if the corner is too small. `chosen`:
    whether the visitor has chosen the cell and may close the card; `off`: the head (from 0) that is switched off."""
    if trace is None or cell is None:
        return
    if cell.name == "context" and off is not None and cell.head == off:
        show_card(cell, None, chosen)
        return
    explanation = explain(trace, cell)
    table = added_up(explanation, shown.labels) if explanation.kind == "sum" else ""
    show_card(cell, explanation, chosen, table)


def explain_in_row(shown: Shown, trace: Trace, cell: Cell, chosen: bool, by: str) -> None:
    """Shows the bar that plays a cell's arithmetic below the picture of one query. `by`: the divisor of the scores."""
    explanation = explain(trace, cell, by)
    line = "<p></p>"
    if explanation.kind == "softmax":
        *powers, last = terms(explanation)
        line = f"{written(powers[cell.col])} ÷ {_sum(last.total)} = <b>{part(explanation.value)}</b>"
        line = f'<p class="terms_of">{line.replace("^{", "<sup>").replace("}", "</sup>")}</p>'
    show_card(cell, explanation, chosen, line, brief=True)


def _sum(total: float) -> str:
    tens = math.floor(math.log10(total))
    return f"{total:,.2f}" if -3 < tens < 6 else f"{total / 10.0**tens:.3f} · 10<sup>{tens}</sup>"


def added_up(explanation: Explanation, words: Sequence[str]) -> str:
    """The arithmetic of a sum as an HTML table: some products or heads' contributions, the sum of the rest, and the total."""
    cell = explanation.cell
    found = [term for term in terms(explanation) if term.kind != "bias"]
    kept = found if len(found) <= CARD_TERMS + 1 else sorted(found, key=lambda term: -abs(term.adds))[:CARD_TERMS]
    if explanation.shares:
        kept = found[: len(kept)]
    rows = [(written(term).removesuffix("’s share"), term.adds) for term in kept]
    hues = len(rows) if explanation.shares else 0
    if rest := len(found) - len(kept):
        what = "head" if explanation.shares else "product"
        rows.append((f"{rest} more {noun(rest, what)}", sum(term.adds for term in found) - sum(term.adds for term in kept)))
    if explanation.bias is not None:
        rows.append((explanation.added if "_" not in explanation.added else "bias", explanation.bias))
    longest = max(abs(value) for _, value in rows) if hues else 0.0
    row = f"“{words[cell.row]}”" if cell.row < len(words) else f"row {cell.row + 1}"
    place, name = f"{row}, column {cell.col + 1}", LABELS[cell.name]
    title = f"{place} of {name}" if cell.head is None else f"Head {cell.head + 1}: {place} of its {name}"
    body = "".join(
        f"<tr{_in_hue(place) if place < hues else ''}><td>{'+ ' if place else ''}{escape(text)}</td>"
        f"{_bar(value / longest) if longest else ''}<td>{as_number(value)}</td></tr>"
        for place, (text, value) in enumerate(rows)
    )
    end = f"<tr><td>=</td>{'<td></td>' if longest else ''}<td><b>{as_number(explanation.value)}</b></td></tr>"
    return f'<p class="terms_of"><b>{escape(title)}</b></p><table class="terms">{body}{end}</table>'


def _bar(part: float) -> str:
    """A table cell with a bar as HTML. The bar goes from the middle to the right, or to the left for a negative `part`."""
    return f'<td class="bar"><i style="width:{abs(part) / 2:.0%};margin-left:{0.5 + min(part, 0.0) / 2:.0%}"></i></td>'


def _in_hue(head: int) -> str:
    """An HTML `style` attribute that gives a table row its head's colour."""
    return f' style="color: var(--head-{head % len(LIGHT.head_text)}, inherit); font-weight: 600"'


def chosen_cell(trace: Trace | None) -> Cell | None:
    """The cell that the visitor has chosen, read before its field is drawn. None if the field's text names no cell."""
    try:
        return None if trace is None else parse_cell(value_ahead(CELL), trace.cfg)
    except ValueError:
        return None


def kernel_of(cell: Cell | None) -> str:
    """The weight matrix that the page shows, read before its buttons are drawn. A chosen cell of Q, K or V selects the matrix."""
    wanted = next((name for name, (_, _, result, _) in KERNELS.items() if cell is not None and cell.name == result), None)
    if wanted is not None and wanted != value_ahead(KERNEL):
        show_value(KERNEL.code, wanted)
    return wanted or value_ahead(KERNEL)


#: Two ways to choose a cell, by a click or by its name, each with the field's help and the sentence before a choice.
CHOOSING = {
    "stage": (CELL.help, "Click a cell for its arithmetic."),
    "type": ("Matrix, head, row and column, counted from 1.", "Type a cell's name, and its arithmetic is written here."),
}


def read_cell(trace: Trace, marked: Cell | None, how: str = "stage", said: DeltaGenerator | None = None) -> Cell | None:
    """Draws the field for a cell's name, and returns the named cell, or None. `marked`: the cell that the picture marks."""
    text, cell = control(CELL, placeholder="q.2.3.1 is head 2, row 3, column 1 of Q", help=CHOOSING[how][0]), None
    if text.strip():
        try:
            cell = parse_cell(text, trace.cfg)
        except ValueError as error:
            (said or st).warning(f"{error}, got {quoted(text)}.")
    if cell != marked:  # Back, or another page: the field has taken another value from the address
        st.rerun()
    return cell


def to_head(num_heads: int) -> None:
    """Callback of the field for a head: chooses the same cell of that head, or no cell if the layer has no such head."""
    name, *places = value_ahead(CELL).split(".")
    head = value_ahead(HEAD)
    if len(places) == 3:
        set_value(CELL.code, ".".join([name, str(head), *places[1:]]) if head <= num_heads else "")


def explain_cell(shown: Shown, trace: Trace, at: Cell | None, how: str) -> None:
    """Shows the field for a cell and the card with its arithmetic. `at`: the cell that the picture marks."""
    cell = read_cell(trace, at, how)
    if cell is None:
        st.caption(CHOOSING[how][1])
        return
    show_card(cell, explain(trace, cell))


def say_both_ways(trace: Trace) -> None:
    """Shows that the contributions add up to Concat times W_O, and the largest rounding difference."""
    plus, gap = "" if trace.params.b_o is None else " + b_O", largest_gap(trace)
    result, output = "Z_i", "Each head output $Z_i$"
    if trace.cfg.use_gate:
        result, output = r"(Z_i \odot \sigma(G_i))", "Each head output $Z_i$, times its gate,"
    st.markdown(
        f"$\\textstyle\\sum_i {result} W_i^O{plus} = \\text{{Concat}} \\cdot W_O{plus}$. {output} is multiplied by $W_i^O$, "
        "its own rows of $W_O$. "
        + (f"Because of rounding, the two sides differ by at most {gap:.0e} of the largest number in the output. " if gap else "")
        + "Choose a number above to see what each head adds to it."
    )
