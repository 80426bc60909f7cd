"""Random configurations of every family of models that `headcount.models.reading` knows, with other sizes than the classes'
defaults; and modules with random weights."""

import importlib
import inspect
import random
from typing import Any

import torch
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from headcount.models.entry import entries
from headcount.models.reading import BIASES, D_MODEL, HEAD_SIZE, HEADS, KV_HEADS, LAYERS, LIKE

KINDS = sorted({*LIKE, *(entry.config["model_type"] for entry in entries().values())} & {*CONFIG_MAPPING})
#: Families whose class has parts of other families inside.
AROUND = {"llava": ("llama", "clip_vision_model"), "clip": ("clip_text_model", "clip_vision_model")}
SMALL = {"vocab_size": 101, "pad_token_id": 0, "intermediate_size": 31, "image_size": 24, "patch_size": 4, "ffn_dim": 19}


def variation(kind: str, seed: int) -> dict[str, Any]:
    """Draws one configuration of a family: the same for the same seed."""
    if kind in AROUND:
        text, vision = (variation(one, seed) for one in AROUND[kind])
        return {"model_type": kind, "text_config": text, "vision_config": vision}
    draw = random.Random(f"{kind} {seed}")
    kv, groups, half = draw.choice((1, 2, 3)), draw.choice((1, 2, 3)), draw.choice((4, 6, 7))
    heads, width = kv * groups, 2 * half * kv * groups
    sizes: dict[str, Any] = {**dict.fromkeys((*D_MODEL, "word_embed_proj_dim"), width), **dict.fromkeys(HEADS, heads), **SMALL}
    sizes |= dict.fromkeys((*LAYERS, "decoder_layers", "num_decoder_layers"), draw.randint(1, 3))
    sizes |= {**dict.fromkeys(KV_HEADS, kv), **dict.fromkeys(HEAD_SIZE, draw.choice((10, 14)))}
    written = CONFIG_MAPPING[kind]().to_dict()
    derived = ("layer_types", "out_features", "out_indices", "stage_names")  # from the number of layers
    config = {name: value for name, value in written.items() if not name.endswith(derived) and value is not None}
    config |= {name: value for name, value in sizes.items() if name in config}
    config |= {name: draw.random() < 0.5 for name in (*BIASES, "multi_query", "new_decoder_architecture") if name in config}
    return config | {"model_type": kind}


def sources(kind: str) -> str:
    """Returns the source code of the modules that define a family's configuration and models."""
    config = next(one for one in CONFIG_MAPPING.values() if one.model_type == kind)
    modules = {base.__module__ for base in config.__mro__ if "configuration_" in base.__module__ and "models" in base.__module__}
    names = {name for module in modules for name in (module, module.replace("configuration_", "modeling_"))}
    return "\n".join(inspect.getsource(importlib.import_module(name)) for name in sorted(names))


def shaken(module):
    """Fills all parameters of a module with random numbers and returns the module. Biases start at 0 in these libraries, so a
    forgotten one would not be noticed."""
    torch.manual_seed(7)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(0.3 * torch.randn_like(parameter))
    return module.eval()
