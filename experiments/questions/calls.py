"""Questions about a call: what each head reads, the inputs, their order, and the shape of what is returned."""

from experiments.records import Questions, Run, free, keras, numpy, see
from headcount.keras.layer import KerasLayer

QUESTIONS = Questions("calls")
SMALL = free(8, 2, 8, query_len=6, key_len=6)
#: The layer of the article on the shape (None, 6, 8).
ITS_CALL = {"shape": [10, 6, 8], "num_heads": 2, "key_dim": 8}
FOUR_HEADS = {"d_model": 16, "num_heads": 4, "query_len": 6}

QUESTIONS.add("c102", "Does every head get the whole embedding, or a part of it?",
    "https://github.com/tryonlabs/opentryon/issues/49", see("projections", cut="fused", **FOUR_HEADS),
    numpy("reads_all", d_model=16, num_heads=4), numpy("one_product", **FOUR_HEADS), topic="heads",
    asked="does each head look at only a part of the embedding, head 1 sees features 0 to 63, is the embedding split, X is "
    "multiplied h times by h different matrices, each head has its own matrices, separate linear projections, split to get "
    "multi-head, why is dim_head 1, is the input copied for each head",
    numbers={"rows": "flat[0]", "columns": "flat[1]"},
    says="Every head gets the whole embedding: a change to any of the {features} features changes every head's Q. Only the "
    "projected width is cut, into {head_size} columns for each head, so a head compares tokens along {head_size} directions "
    "only. Each head has its own weight matrix. One product with all these matrices side by side, {rows} × {columns}, gives the "
    "same numbers.",
    rows={"input features on which Q depends, in each of {heads} heads": "{moved:each}",
          "directions along which each head compares": "{ranks:each}",
          "difference between one product and {heads} products": "{difference:rounding}",
          "smallest difference between two heads' Q": "{between_heads}"},
)  # fmt: skip

QUESTIONS.add("c59", "Must queries, keys and values have the same width and the same length?",
    "https://github.com/pytorch/pytorch/issues/95712 https://github.com/keras-team/keras/issues/19769",
    see("keras_layer", part="shapes", key_width=7, value_width=5, **SMALL), keras("inputs"),
    asked="last dimension of query_shape and value_shape must be equal, source of key and value, key and value from different "
    "inputs, compatible lengths, same embedding dimension, kdim and vdim, the shapes of query, key and value must fit each other",
    says="No. In Keras, inputs 8, 7 and 5 wide run, because each has its own weight matrix: {kernels:each}. There is one rule "
    "for the lengths: as many keys as values. The number of queries is free.",
    rows={"a call with 6 queries, 5 keys, 6 values": "{lengths_end}",
          "6 queries, 9 keys and values: shape of the output": "{of_two_sequences}"},
)  # fmt: skip

QUESTIONS.add("c77", "In which order does the call take query, key and value, and how many of them does it need?",
    "https://github.com/CyberZHG/keras-multi-head/issues/4", see("keras_layer", part="call", **SMALL), keras("inputs"),
    Run("call_forms", {"layer": KerasLayer(2, 8, 8, (10, 6, 8), (10, 6, 8)).plain()}, keras=True),
    asked="order of the arguments, inputs as a list or as separate arguments, mha(q, k, v) from PyTorch in Keras, value argument "
    "missing, two inputs, missing positional argument, two input layers",
    numbers={"apart": "key_second[apart]"},
    says="Keras takes query, value, key. Two are enough: layer(query, value) gives {of_two} and uses the values as keys, which "
    "is why the key comes last. PyTorch takes query, key, value. PyTorch's order also runs in Keras, but with keys and values "
    "swapped, so pass them by keyword. The layers Attention and AdditiveAttention take one list, [query, value, key].",
    rows={"layer(query, key, value) and the same by keywords: largest difference": "{apart:.2g}"},
)  # fmt: skip

QUESTIONS.add("c65", "Where do I ask for the attention scores, and what does the call return then?",
    "https://github.com/keras-team/keras/issues/15654 https://github.com/keras-team/keras/issues/19303",
    see("keras_layer", part="call", **SMALL), keras("signature"), keras("shapes", **ITS_CALL),
    asked="return_attention_scores does not work, symbolic, where to ask for the scores, return the scores, their shape, one "
    "output tensor only, get the scores out for a heatmap, what the call returns, return_attention_scores True or False, output "
    "and scores, tuple, tuple object has no attribute size, nn.Sequential complains about a tuple, why forward returns a tuple, "
    "get the final attention weights",
    numbers={"first": "tuple[0]", "second": "tuple[1]"},
    says="You ask for them in the {scores_in}: layer(x, x, return_attention_scores=True) returns the output, {first}. Then come "
    "the scores after the softmax, {second}. The constructor refuses this argument. A plain call returns one {returns:lower}, "
    "{output}. PyTorch's nn.MultiheadAttention always returns a tuple, (output, weights), even if it computes no weights: take "
    "[0]. It also needs three inputs, so it does not fit nn.Sequential.",
)  # fmt: skip

QUESTIONS.add("c63", "What shape has the output?",
    "https://github.com/pytorch/pytorch/issues/54128 https://github.com/keras-team/tf-keras/issues/282",
    see("keras_layer", part="shapes", **free(16, 2, 3, 5, key_width=11, value_width=11, query_len=6, key_len=7)),
    keras("shapes", shape=[2, 6, 16], num_heads=2, key_dim=3, value_dim=5, memory=[2, 7, 11]),
    keras("shapes", **ITS_CALL, output_shape=13), keras("key_dims", d_model=8, num_heads=2, key_dims=[1, 3, 4, 8, 64]),
    asked="output shape, output has the shape of the query and not of the key, output shape does not match, output_shape "
    "argument of Keras, output a different last dimension than the query, dimension of the output and of the query, how wide the "
    "output is, does key_dim decide the output's width",
    numbers={"length": "0[output][1]", "width": "0[output][2]", "chosen": "1[output]", "of_13": "1[output][2]"},
    says="By default, the output has the query's shape: 6 tokens 16 wide that look at 7 tokens 11 wide give {length} rows "
    "{width} wide. Each query has a row, and W_O brings it back to the query's width. The shape does not depend on key_dim or "
    "value_dim. In Keras, `output_shape=13` gives W_O {of_13} columns and an output of {chosen}.",
    rows={"8 wide, 2 heads, key_dim {ran:each}: width of the output": "{widths:each}", "parameters": "{counts:each}"},
)  # fmt: skip
