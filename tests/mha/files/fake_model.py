"""In place of mha.files.model_worker: a BERT of two layers without PyTorch. `python -m tests.mha.files.fake_model [off]`.

With "off" its maps are another layer's. The text "long" is refused, "die" ends the process.
"""

import sys
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from mha import Config, Inputs, run
from mha.arrays import Array
from mha.bounded_process import answer_requests
from mha.files import fit
from mha.files.beside import read_beside
from mha.files.contents import Contents
from mha.files.layers import find_layers
from mha.files.report import described
from mha.files.tensors import Tensor
from tests.mha.files.files import arrays, bert_names

CFG = Config(d_model=14, num_heads=2, seed=9)
CONFIG = {"model_type": "bert", "hidden_size": 14, "num_attention_heads": 2, "num_hidden_layers": 2}
WEIGHTS = {**bert_names(CFG, arrays(CFG), "layer.0."), **bert_names(CFG, arrays(Config(14, 2, seed=5)), "layer.1.")}


def entering(text: str, number: int) -> np.ndarray:
    """What the fake says enters a layer."""
    words = text.split()
    return np.random.default_rng([len(text), number]).standard_normal((len(words), 14)).astype(np.float32)


def handle(facts: Mapping, _arrays: object) -> tuple[dict, dict]:
    layers, others = find_layers(Contents([Tensor(*pair) for pair in WEIGHTS.items()], beside=read_beside(CONFIG)))
    if not facts:
        return {"title": "BertModel of transformers 5", "report": asdict(described(layers, others))}, {}
    text, number = facts["text"], facts["number"]
    if text == "die":
        sys.exit()
    if text == "long":
        return {"error": "The sentence has 99 tokens; from 1 to {} are read.", "names": [64]}, {}
    flat, x = layers[number].numbers(), Array(entering(text, number)[None], "btm")
    cfg = fit.config(layers[number].sizes, 2, query_len=x.shape[1])
    trace = run(cfg, params=fit.params(flat, cfg), inputs=Inputs(x, Array(x.values, "bsm")))
    maps = trace.weights.values[0] * (2 if "off" in sys.argv else 1)
    found = {"x": x.values[0], "weights": maps, "output": trace.output.values[0]}
    return {"tokens": text.split()}, found | {f"flat.{name}": values for name, values in flat.items()}


if __name__ == "__main__":
    answer_requests(dict, handle)
