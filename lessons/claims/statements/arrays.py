"""Claims about the layer as it is built: its arguments, the arrays that it holds, and how wide they are."""

from lessons.claims.records import KEY_DIM, NONE_6_8, Claims, check, equal, free, judgement, keras, see

CLAIMS = Claims()
BASE = {"d_model": 512, "num_heads": 8, "key_dim": 64}
ON_THE_PAGE = free(512, 8, 64)
LAYER = "layer = MultiHeadAttention(num_heads=8, key_dim=64)  # built for inputs 512 wide\n"
KERNELS = ("query/kernel", "key/kernel", "value/kernel")


def variable(run: dict, index: int) -> tuple[str, list]:
    """Path and shape of the variable at this index of `trainable_weights`."""
    path, shape = run["variables"][index]
    return path, shape


@CLAIMS.add(
    number=73,
    source=NONE_6_8.line(43, "MultiHeadAttention(num_heads=2, key_dim=8, return_attention_scores=True)"),
    says="`return_attention_scores=True` is passed when the layer is created.",
    run=keras("signature"),
    see=see("keras_layer", part="call", **free(8, 2, 8, query_len=6)),
    code="MultiHeadAttention(num_heads=2, key_dim=8, return_attention_scores=True)",
)
def scores_in_constructor(run):
    place = "call" if "return_attention_scores" in run["call"] else "constructor"
    return judgement(
        f"It is an argument of the {place}; the constructor refuses it.",
        check("says", "the constructor", "takes it", run["error"] or "takes it", run["error"] is None),
    )


