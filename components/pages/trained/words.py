"""Small pieces of text that the views of this page share."""

from collections.abc import Mapping, Sequence

from components.widgets.tables import markdown_table


def span(values: Sequence[float]) -> str:
    """ "53%" or "34% to 56%"."""
    low, high = f"{min(values):.0%}", f"{max(values):.0%}"
    return low if low == high else f"{low} to {high}"


def answer_table(asked: Sequence[str], right: Sequence[str], said: Mapping[str, Sequence[str]]) -> str:
    """A table: a column for each question, the right answers, and below them what each network says."""
    rows = [("it is", *right)]
    for who, answers in said.items():
        marked = [f"✓ {one}" if one == it else f"✗ **{one}**" for one, it in zip(answers, right, strict=True)]
        rows.append((f"**{who}**", *marked))
    return markdown_table(("who", *asked), rows)
