"""A configuration of a family that is not known: read by the usual names of fields, and every guess is said."""

from mha.published.attention import Attention, Latent
from mha.published.fields import Fields
from mha.published.model import Group, Model

D_MODEL = ("hidden_size", "n_embd", "d_model", "dim", "n_embed", "hidden_dim", "embed_dim")
LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "depth", "encoder_layers")
HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads", "attention_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "multi_query_group_num")
HEAD_SIZE = ("head_dim", "d_kv", "kv_channels", "attention_head_dim", "d_head")
BIASES = ("attention_bias", "use_bias", "attn_bias", "qkv_bias", "add_qkv_bias", "use_qkv_bias", "bias")


def read(fields: Fields) -> Model:
    """A stack of layers, all alike. Each guess is a sentence in `notes`."""
    d, heads, layers = fields.whole("d_model", *D_MODEL), fields.whole("heads", *HEADS), fields.whole("layers", *LAYERS)
    say = fields.assumed.append
    attention = (_latent if fields.has("kv_lora_rank") else _plain)(fields, d, heads)
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


def _latent(fields: Fields, d: int, heads: int) -> Attention:
    fields.assumed.append("kv_lora_rank is there: latent attention as in DeepSeek-V2")
    rank = fields.whole("rank", "q_lora_rank") if fields.has("q_lora_rank") else None
    nope, rope = fields.whole("head size", "qk_nope_head_dim"), fields.whole("head size", "qk_rope_head_dim")
    latent = Latent(fields.whole("rank", "kv_lora_rank"), rank, nope, rope)
    bias = "qko" if fields.flag("attention_bias", default=False) else ""
    return Attention(d, heads, heads, nope + rope, fields.whole("head size", "v_head_dim"), False, True, bias, latent=latent)
