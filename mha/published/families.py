"""Every `model_type` that is read as transformers builds it: what it calls its sizes, and what it builds from them.

A parity test holds each to the real class.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from mha.published import rest, seq2seq
from mha.published.attention import Attention, Latent
from mha.published.fields import MISSING_FIELD, Fields, UnreadableConfig
from mha.published.model import Group, Model, Part
from mha.published.rest import Parts

Rest = Callable[[Fields, int, int], Parts]


@dataclass(frozen=True, slots=True)
class Family:
    """One `model_type`, as transformers 5.23 builds it.

    `kv`: "" (as many key/value heads as heads, always), "pinned" (`num_key_value_heads`; left out: `kv_default`, or as many as
    heads), "multi_query" (one or all), "falcon". `head_dim`: None (always d_model / h), 0 (its own where the field is there),
    or the size that is taken where the field is missing. `bias`: which of "qkvo"; `flag` adds the letters in `flagged`.
    `full_every`: of so many layers one attends in full and the others slide; 1: all slide; 0: none (`window`: where the field
    is missing). `latent`: multi-head latent attention, as in DeepSeek. `shared_by`: the field with the number of blocks of
    weights that all layers share. `rest`: everything else, counted as the class `counted_as`.
    """

    d_model: tuple[str, ...] = ("hidden_size",)
    layers: tuple[str, ...] = ("num_hidden_layers",)
    heads: tuple[str, ...] = ("num_attention_heads",)
    kv: str = ""
    kv_default: int | None = None
    head_dim: int | None = None
    bias: str = ""
    flag: str = ""
    flagged: str = "qkvo"
    flag_default: bool = False
    norm: str = ""
    norm_flag: str = ""
    sinks: bool = False
    refusal: str = ""
    even: bool = False
    cache: str = "self"
    full_every: int = 0
    window: int = 0
    latent: bool = False
    shared_by: str = ""
    rest: Rest | None = None
    counted_as: str = ""

    def read(self, fields: Fields) -> Model:
        """The model of these fields. UnreadableConfig names the field; Refused says why such heads are no layer."""
        d, heads = fields.whole("d_model", *self.d_model), fields.whole("heads", *self.heads)
        layers = fields.whole("layers", *self.layers)
        attention = latent_attention(fields, d, heads, self.refusal) if self.latent else self._attention(fields, d, heads)
        attention.check()
        modules = fields.whole("layers", self.shared_by, default=1) if self.shared_by else layers
        group = Group("", modules, attention, self.cache, layers, *self._window(fields, layers))
        before, after, counted_as = self._rest(fields, d, modules)
        return Model(fields.word("model_type"), (group,), before, after, 0, counted_as, tuple(fields.assumed))

    def _attention(self, fields: Fields, d: int, heads: int) -> Attention:
        kv_heads, follow = self._kv_heads(fields, heads)
        tied = self.head_dim is None or (self.head_dim == 0 and not fields.has("head_dim"))
        size = d // heads if tied else fields.whole("head size", "head_dim", default=self.head_dim or None, why="is the default")
        bias = self.bias + (self.flagged if self.flag and fields.flag(self.flag, default=self.flag_default) else "")
        norm = self.norm if not self.norm_flag or fields.flag(self.norm_flag, default=False) else ""
        return Attention(d, heads, kv_heads, size, size, tied, follow, bias, norm, self.sinks, self.refusal, self.even)

    def _kv_heads(self, fields: Fields, heads: int) -> tuple[int, bool]:
        """Key/value heads, and whether they follow the heads."""
        if self.kv == "pinned":
            if fields.has("num_key_value_heads"):
                return fields.whole("heads", "num_key_value_heads"), False
            if self.kv_default:
                return fields.whole("heads", "num_key_value_heads", default=self.kv_default, why="is the default"), False
        elif self.kv == "falcon" and fields.flag("new_decoder_architecture", default=False):
            if fields.has("num_kv_heads"):
                return fields.whole("heads", "num_kv_heads"), False
        elif self.kv and fields.flag("multi_query", default=True):
            return 1, False
        return heads, True

    def _window(self, fields: Fields, layers: int) -> tuple[int, int]:
        """How many layers slide, and over how many tokens."""
        if not self.full_every:
            return 0, 0
        nothing = fields.raw("sliding_window")[1] is None  # null is none; only left out is the default
        window = 0 if nothing else fields.whole("positions", "sliding_window", default=self.window, least=0)
        name, kinds = fields.raw("layer_types")
        if isinstance(kinds, list):
            listed = cast(list[object], kinds)
            if len(listed) != layers:
                raise UnreadableConfig(name, f"must name {layers} layers", f"a list of {len(listed)}")
            sliding = listed.count("sliding_attention")
        else:
            every = fields.whole("layers", "sliding_window_pattern", default=self.full_every)
            sliding = layers - (layers // every if every > 1 else 0)
        return (sliding, window) if window else (0, 0)

    def _rest(self, fields: Fields, d: int, modules: int) -> tuple[tuple[Part, ...] | None, tuple[Part, ...] | None, str]:
        """Everything but attention and the class that it is counted as; nothing of it where a field that it needs is missing."""
        try:
            return (*self.rest(fields, d, modules), self.counted_as) if self.rest else (None, None, "")
        except UnreadableConfig as fault:
            if fault.actual != MISSING_FIELD:
                raise
            fields.assumed.append(f"{fault.field} is not there: only attention is counted, no total")
            return None, None, ""


def latent_attention(fields: Fields, d: int, heads: int, refusal: str = "") -> Attention:
    """As in DeepSeek; `q_lora_rank` null or missing: queries come straight from d_model."""
    rank = fields.whole("rank", "q_lora_rank") if fields.has("q_lora_rank") else None
    nope, rope = fields.whole("head size", "qk_nope_head_dim"), fields.whole("head size", "qk_rope_head_dim")
    latent = Latent(fields.whole("rank", "kv_lora_rank"), rank, nope, rope)
    bias = "qko" if fields.flag("attention_bias", default=False) else ""
    value = fields.whole("head size", "v_head_dim")
    return Attention(d, heads, heads, nope + rope, value, False, True, bias, refusal=refusal, latent=latent)


MULTIPLE = "ValueError: The hidden size ({d}) is not a multiple of the number of attention heads ({h})"
HIDDEN = "ValueError: `hidden_size` must be divisible by num_heads (got `hidden_size`: {d} and `num_heads`: {h})."
EMBED = seq2seq.EMBED.replace("embed_dim must", "`embed_dim` must")
NEOX = "ValueError: The hidden size is not divisible by the number of attention heads! Make sure to update them!"
#: ALBERT and ELECTRA skip the check, but their W_O is d_model wide on both sides: it fails at its first forward pass.
LATER = "RuntimeError: mat1 and mat2 shapes cannot be multiplied"
GPT = Family(("n_embd", "hidden_size"), ("n_layer", "num_hidden_layers"), ("n_head", "num_attention_heads"))

BERT = Family(bias="qkvo", refusal=MULTIPLE, cache="", rest=rest.bert, counted_as="BertModel")
LLAMA = Family(
    kv="pinned", head_dim=0, flag="attention_bias", refusal=MULTIPLE + ".", even=True, rest=rest.gated,
    counted_as="LlamaForCausalLM",
)  # fmt: skip
ROUNDED = replace(LLAMA, refusal="", even=False, flag="")
GEMMA = replace(
    LLAMA, head_dim=256, even=False, refusal="", kv_default=16, rest=partial(rest.gated, tied=True), counted_as="GemmaForCausalLM"
)
DEEPSEEK = Family(latent=True, rest=rest.latent_experts, counted_as="DeepseekV3ForCausalLM")
VIT = Family(bias="o", flag="qkv_bias", flagged="qkv", flag_default=True, cache="")

FAMILIES = {
    "bert": BERT,
    "roberta": replace(BERT, counted_as="RobertaModel"),
    **{name: replace(BERT, rest=None) for name in ("xlm-roberta", "camembert", "deberta-v2")},
    "electra": replace(BERT, refusal=LATER, rest=None),
    "distilbert": Family(
        ("dim", "hidden_size"), ("n_layers", "num_hidden_layers"), ("n_heads", "num_attention_heads"), bias="qkvo", cache="",
        refusal="ValueError: config.n_heads {h} must divide config.dim {d} evenly",
    ),
    "albert": replace(BERT, refusal=LATER, shared_by="num_hidden_groups", rest=rest.albert, counted_as="AlbertModel"),
    "modernbert": Family(
        flag="attention_bias", refusal=MULTIPLE, cache="", rest=rest.modernbert, counted_as="ModernBertForMaskedLM"
    ),
    "vit": replace(VIT, rest=rest.vit, counted_as="ViTForImageClassification"),
    **dict.fromkeys(("deit", "dinov2"), VIT),
    "gpt2": replace(GPT, bias="qkvo", refusal=EMBED, rest=rest.gpt2, counted_as="GPT2LMHeadModel"),
    "gpt_bigcode": replace(
        GPT, kv="multi_query", bias="qkvo", refusal=EMBED, rest=rest.gpt2, counted_as="GPTBigCodeForCausalLM"
    ),
    "gpt_neox": Family(
        flag="attention_bias", flag_default=True, refusal=NEOX, rest=rest.neox, counted_as="GPTNeoXForCausalLM"
    ),
    "gpt_neo": Family(layers=("num_layers",), heads=("num_heads",), bias="o", refusal=seq2seq.EMBED),
    "gptj": replace(GPT, refusal=seq2seq.EMBED.replace("num_heads", "num_attention_heads")),
    "opt": Family(flag="enable_bias", flag_default=True, refusal=seq2seq.EMBED),
    "bloom": Family(
        ("hidden_size", "n_embed"), ("n_layer", "num_hidden_layers"), ("n_head", "num_attention_heads"), bias="qkvo",
        refusal=HIDDEN,
    ),
    "falcon": Family(kv="falcon", flag="bias", refusal=HIDDEN, even=True, rest=rest.falcon, counted_as="FalconForCausalLM"),
    "llama": LLAMA,
    "mistral": replace(LLAMA, kv_default=8, refusal="", flag="", full_every=1, window=4096, counted_as="MistralForCausalLM"),
    "mixtral": replace(
        ROUNDED, kv_default=8, full_every=1, rest=rest.experts, counted_as="MixtralForCausalLM"
    ),
    "qwen2": replace(ROUNDED, kv_default=32, bias="qkv", counted_as="Qwen2ForCausalLM"),
    "qwen3": replace(ROUNDED, kv_default=32, head_dim=128, flag="attention_bias", norm="head", counted_as="Qwen3ForCausalLM"),
    "qwen3_moe": replace(
        ROUNDED, kv_default=4, flag="attention_bias", norm="head", rest=rest.experts, counted_as="Qwen3MoeForCausalLM"
    ),
    "phi": replace(ROUNDED, bias="qkvo", norm="head", norm_flag="qk_layernorm", rest=None),
    "phi3": replace(ROUNDED, full_every=1, counted_as="Phi3ForCausalLM"),
    "olmo": replace(ROUNDED, flag="attention_bias", rest=None),
    "olmo2": replace(ROUNDED, flag="attention_bias", norm="wide", counted_as="Olmo2ForCausalLM"),
    "granite": replace(ROUNDED, flag="attention_bias", counted_as="GraniteForCausalLM"),
    "cohere": replace(ROUNDED, flag="attention_bias", rest=None),
    "stablelm": replace(
        ROUNDED, head_dim=None, flag="use_qkv_bias", flagged="qkv", rest=None,
        refusal="ValueError: hidden_size must be divisible by num_heads (got `hidden_size`: {d} and `num_heads`: {h}).",
    ),
    "starcoder2": replace(ROUNDED, kv_default=2, flag="use_bias", flag_default=True, full_every=1, rest=None),
    "gemma": GEMMA,
    "gemma2": replace(
        GEMMA, refusal=MULTIPLE + ".", kv_default=4, full_every=2, window=4096,
        rest=partial(rest.gated, norms=4, tied=True), counted_as="Gemma2ForCausalLM",
    ),
    "gemma3_text": replace(
        GEMMA, refusal=MULTIPLE + ".", kv_default=4, full_every=6, window=4096, norm="head",
        rest=partial(rest.gated, norms=4, tied=True), counted_as="Gemma3ForCausalLM",
    ),
    "gpt_oss": replace(
        ROUNDED, kv_default=8, head_dim=64, flag="attention_bias", flag_default=True, sinks=True, full_every=2, window=128,
        rest=rest.biased_experts, counted_as="GptOssForCausalLM",
    ),
    "deepseek_v2": replace(DEEPSEEK, refusal=MULTIPLE + ".", counted_as="DeepseekV2ForCausalLM"),
    **dict.fromkeys(("deepseek_v3", "kimi_k2"), DEEPSEEK),
}  # fmt: skip

READERS: dict[str, Callable[[Fields], Model]] = {
    **{name: family.read for name, family in FAMILIES.items()},
    "transformer": seq2seq.transformer,
    "formula": Family(kv="pinned", head_dim=0).read,
    **dict.fromkeys(("t5", "mt5", "umt5"), seq2seq.t5),
    "whisper": seq2seq.whisper,
    **dict.fromkeys(("bart", "mbart", "pegasus", "marian", "blenderbot"), seq2seq.bart),
}
#: RobertaForMaskedLM, the class that the blog counted: `architectures` names it.
ROBERTA_MASKED = replace(BERT, rest=partial(rest.bert, masked=True), counted_as="RobertaForMaskedLM")
