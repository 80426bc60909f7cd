"""Parameters against heads: the three conventions that people mean when they say "more heads"."""

from mha.config import Config
from mha.ledger import count_parameters


def paper_count(cfg: Config, num_heads: int) -> int | None:
    """d_k = d_v = d_model / h (paper, PyTorch, Hugging Face): flat. None where h does not divide d_model."""
    if cfg.d_model % num_heads:
        return None
    return count_parameters(cfg.with_heads(num_heads, paper=True))


def keras_count(cfg: Config, num_heads: int) -> int:
    """key_dim and value_dim belong to each head (Keras): straight up."""
    return count_parameters(cfg.with_heads(num_heads, paper=False))


def pinned_count(cfg: Config, num_heads: int, num_kv_heads: int = 1) -> int | None:
    """Head size d_model / h, key/value heads pinned (Llama, Falcon): down. None where the sizes do not divide.

    P = h·d·(2·D + b) + h_kv·d·(2·D + 2·b) + b·D with D = d_model, d = D / h, b = 1 with biases
    (keras.layers.GroupQueryAttention with head_dim = d).
    """
    if cfg.d_model % num_heads or num_heads % num_kv_heads:
        return None
    width, bias = cfg.d_model, int(cfg.use_bias)
    head = width // num_heads
    return width * (2 * width + bias) + num_kv_heads * head * (2 * width + 2 * bias) + bias * width
