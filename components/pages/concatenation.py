"""One number of the output twice: as a row of Concat times a column of W_O, and as the sum of the heads' shares."""

import streamlit as st

from components.widgets.explanation import number, signed
from mha import Trace
from mha.explain import Cell
from mha.names import noun
from mha.variations import largest_gap, shares_at

#: Shares written out; the rest is summed up in one.
SHOWN_SHARES = 8


def show_both_ways(trace: Trace, cell: Cell | None) -> None:
    """The chosen cell of the output, or its first."""
    row, col = (cell.row, cell.col) if cell is not None and cell.name == "output" else (0, 0)
    shares = [float(share) for share in shares_at(trace, row, col)]
    bias = None if trace.params.b_o is None else float(trace.params.b_o.values[col])
    terms = [rf"\underbrace{{{signed(share)}}}_{{\text{{head }}{i + 1}}}" for i, share in enumerate(shares[:SHOWN_SHARES])]
    if rest := shares[SHOWN_SHARES:]:
        terms.append(rf"\underbrace{{{signed(sum(rest))}}}_{{{len(rest)}\text{{ more {noun(len(rest), 'head')}}}}}")
    if bias is not None:
        terms.append(rf"\underbrace{{{signed(bias)}}}_{{b_O}}")
    summed = sum(shares) + (bias or 0.0)
    plus = "" if bias is None else " + b_O"
    st.markdown(
        f"$\\textstyle\\sum_i Z_i W_i^O{plus}$ at row {row + 1}, column {col + 1}: ${' + '.join(terms)} = {number(summed)}$"
    )
    st.markdown(
        f"$\\text{{Concat}} \\cdot W_O{plus}$ at the same place: ${number(float(trace.output.values[0, row, col]))}$. "
        f"Over the whole output the two ways differ by at most {largest_gap(trace):.0e}, the rounding of float32."
    )
