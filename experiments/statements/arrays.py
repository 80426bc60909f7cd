"""Claims about the layer as it is built: its arguments, its arrays, and their widths."""

import math

from experiments.records import Questions, check, equal, free, keras, see
from lessons.question import KEY_DIM, NONE_6_8

QUESTIONS = Questions("Arrays")
BASE = {"d_model": 512, "num_heads": 8, "key_dim": 64}
ON_THE_PAGE = free(512, 8, 64)
LAYER = "layer = MultiHeadAttention(num_heads=8, key_dim=64)  # built for inputs 512 wide\n"
SIZES = keras("key_dims", d_model=8, num_heads=2, key_dims=[1, 3, 4, 8, 64])

QUESTIONS.add("c73", "`return_attention_scores=True` is passed when the layer is created.",
    NONE_6_8.line(43, "MultiHeadAttention(num_heads=2, key_dim=8, return_attention_scores=True)"),
    see("keras_layer", part="call", **free(8, 2, 8, query_len=6)), keras("signature"),
    code="MultiHeadAttention(num_heads=2, key_dim=8, return_attention_scores=True)",
    asked="return_attention_scores does not work, symbolic, where to ask for the scores, return the scores, their shape, one "
    "output tensor only, get the scores out for a heatmap",
    says="It is an argument of the {scores_in}; the constructor refuses it. layer(x, x, return_attention_scores=True) gives "
    "(output, scores); the scores are (B, h, T, S), after the softmax.",
    checks=lambda run: [check("says", "the constructor", "takes it", run["error"] or "takes it", run["error"] is None)],
)  # fmt: skip

QUESTIONS.add(
    "c32", "64 is the standard key_dim.", KEY_DIM.line(42, "we use the standard `key_dim`"), see("heads", **ON_THE_PAGE),
    keras("signature"), code="inspect.signature(MultiHeadAttention)",
    says="It is d_model / h in the paper's base model, 512 / 8 = 64, but no standard of the layer: there, key_dim is {key_dim}.",
    checks=lambda run: [
        equal("says", "512 / 8", 64, 512 // 8),
        equal("suggests", "default of key_dim in Keras", "64", run["key_dim"]),
    ],
)  # fmt: skip

QUESTIONS.add("c27", "With its default arguments, the layer has four trainable arrays: W_Q, W_K, W_V and W_O.",
    KEY_DIM.line(35, "len(attention_layer.trainable_weights)) # Expected: 4"),
    see("keras_layer", part="variables", **ON_THE_PAGE), keras("weights", **BASE), code=LAYER + "len(layer.trainable_weights)",
    says="Each of the {flat:count} weight matrices has a bias by default, so there are {variables:count} arrays; "
    "`use_bias=False` leaves {flat:count}.",
    checks=lambda run: [equal("says", "trainable arrays", 4, len(run["variables"]))],
)  # fmt: skip

QUESTIONS.add(
    "c28", "Keras's query kernel is a 512 × 512 matrix.", KEY_DIM.line(36, "trainable_weights[0].shape) # Expected: (512, 512)"),
    see("projections", cut="keras", **ON_THE_PAGE), keras("weights", **BASE), code=LAYER + "layer.trainable_weights[0].shape",
    numbers={"first_variables": "variables[0][0]", "second_variables": "variables[0][1]"},
    says="Keras keeps a separate axis for the heads: `{first_variables}` is {second_variables}. It is square only after "
    "reshaping.",
    checks=lambda run: [equal("says", "shape at index 0", [512, 512], run["variables"][0][1])],
)  # fmt: skip

QUESTIONS.add("c44", "With value_dim 32, Keras's value and output kernels are still as large as 512 × 512.",
    KEY_DIM.line(79, "MultiHeadAttention(num_heads=num_heads, key_dim=key_dim, value_dim = value_dim)"),
    see("keras_layer", part="variables", **free(512, 8, 64, 32)), keras("weights", value_dim=32, **BASE),
    code=LAYER.replace("64)", "64, value_dim=32)") + "layer.count_params()",
    numbers={"value_kernel": "flat[value/kernel][1]", "attention_output_kernel": "flat[attention_output/kernel][0]"},
    says="Even flattened they are 512 × {value_kernel} and {attention_output_kernel} × 512: value_dim narrows both.",
    checks=lambda run: [
        equal("says", f"numbers in {path}", 512 * 512, math.prod(run["flat"][path]))
        for path in ("value/kernel", "attention_output/kernel")
    ],
)  # fmt: skip

QUESTIONS.add("c71", "key_dim must equal the width of the input.",
    NONE_6_8.line(34, "`key_dim` must match the last dimension of the input tensor."), see("heads", **free(8, 2, 3, query_len=6)),
    SIZES, code="for n in (1, 3, 4, 8, 64):\n    print(n, MultiHeadAttention(2, key_dim=n)(x, x).shape)  # x: (10, 6, 8)",
    says="All {ran:count} run and give (10, 6, 8), with {counts:each ,} parameters: W_O maps any number of columns back to the "
    "input's width.",
    checks=lambda run: [
        check("says", "values other than 8 that run", "none", ", ".join(map(str, run["others"])), not run["others"]),
    ],
)  # fmt: skip

QUESTIONS.add("c24", "key_dim does not decide how wide the output is.",
    KEY_DIM.line(16, "incorrect to think `key_dim` primarily controls the output dimensionality"),
    see("concatenation", **free(8, 2, 3)), SIZES,
    says="For key_dim {ran:each}, the output is {widths:each} wide.",
    checks=lambda run: [equal("says", "different widths of the output", 1, len(run["widths"]))],
)  # fmt: skip
