"""A Hugging Face `config.json` as a model: text in, sizes out, every fault with its field.

An unknown family is read by the usual names of fields, and every guess is stated.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast

from mha.loading.tensors import UnreadableFile, each_key_once
from mha.published.attention import Attention
from mha.published.families import FAMILIES, Family, latent_attention
from mha.published.fields import Fields, UnreadableConfig, described
from mha.published.model import Group, Model
from mha.published.stacks import STACKS
from mha.published.towers import TOWERS

#: Families that transformers has no class for, built as another one.
SAME_CLASS = {"kimi_k2": "deepseek_v3"}
READERS: dict[str, Callable[[Fields], Model]] = {
    **{name: family.read for name, family in FAMILIES.items()}, **STACKS, **TOWERS, "formula": Family(kv="pinned", own=True).read,
}  # fmt: skip
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
    text = text.removeprefix("\ufeff")  # UTF-8's mark of byte order
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
    says why its heads are no layer."""
    return read_fields(config)[0]


def read_fields(config: Mapping[str, object]) -> tuple[Model, dict[str, object]]:
    """The model, and the few fields that it was read from: read again, they give the same model.

    Every field is followed, or known to change no count, or named in the model: `unfollowed` takes the total away, `ignored` are
    fields that transformers' class does not have.
    """
    kind = config.get("model_type")
    if kind is not None and not isinstance(kind, str):
        raise UnreadableConfig("model_type", "must be a text", described(kind))
    kind = kind or ""
    sizes = any(name in config for name in (*D_MODEL, *HEADS))
    if kind not in READERS and isinstance(config.get("text_config"), Mapping) and not sizes:
        return _text_of_unknown(config)
    fields = Fields(config, SAME_CLASS.get(kind, kind) if kind in READERS else "")
    if kind not in READERS:
        fields.assumed.append("model_type is of a family that is not known here" if kind else "model_type is not there")
    model = READERS.get(kind, _read_unknown)(fields)
    unfollowed = tuple(fields.unfollowed())
    if unfollowed:
        model = replace(model, before=None, after=None, counted_as="")
    named = bool(config.get("architectures")) or kind not in READERS
    left_out = tuple(fields.left_out())
    model = replace(model, unfollowed=unfollowed, ignored=tuple(fields.ignored()), defaults=left_out, named=named)
    return model, fields.kept() | ({"model_type": kind} if kind else {})


def _text_of_unknown(config: Mapping[str, object]) -> tuple[Model, dict[str, object]]:
    """A family that is not known here, around a text model: that one is read, without a total."""
    inner = cast(Mapping[str, object], config["text_config"])
    model, used = read_fields(inner)
    note = "model_type is of a family that is not known here: of it only text_config is counted"
    model = replace(model, before=None, after=None, counted_as="", notes=(note, *model.notes))
    return model, {"model_type": config.get("model_type"), "text_config": used}


def known(model: Model) -> bool:
    """Whether its family is read as transformers builds it; otherwise its notes list the guesses."""
    return model.model_type in READERS and not model.unfollowed


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
