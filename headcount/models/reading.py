"""Reader of attention's sizes in a Hugging Face `config.json`. Reads the whole model if fields suffice, otherwise one layer."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from headcount.files.tensors import UnreadableFile, read_json
from headcount.models.attention import MAX_HEADS, Attention, Latent
from headcount.models.entry import Entry, entries
from headcount.models.model import Group, Model
from headcount.text_bounds import MAX_CONFIG_TEXT

#: Names of the fields with sizes, as different libraries spell them.
D_MODEL = ("hidden_size", "n_embd", "d_model", "dim", "n_embed", "hidden_dim", "embed_dim")
LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "depth", "encoder_layers", "N")
HEADS = ("encoder_attention_heads", "num_attention_heads", "n_head", "num_heads", "n_heads", "decoder_attention_heads",
         "attention_heads", "h")  # fmt: skip
#: Names in HEADS that layers without attention (state space models) also use.
SHARED_HEADS = ("num_heads", "n_heads", "h")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "kv_n_heads", "multi_query_group_num")
HEAD_SIZE = ("head_dim", "d_kv", "kv_channels", "attention_head_dim", "attention_key_value_size", "d_head", "attn_head_dim")
VALUE_SIZE = ("v_head_dim", "value_head_dim")
#: Largest sizes that are read. They are far above those of any model, and keep parameter counts readable.
MAX_SIZE, MAX_LAYERS, MAX_WINDOW = 1 << 20, 10_000, 1 << 27
#: Fields of models that also have layers without attention, and fields that give attention another width or shape.
OTHER_LAYERS = re.compile(r"(mamba|ssm|rwkv|lru|conv|linear|state|delta|xlstm|time_mix|wkv)\w*|block_types")
OTHER_SHAPES = ("attention_hidden_size", "block_configs")
#: Fields that change attention in families of the table, but that this module does not read.
UNFOLLOWED = ("add_cross_attention", "qk_layernorm")
WINDOWS = ("sliding_window", "local_attention", "window_size", "attention_chunk_size")
STEPS = ("sliding_window_pattern", "_sliding_window_pattern", "max_window_layers")
BIASES = ("attention_bias", "use_bias", "attn_bias", "qkv_bias", "add_qkv_bias", "use_qkv_bias", "enable_bias", "bias",
          "add_bias_linear", "attention_in_bias")  # fmt: skip
#: For families that are not in the table, one that has the same attention. (Only Whisper's keys have no bias.)
LIKE: dict[str, str] = {
    **dict.fromkeys(("xlm-roberta", "camembert", "distilbert", "electra"), "bert"),
    **dict.fromkeys(("deit", "dinov2", "clip_text_model", "clip_vision_model"), "vit"),
    **dict.fromkeys(("opt", "bloom", "phi"), "gpt2"), **dict.fromkeys(("mt5", "umt5"), "t5"),
    **dict.fromkeys(("bart", "mbart", "marian", "pegasus", "blenderbot"), "whisper"),
    **dict.fromkeys(("qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text"), "qwen2"),
}  # fmt: skip
#: The sizes that may be missing if one layer is read, each with the fields that have them.
UNSAID = {"head size": HEAD_SIZE, "key/value heads": KV_HEADS}
#: Endings of names of classes that have only a part of their family's model.
PARTIAL = ("EncoderModel", "DecoderModel", "Classification", "ForCausalLM")
#: Names of the inner objects of a configuration: of the text model, and of the tower that reads pictures.
TEXTS, TOWER = ("text_config", "llm_config", "language_config"), "vision_config"


def wrong(field: str, allowed: str, value: object) -> UnreadableFile:
    """Makes the error for a wrong value of a field. `allowed`: the rule for the value, such as "must be a text"."""
    return UnreadableFile(f"{field} {allowed}, found {{}}.", json.dumps(value)[:60])


def parse(text: str | bytes) -> Mapping[str, object]:
    """Parses a visitor's JSON object. Raises UnreadableFile for a text that is too long, or that is not a JSON object."""
    return read_json(text, "The file", MAX_CONFIG_TEXT)


class NotSaid(Exception):
    """Error: the configuration does not determine the whole model, so only one layer can be read."""


class Fields:
    """The fields of a configuration. A size can have several names. Raises UnreadableFile if model_type is not a text."""

    def __init__(self, config: Mapping[str, object]):
        self.names, self.get = list(config), config.get
        kind = config.get("model_type")
        if not isinstance(kind, str | None):
            raise wrong("model_type", "must be a text", kind)
        self.kind = kind or ""

    def has(self, *names: str) -> bool:
        """Returns whether at least one of these fields exists and is not null."""
        return any(self.get(name) is not None for name in names)

    def whole(self, *names: str, default: int | None = None, least: int = 1, most: int = MAX_SIZE) -> int:
        """Returns the first value of these fields that is not null. If there is none, returns `default`. Raises UnreadableFile if
        the value is no whole number from `least` to `most`, or if there is neither a value nor a default."""
        if (name := next((name for name in names if self.has(name)), None)) is None:
            if default is None:
                raise UnreadableFile(f"{' or '.join(names)} must be there.")
            return default
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise wrong(name, f"must be a whole number from {least:,} to {most:,}", value)
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """Returns a Boolean field, or `default` if the field is null or missing. Raises UnreadableFile for any other value."""
        value = self.get(name)
        if not isinstance(value, bool | None):
            raise wrong(name, "must be true or false", value)
        return default if value is None else value


