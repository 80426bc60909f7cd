"""Questions about the layer's variables: biases, order, packing into one matrix, and moving them between frameworks."""

from experiments.records import Questions, free, keras, layer, numpy, see

QUESTIONS = Questions("arrays")
TINY = {"d_model": 8, "num_heads": 2}
#: The sizes d_model, heads and key_dim.
LAYERS = ((512, 8, 64), (768, 12, 64), (8, 2, 4))

QUESTIONS.add("q29", "Should the projections have biases, and how much of the layer are they?",
    "https://github.com/Kyubyong/transformer/issues/53", see("heads", d_model=512, num_heads=8, use_bias="false"),
    numpy("layers", sizes=[layer(*size, use_bias=bias) for size in LAYERS for bias in (True, False)]),
    numpy("published_choices"),
    asked="bias=False or bias=True in query, key and value projections, to_out bias, linear without bias in the paper, "
    "qkv_bias, should have bias=False, why bias=True, biases of q, k and v, wrong definition with bias, linear or affine, "
    "evidence that biases help, do bias terms matter, what the flag qkv_bias changes, switch off bias, which models have a "
    "bias, attention_bias, leave biases out in conversion, bias of k set to 0, qkv bias without key bias, no k bias, masked "
    "key bias, gradient of the key bias is zero",
    numbers={"biases": "layers[0][biases]", "first_count": "layers[0][count]", "first_arrays": "layers[0][arrays]",
             "second_arrays": "layers[1][arrays]", "second_count": "layers[1][count]",
             "first_biases_share": "layers[0][biases_share]", "third_count": "layers[2][count]",
             "fourth_count": "layers[3][count]", "fifth_count": "layers[4][count]", "sixth_count": "layers[5][count]",
             "fifth_biases_share": "layers[4][biases_share]"},
    says="Biases are optional and few: {biases} of {first_count} parameters at width 512. Keras has them by default, so "
    "its layer has {first_arrays} arrays instead of {second_arrays}. The paper's formulas have none. Of {models} published "
    "models, {unbiased} have no bias for the queries. In plain attention, the key bias b_K has no effect: it shifts all "
    "scores of a query alike, which the softmax ignores. Rotary embeddings, QK-norm, soft caps and sinks change that. If a "
    "checkpoint lacks a bias, set it to 0.",
    rows={"512 wide, 8 heads: parameters without biases": "{second_count}", "512 wide: share of biases": "{first_biases_share:%}",
          "BERT-base, 768 wide: parameters with biases": "{third_count}", "BERT-base: parameters without": "{fourth_count}",
          "8 wide, 2 heads: parameters with biases": "{fifth_count}", "8 wide: parameters without": "{sixth_count}",
          "8 wide: share of biases": "{fifth_biases_share:%}"},
)  # fmt: skip

QUESTIONS.add(
    "q31", "set_weights with 8 arrays fails: “expecting 0 weights”. Which 8 does the layer hold, and why 0 at first?",
    "https://github.com/AlexanderLutsenko/nobuco/issues/65", see("keras_layer", part="variables", **free(128, 8, 16)),
    keras("weights", d_model=128, num_heads=8, key_dim=16),
    keras("weights", d_model=128, num_heads=8, key_dim=16, use_bias=False), keras("weights", d_model=8, num_heads=2, key_dim=4),
    asked="no weights, 0 parameters, param is 0 in the summary, not built, save and load weights, from config, get_weights, "
    "entries of get_weights in order, which array is which, eight arrays without names, shapes of the kernels in Keras, (64, "
    "8, 16) and (8, 16, 64)",
    numbers={"without_biases": "1[variables]"} | {f"path_{i}": f"variables[{i}][0]" for i in range(8)}
    | {f"shape_{i}": f"variables[{i}][1]" for i in range(8)} | {f"small_{i}": f"2[variables][{i}][1]" for i in range(8)},
    says="The layer creates its weights in `build()` or in its first call. Before, it has {before} weights, and "
    "`count_params()` {count_before}. Afterwards it has {variables:count} arrays by default, in this order: weight matrix "
    "and bias of query, key, value and output. W_Q and W_K have the shape (d_model, h, key_dim), W_V has (d_model, h, "
    "value_dim), W_O has (h, value_dim, d_model). The bias shapes are (h, key_dim) for query and key, (h, value_dim) for "
    "the value, and (d_model) for the output. `use_bias=False` leaves the {without_biases:count} weight matrices.",
    rows={f"{i}. {{path_{i}}}": f"{{shape_{i}}}" for i in range(8)}
    | {"parameters": "{count}", "error of set_weights before that": "… {set_before}",
       "the 8 shapes, 8 wide, 2 heads of 4": " ".join(f"{{small_{i}}}" for i in range(8))},
)  # fmt: skip

