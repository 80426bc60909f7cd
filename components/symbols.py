"""Sets symbols such as W_Q and d_k as formulas in sentences that are shown as Markdown."""

import re

#: A code span or a formula, which stay unchanged, or a symbol, perhaps under a root.
PLACES = re.compile(r"(`[^`]*`|\$[^$]*\$)|(√?)(?<![\w\\])([WbQKVZ]_(?:DQ|UQ|DKV|UKV|[QKVOG])|d_(?:model|k|v)|h_kv)(?!\w)")


def set_symbols(text: str) -> str:
    r"""A sentence with its symbols as formulas: "W_Q, √d_model and `d_k`" becomes "$W_Q$, $\sqrt{d_{model}}$ and `d_k`"."""
    return PLACES.sub(_formula, text)


def _formula(match: re.Match) -> str:
    kept, root, symbol = match.groups()
    if kept:
        return kept
    letter, lowered = symbol.split("_")
    written = f"{letter}_{lowered}" if len(lowered) == 1 else f"{letter}_{{{lowered}}}"
    return rf"$\sqrt{{{written}}}$" if root else f"${written}$"
