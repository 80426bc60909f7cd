"""What the page of trained heads keeps in the address, and what is allowed there."""

from components.export.request import DINNER, TABLE_HEADS
from mha.settings import Whole, Word, by_code, text, word
from mha.trained.sentences import MOST_CHARACTERS
from mha.trained.task import HEADS, TEST_COUNT

TASKS = ("dinner", "sentence", "facts", "language")
#: There are sentence networks for these numbers of heads.
SENTENCE_HEADS = (1, 2, 3)
TEMPERATURES = ("0", "0.1", "0.25", "0.5", "1", "2", "4", "16")
RECUTS = ("own", *map(str, HEADS))
DISHES = ("own", "others")
#: The guest to begin with: one head fails there as it does on the whole.
FIRST_GUEST, GUESTS = 1, 8

REMOVED = Whole(
    code="removed", default=0, most=HEADS[-1], label="Remove head", usual="0, none removed",
    help="0: none. Its result is set to 0.",
)  # fmt: skip
SETTINGS = (
    word(
        "task", TASKS, "Task",
        "dinner: a round table. sentence: who did what. facts: what a second layer adds. language: English, word by word.",
    ),
    TABLE_HEADS,
    word("sentence_heads", (str(SENTENCE_HEADS[-1]), *map(str, SENTENCE_HEADS[:-1])), "Heads"),
    word("temperature", ("1", *(factor for factor in TEMPERATURES if factor != "1")), "Scores times"),
    word("recut", RECUTS, "Cut the trained matrices for"),
    word("dishes", DISHES, "Dishes", "others: the same guests, every dish replaced. Do the maps move?"),
    DINNER,
    Whole(code="guest", default=FIRST_GUEST, least=1, most=GUESTS, label="Guest", help="Or click one at the table."),
    REMOVED,
    Whole(code="facts", default=1, least=1, most=TEST_COUNT, label=f"Example (of {TEST_COUNT:,})"),
    Word(code="network_width", choices=("16", "64"), default="64", label="d_model"),
    Word(
        code="network_heads", choices=("1", "2", "4", "8", "16"), default="4", label="Heads", help="Each is a network of its own."
    ),
    text("sentence", MOST_CHARACTERS, "Sentence"),
)
BY_CODE = by_code(SETTINGS)
