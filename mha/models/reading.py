"""Attention of a Hugging Face `config.json` from the fields that configurations share: text in, sizes out.

What no field says is as in the table's model of that family; what is not known there either is assumed, and said.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from mha.files.tensors import UnreadableFile, read_json
from mha.models.attention import MAX_HEADS, Attention, Latent
from mha.models.model import Group, Model
from mha.models.table import Entry, entries

#: What configurations call the sizes of attention: the spellings that libraries share.
D_MODEL = ("hidden_size", "n_embd", "d_model", "dim", "n_embed", "hidden_dim", "embed_dim")
LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "depth", "encoder_layers", "N")
HEADS = ("encoder_attention_heads", "num_attention_heads", "n_head", "num_heads", "n_heads", "decoder_attention_heads",
         "attention_heads", "h")  # fmt: skip
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "kv_n_heads", "multi_query_group_num")
HEAD_SIZE = ("head_dim", "d_kv", "kv_channels", "attention_head_dim", "attention_key_value_size", "d_head", "attn_head_dim")
#: What sizes may be at most: far above any model, and every count stays a number one can read.
MAX_SIZE, MAX_LAYERS, MAX_WINDOW = 1 << 20, 10_000, 1 << 27
#: Characters of a configuration; the longest published ones, with all their label names, are about 100,000.
MAX_TEXT = 256_000
#: Fields that say of each layer what it is, what they call attention, and fields of models that have other layers as well.
LISTS = ("layer_types", "layers_block_type", "attn_type_list", "hybrid_override_pattern")
ATTENTION = re.compile(r"(?!.*linear).*attention.*|\*|1|attn|full|sliding|hybrid|global")
OTHER_LAYERS = re.compile(
    r"(mamba|ssm|rwkv|lru|conv|linear|state|delta|xlstm|time_mix|wkv)\w*|attn_layer_\w+|block_types|full_attention_interval|"
    r"full_attn_idxs|attention_layers_idx|hybrid_layer_ids"
)
#: Fields that change attention in classes of the table's families and are not followed here.
UNFOLLOWED = ("add_cross_attention", "qk_layernorm")
WINDOWS = ("sliding_window", "local_attention", "window_size", "attention_chunk_size")
STEPS = ("sliding_window_pattern", "_sliding_window_pattern", "max_window_layers")
BIASES = ("attention_bias", "use_bias", "attn_bias", "qkv_bias", "add_qkv_bias", "use_qkv_bias", "enable_bias", "bias",
          "add_bias_linear", "attention_in_bias")  # fmt: skip
#: Families that the table does not have whose attention is that of one that it has; keys have no bias in Whisper alone.
LIKE: dict[str, str] = {
    **dict.fromkeys(("xlm-roberta", "camembert", "distilbert", "electra"), "bert"),
    **dict.fromkeys(("deit", "dinov2", "clip_text_model", "clip_vision_model"), "vit"),
    **dict.fromkeys(("opt", "bloom", "phi"), "gpt2"), **dict.fromkeys(("mt5", "umt5"), "t5"),
    **dict.fromkeys(("bart", "mbart", "marian", "pegasus", "blenderbot"), "whisper"),
    **dict.fromkeys(("qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text"), "qwen2"),
}  # fmt: skip
#: Endings of classes that have a part of their family's model.
PARTIAL = ("EncoderModel", "DecoderModel", "Classification", "ForCausalLM")
#: Objects inside a configuration: of the text, one of these; of pictures.
TEXTS, TOWER = ("text_config", "llm_config", "language_config"), "vision_config"


def wrong(field: str, allowed: str, value: object) -> UnreadableFile:
    """Makes the error for a field: its name, what is allowed, and what stood there, as JSON."""
    return UnreadableFile(f"{field} {allowed}, found {{}}.", json.dumps(value)[:60])


def parse(text: str | bytes) -> Mapping[str, object]:
    """The JSON object that a visitor brings. UnreadableFile where it is too long, no JSON, or no object."""
    return read_json(text, "The file", MAX_TEXT)


class Fields:
    """A configuration's fields by their various names. `assumed`: a sentence for each guess of its reader. UnreadableFile where
    model_type is no text."""

    def __init__(self, config: Mapping[str, object]):
        self.names, self.get = list(config), config.get
        self.assumed: list[str] = []
        kind = config.get("model_type")
        if not isinstance(kind, str | None):
            raise wrong("model_type", "must be a text", kind)
        self.kind = kind or ""

    def has(self, *names: str) -> bool:
        """Whether one of these fields is there and not null."""
        return any(self.get(name) is not None for name in names)

    def whole(self, *names: str, default: int | None = None, least: int = 1, most: int = MAX_SIZE) -> int:
        """Reads the first of these fields that is there, a whole number from `least` to `most`; none of them: `default`.
        UnreadableFile for another value, or where there is no default either."""
        if (name := next((name for name in names if self.has(name)), None)) is None:
            if default is None:
                raise UnreadableFile(f"{' or '.join(names)} must be there.")
            return default
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise wrong(name, f"must be a whole number from {least:,} to {most:,}", value)
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """Reads true or false; `default` where it is null or missing. UnreadableFile for anything else."""
        value = self.get(name)
        if not isinstance(value, bool | None):
            raise wrong(name, "must be true or false", value)
        return default if value is None else value


def alike(kind: str) -> tuple[Entry, ...]:
    """Models of the table whose attention is built as that of this family."""
    rows = (entry for entry in entries().values() if entry.row in ("model", "blog"))
    return tuple(entry for entry in rows if entry.config["model_type"] == LIKE.get(kind, kind) != "transformer")


def read_config(config: Mapping[str, object]) -> Model:
    """Attention of a configuration, without a total. UnreadableFile names the field that is missing or wrong, or that says
    there is no attention; Refused (mha.models.attention) says why its heads are no layer."""
    kind = Fields(config).kind
    text = next((name for name in TEXTS if config.get(name) is not None), None)
    tower = _inside(config, TOWER, f"{kind}_vision") if config.get(TOWER) is not None else None
    main = config if text is None else _inside(config, text, f"{kind}_text")
    if any(name in config for name in HEADS):
        main, text = config, None
    elif text is None and tower is not None:
        raise UnreadableFile(f"{TEXTS[0]} must be there, with the sizes of the text model.")
    groups, notes, buckets = _stack(Fields(main))
    if tower is not None:
        found, more, _ = _stack(Fields(tower))
        side, patch = tower.get("image_size"), tower.get("patch_size")
        tokens = (side // patch) ** 2 if isinstance(side, int) and isinstance(patch, int) and side >= patch > 0 else 0
        groups += [replace(group, tower="vision", cache="", tokens=tokens) for group in found]
        notes += [f"{TOWER}: {note}" for note in more]
    classes = config.get("architectures")
    named = str(cast(list[object], classes)[0]) if isinstance(classes, list) and classes else "no class"
    if len(groups) > 1 and (named.endswith(PARTIAL) or (text and named == "no class")):
        notes.append(f"{named if named.isidentifier() else 'no class'} is named: which parts it has is not known here")
    if text and tower is None:
        notes.append(f"no {TOWER} is there: a tower that its class takes instead is not counted")
    return Model(kind, tuple(groups), buckets=buckets, notes=tuple(dict.fromkeys(notes)))


def _inside(config: Mapping[str, object], name: str, kind: str) -> Mapping[str, object]:
    """The object inside with this name, with a `model_type`, which is `kind` where it names none."""
    if not isinstance(value := config[name], Mapping):
        raise wrong(name, "must be an object", value)
    return {"model_type": kind, **cast(Mapping[str, object], value)}


def _stack(fields: Fields) -> tuple[list[Group], list[str], int]:
    """Groups of attention modules, what was assumed, and rows of T5's tables of biases."""
    kind, same, say = fields.kind, alike(fields.kind), fields.assumed.append
    if not same:
        say("model_type is of a family that the table does not have" if kind else "model_type is not there")
    d = fields.whole(*D_MODEL)
    heads = fields.whole(*HEADS, most=MAX_HEADS)
    count = _attention_layers(fields, fields.whole(*LAYERS, most=MAX_LAYERS))
    attention = _attention(fields, d, heads, same)
    attention.check()
    if fields.has("decoder_layers", "num_decoder_layers") or (same and len(same[0].groups) == 3):
        found = _two_stacks(fields, attention, count)
    else:
        cache = same[0].groups[0].cache if same else "self"
        if same and fields.flag("is_decoder") and not cache:
            say("is_decoder is there: an encoder used as a decoder")
        groups = [fields.whole(name, default=1) for name in ("num_hidden_groups", "inner_group_num")]
        modules = groups[0] * groups[1] if kind == "albert" else count
        found = [Group(modules, attention, cache, count, *_window(fields, same, count))]
    buckets = 0
    if same and same[0].buckets:
        tables = sum(g.modules for g in found if g.cache != "cross") if kind == "umt5" else 2
        buckets = tables * fields.whole("relative_attention_num_buckets", default=32)
    fields.assumed.extend(f"{name} is not followed" for name in UNFOLLOWED if fields.get(name))
    return found, fields.assumed, buckets


