"""Multi-head latent attention: DeepSeek-V2, DeepSeek-V3 and what is built like them."""

from mha.published.attention import Attention, Latent
from mha.published.fields import Fields, Unreadable
from mha.published.model import Group, Model
from mha.published.rest import latent_experts


def read(fields: Fields, refusal: str, counted_as: str) -> Model:
    """The model of these fields; `q_lora_rank` null or left out: queries come straight out of d_model."""
    d, heads = fields.whole("d_model", "hidden_size"), fields.whole("heads", "num_attention_heads")
    layers = fields.whole("layers", "num_hidden_layers")
    rank = fields.whole("rank", "q_lora_rank") if fields.has("q_lora_rank") else None
    nope, rope = fields.whole("head size", "qk_nope_head_dim"), fields.whole("head size", "qk_rope_head_dim")
    latent = Latent(fields.whole("rank", "kv_lora_rank"), rank, nope, rope)
    bias = "qko" if fields.flag("attention_bias", default=False) else ""
    value = fields.whole("head size", "v_head_dim")
    attention = Attention(d, heads, heads, nope + rope, value, False, True, bias, refusal=refusal, latent=latent)
    attention.check()
    before = after = None
    try:
        before, after = latent_experts(fields, d, layers)
    except Unreadable as fault:
        if fault.found != "no such field":
            raise
        fields.assumed.append(f"{fault.field} is not there: only attention is counted, no total")
    groups, named = (Group("", layers, attention, "self"),), counted_as if before else ""
    return Model(fields.word("model_type"), groups, before, after, 0, named, tuple(fields.assumed))
