"""Claims about the arrays that the layer holds: how many, which shapes, in which order."""

from lessons.claims.claim import Claims, judged, keras, same, see

CLAIMS = Claims()
BASE = {"d_model": 512, "num_heads": 8, "key_dim": 64}
ON_THE_PAGE = {"split": "free", "d_model": 512, "num_heads": 8, "key_dim": 64, "value_dim": 64}
LAYER = "layer = MultiHeadAttention(num_heads=8, key_dim=64)  # built for inputs 512 wide\n"


def at(run: dict, place: int) -> tuple[str, list]:
    """Path and shape of the variable at this place of `trainable_weights`."""
    path, shape = run["variables"][place]
    return path, shape


def of(run: dict, path: str) -> list:
    return dict(run["variables"])[path]


@CLAIMS.add(
    27,
    "key_dim",
    35,
    "len(attention_layer.trainable_weights)) # Expected: 4",
    "With its default arguments the layer has four trainable arrays: W_Q, W_K, W_V and W_O.",
    keras("weights", **BASE),
    see("keras_layer", part="variables", **ON_THE_PAGE),
    LAYER + "len(layer.trainable_weights)",
)
def four_arrays(run):
    kernels = sum(path.endswith("kernel") for path, _ in run["variables"])
    found = len(run["variables"])
    return judged(
        f"Each of the {kernels} kernels has a bias by default, so there are {found} arrays; `use_bias=False` leaves {kernels}.",
        same("says", "trainable arrays", 4, found),
    )


@CLAIMS.add(
    28,
    "key_dim",
    36,
    "trainable_weights[0].shape) # Expected: (512, 512)",
    "The query kernel is a matrix of 512 × 512.",
    keras("weights", **BASE),
    see("projections", cut="keras", **ON_THE_PAGE),
    LAYER + "layer.trainable_weights[0].shape",
)
def query_kernel(run):
    path, shape = at(run, 0)
    return judged(
        f"Keras keeps the heads as an axis of their own: `{path}` is {tuple(shape)}; only reshaped would it be square.",
        same("says", "shape at place 0", [512, 512], shape),
    )


@CLAIMS.add(
    29,
    "key_dim",
    37,
    "trainable_weights[1].shape) # Expected: (512, 512)",
    "The second trainable array is the key kernel, 512 × 512.",
    keras("weights", **BASE),
    see("keras_layer", part="variables", **ON_THE_PAGE),
    LAYER + "layer.trainable_weights[1]",
)
def second_array(run):
    path, shape = at(run, 1)
    return judged(
        f"Biases stand between the kernels: place 1 holds `{path}` with shape {tuple(shape)}.",
        same("says", "array at place 1", "key/kernel", path),
        same("says", "its shape", [512, 512], shape),
    )


@CLAIMS.add(
    30,
    "key_dim",
    38,
    "trainable_weights[2].shape) # Expected: (512, 512)",
    "The third trainable array is the value kernel, 512 × 512.",
    keras("weights", **BASE),
    see("keras_layer", part="variables", **ON_THE_PAGE),
    LAYER + "layer.trainable_weights[2]",
)
def third_array(run):
    path, shape = at(run, 2)
    return judged(
        f"Place 2 holds `{path}`, {tuple(shape)}: with the biases between, every kernel stands at an even place.",
        same("says", "array at place 2", "value/kernel", path),
        same("says", "its shape", [512, 512], shape),
    )


@CLAIMS.add(
    31,
    "key_dim",
    39,
    "trainable_weights[3].shape) # Expected: (512, 512)",
    "The fourth trainable array is the output projection, 512 × 512.",
    keras("weights", **BASE),
    see("keras_layer", part="variables", **ON_THE_PAGE),
    LAYER + "layer.trainable_weights[3]",
)
def fourth_array(run):
    path, shape = at(run, 3)
    place = [path for path, _ in run["variables"]].index("attention_output/kernel")
    return judged(
        f"Place 3 holds `{path}`, {tuple(shape)}; the output kernel is at place {place}: {tuple(at(run, place)[1])}.",
        same("says", "array at place 3", "attention_output/kernel", path),
        same("says", "its shape", [512, 512], shape),
    )


@CLAIMS.add(
    37,
    "key_dim",
    51,
    "num_heads = 4\nkey_dim = 128",
    "With 4 heads and key_dim 128 the layer has four trainable arrays, all of 512 × 512.",
    keras("weights", d_model=512, num_heads=4, key_dim=128),
    see("keras_layer", part="variables", split="free", d_model=512, num_heads=4, key_dim=128, value_dim=128),
    LAYER.replace("8", "4", 1).replace("64", "128") + "[w.shape for w in layer.trainable_weights]",
)
def fewer_heads(run):
    shapes = [shape for _, shape in run["variables"]]
    return judged(
        f"It has {len(shapes)} arrays and the first is {tuple(shapes[0])}; what stays is the count, {run['count']:,}.",
        same("says", "trainable arrays", 4, len(shapes)),
        same("says", "shape at place 0", [512, 512], shapes[0]),
    )


@CLAIMS.add(
    44,
    "key_dim",
    79,
    "MultiHeadAttention(num_heads=num_heads, key_dim=key_dim, value_dim = value_dim)",
    "With value_dim 32 the kernels of values and output are still as large as 512 × 512.",
    keras("weights", value_dim=32, **BASE),
    see("keras_layer", part="variables", **ON_THE_PAGE | {"value_dim": 32}),
    LAYER.replace("64)", "64, value_dim=32)") + "layer.count_params()",
)
def narrow_values(run):
    value, output = of(run, "value/kernel"), of(run, "attention_output/kernel")
    return judged(
        f"Even flattened they are 512 × {value[1] * value[2]} and {output[0] * output[1]} × 512: value_dim narrows both.",
        same("says", "numbers in value/kernel", 512 * 512, value[0] * value[1] * value[2]),
        same("says", "numbers in attention_output/kernel", 512 * 512, output[0] * output[1] * output[2]),
    )
