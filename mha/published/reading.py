"""A Hugging Face `config.json` as a model: text in, sizes out, every fault with its field.

An unknown family is read by the usual names of fields, and every guess is stated.
"""

import json
from collections.abc import Mapping
from typing import cast

from mha.loading.tensors import UnreadableFile, each_key_once
from mha.published.attention import Attention
from mha.published.families import READERS, ROBERTA_MASKED, latent_attention
from mha.published.fields import Fields, UnreadableConfig, described
from mha.published.model import Group, Model

#: Characters of a configuration; the longest published ones, with all their label names, are about 100,000.
MOST_TEXT = 256_000
#: The usual names of fields, for unknown families.
D_MODEL = ("hidden_size", "n_embd", "d_model", "dim", "n_embed", "hidden_dim", "embed_dim")
LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "depth", "encoder_layers")
HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads", "attention_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "multi_query_group_num")
HEAD_SIZE = ("head_dim", "d_kv", "kv_channels", "attention_head_dim", "d_head")
BIASES = ("attention_bias", "use_bias", "attn_bias", "qkv_bias", "add_qkv_bias", "use_qkv_bias", "bias")


def parse(text: str) -> Mapping[str, object]:
    """The JSON object in `text`. UnreadableConfig where it is too long, no JSON, or no object."""
    if len(text) > MOST_TEXT:
        raise UnreadableConfig("The file", f"must have at most {MOST_TEXT:,} characters", f"{len(text):,}")
    try:
        tree = json.loads(text, object_pairs_hook=each_key_once)
    except UnreadableFile as repeated:
        key = repeated.names[0][:60]
        raise UnreadableConfig("The file", "may give each key of an object once", f"{key} twice") from None
    except RecursionError:
        raise UnreadableConfig("The file", "must be JSON with few levels", "lists or objects nested too deeply") from None
    except json.JSONDecodeError as fault:
        near = text[max(fault.pos - 12, 0) : fault.pos + 12].strip() or "nothing"
        raise UnreadableConfig(f"Line {fault.lineno}, column {fault.colno}", "must be JSON", near) from None
    except ValueError:
        digits = "a whole number of thousands of digits"
        raise UnreadableConfig("The file", "must hold numbers of a readable length", digits) from None
    if not isinstance(tree, dict):
        raise UnreadableConfig("The file", "must hold one JSON object, { … }", described(tree))
    return cast(dict[str, object], tree)


def read_config(config: Mapping[str, object]) -> Model:
    """The model of a configuration. UnreadableConfig names the field that is missing or wrong; Refused (mha.published.attention)
    says why its heads are no layer. Fields that are not needed are not looked at."""
    return read_fields(config)[0]


def read_fields(config: Mapping[str, object]) -> tuple[Model, dict[str, object]]:
    """The model, and the few fields that it was read from: read again, they give the same model."""
    inner = config.get("text_config")
    nested = not any(name in config for name in (*D_MODEL, *HEADS)) and isinstance(inner, Mapping)
    if isinstance(inner, Mapping) and nested:
        text = cast(Mapping[str, object], inner)
        kind = text.get("model_type", config.get("model_type"))
        config = {**text, "model_type": {"gemma3": "gemma3_text"}.get(kind, kind) if isinstance(kind, str) else kind}
    fields = Fields(config)
    if nested:
        fields.assumed.append("text_config is what is counted")
    kind = config.get("model_type")
    if kind is not None and not isinstance(kind, str):
        raise UnreadableConfig("model_type", "must be a text", described(kind))
    masked = kind == "roberta" and _asks_for(config, "RobertaForMaskedLM")
    if kind not in READERS:
        fields.assumed.append("model_type is not there" if kind is None else "model_type is of a family that is not known here")
    reader = ROBERTA_MASKED.read if masked else READERS.get(kind or "", _read_unknown)
    model = reader(fields)
    named = {"architectures": ["RobertaForMaskedLM"]} if masked else {}
    return model, fields.used | named | ({} if kind is None else {"model_type": kind})


def _asks_for(config: Mapping[str, object], name: str) -> bool:
    named = config.get("architectures")
    return isinstance(named, list) and cast(list[object], named)[:1] == [name]


def known(model: Model) -> bool:
    """Whether its family is read as transformers builds it; otherwise its notes list the guesses."""
    return model.model_type in READERS


def _read_unknown(fields: Fields) -> Model:
    """An unknown family as a stack of identical layers. Each guess is a sentence in `notes`."""
    d, heads, layers = fields.whole("d_model", *D_MODEL), fields.whole("heads", *HEADS), fields.whole("layers", *LAYERS)
    say = fields.assumed.append
    if fields.has("kv_lora_rank"):
        say("kv_lora_rank is there: latent attention as in DeepSeek-V2")
        attention = latent_attention(fields, d, heads)
    else:
        attention = _plain(fields, d, heads)
    attention.check()
    if fields.has("decoder_layers", "num_decoder_layers"):
        say("a decoder is named too: only the first stack is counted")
    say("every layer has one attention module, all alike")
    group = Group("", layers, attention, "self")
    return Model(fields.word("model_type"), (group,), notes=tuple(fields.assumed))


def _plain(fields: Fields, d: int, heads: int) -> Attention:
    say = fields.assumed.append
    kv_heads, follow = heads, True
    if fields.has(*KV_HEADS):
        name = next(name for name in KV_HEADS if fields.has(name))
        kv_heads, follow = fields.whole("heads", name), False
    elif fields.flag("multi_query", default=False):
        kv_heads, follow = 1, False
    else:
        say("no key/value heads are named: as many as heads")
    tied = not fields.has(*HEAD_SIZE)
    if tied:
        say("no head size is named: d_model / heads, and heads must divide d_model")
        size = d // heads
    else:
        size = fields.whole("head size", next(name for name in HEAD_SIZE if fields.has(name)))
    return Attention(d, heads, kv_heads, size, size, tied, follow, _bias(fields), refusal=" " if tied else "")


def _bias(fields: Fields) -> str:
    for name in BIASES:
        if fields.has(name):
            there = fields.flag(name, default=False)
            letters = "qkv" if "qkv" in name else "qkvo"
            what = {"qkv": "queries, keys and values", "qkvo": "all four projections"}[letters]
            fields.assumed.append(f"{name} is about {what}")
            return letters if there else ""
    fields.assumed.append("no field says whether there are biases: none")
    return ""
