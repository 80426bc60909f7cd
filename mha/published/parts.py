"""All of a model that is not attention, by component: embeddings, feed-forward, norms, and what stands after the last layer.

Each piece takes the fields, d_model (and how many layers have it) and gives rows of the ledger. Which family has which is said in
mha.published.families.
"""

from collections.abc import Callable

from mha.published.fields import Fields
from mha.published.model import Part

Piece = tuple[Part, ...]


def words(fields: Fields, d: int) -> Piece:
    """The table of word embeddings."""
    count = fields.whole("vocabulary", "vocab_size")
    return (Part(f"word embeddings {count:,} × {d:,}", count * d, 1, "embeddings"),)


def positions(fields: Fields, d: int, *names: str, more: int = 0) -> Piece:
    """The table of learnt positions; `more` rows than the field says (BART and OPT have two)."""
    count = fields.whole("positions", *names, least=0) + more
    return (Part(f"position embeddings {count:,} × {d:,}", count * d, 1, "embeddings"),) if count else ()


def norms(d: int, times: int, *, bias: bool = False, label: str = "") -> Piece:
    """RMS norms have d numbers, LayerNorms (`bias`) twice as many."""
    name = label or ("LayerNorms" if bias else "RMS norms")
    return (Part(name, (1 + bias) * d, times, "norms"),) if times else ()


def gated(d: int, width: int, layers: int, *, bias: bool = False, label: str = "FFN gate, up, down") -> Piece:
    """Three matrices, as in Llama."""
    return (Part(label, 3 * d * width + (2 * width + d) * bias, layers, "feed-forward"),) if layers else ()


def plain(d: int, width: int, layers: int, *, bias: bool = True, label: str = "FFN in and out") -> Piece:
    """Two matrices, as in the paper."""
    return (Part(label, 2 * d * width + (width + d) * bias, layers, "feed-forward"),) if layers else ()


def experts(d: int, width: int, count: int, layers: int, *, routed: str = "experts: gate, up, down") -> Piece:
    """Gated experts and their router in each of `layers` layers."""
    if not layers or not count:
        return ()
    return (Part(routed, 3 * d * width, layers * count, "feed-forward"), Part("routers", d * count, layers, "feed-forward"))


def bert_tables(fields: Fields, d: int, types: bool = True) -> Piece:
    """Words, positions and token types with their norm, as wide as `d`."""
    rows = {"word": fields.whole("vocabulary", "vocab_size"), "position": fields.whole("positions", "max_position_embeddings")}
    if types:
        rows["token-type"] = fields.whole("vocabulary", "type_vocab_size", least=0)
    tables = (Part(f"{name} embeddings {count:,} × {d:,}", count * d, 1, "embeddings") for name, count in rows.items() if count)
    return (*tables, Part("embedding LayerNorm", 2 * d, 1, "norms"))


def tied(fields: Fields) -> bool:
    """Whether the LM head is the table of words."""
    return fields.flag("tie_word_embeddings", default=True)


def _lm_head(fields: Fields, d: int, bias: bool = False) -> Piece:
    count = fields.whole("vocabulary", "vocab_size")
    head = () if tied(fields) else (Part("LM head", count * d, 1, "output"),)
    return (*head, *((Part("LM head bias", count, 1, "output"),) if bias else ()))


def _tied_bias(fields: Fields, count: int) -> Part:
    return Part("LM head bias (decoder tied to the words)" if tied(fields) else "LM head bias", count, 1, "output")


def _bert_lm(fields: Fields, d: int, narrow: int | None = None, tied_bias: bool = True) -> Piece:
    """dense, norm, decoder (tied to the words) and its bias; `narrow`: as wide as the embeddings."""
    wide = d if narrow is None else narrow
    count = fields.whole("vocabulary", "vocab_size")
    decoder = () if tied(fields) else (Part("LM head decoder", count * wide, 1, "output"),)
    again = () if tied(fields) or not tied_bias else (Part("LM head bias, of its own", count, 1, "output"),)
    return (
        Part(f"LM head dense {d:,} × {wide:,} + {wide:,}", d * wide + wide, 1, "output"),
        Part("LM head LayerNorm", 2 * wide, 1, "norms"), *decoder, _tied_bias(fields, count), *again,
    )  # fmt: skip


