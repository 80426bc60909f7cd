"""Claims about the attention scores: when they come, in which place and shape, and what they depend on."""

from lessons.claims.claim import Claims, differs, judged, keras, near, same, see, that

CLAIMS = Claims()
SMALL = {"split": "free", "d_model": 8, "num_heads": 2, "key_dim": 8, "value_dim": 8, "query_len": 6, "key_len": 6}
WIDE = {"split": "free", "d_model": 512, "num_heads": 8, "key_dim": 64, "value_dim": 64}


@CLAIMS.add(
    65,
    "none_6_8",
    12,
    "tuple containing the attention scores tensor (shape `[None, num_heads, 6, 6]`) and the output",
    "Asked for scores, the call returns a pair: scores first, output second.",
    keras("shapes", shape=[10, 6, 8], num_heads=2, key_dim=8),
    see("keras_layer", part="call", **SMALL),
    "[part.shape for part in layer(x, x, return_attention_scores=True)]  # x: (10, 6, 8)",
)
def scores_first(run):
    return judged(
        f"The other way round: {tuple(run['tuple'][0])} is the output and comes first, {tuple(run['tuple'][1])} are the scores.",
        same("says", "shape of the first", [10, 2, 6, 6], run["tuple"][0]),
        same("says", "shape of the second", [10, 6, 8], run["tuple"][1]),
    )


@CLAIMS.add(
    75,
    "none_6_8",
    51,
    "print(attention.shape)  # Output: (10, 2, 6, 6)",
    "For 10 sequences of 6 tokens and 2 heads the scores have the shape (10, 2, 6, 6).",
    keras("shapes", shape=[10, 6, 8], num_heads=2, key_dim=8),
    see("attention", **SMALL),
)
def shape_of_scores(run):
    return judged(
        f"One map per sample and head: {tuple(run['tuple'][1])}, once the call and not the constructor asks for it.",
        same("says", "shape of the scores", [10, 2, 6, 6], run["tuple"][1]),
    )


@CLAIMS.add(
    66,
    "none_6_8",
    12,
    "(shape `[None, num_heads, 6, 6]`)",
    "In self-attention Keras gives the scores the symbolic shape (None, h, 6, 6).",
    keras("symbolic", num_heads=2, key_dim=8, d_model=8, query_len=6, key_len=9),
    see("keras_layer", part="shapes", **SMALL | {"key_len": 9}),
    "x = keras.Input((6, 8))\nlayer(x, x, return_attention_scores=True)[1].shape",
)
def symbolic_scores(run):
    cross = run["cross"]
    return judged(
        f"Right here; but with 9 keys Keras still says {shown_shape(cross['symbolic'])} where the call gives "
        f"{shown_shape(cross['real'])}.",
        same("says", "symbolic shape", [None, 2, 6, 6], run["self"]["symbolic"]),
        same("says", "shape for 3 samples", [3, 2, 6, 6], run["self"]["real"]),
    )


def shown_shape(shape: list) -> str:
    return f"({', '.join(map(str, shape))})"


@CLAIMS.add(
    21,
    "key_dim",
    14,
    "does not directly affect the dot product",
    "value_dim does not touch the scores.",
    keras("value_dim"),
    see("attention", **WIDE | {"value_dim": 32}),
)
def scores_without_values(run):
    return judged(
        f"With the same W_Q and W_K, value_dim 64 and 32 give scores that differ by {run['difference']:g}.",
        near("says", "largest difference of the scores", run["difference"], 0.0),
        differs("says", "largest score, so that there is something to compare", run["largest"], claimed="above 0"),
    )


@CLAIMS.add(
    64,
    "none_6_8",
    12,
    "dictates whether the attention weights are returned alongside the output",
    "`return_attention_scores` decides whether the weights come back with the output.",
    keras("signature"),
    see("keras_layer", part="call", **SMALL),
    "inspect.signature(MultiHeadAttention.call)",
)
def asks_for_weights(run):
    default = run["call"].get("return_attention_scores")
    return judged(
        f"As an argument of the call, where it is {default} unless given.",
        that("says", "argument of the call", "yes", f"yes, {default} by default" if default else "no", default is not None),
    )


@CLAIMS.add(
    67,
    "none_6_8",
    12,
    "Incorrect setting can lead to unexpected outputs or memory issues",
    "Asking for the scores can change the output.",
    keras("asked_for_scores"),
    see("keras_layer", part="masks", mask_case="empty_row", **SMALL | {"key_dim": 4, "value_dim": 4}),
    "layer(x, x, attention_mask=m) - layer(x, x, attention_mask=m, return_attention_scores=True)[0]",
)
def asking_changes(run):
    return judged(
        f"Not on an ordinary call ({run['ordinary']:g}); but where a query may see no key the output moves by "
        f"{run['masked_row']:.2g}.",
        differs("case", "an ordinary call", run["ordinary"]),
        differs("case", "one query may see no key", run["masked_row"]),
        that("case", "flash_attention=True", "an error", run["flash"] or "runs", run["flash"] is not None),
    )
