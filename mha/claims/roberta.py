"""Where the parameters of Hugging Face's RobertaForMaskedLM are, as a table of arrays.

Source: transformers' modeling_roberta: embeddings, `layers` encoder layers, and a head whose decoder is the word embeddings.
Defaults are those of RobertaConfig up to 4.29.2; since 4.30.0 `vocab_size` is 50265.
"""

import math


def table(vocab_size: int = 30522, heads: int = 12, positions: int = 512, types: int = 2, layers: int = 12, width: int = 768,
          inner: int = 3072) -> dict[str, list[list[int]]] | None:  # fmt: skip
    """Shapes by component, those of all layers together; None where the head count does not divide the width (ValueError there).

    The head count is in no shape: each head is `width / heads` columns of the same square matrices.
    """
    if width % heads:
        return None
    norm, square = [[width], [width]], [[width, heads * (width // heads)], [width]]
    encoder = dict.fromkeys(("W_Q, b_Q", "W_K, b_K", "W_V, b_V", "W_O, b_O"), square) | {
        "attention LayerNorm": norm, "FFN in": [[width, inner], [inner]], "FFN out": [[inner, width], [width]],
        "FFN LayerNorm": norm,
    }  # fmt: skip
    return {
        "word embeddings": [[vocab_size, width]], "position embeddings": [[positions, width]],
        "token-type embeddings": [[types, width]], "embedding LayerNorm": norm,
        **{f"{layers} × {name}": shapes * layers for name, shapes in encoder.items()},
        "LM head dense": [[width, width], [width]], "LM head LayerNorm": norm, "LM head bias": [[vocab_size]],
    }  # fmt: skip


def count(**sizes: int) -> int | None:
    """All trainable numbers; None where there is no such model."""
    found = table(**sizes)
    return None if found is None else sum(math.prod(shape) for shapes in found.values() for shape in shapes)