def _two_stacks(fields: Fields, attention: Attention, layers: int) -> list[Group]:
    """Encoder, decoder and what the decoder sees of the encoder."""
    more = fields.whole("decoder_layers", "num_decoder_layers", default=layers, most=MAX_LAYERS)
    if fields.has("encoder_layers") and not fields.has("decoder_layers"):
        fields.assumed.append("decoder_layers is not there: as many as the encoder has")
    heads = fields.whole("decoder_attention_heads", default=attention.heads, most=MAX_HEADS)
    decoder = attention if heads == attention.heads else attention.with_heads(heads)
    return [Group(layers, attention), Group(more, decoder, "self"), Group(more, decoder, "cross")]


def _attention_layers(fields: Fields, layers: int) -> int:
    """How many layers have attention. UnreadableFile where none has, or no list says which."""
    for name in LISTS:
        if (value := fields.get(name)) is None:
            continue
        if not isinstance(value, str | list) or not value:
            raise wrong(name, "must be a list with a name for each layer", cast(object, value))
        said = cast(list[object], [*value])
        if not any(attention := [bool(ATTENTION.fullmatch(str(one).lower())) for one in said]):
            raise wrong(name, "must name a layer with attention: this model has none", said[:4])
        return sum(attention)
    other = next((name for name in fields.names if fields.has(name) and OTHER_LAYERS.fullmatch(name)), None)
    if other and not alike(fields.kind) and not fields.kind.endswith(("_audio", "_vision")):
        raise UnreadableFile(f"{other} is of layers that are no attention, and no list says which layers are (layer_types).")
    return layers


