"""The numbers of one layer, laid out alike whatever file they came from."""

import numpy as np

from mha.loading.families import BIASES, KERNELS
from mha.loading.find import Layer
from mha.loading.refusal import Unreadable


def numbers(layer: Layer) -> dict[str, np.ndarray]:
    """w_q, w_k, w_v (in, h·d), w_o (h·d_v, out) and flat biases, float32; a bias that the file has not is left out.

    Unreadable where a number is missing, infinite or not a number. For layers that can be shown: see `mha.loading.fit`.
    """
    if layer.sizes is None:
        raise Unreadable(layer.misfit, *layer.named)
    read = {role: layer.pieces[role].numbers() for role in layer.pieces if role in (*KERNELS, *BIASES, "w_qkv", "b_qkv")}
    made = {role: values.reshape(-1) for role, values in read.items() if role in BIASES}
    if "b_qkv" in read:
        parts = np.split(read["b_qkv"], [layer.sizes.inner_k, 2 * layer.sizes.inner_k])
        made |= dict(zip(BIASES[:3], parts, strict=True))
    if layer.family.layout == "heads":
        made |= {role: read[role].reshape(len(read[role]), -1) for role in KERNELS[:3]}
        made["w_o"] = read["w_o"].reshape(layer.sizes.inner_v, -1)
    else:
        turned = layer.family.layout == "linear" or read["w_qkv"].shape[0] > read["w_qkv"].shape[1]
        columns = {role: values.T if turned else values for role, values in read.items() if role.startswith("w_")}
        if "w_qkv" in columns:
            columns |= dict(zip(KERNELS[:3], np.split(columns.pop("w_qkv"), 3, axis=1), strict=True))
        made |= columns
    return {role: np.ascontiguousarray(values) for role, values in made.items()}
