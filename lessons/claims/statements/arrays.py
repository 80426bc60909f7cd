"""Claims about the layer as it is built: its arguments, the arrays that it holds, and how wide they are."""

from lessons.claims.records import KEY_DIM, NONE_6_8, Questions, check, equal, free, judged, keras, see

QUESTIONS = Questions("Arrays")
BASE = {"d_model": 512, "num_heads": 8, "key_dim": 64}
ON_THE_PAGE = free(512, 8, 64)
LAYER = "layer = MultiHeadAttention(num_heads=8, key_dim=64)  # built for inputs 512 wide\n"
SIZES = keras("key_dims", d_model=8, num_heads=2, key_dims=[1, 3, 4, 8, 64])


@QUESTIONS.add("c73", "`return_attention_scores=True` is passed when the layer is created.",
    NONE_6_8.line(43, "MultiHeadAttention(num_heads=2, key_dim=8, return_attention_scores=True)"),
    see("keras_layer", part="call", **free(8, 2, 8, query_len=6)), keras("signature"),
    code="MultiHeadAttention(num_heads=2, key_dim=8, return_attention_scores=True)",
)  # fmt: skip
def scores_in_constructor(run):
    place = "call" if "return_attention_scores" in run["call"] else "constructor"
    return judged(
        f"It is an argument of the {place}; the constructor refuses it.",
        check("says", "the constructor", "takes it", run["error"] or "takes it", run["error"] is None),
    )


QUESTIONS.state(
    "c32", "64 is the standard key_dim.", KEY_DIM.line(42, "we use the standard `key_dim`"), see("heads", **ON_THE_PAGE),
    keras("signature"), code="inspect.signature(MultiHeadAttention)",
    says="It is d_model / h in the paper's base model, 512 / 8 = 64, but no standard of the layer: there, key_dim is "
    "{constructor[key_dim]}.",
    checks=lambda run: [
        equal("says", "512 / 8", 64, 512 // 8),
        equal("suggests", "default of key_dim in Keras", "64", run["constructor"]["key_dim"]),
    ],
)  # fmt: skip


@QUESTIONS.add("c27", "With its default arguments, the layer has four trainable arrays: W_Q, W_K, W_V and W_O.",
    KEY_DIM.line(35, "len(attention_layer.trainable_weights)) # Expected: 4"),
    see("keras_layer", part="variables", **ON_THE_PAGE), keras("weights", **BASE), code=LAYER + "len(layer.trainable_weights)",
)  # fmt: skip
def four_arrays(run):
    kernels = sum(path.endswith("kernel") for path, _ in run["variables"])
    arrays = len(run["variables"])
    return judged(
        f"Each of the {kernels} kernels has a bias by default, so there are {arrays} arrays; `use_bias=False` leaves {kernels}.",
        equal("says", "trainable arrays", 4, arrays),
    )


QUESTIONS.state(
    "c28", "The query kernel is a 512 × 512 matrix.", KEY_DIM.line(36, "trainable_weights[0].shape) # Expected: (512, 512)"),
    see("projections", cut="keras", **ON_THE_PAGE), keras("weights", **BASE), code=LAYER + "layer.trainable_weights[0].shape",
    says="Keras keeps a separate axis for the heads: `{variables[0][0]}` is {variables[0][1]}. It is square only after "
    "reshaping.",
    checks=lambda run: [equal("says", "shape at index 0", [512, 512], run["variables"][0][1])],
)  # fmt: skip


@QUESTIONS.add("c44", "With value_dim 32, the value and output kernels are still as large as 512 × 512.",
    KEY_DIM.line(79, "MultiHeadAttention(num_heads=num_heads, key_dim=key_dim, value_dim = value_dim)"),
    see("keras_layer", part="variables", **free(512, 8, 64, 32)), keras("weights", value_dim=32, **BASE),
    code=LAYER.replace("64)", "64, value_dim=32)") + "layer.count_params()",
)  # fmt: skip
def narrow_values(run):
    shapes = dict(run["variables"])
    value, output = shapes["value/kernel"], shapes["attention_output/kernel"]
    return judged(
        f"Even flattened they are 512 × {value[1] * value[2]} and {output[0] * output[1]} × 512: value_dim narrows both.",
        equal("says", "numbers in value/kernel", 512 * 512, value[0] * value[1] * value[2]),
        equal("says", "numbers in attention_output/kernel", 512 * 512, output[0] * output[1] * output[2]),
    )


@QUESTIONS.add("c71", "key_dim must equal the width of the input.",
    NONE_6_8.line(34, "`key_dim` must match the last dimension of the input tensor."), see("heads", **free(8, 2, 3, query_len=6)),
    SIZES, code="for n in (1, 3, 4, 8, 64):\n    print(n, MultiHeadAttention(2, key_dim=n)(x, x).shape)  # x: (10, 6, 8)",
)  # fmt: skip
def key_dim_is_free(run):
    succeeded = [one for one in run["runs"] if one.get("output") == [10, 6, 8]]
    counts = ", ".join(f"{one['count']:,}" for one in succeeded)
    others = [str(one["key_dim"]) for one in succeeded if one["key_dim"] != 8]
    return judged(
        f"All {len(succeeded)} run and give (10, 6, 8), with {counts} parameters: W_O maps any number of columns back to the "
        "input's width.",
        check("says", "values other than 8 that run", "none", ", ".join(others), not others),
    )


@QUESTIONS.add("c24", "key_dim does not decide how wide the output is.",
    KEY_DIM.line(16, "incorrect to think `key_dim` primarily controls the output dimensionality"),
    see("concatenation", **free(8, 2, 3)), SIZES,
)  # fmt: skip
def output_width(run):
    widths = sorted({one["output"][-1] for one in run["runs"]})
    sizes = ", ".join(str(one["key_dim"]) for one in run["runs"])
    return judged(
        f"For key_dim {sizes}, the output is {' or '.join(map(str, widths))} wide.",
        equal("says", "different widths of the output", 1, len(widths)),
    )
