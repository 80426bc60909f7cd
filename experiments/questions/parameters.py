"""Questions about parameters: which do nothing, what a head's products are, and what heads added up would be."""

from experiments.records import Questions, free, keras, numpy, see

QUESTIONS = Questions("QK and OV")
TINY = {"d_model": 8, "num_heads": 2}

QUESTIONS.add("r01 r03", "Which biases may be left out: BEiT has none for keys, TransformerLens moves b_V into b_O?",
    "https://github.com/microsoft/unilm/issues/510 https://github.com/TransformerLensOrg/TransformerLens/pull/116",
    see("keras_layer", part="arrays", d_model=768, num_heads=12),
    *(numpy("array_off", array=array, d_model=768, num_heads=12, query_len=6) for array in ("b_k", "b_q")),
    *(numpy(name, d_model=768, num_heads=12, query_len=6) for name in ("value_bias_folded", "idle_parameters")),
    theme="Numbers that do nothing",
    asked="qkv bias without key bias, bias of k set to 0, purpose of a masked key bias, bias in the attention layer, no k bias, "
    "fused qkv with a bias where k_proj has none, key projection's bias does nothing, is it true that the key bias has no effect",
    says="Without rotary embeddings and QK-norm, b_K adds one number to all scores of a query, and a softmax does not see what "
    "all have in common. Without it scores move by up to {scores}, weights by {weights} and the output by {output}: {0[count]} "
    "of {parameters} parameters of BERT-base's attention layer cannot change anything. And since a row of weights sums to 1 (but "
    "for dropout in training), every token gets all of b_V, whatever the weights: its {2[b_v]} numbers do what the {b_o} of b_O "
    "can do. Added to b_O through W_O, the output moves by {folded}. In a fused qkv a key without a bias gets zeros.",
    rows={"without b_Q: output moves by": "{1[output]}", "b_V to 0 alone: output moves by": "{dropped}",
          "directions of b_V that b_O can take over": "{3[b_v]}"},
)  # fmt: skip

QUESTIONS.add(
    "r02", "After training, the key part of in_proj_bias is still 0 and the value part is not. Is something broken?",
    "https://github.com/pytorch/pytorch/issues/153136", see("keras_layer", part="arrays", **TINY, query_len=6),
    keras("gradients"), theme="Numbers that do nothing",
    asked="gradient of the key bias is zero, is something detached",
    says="No: of the {in_proj_bias} numbers of in_proj_bias at E = 8, numbers {b_k[0]} to {b_k[1]} (counted from 0) are b_K. "
    "Without rotary embeddings their gradient is {norms[b_k]} but for rounding, for any input and any loss, so they stay about "
    "where they start (Adam, which divides by a gradient's size, may move them a little). add_bias_kv or add_zero_attn gives "
    "them a gradient. b_Q has one: if it stays at 0 as well, that has another cause.",
    rows={f"norm of the gradient of b_{of.upper()}": f"{{norms[b_{of}]}}" for of in "qkvo"},
)  # fmt: skip

QUESTIONS.add(
    "r04 r05",
    "Self-attention over one token, or cross-attention to a single token: are Q and K redundant, how many parameters are dead?",
    "https://github.com/pixelite1201/CameraHMR/issues/26 https://github.com/cvlab-columbia/zero123/issues/29",
    see("keras_layer", part="arrays", array="w_q", use_bias="false", query_len=1, **free(1024, 8, 64)),
    numpy("idle_parameters", layers=6, d_model=1024, num_heads=8, key_dim=64, query_len=1, use_bias=False),
    numpy("array_off", array="w_q", d_model=1024, num_heads=8, key_dim=64, query_len=1, use_bias=False),
    *(numpy(name, d_model=320, num_heads=8, query_len=64, key_len=1, use_bias=False) for name in ("idle_parameters", "map_sums")),
    theme="A single key",
    asked="cross-attention with one token, pooled context, decoder",
    says="All of W_Q and W_K: {alone} of {0[count]} in each of 6 layers 1024 wide with 8 heads of 64, {all_layers} in all. A "
    "softmax of one score is 1, so the output moves by {output} without W_Q, and neither has a gradient. In cross-attention to "
    "one token, too, each query's weight is {rows[0]:g}: each of the 64 gets the same W_V·W_O of that token, and {2[alone]} of "
    "{2[count]} parameters do nothing in a layer 320 wide.",
    rows={"without W_Q: scores move by": "{scores}", "numbers that decide what a layer computes": "{effective}",
          "cross-attention, 64 queries: weights": "{3[weights]}"},
)  # fmt: skip

