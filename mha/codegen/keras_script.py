"""The script in Keras: the real layer, holding the numbers."""

from mha.codegen.common import Settings, head, tail
from mha.keras.layer import hits_bias_bug, variables

BUG = """
# Keras 3.10 to 3.15 on TensorFlow adds a bias along the wrong axis at these sizes (see Headcount); other backends do not.
"""


def script(settings: Settings) -> str:
    layer = settings.layer
    lines = [head(settings, "Keras", "import keras\nimport numpy as np")]
    if hits_bias_bug(layer):
        lines.append(BUG.strip())
    arguments = ["num_heads", "key_dim", "value_dim"]
    if not layer.use_bias:
        arguments.append("use_bias=False")
    if layer.output_shape:
        arguments.append(f"output_shape={layer.output_shape}")
    if layer.attention_axes:
        arguments.append(f"attention_axes={layer.attention_axes}")
    call = ["query", "value", "key"]
    if settings.mask is not None:
        call.append("attention_mask=mask")
    if settings.causal:
        call.append("use_causal_mask=True")
    lines += [
        f"layer = keras.layers.MultiHeadAttention({', '.join(arguments)})",
        "layer.build(query.shape, value.shape, key.shape)",
        f"layer.set_weights([{', '.join(row.name for row in variables(layer))}])",
        "# The value comes before the key. The scores are asked for here, not in the constructor.",
        f"output, scores = layer({', '.join(call)}, return_attention_scores=True)",
        "output, scores = keras.ops.convert_to_numpy(output), keras.ops.convert_to_numpy(scores)",
    ]
    return "\n".join(lines) + "\n" + tail("layer.count_params()")
