"""Claims about what a call takes: how many tensors, how wide, how long."""

from lessons.claims.claim import Claims, differs, judged, keras, near, same, see, that

CLAIMS = Claims()
SMALL = {"split": "free", "d_model": 8, "num_heads": 2, "key_dim": 8, "value_dim": 8, "query_len": 6, "key_len": 6}


@CLAIMS.add(
    57,
    "none_6_8",
    10,
    "requires three inputs: queries (Q), keys (K), and values (V)",
    "A call needs three inputs: queries, keys and values.",
    keras("inputs"),
    see("keras_layer", part="call", **SMALL),
    "layer(x)\nlayer(x, x).shape  # x: (10, 6, 8)",
)
def three_inputs(run):
    two = run["two"].get("output")
    return judged(
        f"Two are enough: layer(query, value) gives {tuple(two or ())}, and keys are the values where none are given.",
        that("says", "layer(query, value)", "an error", two or run["two"].get("error"), two is None),
        that("says", "layer(query)", "an error", run["one"].get("error", "runs"), "error" in run["one"]),
    )


@CLAIMS.add(
    59,
    "none_6_8",
    10,
    "ensuring they all have the same embedding dimension (in our case, 8)",
    "Queries, keys and values have to be equally wide.",
    keras("inputs"),
    see("keras_layer", part="shapes", key_width=7, value_width=5, **SMALL),
    "layer(query, value, key).shape  # 8, 5 and 7 wide",
)
def equal_widths(run):
    made = run["widths"]
    kernels = [
        tuple(shape) for path, shape in made.get("variables", ()) if path in ("query/kernel", "key/kernel", "value/kernel")
    ]
    return judged(
        f"Inputs 8, 7 and 5 wide run: each has a kernel of its own, {', '.join(map(str, kernels))}.",
        that("says", "widths 8, 5 and 7", "an error", made.get("output") or made.get("error"), "error" in made),
    )


@CLAIMS.add(
    56,
    "none_6_8",
    6,
    "the requirement for a properly shaped query, key, and value tensors",
    "The shapes of query, key and value are bound to each other by a rule.",
    keras("inputs"),
    see("keras_layer", part="shapes", key_width=7, value_width=5, **SMALL | {"key_len": 9}),
    "layer(query, value, key)",
)
def shape_rule(run):
    return judged(
        "There is one rule only: keys and values must be equally many. Their widths are free, and so is the number of queries.",
        that("says", "6 values with 5 keys", "an error", run["lengths"].get("error", "runs"), "error" in run["lengths"]),
        that(
            "suggests",
            "widths 8, 5 and 7",
            "an error",
            run["widths"].get("output") or run["widths"]["error"],
            "error" in run["widths"],
        ),
        that(
            "suggests",
            "6 queries with 9 keys and values",
            "an error",
            run["two_sequences"].get("output") or run["two_sequences"]["error"],
            "error" in run["two_sequences"],
        ),
    )


@CLAIMS.add(
    58,
    "none_6_8",
    10,
    "typically derived from the same input tensor through linear transformations",
    "Q, K and V are linear maps of one input, and that is how they reach the layer.",
    keras("inputs"),
    see("projections", **SMALL),
)
def projected_before(run):
    inside = [path for path, _ in run["two"]["variables"] if path in ("query/kernel", "key/kernel", "value/kernel")]
    cross = run["two_sequences"]
    return judged(
        f"The maps are inside the layer: it holds {', '.join(f'`{path}`' for path in inside)}, and takes raw tensors.",
        that("says", "one tensor x as layer(x, x)", "runs", run["two"].get("output"), "output" in run["two"]),
        same("suggests", "kernels that the layer itself holds for Q, K, V", 0, len(inside)),
        that(
            "suggests",
            "queries from another tensor than keys and values",
            "an error",
            cross.get("output") or cross.get("error"),
            "error" in cross,
        ),
    )


@CLAIMS.add(
    77,
    "none_6_8",
    67,
    "output_tensor = attention_layer(query_dense, key_dense, value_dense)",
    "`layer(query, key, value)` is the right order.",
    keras("order"),
    see("keras_layer", part="call", **SMALL),
    "layer(q, k, v) - layer(query=q, key=k, value=v)\nlayer(q, k, v) - layer(query=q, key=v, value=k)",
)
def order(run):
    return judged(
        f"It runs and is wrong by up to {run['to_meant']:.2g}: the second place is the value's, so keys and values are swapped.",
        near("says", "difference to the call by keywords", run["to_meant"]),
        differs("says", "difference to the call with keys and values swapped", run["to_swapped"]),
    )
