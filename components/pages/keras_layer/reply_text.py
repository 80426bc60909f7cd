"""Formats the replies of the real Keras layer as text: shapes, differences, errors, and the reason for a missing reply."""

from collections.abc import Callable, Sequence

from headcount.keras.question import REMEDY, Reply

#: Texts in place of an answer of the real layer: while it is awaited, and if the app does not run it.
WAITS, NOT_RUN = "…", "not run"


def shape(sizes: Sequence[int | None]) -> str:
    """A shape as Python writes a tuple, such as "(None, 6, 16)"."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def apart(difference: float) -> str:
    """A difference as rounded text. Only an exact 0 becomes "0"."""
    if difference == 0:
        return "0"
    return f"{difference:.2f}" if difference >= 0.005 else f"{difference:.0e}"


def sums(ends: Sequence[float], digits: int) -> str:
    """A range of numbers as text, such as "0.98 … 1.00". If both ends round to the same number, the text has only this number."""
    least, most = (f"{value:.{digits}f}".replace("-", "−") for value in ends)
    return least if least == most else f"{least} … {most}"


def code(sentence: str) -> str:
    """A sentence from Keras as Markdown code, so that Markdown formats nothing in the sentence."""
    return f"`{sentence.replace('`', chr(39))}`"


def outcome(part: Reply, key: str, write: Callable[..., str] = str) -> str:
    """The value `key` of a reply, formatted by `write`. If the reply has no answer, the text says why."""
    return write(part[key]) if part.answered else not_answered(part)


def not_answered(part: Reply) -> str:
    """The text in place of a missing answer: WAITS, Keras's error, or NOT_RUN."""
    return WAITS if part.awaited else code(part.why) if part.state == "refused" else NOT_RUN


def state_line(reply: Reply, confirmed: str) -> str:
    """The caption of a part of the page: `confirmed` if the real layer has answered, or else why there is no answer."""
    if reply.answered:
        return f"{confirmed} {not_run(reply.declined())}".strip()
    return {
        "missing": "What is shown comes from formulas: TensorFlow is not installed here, so the real layer cannot run. "
        f"{REMEDY} TensorFlow.",
        "loading": f"What is shown comes from formulas. The real layer is being loaded (TensorFlow, some seconds); its answers "
        f"come in place of each {WAITS}",
        "running": f"What is shown comes from formulas. The real layer is being run; its answers come in place of each {WAITS}",
        "refused": f"What is shown comes from formulas. Keras refuses this call: {code(reply.why)}",
        "declined": f"What is shown comes from formulas. {not_run([reply.why])}",
        "failed": f"What is shown comes from formulas; the real layer was not run. {reply.why}",
    }[reply.state]


def not_run(reasons: Sequence[str]) -> str:
    """A sentence that says which limits of the app kept the real layer from running. Without `reasons`, the text is ""."""
    if not reasons:
        return ""
    others = " (others likewise)" if len(reasons) > 1 else ""
    return f"*{NOT_RUN.capitalize()}* by this app: {reasons[0]}{others}. Counts and shapes come from formulas."
