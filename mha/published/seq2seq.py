"""Encoder and decoder: the paper's Transformer, T5, Whisper, BART. Three kinds of modules: encoder, decoder, cross."""

from mha.published.attention import Attention
from mha.published.fields import Fields
from mha.published.model import Group, Model, Part

EMBED = "ValueError: embed_dim must be divisible by num_heads (got `embed_dim`: {d} and `num_heads`: {h})."

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
        stack = Attention(d, heads, heads, d // heads, d // heads, True, True, bias, refusal=EMBED)
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
