"""Claims about what the layer computes, beside sums of our own."""

from lessons.claims.claim import Claims, differs, judged, keras, near, same, see

CLAIMS = Claims()
SMALL = {"split": "free", "d_model": 8, "num_heads": 2, "key_dim": 8, "value_dim": 8, "query_len": 6, "key_len": 6}


@CLAIMS.add(
    7,
    "key_dim",
    8,
    "computing the scaled dot-product attention between Q, K, and V",
    "A head computes softmax(QKᵀ / √key_dim) V.",
    keras("heads_apart"),
    see("attention", split="free", d_model=8, num_heads=2, key_dim=3, value_dim=5, query_len=7, key_len=7),
)
def scaled_dot_product(run):
    return judged(
        f"Written out in float64 it is the layer's output within {run['to_concat']:.0e}; without the root it is off by "
        f"{run['without_scale']:.2g}.",
        near("says", "largest difference of the outputs", run["to_concat"], 1e-5),
        differs("says", "the same without the division", run["without_scale"]),
    )


@CLAIMS.add(
    9,
    "key_dim",
    8,
    "This is further combined with all heads via concatenation.",
    "The heads' results are put side by side and then projected.",
    keras("heads_apart"),
    see("concatenation", split="free", d_model=8, num_heads=2, key_dim=3, value_dim=5, query_len=7, key_len=7),
)
def concatenated(run):
    return judged(
        f"True as arithmetic, within {run['to_concat']:.0e}; Keras itself never joins them: its kernel {tuple(run['kernel'])} "
        "sums over heads at once.",
        near("says", "difference to Concat · W_O + b", run["to_concat"], 1e-5),
        same("says", "width of the concatenation", 2 * 5, run["concat"][-1]),
    )


@CLAIMS.add(
    106,
    "blog",
    50,
    "concatinating them and then multiplying them one last time with a weight matrix W_O",
    "The heads' results are put side by side and multiplied by W_O.",
    keras("heads_apart"),
    see("concatenation", split="free", d_model=8, num_heads=2, key_dim=3, value_dim=5, query_len=7, key_len=7),
)
def concat_times_w_o(run):
    return judged(
        f"Concat · W_O + b is the layer's output within {run['to_concat']:.0e}; so is the sum of every head's share, within "
        f"{run['to_sum']:.0e}.",
        near("says", "difference to Concat · W_O + b", run["to_concat"], 1e-5),
        near("says", "difference to the sum over heads", run["to_sum"], 1e-5),
    )


@CLAIMS.add(
    78,
    "none_6_8",
    76,
    "query, key, and value tensors are generated through separate dense layers",
    "Three Dense layers of their own make query, key and value.",
    keras("folding"),
    see("projections", **SMALL),
)
def extra_layers(run):
    extra = run["count_with_dense"] - run["count"]
    return judged(
        f"They add {extra:,} parameters, {run['count_with_dense']:,} instead of {run['count']:,}.",
        same("says", "parameters of three Dense layers of 8 × 8 and 8", 3 * (8 * 8 + 8), extra),
    )


@CLAIMS.add(
    79,
    "none_6_8",
    76,
    "This provides more flexibility, allowing for different transformations of the input",
    "Dense layers before the layer let it compute more than it could alone.",
    keras("folding"),
    see("projections", **SMALL),
    "layer(dense_q(x), dense_v(x), dense_k(x)) - folded(x, x)",
)
def more_flexible(run):
    return judged(
        f"Folded into the kernels they vanish: {run['count']:,} parameters compute the same within {run['difference']:.0e}, of "
        f"values up to {run['scale']:.0f}.",
        differs("says", "difference to the layer alone, Dense folded into its kernels", run["difference"]),
    )
