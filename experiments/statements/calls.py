"""Claims about a call: its inputs, its results, and its attention scores."""

from experiments.records import Questions, Run, check, differs, equal, free, keras, near, refused, see
from headcount.keras.layer import KerasLayer
from lessons.question import KEY_DIM, NONE_6_8

QUESTIONS = Questions("A call")
SMALL = free(8, 2, 8, query_len=6, key_len=6)
#: The call of the article on the shape (None, 6, 8).
ITS_CALL = {"shape": [10, 6, 8], "num_heads": 2, "key_dim": 8}

QUESTIONS.add("c57", "A call needs three inputs: queries, keys and values.",
    NONE_6_8.line(10, "requires three inputs: queries (Q), keys (K), and values (V)"), see("keras_layer", part="call", **SMALL),
    keras("inputs"), code="layer(x)\nlayer(x, x).shape  # x: (10, 6, 8)",
    asked="value argument missing, two inputs, missing positional argument, two input layers",
    says="Two are enough: layer(query, value) gives {of_two}; without keys, the values serve as keys.",
    checks=lambda run: [refused("says", "layer(query, value)", run["two"]), refused("says", "layer(query)", run["one"])],
)  # fmt: skip

QUESTIONS.add("c59", "Queries, keys and values must have the same width.",
    NONE_6_8.line(10, "ensuring they all have the same embedding dimension (in our case, 8)"),
    see("keras_layer", part="shapes", key_width=7, value_width=5, **SMALL), keras("inputs"),
    code="layer(query, value, key).shape  # 8, 5 and 7 wide",
    asked="last dimension of query_shape and value_shape must be equal",
    says="Inputs 8, 7 and 5 wide run: each has its own weight matrix, {kernels:each}.",
    checks=lambda run: [refused("says", "widths 8, 5 and 7", run["widths"])],
)  # fmt: skip

QUESTIONS.add("c56", "The shapes of query, key and value must fit each other.",
    NONE_6_8.line(6, "the requirement for a properly shaped query, key, and value tensors"),
    see("keras_layer", part="shapes", key_width=7, value_width=5, **SMALL | {"key_len": 9}), keras("inputs"),
    code="layer(query, value, key)",
    asked="source of key and value, key and value from different inputs, compatible lengths",
    says="Within a batch there is only one rule: as many keys as values. Their widths are free, and so is the number of queries.",
    checks=lambda run: [
        refused("says", "6 values with 5 keys", run["lengths"]), refused("suggests", "widths 8, 5 and 7", run["widths"]),
        refused("suggests", "6 queries with 9 keys and values", run["two_sequences"]),
    ],
)  # fmt: skip

QUESTIONS.add("c77", "`layer(query, key, value)` is the right order.",
    NONE_6_8.line(67, "output_tensor = attention_layer(query_dense, key_dense, value_dense)"),
    see("keras_layer", part="call", **SMALL),
    Run("call_forms", {"layer": KerasLayer(2, 8, 8, (10, 6, 8), (10, 6, 8)).plain()}, keras=True),
    code="layer(q, k, v) - layer(query=q, key=k, value=v)\nlayer(q, k, v) - layer(query=q, key=v, value=k)",
    asked="order of the arguments, inputs as a list or as separate arguments, mha(q, k, v) from PyTorch in Keras",
    numbers={"apart": "key_second[apart]"},
    says="It runs, but is wrong by up to {apart:.2g}: the second argument is the value, so keys and values are swapped. In "
    "Keras the key comes last, since it may be left out and is the value then; PyTorch's order is query, key, value. Pass them "
    "by keyword. The layers Attention and AdditiveAttention take one list, [query, value, key].",
    checks=lambda run: [
        near("says", "difference from the call by keywords", run["key_second"]["apart"]),
        differs("says", "difference from the call with keys and values swapped", run["named"]["apart"]),
    ],
)  # fmt: skip

QUESTIONS.add("c13", "By default, the output is as wide as the input.",
    KEY_DIM.line(10, "final output dimension, which matches the `input_dim` by default"),
    see("keras_layer", part="shapes", **free(16, 2, 3, 5, key_width=11, value_width=11)),
    keras("shapes", shape=[2, 6, 16], num_heads=2, key_dim=3, value_dim=5, memory=[2, 7, 11]),
    asked="output_shape, dimension of the output and of the query",
    numbers={"third_output": "output[2]"},
    says="With queries 16 wide, and keys and values 11 wide, the output is {third_output} wide: the query's width counts.",
    checks=lambda run: [equal("says", "width of the output", 16, run["output"][-1])],
)  # fmt: skip

QUESTIONS.add("c14", "The output has as many positions as the query input.",
    KEY_DIM.line(10, "preserving the sequence length and output dimension of the attention layer"),
    see("attention", **free(16, 2, 3, query_len=6, key_len=7)),
    keras("shapes", shape=[2, 6, 16], num_heads=2, key_dim=3, memory=[2, 7, 16]),
    asked="output has the shape of the query and not of the key",
    numbers={"second_output": "output[1]"},
    says="6 queries that attend to 7 keys give {second_output} rows: one per query. Each is a weighted sum over the keys, so "
        "the number of keys does not matter; W_O makes it as wide as the query.",
    checks=lambda run: [equal("says", "rows of the output", 6, run["output"][1])],
)  # fmt: skip