QUESTIONS.add(
    "q32", "I replaced nn.MultiheadAttention(E, h) with Keras's and key_dim=E, and the outputs differ. How do I make them equal?",
    "https://openillumi.com/en/en-fix-pytorch-tensorflow-mha-inconsistency",
    see("keras_layer", part="variables", d_model=50, num_heads=2), numpy("layers", sizes=[layer(50, 2, 50), layer(50, 2, 25)]),
    numpy("packed_weights", **TINY, query_len=5, key_len=7),
    asked="load weights, copy, state dict, same result, copy weights from a Keras MultiHeadAttention into torch, from Keras to "
    "PyTorch, 3D kernels, small difference of outputs after conversion, error or normal, tolerance, allclose, results depend "
    "on the length, ported layer differs by 1e-6",
    numbers={"key_dim": "layers[1][key_dim]", "first_count": "layers[0][count]", "second_count": "layers[1][count]"},
    says="Set key_dim to E / h, the size of one head, not to E: with E = 50 and h = 2, it is {key_dim}. Cut in_proj_weight "
    "into thirds for Q, K and V, transpose each and reshape it to (E, h, E/h). Reshape the thirds of in_proj_bias to (h, E/h). "
    "Transpose out_proj.weight and reshape it to (h, E/h, E); copy out_proj.bias. Set batch_first=True in PyTorch. To convert "
    "back, reverse these steps. Outputs may differ by about 1e-6, the rounding of float32; a wrong weight makes a larger "
    "difference.",
    rows={"E = 50, h = 2, key_dim 50: parameters": "{first_count}",
          "key_dim 25, as in PyTorch: parameters": "{second_count}", "shape of in_proj_weight for E = 8": "{in_proj_weight}",
          "outputs differ by": "{output}", "maps differ by": "{maps}"},
)  # fmt: skip

QUESTIONS.add(
    "r73", "How do in_proj_weight, c_attn, query_key_value and Keras's kernels store Q, K and V, and how do I convert them?",
    "https://github.com/huggingface/transformers/issues/311", see("keras_layer", part="variables", d_model=768, num_heads=12),
    numpy("layouts", d_model=768, num_heads=12, query_len=3),
    asked="GPT-2 Conv1D or Linear, transposed weights, c_attn, query_key_value, split qkv, layout, checkpoint of another "
    "library, unmatched key names, missing or unexpected keys, x @ in_proj_weight by hand, split qkv without a loop, reshape "
    "and permute, unbind, Linear(d, 3d), fused linear layer, does each part see all of x, fused qkv, packed, initialization, "
    "init, Xavier, Glorot, fan_in, fan_out, gain, split into separate q_proj, k_proj and v_proj, missing keys in_proj_weight "
    "and unexpected q_proj.weight, stack q_proj, k_proj and v_proj, initial values of the projection matrices, default "
    "initialisation, xavier_uniform, glorot_uniform, kaiming, out_proj is not initialized, merged linear, inner_dim * 3, "
    "separate or grouped parameters of q, k and v",
    numbers={"in_proj_weight": "shapes[in_proj_weight]", "c_attn_transposed": "shapes[c_attn, transposed]",
             "query_key_value": "shapes[query_key_value]", "query_kernel_in_keras": "shapes[query/kernel in Keras]",
             "attention_output_kernel": "shapes[attention_output/kernel]"},
    says="PyTorch's in_proj_weight has the shape (out, in): rows of Q, then of K, then of V. GPT-2's c_attn has the shape "
    "(in, out): transpose it for PyTorch, not for Keras. In GPT-NeoX and BLOOM, query_key_value stores Q, K and V head by "
    "head: reshape it to (h, 3, d, in), with head size d. Keras keeps Q, K and V apart, each (in, h, d), and W_O as (h, d, "
    "out). Xavier initialisation draws smaller weights for one packed matrix: up to √(6/(4E)) instead of √(6/(2E)), with E "
    "= d_model.",
    rows={"shape of in_proj_weight": "{in_proj_weight}", "shape of c_attn, transposed": "{c_attn_transposed}",
          "shape of query_key_value": "{query_key_value}", "shape of query/kernel in Keras": "{query_kernel_in_keras}",
          "shape of attention_output/kernel": "{attention_output_kernel}", "Q by each way differs by": "{apart:rounding}",
          "query_key_value cut into thirds: Q differs by": "{thirds:.2f}"},
)  # fmt: skip
