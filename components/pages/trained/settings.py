"""What the page of trained heads keeps in the address, and what is allowed there."""

from components.export.request import DINNER, TABLE_HEADS
from mha.settings import Whole, by_code, text, word
from mha.trained import sentence
from mha.trained.dinner import HEADS

TASKS = ("sentence", "dinner")
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
        "task",
        TASKS,
        "Task",
        "sentence: who, whom, where and when. dinner: a round table with four questions.",
    ),
    TABLE_HEADS,
    word("sentence_heads", ("4", *(str(heads) for heads in sentence.HEADS if heads != 4)), "Heads"),
    word("temperature", ("1", *(factor for factor in TEMPERATURES if factor != "1")), "Scores times"),
    word("recut", RECUTS, "Cut the trained matrices for"),
    word("dishes", DISHES, "Dishes", "others: the same guests, every dish replaced. Do the maps move?"),
    DINNER,
    Whole(code="guest", default=FIRST_GUEST, least=1, most=GUESTS, label="Guest", help="Or click one at the table."),
    REMOVED,
    text("sentence", sentence.MAX_CHARACTERS + 1, "Sentence"),
)
BY_CODE = by_code(SETTINGS)