QUESTIONS.add(
    "r07 r08", "W_Q and W_K only occur as their product. Why two matrices? And does a single head need W_O?",
    "https://stats.stackexchange.com/questions/515477/when-calculating-self-attention-for-transformer-ml-architectures-why-do-we-need"
    " https://github.com/lucidrains/vit-pytorch/issues/335",
    see("keras_layer", part="arrays", idea="products", d_model=512, num_heads=8),
    numpy("two_factors", d_model=512, num_heads=8), numpy("two_factors", d_model=16, num_heads=1, key_dim=12),
    numpy("merged", d_model=64, num_heads=1, use_bias=False),
    asked="why separate matrices for queries and keys, combine query and key weights, no output projection with one head, "
    "project out from the attention block, num_heads=1 identical to ordinary self-attention, single head",
    says="Two are smaller, as long as d_k is below d_model / 2: at d_model 512 with 8 heads they hold {factors} numbers for each "
    "head, a free matrix {free}. The price is a rank of at most {rank}. One head as wide as the model is ordinary scaled "
    "dot-product attention, and nothing is lost without an output projection: W_V and W_O follow each other with nothing "
    "between, and their product, 64 × 64, does the same with {one} numbers instead of {two} (outputs differ by {difference}). "
    "Several heads each have their own weights between them.",
    rows={"8 heads, factors": "{all_factors}", "8 heads, free": "{all_free}", "16 wide, d_k = 12: factors": "{1[factors]}",
          "free matrix there": "{1[free]}"},
)  # fmt: skip

QUESTIONS.add("r09", "Why may each head be rotated by itself, and not all columns of V together, before W_O?",
    "https://github.com/spcl/QuaRot/issues/36", see("keras_layer", part="arrays", idea="products", d_model=512, num_heads=8),
    numpy("heads_turned", d_model=512, num_heads=8, query_len=6),
    says="Between W_V and W_O each head has its own attention weights. Turned within a head, W_V and the rows of W_O cancel: the "
    "output moves by {by_head}. Across heads, columns meet the wrong weights: {across}. Without rotary embeddings W_Q and W_K "
    "cancel in the same way, so such turns are directions that count as parameters and do nothing.",
    rows={"Q and K turned within a head: scores move by": "{scores}", "numbers of W_Q move by up to": "{w_q}",
          "directions in W_V and W_O, 8 · 64²": "{vo}", "directions in W_Q and W_K": "{qk}"},
)  # fmt: skip

QUESTIONS.add("r10", "Does sharing one projection for queries and keys make attention symmetric, and what does it save?",
    "https://github.com/pytorch/pytorch/issues/35458", see("attention", **TINY, query_len=6, numbers="seed"),
    *(numpy("one_kernel", letters="qk", **sizes, query_len=6) for sizes in (TINY, {"d_model": 512, "num_heads": 8})),
    asked="QQ^T instead of QK^T, no separate key matrix, share weights of query and key, linear transformation of key and query "
    "with the same weight, shared QK, same weight matrix for queries and keys, why does the diagonal of the map not dominate, "
    "each word most similar to itself",
    says="The scores, yes: what A thinks of B, B thinks of A, so nothing is directed; and no token's score for itself is below "
    "0. With two projections a score for oneself is nothing special, so the diagonal need not stand out. The weights, no: each "
    "row has a softmax of its own, but here {1[own]} of {1[rows]} rows look most at their own token. It runs all the same, and "
    "at d_model 512 it saves {1[saved]} of {1[count]} parameters; {1[left]} are left.",
    rows={"scores and their transpose differ by": "{scores}", "with two projections": "{plain}",
          "weights and their transpose differ by": "{weights}"},
)  # fmt: skip

QUESTIONS.add("r11 r12", "Why are the heads' results joined and not added up, and where is W_O in a sum of W_i · head_i?",
    "https://ai.stackexchange.com/questions/41802/concatenation-of-feature-vectors-in-transformers-before-passing-to-fcnn "
    "https://github.com/fundamentalvision/Deformable-DETR/issues/15",
    see("concatenation", combine="sum", d_model=512, num_heads=8, numbers="seed"),
    *(numpy("summed_up", d_model=width, num_heads=8, query_len=6) for width in (512, 256)),
    theme="Sum or concatenation",
    asked="sum, max or mean over heads, aggregate results of heads, concatenation or summation, ensemble learning, each head a "
    "separate model, is multi-head attention an ensemble, 512/8 of the input dimensions, shape of the block of W_O for each "
    "head, Concat(H_1 … H_h) W_O as a sum over heads of an N × N matrix times X times a d × d matrix",
    says="A sum of W_i · head_i is the same: at width 256, W_O, {1[flat][0]} × {1[flat][1]}, is {1[blocks][0]} blocks of "
    "{1[blocks][1]} × {1[blocks][2]}, one below the other; the product with the concatenation is the sum of each head's product "
    "with its block, within {1[by_block]}: Σ A_h X (W_V,h W_O,h). Adding the results up is a concatenation whose W_O has equal "
    "blocks for all heads, the same output within {equal_blocks}: at width 512, {added} numbers a token instead of {joined}, and "
    "which head a number came from is lost. It saves {saved} parameters. Either way heads read all features and are parts of one "
    "layer, trained on one loss: no ensemble of models.",
    rows={"Keras's W_O, 256 wide": "{1[blocks]}", "numbers in W_O, 512 wide, joined": "{w_o}", "added up": "{block}",
          "parameters, joined": "{count}", "added up: parameters": "{fewer}", "a layer's own output differs by": "{apart}"},
)  # fmt: skip

