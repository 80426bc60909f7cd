"""Shapes, differences and Keras's own words, as the page writes them."""

from collections.abc import Callable, Sequence

from mha.keras.question import Reply
from mha.names import counted

#: In place of what the real layer says: while it is awaited, and where it was not asked.
WAITS, NOT_RUN = "…", "not run"


def shape(sizes: Sequence[int | None]) -> str:
    """(None, 6, 16), as Python writes a tuple."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def apart(difference: float) -> str:
    """Exactly 0, or two digits."""
    if difference == 0:
        return "0"
    return f"{difference:.2f}" if difference >= 0.005 else f"{difference:.0e}"


def sums(low: float, high: float, digits: int) -> str:
    """From the least to the most; one number where they are written alike."""
    least, most = (f"{value:.{digits}f}".replace("-", "−") for value in (low, high))
    return least if least == most else f"{least} … {most}"


def code(sentence: str) -> str:
    """Keras's own words: no sign in them is Markdown."""
    return f"`{sentence.replace('`', chr(39))}`"


def outcome(found: Reply, key: str, say: Callable[..., str] = str) -> str:
    """What a part of a reply says; Keras's words where it refused, dots while it is awaited, NOT_RUN where it is not asked."""
    return say(found[key]) if found.found else absent(found)


def absent(found: Reply) -> str:
    """In place of a part that there is not."""
    return WAITS if found.awaited else code(found.why) if found.state == "refused" else NOT_RUN


def trailing(found: Reply) -> str:
    """The same after a sentence, where "not run" would be no end for one: the line below the part says it."""
    return f" {absent(found)}" if found.awaited or found.state == "refused" else ""


def all_of(number: int, one: str) -> str:
    """ "the only key", "all 6 keys"."""
    return f"the only {one}" if number == 1 else f"all {counted(number, one)}"


def drawn_of(drawn: Sequence[int], whole: Sequence[int]) -> str:
    """Which samples and heads a picture has, where it has not all: both are (samples, heads, …)."""
    parts = zip(drawn, whole, ("sample", "head"), strict=False)
    left = [f"{some} of {counted(every, name)}" for some, every, name in parts if some != every]
    return f"Drawn: {', '.join(left)}." if left else ""


def state_line(reply: Reply, said: str) -> str:
    """One quiet sentence below a part: what the real layer has confirmed, or why it has not."""
    if reply.found:
        return f"{said} {not_run(reply.declined())}".strip()
    return {
        "missing": "What is shown is by formula: TensorFlow is not installed here, so the real layer cannot be asked. "
        "`pip install tensorflow` adds it.",
        "loading": f"What is shown is by formula. The real layer is being loaded (TensorFlow, some seconds); its answers come in "
        f"place of each {WAITS}",
        "running": f"What is shown is by formula. The real layer is being run; its answers come in place of each {WAITS}",
        "refused": f"What is shown is by formula. Keras refuses this call: {code(reply.why)}",
        "declined": f"What is shown is by formula. {not_run([reply.why])}",
        "failed": f"What is shown is by formula; the real layer was not run. {reply.why}",
    }[reply.state]


def not_run(reasons: Sequence[str]) -> str:
    """Bounds of this app as a sentence; "" where there are none."""
    if not reasons:
        return ""
    others = " (others likewise)" if len(reasons) > 1 else ""
    return f"*{NOT_RUN.capitalize()}* by this app: {reasons[0]}{others}. Counts and shapes by formula are exact."
