"""Quiz questions whose options are pictures: attention maps under different masks, and ways to cut W_Q into heads."""

from dataclasses import replace
from random import Random

import numpy as np

from headcount.arrays import Bools
from headcount.config import Config
from headcount.steps import attention_mask
from lessons.quiz.question import Clash, QuizQuestion, free_layer, kind, options


def mask_named(name: str, cfg: Config) -> Bools:
    """A boolean mask (T, S), True where a query may see a key. "causal" is the layer's own; the other names are common
    mistakes."""
    t, s = np.ogrid[: cfg.query_len, : cfg.key_len]
    everywhere = np.ones((cfg.query_len, cfg.key_len), dtype=bool)
    return {
        "causal": attention_mask(replace(cfg, mask="causal")),
        "end": s <= t + cfg.key_len - cfg.query_len,
        "after": s >= t,
        "strict": s < t,
        "padding": everywhere & (s < cfg.key_len - 2),
        "none": everywhere,
    }[name]


CAUSAL = {
    "end": "True if the last query saw the last key, as with a key cache. Keras counts queries and keys from the start.",
    "after": "True if queries looked at what comes after them.",
    "strict": "True if a query could not see its own position. Then query 1 would see nothing.",
    "padding": "True of a padding mask over the last 2 keys: whole columns, for every query.",
    "none": "True without a mask.",
}


@kind
def mask(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng, mask="causal", query_len=rng.choice((4, 5, 6)), key_len=rng.choice((4, 5, 6, 7)))
    first: dict[bytes, str] = {}  # masks whose pictures differ from the right one and from each other
    for name in ("causal", *CAUSAL):
        first.setdefault(mask_named(name, cfg).tobytes(), name)
    wrong = [(name, why) for name, why in CAUSAL.items() if name in first.values()]
    if cfg.query_len == cfg.key_len or len(wrong) < 3:
        raise Clash
    right = ("causal", "Query t sees keys 1 to t: the diagonal begins at the top left, however many keys there are.")
    asks = (
        f"A map has {cfg.query_len} queries (rows) and {cfg.key_len} keys (columns). Which map shows `use_causal_mask=True`? "
        "Hatched cells are masked."
    )
    return QuizQuestion("mask", asks, options(rng, right, wrong), cfg, "attention", related="q20", drawn="mask")


CUTS = {
    "rows": "True if a head got only some of X's columns: each row of W_Q belongs to a column of X.",
    "diagonal": "True if the embedding were split among the heads. Each head gets all of it.",
    "turns": "True if the heads took columns in turns. Keras and PyTorch give each head adjacent columns.",
}


@kind
def cut(rng: Random) -> QuizQuestion:
    k, h = rng.choice(((2, 4), (3, 3), (4, 2), (4, 3), (2, 3)))
    cfg = Config(h * k, h, query_len=rng.randrange(4, 8), seed=rng.randrange(10_000))
    right = ("columns", f"Each head has all {cfg.d_model} rows and {k} adjacent columns, so it reads all of X.")
    asks = f"{h} heads with key_dim {k} cut W_Q into slices. Which picture shows how? Each slice has its head's number."
    cuts = options(rng, right, list(CUTS.items()))
    return QuizQuestion("cut", asks, cuts, cfg, "cuts", paper=True, choices=(("cut", "separate"),), related="q39", drawn="cut")
