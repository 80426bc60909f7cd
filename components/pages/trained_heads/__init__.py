"""Why several: the page's settings and its record."""

from components.page import Page
from headcount.export.request import DINNER, TABLE_HEADS
from headcount.settings import Whole, by_code, text, word
from headcount.trained.sentence import HEADS, MAX_CHARACTERS

BY_CODE = by_code((
    word(
        "task", ("sentence", "dinner"), "Task", "sentence: who, whom, where and when. dinner: a round table with four questions."
    ),
    TABLE_HEADS,
    word("sentence_heads", ("4", *(str(heads) for heads in HEADS if heads != 4)), "Heads"),
    DINNER,
    # The guest to begin with: one head fails there as it does on the whole.
    Whole(code="guest", default=1, least=1, most=8, label="Guest", help="Or click one at the table."),
    text("sentence", MAX_CHARACTERS + 1, "Sentence"),
))  # fmt: skip

PAGE = Page(
    "trained_heads", "Why several", lab=False, settings=tuple(BY_CODE.values()),
    asked="why use multi headed attention, intuition behind multiple attention heads, how many heads should I use, "
    "ablation on the number of heads, sixteen heads better than one",
    seen_with={code: {"task": "dinner"} for code in ("heads", "dinner", "guest")},
)  # fmt: skip
