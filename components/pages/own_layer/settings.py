"""What the page of a visitor's own layer keeps in the address."""

from mha.loading.layers import MOST_LAYERS
from mha.settings import Whole

NUMBER = Whole(code="layer", default=1, least=1, most=MOST_LAYERS, label="Layer")
SETTINGS = (NUMBER,)
