"""Claims about key_dim and value_dim: how wide a head is, and what that leaves free."""

from lessons.claims.claim import Claims, judged, keras, same, see, that

CLAIMS = Claims()
SMALL = {"split": "free", "d_model": 8, "num_heads": 2, "key_dim": 8, "value_dim": 8, "query_len": 6}


def of(run: dict, path: str) -> list:
    return dict(run["variables"])[path]


@CLAIMS.add(
    5,
    "key_dim",
    8,
    "with dimensions `key_dim`, `key_dim`, and `value_dim` respectively",
    "One head turns its input into Q, K and V that are key_dim, key_dim and value_dim wide.",
    keras("weights", d_model=11, num_heads=3, key_dim=5, value_dim=7),
    see("projections", split="free", d_model=11, num_heads=3, key_dim=5, value_dim=7),
)
def widths(run):
    found = [of(run, f"{name}/kernel") for name in ("query", "key", "value")]
    return judged(
        f"The kernels are {', '.join(str(tuple(shape)) for shape in found)}: the last axis is what one head makes.",
        same("says", "width of one head's Q, K, V", [5, 5, 7], [shape[-1] for shape in found]),
    )


@CLAIMS.add(
    68,
    "none_6_8",
    23,
    "MultiHeadAttention(num_heads=2, key_dim=8)",
    "A layer with 2 heads and key_dim 8 takes an input of (None, 6, 8) as it is.",
    keras("shapes", shape=[10, 6, 8], num_heads=2, key_dim=8),
    see("keras_layer", part="variables", **SMALL),
    "layer = MultiHeadAttention(num_heads=2, key_dim=8)\nlayer(x, x).shape  # x: (10, 6, 8)",
)
def standard_example(run):
    return judged(
        f"It runs, with {run['count']:,} parameters: the heads together are 2 × 8 = 16 wide, twice the input.",
        same("says", "shape of the output", [10, 6, 8], run["output"]),
    )


@CLAIMS.add(
    71,
    "none_6_8",
    34,
    "`key_dim` must match the last dimension of the input tensor.",
    "key_dim has to equal the width of the input.",
    keras("key_dims", d_model=8, num_heads=2, key_dims=[1, 3, 4, 8, 64]),
    see("heads", split="free", d_model=8, num_heads=2, key_dim=3, value_dim=3, query_len=6),
    "for n in (1, 3, 4, 8, 64):\n    print(n, MultiHeadAttention(2, key_dim=n)(x, x).shape)  # x: (10, 6, 8)",
)
def key_dim_is_free(run):
    ran = [one for one in run["runs"] if one.get("output") == [10, 6, 8]]
    counts = ", ".join(f"{one['count']:,}" for one in ran)
    return judged(
        f"All {len(ran)} run and give (10, 6, 8), with {counts} parameters: W_O maps whatever comes back to the input's width.",
        that(
            "says",
            "other values than 8 that run",
            "none",
            ", ".join(str(o["key_dim"]) for o in ran if o["key_dim"] != 8),
            not [one for one in ran if one["key_dim"] != 8],
        ),
    )


@CLAIMS.add(
    24,
    "key_dim",
    16,
    "incorrect to think `key_dim` primarily controls the output dimensionality",
    "key_dim does not decide how wide the output is.",
    keras("key_dims", d_model=8, num_heads=2, key_dims=[1, 3, 4, 8, 64]),
    see("concatenation", split="free", d_model=8, num_heads=2, key_dim=3, value_dim=3),
)
def output_width(run):
    widths = sorted({one["output"][-1] for one in run["runs"]})
    sizes = ", ".join(str(one["key_dim"]) for one in run["runs"])
    return judged(
        f"For key_dim {sizes} the output is {' or '.join(map(str, widths))} wide.",
        same("says", "different widths of the output", 1, len(widths)),
    )


@CLAIMS.add(
    40,
    "key_dim",
    66,
    "though this is not necessary",
    "Heads times key_dim need not equal the width of the input.",
    keras("shapes", shape=[10, 6, 8], num_heads=3, key_dim=5),
    see("heads", split="free", d_model=8, num_heads=3, key_dim=5, value_dim=5, query_len=6),
)
def any_width(run):
    return judged(
        f"3 heads of 5 on an input 8 wide give {tuple(run['output'])}, with {run['count']:,} parameters.",
        same("says", "shape of the output", [10, 6, 8], run["output"]),
    )


@CLAIMS.add(
    6,
    "key_dim",
    8,
    "it usually defaults to the value of `key_dim`",
    "Left out, value_dim is key_dim.",
    keras("weights", d_model=11, num_heads=3, key_dim=5),
    see("keras_layer", part="variables", split="free", d_model=11, num_heads=3, key_dim=5, value_dim=5),
    "MultiHeadAttention(num_heads=3, key_dim=5)  # inputs 11 wide",
)
def value_dim_default(run):
    shape = dict(run["variables"])["value/kernel"]
    return judged(
        f"Always, not only usually: without value_dim the value kernel is {tuple(shape)}.",
        same("says", "value_dim that is built", 5, shape[-1]),
    )
