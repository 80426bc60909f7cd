"""The settings, the search results and the record of the page The Keras layer."""

from collections.abc import Iterator

from components.page import Item, Page, address
from headcount.codegen import LIBRARIES, KerasCall, write
from headcount.keras.layer import KerasLayer
from headcount.settings import Whole, by_code, text, word

BY_CODE = by_code((
    word("part", ("variables", "shapes", "call", "code"), "Part"),
    word("library", ("keras", "pytorch", "numpy"), "Library"),
    Whole(code="batch", default=2, least=1, most=64, label="Batch (B)", help="The number of samples in one call."),
    text(
        "input_shape", 40, "input_shape",
        "The input's shape without the batch, as in `keras.Input(shape=…)`. `6,16` makes an input of rank 3, `3,4,16` one of "
        "rank 4. Empty: the sidebar's number of queries (T) and width (d_model).",
    ),
    text("key_width", 8, "key_width", "The size of the key's last axis. Empty: as wide as the query."),
    text("value_width", 8, "value_width", "The size of the value's last axis. Empty: as wide as the query."),
    text(
        "output_shape", 40, "output_shape",
        "The sizes of the output's last axes: one number or several. Empty: the output is as wide as the query. On the other "
        "pages it always is.",
    ),
    text(
        "attention_axes", 40, "attention_axes",
        "The axes of the input along which tokens look at each other; axis 0 is the batch. Empty: all axes but the batch and "
        "the last. On the other pages that is a single axis.",
    ),
))  # fmt: skip

#: An error message of Keras that this page explains.
MESSAGE = "Unrecognized keyword arguments passed to MultiHeadAttention"


def items() -> Iterator[Item]:
    yield Item("message", MESSAGE, address("keras_layer", {"part": "call"}), "error")
    for library in LIBRARIES:
        shape = (1, 6, 16)
        script = write(KerasCall(KerasLayer(4, 4, 4, shape, shape), causal=True), library)
        where = address("keras_layer", {"part": "code", "library": library.lower()})
        yield Item("program", f"This layer as a program in {library}", where, script)


def of_shapes(query: str, words: list[str]) -> Iterator[Item]:
    """Search results for a query that is the shape of an input, such as (None, 6, 16), with or without the batch."""
    spelt = all((word.isascii() and word.isdigit()) or word == "none" for word in words)
    if len(words) < 2 or not spelt or not {*query} & {*"(,x×"}:
        return
    inner = words[1:] if words[0] == "none" or len(words) > 2 else words
    if 2 <= len(inner) <= 4 and "none" not in inner and all(1 <= int(size) <= 512 for size in inner if len(size) < 5):
        name = f"An input ({', '.join(inner)}): the shapes of the real Keras layer"
        yield Item("layer", name, address("keras_layer", {"part": "shapes", "input_shape": ",".join(inner)}), " ".join(words))


PAGE = Page(
    "keras_layer", "The Keras layer", "if you call it in code", keras=True, settings=tuple(BY_CODE.values()),
    asked="value of key_dim, query value key arguments, return_attention_scores, input shape, missing "
    "argument",
    called={"part=call": "order of the arguments, value argument missing, mha(q, k, v) from PyTorch in Keras, two inputs"},
    seen_with={"attention_axes": {"part": "shapes"}, "library": {"part": "code"}},
    items=items, items_for=of_shapes,
)  # fmt: skip
