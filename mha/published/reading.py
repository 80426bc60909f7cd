"""Attention of a Hugging Face `config.json` from the fields that configurations share: text in, sizes out.

What no field says of a family is as in the table's model of that family; what is not known there either is assumed, and said.
The total is not read here: the real class counts it (mha.published.real_class).
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import cast

from mha.loading.tensors import UnreadableFile, each_key_once
from mha.published import names
from mha.published.attention import Attention, Latent
from mha.published.fields import Fields, UnreadableConfig, described
from mha.published.model import Group, Model
from mha.published.table import Entry, entries

#: Characters of a configuration; the longest published ones, with all their label names, are about 100,000.
MAX_TEXT = 256_000
#: Fields that say of each layer what it is, and those that only layers without attention have.
LISTS = ("layer_types", "layers_block_type", "attn_type_list", "hybrid_override_pattern", "block_types", "attention_types")
OTHER_LAYERS = r"(mamba|ssm|rwkv|lru|conv|linear|state|delta|xlstm|time_mix|wkv)\w*"
#: Fields that may change attention where nobody has read them, and words in them that say they do not.
TELLING = (
    r"(^|_)(attn|attention|heads?|query|key|kv|qkv?|value|rank|cross|decoder|bias|norm|lora|index|groups?|shar\w*|gate\w*)(_|$)"
)
HARMLESS = re.compile(
    r"drop|prob|implementation|output_|softcap|scal|multiplier|bos_|eos_|token|use_cache|layer_?head|eps|init|_lm_|mlp|expert|"
    r"router|classifier|ffn|conv|max_position|decoder_start|type_vocab|interleav|normalize|norm_topk|fast|feed_forward|vocab|"
    r"softmax|upcast|reorder|attention_window|act|post_norm|norm_first|input_norm|embedding|residual|share_inputs_output|"
    r"num_key_value|tie_|is_encoder_decoder|skip_bias|query_pre_attn|pooler|_ln_|sparse|pad_|forced|layer_norm|norm_type|"
    r"decoder_bias"
)
WINDOWS = ("sliding_window", "local_attention", "window_size", "attention_chunk_size")
#: Families that the table does not have whose attention is that of one that it has.
LIKE: dict[str, str] = {
    **dict.fromkeys(("xlm-roberta", "camembert", "distilbert", "electra"), "bert"),
    **dict.fromkeys(("deit", "dinov2", "clip_text_model", "clip_vision_model", "siglip_vision_model"), "vit"),
    **dict.fromkeys(("opt", "bloom", "phi"), "gpt2"), **dict.fromkeys(("mt5", "umt5"), "t5"),
    **dict.fromkeys(("bart", "mbart", "marian", "pegasus", "blenderbot"), "whisper"),
    **dict.fromkeys(("qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text"), "qwen2"),
}  # fmt: skip
#: Letters of "qkvo" that have a bias in such a family where the other has others.
BIASED: dict[str, str] = dict.fromkeys(("bart", "mbart", "marian", "pegasus", "blenderbot"), "qkvo")
#: Families with a tower for pictures, even where the configuration does not name it.
PICTURED = ("llava", "qwen2_vl", "qwen2_5_vl", "gemma3", "clip", "siglip")
#: Objects inside a configuration: of the text, one of these; of pictures.
TEXTS, TOWER = ("text_config", "llm_config", "language_config"), "vision_config"
UNFOLLOWED = " is not followed"


def parse(text: str) -> Mapping[str, object]:
    """The JSON object in `text`. UnreadableConfig where it is too long, no JSON, or no object."""
    text = text.removeprefix("\ufeff")  # UTF-8's mark of byte order
    if len(text) > MAX_TEXT:
        raise UnreadableConfig("The file", f"must have at most {MAX_TEXT:,} characters", f"{len(text):,}")
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


@cache
def families() -> dict[str, tuple[Entry, ...]]:
    """The table's models by `model_type`."""
    found: dict[str, tuple[Entry, ...]] = {}
    for entry in entries().values():
        kind = str(entry.config["model_type"])
        if entry.row in ("model", "blog") and kind != "transformer":
            found[kind] = (*found.get(kind, ()), entry)
    return found


