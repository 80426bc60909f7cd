"""A folder with a small model, made without the libraries that usually write it."""

import json
from pathlib import Path

import numpy as np

from mha import Config
from tests.mha.loading.files import arrays, bert_names, gpt2_names, safetensors

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "letter", "was", "here", "##s")
CFG = Config(d_model=14, num_heads=2, seed=9)
LAYERS, INNER, POSITIONS = 3, 5, 11
CONFIG = {
    "model_type": "bert", "hidden_size": 14, "num_attention_heads": 2, "num_hidden_layers": LAYERS, "intermediate_size": INNER,
    "vocab_size": len(WORDS), "max_position_embeddings": POSITIONS,
}  # fmt: skip


def drawn(shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def bert() -> dict[str, np.ndarray]:
    """Its weights by name, below "bert."."""
    shapes = {f"embeddings.{name}.weight": (rows, 14) for name, rows in (
        ("word_embeddings", len(WORDS)), ("position_embeddings", POSITIONS), ("token_type_embeddings", 2))}  # fmt: skip
    shapes |= {f"embeddings.LayerNorm.{part}": (14,) for part in ("weight", "bias")}
    named: dict[str, np.ndarray] = {}
    for number in range(LAYERS):
        at = f"encoder.layer.{number}."
        norms = (f"{at}{norm}LayerNorm" for norm in ("attention.output.", "output."))
        shapes |= {f"{norm}.{part}": (14,) for norm in norms for part in ("weight", "bias")}
        shapes |= {f"{at}intermediate.dense.weight": (INNER, 14), f"{at}intermediate.dense.bias": (INNER,)}
        shapes |= {f"{at}output.dense.weight": (14, INNER), f"{at}output.dense.bias": (14,)}
        named |= bert_names(CFG, arrays(CFG), at)
    return {f"bert.{name}": values for name, values in {**drawn(shapes), **named}.items()}


def gpt2() -> dict[str, np.ndarray]:
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (5, 14), "wpe.weight": (POSITIONS, 14)}
    shapes |= {"ln_f.weight": (14,), "ln_f.bias": (14,)}
    shapes |= {f"h.0.{norm}.{part}": (14,) for norm in ("ln_1", "ln_2") for part in ("weight", "bias")}
    shapes |= {"h.0.mlp.c_fc.weight": (14, INNER), "h.0.mlp.c_fc.bias": (INNER,)}
    shapes |= {"h.0.mlp.c_proj.weight": (INNER, 14), "h.0.mlp.c_proj.bias": (14,)}
    return {**drawn(shapes), **gpt2_names(CFG, arrays(CFG), "h.0.attn.")}


def write(folder: Path, weights: dict[str, np.ndarray] | None = None, **fields: object) -> Path:
    """The folder, with BERT's weights unless others are given, and `fields` changed in its configuration."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG | fields))
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    (folder / "model.safetensors").write_bytes(safetensors(bert() if weights is None else weights))
    return folder
