"""Every `model_type` that is read as transformers builds it. A parity test holds each to the real class."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from mha.published import family, rest, seq2seq
from mha.published.family import Family
from mha.published.fields import Fields
from mha.published.model import Model

MULTIPLE = "ValueError: The hidden size ({d}) is not a multiple of the number of attention heads ({h})"
HIDDEN = "ValueError: `hidden_size` must be divisible by num_heads (got `hidden_size`: {d} and `num_heads`: {h})."
EMBED = "ValueError: `embed_dim` must be divisible by num_heads (got `embed_dim`: {d} and `num_heads`: {h})."
PLAIN = EMBED.replace("`embed_dim` must", "embed_dim must")
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
VIT = Family(bias="o", flag="qkv_bias", flagged="qkv", flag_default=True, cache="")

FAMILIES = {
    "bert": BERT,
    "roberta": replace(BERT, counted_as="RobertaModel"),
    **{name: replace(BERT, rest=None, counted_as="") for name in ("xlm-roberta", "camembert", "deberta-v2")},
    "electra": replace(BERT, refusal=LATER, rest=None, counted_as=""),
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
    "gpt_neo": Family(layers=("num_layers",), heads=("num_heads",), bias="o", refusal=PLAIN),
    "gptj": replace(GPT, refusal=PLAIN.replace("num_heads", "num_attention_heads")),
    "opt": Family(flag="enable_bias", flag_default=True, refusal=PLAIN),
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
    "phi": replace(ROUNDED, bias="qkvo", norm="head", norm_flag="qk_layernorm", rest=None, counted_as=""),
    "phi3": replace(ROUNDED, full_every=1, counted_as="Phi3ForCausalLM"),
    "olmo": replace(ROUNDED, flag="attention_bias", rest=None, counted_as=""),
    "olmo2": replace(ROUNDED, flag="attention_bias", norm="wide", counted_as="Olmo2ForCausalLM"),
    "granite": replace(ROUNDED, flag="attention_bias", counted_as="GraniteForCausalLM"),
    "cohere": replace(ROUNDED, flag="attention_bias", rest=None, counted_as=""),
    "stablelm": replace(
        ROUNDED, head_dim=None, flag="use_qkv_bias", flagged="qkv", rest=None, counted_as="",
        refusal="ValueError: hidden_size must be divisible by num_heads (got `hidden_size`: {d} and `num_heads`: {h}).",
    ),
    "starcoder2": replace(ROUNDED, kv_default=2, flag="use_bias", flag_default=True, full_every=1, rest=None, counted_as=""),
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
}  # fmt: skip

READERS: dict[str, Callable[[Fields], Model]] = {
    **{name: family.read for name, family in FAMILIES.items()},
    "transformer": seq2seq.transformer,
    "formula": Family(kv="pinned", head_dim=0).read,
    **dict.fromkeys(("t5", "mt5", "umt5"), seq2seq.t5),
    "whisper": seq2seq.whisper,
    **dict.fromkeys(("bart", "mbart", "pegasus", "marian", "blenderbot"), seq2seq.bart),
    "deepseek_v2": partial(family.read, refusal=MULTIPLE + ".", counted_as="DeepseekV2ForCausalLM"),
    "deepseek_v3": partial(family.read, refusal="", counted_as="DeepseekV3ForCausalLM"),
    "kimi_k2": partial(family.read, refusal="", counted_as="DeepseekV3ForCausalLM"),
}
#: RobertaForMaskedLM, the class that the blog counted: asked for by `architectures`.
ROBERTA_MASKED = replace(BERT, rest=partial(rest.bert, masked=True), counted_as="RobertaForMaskedLM")
