"""Questions about parameters: those that do nothing, the products of a head's matrices, and a layer with added heads."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("arrays")
TINY = {"d_model": 8, "num_heads": 2}

QUESTIONS.add("r01 r03", "BEiT has no key bias, TransformerLens moves b_V into b_O: which biases may be left out?",
    "https://github.com/microsoft/unilm/issues/510 https://github.com/TransformerLensOrg/TransformerLens/pull/116",
    see("keras_layer", part="variables", d_model=768, num_heads=12),
    *(numpy("array_off", array=array, d_model=768, num_heads=12, query_len=6) for array in ("b_k", "b_q")),
    *(numpy(name, d_model=768, num_heads=12, query_len=6) for name in ("value_bias_folded", "idle_parameters")),
    asked="qkv bias without key bias, bias of k set to 0, purpose of a masked key bias, bias in the attention layer, no k bias, "
    "fused qkv with a bias where k_proj has none, key projection's bias does nothing, is it true that the key bias has no "
    "effect, gradient of the key bias is zero, is something detached",
    numbers={"count": "0[count]", "b_v_of_third": "2[b_v]", "output_of_second": "1[output]", "b_v_of_fourth": "3[b_v]"},
    says="Without rotary embeddings and QK-norm, b_K adds the same number to all scores of a query, which the softmax ignores. "
    "Without b_K, scores move by up to {scores}, attention weights by {weights}, the output by {output}. So {count} of "
    "{parameters} parameters of BERT-base's layer change nothing, and their gradient stays 0. Rows of attention weights sum to "
    "1, so every token gets all of b_V: its {b_v_of_third} numbers do what the {b_o} of b_O can do. If b_V is added to b_O "
    "through W_O, the output moves by {folded}.",
    rows={"without b_Q: output moves by": "{output_of_second}", "b_V to 0 alone: output moves by": "{dropped}",
          "directions of b_V that b_O can take over": "{b_v_of_fourth}"},
)  # fmt: skip

QUESTIONS.add("r11 r12", "Why are the heads' results joined and not added up, and where is W_O in a sum of W_i · head_i?",
    "https://ai.stackexchange.com/questions/41802/concatenation-of-feature-vectors-in-transformers-before-passing-to-fcnn "
    "https://github.com/fundamentalvision/Deformable-DETR/issues/15",
    see("concatenation", combine="sum", d_model=512, num_heads=8, numbers="seed"),
    *(numpy("summed_up", d_model=width, num_heads=8, query_len=6) for width in (512, 256)),
    topic="heads",
    asked="sum, max or mean over heads, aggregate results of heads, concatenation or summation, ensemble learning, each head a "
    "separate model, is multi-head attention an ensemble, 512/8 of the input dimensions, shape of the block of W_O for each "
    "head, Concat(H_1 … H_h) W_O as a sum over heads of an N × N matrix times X times a d × d matrix",
    numbers={"first_flat": "1[flat][0]", "second_flat": "1[flat][1]", "first_blocks": "1[blocks][0]",
             "second_blocks": "1[blocks][1]", "third_blocks": "1[blocks][2]", "by_block": "1[by_block]",
             "blocks_of_second": "1[blocks]"},
    says="Joining and W_O give the same as a sum of W_i · head_i. At width 256, W_O is {first_flat} × {second_flat}: "
    "{first_blocks} blocks of {second_blocks} × {third_blocks}, one below the other. Concat times W_O equals the sum of each "
    "head's product with its block, within {by_block}. Adding the head outputs is a concatenation whose W_O has equal blocks for "
    "all heads (the same within {equal_blocks}). At width 512 this leaves {added} numbers a token instead of {joined}, and "
    "nothing tells which head a number came from. It saves {saved} parameters.",
    rows={"shape of Keras's W_O, 256 wide": "{blocks_of_second}", "numbers in W_O, 512 wide, joined": "{w_o}",
          "numbers in W_O, added up": "{block}",
          "parameters, joined": "{count}", "parameters, added up": "{fewer}", "a layer's own output differs by": "{apart}"},
)  # fmt: skip

QUESTIONS.add("r131", "What decides where a head looks, and could W_V and W_O be merged into one matrix?",
    "https://github.com/callummcdougall/ARENA_2.0/issues/25",
    see("concatenation", d_model=512, num_heads=8, numbers="seed"),
    numpy("circuits", d_model=512, num_heads=8, query_len=6, use_bias=False),
    numpy("two_factors", d_model=512, num_heads=8),
    asked="QK circuit, OV circuit, multiply W_q and W_k transposed together, merge values and the output matrix, both are "
    "linear, Why may each head be rotated by itself, and not all columns of V together, before W_O, why separate matrices for "
    "queries and keys, combine query and key weights, no output projection with one head, project out from the attention block, "
    "num_heads=1 identical to ordinary self-attention, single head",
    numbers={"second_ranks": "ranks[1]", "first_ranks": "ranks[0]"},
    says="W_Q W_Kᵀ decides where a head looks: a score is x · W_Q W_Kᵀ · y, over √d_k. W_V W_O decides what it passes on: the "
    "output sums A · X · W_V W_O over the heads (off by {output:rounding}). So each pair could be merged. But at width 512, the "
    "8 merged matrices of 8 heads take {merged} numbers, the pairs only {apart}; each rank stays {second_ranks}. With one head "
    "as wide as the model, the merged matrix is smaller than the pair.",
    rows={"rank of W_Q W_Kᵀ": "{first_ranks}", "numbers of one head in two matrices": "{factors}", "in one matrix": "{free}"},
)  # fmt: skip
