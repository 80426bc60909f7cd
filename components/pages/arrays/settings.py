"""What the page about the arrays has in the address besides the shared settings."""

from mha.settings import Whole, Word

#: Its parts, one at a time on the screen.
PART = Word(
    code="idea", choices=("change", "directions", "products"), default="change", label="Part",
    labels=("one array", "idle parameters", "QK and OV"),
)  # fmt: skip
STACKED = Whole(code="stacked", default=12, least=1, most=1000, label="In how many layers?")
SETTINGS = (PART, STACKED)