def _modern_head(fields: Fields, d: int) -> Piece:
    return (
        Part("head dense", d * d + d * fields.flag("classifier_bias"), 1, "output"),
        *norms(d, 1, bias=fields.flag("norm_bias"), label="head norm"),
    )  # fmt: skip


def _modern_lm(fields: Fields, d: int) -> Piece:
    """The decoder is tied to the words; its bias is not."""
    count = fields.whole("vocabulary", "vocab_size")
    decoder = () if tied(fields) else (Part("LM head decoder", count * d, 1, "output"),)
    bias = (_tied_bias(fields, count),) if fields.flag("decoder_bias") else ()
    return (*_modern_head(fields, d), *decoder, *bias)


def _vit_pooler(fields: Fields, d: int) -> Piece:
    wide = fields.whole("width", "pooler_output_size", default=d)
    return (Part("pooler", d * wide + wide, 1, "output"),)


def _deberta_lm(fields: Fields, d: int) -> Piece:
    """The older head, `legacy`, is as wide as the embeddings."""
    if not fields.flag("legacy"):
        count = fields.whole("vocabulary", "vocab_size")
        return (
            Part("LM head dense", d * d + d, 1, "output"), Part("LM head LayerNorm", 2 * d, 1, "norms"),
            Part("LM head bias (decoder tied to the words)", count, 1, "output"),
        )  # fmt: skip
    return _bert_lm(fields, d, fields.whole("width", "embedding_size", default=d))


def _electra_lm(fields: Fields, d: int) -> Piece:
    narrow, count = fields.whole("width", "embedding_size"), fields.whole("vocabulary", "vocab_size")
    decoder = () if tied(fields) else (Part("LM head decoder", count * narrow, 1, "output"),)
    return (
        Part("LM head dense", d * narrow + narrow, 1, "output"), Part("LM head LayerNorm", 2 * narrow, 1, "norms"), *decoder,
        _tied_bias(fields, count),
    )  # fmt: skip


def _opt_lm(fields: Fields, d: int) -> Piece:
    return _lm_head(fields, fields.whole("d_model", "word_embed_proj_dim", default=d))


def _narrow_lm(fields: Fields, d: int) -> Piece:
    return _bert_lm(fields, d, fields.whole("width", "embedding_size"))


def _classifier(label: str, more: int = 1) -> Callable[[Fields, int], Piece]:
    """From `more` · d_model to the labels, with a bias."""
    return lambda fields, d: (Part(label, (more * d + 1) * fields.labels(), 1, "output"),)


def _fixed(label: str, outputs: int) -> Callable[[Fields, int], Piece]:
    return lambda _fields, d: (Part(label, (d + 1) * outputs, 1, "output"),)


def _square(label: str) -> Callable[[Fields, int], Piece]:
    return lambda _fields, d: (Part(label, d * d + d, 1, "output"),)


#: What stands after the last layer, by the name that the tables of classes use.
ENDINGS: dict[str, Callable[[Fields, int], Piece]] = {
    "LM head": _lm_head,
    "LM head and bias": lambda fields, d: _lm_head(fields, d, True),
    "BERT LM": _bert_lm,
    "narrow LM": _narrow_lm,
    "CLIP projection": lambda fields, d: (Part("projection", d * fields.whole("d_model", "projection_dim"), 1, "output"),),
    "DistilBERT LM": lambda fields, d: _bert_lm(fields, d, tied_bias=False),
    "ModernBERT LM": _modern_lm,
    "ModernBERT head": _modern_head,
    "ELECTRA LM": _electra_lm,
    "OPT LM head": _opt_lm,
    "DeBERTa LM": _deberta_lm,
    "ViT pooler": _vit_pooler,
    "pooler": _square("pooler"),
    "dense": _square("classifier dense"),
    "labels": _classifier("classifier"),
    "two classifiers": lambda fields, d: (Part("classifiers", (d + 1) * fields.labels(), 2, "output"),),
    "wide labels": _classifier("classifier", 2),
    "score": lambda fields, d: (Part("classifier without bias", d * fields.labels(), 1, "output"),),
    "span": _fixed("start and end", 2),
    "pair": _fixed("next sentence or not", 2),
    "one": _fixed("one score", 1),
}


def ending(recipe: str, fields: Fields, d: int) -> Piece:
    """The pieces that `recipe` names, joined by +."""
    return tuple(part for name in recipe.split("+") if name for part in ENDINGS[name](fields, d))
