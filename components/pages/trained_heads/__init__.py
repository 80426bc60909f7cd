"""Why several: the page's settings and its record."""

from components.page import Page
from headcount.export.request import ASKING, DINNER, SENTENCE, TABLE_HEADS
from headcount.settings import HEAD_SIZES, Whole, Word, by_code, word

#: The slider whose cost is shown.
SLIDER = Word(
    code="slider", choices=("num_heads", "d_model", *HEAD_SIZES), labels=("heads", "d_model", "key size", "value size"),
    default="key_dim", label="Slider", spelt=True,
)  # fmt: skip
BY_CODE = by_code((
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
))  # fmt: skip

PAGE = Page(
    "trained_heads", "Why several", own=False, settings=tuple(BY_CODE.values()),
    asked="why use multi headed attention, intuition behind multiple attention heads, how many heads should I use, "
    "ablation on the number of heads, sixteen heads better than one",
    seen_with={code: {"task": "dinner"} for code in ("heads", "dinner", "guest")},
)  # fmt: skip