def read_config(config: Mapping[str, object]) -> Model:
    """Attention of a configuration, without a total. UnreadableConfig names the field that is missing or wrong, or that says
    there is no attention; Refused (mha.published.attention) says why its heads are no layer."""
    kind = _kind(config)
    text = next((name for name in TEXTS if config.get(name) is not None), None)
    tower = _inside(config, TOWER, f"{kind}_vision") if config.get(TOWER) is not None else None
    main = config if text is None else _inside(config, text, f"{kind}_text")
    if any(name in config for name in names.HEADS):
        main, text = config, None
    elif text is None and tower is not None:
        raise UnreadableConfig(TEXTS[0], "must be an object with the sizes of the text model")
    groups, notes, buckets = _stack(Fields(main), _kind(main))
    if tower is not None:
        found, more, _ = _stack(Fields(tower), _kind(tower))
        groups += [replace(g, label="vision", tower="vision", cache="", tokens=_patches(tower)) for g in found]
        notes += [f"{TOWER}: {note}" for note in more]
    named = Fields(config).architecture()
    if (text or tower) and not named.endswith(("ForConditionalGeneration", "Model", "ForCausalLM")):
        notes.append(f"{named or 'no class'} is named: which parts it has is not known here")
    if kind in PICTURED and tower is None:
        notes.append("no vision_config is there: the tower that its class takes instead is not counted")
    return Model(kind, tuple(groups), buckets=buckets, notes=tuple(dict.fromkeys(notes)))


def _inside(config: Mapping[str, object], name: str, kind: str) -> Mapping[str, object]:
    """The object inside with this name, with a `model_type`, which is `kind` where it names none."""
    value = config[name]
    if not isinstance(value, Mapping):
        raise UnreadableConfig(name, "must be an object", described(value))
    return {"model_type": kind, **cast(Mapping[str, object], value)}


def alike(kind: str) -> tuple[Entry, ...]:
    """Models of the table whose attention is built as that of this family."""
    return families().get(LIKE.get(kind, kind), ())


def _kind(config: Mapping[str, object]) -> str:
    kind = config.get("model_type")
    if kind is not None and not isinstance(kind, str):
        raise UnreadableConfig("model_type", "must be a text", described(kind))
    return kind or ""


