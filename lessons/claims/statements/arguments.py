"""Claims about the layer's arguments: where they belong and what they default to."""

from lessons.claims.claim import Claims, judged, keras, same, see, that

CLAIMS = Claims()
SMALL = {"split": "free", "d_model": 8, "num_heads": 2, "key_dim": 8, "value_dim": 8, "query_len": 6, "key_len": 6}
BASE = {"split": "free", "d_model": 512, "num_heads": 8, "key_dim": 64, "value_dim": 64}


@CLAIMS.add(
    73,
    "none_6_8",
    43,
    "MultiHeadAttention(num_heads=2, key_dim=8, return_attention_scores=True)",
    "`return_attention_scores=True` is given when the layer is made.",
    keras("signature"),
    see("keras_layer", part="call", **SMALL),
    "MultiHeadAttention(num_heads=2, key_dim=8, return_attention_scores=True)",
)
def scores_in_constructor(run):
    place = "call" if "return_attention_scores" in run["call"] else "constructor"
    return judged(
        f"It belongs to the {place}; the constructor refuses it.",
        that("says", "the constructor", "takes it", run["error"] or "takes it", run["error"] is None),
    )


@CLAIMS.add(
    74,
    "none_6_8",
    44,
    "output_tensor, attention_scores = attention_layer(input_tensor, input_tensor)",
    "A plain `layer(x, x)` can be unpacked into output and scores.",
    keras("shapes", shape=[10, 6, 8], num_heads=2, key_dim=8),
    see("keras_layer", part="call", **SMALL),
    "layer = MultiHeadAttention(2, 8)\nlayer(x, x)  # x: (10, 6, 8)",
)
def plain_call(run):
    return judged(
        f"A plain call gives one {run['returns'].lower()}, {tuple(run['output'])}; only the call that asks for scores gives "
        f"{len(run['tuple'])} parts.",
        same("says", "what layer(x, x) returns", "tuple", run["returns"]),
    )


@CLAIMS.add(
    32,
    "key_dim",
    42,
    "we use the standard `key_dim`",
    "64 is the standard key_dim.",
    keras("signature"),
    see("heads", **BASE),
    "inspect.signature(MultiHeadAttention)",
)
def standard_key_dim(run):
    default = run["constructor"]["key_dim"]
    return judged(
        f"It is d_model / h of the paper's base model, 512 / 8 = {512 // 8}, but no standard of the layer: there key_dim is "
        f"{default}.",
        same("says", "512 / 8", 64, 512 // 8),
        that("suggests", "default of key_dim in Keras", "64", default, default == "64"),
    )
