"""All of a model that is not attention, by component: embeddings, feed-forward, norms, output."""

from mha.published.fields import Fields
from mha.published.model import Part

Parts = tuple[tuple[Part, ...], tuple[Part, ...]]


def _with_words(
    fields: Fields, d: int, layers: int, *feed_forward: Part, norms: int = 2, tied: bool = False
) -> Parts:
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
