"""Every `model_type` that is read as transformers builds it: what it calls its sizes, and what it builds from them.

First all of a model that is not attention, by component: embeddings, feed-forward, norms, output. Then encoder and decoder (the
paper's Transformer, T5, Whisper, BART), with three kinds of modules: encoder, decoder, cross. Then the table of families. A
parity test holds each to the real class.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from mha.published.attention import Attention, Latent
from mha.published.fields import MISSING_FIELD, Fields, UnreadableConfig
from mha.published.model import Group, Model, Part

Parts = tuple[tuple[Part, ...], tuple[Part, ...]]
Rest = Callable[[Fields, int, int], Parts]


def _with_words(fields: Fields, d: int, layers: int, *feed_forward: Part, norms: int = 2, tied: bool = False) -> Parts:
    """As in Llama: word embeddings before; RMS norms after, and an output head of its own unless `tied`."""
    words = fields.whole("vocabulary", "vocab_size") * d
    tied = fields.flag("tie_word_embeddings", default=tied)
    output = () if tied else (Part("LM head", words, 1, "output"),)
    return (Part("word embeddings", words, 1, "embeddings"),), (
        *feed_forward, Part("RMS norms", d, norms * layers, "norms"), Part("last RMS norm", d, 1, "norms"), *output,
    )  # fmt: skip


def gated(fields: Fields, d: int, layers: int, *, norms: int = 2, tied: bool = False) -> Parts:
    """As in Llama: RMS norms, gated feed-forward without biases, head of its own unless `tied`."""
    width = fields.whole("width", "intermediate_size")
    feed_forward = Part("FFN gate, up, down", 3 * d * width, layers, "feed-forward")
    return _with_words(fields, d, layers, feed_forward, norms=norms, tied=tied)


def experts(fields: Fields, d: int, layers: int) -> Parts:
    """Mixtral and Qwen3-MoE: every layer has gated experts and a router."""
    count = fields.whole("experts", "num_local_experts", "num_experts")
    width = fields.whole("width", "moe_intermediate_size", "intermediate_size")
    return _with_words(
        fields, d, layers, Part("experts: gate, up, down", 3 * d * width, layers * count, "feed-forward"),
        Part("routers", d * count, layers, "feed-forward"),
    )  # fmt: skip


def biased_experts(fields: Fields, d: int, layers: int) -> Parts:
    """gpt-oss: gated experts and router, all with biases."""
    count, width = fields.whole("experts", "num_local_experts"), fields.whole("width", "intermediate_size")
    return _with_words(
        fields, d, layers, Part("experts: gate, up, down", 3 * d * width + 2 * width + d, layers * count, "feed-forward"),
        Part("routers", d * count + count, layers, "feed-forward"),
    )  # fmt: skip


def latent_experts(fields: Fields, d: int, layers: int) -> Parts:
    """DeepSeek: some dense layers first, then routed and shared experts."""
    dense = min(fields.whole("layers", "first_k_dense_replace", default=0, least=0), layers)
    routed, shared = fields.whole("experts", "n_routed_experts"), fields.whole("experts", "n_shared_experts", least=0, default=0)
    wide, narrow = fields.whole("width", "intermediate_size"), fields.whole("width", "moe_intermediate_size")
    return _with_words(
        fields, d, layers, Part("FFN of dense layers", 3 * d * wide, dense, "feed-forward"),
        Part("routed experts", 3 * d * narrow, routed * (layers - dense), "feed-forward"),
        Part("shared experts", 3 * d * narrow, shared * (layers - dense), "feed-forward"),
        Part("routers", d * routed, layers - dense, "feed-forward"),
    )  # fmt: skip


def _ffn(d: int, width: int, layers: int) -> tuple[Part, Part]:
    return (
        Part(f"FFN in {d:,} → {width:,}", d * width + width, layers, "feed-forward"),
        Part(f"FFN out {width:,} → {d:,}", d * width + d, layers, "feed-forward"),
    )


def gpt2(fields: Fields, d: int, layers: int) -> Parts:
    """GPT-2 and StarCoder: learnt positions, biases everywhere, head tied to the words."""
    before = (
        Part("word embeddings", fields.whole("vocabulary", "vocab_size") * d, 1, "embeddings"),
        Part("position embeddings", fields.whole("positions", "n_positions", "n_ctx") * d, 1, "embeddings"),
    )
    width = fields.whole("width", "n_inner", default=4 * d)
    return before, (*_ffn(d, width, layers), Part("LayerNorms", 2 * d, 2 * layers + 1, "norms"))


def neox(fields: Fields, d: int, layers: int) -> Parts:
    """GPT-NeoX: biases everywhere, head of its own."""
    words = fields.whole("vocabulary", "vocab_size") * d
    after = (*_ffn(d, fields.whole("width", "intermediate_size"), layers), Part("LayerNorms", 2 * d, 2 * layers + 1, "norms"))
    output = () if fields.flag("tie_word_embeddings", default=False) else (Part("LM head", words, 1, "output"),)
    return (Part("word embeddings", words, 1, "embeddings"),), after + output


def falcon(fields: Fields, d: int, layers: int) -> Parts:
    """Falcon: 4·d_model wide, biases by one switch, one or two norms a layer, head tied to the words."""
    words = Part("word embeddings", fields.whole("vocabulary", "vocab_size") * d, 1, "embeddings")
    width = fields.whole("width", "ffn_hidden_size", default=4 * d)
    bias = fields.flag("bias", default=False)
    two = fields.flag("new_decoder_architecture", default=False) or not fields.flag("parallel_attn", default=True)
    norms = (2 if two else 1) * layers + 1
    feed = Part("FFN in and out", 2 * d * width + (width + d) * bias, layers, "feed-forward")
    return (words,), (feed, Part("LayerNorms", 2 * d, norms, "norms"))


def bert(fields: Fields, d: int, layers: int, masked: bool = False) -> Parts:
    """BERT, RoBERTa with their pooler (BertModel, RobertaModel); `masked`: RobertaForMaskedLM, whose decoder is tied."""
    words, width = fields.whole("vocabulary", "vocab_size"), fields.whole("width", "intermediate_size")
    positions = fields.whole("positions", "max_position_embeddings")
    types = fields.whole("vocabulary", "type_vocab_size", default=2)
    before = (
        Part(f"word embeddings {words:,} × {d:,}", words * d, 1, "embeddings"),
        Part(f"position embeddings {positions:,} × {d:,}", positions * d, 1, "embeddings"),
        Part(f"token-type embeddings {types:,} × {d:,}", types * d, 1, "embeddings"),
        Part("embedding LayerNorm", 2 * d, 1, "norms"),
    )
    output = (
        (Part("pooler", d * d + d, 1, "output"),) if not masked else (
            Part(f"LM head dense {d:,} × {d:,} + {d:,}", d * d + d, 1, "output"),
            Part("LM head LayerNorm", 2 * d, 1, "norms"),
            Part("LM head bias (decoder tied to the words)", words, 1, "output"),
        )
    )  # fmt: skip
    middle = (
        Part("attention LayerNorm", 2 * d, layers, "norms"), *_ffn(d, width, layers),
        Part("FFN LayerNorm", 2 * d, layers, "norms"),
    )  # fmt: skip
    return before, middle + output


def albert(fields: Fields, d: int, layers: int) -> Parts:
    """AlbertModel: narrow embeddings, one block of weights for all layers. `layers`: blocks of weights."""
    narrow, width = fields.whole("width", "embedding_size"), fields.whole("width", "intermediate_size")
    tables = {
        "word embeddings": fields.whole("vocabulary", "vocab_size"),
        "position embeddings": fields.whole("positions", "max_position_embeddings"),
        "token-type embeddings": fields.whole("vocabulary", "type_vocab_size", default=2),
    }
    before = tuple(Part(name, rows * narrow, 1, "embeddings") for name, rows in tables.items())
    return (*before, Part("embedding LayerNorm", 2 * narrow, 1, "norms"), Part("to d_model", narrow * d + d, 1, "embeddings")), (
        Part("FFN in and out", 2 * d * width + width + d, layers, "feed-forward"),
        Part("LayerNorms", 2 * d, 2 * layers, "norms"),
        Part("pooler", d * d + d, 1, "output"),
    )


def modernbert(fields: Fields, d: int, layers: int) -> Parts:
    """ModernBertForMaskedLM: no biases but the decoder's; the first layer has no norm before attention."""
    words, width = fields.whole("vocabulary", "vocab_size"), fields.whole("width", "intermediate_size")
    return (Part("word embeddings", words * d, 1, "embeddings"), Part("embedding norm", d, 1, "norms")), (
        Part("FFN gate, up, down", 3 * d * width, layers, "feed-forward"),
        Part("norms", d, 2 * layers, "norms"),
        Part("LM head dense", d * d, 1, "output"), Part("LM head norm", d, 1, "norms"),
        Part("LM head bias (decoder tied to the words)", words, 1, "output"),
    )  # fmt: skip


