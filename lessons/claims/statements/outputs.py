"""Claims about what a call gives back: the output's shape."""

from lessons.claims.claim import Claims, judged, keras, near, same, see

CLAIMS = Claims()
SMALL = {"split": "free", "d_model": 8, "num_heads": 2, "key_dim": 8, "value_dim": 8, "query_len": 6, "key_len": 6}


@CLAIMS.add(
    13,
    "key_dim",
    10,
    "final output dimension, which matches the `input_dim` by default",
    "By default the output is as wide as the input.",
    keras("shapes", shape=[2, 6, 16], num_heads=2, key_dim=3, value_dim=5, memory=[2, 7, 11]),
    see(
        "keras_layer", part="shapes", split="free", d_model=16, num_heads=2, key_dim=3, value_dim=5, key_width=11, value_width=11
    ),
)
def as_wide_as_the_query(run):
    return judged(
        f"With queries 16 wide and keys and values 11 wide the output is {run['output'][-1]} wide: the query's width counts.",
        same("says", "width of the output", 16, run["output"][-1]),
    )


@CLAIMS.add(
    14,
    "key_dim",
    10,
    "preserving the sequence length and output dimension of the attention layer",
    "The output has as many positions as the input that asks.",
    keras("shapes", shape=[2, 6, 16], num_heads=2, key_dim=3, memory=[2, 7, 16]),
    see("attention", split="free", d_model=16, num_heads=2, key_dim=3, value_dim=3, query_len=6, key_len=7),
)
def as_long_as_the_query(run):
    return judged(
        f"6 queries that look at 7 keys give {run['output'][1]} rows: one per query.",
        same("says", "rows of the output", 6, run["output"][1]),
    )


@CLAIMS.add(
    15,
    "key_dim",
    10,
    "indicating which input locations should be attended to",
    "The layer turns a sequence into a sequence that says where to look.",
    keras("shapes", shape=[2, 6, 16], num_heads=4, key_dim=4),
    see("attention", d_model=16, num_heads=4, query_len=6),
    "layer(x, x)                                # x: (2, 6, 16)\nlayer(x, x, return_attention_scores=True)",
)
def where_to_look(run):
    return judged(
        f"What comes back is mixed values, {tuple(run['output'])}; the weights, {tuple(run['tuple'][1])}, only come when the "
        "call asks.",
        same("says", "rows of the output", 6, run["output"][1]),
        near("suggests", "first row of the output, its sum apart from 1", abs(run["output_row_sum"] - 1)),
        same("suggests", "shape of what layer(x, x) returns", run["tuple"][1], run["output"]),
    )


@CLAIMS.add(
    63,
    "none_6_8",
    10,
    "The output shape of the `MultiHeadAttention` layer, therefore, remains",
    "The output keeps the input's shape (None, 6, 8), because attention only re-weights the input.",
    keras("shapes", shape=[10, 6, 8], num_heads=2, key_dim=8, output_shape=13),
    see("keras_layer", part="shapes", output_shape=13, **SMALL),
    "MultiHeadAttention(2, 8, output_shape=13)(x, x).shape  # x: (10, 6, 8)",
)
def same_shape(run):
    return judged(
        f"W_O alone decides: with `output_shape=13` the same attention gives {tuple(run['output'])}.",
        same("says", "positions", [10, 6], run["output"][:2]),
        same("suggests", "shape with output_shape=13", [10, 6, 8], run["output"]),
    )


@CLAIMS.add(
    72,
    "none_6_8",
    34,
    "The output shape confirms that the sequence length and embedding dimension are preserved",
    "An input of (10, 6, 8) comes out with the same length and width.",
    keras("shapes", shape=[10, 6, 8], num_heads=2, key_dim=8),
    see("keras_layer", part="shapes", **SMALL),
)
def shape_kept(run):
    return judged(
        f"(10, 6, 8) comes out as {tuple(run['output'])}.", same("says", "shape of the output", [10, 6, 8], run["output"])
    )


@CLAIMS.add(
    69,
    "none_6_8",
    24,
    "# Q, K, V are all the same",
    "In self-attention all three inputs are one tensor.",
    keras("shapes", shape=[10, 6, 8], num_heads=2, key_dim=8),
    see("projections", split="free", d_model=8, num_heads=2, key_dim=8, value_dim=8),
)
def one_tensor(run):
    return judged(
        f"One tensor serves as all three inputs, and the call gives {tuple(run['output'])}; the Q, K and V made inside differ.",
        same("says", "shape of layer(x, x)", [10, 6, 8], run["output"]),
    )
