from components.page import Page
from headcount.export.request import ASKING, SENTENCE, SLIDER

PAGE = Page(
    "trained_heads", "Why several", own=False, settings=(SENTENCE, ASKING, SLIDER),
    asked="why use multi headed attention, intuition behind multiple attention heads, how many heads should I use, "
    "ablation on the number of heads, sixteen heads better than one",
)  # fmt: skip
