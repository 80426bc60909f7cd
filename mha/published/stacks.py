"""Encoder and decoder: the paper's Transformer, T5, BART and their kin, Whisper."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mha.published import parts
from mha.published.attention import Attention
from mha.published.families import EMBED_DIM, architecture, not_counted
from mha.published.fields import Fields
from mha.published.model import Group, Model, Part
from mha.published.parts import Piece

#: The paper's split has no other heads (3.2.2: d_k = d_v = d_model / h); no library raises anything.
PAPER = " "


def _groups(encoder: Attention, decoder: Attention, layers: int, decoder_layers: int) -> tuple[Group, ...]:
    return (
        Group("encoder", layers, encoder),
        Group("decoder", decoder_layers, decoder, "self"),
        Group("cross", decoder_layers, decoder, "cross"),
    )


def _feeds(sizes: list[tuple[str, int, int]], norm: int, more: int) -> Piece:
    """Feed-forward and norms; `sizes`: label, layers and feed-forward parameters of one layer for each stack. `norm`: the size of
    one norm, of which a layer of the encoder has two, of the decoder three; `more`: at the ends."""
    (_, layers, _), (_, decoder_layers, _) = sizes
    feeds = tuple(Part(f"{label} FFN", each, count, "feed-forward") for label, count, each in sizes)
    return (*feeds, Part("norms", norm, 2 * layers + 3 * decoder_layers + more, "norms"))


def _named(fields: Fields, prefix: str, classes: tuple[str, ...], usual: str) -> str | None:
    """The class without its prefix, the usual one where none is named; None where it is not counted."""
    named = architecture(fields)
    if named is None:
        return usual
    kind = named.removeprefix(prefix)
    if kind in classes and named in fields.known.classes:
        return kind
    fields.assumed.append(not_counted(fields, named))
    return None


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
    after = _feeds([(label, layers, 2 * d * width + width + d) for label in ("encoder", "decoder")], 2 * d, 0)
    before = (Part("shared embeddings", words * d, 1, "embeddings"),)
    groups = _groups(attention, attention, layers, layers)
    return Model("transformer", groups, before, after, counted_as="the paper's Transformer")


T5_ENDINGS = {
    "Model": "", "ForConditionalGeneration": "LM head", "ForSequenceClassification": "dense+labels", "EncoderModel": "",
    "ForTokenClassification": "labels", "ForQuestionAnswering": "labels",
}  # fmt: skip
#: Without a decoder.
ENCODERS = ("EncoderModel", "ForTokenClassification")


def t5(fields: Fields, *, prefix: str, every: bool = False) -> Model:
    """T5, mT5, UMT5: `d_kv` is a size of its own; a table of relative biases for each stack, in UMT5 for `every` layer."""
    d, heads = fields.whole("d_model", "d_model"), fields.whole("heads", "num_heads")
    size, layers = fields.whole("head size", "d_kv"), fields.whole("layers", "num_layers")
    decoder_layers = fields.whole("layers", "num_decoder_layers", default=layers)
    buckets, width = fields.whole("width", "relative_attention_num_buckets"), fields.whole("width", "d_ff")
    kind = _named(fields, prefix, tuple(T5_ENDINGS), "ForConditionalGeneration")
    gated = fields.word("feed_forward_proj").startswith("gated")
    count = fields.whole("vocabulary", "vocab_size")
    attention = Attention(d, heads, heads, size, size, False, True)
    groups = _groups(attention, attention, layers, decoder_layers)
    each = (3 if gated else 2) * d * width
    after = _feeds([("encoder", layers, each), ("decoder", decoder_layers, each)], d, 2)
    tables = layers + decoder_layers if every else 2
    if kind in ENCODERS:
        groups, after, tables = groups[:1], (after[0], Part("norms", d, 2 * layers + 1, "norms")), layers if every else 1
    counted = (prefix + kind) if kind else ""
    notes = tuple(fields.assumed)
    if kind is None:
        return Model(fields.word("model_type"), groups, buckets=tables * buckets, notes=notes)
    # T5 and UMT5 tie the LM head whatever the configuration says; mT5 reads the switch.
    reads_switch = "tie_word_embeddings" in fields.known.fields
    end = () if kind == "ForConditionalGeneration" and not reads_switch else parts.ending(T5_ENDINGS[kind], fields, d)
    before = (Part("word embeddings", count * d, 1, "embeddings"),)
    if reads_switch and not parts.tied(fields):
        stacks = 1 if kind in ENCODERS else 2
        before = (*before, Part("words of the stacks, not tied", count * d, stacks, "embeddings"))
    return Model(fields.word("model_type"), groups, before, (*after, *end), tables * buckets, counted, notes)


@dataclass(frozen=True, slots=True)
class Stacked:
    """BART and its kin. `more`: rows of positions beyond what is named; `first`, `final`: a norm after the embeddings and at the
    end of each stack. `labels`: of a classifier, where the configuration names none."""

    prefix: str
    more: int = 0
    first: bool = False
    final: bool = False
    generator: str = "ForConditionalGeneration"
    labels: int = 2

    def read(self, fields: Fields) -> Model:
        """Biases on all four projections."""
        d, layers, decoder_layers, groups = _two_stacks(fields, "qkvo")
        names = ("Model", self.generator, "ForSequenceClassification", "ForQuestionAnswering")
        kind = _named(fields, self.prefix, names, self.generator)
        sizes = _widths(fields, d, layers, decoder_layers)
        count, places = fields.whole("vocabulary", "vocab_size"), fields.whole("positions", "max_position_embeddings") + self.more
        tied = parts.tied(fields)
        notes = tuple(fields.assumed)
        if kind is None:
            return Model(fields.word("model_type"), groups, notes=notes)
        tables = self._words(fields, d, count, tied)
        head = self.generator == kind and not tied
        before = (*tables, Part("positions, encoder and decoder", places * d, 2, "embeddings"))
        after = (
            *_feeds(sizes, 2 * d, 2 * (self.first + self.final)),
            *((Part("LM head", self._output_words(fields, count) * d, 1, "output"),) if head else ()),
            *parts.ending({names[2]: "dense", names[3]: "span"}.get(kind, ""), fields, d),
            *((Part("classifier", (d + 1) * fields.labels(self.labels), 1, "output"),) if kind == names[2] else ()),
        )
        return Model(fields.word("model_type"), groups, before, after, counted_as=self.prefix + kind, notes=notes)

    def _words(self, fields: Fields, d: int, count: int, tied: bool) -> Piece:
        shared = Part("word embeddings", count * d, 1, "embeddings")
        if self._apart(fields):
            return shared, Part("word embeddings of the decoder", self._output_words(fields, count) * d, 1, "embeddings")
        return (shared,) if tied else (shared, Part("words of the stacks, not tied", count * d, 2, "embeddings"))

    def _apart(self, fields: Fields) -> bool:
        name = "share_encoder_decoder_embeddings"
        return name in fields.known.fields and not fields.flag(name)

    def _output_words(self, fields: Fields, count: int) -> int:
        known = "decoder_vocab_size" in fields.known.fields
        return fields.whole("vocabulary", "decoder_vocab_size", default=count) if known else count


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


def _widths(fields: Fields, d: int, layers: int, decoder_layers: int) -> list[tuple[str, int, int]]:
    return [
        (label, count, 2 * d * (width := fields.whole("width", f"{label}_ffn_dim")) + width + d)
        for label, count in (("encoder", layers), ("decoder", decoder_layers))
    ]


def whisper(fields: Fields) -> Model:
    """Whisper: no bias on the keys; two convolutions before the encoder."""
    d, layers, decoder_layers, groups = _two_stacks(fields, "qvo")
    kind = _named(fields, "Whisper", ("Model", "ForConditionalGeneration"), "ForConditionalGeneration")
    mels, count = fields.whole("width", "num_mel_bins"), fields.whole("vocabulary", "vocab_size")
    encoder_positions = fields.whole("positions", "max_source_positions")
    decoder_positions = fields.whole("positions", "max_target_positions")
    sizes = _widths(fields, d, layers, decoder_layers)
    tied, notes = parts.tied(fields), tuple(fields.assumed)
    if kind is None:
        return Model("whisper", groups, notes=notes)
    before = (
        Part("two convolutions", 3 * mels * d + d + 3 * d * d + d, 1, "embeddings"),
        Part("positions, encoder", encoder_positions * d, 1, "embeddings"),
        Part("word embeddings", count * d, 1, "embeddings"),
        Part("positions, decoder", decoder_positions * d, 1, "embeddings"),
    )
    head = (Part("LM head", count * d, 1, "output"),) if kind != "Model" and not tied else ()
    after = (*_feeds(sizes, 2 * d, 2), *head)
    return Model("whisper", groups, before, after, counted_as=f"Whisper{kind}", notes=notes)


STACKS: dict[str, Callable[[Fields], Model]] = {
    "transformer": transformer,
    "t5": partial(t5, prefix="T5"),
    "mt5": partial(t5, prefix="MT5"),
    "umt5": partial(t5, prefix="UMT5", every=True),
    "whisper": whisper,
    "bart": Stacked("Bart", more=2, first=True, labels=3).read,
    "mbart": Stacked("MBart", more=2, first=True, final=True).read,
    "pegasus": Stacked("Pegasus", final=True).read,
    "marian": Stacked("Marian", generator="MTModel").read,
    "blenderbot": Stacked("Blenderbot", final=True).read,
}
