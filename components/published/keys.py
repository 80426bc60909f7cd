"""What the page of published models keeps in the address, and what is allowed there."""

from mha.published.attention import MOST_HEADS
from mha.published.conventions import CONVENTIONS
from mha.published.cost import MOST_CONTEXT, MOST_SEQUENCES
from mha.published.table import entries

#: The model that a visitor's own configuration makes.
OWN = "your-config.json"
MODELS = (*entries(), OWN)
COMPARED = ("Llama-3-8B", *(slug for slug in entries() if slug != "Llama-3-8B"))
ALL = "all"
CONTEXT = 8192
#: Of the two head counts.
HEADS = ("model_heads", "model_kv_heads")
#: What stands below the model, one at a time.
FURTHER = ("all-models", "compare", "costs")
#: Characters of the few fields of a configuration that the address keeps.
MOST_CONFIG = 4000

#: Words, the default first.
CHOICES = {"model": MODELS, "compare": COMPARED, "convention": (ALL, *CONVENTIONS), "further": FURTHER}
#: Least, most, default.
NUMBERS = {
    "model_heads": (1, MOST_HEADS, "the model's own"), "model_kv_heads": (1, MOST_HEADS, "the model's own"),
    "context": (1, MOST_CONTEXT, CONTEXT), "sequences": (1, MOST_SEQUENCES, 1),
}  # fmt: skip
