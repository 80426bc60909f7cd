"""The blog's observation: 109,514,298 parameters with 4 heads and with 12, and the counts it is mixed up with."""

from mha.published.attention import Refused
from mha.published.conventions import divisors
from mha.published.model import Model
from mha.published.reading import read_config
from mha.published.table import entries

SLUG = "RoBERTa-blog"
#: Head counts that do not divide 768.
REFUSED = (5, 7, 10)


def variants() -> list[tuple[str, Model]]:
    """The same class three times: who counts it, and the model."""
    config = entries()[SLUG].config
    return [
        ("to 4.29.2", entries()[SLUG].model),
        ("since 4.30.0", read_config({**config, "vocab_size": 50265})),
        ("roberta-base", read_config(
            {**config, "vocab_size": 50265, "max_position_embeddings": 514, "type_vocab_size": 1}
        )),
    ]  # fmt: skip


def totals(model: Model) -> dict[int, int | None]:
    """All parameters for every head count that divides d_model."""
    width = model.attention.d_model
    return {heads: model.with_heads(heads).total for heads in divisors(width, width)}


def raised(model: Model, heads: int) -> str:
    """What transformers raises for this head count; "" where it raises nothing."""
    try:
        model.with_heads(heads)
    except Refused as refused:
        return refused.raised
    return ""