@CLAIMS.add(
    number=32,
    source=KEY_DIM.line(42, "we use the standard `key_dim`"),
    says="64 is the standard key_dim.",
    run=keras("signature"),
    see=see("heads", **ON_THE_PAGE),
    code="inspect.signature(MultiHeadAttention)",
)
def standard_key_dim(run):
    default = run["constructor"]["key_dim"]
    return judgement(
        f"It is d_model / h in the paper's base model, 512 / 8 = {512 // 8}, but no standard of the layer: there, key_dim is "
        f"{default}.",
        equal("says", "512 / 8", 64, 512 // 8),
        check("suggests", "default of key_dim in Keras", "64", default, default == "64"),
    )


@CLAIMS.add(
    number=27,
    source=KEY_DIM.line(35, "len(attention_layer.trainable_weights)) # Expected: 4"),
    says="With its default arguments, the layer has four trainable arrays: W_Q, W_K, W_V and W_O.",
    run=keras("weights", **BASE),
    see=see("keras_layer", part="variables", **ON_THE_PAGE),
    code=LAYER + "len(layer.trainable_weights)",
)
def four_arrays(run):
    kernels = sum(path.endswith("kernel") for path, _ in run["variables"])
    arrays = len(run["variables"])
    return judgement(
        f"Each of the {kernels} kernels has a bias by default, so there are {arrays} arrays; `use_bias=False` leaves {kernels}.",
        equal("says", "trainable arrays", 4, arrays),
    )


@CLAIMS.add(
    number=28,
    source=KEY_DIM.line(36, "trainable_weights[0].shape) # Expected: (512, 512)"),
    says="The query kernel is a 512 × 512 matrix.",
    run=keras("weights", **BASE),
    see=see("projections", cut="keras", **ON_THE_PAGE),
    code=LAYER + "layer.trainable_weights[0].shape",
)
def query_kernel(run):
    path, shape = variable(run, 0)
    return judgement(
        f"Keras keeps a separate axis for the heads: `{path}` is {tuple(shape)}. It is square only after reshaping.",
        equal("says", "shape at index 0", [512, 512], shape),
    )


def _array_at(index: int, number: int, line: int, says: str, wanted: str) -> None:
    """The article expects the four kernels at the first four places of `trainable_weights`; `wanted`: the one at this index."""

    @CLAIMS.add(
        number=number,
        source=KEY_DIM.line(line, f"trainable_weights[{index}].shape) # Expected: (512, 512)"),
        says=says,
        run=keras("weights", **BASE),
        see=see("keras_layer", part="variables", **ON_THE_PAGE),
        code=LAYER + f"layer.trainable_weights[{index}]",
    )
    def judge(run):
        path, shape = variable(run, index)
        place = [path for path, _ in run["variables"]].index(wanted)
        return judgement(
            f"Index {index} holds `{path}`, {tuple(shape)}. A bias follows each kernel, so `{wanted}` is at index {place}: "
            f"{tuple(variable(run, place)[1])}.",
            equal("says", f"array at index {index}", wanted, path),
            equal("says", "its shape", [512, 512], shape),
        )


_array_at(1, 29, 37, "The second trainable array is the key kernel, 512 × 512.", "key/kernel")
_array_at(2, 30, 38, "The third trainable array is the value kernel, 512 × 512.", "value/kernel")
_array_at(3, 31, 39, "The fourth trainable array is the output projection, 512 × 512.", "attention_output/kernel")


@CLAIMS.add(
    number=37,
    source=KEY_DIM.line(51, "num_heads = 4\nkey_dim = 128"),
    says="With 4 heads and key_dim 128, the layer has four trainable arrays, each 512 × 512.",
    run=keras("weights", d_model=512, num_heads=4, key_dim=128),
    see=see("keras_layer", part="variables", **free(512, 4, 128)),
    code=LAYER.replace("8", "4", 1).replace("64", "128") + "[w.shape for w in layer.trainable_weights]",
)
def fewer_heads(run):
    shapes = [shape for _, shape in run["variables"]]
    return judgement(
        f"It has {len(shapes)} arrays, and the first is {tuple(shapes[0])}. What stays is the number of parameters, "
        f"{run['count']:,}.",
        equal("says", "trainable arrays", 4, len(shapes)),
        equal("says", "shape at index 0", [512, 512], shapes[0]),
    )


@CLAIMS.add(
    number=44,
    source=KEY_DIM.line(79, "MultiHeadAttention(num_heads=num_heads, key_dim=key_dim, value_dim = value_dim)"),
    says="With value_dim 32, the value and output kernels are still as large as 512 × 512.",
    run=keras("weights", value_dim=32, **BASE),
    see=see("keras_layer", part="variables", **free(512, 8, 64, 32)),
    code=LAYER.replace("64)", "64, value_dim=32)") + "layer.count_params()",
)
def narrow_values(run):
    shapes = dict(run["variables"])
    value, output = shapes["value/kernel"], shapes["attention_output/kernel"]
    return judgement(
        f"Even flattened they are 512 × {value[1] * value[2]} and {output[0] * output[1]} × 512: value_dim narrows both.",
        equal("says", "numbers in value/kernel", 512 * 512, value[0] * value[1] * value[2]),
        equal("says", "numbers in attention_output/kernel", 512 * 512, output[0] * output[1] * output[2]),
    )


@CLAIMS.add(
    number=5,
    source=KEY_DIM.line(8, "with dimensions `key_dim`, `key_dim`, and `value_dim` respectively"),
    says="One head turns its input into Q, K and V that are key_dim, key_dim and value_dim wide.",
    run=keras("weights", d_model=11, num_heads=3, key_dim=5, value_dim=7),
    see=see("projections", **free(11, 3, 5, 7)),
)
def widths(run):
    shapes = [dict(run["variables"])[path] for path in KERNELS]
    return judgement(
        f"The kernels are {', '.join(str(tuple(shape)) for shape in shapes)}: the last axis is the width of one head.",
        equal("says", "width of one head's Q, K and V", [5, 5, 7], [shape[-1] for shape in shapes]),
    )


@CLAIMS.add(
    number=6,
    source=KEY_DIM.line(8, "it usually defaults to the value of `key_dim`"),
    says="Unless it is given, value_dim equals key_dim.",
    run=keras("weights", d_model=11, num_heads=3, key_dim=5),
    see=see("keras_layer", part="variables", **free(11, 3, 5)),
    code="MultiHeadAttention(num_heads=3, key_dim=5)  # inputs 11 wide",
)
def value_dim_default(run):
    shape = dict(run["variables"])["value/kernel"]
    return judgement(
        f"Always, not just usually: without value_dim, the value kernel is {tuple(shape)}.",
        equal("says", "value_dim of the built layer", 5, shape[-1]),
    )


@CLAIMS.add(
    number=70,
    source=NONE_6_8.line(34, "use two separate sets of query, key, and value transformations"),
    says="With 2 heads, there are two sets of W_Q, W_K and W_V.",
    run=keras("weights", d_model=8, num_heads=2, key_dim=8),
    see=see("projections", **free(8, 2, 8), cut="keras"),
)
def two_sets(run):
    shapes = dict(run["variables"])
    heads = {shapes[path][1] for path in KERNELS}
    return judgement(
        f"They are slices of one array each: `query/kernel` is {tuple(shapes['query/kernel'])}, and its middle axis is the head.",
        equal("says", "length of the head axis in all three kernels", "2", ", ".join(map(str, sorted(heads)))),
    )


@CLAIMS.add(
    number=68,
    source=NONE_6_8.line(23, "MultiHeadAttention(num_heads=2, key_dim=8)"),
    says="A layer with 2 heads and key_dim 8 takes an input of shape (None, 6, 8) as it is.",
    run=keras("shapes", shape=[10, 6, 8], num_heads=2, key_dim=8),
    see=see("keras_layer", part="variables", **free(8, 2, 8, query_len=6)),
    code="layer = MultiHeadAttention(num_heads=2, key_dim=8)\nlayer(x, x).shape  # x: (10, 6, 8)",
)
def standard_example(run):
    return judgement(
        f"It runs, with {run['count']:,} parameters: together the heads are 2 × 8 = 16 wide, twice the width of the input.",
        equal("says", "shape of the output", [10, 6, 8], run["output"]),
    )


@CLAIMS.add(
    number=71,
    source=NONE_6_8.line(34, "`key_dim` must match the last dimension of the input tensor."),
    says="key_dim must equal the width of the input.",
    run=keras("key_dims", d_model=8, num_heads=2, key_dims=[1, 3, 4, 8, 64]),
    see=see("heads", **free(8, 2, 3, query_len=6)),
    code="for n in (1, 3, 4, 8, 64):\n    print(n, MultiHeadAttention(2, key_dim=n)(x, x).shape)  # x: (10, 6, 8)",
)
def key_dim_is_free(run):
    succeeded = [one for one in run["runs"] if one.get("output") == [10, 6, 8]]
    counts = ", ".join(f"{one['count']:,}" for one in succeeded)
    others = [str(one["key_dim"]) for one in succeeded if one["key_dim"] != 8]
    return judgement(
        f"All {len(succeeded)} run and give (10, 6, 8), with {counts} parameters: W_O maps any number of columns back to the "
        "input's width.",
        check("says", "values other than 8 that run", "none", ", ".join(others), not others),
    )


@CLAIMS.add(
    number=24,
    source=KEY_DIM.line(16, "incorrect to think `key_dim` primarily controls the output dimensionality"),
    says="key_dim does not decide how wide the output is.",
    run=keras("key_dims", d_model=8, num_heads=2, key_dims=[1, 3, 4, 8, 64]),
    see=see("concatenation", **free(8, 2, 3)),
)
def output_width(run):
    widths = sorted({one["output"][-1] for one in run["runs"]})
    sizes = ", ".join(str(one["key_dim"]) for one in run["runs"])
    return judgement(
        f"For key_dim {sizes}, the output is {' or '.join(map(str, widths))} wide.",
        equal("says", "different widths of the output", 1, len(widths)),
    )


@CLAIMS.add(
    number=40,
    source=KEY_DIM.line(66, "though this is not necessary"),
    says="num_heads times key_dim need not equal the width of the input.",
    run=keras("shapes", shape=[10, 6, 8], num_heads=3, key_dim=5),
    see=see("heads", **free(8, 3, 5, query_len=6)),
)
def any_width(run):
    return judgement(
        f"3 heads of 5 on an input 8 wide give {tuple(run['output'])}, with {run['count']:,} parameters.",
        equal("says", "shape of the output", [10, 6, 8], run["output"]),
    )
