"""Questions from those who read or write the layer in PyTorch: order of the axes, what a mask means, where a step stands."""

from experiments.records import Questions, free, layer, numpy, see

QUESTIONS = Questions("Masks")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 6}

QUESTIONS.add(
    "r51", "Why does nn.MultiheadAttention want (sequence, batch, features), and what happens without batch_first=True?",
    "https://github.com/pytorch/pytorch/issues/63560", see("keras_layer", part="shapes", batch=4, **TINY),
    numpy("axes_swapped", d_model=8, num_heads=2, batch=4, length=6, keys=9), theme="Shapes",
    asked="batch_first, batch size, (L, N, E), [s, b, dim], permute, input shape, shape mismatch, is invalid for input of size, "
    "unbatched input, expected key and value to be 3-D but found 2-D, tabular data (batch, features)",
    says="It is an older order, kept as PyTorch's default; Keras has the batch first. With one input for all three nothing "
    "fails: the output is {output} either way, but each token attends to other samples: maps {swapped} instead of {maps}. With "
    "keys of another length there is a shape mismatch. A 2-D input is taken for one sample without a batch, so rows of a table "
    "attend to each other: (L, E) gives (L, E) and weights (L, S). All three must then be 2-D; for a batch, all three 3-D: add "
    "the axis with unsqueeze. Keras always wants the batch.",
    rows={"outputs differ by": "{apart}", "without, and 9 keys": "{refusal}"},
)  # fmt: skip

QUESTIONS.add("r52", "Does True in an attention mask mean that a key takes part, or that it is masked out?",
    "https://github.com/lucidrains/x-transformers/issues/164", see("keras_layer", part="masks", mask_case="polarity", **TINY),
    numpy("turned_mask", **TINY),
    asked="True in key_padding_mask and attn_mask, boolean mask, inverted, flipped, polarity, 0 or 1, is True masked, definition "
    "of the attention mask, should the padding mask be inverted before masked_fill, True indicates values that participate",
    says="Keras's attention_mask and PyTorch's scaled_dot_product_attention: True takes part. nn.MultiheadAttention's attn_mask "
    "and key_padding_mask: True is left out. Turned round, a causal mask of 6 tokens lets {turned} pairs look instead of "
    "{pairs}, all of them ahead. The last token sees nothing: its row is {last[0]} in nn.MultiheadAttention where weights are "
    "asked for, and 0 in newer versions of scaled_dot_product_attention.",
    rows={"first row, turned round": "[{first:few}]"},
)  # fmt: skip

QUESTIONS.add(
    "r53", "A 3D attn_mask must be (N · num_heads, L, S). Why not (N, L, S), and how are padding mask and causal mask merged?",
    "https://github.com/keras-team/keras-hub/issues/783",
    see("keras_layer", part="masks", mask_case="pytorch", batch=2, **free(8, 4, 2, query_len=4)),
    numpy("mask_shapes", batch=2, num_heads=4, length=4, padded=1),
    asked="mask shape mismatch, dimensions of attn_mask, merge padding and attention mask, mask of each sample, batched, repeat "
    "or repeat_interleave, expand, broadcast, mask for each head separately, without the head axis, (T, S) or (S, T), order of "
    "samples and heads, fast path, shape of attn_mask or attention mask, difference between src_mask and src_key_padding_mask",
    says="PyTorch folds the heads into the batch: 2 · 4 = {maps} maps. repeat_interleave(num_heads) gives each its own sample's "
    "mask; repeat(num_heads, 1, 1) does so for {in_turn} of {maps} only. Keras takes (B, T, S) for all heads. Padding and causal "
    "mask are merged by “and” where True looks (Keras), by “or” where True is left out (nn.MultiheadAttention): (B, 1, S) with "
    "(T, S) gives {joined}. A mask for each head is (N, h, L, S), reshaped to (N · h, L, S); scaled_dot_product_attention takes "
    "the four axes. attn_mask or src_mask, (L, S), says which query may see which key, in every sample; key_padding_mask, (N, "
    "S), which keys of a sample are padding.",
    rows={"pairs left in sample 1, and in sample 2, one token shorter": "{pairs:each}",
          "attn_mask (2, 4, 4) in PyTorch": "{refusal}"},
)  # fmt: skip

