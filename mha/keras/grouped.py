"""keras.layers.GroupQueryAttention: fewer key/value heads than query heads, sizes and count by formula."""

from dataclasses import asdict, dataclass
from typing import Any

from mha.arrays import Floats
from mha.config import whole, yes_or_no
from mha.keras.layer import MOST_NUMBERS, MOST_POSITIONS, MOST_SIZE, Inputs, Variable
from mha.params import draw, draw_weights


@dataclass(frozen=True, slots=True)
class GroupedLayer:
    """One layer and its inputs: `batch`, `query_len` and `key_len` positions, three widths. ValueError names the field."""

    num_heads: int
    num_kv_heads: int
    head_dim: int
    query_len: int
    key_len: int
    query_width: int
    key_width: int
    value_width: int
    batch: int = 1
    use_bias: bool = True
    seed: int = 0
    use_gate: bool = False
    sliding_window: int | None = None

    def __post_init__(self):
        for field in ("num_heads", "num_kv_heads", "head_dim", "query_len", "key_len", "query_width", "key_width", "value_width",
                      "batch"):  # fmt: skip
            whole(field, getattr(self, field), 1, MOST_POSITIONS if field.endswith("_len") else MOST_SIZE)
        whole("seed", self.seed, 0)
        for field in ("use_bias", "use_gate"):
            yes_or_no(field, getattr(self, field))
        if self.sliding_window is not None:
            whole("sliding_window", self.sliding_window)
        if self.num_heads % self.num_kv_heads:
            raise ValueError(f"num_kv_heads must divide num_heads={self.num_heads}, got {self.num_kv_heads}")

    def plain(self) -> dict[str, Any]:
        """As the argument of an experiment."""
        return asdict(self)

    @property
    def group(self) -> int:
        """Query heads that share one key/value head: query head i reads key/value head i // group."""
        return self.num_heads // self.num_kv_heads

    @property
    def numbers(self) -> int:
        """Parameters, inputs, projections, scores (twice) and output together, at most."""
        positions = self.query_len + self.key_len
        widths = self.query_width + self.key_width + self.value_width
        projected = (4 + 3 * self.use_gate) * self.num_heads * self.head_dim * positions
        products = projected + 2 * self.num_heads * self.query_len * self.key_len
        return grouped_count(self) + self.batch * (products + 2 * widths * positions)

    @property
    def too_large(self) -> bool:
        return self.numbers > MOST_NUMBERS


def grouped_variables(layer: GroupedLayer) -> tuple[Variable, ...]:
    """All of them in the order of Keras's `.weights`, with Keras's einsums."""
    d, out = layer.head_dim, layer.query_width
    rows = (
        Variable("w_q", "query/kernel", (layer.query_width, layer.num_heads, d), "bqm,muh->bquh"),
        Variable("b_q", "query/bias", (layer.num_heads, d), ""),
        Variable("w_k", "key/kernel", (layer.key_width, layer.num_kv_heads, d), "bkm,mvh->bkvh"),
        Variable("b_k", "key/bias", (layer.num_kv_heads, d), ""),
        Variable("w_g", "gate/kernel", (layer.query_width, layer.num_heads, d), "bqm,muh->bquh"),
        Variable("b_g", "gate/bias", (layer.num_heads, d), ""),
        Variable("w_v", "value/kernel", (layer.value_width, layer.num_kv_heads, d), "bkm,mvh->bkvh"),
        Variable("b_v", "value/bias", (layer.num_kv_heads, d), ""),
        Variable("w_o", "attention_output/kernel", (layer.num_heads, d, out), "bquh,uhm->bqm"),
        Variable("b_o", "attention_output/bias", (out,), ""),
    )
    return tuple(
        row for row in rows if (layer.use_bias or row.name.startswith("w_")) and (layer.use_gate or not row.name.endswith("_g"))
    )


def grouped_count(layer: GroupedLayer) -> int:
    """h·d·(2D_q + b) + h_kv·d·(D_k + D_v + 2b) + b·D_q + g·h·d·(D_q + b), with b = 1 where there are biases, g = 1 where there is
    a gate."""
    b = int(layer.use_bias)
    gate = layer.use_gate * layer.num_heads * layer.head_dim * (layer.query_width + b)
    of_queries = layer.num_heads * layer.head_dim * (2 * layer.query_width + b)
    of_keys = layer.num_kv_heads * layer.head_dim * (layer.key_width + layer.value_width + 2 * b)
    return of_queries + of_keys + b * layer.query_width + gate


def grouped_weights(layer: GroupedLayer) -> dict[str, Floats]:
    """Each variable by its name, float32. A key/value head keeps its numbers whatever their count is."""
    return draw_weights(layer.seed, {row.name: row.shape for row in grouped_variables(layer)}, layer.query_width)


def grouped_inputs(layer: GroupedLayer) -> Inputs:
    """Query, value and key, float32, three draws."""
    return (
        draw(layer.seed, "x", (layer.batch, layer.query_len, layer.query_width)),
        draw(layer.seed, "y", (layer.batch, layer.key_len, layer.value_width)),
        draw(layer.seed, "z", (layer.batch, layer.key_len, layer.key_width)),
    )
