"""What else a published model changed about attention than its sizes, a layer of its sizes that can be computed, and the model
that so many layers make."""

from mha.config import Config
from mha.cost import too_large
from mha.names import BY_CODE
from mha.published.attention import Attention
from mha.published.model import Group, Model
from mha.switches import NONE, Switches

_ROTARY, _ROTARY_AND_NORM = Switches(rotary="halves"), Switches(rotary="halves", qk_norm="rms")
#: By model_type, as its class in transformers has it; a family that is missing is not known to differ, or differs otherwise.
CHANGED = dict.fromkeys(
    ("llama", "mistral", "mixtral", "gemma", "qwen2", "phi3", "falcon", "gpt_neox", "olmo", "starcoder2", "modernbert"), _ROTARY
) | {
    "gptj": Switches(rotary="pairs"), "qwen3": _ROTARY_AND_NORM, "qwen3_moe": _ROTARY_AND_NORM, "gemma3_text": _ROTARY_AND_NORM,
    "olmo2": Switches(rotary="halves", qk_norm="rms_wide"), "gemma2": Switches(rotary="halves", soft_cap=50.0),
    "gpt_oss": Switches(rotary="halves", sinks=True), "bloom": Switches(alibi=True),
}  # fmt: skip
#: Families whose scores are not divided by √d_k.
UNSCALED = ("t5", "mt5", "umt5", "gpt_neo")
#: Families that turn a part of each head only.
PARTLY = ("gpt_neox", "gptj", "phi", "stablelm")


def changed(model_type: str) -> Switches:
    return CHANGED.get(model_type, NONE)


def computable(attention: Attention, switches: Switches = NONE) -> Config | None:
    """A layer of the module's sizes with as many of its heads as are computed live, each with a key and a value head of its own;
    None where it is another kind of attention, or even one head is too many."""
    if attention.latent or attention.gate:
        return None
    width, key, value = attention.d_model, attention.d_k, attention.d_v
    if any(size > BY_CODE[name].most for name, size in (("d_model", width), ("key_dim", key), ("value_dim", value))):
        return None
    most = min(attention.heads, BY_CODE["num_heads"].most)
    layers = (Config(width, heads, key, value, mask="causal", use_bias="q" in attention.bias) for heads in range(most, 0, -1))
    return next((layer for layer in layers if not too_large(switches.on(layer))), None)


def model_of(layer: Config, layers: int, tied: bool) -> Model:
    """Attention of a model of `layers` such layers. `tied`: other heads share d_model, as in the paper's split. A window without
    a causal mask reaches to both sides."""
    heads, window = layer.num_heads, layer.sliding_window or 0
    attention = Attention(
        layer.d_model, heads, heads, layer.key_dim, layer.value_dim, tied, True, "qkvo" if layer.use_bias else "",
        refusal=" " if tied else "", gate=layer.use_gate,
    )  # fmt: skip
    seen = window if layer.mask == "causal" else max(2 * window - 1, 0)
    return Model("", (Group("", layers, attention, "self", sliding=layers if window else 0, window=seen),))