QUESTIONS.add("r54", "Hidden size 1,024 and 12 attention heads: why must the width be divisible by the number of heads?",
    "https://github.com/huggingface/transformers/issues/23081", see("heads", **free(1024, 12, 85)),
    numpy("heads_that_fit", d_model=1024, wrong=12, multiple=8, most=256),
    numpy("layers", sizes=[layer(1024, 12, 85), layer(1024, 16, 64)]),
    numpy("heads_that_fit", d_model=300, wrong=8, multiple=2, most=300), theme="Head size",
    asked="not divisible, divisor of hidden units, multiple of the head number, invalid, odd, shape error, emb_dim, heads divide "
    "the features and not the sequence, C is not a multiple of num_heads, no assert, assertion error",
    says="Because one matrix as wide as the model is cut into equal heads: 12 heads of 85 are {layers[0][concat]} columns, and "
    "{left} are left over. Without a check the reshape fails: 1,020 numbers are not 1,024. Take a count that divides the width "
    "({counts:each}), or another width. That is a rule of the cut, not of attention: in Keras each head has a key_dim of its "
    "own, and 12 heads of 85 are a layer of {layers[0][count]} parameters.",
    rows={"16 heads of 64: parameters": "{layers[1][count]}", "300 wide, counts that fit": "{2[counts]:each}"},
)  # fmt: skip

QUESTIONS.add(
    "r55 r06", "Why dropout on the attention weights, after the softmax? With one key they are 1.25 or 0: rows do not sum to 1.",
    "https://github.com/bentrevett/pytorch-seq2seq/issues/142 https://github.com/pytorch/pytorch/issues/90842",
    see("attention", dropout=0.1, training="true", numbers="seed", **TINY), numpy("dropout_places", rate=0.1, **TINY),
    numpy("dropped", rate=0.2, keys=1), numpy("dropped", rate=0.2, keys=16), theme="Maps",
    asked="why use dropout in the attention function, attention dropout, position of dropout, where, not in the paper, weights "
    "do not sum to 1, more than 1, different output with the same input, dropout still on, inference, eval mode, sum of the "
    "weights in each row is 1.11, weights returned in training sum to more than 1",
    says="A dropped weight hides one token from one query, all {changed} numbers of its value; after A · V only single numbers "
    "would go. Dropout sets a weight to 0 or divides it by 1 − 0.2, so that the mean stays, and no row is made to sum to 1 again "
    "(the weights that PyTorch returns in training are such rows): with 16 keys rows sum to {2[least]} to {2[largest]}. Outside "
    "of training the layers drop nothing. Before the softmax the mean would not stay: a score of 0 is no mask, its weight here "
    "is at least {least:.2f}. It is in the code of the first Transformer, not in its paper's figure.",
    rows={"weights with one key": "{weights:few}", "mean over 2,000 rows": "{mean:.2f}",
          "rate 0.1: what is left, times": "{factor:.2f}",
          "mean result off by, on the weights": "{by_weight:.2f}", "after A · V": "{by_result:.2f}",
          "before the softmax": "{by_score:.2f}"},
)  # fmt: skip

QUESTIONS.add("r57", "Which triangle does a causal mask block, may a token see itself, and does future data leak?",
    "https://github.com/pytorch/examples/issues/649", see("attention", mask="causal", **TINY), numpy("turned_mask", **TINY),
    asked="future tokens, look ahead, wrong mask, upper or lower triangular, tril, data leakage, decoder, language model, "
    "residual around masked attention, ones in the lower triangle for Keras, stop the model from peeking at later words, "
    "diagonal argument, adding a triangle of 0 and -1e9 to the scores",
    says="The one above the diagonal (−∞ or −1e9 there: e to it is 0), where a key comes after its query: {turned} of 36 pairs "
    "for 6 tokens. Their scores become −∞ before the softmax. In nn.MultiheadAttention True is blocked: triu(ones, diagonal=1). "
    "In scaled_dot_product_attention and Keras True looks: tril(ones), or is_causal=True and use_causal_mask=True. The diagonal "
    "stays, because an output predicts the next token, not its own. To look for a leak, change the last token: {moved[causal]} "
    "output may move. With the triangle transposed {moved[transposed]} do, and with a padding mask alone, which knows no order, "
    "{moved[none]}. A residual adds to each token its own row only: nothing leaks there.",
    rows={"second row of weights": "[{second:few}]"},
)  # fmt: skip

