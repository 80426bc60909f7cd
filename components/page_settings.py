"""The settings of single pages, besides those that all share (headcount.settings.SHARED): one table, from which widgets, the
address, its checks, links and the search follow."""

from typing import Any

from headcount.export import look
from headcount.export.figures import FIGURES
from headcount.export.request import ASKING, B_HEADS, B_SPLIT, CUT, DINNER, FRAME, KERNEL, LINES, SENTENCE, TABLE_HEADS
from headcount.files.layers import MAX_LAYERS
from headcount.models.attention import MAX_HEADS
from headcount.models.cost import MAX_CONTEXT, MAX_SEQUENCES
from headcount.models.table import entries
from headcount.names import ATTENTION_MASKS
from headcount.settings import HEAD_SIZES, OF_LAYER_PAGES, Number, Setting, Switch, Whole, Word, by_code, text, word
from lessons import walk
from lessons.claims import BY_ID, NOT_ANSWERED
from lessons.question import TOPICS
from lessons.quiz import COUNT, MAX_SEED

#: What a part of a figure's sheet is called, where its code does not say it.
PARTS = {"stamp": "Settings and link"}
FIGURE_PAGE = (
    word("figure", tuple(FIGURES), "Figure"),
    FRAME,
    LINES,
    word("size", (*look.SIZES, look.OWN), "Size"),
    word("theme", tuple(look.THEMES), "Colours"),
    word("font", look.FONTS, "Font"),
    *(Switch(code=f"with_{part}", default=True, label=PARTS.get(part, part.capitalize())) for part in look.PARTS),
    Number(
        code="width_mm",
        default=look.Look().width_mm,
        least=look.LEAST_MM,
        most=look.MAX_MM,
        label="Width in mm",
        help="Type grows with it.",
    ),
    B_SPLIT,
    B_HEADS,
)

KERAS_LAYER = (
    word("part", ("variables", "shapes", "call", "masks", "axes", "groups", "arrays", "code"), "Part"),
    word("library", ("keras", "pytorch", "numpy"), "Library"),
    # Ideas in the part about what each array does.
    Word(
        code="idea", choices=("change", "products"), default="change", label="Part",
        labels=("one array", "QK and OV"), spelt=True,
    ),
    word(
        "attention_mask", ATTENTION_MASKS, "attention_mask",
        "Keras's argument of the call. `use_causal_mask` is the sidebar's mask; Keras joins the two by *and*.",
    ),
    word("mask_case", ("yours", "shapes", "polarity", "causal", "empty_row", "additive", "pytorch"), "Case"),
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
        "One number for each sample, as in 6,4: so many of its keys are real, the rest is padding.",
    ),
    text("mask_cells", 1200, "Who may look: rows of 1 and 0; or click below"),
)  # fmt: skip

#: The models that a visitor's own layer (of the other pages' controls) and own configuration make.
THIS_LAYER, OWN_CONFIG = "this-layer", "your-config.json"
FIRST_MODEL = "BERT-base"
#: Of the two head counts of a model.
MODEL_HEADS = ("model_heads", "model_kv_heads")
#: Characters of a configuration's name, which is what the address keeps of it.
MAX_CONFIG_NAME = 80


def _own_count(code: str, label: str) -> Whole[int | None]:
    return Whole(code=code, default=None, least=1, most=MAX_HEADS, label=label, default_label="the model's own")


MODEL_PAGE = (
    word(
        "model", (*dict.fromkeys((FIRST_MODEL, *entries())), THIS_LAYER, OWN_CONFIG), "Model",
        "Type to search. The last two are yours: the layer of the other pages, and a configuration.",
    ),
    word("further", ("all-models", "ledger", "costs"), "Look further"),
    _own_count(MODEL_HEADS[0], "Heads h"),
    _own_count(MODEL_HEADS[1], "Key/value heads"),
    Whole(code="context", default=8192, least=1, most=MAX_CONTEXT, label="Context T (tokens)"),
    Whole(code="sequences", default=1, least=1, most=MAX_SEQUENCES, label="Sequences B"),
    Whole(code="model_layers", default=1, least=1, most=1000, label="Layers", help="All of the same sizes."),
    text("config_name", MAX_CONFIG_NAME, "Configuration"),
    text("search", 100, "Search"),
)  # fmt: skip

LAYER_OF_FILE = Whole(code="layer", default=1, least=1, most=MAX_LAYERS, label="Layer")

#: Of the page of questions; QUESTION is the one whose card is open.
ALL, TEN = "all", 10
FIND = text("find", 500, "Find", "A word, a name as Keras spells it, a number or a shape.")
TOPIC = Word(
    code="topic", choices=(ALL, *TOPICS), default=ALL, label="Topic", spelt=True,
    labels=("All", "Heads and maps", "Arrays", "Costs", "Calls and masks", "Conventions"),
)  # fmt: skip
QUESTION = word("question", ("none", *BY_ID), "Question")
#: What QUESTION was once.
CARDS_GONE = NOT_ANSWERED
SHOWN = Whole(code="shown", default=TEN, least=TEN, most=1000, label="Shown")

QUIZ = Whole(
    code="quiz", default=1, most=MAX_SEED, label="Quiz",
    help="Any number is a quiz, and the same number gives everyone the same questions.",
)  # fmt: skip
QUIZ_NUMBER = Whole(code="number", default=1, least=1, most=COUNT, label="Question")
ANSWERS = text("answers", 2 * COUNT, "Answers")
#: For a class: an answer is kept, and what is right appears on a press. `REVEALED`: the question it was pressed for; 0: none.
TOGETHER = Switch(
    code="together", default=False, label="Show when all have answered",
    help="For a class: a click on an answer says nothing yet. A button shows what is right.",
)  # fmt: skip
REVEALED = Whole(code="revealed", default=0, most=COUNT, label="Revealed")

#: The slider whose cost is shown.
SLIDER = Word(
    code="slider", choices=("num_heads", "d_model", *HEAD_SIZES), labels=("heads", "d_model", "key size", "value size"),
    default="key_dim", label="Slider", spelt=True,
)  # fmt: skip
TRAINED_PAGE = (
    word(
        "task", ("sentence", "dinner"), "Task", "sentence: who, whom, where and when. dinner: a round table with four questions."
    ),
    TABLE_HEADS,
    DINNER,
    # The guest to begin with: one head fails there as it does on the whole.
    Whole(code="guest", default=1, least=1, most=8, label="Guest", help="Or click one at the table."),
    SENTENCE,
    ASKING,
    SLIDER,
)

#: Settings by the page that shows them; "" is the start page. Those of one layer's numbers are on several, here on the first.
OF_PAGES: dict[str, tuple[Setting[Any], ...]] = {
    "attention": OF_LAYER_PAGES,
    "projections": (KERNEL, CUT),
    "questions": (FIND, TOPIC, QUESTION, SHOWN),
    "figures": FIGURE_PAGE,
    "keras_layer": KERAS_LAYER,
    "models": MODEL_PAGE,
    "own_layer": (LAYER_OF_FILE,),
    "": walk.SETTINGS,
    "quiz": (QUIZ, QUIZ_NUMBER, ANSWERS, TOGETHER, REVEALED),
    "trained_heads": TRAINED_PAGE,
}
BY_CODE = by_code([setting for rows in OF_PAGES.values() for setting in rows])
