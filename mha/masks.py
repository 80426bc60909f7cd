"""Who may look where."""

import numpy as np

from mha.arrays import Bools
from mha.config import Config


def may_look(cfg: Config) -> Bools:
    """Which query (rows t) may see which key (columns s), bool. Causal: query t sees keys 0 … t, aligned top-left as in Keras."""
    everywhere = np.ones((cfg.query_len, cfg.key_len), dtype=bool)
    return np.tril(everywhere) if cfg.mask == "causal" else everywhere