def vit(fields: Fields, d: int, layers: int) -> Parts:
    """ViTForImageClassification: patches, one class token, positions for both."""
    patch, width = fields.whole("width", "patch_size"), fields.whole("width", "intermediate_size")
    side, channels = fields.whole("width", "image_size"), fields.whole("width", "num_channels", default=3)
    labels = fields.whole("vocabulary", "num_labels", default=2)
    places = (side // patch) ** 2 + 1
    return (
        Part("patches to d_model", channels * patch * patch * d + d, 1, "embeddings"),
        Part("class token", d, 1, "embeddings"), Part("position embeddings", places * d, 1, "embeddings"),
    ), (
        Part("FFN in and out", 2 * d * width + width + d, layers, "feed-forward"),
        Part("LayerNorms", 2 * d, 2 * layers + 1, "norms"),
        Part("classifier", d * labels + labels, 1, "output"),
    )  # fmt: skip


EMBED_DIM = "ValueError: embed_dim must be divisible by num_heads (got `embed_dim`: {d} and `num_heads`: {h})."

#: The paper's split has no other heads (3.2.2: d_k = d_v = d_model / h); no library raises anything.
PAPER = " "


def _groups(encoder: Attention, decoder: Attention, layers: int, decoder_layers: int) -> tuple[Group, ...]:
    return (
        Group("encoder", layers, encoder),
        Group("decoder", decoder_layers, decoder, "self"),
        Group("cross", decoder_layers, decoder, "cross"),
    )


def _stacks(sizes: list[tuple[str, int, int]], d: int, norm: int, last_norms: int) -> tuple[Part, ...]:
    """Feed-forward and norms of the stacks; `sizes`: label, layers and feed-forward parameters of one layer for each."""
    (_, layers, _), (_, decoder_layers, _) = sizes
    feeds = tuple(Part(f"{label} FFN", each, count, "feed-forward") for label, count, each in sizes)
    return (*feeds, Part("norms", norm, 2 * layers + 3 * decoder_layers + last_norms, "norms"))


def transformer(fields: Fields) -> Model:
    """The paper's own (no biases in attention, as its authors' program has it; embeddings shared by both ends and the output).

    d_k and d_v follow d_model / h unless the configuration has them.
    """
    d, heads, layers = fields.whole("d_model", "d_model"), fields.whole("heads", "h"), fields.whole("layers", "N")
    width, words = fields.whole("width", "d_ff"), fields.whole("vocabulary", "shared_vocab")
    tied = not fields.has("d_k", "d_v")
    d_k, d_v = (fields.whole("head size", name, default=max(d // heads, 1)) for name in ("d_k", "d_v"))
    attention = Attention(d, heads, heads, d_k, d_v, tied, True, refusal=PAPER if tied else "")
    attention.check()
    after = _stacks([(label, layers, 2 * d * width + width + d) for label in ("encoder", "decoder")], d, 2 * d, 0)
    before = (Part("shared embeddings", words * d, 1, "embeddings"),)
    groups = _groups(attention, attention, layers, layers)
    return Model("transformer", groups, before, after, counted_as="the paper's Transformer")


def t5(fields: Fields) -> Model:
    """T5, mT5, UMT5: `d_kv` is a size of its own; one table of relative biases for encoder and decoder each."""
    d, heads = fields.whole("d_model", "d_model"), fields.whole("heads", "num_heads")
    size = fields.whole("head size", "d_kv", default=64, why="(T5's default)")
    layers = fields.whole("layers", "num_layers")
    decoder_layers = fields.whole("layers", "num_decoder_layers", default=layers)
    buckets = fields.whole("width", "relative_attention_num_buckets", default=32)
    attention = Attention(d, heads, heads, size, size, False, True)
    model = Model(fields.word("model_type"), _groups(attention, attention, layers, decoder_layers), buckets=2 * buckets)
    if model.model_type != "t5" or not fields.has("d_ff") or not fields.has("vocab_size"):
        return model
    width, words = fields.whole("width", "d_ff"), fields.whole("vocabulary", "vocab_size")
    each = (3 if fields.word("feed_forward_proj").startswith("gated") else 2) * d * width
    after = _stacks([("encoder", layers, each), ("decoder", decoder_layers, each)], d, d, 2)
    before = (Part("word embeddings (LM head tied)", words * d, 1, "embeddings"),)
    return Model("t5", model.groups, before, after, 2 * buckets, "T5ForConditionalGeneration")


def _two_stacks(fields: Fields, bias: str) -> tuple[int, int, int, tuple[Group, ...]]:
    d = fields.whole("d_model", "d_model")
    layers, decoder_layers = fields.whole("layers", "encoder_layers"), fields.whole("layers", "decoder_layers")

    def attention(field: str) -> Attention:
        heads = fields.whole("heads", field)
        stack = Attention(d, heads, heads, d // heads, d // heads, True, True, bias, refusal=EMBED_DIM)
        stack.check()
        return stack

    encoder, decoder = attention("encoder_attention_heads"), attention("decoder_attention_heads")
    return d, layers, decoder_layers, _groups(encoder, decoder, layers, decoder_layers)


def bart(fields: Fields) -> Model:
    """BART, mBART, Pegasus, Marian, Blenderbot: biases on all four projections. Attention only; the rest is not counted."""
    return Model(fields.word("model_type"), _two_stacks(fields, "qkvo")[3])


def whisper(fields: Fields) -> Model:
    """Whisper: no bias on the keys; two convolutions before the encoder; LM head tied to the words."""
    d, layers, decoder_layers, groups = _two_stacks(fields, "qvo")
    if not fields.has("vocab_size") or not fields.has("encoder_ffn_dim") or not fields.has("decoder_ffn_dim"):
        return Model("whisper", groups)
    mels, words = fields.whole("width", "num_mel_bins", default=80), fields.whole("vocabulary", "vocab_size")
    encoder_positions = fields.whole("positions", "max_source_positions", default=1500)
    decoder_positions = fields.whole("positions", "max_target_positions", default=448)
    sizes = [
        (label, count, 2 * d * (width := fields.whole("width", f"{label}_ffn_dim")) + width + d)
        for label, count in (("encoder", layers), ("decoder", decoder_layers))
    ]
    before = (
        Part("two convolutions", 3 * mels * d + d + 3 * d * d + d, 1, "embeddings"),
        Part("positions, encoder", encoder_positions * d, 1, "embeddings"),
        Part("word embeddings (LM head tied)", words * d, 1, "embeddings"),
        Part("positions, decoder", decoder_positions * d, 1, "embeddings"),
    )
    return Model("whisper", groups, before, _stacks(sizes, d, 2 * d, 2), counted_as="WhisperForConditionalGeneration")


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
EMBED = EMBED_DIM.replace("embed_dim must", "`embed_dim` must")
NEOX = "ValueError: The hidden size is not divisible by the number of attention heads! Make sure to update them!"
#: ALBERT and ELECTRA skip the check, but their W_O is d_model wide on both sides: it fails at its first forward pass.
LATER = "RuntimeError: mat1 and mat2 shapes cannot be multiplied"
GPT = Family(("n_embd", "hidden_size"), ("n_layer", "num_hidden_layers"), ("n_head", "num_attention_heads"))

BERT = Family(bias="qkvo", refusal=MULTIPLE, cache="", rest=bert, counted_as="BertModel")
LLAMA = Family(
    kv="pinned", head_dim=0, flag="attention_bias", refusal=MULTIPLE + ".", even=True, rest=gated,
    counted_as="LlamaForCausalLM",
)  # fmt: skip
ROUNDED = replace(LLAMA, refusal="", even=False, flag="")
GEMMA = replace(
    LLAMA, head_dim=256, even=False, refusal="", kv_default=16, rest=partial(gated, tied=True), counted_as="GemmaForCausalLM"
)
DEEPSEEK = Family(latent=True, rest=latent_experts, counted_as="DeepseekV3ForCausalLM")
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
    "albert": replace(BERT, refusal=LATER, shared_by="num_hidden_groups", rest=albert, counted_as="AlbertModel"),
    "modernbert": Family(
        flag="attention_bias", refusal=MULTIPLE, cache="", rest=modernbert, counted_as="ModernBertForMaskedLM"
    ),
    "vit": replace(VIT, rest=vit, counted_as="ViTForImageClassification"),
    **dict.fromkeys(("deit", "dinov2"), VIT),
    "gpt2": replace(GPT, bias="qkvo", refusal=EMBED, rest=gpt2, counted_as="GPT2LMHeadModel"),
    "gpt_bigcode": replace(
        GPT, kv="multi_query", bias="qkvo", refusal=EMBED, rest=gpt2, counted_as="GPTBigCodeForCausalLM"
    ),
    "gpt_neox": Family(
        flag="attention_bias", flag_default=True, refusal=NEOX, rest=neox, counted_as="GPTNeoXForCausalLM"
    ),
    "gpt_neo": Family(layers=("num_layers",), heads=("num_heads",), bias="o", refusal=EMBED_DIM),
    "gptj": replace(GPT, refusal=EMBED_DIM.replace("num_heads", "num_attention_heads")),
    "opt": Family(flag="enable_bias", flag_default=True, refusal=EMBED_DIM),
    "bloom": Family(
        ("hidden_size", "n_embed"), ("n_layer", "num_hidden_layers"), ("n_head", "num_attention_heads"), bias="qkvo",
        refusal=HIDDEN,
    ),
    "falcon": Family(kv="falcon", flag="bias", refusal=HIDDEN, even=True, rest=falcon, counted_as="FalconForCausalLM"),
    "llama": LLAMA,
    "mistral": replace(LLAMA, kv_default=8, refusal="", flag="", full_every=1, window=4096, counted_as="MistralForCausalLM"),
    "mixtral": replace(
        ROUNDED, kv_default=8, full_every=1, rest=experts, counted_as="MixtralForCausalLM"
    ),
    "qwen2": replace(ROUNDED, kv_default=32, bias="qkv", counted_as="Qwen2ForCausalLM"),
    "qwen3": replace(ROUNDED, kv_default=32, head_dim=128, flag="attention_bias", norm="head", counted_as="Qwen3ForCausalLM"),
    "qwen3_moe": replace(
        ROUNDED, kv_default=4, flag="attention_bias", norm="head", rest=experts, counted_as="Qwen3MoeForCausalLM"
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
        rest=partial(gated, norms=4, tied=True), counted_as="Gemma2ForCausalLM",
    ),
    "gemma3_text": replace(
        GEMMA, refusal=MULTIPLE + ".", kv_default=4, full_every=6, window=4096, norm="head",
        rest=partial(gated, norms=4, tied=True), counted_as="Gemma3ForCausalLM",
    ),
    "gpt_oss": replace(
        ROUNDED, kv_default=8, head_dim=64, flag="attention_bias", flag_default=True, sinks=True, full_every=2, window=128,
        rest=biased_experts, counted_as="GptOssForCausalLM",
    ),
    "deepseek_v2": replace(DEEPSEEK, refusal=MULTIPLE + ".", counted_as="DeepseekV2ForCausalLM"),
    **dict.fromkeys(("deepseek_v3", "kimi_k2"), DEEPSEEK),
}  # fmt: skip

READERS: dict[str, Callable[[Fields], Model]] = {
    **{name: family.read for name, family in FAMILIES.items()},
    "transformer": transformer,
    "formula": Family(kv="pinned", head_dim=0).read,
    **dict.fromkeys(("t5", "mt5", "umt5"), t5),
    "whisper": whisper,
    **dict.fromkeys(("bart", "mbart", "pegasus", "marian", "blenderbot"), bart),
}
#: RobertaForMaskedLM, the class that the blog counted: `architectures` names it.
ROBERTA_MASKED = replace(BERT, rest=partial(bert, masked=True), counted_as="RobertaForMaskedLM")
