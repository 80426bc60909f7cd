"""What the page of trained heads keeps in the address, and what is allowed there."""

from mha.trained.start import TEST_COUNT
from mha.trained.task import HEADS

TASKS = ("dinner", "sentence", "facts")
FIRST_HEADS = 4
#: There are sentence networks for these numbers of heads.
SENTENCE_HEADS = (1, 2, 3)
TEMPERATURES = ("0", "0.1", "0.25", "0.5", "1", "2", "4", "16")
RECUTS = ("own", *map(str, HEADS))
DISHES = ("own", "others")
#: Of 2,000 dinners the one to begin with, and the guest: one head fails there as it does on the whole.
FIRST_DINNER, FIRST_GUEST, GUESTS = 2, 1, 8

#: Words, the default first.
CHOICES = {
    "task": TASKS,
    "heads": (str(FIRST_HEADS), *(str(heads) for heads in HEADS if heads != FIRST_HEADS)),
    "sentence_heads": (str(SENTENCE_HEADS[-1]), *map(str, SENTENCE_HEADS[:-1])),
    "temperature": ("1", *(factor for factor in TEMPERATURES if factor != "1")),
    "recut": RECUTS,
    "dishes": DISHES,
}
#: Least, most, default.
NUMBERS = {"dinner": (1, TEST_COUNT, FIRST_DINNER), "guest": (1, GUESTS, FIRST_GUEST), "removed": (0, HEADS[-1], 0)}
NUMBERS["facts"] = (1, TEST_COUNT, 1)
