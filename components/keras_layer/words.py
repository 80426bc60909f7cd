"""Shapes, differences and Keras's own words, as the page writes them."""

from collections.abc import Sequence

from components.tracing import keras_client
from mha.keras_question import Question

WAITS = "…"


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
    """Keras's own words in a table's cell: no sign in them is Markdown."""
    return f"`{sentence.replace('`', chr(39)).replace('|', '¦')}`"


def outcome(found: dict | None, key: str, say=str) -> str:
    """What a part of a reply says; Keras's words where it refused, dots while it is awaited."""
    if found is None:
        return WAITS
    return code(found["error"]) if "error" in found else say(found[key])


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    align = ["--:" if place in right else ":--" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, align, *rows))


def state_line(question: Question, reply: dict | None, said: str) -> str:
    """One quiet sentence below a part: what the real layer has confirmed, or why it has not."""
    client = keras_client()
    if reply is not None:
        return said
    if client.state == "missing":
        return (
            "What is shown is by formula: TensorFlow is not installed here, so the real layer cannot be asked. "
            "`pip install tensorflow` adds it."
        )
    if failure := client.failure(question):
        return f"What is shown is by formula; the real layer was not run. {failure}"
    doing = "is being loaded (TensorFlow, some seconds)" if client.state == "starting" else "is being run"
    return f"What is shown is by formula. The real layer {doing}; its answers come in place of each {WAITS}"
