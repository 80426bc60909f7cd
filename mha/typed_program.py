"""Typed numbers as a program: every number stands in it, and it prints what the pages show, by the real Keras layer."""

import numpy as np

from mha.arrays import Floats
from mha.custom_layer import CustomLayer
from mha.ledger import ledger
from mha.names import heads_in_words

SCRIPT = '''"""Multi-head attention in Keras: {what}. Prints what Headcount shows."""

import keras
import numpy as np

x = np.array({x}, "float32")
arrays = {{
{arrays}}}
layer = keras.layers.MultiHeadAttention({heads}, {key_dim}, {value_dim}, use_bias={bias})
layer.build(x.shape, x.shape)
layer.set_weights(list(arrays.values()))  # in this order
output, weights = layer(x, x, use_causal_mask={causal}, return_attention_scores=True)
np.set_printoptions(precision=4, suppress=True)
print("weights", np.asarray(weights)[0], "output", np.asarray(output)[0], sep="\\n")
'''


def literal(array: Floats) -> str:
    """Nested lists with seven digits a number: as many as float32 has."""
    if array.ndim == 0:
        return f"{float(array):.7g}"
    return "[" + ", ".join(literal(part) for part in array) + "]"


def program_of(layer: CustomLayer) -> str:
    """A complete script; its arrays in Keras's shapes and order."""
    cfg = layer.cfg
    arrays = {row.name: np.asarray(getattr(layer.params, row.name).values) for row in ledger(cfg)}
    return SCRIPT.format(
        what=f"{heads_in_words(cfg.num_heads)}, key_dim {cfg.key_dim}, value_dim {cfg.value_dim}",
        x=literal(layer.inputs.x_query.values),
        arrays="".join(f'    "{name}": np.array({literal(array)}, "float32"),\n' for name, array in arrays.items()),
        heads=cfg.num_heads, key_dim=cfg.key_dim, value_dim=cfg.value_dim, bias=cfg.use_bias, causal=cfg.mask == "causal",
    )  # fmt: skip
