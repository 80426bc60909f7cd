"""What the real class of a configuration holds: built by transformers on PyTorch's `meta` device (shapes without memory).

`python -m mha.published.worker` answers `mha.published.real_class`. Nothing of a configuration is run: it names a class of
transformers, no code and no weights are fetched, and no other program is started.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false
import importlib
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, cast

from mha.bounded_process import answer_requests, in_a_sentence, no_network
from mha.keras.wire import Message
from mha.published.names import HEADS, KV_HEADS, REFUSED

#: Fields that name code, files or formats, not sizes.
DROPPED = ("auto_map", "quantization_config", "dtype", "torch_dtype", "attn_implementation", "architectures", "backbone",
           "use_pretrained_backbone", "transformers_version", "model_type")  # fmt: skip
#: Inside an attention module, but neither a projection nor a part of the scores: the norm of what goes around it.
AROUND = re.compile(r"(^|\.)(LayerNorm|layer_norm|layernorm|norm)\.")
#: Inside, and no projection: norms of queries and keys, tables of relative positions, sinks.
APART = ("norm", "relative_attention_bias", "sinks", "rel_embeddings", "seg_embed", "r_w_bias", "r_r_bias", "r_s_bias")
#: Rows that a ledger lists; further ones are one row.
MAX_ROWS = 60


def load() -> Mapping[str, object]:
    """Imports PyTorch and transformers (seconds)."""
    warnings.simplefilter("ignore")
    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    no_network()
    return {"version": transformers.__version__}


def handle(facts: Mapping[str, Any], _arrays: object) -> Message:
    """`config`, and `heads` and `kv_heads` where they are moved: what the class holds, or "refused" in its own words."""
    try:
        return described(build(facts["config"], facts.get("heads"), facts.get("kv_heads"))), {}
    except Exception as error:  # whatever a class raises is what the page shows
        return {REFUSED: re.sub(r"^StrictDataclass.* validator '.*?': ", "", in_a_sentence(error))}, {}


def build(config: Mapping[str, Any], heads: int | None = None, kv_heads: int | None = None) -> Any:
    """The model. ValueError where there is no such class; otherwise whatever the class raises."""
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
    with torch.device("meta"):
        return model_class(settings, kind, named[0] if isinstance(named, list) and named else None)(settings)


def moved(fields: Mapping[str, Any], settings: Any, heads: int, kv_heads: int | None) -> dict[str, Any]:
    """The same fields with other heads, wherever the text model says them; those of a tower stay."""
    inner = next((name for name in ("text_config", "llm_config") if hasattr(settings, name)), None)
    if inner is not None:
        return {**fields, inner: moved(fields.get(inner) or {}, getattr(settings, inner), heads, kv_heads)}
    aliases = type(settings).attribute_map
    there = {name for name in (*HEADS, *KV_HEADS) if name in fields or (name not in aliases and hasattr(settings, name))}
    new = {**fields, **{name: heads for name in there if name in HEADS}}
    return new | ({name: kv_heads for name in there if name in KV_HEADS} if kv_heads is not None else {})


def model_class(settings: Any, kind: str, named: str | None) -> type:
    """The class that `architectures` names; else the one that generates; of an encoder the bare model."""
    from transformers import PreTrainedModel
    from transformers.models.auto import modeling_auto as auto

    if named is None:
        mappings = (
            auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES, auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
            {name: auto.MODEL_MAPPING_NAMES.get(name) for name in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES},
            auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, auto.MODEL_MAPPING_NAMES,
        )  # fmt: skip
        found = next((one[kind] for one in mappings if one.get(kind)), None)
        named = found[0] if isinstance(found, tuple) else found
    module = importlib.import_module(type(settings).__module__.replace("configuration_", "modeling_"))
    found = getattr(module, str(named), None)
    if not (isinstance(found, type) and issubclass(found, PreTrainedModel)):
        raise ValueError(f"{str(named)[:80]!r} is no class of transformers for model_type {kind!r}")
    return found


def attention_modules(model: Any) -> list[tuple[str, Any]]:
    """Names and modules whose class is called attention, the outermost only; shared ones once."""
    found: list[tuple[str, Any]] = []
    for name, module in model.named_modules():
        kind = type(module).__name__.lower()
        around = kind.endswith(("poolinghead", "decoderlayer", "model", "encoder", "decoder", "block"))
        inside = any(name.startswith(f"{outer}.") for outer, _ in found)
        if "attention" in kind and not around and not inside and any(True for _ in module.parameters()):
            found.append((name, module))
    return found


def described(model: Any) -> dict[str, Any]:
    """JSON: the class; all its parameters, tied ones once; those of attention and of its projections alone; and rows of a ledger
    [label, each, times, kind], which sum to all."""
    import transformers

    attention: dict[int, bool] = {}  # by parameter: whether it is a projection
    modules = attention_modules(model)
    counts = []
    for _, module in modules:
        counts.append(0)
        for name, parameter in module.named_parameters():
            if not AROUND.search(name) and id(parameter) not in attention:
                projection = not any(word in name.lower() for word in APART)
                attention[id(parameter)] = projection
                counts[-1] += parameter.numel() if projection else 0
    sizes = {id(parameter): parameter.numel() for parameter in model.parameters()}
    return {
        "class": type(model).__name__, "version": transformers.__version__, "total": sum(sizes.values()),
        "attention": sum(sizes[key] for key in attention), "projections": sum(sizes[key] for key in attention if attention[key]),
        "modules": len(modules), "per_module": sorted(set(counts)), "rows": list(rows(model, attention)),
    }  # fmt: skip


def rows(model: Any, attention: Mapping[int, bool]) -> Iterator[list[object]]:
    """Parameters of modules of the same name (their numbers a *) and size together."""
    seen: set[int] = set()
    found: dict[tuple[str, int, str], int] = {}
    for name, module in model.named_modules():
        own = [one for one in module.parameters(recurse=False) if id(one) not in seen]
        seen |= {id(one) for one in own}
        for kind in dict.fromkeys(kind_of(name, module, id(one) in attention) for one in own):
            count = sum(one.numel() for one in own if kind_of(name, module, id(one) in attention) == kind)
            key = (re.sub(r"(?<=\.)[0-9]+(?=\.|$)", "*", name) or type(module).__name__, count, kind)
            found[key] = found.get(key, 0) + 1
    listed = list(found.items())
    for (label, each, kind), times in listed[:MAX_ROWS]:
        yield [label[:120], each, times, kind]
    further: dict[str, int] = {}
    for (_, each, kind), times in listed[MAX_ROWS:]:
        further[kind] = further.get(kind, 0) + each * times
    for kind, count in further.items():
        yield ["further modules", count, 1, kind]


def kind_of(name: str, module: Any, attention: bool) -> str:
    """What a part is, as `mha.published.model.KINDS` calls it."""
    import torch

    kind = type(module).__name__.lower()
    if attention:
        return "attention"
    if "norm" in kind or re.search(r"(^|[._])(norm|layernorm|ln)[^.]*$", name.lower()):
        return "norms"
    if isinstance(module, torch.nn.Embedding) or "embed" in name.lower():
        return "embeddings"
    if re.match(r"(lm_head|classifier|score|qa_outputs|cls|pooler|pre_classifier|head|vocab_)", name):
        return "output"
    if re.search(r"mamba|conv|ssm|mixer|delta|recurrent|rg_lru", name.lower() + kind):
        return "mixer"
    return "feed-forward"


if __name__ == "__main__":
    answer_requests(load, cast(Any, handle))
