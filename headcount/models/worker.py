"""Counts the parameters of a configuration's real class, which transformers builds on PyTorch's `meta` device (shapes without
memory). `python -m headcount.models.worker` answers `headcount.models.real_class`. It fetches no code and no weights, and starts
no program."""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false
import importlib
import re
import warnings
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, cast

from headcount.bounded_process import Message, answer_requests, in_a_sentence, no_network
from headcount.models.reading import HEADS, KV_HEADS
from headcount.models.real_class import Counted

#: Fields that name code, files or formats. They are left out, because they give no sizes.
DROPPED = ("auto_map", "quantization_config", "dtype", "torch_dtype", "attn_implementation", "architectures", "backbone",
           "use_pretrained_backbone", "transformers_version", "model_type")  # fmt: skip
#: Names of parameters inside an attention module that belong to the norm around it.
AROUND = re.compile(r"(^|\.)(LayerNorm|layer_norm|layernorm|norm)\.")
#: Words in the names of attention parameters that are no projections: norms of queries and keys, tables of relative positions,
#: sinks.
APART = ("norm", "relative_attention_bias", "sinks", "rel_embeddings", "seg_embed", "r_w_bias", "r_r_bias", "r_s_bias")
#: Tokens of the pass that shows what layers cache; and fields whose window does not count the query itself, while the class does.
PASS, BEFORE_QUERY = 3, ("sliding_window_size",)
#: The kind of a module without attention (`headcount.models.model.KINDS`), by a pattern for its name and class. The first match
#: counts.
KINDS = {
    "norms": r"(.*[._])?(norm|layernorm|ln)[^.]* |.* \w*norm", "embeddings": r".*embed",
    "output": r"(lm_head|classifier|score|qa_outputs|cls|pooler|pre_classifier|head|vocab_)",
    "mixer": r".*(mamba|conv|ssm|mixer|delta|recurrent|rg_lru)", "feed-forward": "",
}  # fmt: skip


def load() -> Mapping[str, object]:
    """Imports PyTorch and transformers, which takes seconds, and forbids the network. Returns the process's first message, which
    is empty."""
    warnings.simplefilter("ignore")
    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    no_network()
    return {}


def handle(facts: Mapping[str, Any], _arrays: object) -> Message:
    """Answers a request with the fields of Counted for the model of a `config`, with other `heads` and `kv_heads` unless these
    are None."""
    try:
        model = build(facts["config"], facts.get("heads"), facts.get("kv_heads"))
        return asdict(replace(described(model), modules=modules_of(model), kept=kept_by(model))), {}
    except Exception as error:  # the page shows any error that a class raises
        words = re.sub(r"^StrictDataclass.* validator '.*?': ", "", in_a_sentence(error))
        return asdict(Counted(refused=words)), {}


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


def modules_of(model: Any) -> tuple[tuple[int, tuple[tuple[str, int, int, int], ...]], ...]:
    """Groups the attention modules with equal weight matrices, the most frequent group first (`Counted.modules`)."""
    found: dict[tuple[tuple[str, int, int, int], ...], int] = {}
    taken = "-"  # the module whose parts are skipped
    for name, module in model.named_modules():
        if is_attention(module) and not f"{name}.".startswith(f"{taken}."):
            taken, weights = name, []
            for path, part in module.named_modules():
                weight, bias = getattr(part, "weight", None), getattr(part, "bias", None)
                if weight is None or weight.ndim != 2 or AROUND.search(f"{path}.") or any(word in path.lower() for word in APART):
                    continue
                rows, columns = weight.shape if type(part).__name__ == "Conv1D" else reversed(weight.shape)
                weights.append((path.rsplit(".", 1)[-1], rows, columns, 0 if bias is None else bias.numel()))
            found[tuple(weights)] = found.get(tuple(weights), 0) + 1
    return tuple((times, weights) for weights, times in sorted(found.items(), key=lambda item: -item[1]) if weights)


def kept_by(model: Any) -> tuple[tuple[int, int, int], ...] | None:
    """Finds what each layer caches per token, from a pass of three tokens on the `meta` device (`Counted.kept`). Returns None if
    the pass does not show it."""
    try:
        past = getattr(_pass(model), "past_key_values", None)
    except Exception:  # any error of a class on this device means: not known
        return None
    found: dict[tuple[int, int], int] = {}
    for cache in (getattr(past, "self_attention_cache", past), getattr(past, "cross_attention_cache", None)):
        for layer in getattr(cache, "layers", ()):
            keys, values = getattr(layer, "keys", None), getattr(layer, "values", None)
            if keys is None or values is None:
                continue  # a state of one size for any length
            if keys.ndim != 4 or keys.shape[-2] != PASS:
                return None
            window = layer.sliding_window if layer.is_sliding else 0
            window -= any(getattr(model.config.get_text_config(), name, None) == window - 1 for name in BEFORE_QUERY)
            kept = keys.shape[1] * keys.shape[-1] + values.shape[1] * values.shape[-1], window
            found[kept] = found.get(kept, 0) + 1
    return tuple((layers, *kept) for kept, layers in found.items())


def _pass(model: Any) -> Any:
    """Runs one picture or a few tokens through the model, and returns the output. Raises the errors of the class."""
    import torch

    tokens = torch.zeros((1, PASS), dtype=torch.long, device="meta")
    given: dict[str, Any] = {"input_ids": tokens}
    if (name := model.main_input_name) != "input_ids" and not hasattr(model.config, "text_config"):
        sizes = model.config.num_channels, model.config.image_size, model.config.image_size
        given = {name: torch.zeros((1, *sizes), dtype=model.dtype, device="meta")}
    if model.config.is_encoder_decoder:
        given["decoder_input_ids"] = tokens
    with torch.device("meta"), torch.no_grad():
        try:
            return model(**given, use_cache=True)
        except (TypeError, ValueError):  # an encoder, which takes no such argument
            return model(**given)


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


if __name__ == "__main__":
    answer_requests(load, cast(Any, handle))
