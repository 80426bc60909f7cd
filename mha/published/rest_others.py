"""The same for models whose embeddings are not BERT's: shared layers, alternating attention, pictures."""

from mha.published.fields import Fields
from mha.published.model import Part
from mha.published.rest import Parts


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
