"""Symbols in sentences that are read as Markdown: W_Q, d_k and their like set as formulas."""

import re

#: A code span or a formula, which stay as they are; or a symbol, perhaps under a root.
PLACES = re.compile(r"(`[^`]*`|\$[^$]*\$)|(√?)(?<![\w\\])([WbQKVZ]_(?:DQ|UQ|DKV|UKV|[QKVOG])|d_(?:model|k|v)|h_kv)(?!\w)")
#: Characters that mean something in Markdown.
SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|$~:<>])")


def escape_markdown(text: str) -> str:
    """A quotation on one line, in which nothing is read as Markdown."""
    return SIGNS.sub(r"\\\1", text.replace("\n", " "))


def set_symbols(text: str) -> str:
    """ "W_Q, √d_model and `d_k`" becomes "$W_Q$, $\\sqrt{d_{model}}$ and `d_k`"."""
    return PLACES.sub(_formula, text)


def _formula(match: re.Match) -> str:
    kept, root, symbol = match.groups()
    if kept:
        return kept
    letter, lowered = symbol.split("_")
    written = f"{letter}_{lowered}" if len(lowered) == 1 else f"{letter}_{{{lowered}}}"
    return rf"$\sqrt{{{written}}}$" if root else f"${written}$"
