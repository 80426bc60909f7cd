"""Claims about what each head reads and which matrices are its own."""

from lessons.claims.claim import Claims, differs, judged, keras, near, numpy, same, see

CLAIMS = Claims()
HERE = {"d_model": 16, "num_heads": 4, "query_len": 6}


@CLAIMS.add(
    88,
    "blog",
    26,
    "The embeddings (X) are multiplied with weight matrices",
    "Q, K and V come from multiplying X by matrices.",
    numpy("projections", d_model=16, num_heads=4),
    see("projections", **HERE),
)
def multiplied(run):
    return judged(
        f"X times each kernel, and a bias that the blog leaves out, is Q, K and V within {run['to_by_hand']:.0e}.",
        near("says", "difference to X W + b", run["to_by_hand"], 1e-5),
        differs("says", "difference of Q and K", run["q_to_k"], claimed="not the same"),
    )


@CLAIMS.add(
    70,
    "none_6_8",
    34,
    "use two separate sets of query, key, and value transformations",
    "With 2 heads there are two sets of W_Q, W_K and W_V.",
    keras("weights", d_model=8, num_heads=2, key_dim=8),
    see("projections", split="free", d_model=8, num_heads=2, key_dim=8, value_dim=8, cut="keras"),
)
def two_sets(run):
    shapes = dict(run["variables"])
    heads = {shapes[f"{name}/kernel"][1] for name in ("query", "key", "value")}
    return judged(
        f"As slices of one array each: `query/kernel` is {tuple(shapes['query/kernel'])}, its middle axis the head.",
        same("says", "length of the heads' axis, in all three kernels", "2", ", ".join(map(str, sorted(heads)))),
    )


@CLAIMS.add(
    91,
    "blog",
    32,
    "is not just multiplied once with the weight matrices",
    "X is multiplied h times, by h different matrices, to get Q.",
    numpy("one_product", **HERE),
    see("projections", cut="fused", **HERE),
)
def h_products(run):
    rows, columns = run["flat"]
    return judged(
        f"As mathematics; one product with a {rows} × {columns} matrix gives the same numbers, apart by {run['difference']:.0e}, "
        "and is what runs.",
        differs("says", "least difference of two heads' Q", run["between_heads"], claimed="not the same"),
        differs("suggests", "difference to a single product", run["difference"]),
    )


@CLAIMS.add(
    99,
    "blog",
    44,
    "the input embeddings are not split but rather copied",
    "Every head gets the whole embedding, not a part of it.",
    numpy("reads_all", d_model=16, num_heads=4),
    see("projections", d_model=16, num_heads=4),
)
def copied(run):
    return judged(
        f"A change of any of the {run['features']} features moves every head's Q; what is cut is the projected width, "
        f"{run['head_size']} columns a head.",
        same("says", "features that each head reads", [16] * 4, run["moved"]),
    )


@CLAIMS.add(
    100,
    "blog",
    44,
    "different weight matrices (heads) to calculate the respective Queries, Keys and Values",
    "Each head has matrices of its own.",
    numpy("one_product", **HERE),
    see("projections", **HERE),
)
def own_matrices(run):
    return judged(
        f"{run['products_apart']} heads, and no two make the same Q: they differ by {run['between_heads']:.2g} or more.",
        differs("says", "least difference of two heads' Q", run["between_heads"], claimed="not the same"),
    )


@CLAIMS.add(
    102,
    "blog",
    48,
    "Each head is responsible to fully calculate the attention for the whole embedding",
    "A head computes full attention for the whole embedding, not for a subset.",
    numpy("reads_all", d_model=16, num_heads=4),
    see("projections", d_model=16, num_heads=4),
)
def whole_embedding(run):
    return judged(
        f"It reads all {run['read']} features, but compares them through W_Q W_Kᵀ of rank {max(run['ranks'])}: d_k directions, "
        f"not {run['features']}.",
        same("says", "features that each head reads", [16] * 4, run["moved"]),
        same("suggests", "rank of each head's W_Q W_Kᵀ", [16] * 4, run["ranks"]),
    )
