"""Questions about a call: what each head reads, the inputs, their order, and the shape of what is returned."""

from experiments.records import Questions, free, keras, numpy, see

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
    "multi-head, why is dim_head 1, is the input copied for each head, slices, chunks, narrow attention, n_heads ignored, "
    "divide the last dimension over heads, 3 * embed_dim * num_heads, batching the heads, keep the full dimension, before or "
    "after the projection, one W_q per head or one big W_q, one set of Q, K and V, sizes of the weight matrices, split queries "
    "and keys, to_qkv, shapes of the weight matrices, weight sizes",
    numbers={"rows": "flat[0]", "columns": "flat[1]"},
    says="Every head gets the whole embedding: if any of its {features} numbers changes, Q changes in every head. Each "
    "head has its own W_Q, W_K and W_V, here with {rows} rows and {head_size} columns. So a head compares tokens by "
    "{head_size} numbers that it computes from all {features}. Code often joins the W_Q of all heads in one matrix of "
    "{rows} × {columns}. Its columns 0 to 3 are the first head's, 4 to 7 the second's. One product with this matrix gives "
    "the same Q as {heads} products.",
    rows={"input features on which Q depends, in each of {heads} heads": "{moved:each}",
          "directions along which each head compares": "{ranks:each}",
          "difference between one product and {heads} products": "{difference:rounding}",
          "smallest difference between two heads' Q": "{between_heads}"},
)  # fmt: skip

QUESTIONS.add("c59", "Must queries, keys and values have the same width and the same length?",
    "https://github.com/pytorch/pytorch/issues/95712 https://github.com/keras-team/keras/issues/19769",
    see("keras_layer", part="shapes", key_width=7, value_width=5, **SMALL), keras("inputs"),
    asked="last dimension of query_shape and value_shape must be equal, source of key and value, key and value from different "
    "inputs, compatible lengths, same embedding dimension, kdim and vdim, the shapes of query, key and value must fit each "
    "other, shape of q, k and v is different",
    says="No. In Keras, queries 8 wide, keys 7 wide and values 5 wide run. Each weight matrix has as many rows as its input is "
    "wide. W_Q, W_K and W_V have the shapes {kernels:and}. In PyTorch, kdim and vdim set other widths for keys and values. "
    "There is one rule for the lengths: there must be as many keys as values. The number of queries is free.",
    rows={"a call with 6 queries, 5 keys, 6 values": "{lengths_end}",
          "6 queries, 9 keys and values: shape of the output": "{of_two_sequences}"},
)  # fmt: skip

QUESTIONS.add("c65", "Where do I ask for the attention scores, and what does the call return then?",
    "https://github.com/keras-team/keras/issues/15654 https://github.com/keras-team/keras/issues/19303",
    see("keras_layer", part="call", **SMALL), keras("signature"), keras("shapes", **ITS_CALL),
    asked="return_attention_scores does not work, symbolic, where to ask for the scores, return the scores, their shape, one "
    "output tensor only, get the scores out for a heatmap, what the call returns, return_attention_scores True or False, "
    "output and scores, tuple, tuple object has no attribute size, nn.Sequential complains about a tuple, why forward returns "
    "a tuple, get the final attention weights",
    numbers={"first": "tuple[0]", "second": "tuple[1]"},
    says="You ask for them in the {scores_in}, not in the constructor: layer(x, x, return_attention_scores=True). The call "
    "then returns two tensors. The first is the output, here of shape {first}. The second has the attention weights after the "
    "softmax, of shape {second}: samples, heads, queries and keys. Without this argument, a call returns one {returns:lower}, "
    "the output. PyTorch's nn.MultiheadAttention always returns a tuple, (output, weights), so take [0] for the output. It "
    "also needs three inputs, so it does not fit into nn.Sequential.",
)  # fmt: skip

QUESTIONS.add("c63", "What shape has the output?",
    "https://github.com/pytorch/pytorch/issues/54128 https://github.com/keras-team/tf-keras/issues/282",
    see("keras_layer", part="shapes", **free(16, 2, 3, 5, key_width=11, value_width=11, query_len=6, key_len=7)),
    keras("shapes", shape=[2, 6, 16], num_heads=2, key_dim=3, value_dim=5, memory=[2, 7, 11]),
    keras("shapes", **ITS_CALL, output_shape=13), keras("key_dims", d_model=8, num_heads=2, key_dims=[1, 3, 4, 8, 64]),
    asked="output shape, output has the shape of the query and not of the key, output shape does not match, output_shape "
    "argument of Keras, output a different last dimension than the query, dimension of the output and of the query, how wide "
    "the output is, does key_dim decide the output's width, input shape and output shape",
    numbers={"length": "0[output][1]", "width": "0[output][2]", "chosen": "1[output]", "of_13": "1[output][2]"},
    says="By default, the output has the shape of the query. Suppose that 6 tokens of width 16 attend to 7 tokens of width 11: "
    "the output has {length} rows of width {width}. Each query has one row, and W_O has as many columns as the query is wide. "
    "The output's shape does not depend on key_dim or value_dim. In Keras, `output_shape=13` gives W_O {of_13} columns. The "
    "output of 10 samples with 6 tokens then has the shape {chosen}.",
    rows={"8 wide, 2 heads, key_dim {ran:each}: width of the output": "{widths:each}", "parameters": "{counts:each}"},
)  # fmt: skip
