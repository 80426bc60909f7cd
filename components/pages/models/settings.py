"""What the page of models keeps in the address, and what is allowed there."""

from mha.published.attention import MOST_HEADS
from mha.published.conventions import CONVENTIONS
from mha.published.cost import MOST_CONTEXT, MOST_SEQUENCES
from mha.published.table import entries
from mha.settings import Whole, WholeOrUnset, by_code, text, word

#: The models that a visitor's own layer (of the other pages' controls) and own configuration make.
LAYER, OWN = "this-layer", "your-config.json"
FIRST = "BERT-base"
MODELS = (FIRST, *(slug for slug in entries() if slug != FIRST), LAYER, OWN)
COMPARED = ("Llama-3-8B", *(slug for slug in entries() if slug != "Llama-3-8B"))
ALL = "all"
CONTEXT = 8192
#: Of the two head counts.
HEADS = ("model_heads", "model_kv_heads")
#: What stands below the model, one at a time.
FURTHER = ("all-models", "ledger", "compare", "costs")
#: Characters of the few fields of a configuration that the address keeps.
MOST_CONFIG = 4000
#: Characters that the browser lets one paste: more than are read, so that what is too long is refused in a sentence, and so few
#: that they fit into one message to the server at up to four bytes each (server.maxWidgetStateSize, 2 MB). A longer message ends
#: the connection, and the browser connects again and sends it again.
MOST_PASTED = 400_000

#: Characters of a search.
MOST_SEARCH = 100


def _own_count(code: str, label: str) -> WholeOrUnset:
    return WholeOrUnset(code=code, default=None, least=1, most=MOST_HEADS, label=label, usual="the model's own")


SETTINGS = (
    word("model", MODELS, "Model", "Type to search. The last two are yours: the layer of the other pages, and a configuration."),
    word("compare", COMPARED, "Compare with"),
    word(
        "convention", (ALL, *CONVENTIONS), "Convention",
        "What is the same with more heads: " + "; ".join(CONVENTIONS.values()) + ".",
    ),
    word("further", FURTHER, "Look further"),
    _own_count(HEADS[0], "Heads h"),
    _own_count(HEADS[1], "Key/value heads"),
    Whole(code="context", default=CONTEXT, least=1, most=MOST_CONTEXT, label="Context T (tokens)"),
    Whole(code="sequences", default=1, least=1, most=MOST_SEQUENCES, label="Sequences B"),
    Whole(code="model_layers", default=1, least=1, most=1000, label="Layers", help="All of the same sizes."),
    text("config_json", MOST_CONFIG, "Configuration"),
    text("search", MOST_SEARCH, "Search"),
)  # fmt: skip
BY_CODE = by_code(SETTINGS)