QUESTIONS.add(
    "r13 r14", "Should W_Q start at 0, so that scores are 0, or W_O, so that the layer adds 0? Does it then learn?",
    "https://github.com/microsoft/mup/issues/36 https://github.com/hrz2000/FreeEdit/issues/3",
    see("keras_layer", part="arrays", array="w_q", use_bias="false", **TINY, query_len=6), keras("gradients", zero="w_q"),
    keras("gradients", zero="w_o"), theme="Start of training",
    says="It learns either way. With W_Q at 0 all 6 weights of a row are {largest_weight:.3f} at first, so each token gets the "
    "plain mean. W_Q has a gradient at once; W_K has none until W_Q has moved, because a key only counts times a query. With W_O "
    "at 0 the output is {1[output]}, and {1[still]:count} of {1[norms]:count} arrays have no gradient: what reaches them goes "
    "through W_O. W_O and b_O have one, and after their first step the others have, too; b_K never.",
    rows={"without a gradient at the first step, W_Q at 0": "{still:each}", "with one": "{moving:each}",
          "with one, W_O at 0": "{1[moving]:each}"},
)  # fmt: skip

QUESTIONS.add("r15", "Is self-attention without positions invariant or equivariant to the order of its tokens?",
    "https://github.com/udlbook/udlbook/issues/131", see("attention", **TINY, query_len=6, numbers="seed"),
    numpy("shuffled", **TINY, query_len=6), theme="Order",
    asked="permutation, positional encoding, order of tokens, shuffle the words, output comes out shuffled",
    says="Equivariant, and that is no bug: with the tokens in reverse order {none[same]} of {tokens} rows of the output come out "
    "the same, each at its token's new place, within {none[difference]}. With a causal mask {causal[same]} of {tokens} do. Order "
    "has to be brought in: by positions that are added to X, turn Q and K (rotary) or are added to the scores (bias), or by a "
    "causal mask.",
    rows={"largest difference, causal": "{causal[difference]}"},
)  # fmt: skip

QUESTIONS.add("r123", "Does it matter in which order keys and values come, if the queries stay as they are?",
    "https://github.com/juho-lee/set_transformer/issues/10",
    see("attention", **TINY, query_len=5, key_len=7, numbers="seed"), numpy("reordered", **TINY, query_len=5, key_len=7),
    theme="Order",
    asked="reorder only the keys and values, permutation of the memory in cross-attention, permutation invariant, set",
    says="No: reversed together, they leave the output as it is (off by {both:rounding}); only the columns of the map move "
    "along. Each output is a sum over the keys, and a sum has no order. With the values alone reversed the output is off by "
    "{alone:.2g}, as each key then brings another's value. A mask has to be reordered with the keys. And keys that hold "
    "positions (added or rotary) keep them only if those move along.",
)  # fmt: skip

QUESTIONS.add(
    "r124", "Does a word get the same output in two places, and can a decoder without position encodings (NoPE) tell them apart?",
    "https://github.com/McGill-NLP/length-generalization/issues/6", see("attention", **TINY, query_len=6, numbers="seed"),
    numpy("same_token", **TINY, query_len=6, first=0, second=3), theme="Order",
    asked="same word twice in the sentence, causal mask but no positional encodings, bag of words, no positional embedding",
    says="It does without a mask and positions: a token in places 1 and 4 of 6 has the same output, off by {none:g}. With a "
    "causal mask the two differ by up to {causal:.3g}, since each place sees another number of tokens. So a decoder is no bag of "
    "words even without position encodings: models without them (NoPE) can learn order from the mask alone. With positions that "
    "are added to X or turn Q and K the outputs differ, too.",
)  # fmt: skip

QUESTIONS.add("r131", "What decides where a head looks, and could W_V and W_O be merged into one matrix?",
    "https://github.com/callummcdougall/ARENA_2.0/issues/25",
    see("keras_layer", part="arrays", idea="products", d_model=512, num_heads=8),
    numpy("circuits", d_model=512, num_heads=8, query_len=6, use_bias=False),
    numpy("two_factors", d_model=512, num_heads=8),
    asked="QK circuit, OV circuit, multiply W_q and W_k transposed together, merge values and the output matrix, both are linear",
    says="W_Q W_Kᵀ decides it: a score is x · W_Q W_Kᵀ · y, over √d_k. W_V W_O decides what the head hands on: the output is the "
    "sum of A · X · W_V W_O over the heads (off by {output:rounding}). These are the QK and the OV circuit. So each pair could "
    "be merged, but at 512 wide with 8 heads one matrix for each head takes {merged} numbers, the pair {apart}; its rank stays "
    "{ranks[1]}, and a cache could no longer keep short keys and values. With biases, or rotary embeddings between W_Q and W_K, "
    "there is more than this product.",
    rows={"rank of W_Q W_Kᵀ": "{ranks[0]}", "one head: two matrices": "{factors}", "one matrix": "{free}"},
)  # fmt: skip
