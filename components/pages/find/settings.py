"""What the page that finds things keeps in the address."""

from mha.settings import text

MOST_FIND = 100
FIND = text("find", MOST_FIND, "Find", "A word, a name as Keras spells it, a number or a shape.")
SETTINGS = (FIND,)
