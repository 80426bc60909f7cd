"""What the walk keeps in the address: whether it is on, and at which step."""

from components.pages.presenter.walk import WALK
from mha.settings import Whole, word

SETTINGS = (word("present", ("0", "1")), Whole(code="step", default=1, least=1, most=len(WALK)))
