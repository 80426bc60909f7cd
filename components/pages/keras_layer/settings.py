"""What the page of the Keras layer has in the address besides the shared settings."""

from mha.names import ATTENTION_MASKS
from mha.settings import Whole, Word, text, word

#: Parts of the page, one at a time on the screen.
PARTS = ("variables", "shapes", "call", "masks", "axes", "groups", "arrays", "code")
MASK_CASES = ("yours", "shapes", "polarity", "causal", "empty_row", "additive", "pytorch")
LIBRARY = word("library", ("keras", "pytorch", "numpy"), "Library")
#: Ideas in the part about what each array does.
IDEA = Word(
    code="idea", choices=("change", "products"), default="change", label="Part",
    labels=("one array", "QK and OV"), spelt=True,
)  # fmt: skip
SETTINGS = (
    word("part", PARTS, "Part"),
    LIBRARY,
    IDEA,
    word(
        "attention_mask", ATTENTION_MASKS, "attention_mask",
        "Keras's argument of the call. `use_causal_mask` is the sidebar's mask; Keras joins the two by *and*.",
    ),
    word("mask_case", MASK_CASES, "Case"),
    Whole(code="batch", default=2, least=1, most=64, label="Batch (B)", help="B: samples in one call."),
    Whole(code="num_kv_heads", default=2, least=1, most=256, label="Key/value heads (num_kv_heads)"),
    text(
        "input_shape", 40, "input_shape",
        "Positions and width without the batch, as in `keras.Input(shape=…)`: two numbers are rank 3, `3,4,16` is "
        "rank 4. Empty: T and d_model of the sidebar.",
    ),
    text("key_width", 8, "key_width", "Last axis of the key. Empty: as wide as the query."),
    text("value_width", 8, "value_width", "Last axis of the value. Empty: as wide as the query."),
    text(
        "output_shape", 40, "output_shape",
        "Empty: as wide as the query. One number or several. Only this page has it: the pictures of the others are as wide "
        "as the query.",
    ),
    text(
        "attention_axes", 40, "attention_axes",
        "Which axes of the input attend; 0 is the batch. Empty: all axes of positions. Only this page has it: the others draw "
        "one axis of positions.",
    ),
    text(
        "lengths", 400, "Real keys of each sample",
        "One number for each sample: so many of its keys are real, the rest is padding.",
    ),
    text("mask_cells", 1200, "Who may look: rows of 1 and 0; or click below"),
)  # fmt: skip
