"""The settings, the search results and the record of the page The Keras layer."""

from collections.abc import Iterator

from components.page import Item, Page, address
from headcount.codegen import LIBRARIES, KerasCall, write
from headcount.keras.layer import KerasLayer
from headcount.settings import Whole, by_code, text, word

BY_CODE = by_code((
    word("part", ("variables", "shapes", "call", "groups", "code"), "Part"),
    word("library", ("keras", "pytorch", "numpy"), "Library"),
    Whole(code="batch", default=2, least=1, most=64, label="Batch (B)", help="The number of samples in one call."),
    Whole(code="num_kv_heads", default=2, least=1, most=256, label="Key/value heads (num_kv_heads)"),
    text(
        "input_shape", 40, "input_shape",
        "The input's shape without the batch, as in `keras.Input(shape=…)`. `6,16` makes an input of rank 3, `3,4,16` one of "
        "rank 4. Empty: the shape (T, d_model) of the sidebar.",
    ),
    text("key_width", 8, "key_width", "The size of the key's last axis. Empty: as wide as the query."),
    text("value_width", 8, "value_width", "The size of the value's last axis. Empty: as wide as the query."),
    text(
        "output_shape", 40, "output_shape",
        "The size of the output's last axis, or of several last axes. Empty: as wide as the query, as on the other pages.",
    ),
    text(
        "attention_axes", 40, "attention_axes",
        "The axes of the input along which tokens look at each other. Axis 0 is the batch. Empty: all axes between the batch "
        "and the last axis. The layer on the other pages has one such axis.",
    ),
))  # fmt: skip

#: Error messages of Keras and PyTorch that this page explains, with the settings that show why.
MESSAGES = (
    ("Unrecognized keyword arguments passed to MultiHeadAttention", {"part": "call"}),
    ("RuntimeError: Number of heads in key/value must divide number of heads in query", {"part": "groups"}),
)


def items() -> Iterator[Item]:
    """The page's entries for the search: error messages that it explains, and the layer as a script in each library."""
    for message, query in MESSAGES:
        yield Item("message", message, address("keras_layer", query), "error")
    for library in LIBRARIES:
        shape = (1, 6, 16)
        script = write(KerasCall(KerasLayer(4, 4, 4, shape, shape), causal=True), library)
        where = address("keras_layer", {"part": "code", "library": library.lower()})
        yield Item("program", f"This layer as a program in {library}", where, script)


def of_shapes(query: str, words: list[str]) -> Iterator[Item]:
    """Search results for a query that is the shape of an input, such as (None, 6, 16), with or without the batch. Each opens the
    shapes of the real Keras layer for this input."""
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
    called={
        "num_kv_heads": "num_key_value_heads n_kv_heads multi_query GQA MQA grouped-query attention",
    },
    seen_with={
        "attention_axes": {"part": "shapes"}, "num_kv_heads": {"part": "groups"}, "library": {"part": "code"},
    },
    items=items, items_for=of_shapes,
)  # fmt: skip