def alike(kind: str) -> tuple[Entry, ...]:
    """Lists the models of the table that have the same kind of attention as the family `kind`."""
    rows = (entry for entry in entries().values() if entry.row in ("model", "blog"))
    return tuple(entry for entry in rows if entry.config["model_type"] == LIKE.get(kind, kind) != "transformer")


def read_config(config: Mapping[str, object]) -> Model:
    """Reads the attention of the whole model if its family is in the table and the fields suffice. If not, reads one layer.
    Raises UnreadableFile with the missing or wrong field, and BadHeads if the layer cannot have its number of heads."""
    kind = Fields(config).kind
    text = next((name for name in TEXTS if config.get(name) is not None), None)
    main = config if text is None else _inside(config, text, f"{kind}_text")
    if any(name in config for name in HEADS):
        main, text = config, None
    elif text is None and config.get(TOWER) is not None:
        raise UnreadableFile(f"{TEXTS[0]} must be there, with the sizes of the text model.")
    try:
        groups, buckets = _stack(Fields(main))
        if config.get(TOWER) is not None:
            groups += _tower(_inside(config, TOWER, f"{kind}_vision"))
        elif text:
            raise NotSaid  # a tower that its class takes by default
        classes = config.get("architectures")
        named = str(cast(list[object], classes)[0]) if isinstance(classes, list) and classes else ""
        if len(groups) > 1 and (named.endswith(PARTIAL) or (text and not named)):
            raise NotSaid  # the class may have only a part of these groups
    except NotSaid:
        return _one_layer(Fields(main))
    return Model(kind, tuple(groups), buckets=buckets)