def _patches(config: Mapping[str, object]) -> int:
    """Tokens of one picture; 0 where its size is not named."""
    side, patch = config.get("image_size"), config.get("patch_size")
    return (side // patch) ** 2 if isinstance(side, int) and isinstance(patch, int) and side >= patch > 0 else 0


def _stack(fields: Fields, kind: str) -> tuple[list[Group], list[str], int]:
    """Groups of attention modules, what was assumed, and rows of T5's tables of biases."""
    same, say = alike(kind), fields.assumed.append
    if not same:
        say("model_type is of a family that the table does not have" if kind else "model_type is not there")
    fields.merge("attn_config")
    d = fields.whole("d_model", *names.D_MODEL)
    heads_at = ("encoder_attention_heads",) if fields.has("encoder_attention_heads") else names.HEADS
    heads = fields.whole("heads", *heads_at)
    count = _attention_layers(fields, fields.whole("layers", *names.LAYERS), kind)
    attention = _attention(fields, d, heads, same, kind)
    attention.check()
    if fields.has("decoder_layers", "num_decoder_layers") or (same and len(same[0].groups) == 3):
        found = _two_stacks(fields, attention, count)
    else:
        sliding, window = _window(fields, same, count)
        cache = same[0].groups[0].cache if same else "self"
        if same and fields.flag("is_decoder") and not cache:
            say("is_decoder is there: an encoder used as a decoder")
        modules = count
        if kind == "albert":
            groups = (fields.whole("layers", name, default=1) for name in ("num_hidden_groups", "inner_group_num"))
            modules = math.prod(groups)
        found = [Group("", modules, attention, cache, count if modules != count else 0, sliding, window)]
    buckets = 0
    if same and same[0].buckets:
        tables = sum(g.modules for g in found if g.cache != "cross") if kind == "umt5" else 2
        buckets = tables * fields.whole("width", "relative_attention_num_buckets", default=32)
    fields.assumed.extend(_unread(fields, same))
    return found, fields.assumed, buckets


def _two_stacks(fields: Fields, attention: Attention, layers: int) -> list[Group]:
    """Encoder, decoder and what the decoder sees of the encoder."""
    more = fields.whole("layers", "decoder_layers", "num_decoder_layers", default=layers)
    if fields.has("encoder_layers") and not fields.has("decoder_layers"):
        fields.assumed.append("decoder_layers is not there: as many as the encoder has")
    heads = fields.whole("heads", "decoder_attention_heads", default=attention.heads)
    decoder = attention
    if heads != attention.heads:
        size = attention.d_model // heads
        decoder = replace(attention, heads=heads, kv_heads=heads, d_k=size, d_v=size)
        decoder.check()
    named = fields.architecture()
    if named.endswith(("EncoderModel", "Classification", "ForCausalLM", "DecoderModel")):
        fields.assumed.append(f"{named} is a part of its family's model, all of which is counted")
    return [Group("encoder", layers, attention), Group("decoder", more, decoder, "self"), Group("cross", more, decoder, "cross")]


def _attention_layers(fields: Fields, layers: int, kind: str) -> int:
    """How many layers have attention. UnreadableConfig where none has, or no field says which."""
    for name in LISTS:
        value = fields.raw(name)
        if value is None or name == "attention_types":
            continue
        said = list(value) if isinstance(value, str) else value
        if not isinstance(said, list) or not said:
            raise UnreadableConfig(name, "must be a list with a name for each layer", described(value))
        said = cast(list[object], said)
        if name == "block_types":  # repeated over all layers
            said = [said[i % len(said)] for i in range(min(layers, 10_000))]
        is_attention = [_is_attention(one) for one in said]
        if not any(is_attention):
            kinds = ", ".join(sorted({str(one)[:20] for one in said})[:4])
            raise UnreadableConfig(name, "must name a layer with attention: this model has none", kinds)
        return sum(is_attention)
    if fields.has("attn_layer_period"):
        period = fields.whole("layers", "attn_layer_period")
        offset = fields.whole("layers", "attn_layer_offset", default=0, least=0)
        return sum(1 for layer in range(layers) if layer % period == offset)
    if fields.has("full_attention_interval"):
        return layers // fields.whole("layers", "full_attention_interval")
    for name in ("attn_layer_indices", "full_attn_idxs", "attention_layers_idx", "hybrid_layer_ids"):
        if fields.has(name):
            return len(fields.wholes(name))
    other = [name for name in fields.names() if re.match(OTHER_LAYERS, name) and fields.has(name)]
    if other and not alike(kind) and not kind.endswith(("_audio", "_vision")):
        raise UnreadableConfig(other[0], "is of layers that are no attention, and no field says which layers are (layer_types)")
    return layers


def _is_attention(said: object) -> bool:
    if isinstance(said, int):
        return said == 1
    name = str(said).lower()
    return ("attention" in name and "linear" not in name) or name in ("*", "attn", "full", "sliding", "hybrid", "global")


def _attention(fields: Fields, d: int, heads: int, same: tuple[Entry, ...], kind: str) -> Attention:
    say = fields.assumed.append
    like = same[0].groups[0].attention if same else None
    refusal, even = (like.refusal, like.even) if like and kind not in LIKE else (" ", False)
    if fields.has("kv_lora_rank"):
        return _latent(fields, d, heads, refusal.strip() and refusal)
    kv_heads, follow = _kv_heads(fields, heads, same)
    tied = not fields.has(*names.HEAD_SIZE)
    if tied:
        if not _may_lack(same, names.HEAD_SIZE):
            say("no head size is named: d_model / heads")
        size = d // heads
    else:
        size = fields.whole("head size", *names.HEAD_SIZE)
    if tied and like and not like.tied:
        refusal = refusal or " "
    bias = _bias(fields, same, BIASED.get(kind, like.bias if like else ""))
    made = Attention(d, heads, kv_heads, size, size, tied, follow, bias, refusal=refusal if tied else "", even=even)
    if like:
        return replace(made, norm=like.norm, sinks=like.sinks)
    return made


def _latent(fields: Fields, d: int, heads: int, refusal: str) -> Attention:
    """As in DeepSeek; `q_lora_rank` null or missing: queries come straight from d_model."""
    rank = fields.whole("rank", "q_lora_rank") if fields.has("q_lora_rank") else None
    nope, rope = fields.whole("head size", "qk_nope_head_dim"), fields.whole("head size", "qk_rope_head_dim")
    for name in (*names.KV_HEADS, *names.HEAD_SIZE, "qk_head_dim"):
        fields.raw(name)  # of no size here
    latent = Latent(fields.whole("rank", "kv_lora_rank"), rank, nope, rope)
    bias = "qko" if fields.flag("attention_bias") else ""
    value = fields.whole("head size", "v_head_dim")
    return Attention(d, heads, heads, nope + rope, value, False, True, bias, refusal=refusal, latent=latent)


def _may_lack(same: tuple[Entry, ...], fields: tuple[str, ...]) -> bool:
    """Whether a model of the table leaves these fields out, so that it is known what that means."""
    return any(not any(entry.config.get(name) is not None for name in fields) for entry in same)


def _kv_heads(fields: Fields, heads: int, same: tuple[Entry, ...]) -> tuple[int, bool]:
    """Key/value heads, and whether they are always as many as heads."""
    if fields.has("multi_query", "new_decoder_architecture"):
        many, new = fields.flag("multi_query"), fields.flag("new_decoder_architecture")
        if new or not many:
            return (fields.whole("heads", *names.KV_HEADS, default=heads), False) if new else (heads, not fields.has("n_head_kv"))
        return 1, False
    if fields.has(*names.KV_HEADS):
        return fields.whole("heads", *names.KV_HEADS), bool(same and all(e.groups[0].attention.kv_follow for e in same))
    if not _may_lack(same, names.KV_HEADS) or any(entry.groups[0].attention.kv_heads == 1 for entry in same):
        fields.assumed.append("no key/value heads are named: as many as heads")
    return heads, True


BIASES = ("attention_bias", "use_bias", "attn_bias", "qkv_bias", "add_qkv_bias", "use_qkv_bias", "enable_bias", "bias",
          "add_bias_linear", "attention_in_bias")  # fmt: skip


def _bias(fields: Fields, same: tuple[Entry, ...], usual: str) -> str:
    """Which of "qkvo" have one."""
    say = fields.assumed.append
    name = next((name for name in BIASES if fields.has(name)), None)
    if name is None:
        if not same:
            say("no field says whether there are biases: none")
        elif not _may_lack(same, BIASES):
            say("no field says whether there are biases: as in " + same[0].slug)
        return usual
    if not fields.flag(name):
        return "".join(letter for letter in usual if letter == "o") if "qkv" in name else ""
    if usual:
        return usual
    letters = "qkv" if "qkv" in name else "qkvo"
    say(f"{name} is about {'queries, keys and values' if letters == 'qkv' else 'all four projections'}")
    return letters


def _window(fields: Fields, same: tuple[Entry, ...], layers: int) -> tuple[int, int]:
    """How many layers slide, and over how many tokens; where no field says which do, as in a model of its family."""
    name = next((name for name in WINDOWS if fields.has(name)), None)
    if name is None or not fields.flag("use_sliding_window", default=True):
        return 0, 0
    window = fields.whole("positions", name, least=0)
    if not window:
        return 0, 0
    kinds = fields.raw("layer_types")
    if isinstance(kinds, list):
        return sum("sliding" in str(one) or "chunked" in str(one) for one in cast(list[object], kinds)), window
    steps = ("sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers")
    if step := next((step for step in steps if fields.has(step)), ""):
        every = fields.whole("layers", step)
        return layers - (-(-layers // every) if step == steps[2] else layers // every), window
    if fields.has("max_window_layers"):
        return layers - min(fields.whole("layers", "max_window_layers", least=0), layers), window
    known = next((group for entry in same for group in entry.groups if group.sliding), None)
    if known is None:
        fields.assumed.append(f"no field says which layers have {name}: all")
        return layers, window
    full = known.layers - known.sliding
    return layers - (layers // (known.layers // full) if full else 0), window


def _unread(fields: Fields, same: tuple[Entry, ...]) -> Iterator[str]:
    """Fields that may change attention and that nobody has read, where the table's models have other values."""
    for name, value in fields.unread():
        if value in (None, False, 0, "", [], {}) and not isinstance(value, bool):
            continue
        if value is False or not re.search(TELLING, name) or HARMLESS.search(name):
            continue
        if not any(entry.config.get(name) == value for entry in same):
            yield f"{name} = {described(value)}{UNFOLLOWED}"
