"""What the page of costs keeps in the address."""

from mha.cost import MOST_BATCH, MOST_LAYERS, MOST_LENGTH
from mha.names import BY_CODE as BY_CODE_OF_LAYER
from mha.settings import Number, Whole, WholeOrUnset, Word, by_code

LENGTH = WholeOrUnset(
    code="load_length", default=None, least=1, most=MOST_LENGTH, label="Tokens T = S", usual="the sidebar’s",
    help=f"Up to {MOST_LENGTH:,}. Left empty: the queries and keys of the sidebar.",
)  # fmt: skip
BATCH = Whole(code="load_batch", default=1, least=1, most=MOST_BATCH, label="Sequences B")
LAYERS = Whole(code="load_layers", default=12, least=1, most=MOST_LAYERS, label="Layers", help="All of the same sizes.")
BANDWIDTH = Number(
    code="bandwidth", default=1000.0, least=0.1, most=1_000_000.0, label="Memory reads GB/s",
    help="Of the device: 10⁹ bytes in a second.",
)  # fmt: skip
SCOPE = Word(code="load_scope", choices=("layer", "all"), labels=("this layer", "all layers"), default="layer", label="Count")
KV_HEADS = WholeOrUnset(
    code="load_kv_heads", default=None, least=1, most=BY_CODE_OF_LAYER["num_heads"].most, label="Key/value heads", usual="h",
    help="Fewer than heads: grouped-query attention. They must divide the heads.",
)  # fmt: skip
SETTINGS = (LENGTH, BATCH, KV_HEADS, LAYERS, BANDWIDTH, SCOPE)
BY_CODE = by_code(SETTINGS)
