"""Function that loads a layer from Keras, PyTorch or a file, or the trained layer that is shipped."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from headcount.arrays import Floats
from headcount.config import Config
from headcount.custom_layer import CustomLayer
from headcount.files import fit
from headcount.files.contents import Contents, open_file
from headcount.files.layers import find_layers
from headcount.files.tensors import MAX_FILE, Tensor, UnreadableFile
from headcount.forward import PARAMS
from headcount.names import listed
from headcount.params import inputs_of, make_inputs, params_of
from headcount.reading import CUT_HEADS, Reading
from headcount.trained.sentence import D_MODEL, LENGTH, read_or_default

#: Name of the trained layer that is shipped with the package.
TRAINED = "trained"


def load(layer: Any, number: int = 1, num_heads: int | None = None) -> CustomLayer:
    """Loads a layer with its weights. Raises ValueError if the layer cannot be read.
    - `layer`: an attention layer of Keras, a `torch.nn.MultiheadAttention`, or the path of a .keras, .weights.h5, .safetensors or
      .npz file (also from `Trace.save`). "trained" is the shipped layer with four heads.
    - `number`: which attention layer of the file, from 1. `num_heads`: needed if the file does not contain it.
    The input X is drawn from a seed, except for "trained" and files of `Trace.save`."""
    if isinstance(layer, str) and layer == TRAINED:
        return _trained()
    if isinstance(layer, str | Path):
        contents = _opened(Path(layer))
        saved = next((one for one in contents.tensors if one.name == "meta"), None)
        if saved is not None and number == 1:
            return _saved(saved, {one.name: one.values for one in contents.tensors if one is not saved})
    else:
        contents = _contents(layer)
        num_heads = getattr(layer, "num_heads", None) if num_heads is None else num_heads
    found, others = find_layers(contents)
    if not 1 <= number <= len(found):
        names = ", ".join(one.name for one in others[:8])
        raise ValueError(f"layer {number} is not there: it has {len(found)} attention layers{f'; arrays: {names}' * (not found)}")
    chosen = found[number - 1]
    if chosen.sizes is None or chosen.why_not:
        raise UnreadableFile(chosen.why_not, *chosen.named)
    heads, possible = chosen.sizes.num_heads or num_heads, fit.head_counts(chosen.sizes)
    if heads is None:
        raise ValueError(f"num_heads must be said, which the file does not: {listed([*map(str, possible)])} fit")
    cfg = fit.config(chosen.sizes, heads, mask="causal" if chosen.sizes.looks_back else "none")
    return CustomLayer(cfg, fit.params(chosen.numbers(), cfg), make_inputs(cfg))


def _trained() -> CustomLayer:
    made = Reading(read_or_default("")).layer(Config(D_MODEL, CUT_HEADS, query_len=LENGTH))
    if made is None:
        raise ValueError("the trained layer has other sizes than its task")
    return made


def _opened(path: Path) -> Contents:
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}; a layer by name is {TRAINED!r}")
    if (size := path.stat().st_size) > MAX_FILE:
        raise UnreadableFile(f"The file has {size:,} bytes; at most {MAX_FILE:,} are read.")
    return open_file(path.read_bytes())


def _saved(meta: Tensor, arrays: Mapping[str, Floats]) -> CustomLayer:
    """Rebuilds a layer that `Trace.save` wrote. Raises ValueError for any other file."""
    try:
        cfg = Config(**json.loads(str(meta.values))["config"])
        weights = {name: values for name, values in arrays.items() if name in PARAMS}
        return CustomLayer(cfg, params_of(weights), inputs_of(arrays["x_query"], arrays["x_key"]))
    except (KeyError, TypeError, ValueError) as why:
        raise ValueError(f"the file is none that `save` of a trace wrote: {why}") from None


def _contents(layer: Any) -> Contents:
    """Returns the arrays of a Keras or PyTorch layer, with a Keras layer's configuration. Raises ValueError for other objects."""
    if hasattr(layer, "state_dict"):
        if getattr(layer, "add_zero_attn", False):
            raise ValueError("the layer has add_zero_attn, a key of zeros that `run` does not have")
        return Contents([Tensor(name, one.detach().float().cpu().numpy()) for name, one in layer.state_dict().items()])
    said: dict[str, Any] = layer.get_config() if hasattr(layer, "get_config") and hasattr(layer, "weights") else {}
    if not {"num_heads", "num_query_heads"} & {*said}:
        of_keras = "an attention layer of Keras's (of a model, `model.get_layer(name)`)"
        raise ValueError(f"layer must be {of_keras} or PyTorch's, the path of a file, or {TRAINED!r}, got {layer!r:.80}")
    if not layer.weights:
        raise ValueError("the layer of Keras has no weights yet: build it, or call it once")
    tensors = [Tensor(one.path, np.asarray(one.numpy(), np.float32)) for one in layer.weights]
    facts: dict[str, object] = {**said, "attention_axes": list(said.get("attention_axes") or [1])}
    return Contents(tensors, {tensors[0].name.rsplit("/", 2)[0]: "it"}, {"it": facts})
