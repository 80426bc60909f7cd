"""Where PyTorch keeps the same numbers: in nn.MultiheadAttention, or where it cannot be the layer in four nn.Linear."""

from mha.keras_layer import KerasLayer

THIRDS = {"q": "first", "k": "second", "v": "last"}


def obstacles(layer: KerasLayer) -> list[str]:
    """Why nn.MultiheadAttention cannot be this layer; [] where it can (torch 2.13: embed_dim = h · head_dim, one head size)."""
    width, inner = layer.query_shape[-1], layer.num_heads * layer.key_dim
    found = []
    if inner != width:
        found.append(f"h · key_dim = {inner} is not d_model = {width}")
    if layer.value_dim != layer.key_dim:
        found.append(f"value_dim = {layer.value_dim} is not key_dim = {layer.key_dim}")
    if layer.output_dims != (width,):
        found.append(f"the output is {' × '.join(map(str, layer.output_dims))} and not {width} wide")
    if layer.rank != 3:
        found.append(f"the input has rank {layer.rank} and not 3")
    return found


def torch_place(layer: KerasLayer, name: str) -> tuple[str, tuple[int, ...]]:
    """PyTorch's name and shape for a variable named as in mha.params ("w_q", …); of a packed matrix, the third's."""
    kind, letter = name.split("_")
    inner = layer.num_heads * (layer.value_dim if letter in "vo" else layer.key_dim)
    out = 1
    for size in layer.output_dims:
        out *= size
    widths = {"q": layer.query_shape[-1], "k": layer.key_shape[-1], "v": layer.value_shape[-1], "o": inner}
    shape = (out,) if name == "b_o" else (inner,) if kind == "b" else (out, inner) if name == "w_o" else (inner, widths[letter])
    if obstacles(layer):
        return f"{letter}_linear.{'weight' if kind == 'w' else 'bias'}", shape
    if letter == "o":
        return f"out_proj.{'weight' if kind == 'w' else 'bias'}", shape
    if kind == "b":
        return f"in_proj_bias, {THIRDS[letter]} third", shape
    if len({widths["q"], widths["k"], widths["v"]}) == 1:
        return f"in_proj_weight, {THIRDS[letter]} third", shape
    return f"{letter}_proj_weight", shape
