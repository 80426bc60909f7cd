"""Typed numbers as a program: the script of mha.codegen for the same layer, in which every number is written out."""

import re

import numpy as np

from mha.arrays import Floats
from mha.codegen import DRAW, KERNEL, Settings, write
from mha.custom_layer import CustomLayer
from mha.keras.layer import layer_of_config
from mha.ledger import ledger


def literal(array: Floats) -> str:
    """Nested lists, seven digits a number: as many as float32 has."""
    return f"{float(array):.7g}" if array.ndim == 0 else f"[{', '.join(literal(part) for part in array)}]"


def program_of(layer: CustomLayer, library: str) -> str:
    """A complete script for one of mha.codegen.LIBRARIES. mha.codegen.Unwritable where it cannot express the layer."""
    cfg = layer.cfg
    script = write(Settings(layer_of_config(cfg), causal=cfg.mask == "causal"), library)
    arrays = {"query": layer.inputs.x_query} | {row.name: getattr(layer.params, row.name) for row in ledger(cfg)}
    for name, array in arrays.items():
        written = f"{name} = np.array({literal(np.asarray(array.values))}, dtype=np.float32)"
        script, times = re.subn(rf"^{name} = .*$", written, script, flags=re.MULTILINE)
        assert times == 1, f"{name} is given {times} times in the script in {library}"
    for helper, call in ((KERNEL, "kernel("), (DRAW, "draw(")):
        rest = script.replace(helper.strip(), "")
        script = script if call in rest else rest
    if "seed" not in (rest := re.sub(r"^seed = .*\n", "", script, flags=re.MULTILINE)):
        script = rest
    return re.sub(r"\n{2,}(def )", r"\n\n\n\1", re.sub(r"\n{4,}", "\n\n", script))