QUESTIONS.add(
    "r58", "One Linear(d_model, d_model) is cut into heads. Shouldn't each head have projections of its own, of all features?",
    "https://github.com/pytorch/pytorch/issues/60445", see("projections", cut="fused", d_model=512, num_heads=8),
    numpy("one_product", d_model=512, num_heads=8, query_len=4), numpy("conventions", d_model=512, heads=[8], key_dim=512),
    theme="Heads",
    asked="separate linear layers, chunks, share weights, to_qkv, divide the last dimension over heads, n_heads ignored, "
    "Linear(d, 3·d), merged or fused linear, batch all heads in parallel, heads that share one small matrix, keep the full "
    "dimension, before or after the projection, one set of Q, K and V, one W_q per head or one big W_q, inner_dim * 3, narrow "
    "attention, 3 * embed_dim * num_heads, sizes of the weight matrices, split queries and keys, batching the heads, batched, "
    "block-diagonal weight, full width for each head, BERT cuts instead of projecting for every head, one set of Q, K, V",
    says="It has: its columns of the wide {flat[0]} × {flat[1]} matrix are a {own[0]} × {own[1]} matrix of its own, which reads "
    "all {own[0]} features. The input is not split. A Linear(d, 3·d) holds W_Q, W_K and W_V side by side in the same way. "
    "Linear(d, h·d) makes heads as wide as the model, as key_dim = d does in Keras: {keras:each} parameters instead of "
    "{paper:each}. Such heads compare more directions, for that price: another layer, not the same one.",
    rows={"head 1's W_Q": "{own}", "one product and 8 small ones differ by": "{difference:rounding}",
          "two heads' Q differ by": "{between_heads}"},
)  # fmt: skip

QUESTIONS.add(
    "r100", "Does scaled_dot_product_attention switch dropout off when I call model.eval()?",
    "https://github.com/pytorch/pytorch/issues/124464",
    see("attention", dropout=0.1, training="true", numbers="seed", **TINY),
    numpy("dropout_left_on", rate=0.1, **TINY), theme="Maps",
    asked="dropout_p, self.training, nondeterministic outputs in evaluation",
    says="No: it is a function, which knows of no mode and drops whenever dropout_p is more than 0. Pass `dropout_p=self.dropout "
    "if self.training else 0.0`. Left on at a rate of 0.1, two calls with the same input differ by {on:.2f} here, and kept "
    "weights are {factor:.2f} times as large; at 0.0 they differ by {off}. Layers switch it off by themselves: "
    "nn.MultiheadAttention by eval(), Keras's layer where training is False.",
    rows={"rate 0.1: two calls differ by": "{on:.2f}", "a kept weight, times": "{factor:.2f}"},
)  # fmt: skip

QUESTIONS.add(
    "r103", "“Explicit attn_mask should not be set when is_causal=True”: how do I mask padding, too?",
    "https://github.com/jingyaogong/minimind/issues/382",
    see("keras_layer", part="masks", mask_case="pytorch", batch=2, **free(8, 4, 2, query_len=4)),
    numpy("mask_shapes", batch=2, num_heads=4, length=4, padded=1),
    asked="both masks at once, one combined mask",
    says="Make one mask of both and leave the flag at False. For scaled_dot_product_attention, where True takes part, it is "
    "`causal & real[:, None, None, :]`: causal is tril(ones(L, S)), and real, (B, S), is True on real tokens. The result is (B, "
    "1, L, S), and its axis of 1 serves all heads. With 4 tokens, the last of sample 2 padded, {pairs:and} pairs are left in the "
    "two samples. nn.MultiheadAttention takes attn_mask and key_padding_mask side by side and joins them, and so does Keras with "
    "its masks.",
    rows={"pairs left in sample 1, and in sample 2": "{pairs:each}", "both as one mask": "{joined}"},
)  # fmt: skip

QUESTIONS.add(
    "r106", "May a token be kept from attending to itself, with the diagonal masked as well?",
    "https://github.com/pytorch/pytorch/issues/143287",
    see("keras_layer", part="masks", attention_mask="custom", mask_cells="011111,101111,110111,111011,111101,111110", **TINY),
    numpy("diagonal_left_out", **TINY),
    asked="block the diagonal, weight of a word on itself, exclude own position",
    says="Yes: {pairs} of 36 pairs are left for 6 tokens, and each token mixes the values of the others. Its output still "
    "depends on itself, because its query does: change the token, and its output moves by {moved:.2f}; with the query held, by "
    "{by_keys:rounding}. With a causal mask the first token has no key left, and its row is {row[0]} by the formula: let it see "
    "itself, or add a key of zeros.",
    rows={"pairs that are left": "{pairs} of 36", "causal and no diagonal: rows without a key": "{empty} of 6"},
)  # fmt: skip
