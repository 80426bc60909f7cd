"""Claims about the concatenation: how wide it is, and where W_O takes it."""

from lessons.claims.claim import Claims, judged, numpy, same, see, that
from lessons.claims.statements.layers import EIGHT, FOUR, FREE, NARROW, both

CLAIMS = Claims()


@CLAIMS.add(
    12,
    "key_dim",
    10,
    "resulting in a representation of `num_heads * value_dim` dimensionality",
    "The heads' results together are num_heads × value_dim wide.",
    numpy("one_head", d_model=21, num_heads=3, query_len=5, value_dim=11),
    see("concatenation", d_model=21, num_heads=3, key_dim=7, value_dim=11, query_len=5, key_len=5, **FREE),
)
def joined_width(run):
    return judged(
        f"3 heads of 11 give a matrix of {run['concat'][0]} × {run['concat'][1]}.",
        same("says", "width of Concat", 3 * 11, run["concat"][1]),
    )


@CLAIMS.add(
    35,
    "key_dim",
    42,
    "which is projected down to 512 after the head concatenation",
    "W_O projects the concatenation down to 512.",
    numpy("costs", layers=[EIGHT]),
    see("concatenation", **FREE, **EIGHT),
)
def projected_down(run):
    (layer,) = run["layers"]
    return judged(
        f"From {layer['concat']} to {layer['out']}: W_O mixes the heads and makes nothing narrower here.",
        same("says", "width after W_O", 512, layer["out"]),
        that(
            "suggests", "columns fewer than before", "more than 0", layer["concat"] - layer["out"], layer["concat"] > layer["out"]
        ),
    )


@CLAIMS.add(
    38,
    "key_dim",
    66,
    "reduced the number of heads but increased the `key_dim`",
    "From 8 heads of 64 to 4 heads of 128, the heads together stay equally wide.",
    numpy("costs", layers=[EIGHT, FOUR]),
    see("heads", d_model=512, num_heads=4),
)
def traded(run):
    (eight, four), counts = both(run, "concat"), both(run, "count")
    return judged(
        f"{eight} and {four} wide, and therefore {counts[0]:,} and {counts[1]:,} parameters, which the article never says.",
        same("says", "width with 4 heads, of that with 8", eight, four),
        same("says", "parameters", *counts),
    )


@CLAIMS.add(
    47,
    "key_dim",
    91,
    "the combined output before projection has dimension 256",
    "8 heads with value_dim 32 are 256 wide together.",
    numpy("costs", layers=[NARROW]),
    see("concatenation", **FREE, **NARROW),
)
def combined_width(run):
    (layer,) = run["layers"]
    return judged(
        f"8 × 32 = {layer['concat']}, which the shapes printed in the same article contradict.",
        same("says", "width of Concat", 256, layer["concat"]),
    )


@CLAIMS.add(
    48,
    "key_dim",
    91,
    "the final output of the layer is still 512 due to the output projection layer",
    "The output is 512 wide all the same, because W_O maps back.",
    numpy("costs", layers=[NARROW]),
    see("concatenation", **FREE, **NARROW),
)
def still_512(run):
    (layer,) = run["layers"]
    shape = layer["shapes"]["attention_output/kernel"]
    return judged(
        f"W_O is {tuple(shape)}: {shape[0] * shape[1]} columns in, {shape[2]} out.",
        same("says", "width of the output", 512, layer["out"]),
        same("says", "last axis of W_O", 512, shape[-1]),
    )


@CLAIMS.add(
    107,
    "blog",
    50,
    "with dimensions *hd_v *x *d_model*",
    "W_O has h · d_v rows and d_model columns.",
    numpy("one_head", d_model=21, num_heads=3, query_len=5, value_dim=11),
    see("concatenation", d_model=21, num_heads=3, key_dim=7, value_dim=11, query_len=5, key_len=5, **FREE),
)
def w_o(run):
    h, v, m = run["w_o"]
    return judged(
        f"Kept as {tuple(run['w_o'])} in Keras, it is a matrix of {h} · {v} = {h * v} rows and {m} columns.",
        same("says", "rows and columns", [3 * 11, 21], [h * v, m]),
    )
