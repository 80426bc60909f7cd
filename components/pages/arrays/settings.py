"""What the page about the arrays has in the address besides the shared settings."""

from mha.settings import Whole, word

#: Its parts, one at a time on the screen.
PARTS = ("change", "directions", "products")
PART = word(
    "idea", PARTS, "Part",
    "change: what moves with one array. directions: numbers that count and do nothing. products: QK and OV of each head.",
)  # fmt: skip
STACKED = Whole(code="stacked", default=12, least=1, most=1000, label="In how many layers?")
SETTINGS = (PART, STACKED)