QUESTIONS.add("c15", "The layer turns a sequence into a sequence that says where to look.",
    KEY_DIM.line(10, "indicating which input locations should be attended to"),
    see("attention", d_model=16, num_heads=4, query_len=6), keras("shapes", shape=[2, 6, 16], num_heads=4, key_dim=4),
    code="layer(x, x)                                # x: (2, 6, 16)\nlayer(x, x, return_attention_scores=True)",
    numbers={"second_tuple": "tuple[1]"},
    says="What comes back is a mix of values, {output}; the weights, {second_tuple}, come only if the call asks for them.",
    checks=lambda run: [
        equal("says", "rows of the output", 6, run["output"][1]),
        near("suggests", "first row of the output: difference of its sum from 1", abs(run["output_row_sum"] - 1)),
        equal("suggests", "shape of what layer(x, x) returns", run["tuple"][1], run["output"]),
    ],
)  # fmt: skip

QUESTIONS.add("c63", "The output keeps the input's shape (None, 6, 8), because attention only re-weights the input.",
    NONE_6_8.line(10, "The output shape of the `MultiHeadAttention` layer, therefore, remains"),
    see("keras_layer", part="shapes", output_shape=13, **SMALL), keras("shapes", **ITS_CALL, output_shape=13),
    code="MultiHeadAttention(2, 8, output_shape=13)(x, x).shape  # x: (10, 6, 8)",
    asked="output shape, output has the shape of the query, output shape does not match, output_shape argument of Keras, output "
    "a different last dimension than the query",
    says="W_O alone decides the width: with `output_shape=13`, the same attention gives {output}.",
    checks=lambda run: [
        equal("says", "positions", [10, 6], run["output"][:2]),
        equal("suggests", "shape with output_shape=13", [10, 6, 8], run["output"]),
    ],
)  # fmt: skip

QUESTIONS.add("c74", "A plain `layer(x, x)` can be unpacked into output and scores.",
    NONE_6_8.line(44, "output_tensor, attention_scores = attention_layer(input_tensor, input_tensor)"),
    see("keras_layer", part="call", **SMALL), keras("shapes", **ITS_CALL),
    code="layer = MultiHeadAttention(2, 8)\nlayer(x, x)  # x: (10, 6, 8)",
    asked="tuple object has no attribute size, nn.Sequential complains about a tuple, why forward returns a tuple",
    says="A plain call gives one {returns:lower}, {output}. (With a batch of 2 the line would run, and give the two samples.) "
    "Only a call that asks for the scores gives {tuple:count} parts. PyTorch's nn.MultiheadAttention always gives a tuple, "
    "(output, weights), also where it makes no weights: take [0]. It needs three inputs, too, so it fits no nn.Sequential.",
    checks=lambda run: [equal("says", "what layer(x, x) returns", "tuple", run["returns"])],
)  # fmt: skip

QUESTIONS.add("c65", "When asked for the scores, the call returns a pair: scores first, output second.",
    NONE_6_8.line(12, "tuple containing the attention scores tensor (shape `[None, num_heads, 6, 6]`) and the output"),
    see("keras_layer", part="call", **SMALL), keras("shapes", **ITS_CALL),
    code="[part.shape for part in layer(x, x, return_attention_scores=True)]  # x: (10, 6, 8)",
    asked="what the call returns, return_attention_scores True or False, output and scores, tuple",
    numbers={"first_tuple": "tuple[0]", "second_tuple": "tuple[1]"},
    says="It is the other way round: the output, {first_tuple}, comes first, then the scores, {second_tuple}, after the softmax.",
    checks=lambda run: [
        equal("says", "shape of the first", [10, 2, 6, 6], run["tuple"][0]),
        equal("says", "shape of the second", [10, 6, 8], run["tuple"][1]),
    ],
)  # fmt: skip

QUESTIONS.add("c21", "value_dim has no effect on the scores.",
    KEY_DIM.line(14, "does not directly affect the dot product"), see("attention", **free(512, 8, 64, 32)), keras("value_dim"),
    says="With the same W_Q and W_K, value_dim 64 and 32 give scores that differ by {difference:g}.",
    checks=lambda run: [
        near("says", "largest difference between the scores", run["difference"], 0.0),
        differs("says", "largest score, so that there is something to compare", run["largest"], "above 0"),
    ],
)  # fmt: skip

QUESTIONS.add("c67", "Asking for the scores can change the output.",
    NONE_6_8.line(12, "Incorrect setting can lead to unexpected outputs or memory issues"),
    see("keras_layer", part="masks", mask_case="empty_row", **SMALL | {"key_dim": 4, "value_dim": 4}), keras("with_scores"),
    code="layer(x, x, attention_mask=m) - layer(x, x, attention_mask=m, return_attention_scores=True)[0]",
    says="In an ordinary call it changes nothing ({ordinary:g}). If a query may see no key, the output changes by "
    "{masked_row:.2g}.",
    checks=lambda run: [
        differs("case", "an ordinary call", run["ordinary"]), differs("case", "one query may see no key", run["masked_row"]),
        check("case", "flash_attention=True", "an error", run["flash"] or "runs", run["flash"] is not None),
    ],
)  # fmt: skip