def _tower(tower: Mapping[str, object]) -> list[Group]:
    side, patch = tower.get("image_size"), tower.get("patch_size")
    tokens = (side // patch) ** 2 if isinstance(side, int) and isinstance(patch, int) and side >= patch > 0 else 0
    return [replace(group, tower="vision", cache="", tokens=tokens) for group in _stack(Fields(tower))[0]]


def _one_layer(fields: Fields) -> Model:
    """Reads one layer. If no field gives a head size or the number of key/value heads, it gets the usual value. Raises
    UnreadableFile without a width or a number of heads."""
    other = next((name for name in fields.names if fields.has(name) and OTHER_LAYERS.fullmatch(name)), None)
    if other and not fields.has(*(name for name in HEADS if name not in SHARED_HEADS)):
        raise UnreadableFile(f"{other} is of layers that are no attention, and no field names heads of attention ({HEADS[1]}).")
    d, heads = fields.whole(*D_MODEL), fields.whole(*HEADS, most=MAX_HEADS)
    if fields.has("kv_lora_rank"):
        attention = _latent(fields, d, heads, "")
    else:
        size = fields.whole(*HEAD_SIZE, default=d // heads)
        value = fields.whole(*VALUE_SIZE, default=size)
        kv_heads = fields.whole(*KV_HEADS, default=heads, most=MAX_HEADS)
        attention = Attention(d, heads, kv_heads, size, value, False, False)
    attention.check()
    unsaid = [] if fields.has("kv_lora_rank") else [name for name, spelt in UNSAID.items() if not fields.has(*spelt)]
    shaped = next((name for name in OTHER_SHAPES if fields.has(name)), "")
    return Model(fields.kind, (Group(1, attention),), whole=False, unsaid=(shaped,) if shaped else tuple(unsaid))


def _inside(config: Mapping[str, object], name: str, kind: str) -> Mapping[str, object]:
    """Returns the inner object called `name`. Its `model_type` is `kind` if the object has no such field."""
    if not isinstance(value := config[name], Mapping):
        raise wrong(name, "must be an object", value)
    return {"model_type": kind, **cast(Mapping[str, object], value)}


def _stack(fields: Fields) -> tuple[list[Group], int]:
    """Reads the groups of attention modules, and `Model.buckets`. Raises NotSaid for an unknown family or too few fields."""
    kind, same = fields.kind, alike(fields.kind)
    if not same or any(fields.get(name) for name in UNFOLLOWED):
        raise NotSaid
    d, heads = fields.whole(*D_MODEL), fields.whole(*HEADS, most=MAX_HEADS)
    count = fields.whole(*LAYERS, most=MAX_LAYERS)
    attention = _attention(fields, d, heads, same)
    attention.check()
    if fields.has("decoder_layers", "num_decoder_layers") or len(same[0].groups) == 3:
        found = _two_stacks(fields, attention, count)
    else:
        cache = same[0].groups[0].cache
        if fields.flag("is_decoder") and not cache:
            raise NotSaid  # an encoder used as a decoder
        groups = [fields.whole(name, default=1) for name in ("num_hidden_groups", "inner_group_num")]
        modules = groups[0] * groups[1] if kind == "albert" else count
        found = [Group(modules, attention, cache, count, *_window(fields, same, count))]
    buckets = 0
    if same[0].buckets:
        tables = sum(g.modules for g in found if g.cache != "cross") if kind == "umt5" else 2
        buckets = tables * fields.whole("relative_attention_num_buckets", default=32)
    return found, buckets


def _two_stacks(fields: Fields, attention: Attention, layers: int) -> list[Group]:
    if fields.has("encoder_layers") and not fields.has("decoder_layers"):
        raise NotSaid
    more = fields.whole("decoder_layers", "num_decoder_layers", default=layers, most=MAX_LAYERS)
    heads = fields.whole("decoder_attention_heads", default=attention.heads, most=MAX_HEADS)
    decoder = attention if heads == attention.heads else attention.with_heads(heads)
    return [Group(layers, attention), Group(more, decoder, "self"), Group(more, decoder, "cross")]


def _attention(fields: Fields, d: int, heads: int, same: tuple[Entry, ...]) -> Attention:
    like = same[0].groups[0].attention
    refusal, even = (like.refusal, like.even) if fields.kind not in LIKE else (" ", False)
    if fields.has("kv_lora_rank"):
        return _latent(fields, d, heads, refusal.strip() and refusal)
    kv_heads, follow = _kv_heads(fields, heads, same)
    tied = not fields.has(*HEAD_SIZE)
    size = fields.whole(*HEAD_SIZE, default=d // heads)
    if tied:
        _may_lack(same, HEAD_SIZE)
    refusal = refusal if like.tied else refusal or " "
    bias = _bias(fields, same, "qkvo" if LIKE.get(fields.kind) == "whisper" else like.bias)
    made = Attention(d, heads, kv_heads, size, size, tied, follow, bias, refusal=refusal if tied else "", even=even)
    return replace(made, norm=like.norm, sinks=like.sinks)


def _latent(fields: Fields, d: int, heads: int, refusal: str) -> Attention:
    rank = fields.whole("q_lora_rank") if fields.has("q_lora_rank") else None
    nope, rope, value = (fields.whole(name) for name in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    latent = Latent(fields.whole("kv_lora_rank"), rank, nope, rope)
    bias = "qko" if fields.flag("attention_bias") else ""
    return Attention(d, heads, heads, nope + rope, value, False, True, bias, refusal=refusal, latent=latent)


def _may_lack(same: tuple[Entry, ...], fields: tuple[str, ...]) -> None:
    """Raises NotSaid if every model of the family in the table has one of these fields: the class's default is then unknown."""
    if all(any(entry.config.get(name) is not None for name in fields) for entry in same):
        raise NotSaid


def _kv_heads(fields: Fields, heads: int, same: tuple[Entry, ...]) -> tuple[int, bool]:
    """Reads the number of key/value heads, and whether this number always equals the number of heads."""
    if fields.flag("new_decoder_architecture"):
        return fields.whole(*KV_HEADS, default=heads, most=MAX_HEADS), False
    if fields.has("multi_query", "new_decoder_architecture"):
        one = fields.flag("multi_query")
        return 1 if one else heads, not one and not fields.has("n_head_kv")
    if fields.has(*KV_HEADS):
        return fields.whole(*KV_HEADS, most=MAX_HEADS), all(e.groups[0].attention.kv_follow for e in same)
    _may_lack(same, KV_HEADS)
    if any(entry.groups[0].attention.kv_heads == 1 for entry in same):
        raise NotSaid
    return heads, True


def _bias(fields: Fields, same: tuple[Entry, ...], usual: str) -> str:
    """Returns the letters of "qkvo" that have a bias, by default `usual`. Raises NotSaid if the fields do not determine them."""
    name = next((name for name in BIASES if fields.has(name)), None)
    if name is None:
        _may_lack(same, BIASES)
        return usual
    letters = "qkv" if "qkv" in name else "qkvo"
    if not fields.flag(name):
        return "".join(letter for letter in usual if letter not in letters)
    if not usual:
        raise NotSaid  # the class has none by default: which projections is not said
    return usual


def _window(fields: Fields, same: tuple[Entry, ...], layers: int) -> tuple[int, int]:
    """Reads the number of layers with a sliding window, and the window's length in tokens. If no field lists these layers, a
    model of the family in the table decides. Raises NotSaid if there is no such model, or if a field contradicts it."""
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
        raise NotSaid
    return layers - (layers // step if step else 0), window
