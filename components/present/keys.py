"""What the walk keeps in the address: whether it is on, and the step."""

from components.present.walk import WALK

CHOICES = {"present": ("0", "1")}
NUMBERS = {"step": (1, len(WALK), 1)}
