"""Shapes, differences and Keras's own words, as the page writes them."""

from collections.abc import Callable, Sequence

from headcount.keras.question import REMEDY, Reply
from headcount.names import counted

#: In place of what the real layer says: while it is awaited, and where this app does not run it.
WAITS, NOT_RUN = "…", "not run"


def shape(sizes: Sequence[int | None]) -> str:
    """Spells a shape as Python writes a tuple: (None, 6, 16)."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def apart(difference: float) -> str:
    """Spells a difference: exactly 0, or two digits."""
    if difference == 0:
        return "0"
    return f"{difference:.2f}" if difference >= 0.005 else f"{difference:.0e}"


def sums(ends: Sequence[float], digits: int) -> str:
    """Spells the range from the least to the most; one number where both are written alike."""
    least, most = (f"{value:.{digits}f}".replace("-", "−") for value in ends)
    return least if least == most else f"{least} … {most}"


def code(sentence: str) -> str:
    """Keras's own words, in which nothing is read as Markdown."""
    return f"`{sentence.replace('`', chr(39))}`"


def outcome(part: Reply, key: str, write: Callable[..., str] = str) -> str:
    """One fact of a reply's part, or the reason why there is none."""
    return write(part[key]) if part.answered else not_answered(part)


def not_answered(part: Reply) -> str:
    """Says in place of an answer: dots while it is awaited, Keras's words where it refused, otherwise NOT_RUN."""
    return WAITS if part.awaited else code(part.why) if part.state == "refused" else NOT_RUN


def trailing(part: Reply) -> str:
    """Ends a sentence with `not_answered`, but for "not run", which would not fit: the line below the part says it."""
    return f" {not_answered(part)}" if part.awaited or part.state == "refused" else ""


def all_of(number: int, one: str) -> str:
    """ "the only key", "all 6 keys"."""
    return f"the only {one}" if number == 1 else f"all {counted(number, one)}"


def drawn_of(drawn: Sequence[int], whole: Sequence[int]) -> str:
    """The number of samples and heads that a picture shows, or "" if it shows all. Both shapes are (samples, heads, …)."""
    parts = zip(drawn, whole, ("sample", "head"), strict=False)
    left = [f"{some} of {counted(every, name)}" for some, every, name in parts if some != every]
    return f"Drawn: {', '.join(left)}." if left else ""


def state_line(reply: Reply, confirmed: str) -> str:
    """One quiet sentence below a part: what the real layer has `confirmed`, or why it has not."""
    if reply.answered:
        return f"{confirmed} {not_run(reply.declined())}".strip()
    return {
        "missing": "What is shown is by formula: TensorFlow is not installed here, so the real layer cannot be asked. "
        f"{REMEDY} it.",
        "loading": f"What is shown is by formula. The real layer is being loaded (TensorFlow, some seconds); its answers come in "
        f"place of each {WAITS}",
        "running": f"What is shown is by formula. The real layer is being run; its answers come in place of each {WAITS}",
        "refused": f"What is shown is by formula. Keras refuses this call: {code(reply.why)}",
        "declined": f"What is shown is by formula. {not_run([reply.why])}",
        "failed": f"What is shown is by formula; the real layer was not run. {reply.why}",
    }[reply.state]


def not_run(reasons: Sequence[str]) -> str:
    """Bounds of this app as a sentence; "" if `reasons` is empty."""
    if not reasons:
        return ""
    others = " (others likewise)" if len(reasons) > 1 else ""
    return f"*{NOT_RUN.capitalize()}* by this app: {reasons[0]}{others}. Counts and shapes are by formula."
