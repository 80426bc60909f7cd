"""Counts what a configuration's real class holds: transformers builds it on PyTorch's `meta` device (shapes without memory)."""

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headcount.models.reading import HEADS, KV_HEADS

#: Fields that name code, files or formats. They are left out, because they give no sizes.
DROPPED = ("auto_map", "quantization_config", "dtype", "torch_dtype", "attn_implementation", "architectures", "backbone",
           "use_pretrained_backbone", "transformers_version", "model_type")  # fmt: skip
#: Names of parameters inside an attention module that belong to the norm around it.
AROUND = re.compile(r"(^|\.)(LayerNorm|layer_norm|layernorm|norm)\.")
#: Words in the names of attention parameters that are no projections: norms of queries and keys, tables of relative positions,
#: sinks.
APART = ("norm", "relative_attention_bias", "sinks", "rel_embeddings", "seg_embed", "r_w_bias", "r_r_bias", "r_s_bias")
#: The kind of a part without attention, in the words of `headcount.models.model.KINDS`, by its name and class; the first match
#: counts.
KINDS = {
    "norms": r"(.*[._])?(norm|layernorm|ln)[^.]* |.* \w*norm", "embeddings": r".*embed",
    "output": r"(lm_head|classifier|score|qa_outputs|cls|pooler|pre_classifier|head|vocab_)",
    "mixer": r".*(mamba|conv|ssm|mixer|delta|recurrent|rg_lru)", "feed-forward": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers in a class: all parameters, those of attention, those of its projections, and a ledger (label, each, times,
    kind)."""

    name: str
    version: str
    total: int
    attention: int
    projections: int
    rows: tuple[tuple[str, int, int, str], ...]


def build(config: Mapping[str, Any], heads: int | None = None, kv_heads: int | None = None) -> Any:
    """Builds the model of a configuration. Raises ValueError if there is no such class, and any error of the class itself."""
    import torch
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = str(config.get("model_type"))
    if kind not in CONFIG_MAPPING:
        raise ValueError(f"model_type {kind!r} is none of transformers")
    fields = {key: value for key, value in config.items() if key not in DROPPED and not key.startswith("_")}
    settings_class = CONFIG_MAPPING[kind]
    settings = settings_class.from_dict(dict(fields))
    if heads is not None:
        settings = settings_class.from_dict(moved(fields, settings, heads, kv_heads))
    settings._attn_implementation = "eager"
    named = config.get("architectures")
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)  # in which mixtures of experts have an operation on every device
    try:
        with torch.device("meta"):
            return model_class(settings, kind, named[0] if isinstance(named, list) and named else None)(settings)
    finally:
        torch.set_default_dtype(usual)


def moved(fields: Mapping[str, Any], settings: Any, heads: int, kv_heads: int | None) -> dict[str, Any]:
    """Returns the configuration's fields with other head counts for the model of text. Towers stay unchanged."""
    inner = next((name for name in ("text_config", "llm_config") if hasattr(settings, name)), None)
    if inner is not None:
        return {**fields, inner: moved(fields.get(inner) or {}, getattr(settings, inner), heads, kv_heads)}
    aliases = type(settings).attribute_map
    there = [name for name in (*HEADS, *KV_HEADS) if name in fields or (name not in aliases and hasattr(settings, name))]
    counts = {name: heads if name in HEADS else kv_heads for name in there}
    return {**fields, **{name: count for name, count in counts.items() if count is not None}}


def model_class(settings: Any, kind: str, named: str | None) -> type:
    """Returns the class that `architectures` names, or else one that generates text, or else the bare model. Raises ValueError if
    there is none."""
    from transformers import PreTrainedModel
    from transformers.models.auto import modeling_auto as auto

    if named is None:
        decoder = () if kind in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES else ("FOR_CAUSAL_LM_",)
        tasks = ("FOR_IMAGE_TEXT_TO_TEXT_", "FOR_SEQ_TO_SEQ_CAUSAL_LM_", "FOR_SPEECH_SEQ_2_SEQ_", *decoder, "")
        found = next((name for task in tasks if (name := getattr(auto, f"MODEL_{task}MAPPING_NAMES").get(kind))), None)
        named = found[0] if isinstance(found, tuple) else found
    module = importlib.import_module(type(settings).__module__.replace("configuration_", "modeling_"))
    found = getattr(module, str(named), None)
    if not (isinstance(found, type) and issubclass(found, PreTrainedModel)):
        raise ValueError(f"{str(named)[:80]!r} is no class of transformers for model_type {kind!r}")
    return found


def is_attention(module: Any) -> bool:
    """Whether a module is attention, by the name of its class."""
    kind = type(module).__name__.lower()
    return "attention" in kind and not kind.endswith(("poolinghead", "decoderlayer", "model", "encoder", "decoder", "block"))


def described(model: Any) -> Counted:
    """Counts the parameters of a model, tied ones once. Rows of the ledger group modules of equal size whose names differ only in
    numbers, and their sum is the total."""
    import transformers

    attention: dict[int, bool] = {}  # by parameter of modules whose class is called attention: whether it is a projection
    for module in model.modules():
        if is_attention(module):
            for name, parameter in module.named_parameters():
                if not AROUND.search(name):
                    attention.setdefault(id(parameter), not any(word in name.lower() for word in APART))
    sizes = {id(parameter): parameter.numel() for parameter in model.parameters()}
    seen: set[int] = set()
    rows: dict[tuple[str, int, str], int] = {}
    for name, module in model.named_modules():
        own: dict[str, int] = {}
        for key in map(id, module.parameters(recurse=False)):
            kind = "attention" if key in attention else kind_of(name, module)
            own[kind] = own.get(kind, 0) + (0 if key in seen else sizes[key])
            seen.add(key)
        label = re.sub(r"(?<=\.)[0-9]+(?=\.|$)", "*", name) or type(module).__name__
        for kind, count in ((kind, count) for kind, count in own.items() if count):
            rows[label[:120], count, kind] = rows.get((label[:120], count, kind), 0) + 1
    return Counted(
        type(model).__name__, transformers.__version__, sum(sizes.values()), sum(sizes[key] for key in attention),
        sum(sizes[key] for key in attention if attention[key]),
        tuple((label, each, times, kind) for (label, each, kind), times in rows.items()),
    )  # fmt: skip


def kind_of(name: str, module: Any) -> str:
    """Returns the kind of a module without attention, a key of KINDS."""
    both = f"{name} {type(module).__name__}".lower()
    return next(kind for kind, words in KINDS.items() if re.match(words, both))
