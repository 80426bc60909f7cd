"""Every `model_type` that is read as transformers builds it: what it calls its sizes, and what it builds from them.

First what a family has besides attention, then the table: one entry for each family, whose `classes` say what stands after the
last layer of each model that `architectures` can name. What a configuration leaves out has the default of its class
(mha.published.fields). A parity test holds every field of every family to the real class.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from mha.published import parts
from mha.published.attention import Attention, Latent
from mha.published.fields import MISSING_FIELD, Fields, UnreadableConfig, described
from mha.published.model import Group, Model, Part
from mha.published.parts import Piece

Parts = tuple[Piece, Piece]
#: What stands before and after attention: the fields, d_model, and how many layers have weights of their own.
Rest = Callable[[Fields, int, int], Parts]


def decoder(
    fields: Fields, d: int, layers: int, *, per_layer: int = 2, last: int = 1, bias: bool = False, feed: str = "gated",
    feed_flag: str = "", feed_bias: bool = False, parallel: str = "",
) -> Parts:  # fmt: skip
    """As in Llama: words before; feed-forward and norms after. `per_layer`, `last`: norms of a layer and at the end, LayerNorms
    where they have a `bias`. `feed`: "gated" or "plain", biases by `feed_flag` or always. `parallel`: a switch that takes one
    norm away."""
    width = fields.whole("width", "intermediate_size")
    with_bias = feed_bias or bool(feed_flag and fields.flag(feed_flag))
    one = parts.gated if feed == "gated" else parts.plain
    fewer = bool(parallel and fields.flag(parallel))
    count = (per_layer - fewer) * layers
    return parts.words(fields, d), (
        *one(d, width, layers, bias=with_bias), *parts.norms(d, count, bias=bias),
        *parts.norms(d, last, bias=bias, label="last LayerNorm" if bias else "last RMS norm"),
    )  # fmt: skip


def sparse_layers(fields: Fields, layers: int) -> int:
    """How many layers have experts: every `decoder_sparse_step`th, but those of `mlp_only_layers`."""
    step, never = fields.whole("layers", "decoder_sparse_step"), set(fields.wholes("mlp_only_layers"))
    return sum(1 for layer in range(layers) if layer not in never and (layer + 1) % step == 0)


def experts(
    fields: Fields, d: int, layers: int, *, count: str, width: str, dense: str = "", shared: str = "", bias: bool = False
) -> Parts:
    """As in Mixtral: gated experts and a router. `dense`: the width of the layers without experts; `shared`: of the expert that
    every token takes, with its gate. `bias`: experts and router have them, as in gpt-oss."""
    number, narrow = fields.whole("experts", count, least=0), fields.whole("width", width)
    wide = fields.whole("width", dense) if dense else 0
    sparse = (sparse_layers(fields, layers) if number else 0) if dense else layers
    more = fields.whole("width", shared) if shared else 0
    routed = parts.experts(d, narrow, number, sparse)
    if bias:
        routed = (
            Part("experts: gate, up, down", 3 * d * narrow + 2 * narrow + d, sparse * number, "feed-forward"),
            Part("routers", d * number + number, sparse, "feed-forward"),
        )
    return parts.words(fields, d), (
        *parts.gated(d, wide, layers - sparse, label="FFN of dense layers"), *routed,
        *(parts.gated(d, more, sparse, label="shared experts") if more else ()),
        *((Part("gates of shared experts", d, sparse, "feed-forward"),) if more and sparse else ()),
        *parts.norms(d, 2 * layers), *parts.norms(d, 1, label="last RMS norm"),
    )  # fmt: skip


def latent_experts(fields: Fields, d: int, layers: int) -> Parts:
    """DeepSeek: some dense layers first, then routed and shared experts."""
    dense = min(fields.whole("layers", "first_k_dense_replace", default=0, least=0), layers)
    routed = fields.whole("experts", "n_routed_experts")
    shared = fields.whole("experts", "n_shared_experts", least=0, default=0)
    wide, narrow = fields.whole("width", "intermediate_size"), fields.whole("width", "moe_intermediate_size")
    bias = "mlp_bias" in fields.known.fields and fields.flag("mlp_bias")
    return parts.words(fields, d), (
        *parts.gated(d, wide, dense, bias=bias, label="FFN of dense layers"),
        *parts.experts(d, narrow, routed, layers - dense, routed="routed experts"),
        *(parts.gated(d, narrow * shared, layers - dense, bias=bias, label="shared experts") if shared else ()),
        *parts.norms(d, 2 * layers), *parts.norms(d, 1, label="last RMS norm"),
    )  # fmt: skip


def gpt2(
    fields: Fields, d: int, layers: int, *, width: str = "n_inner", places: str = "n_positions", kinds: str = ""
) -> Parts:
    """GPT-2, StarCoder, GPT-Neo: learnt positions, LayerNorms and biases; 4·d_model wide where no width is named. `kinds`: a
    field that says how far the layers look, which is of no size."""
    if kinds:
        fields.raw(kinds)
    before = (*parts.words(fields, d), *parts.positions(fields, d, places))
    wide = fields.whole("width", width, default=4 * d)
    crossed = _crossed(fields, "add_cross_attention")
    return before, (
        *parts.plain(d, wide, layers), *parts.norms(d, (3 if crossed else 2) * layers + 1, bias=True),
    )  # fmt: skip


def gptj(fields: Fields, d: int, layers: int) -> Parts:
    """GPT-J: one LayerNorm a layer."""
    wide = fields.whole("width", "n_inner", default=4 * d)
    return parts.words(fields, d), (*parts.plain(d, wide, layers), *parts.norms(d, layers + 1, bias=True))


def bloom(fields: Fields, d: int, layers: int) -> Parts:
    """BLOOM: a norm after the embeddings, 4·d_model wide."""
    before = (*parts.words(fields, d), *parts.norms(d, 1, bias=True, label="embedding LayerNorm"))
    return before, (*parts.plain(d, 4 * d, layers), *parts.norms(d, 2 * layers + 1, bias=True))


def opt(fields: Fields, d: int, layers: int) -> Parts:
    """OPT: two more positions than are named; words may be narrower than d_model; norms with or without numbers."""
    narrow = fields.whole("d_model", "word_embed_proj_dim", default=d)
    projections = (Part("words to d_model and back", narrow * d, 2, "embeddings"),) if narrow != d else ()
    before = (*parts.words(fields, narrow), *parts.positions(fields, d, "max_position_embeddings", more=2), *projections)
    bias, numbers = fields.flag("enable_bias"), fields.flag("layer_norm_elementwise_affine")
    final = fields.flag("do_layer_norm_before") and not fields.flag("_remove_final_layer_norm")
    wide = fields.whole("width", "ffn_dim")
    count = 2 * layers + final if numbers else 0
    return before, (*parts.plain(d, wide, layers, bias=bias), *parts.norms(d, count, bias=True))


def falcon(fields: Fields, d: int, layers: int) -> Parts:
    """Falcon: 4·d_model wide, biases by one switch, one or two norms a layer."""
    width = fields.whole("width", "ffn_hidden_size", default=4 * d)
    new, parallel = fields.flag("new_decoder_architecture"), fields.flag("parallel_attn")
    named = fields.whole("layers", "num_ln_in_parallel_attn", default=2 if new else 1, least=0)
    two = named == 2 or not parallel
    return parts.words(fields, d), (
        *parts.plain(d, width, layers, bias=fields.flag("bias")), *parts.norms(d, (2 if two else 1) * layers + 1, bias=True),
    )  # fmt: skip


def bert(fields: Fields, d: int, layers: int, *, narrow: str = "", always: bool = False) -> Parts:
    """BERT: three tables and a norm before; LayerNorms after attention and feed-forward. `narrow`: the width of the tables, with
    a projection to d_model where it is another, or `always`."""
    table = fields.whole("width", narrow) if narrow else d
    up = (Part("embeddings to d_model", table * d + d, 1, "embeddings"),) if table != d or always else ()
    width = fields.whole("width", "intermediate_size")
    count = 2 if _crossed(fields, "add_cross_attention") else 1
    return (*parts.bert_tables(fields, table), *up), (
        *parts.norms(d, count * layers, bias=True, label="attention LayerNorm"),
        Part(f"FFN in {d:,} → {width:,}", d * width + width, layers, "feed-forward"),
        Part(f"FFN out {width:,} → {d:,}", d * width + d, layers, "feed-forward"),
        *parts.norms(d, layers, bias=True, label="FFN LayerNorm"),
    )  # fmt: skip


def distilbert(fields: Fields, d: int, layers: int) -> Parts:
    """DistilBERT: no token types."""
    width = fields.whole("width", "hidden_dim")
    return parts.bert_tables(fields, d, types=False), (*parts.plain(d, width, layers), *parts.norms(d, 2 * layers, bias=True))


def deberta(fields: Fields, d: int, layers: int) -> Parts:
    """DeBERTa-v2 and v3: distances as a table of their own; positions and token types only where they are added to the words."""
    narrow = fields.whole("width", "embedding_size", default=d)
    tables = [parts.words(fields, narrow)]
    if fields.flag("position_biased_input"):
        tables.append(parts.positions(fields, narrow, "max_position_embeddings"))
    if types := fields.whole("vocabulary", "type_vocab_size", least=0):
        tables.append((Part("token-type embeddings", types * narrow, 1, "embeddings"),))
    up = (Part("embeddings to d_model", narrow * d, 1, "embeddings"),) if narrow != d else ()
    before = (*(part for table in tables for part in table), *up, *parts.norms(d, 1, bias=True, label="embedding LayerNorm"))
    distances: Piece = ()
    if fields.flag("relative_attention"):
        named = fields.raw("max_relative_positions")[1]
        far = fields.whole("positions", "max_position_embeddings") if not isinstance(named, int) or named < 1 else named
        buckets = fields.raw("position_buckets")[1]
        far = int(buckets) if isinstance(buckets, int) and buckets > 0 else far
        distances = (Part("table of distances", 2 * far * d, 1, "embeddings"),)
    normed = "layer_norm" in fields.word("norm_rel_ebd", "none").lower().split("|")
    if normed and distances:
        distances = (*distances, *parts.norms(d, 1, bias=True, label="LayerNorm of distances"))
    width = fields.whole("width", "intermediate_size")
    return (*before, *distances), (*parts.plain(d, width, layers), *parts.norms(d, 2 * layers, bias=True))


def modernbert(fields: Fields, d: int, layers: int) -> Parts:
    """ModernBERT: gated, norms with or without biases; the first layer has no norm before attention."""
    bias, width = fields.flag("norm_bias"), fields.whole("width", "intermediate_size")
    before = (*parts.words(fields, d), *parts.norms(d, 1, bias=bias, label="embedding norm"))
    return before, (
        *parts.gated(d, width, layers, bias=fields.flag("mlp_bias")),
        *parts.norms(d, 2 * layers, bias=bias, label="norms"),
    )  # fmt: skip


def xlnet(fields: Fields, d: int, layers: int) -> Parts:
    """XLNet: a vector for what is masked; the norm of attention stands among its own."""
    before = (*parts.words(fields, d), Part("vector of a masked word", d, 1, "embeddings"))
    wide = fields.whole("width", "d_inner")
    return before, (*parts.plain(d, wide, layers), *parts.norms(d, 2 * layers, bias=True))


def vit(fields: Fields, d: int, layers: int, *, tokens: int = 1) -> Parts:
    """ViT and DeiT: patches, class token (and DeiT's second one), positions for all."""
    patch, width = fields.whole("width", "patch_size"), fields.whole("width", "intermediate_size")
    side, channels = fields.whole("width", "image_size"), fields.whole("width", "num_channels")
    places = (side // patch) ** 2 + tokens
    return (
        Part("patches to d_model", channels * patch * patch * d + d, 1, "embeddings"),
        Part("class token" if tokens == 1 else "class and distillation token", d, tokens, "embeddings"),
        Part("position embeddings", places * d, 1, "embeddings"),
    ), (*parts.plain(d, width, layers), *parts.norms(d, 2 * layers + 1, bias=True))  # fmt: skip


def dinov2(fields: Fields, d: int, layers: int) -> Parts:
    """DINOv2: a token for what is masked, a scale after attention and feed-forward of each layer."""
    patch, side, channels = (fields.whole("width", name) for name in ("patch_size", "image_size", "num_channels"))
    wide = d * fields.whole("width", "mlp_ratio")
    gate = (int(wide * 2 / 3) + 7) // 8 * 8
    swiglu = Part("FFN gate, up, down", 3 * d * gate + 2 * gate + d, layers, "feed-forward")
    mask = (Part("token of what is masked", d, 1, "embeddings"),) if fields.flag("use_mask_token") else ()
    return (
        Part("patches to d_model", channels * patch * patch * d + d, 1, "embeddings"), Part("class token", d, 1, "embeddings"),
        *mask, Part("position embeddings", ((side // patch) ** 2 + 1) * d, 1, "embeddings"),
    ), (
        *((swiglu,) if fields.flag("use_swiglu_ffn") else parts.plain(d, wide, layers)),
        Part("scales of layers", d, 2 * layers, "norms"), *parts.norms(d, 2 * layers + 1, bias=True),
    )  # fmt: skip


def jamba(fields: Fields, d: int, layers: int) -> Parts:
    """Jamba: every layer has a feed-forward or experts; those without attention have a state-space mixer (Mamba)."""
    every, first = fields.whole("layers", "expert_layer_period"), fields.whole("layers", "expert_layer_offset", least=0)
    number, width = fields.whole("experts", "num_experts"), fields.whole("width", "intermediate_size")
    sparse = sum(1 for layer in range(layers) if layer % every == first) if number > 1 else 0
    mixers = layers - jamba_attention(fields, layers)
    wide, state = d * fields.whole("width", "mamba_expand"), fields.whole("width", "mamba_d_state")
    rank = -(-d // 16) if fields.raw("mamba_dt_rank")[1] == "auto" else fields.whole("rank", "mamba_dt_rank")
    bias = fields.flag("mamba_proj_bias")
    mixer = (
        2 * d * wide + wide * d + bias * (2 * wide + d)
        + wide * (fields.whole("width", "mamba_d_conv") + fields.flag("mamba_conv_bias"))
        + wide * (rank + 2 * state) + rank * wide + wide + wide * state + wide + rank + 2 * state
    )  # fmt: skip
    return parts.words(fields, d), (
        *((Part("state-space mixers (no attention)", mixer, mixers, "mixer"),) if mixers else ()),
        *parts.gated(d, width, layers - sparse, label="FFN of dense layers"), *parts.experts(d, width, number, sparse),
        *parts.norms(d, 2 * layers), *parts.norms(d, 1, label="last RMS norm"),
    )  # fmt: skip


def jamba_attention(fields: Fields, layers: int) -> int:
    """How many layers have attention."""
    every, first = fields.whole("layers", "attn_layer_period"), fields.whole("layers", "attn_layer_offset", least=0)
    return sum(1 for layer in range(layers) if layer % every == first)


def qwen3_next(fields: Fields, d: int, layers: int) -> Parts:
    """Qwen3-Next: experts as in Qwen2-MoE; layers without attention have a gated delta rule, which is linear attention."""
    before, after = experts(
        fields, d, layers, count="num_experts", width="moe_intermediate_size", dense="intermediate_size",
        shared="shared_expert_intermediate_size",
    )  # fmt: skip
    keys = fields.whole("heads", "linear_num_key_heads") * fields.whole("head size", "linear_key_head_dim")
    heads, size = fields.whole("heads", "linear_num_value_heads"), fields.whole("head size", "linear_value_head_dim")
    wide = heads * size
    mixer = (
        d * (2 * keys + 2 * wide) + d * 2 * heads + (2 * keys + wide) * fields.whole("width", "linear_conv_kernel_dim")
        + 2 * heads + size + wide * d
    )  # fmt: skip
    linear = layers - full_layers(fields, layers, "full_attention_interval", 4)
    return before, (*((Part("linear attention (no softmax)", mixer, linear, "mixer"),) if linear else ()), *after)


def full_layers(fields: Fields, layers: int, every: str, usual: int) -> int:
    """How many layers have full attention: those that `layer_types` names, or every so many."""
    kinds = layer_types(fields, layers)
    if kinds is not None:
        return layers - kinds.count("linear_attention")
    return layers // fields.whole("layers", every, default=usual)


def layer_types(fields: Fields, layers: int) -> list[object] | None:
    """A word for each layer, where they are named."""
    name, kinds = fields.raw("layer_types")
    if not isinstance(kinds, list):
        return None
    listed = cast(list[object], kinds)
    if len(listed) != layers:
        raise UnreadableConfig(name, f"must name {layers} layers", f"a list of {len(listed)}")
    return listed


def _crossed(fields: Fields, name: str) -> bool:
    return name in fields.known.fields and fields.flag(name)


@dataclass(frozen=True, slots=True)
class Family:
    """One `model_type`, as transformers 5.23 builds it.

    `kv`: "" (as many key/value heads as heads, always), "pinned" (`num_key_value_heads`; null: as many as heads), "multi_query"
    (one or all), "falcon". `own`: d_k is `head_dim` where that is named; otherwise always d_model / h. `bias`: which of "qkvo";
    `flag` adds the letters in `flagged`. `norm`: as in Attention, only where `norm_flag` (if any) is set. `slides`: how layers
    slide, "" (none), "all" (where `sliding_window` is there), "some" (by `layer_types`, or all but every `full_every`th),
    "late" (those after `max_window_layers`, where `use_sliding_window`). `latent`: multi-head latent attention, as in DeepSeek.
    `shared_by`: fields whose product is the number of blocks of weights that all layers share. `some`: how many layers have
    attention at all. `rest`: everything else. `prefix` and `classes`: a class's name and what stands after its last layer
    (mha.published.parts.ENDINGS); `usual`: the class that is counted where none is named. `crossed`: the switch that gives every
    layer a second module over an encoder.
    """

    d_model: tuple[str, ...] = ("hidden_size",)
    layers: tuple[str, ...] = ("num_hidden_layers",)
    heads: tuple[str, ...] = ("num_attention_heads",)
    kv: str = ""
    own: bool = False
    bias: str = ""
    flag: str = ""
    flagged: str = "qkvo"
    norm: str = ""
    norm_flag: str = ""
    sinks: bool = False
    gate: bool = False
    relative: bool = False
    distances: bool = False
    refusal: str = ""
    even: bool = False
    cache: str = "self"
    slides: str = ""
    full_every: int = 0
    latent: bool = False
    shared_by: tuple[str, ...] = ()
    some: Callable[[Fields, int], int] | None = None
    rest: Rest | None = None
    prefix: str = ""
    usual: str = ""
    classes: Mapping[str, str] | None = None
    crossed: str = ""

    def read(self, fields: Fields, kind: str | None = None) -> Model:
        """The model of these fields, as the class `kind` where that is given. UnreadableConfig names the field; Refused says why
        such heads are no layer."""
        d, heads = fields.whole("d_model", *self.d_model), fields.whole("heads", *self.heads)
        layers = fields.whole("layers", *self.layers)
        attention = latent_attention(fields, d, heads, self.refusal) if self.latent else self._attention(fields, d, heads)
        attention.check()
        with_attention = self.some(fields, layers) if self.some else layers
        modules = with_attention
        if self.shared_by:
            modules = 1
            for name in self.shared_by:
                modules *= fields.whole("layers", name)
        groups = [Group("", modules, attention, self.cache, with_attention, *self._window(fields, layers))]
        if self.crossed and fields.flag(self.crossed):
            groups.append(Group("cross", modules, attention, "cross", layers))
        kind = kind or self._counted_as(fields)
        before, after = self._rest(fields, d, modules if self.shared_by else layers, kind)
        counted = "" if before is None else self.prefix + (kind or "")
        return Model(
            fields.word("model_type"), tuple(groups), before, after, counted_as=counted, notes=tuple(fields.assumed)
        )

    def _counted_as(self, fields: Fields) -> str | None:
        """The class without the family's prefix; None where the one that is named is not counted."""
        named = architecture(fields)
        if named is None:
            return self.usual
        kind = named.removeprefix(self.prefix)
        if self.classes is not None and kind in self.classes and named in fields.known.classes:
            return kind
        fields.assumed.append(not_counted(fields, named))
        return None

    def _attention(self, fields: Fields, d: int, heads: int) -> Attention:
        kv_heads, follow = self._kv_heads(fields, heads)
        tied = not self.own or not fields.has("head_dim")
        size = d // heads if tied else fields.whole("head size", "head_dim")
        bias = self.bias + (self.flagged if self.flag and fields.flag(self.flag) else "")
        norm = self.norm if not self.norm_flag or fields.flag(self.norm_flag) else ""
        if norm == "head with bias" and size != d // heads:
            raise UnreadableConfig("head_dim", "must be d_model / heads where queries and keys are normed", f"{size}")
        distances = distance_letters(fields) if self.distances else ""
        return Attention(
            d, heads, kv_heads, size, size, tied, follow, bias, norm, self.sinks, self.refusal, self.even,
            gate=self.gate, relative=self.relative, distances=distances,
        )  # fmt: skip

    def _kv_heads(self, fields: Fields, heads: int) -> tuple[int, bool]:
        """Key/value heads, and whether they follow the heads."""
        if self.kv == "pinned":
            if fields.has("num_key_value_heads"):
                return fields.whole("heads", "num_key_value_heads"), False
        elif self.kv == "falcon" and fields.flag("new_decoder_architecture"):
            if fields.has("num_kv_heads"):
                return fields.whole("heads", "num_kv_heads"), False
        elif self.kv and fields.flag("multi_query"):
            return 1, False
        return heads, True

    def _window(self, fields: Fields, layers: int) -> tuple[int, int]:
        """How many layers slide, and over how many tokens."""
        if not self.slides:
            return 0, 0
        window = fields.whole("positions", "sliding_window", default=0, least=0)
        if self.slides == "all":
            return (layers, window) if window else (0, 0)
        if self.slides == "late" and not fields.flag("use_sliding_window"):
            window = 0
        kinds = layer_types(fields, layers) if fields.known.default("layer_types") is None else None
        if kinds is not None:
            sliding = kinds.count("sliding_attention")
        elif self.slides == "late":
            sliding = layers - min(fields.whole("layers", "max_window_layers", least=0, default=0), layers)
        else:
            every = fields.whole("layers", "sliding_window_pattern", default=self.full_every)
            sliding = layers - layers // every
        return (sliding, window) if window else (0, 0)

    def _rest(self, fields: Fields, d: int, layers: int, kind: str | None) -> tuple[Piece | None, Piece | None]:
        """Everything but attention; nothing of it where the class is not counted or a field that it needs is missing."""
        if not self.rest or self.classes is None:
            return None, None
        try:
            before, after = self.rest(fields, d, layers)
            end = parts.ending(self.classes[kind or self.usual], fields, d)
        except UnreadableConfig as fault:
            if fault.actual != MISSING_FIELD:
                raise
            fields.assumed.append(f"{fault.field} is not there: only attention is counted, no total")
            return None, None
        return (before, (*after, *end)) if kind is not None else (None, None)


def architecture(fields: Fields) -> str | None:
    """The class that the configuration names first; None where it names none."""
    name, named = fields.raw("architectures")
    if named is None or not isinstance(named, (list, str)):
        if isinstance(named, (int, float, dict)):
            raise UnreadableConfig(name, "must be a list of names", described(cast(object, named)))
        return None
    first = named if isinstance(named, str) else next(iter(cast(list[object], named)), None)
    if first is None:
        return None
    if not isinstance(first, str) or not first.replace("_", "").isalnum() or len(first) > 99:
        raise UnreadableConfig(name, "must be a list of names of classes", described(first))
    return first


def not_counted(fields: Fields, named: str) -> str:
    """Why a class gets no total."""
    if fields.known.classes and named not in fields.known.classes:
        return f"transformers builds no {named} from this configuration, so there is no total"
    return f"{named} is not counted here: the attention is that of its family's usual class, and there is no total"


def distance_letters(fields: Fields) -> str:
    """DeBERTa: "k" where queries look at positions (c2p) and "q" where keys do (p2c), if these have projections of their own."""
    kinds = fields.raw("pos_att_type")[1]
    named = kinds.split("|") if isinstance(kinds, str) else cast(list[object], kinds) if isinstance(kinds, list) else []
    if not fields.flag("relative_attention") or fields.flag("share_att_key"):
        return ""
    return ("k" if "c2p" in named else "") + ("q" if "p2c" in named else "")


def latent_attention(fields: Fields, d: int, heads: int, refusal: str = "") -> Attention:
    """As in DeepSeek; `q_lora_rank` null or missing: queries come straight from d_model."""
    rank = fields.whole("rank", "q_lora_rank") if fields.has("q_lora_rank") else None
    nope, rope = fields.whole("head size", "qk_nope_head_dim"), fields.whole("head size", "qk_rope_head_dim")
    latent = Latent(fields.whole("rank", "kv_lora_rank"), rank, nope, rope)
    bias = "qko" if fields.flag("attention_bias") else ""
    value = fields.whole("head size", "v_head_dim")
    return Attention(d, heads, heads, nope + rope, value, False, True, bias, refusal=refusal, latent=latent)


MULTIPLE = "ValueError: The hidden size ({d}) is not a multiple of the number of attention heads ({h})"
HIDDEN = "ValueError: `hidden_size` must be divisible by num_heads (got `hidden_size`: {d} and `num_heads`: {h})."
EMBED_DIM = "ValueError: embed_dim must be divisible by num_heads (got `embed_dim`: {d} and `num_heads`: {h})."
EMBED = EMBED_DIM.replace("embed_dim must", "`embed_dim` must")
NEOX = "ValueError: The hidden size is not divisible by the number of attention heads! Make sure to update them!"
#: ALBERT and ELECTRA skip the check, but their W_O is d_model wide on both sides: it fails at its first forward pass.
LATER = "RuntimeError: mat1 and mat2 shapes cannot be multiplied"

CAUSAL = {
    "Model": "", "ForCausalLM": "LM head", "ForSequenceClassification": "score", "ForTokenClassification": "labels",
    "ForQuestionAnswering": "span",
}  # fmt: skip
TWO_LABELS = {"ForTokenClassification": "labels", "ForQuestionAnswering": "labels"}
BERT_CLASSES = TWO_LABELS | {
    "Model": "pooler", "ForMaskedLM": "BERT LM", "LMHeadModel": "BERT LM", "ForPreTraining": "pooler+BERT LM+pair",
    "ForNextSentencePrediction": "pooler+pair", "ForSequenceClassification": "pooler+labels", "ForMultipleChoice": "pooler+one",
}  # fmt: skip
ROBERTA_CLASSES = TWO_LABELS | {
    "Model": "pooler", "ForMaskedLM": "BERT LM", "ForCausalLM": "BERT LM", "ForSequenceClassification": "dense+labels",
    "ForMultipleChoice": "pooler+one",
}  # fmt: skip

VIT_CLASSES = {"Model": "ViT pooler", "ForImageClassification": "labels"}

BERT = Family(
    bias="qkvo", refusal=MULTIPLE, cache="", rest=bert, prefix="Bert", usual="Model", classes=BERT_CLASSES,
    crossed="add_cross_attention",
)  # fmt: skip
ROBERTA = replace(BERT, prefix="Roberta", classes=ROBERTA_CLASSES)
GPT = Family(
    ("n_embd",), ("n_layer",), ("n_head",), bias="qkvo", refusal=EMBED, rest=gpt2, crossed="add_cross_attention",
)  # fmt: skip
LLAMA = Family(
    kv="pinned", own=True, flag="attention_bias", refusal=MULTIPLE + ".", even=True,
    rest=partial(decoder, feed_flag="mlp_bias"), prefix="Llama", usual="ForCausalLM", classes=CAUSAL,
)  # fmt: skip
ROUNDED = replace(LLAMA, refusal="", even=False, flag="", rest=decoder)
GEMMA = replace(LLAMA, even=False, refusal="", rest=decoder, prefix="Gemma")
DEEPSEEK = Family(latent=True, rest=latent_experts, prefix="DeepseekV3", usual="ForCausalLM", classes=CAUSAL)
VIT = Family(
    bias="o", flag="qkv_bias", flagged="qkv", cache="", rest=vit, prefix="ViT", usual="ForImageClassification",
    classes=VIT_CLASSES,
)  # fmt: skip
QWEN_EXPERTS = partial(experts, count="num_experts", width="moe_intermediate_size", dense="intermediate_size")
SHARED_EXPERTS = partial(QWEN_EXPERTS, shared="shared_expert_intermediate_size")
NORMED = partial(decoder, bias=True)

FAMILIES = {
    "bert": BERT,
    "roberta": ROBERTA,
    "xlm-roberta": replace(ROBERTA, prefix="XLMRoberta"),
    "camembert": replace(ROBERTA, prefix="Camembert"),
    "deberta-v2": replace(
        BERT, rest=deberta, crossed="", distances=True, prefix="DebertaV2",
        classes=TWO_LABELS | {
            "Model": "", "ForMaskedLM": "DeBERTa LM", "ForSequenceClassification": "pooler+labels",
            "ForMultipleChoice": "pooler+one",
        },
    ),
    "electra": replace(
        BERT, refusal=LATER, rest=partial(bert, narrow="embedding_size"), prefix="Electra",
        classes=TWO_LABELS | {
            "Model": "", "ForMaskedLM": "ELECTRA LM", "ForCausalLM": "ELECTRA LM", "ForPreTraining": "dense+one",
            "ForSequenceClassification": "dense+labels",
        },
    ),
    "distilbert": Family(
        ("dim",), ("n_layers",), ("n_heads",), bias="qkvo", cache="",
        refusal="ValueError: config.n_heads {h} must divide config.dim {d} evenly", rest=distilbert, prefix="DistilBert",
        usual="Model",
        classes=TWO_LABELS | {
            "Model": "", "ForMaskedLM": "DistilBERT LM", "ForSequenceClassification": "dense+labels",
            "ForMultipleChoice": "dense+one",
        },
    ),
    "albert": replace(
        BERT, refusal=LATER, shared_by=("num_hidden_groups", "inner_group_num"), crossed="", prefix="Albert",
        rest=partial(bert, narrow="embedding_size", always=True),
        classes=BERT_CLASSES | {"ForMaskedLM": "narrow LM", "ForPreTraining": "pooler+narrow LM+labels"},
    ),
    "modernbert": Family(
        flag="attention_bias", refusal=MULTIPLE, cache="", rest=modernbert, prefix="ModernBert", usual="ForMaskedLM",
        classes={"Model": "", "ForMaskedLM": "ModernBERT LM", "ForMultipleChoice": "ModernBERT head+one"} | {
            f"For{task}": "ModernBERT head+labels"
            for task in ("SequenceClassification", "TokenClassification", "QuestionAnswering")
        },
    ),
    "vit": VIT,
    "deit": replace(
        VIT, rest=partial(vit, tokens=2), prefix="DeiT", usual="Model",
        classes=VIT_CLASSES | {"ForImageClassificationWithTeacher": "two classifiers"},
    ),
    "dinov2": replace(
        VIT, rest=dinov2, prefix="Dinov2", usual="Model", classes={"Model": "", "ForImageClassification": "wide labels"}
    ),
    "gpt2": replace(
        GPT, prefix="GPT2", usual="LMHeadModel",
        classes=CAUSAL | {"LMHeadModel": "LM head"},
    ),
    "gpt_bigcode": replace(GPT, kv="multi_query", prefix="GPTBigCode", usual="ForCausalLM", classes=CAUSAL),
    "gpt_neox": Family(
        flag="attention_bias", refusal=NEOX, rest=partial(NORMED, feed="plain", feed_bias=True), prefix="GPTNeoX",
        usual="ForCausalLM", classes=CAUSAL,
    ),
    "gpt_neo": Family(
        layers=("num_layers",), heads=("num_heads",), bias="o", refusal=EMBED_DIM, prefix="GPTNeo", usual="ForCausalLM",
        rest=partial(gpt2, width="intermediate_size", places="max_position_embeddings", kinds="attention_types"),
        classes=CAUSAL,
    ),
    "gptj": replace(
        GPT, bias="", refusal=EMBED_DIM.replace("num_heads", "num_attention_heads"), rest=gptj, prefix="GPTJ", crossed="",
        usual="ForCausalLM", classes=CAUSAL | {"ForCausalLM": "LM head and bias"},
    ),
    "opt": Family(
        flag="enable_bias", refusal=EMBED_DIM, rest=opt, prefix="OPT", usual="ForCausalLM",
        classes={"Model": "", "ForCausalLM": "OPT LM head"},
    ),
    "bloom": Family(
        ("hidden_size", "n_embed"), ("n_layer",), ("n_head",), bias="qkvo", refusal=HIDDEN, rest=bloom, prefix="Bloom",
        usual="ForCausalLM", classes=CAUSAL,
    ),
    "falcon": Family(
        kv="falcon", flag="bias", refusal=HIDDEN, even=True, rest=falcon, prefix="Falcon", usual="ForCausalLM", classes=CAUSAL
    ),
    "llama": LLAMA,
    "mistral": replace(LLAMA, refusal="", flag="", slides="all", rest=decoder, prefix="Mistral"),
    "mixtral": replace(
        ROUNDED, slides="all", rest=partial(experts, count="num_local_experts", width="intermediate_size"), prefix="Mixtral"
    ),
    "qwen2": replace(ROUNDED, bias="qkv", slides="late", prefix="Qwen2"),
    "qwen2_moe": replace(
        ROUNDED, flag="qkv_bias", flagged="qkv", slides="late", rest=SHARED_EXPERTS, prefix="Qwen2Moe"
    ),
    "qwen3": replace(ROUNDED, flag="attention_bias", norm="head", slides="late", prefix="Qwen3"),
    "qwen3_moe": replace(ROUNDED, flag="attention_bias", norm="head", rest=QWEN_EXPERTS, prefix="Qwen3Moe"),
    "qwen3_next": replace(
        ROUNDED, flag="attention_bias", norm="head", gate=True, rest=qwen3_next, prefix="Qwen3Next",
        some=partial(full_layers, every="full_attention_interval", usual=4),
    ),
    "jamba": replace(ROUNDED, rest=jamba, some=jamba_attention, prefix="Jamba"),
    "phi": replace(
        ROUNDED, bias="qkvo", norm="head with bias", norm_flag="qk_layernorm", prefix="Phi",
        rest=partial(NORMED, feed="plain", feed_bias=True, per_layer=1), classes=CAUSAL | {"ForCausalLM": "LM head and bias"},
    ),
    "phi3": replace(ROUNDED, slides="all", prefix="Phi3"),
    "olmo": replace(ROUNDED, flag="attention_bias", rest=partial(decoder, per_layer=0, last=0), prefix="Olmo"),
    "olmo2": replace(ROUNDED, flag="attention_bias", norm="wide", prefix="Olmo2"),
    "granite": replace(ROUNDED, flag="attention_bias", rest=LLAMA.rest, prefix="Granite"),
    "glm": replace(ROUNDED, flag="attention_bias", flagged="qkv", prefix="Glm"),
    "glm4": replace(ROUNDED, flag="attention_bias", flagged="qkv", rest=partial(decoder, per_layer=4), prefix="Glm4"),
    "cohere": replace(
        ROUNDED, flag="attention_bias", norm="wide", norm_flag="use_qk_norm", rest=partial(decoder, per_layer=1), prefix="Cohere"
    ),
    "stablelm": replace(
        ROUNDED, own=False, flag="use_qkv_bias", flagged="qkv", norm="wide", norm_flag="qk_layernorm", prefix="StableLm",
        rest=partial(NORMED, parallel="use_parallel_residual"),
        refusal="ValueError: hidden_size must be divisible by num_heads (got `hidden_size`: {d} and `num_heads`: {h}).",
    ),
    "starcoder2": replace(
        ROUNDED, flag="use_bias", slides="all", rest=partial(NORMED, feed="plain", feed_flag="use_bias"), prefix="Starcoder2"
    ),
    "gemma": GEMMA,
    "gemma2": replace(
        GEMMA, refusal=MULTIPLE + ".", slides="some", full_every=2, rest=partial(decoder, per_layer=4), prefix="Gemma2"
    ),
    "gemma3_text": replace(
        GEMMA, refusal=MULTIPLE + ".", slides="some", full_every=6, norm="head", rest=partial(decoder, per_layer=4),
        prefix="Gemma3", classes={"TextModel": "", "ForCausalLM": "LM head", "TextForSequenceClassification": "score"},
    ),
    "gpt_oss": replace(
        ROUNDED, flag="attention_bias", sinks=True, slides="some", full_every=2, prefix="GptOss",
        rest=partial(experts, count="num_local_experts", width="intermediate_size", bias=True),
    ),
    "xlnet": Family(
        ("d_model",), ("n_layer",), ("n_head",), relative=True, cache="", rest=xlnet, prefix="XLNet", usual="LMHeadModel",
        refusal="ValueError: 'd_model % n_head' ({r}) should be equal to 0",
        classes={
            "Model": "", "LMHeadModel": "LM head and bias", "ForTokenClassification": "labels",
            "ForQuestionAnsweringSimple": "labels", "ForSequenceClassification": "dense+labels", "ForMultipleChoice": "dense+one",
        },
    ),
    "deepseek_v2": replace(DEEPSEEK, refusal=MULTIPLE + ".", prefix="DeepseekV2"),
    **dict.fromkeys(("deepseek_v3", "kimi_k2"), DEEPSEEK),
}  # fmt: skip