def _attention(fields: Fields, d: int, heads: int, same: tuple[Entry, ...]) -> Attention:
    like = same[0].groups[0].attention if same else None
    refusal, even = (like.refusal, like.even) if like and fields.kind not in LIKE else (" ", False)
    if fields.has("kv_lora_rank"):
        return _latent(fields, d, heads, refusal.strip() and refusal)
    kv_heads, follow = _kv_heads(fields, heads, same)
    tied = not fields.has(*HEAD_SIZE)
    size = fields.whole(*HEAD_SIZE, default=d // heads)
    if tied and not _may_lack(same, HEAD_SIZE):
        fields.assumed.append("no head size is named: d_model / heads")
    refusal = (refusal or " ") if like and not like.tied else refusal
    bias = _bias(fields, same, "qkvo" if LIKE.get(fields.kind) == "whisper" else like.bias if like else "")
    made = Attention(d, heads, kv_heads, size, size, tied, follow, bias, refusal=refusal if tied else "", even=even)
    return replace(made, norm=like.norm, sinks=like.sinks) if like else made


def _latent(fields: Fields, d: int, heads: int, refusal: str) -> Attention:
    """Reads multi-head latent attention as in DeepSeek; `q_lora_rank` null or missing: queries come straight from d_model."""
    rank = fields.whole("q_lora_rank") if fields.has("q_lora_rank") else None
    nope, rope, value = (fields.whole(name) for name in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    latent = Latent(fields.whole("kv_lora_rank"), rank, nope, rope)
    bias = "qko" if fields.flag("attention_bias") else ""
    return Attention(d, heads, heads, nope + rope, value, False, True, bias, refusal=refusal, latent=latent)


def _may_lack(same: tuple[Entry, ...], fields: tuple[str, ...]) -> bool:
    """Whether a model of the table leaves these fields out, so that it is known what that means."""
    return any(not any(entry.config.get(name) is not None for name in fields) for entry in same)


def _kv_heads(fields: Fields, heads: int, same: tuple[Entry, ...]) -> tuple[int, bool]:
    """Key/value heads, and whether they are always as many as heads."""
    if fields.flag("new_decoder_architecture"):
        return fields.whole(*KV_HEADS, default=heads, most=MAX_HEADS), False
    if fields.has("multi_query", "new_decoder_architecture"):
        one = fields.flag("multi_query")
        return 1 if one else heads, not one and not fields.has("n_head_kv")
    if fields.has(*KV_HEADS):
        return fields.whole(*KV_HEADS, most=MAX_HEADS), bool(same and all(e.groups[0].attention.kv_follow for e in same))
    if not _may_lack(same, KV_HEADS) or any(entry.groups[0].attention.kv_heads == 1 for entry in same):
        fields.assumed.append("no key/value heads are named: as many as heads")
    return heads, True


def _bias(fields: Fields, same: tuple[Entry, ...], usual: str) -> str:
    """Which of "qkvo" have a bias."""
    name = next((name for name in BIASES if fields.has(name)), None)
    if name is None:
        if not _may_lack(same, BIASES):
            fields.assumed.append("no field says whether there are biases: " + (f"as in {same[0].slug}" if same else "none"))
        return usual
    letters = "qkv" if "qkv" in name else "qkvo"
    if not fields.flag(name):
        return "".join(letter for letter in usual if letter not in letters)
    if not usual:
        fields.assumed.append(f"{name} is about the projections {', '.join(letters).upper()}")
    return usual or letters


def _window(fields: Fields, same: tuple[Entry, ...], layers: int) -> tuple[int, int]:
    """How many layers slide, and over how many tokens; where no list says which do, as in a model of its family."""
    name = next((name for name in WINDOWS if fields.has(name)), None)
    window = 0 if name is None else fields.whole(name, least=0, most=MAX_WINDOW)
    if not window or not fields.flag("use_sliding_window", default=True):
        return 0, 0
    if isinstance(kinds := fields.get("layer_types"), list):
        return sum("sliding" in str(one) or "chunked" in str(one) for one in cast(list[object], kinds)), window
    if fields.has("global_attn_every_n_layers"):  # ModernBERT's, from its first layer on
        return layers - -(-layers // fields.whole("global_attn_every_n_layers")), window
    known = next((group for entry in same for group in entry.groups if group.sliding), None)
    full = known.layers - known.sliding if known else 0
    step = known.layers // full if known and full else None
    if known is None or any(fields.get(one) not in (None, step) for one in STEPS):
        fields.assumed.append(f"no list says which layers have {name}: " + ("all" if known is None else "as in its family"))
    return layers - (layers // step if step else 0), window
