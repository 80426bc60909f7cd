"""What the walk keeps in the address."""

from lessons.walk import SETTINGS as SETTINGS
