"""Claims about what sizes cost: the multiply-adds and the ledger settle them."""

from lessons.claims.claim import Claims, judged, numpy, see, that
from lessons.claims.statements.layers import EIGHT, FOUR, FREE, LARGE, NARROW, SQUARE, both

CLAIMS = Claims()


@CLAIMS.add(
    41,
    "key_dim",
    66,
    "The computational cost of each head increases due to the higher `key_dim`",
    "With twice the key_dim, a head costs more.",
    numpy("costs", layers=[EIGHT, FOUR]),
    see("heads", d_model=512, num_heads=4, query_len=128, key_len=128),
)
def cost_of_a_head(run):
    eight, four = both(run, "macs")
    return judged(
        f"Twice per head, and half as many heads: {eight:,} multiply-adds for 128 tokens before, {four:,} after.",
        that(
            "says", "multiply-adds of one head, times those before", "more than 1", (four / 4) / (eight / 8), four / 4 > eight / 8
        ),
    )


@CLAIMS.add(
    43,
    "key_dim",
    66,
    "It could also be used as a mechanism to mitigate memory requirements",
    "Fewer, wider heads save memory.",
    numpy("costs", layers=[EIGHT, FOUR]),
    see("heads", d_model=512, num_heads=4, query_len=128, key_len=128),
)
def saves_memory(run):
    cells, counts, projected = both(run, "score_cells"), both(run, "count"), both(run, "projected")
    return judged(
        f"Only the scores shrink, {cells[0]:,} to {cells[1]:,} numbers for 128 tokens; parameters, Q, K and V stay as large as "
        "they were.",
        that("says", "numbers in the scores", f"fewer than {cells[0]:,}", cells[1], cells[1] < cells[0]),
        that("suggests", "parameters", f"fewer than {counts[0]:,}", counts[1], counts[1] < counts[0]),
        that(
            "suggests",
            "numbers in Q, K and V per token",
            f"fewer than {projected[0]:,}",
            projected[1],
            projected[1] < projected[0],
        ),
    )


@CLAIMS.add(
    49,
    "key_dim",
    91,
    "A value_dim less than `key_dim` can reduce the computational burden",
    "A smaller value_dim saves work.",
    numpy("costs", layers=[EIGHT, NARROW]),
    see("heads", **FREE, **NARROW),
)
def saves_work(run):
    (wide, narrow), counts = both(run, "macs"), both(run, "count")
    return judged(
        f"{1 - narrow / wide:.1%} of the multiply-adds and {1 - counts[1] / counts[0]:.1%} of the parameters: {counts[0]:,} "
        f"become {counts[1]:,}.",
        that("says", "multiply-adds", f"fewer than {wide:,}", narrow, narrow < wide),
    )


@CLAIMS.add(
    50,
    "key_dim",
    91,
    "since less data is being projected in the last linear layer",
    "A smaller value_dim saves work because the last projection, W_O, gets less to do.",
    numpy("costs", layers=[EIGHT, NARROW]),
    see("heads", **FREE, **NARROW),
)
def saved_where(run):
    wide, narrow = both(run, "steps")
    saved = {step: wide[step] - narrow[step] for step in wide}
    share = saved["output"] / (sum(saved.values()) or 1)
    return judged(
        f"Half the story: W_O saves {saved['output']:,} multiply-adds, W_V {saved['v']:,}, and A·V another {saved['context']:,}.",
        that("says", "multiply-adds saved in W_O", "more than 0", saved["output"], saved["output"] > 0),
        that("suggests", "share of the saving that is W_O's", "all of it", f"{share:.0%}", share > 0.99),
    )


@CLAIMS.add(
    52,
    "key_dim",
    93,
    "also try using an equal number of heads and `key_dim`",
    "As many heads as key_dim is a usual choice to try.",
    numpy("costs", layers=[EIGHT, SQUARE]),
    see("heads", **FREE, **SQUARE),
)
def as_many_heads(run):
    usual, square = both(run, "count")
    return judged(
        f"At width 512, 64 heads of 64 are {square:,} parameters, {square / usual:.1f} times those of 8 heads of 64: no "
        "neighbour of the usual layer.",
        that("says", "such a layer can be built", "yes", f"yes, {square:,} parameters", square > 0),
        that("suggests", "its size, times that of 8 heads of 64", "about 1", square / usual, 0.5 < square / usual < 2),
    )


@CLAIMS.add(
    19,
    "key_dim",
    12,
    "comes at the cost of increased computational complexity",
    "A larger key_dim costs more work.",
    numpy("costs", layers=[EIGHT, LARGE]),
    see("heads", **FREE, **LARGE),
)
def larger_key_dim(run):
    (small, large), counts = both(run, "macs"), both(run, "count")
    return judged(
        f"Twice the key_dim: {small:,} become {large:,} multiply-adds for 128 tokens, and {counts[0]:,} become {counts[1]:,} "
        "parameters.",
        that("says", "multiply-adds", f"more than {small:,}", large, large > small),
    )
