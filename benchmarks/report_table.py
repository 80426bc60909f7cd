"""Markdown, as all parts of the page with the results write it."""


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table; all columns but the first are numbers."""
    return ["| " + " | ".join(cells) + " |" for cells in (head, [":--"] + ["--:"] * (len(head) - 1), *rows)]


def mark(met: bool) -> str:
    return "met" if met else "**missed**"
