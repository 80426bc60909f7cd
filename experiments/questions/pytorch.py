"""Questions from people who read or write the layer in PyTorch: order of the axes, meaning of a mask, place of a step."""

from experiments.records import Questions, free, layer, numpy, see

QUESTIONS = Questions("calls")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 6}

QUESTIONS.add(
    "r51", "Why does nn.MultiheadAttention want (sequence, batch, features), and what happens without batch_first=True?",
    "https://github.com/pytorch/pytorch/issues/63560", see("keras_layer", part="shapes", batch=4, **TINY),
    numpy("axes_swapped", d_model=8, num_heads=2, batch=4, length=6, keys=9),
    asked="batch_first, batch size, (L, N, E), [s, b, dim], permute, input shape, shape mismatch, is invalid for input of size, "
    "unbatched input, expected key and value to be 3-D but found 2-D, tabular data (batch, features)",
    says="This is PyTorch's older order; Keras has the batch first. If one input serves all three, nothing fails, and the output "
    "is {output} either way. But each token attends to other samples: maps {swapped} instead of {maps}. With keys of another "
    "length, the shapes do not match. PyTorch takes a 2-D input for one sample without a batch, so rows of a table attend to "
    "each other. For a batch, all three must be 3-D: add the axis with unsqueeze.",
    rows={"outputs differ by": "{apart}", "without batch_first, with 9 keys": "{refusal}"},
)  # fmt: skip

QUESTIONS.add("r52", "Does True in an attention mask mean that a key takes part, or that it is masked out?",
    "https://github.com/lucidrains/x-transformers/issues/164", see("attention", mask="causal", numbers="seed", **TINY),
    numpy("turned_mask", **TINY),
    asked="True in key_padding_mask and attn_mask, boolean mask, inverted, flipped, polarity, 0 or 1, is True masked, definition "
    "of the attention mask, should the padding mask be inverted before masked_fill, True indicates values that participate",
    numbers={"first_last": "last[0]"},
    says="In Keras's attention_mask and PyTorch's scaled_dot_product_attention, True means that a key takes part. In "
    "nn.MultiheadAttention's attn_mask and key_padding_mask, True means that a key is left out. With the meaning swapped, a "
    "causal mask of 6 tokens allows {turned} pairs instead of {pairs}, all of them to later tokens. The last token then sees "
    "nothing: its row is {first_last} in nn.MultiheadAttention if weights are asked for, and 0 in newer versions of "
    "scaled_dot_product_attention.",
    rows={"first row of weights, mask turned round": "[{first:few}]"},
)  # fmt: skip

QUESTIONS.add(
    "r53", "A 3D attn_mask must be (N · num_heads, L, S). Why not (N, L, S), and how are padding mask and causal mask merged?",
    "https://github.com/keras-team/keras-hub/issues/783",
    see("keras_layer", part="shapes", batch=2, **free(8, 4, 2, query_len=4)),
    numpy("mask_shapes", batch=2, num_heads=4, length=4, padded=1),
    asked="mask shape mismatch, dimensions of attn_mask, merge padding and attention mask, mask of each sample, batched, repeat "
    "or repeat_interleave, expand, broadcast, mask for each head separately, without the head axis, (T, S) or (S, T), order of "
    "samples and heads, fast path, shape of attn_mask or attention mask, difference between src_mask and src_key_padding_mask, "
    "both masks at once, one combined mask",
    says="PyTorch folds the heads into the batch: 2 · 4 = {maps} maps. The method repeat_interleave(num_heads) gives each map "
    "its sample's mask; repeat(num_heads, 1, 1) does so for only {in_turn} of {maps}. Keras takes (B, T, S) for all heads. "
    "“And” merges padding and causal mask where True may look: in Keras and in scaled_dot_product_attention (is_causal=False). "
    "“Or” merges them where True is left out: in nn.MultiheadAttention. In Keras, a padding mask (B, 1, S) and a causal mask "
    "(T, S) merge into (B, T, S), here {joined}.",
    rows={"pairs that both masks allow: in sample 1; in sample 2, one token shorter": "{pairs:each}",
          "error of attn_mask (2, 4, 4) in PyTorch": "{refusal}"},
)  # fmt: skip

QUESTIONS.add("r54", "Hidden size 1,024 and 12 attention heads: why must the width be divisible by the number of heads?",
    "https://github.com/huggingface/transformers/issues/23081", see("heads", **free(1024, 12, 85)),
    numpy("heads_that_fit", d_model=1024, wrong=12),
    numpy("layers", sizes=[layer(1024, 12, 85), layer(1024, 16, 64)]),
    numpy("heads_that_fit", d_model=300, wrong=8), topic="conventions",
    asked="not divisible, divisor of hidden units, multiple of the head number, invalid, odd, shape error, emb_dim, heads "
    "divide the features and not the sequence, C is not a multiple of num_heads, no assert, assertion error",
    numbers={"concat": "layers[0][concat]", "first_count": "layers[0][count]", "second_count": "layers[1][count]",
             "counts_of_third": "2[counts]"},
    says="Because one matrix as wide as the model is cut into equal heads: 12 heads of 85 take {concat} columns, and {left} are "
    "left over. Without a check the reshape fails: 1,020 numbers are not 1,024. Take a number of heads that divides the width "
    "({counts:each}), or another width. This rule comes from the cut, not from attention. In Keras each head has its own "
    "key_dim: 12 heads of 85 make a layer of {first_count} parameters.",
    rows={"16 heads of 64: parameters": "{second_count}", "300 wide: numbers of heads that fit": "{counts_of_third:each}"},
)  # fmt: skip

QUESTIONS.add(
    "r55 r06", "Why dropout on the attention weights, after the softmax? With one key they are 1.25 or 0: rows do not sum to 1.",
    "https://github.com/bentrevett/pytorch-seq2seq/issues/142 https://github.com/pytorch/pytorch/issues/90842",
    see("attention", dropout=0.1, training="true", numbers="seed", **TINY), numpy("dropout_places", rate=0.1, **TINY),
    numpy("dropped", rate=0.2, keys=1), numpy("dropped", rate=0.2, keys=16), topic="heads",
    asked="why use dropout in the attention function, attention dropout, position of dropout, where, not in the paper, weights "
    "do not sum to 1, more than 1, different output with the same input, dropout still on, inference, eval mode, sum of the "
    "weights in each row is 1.11, weights returned in training sum to more than 1, dropout_p, self.training, nondeterministic "
    "outputs in evaluation",
    numbers={"least_of_third": "2[least]", "largest": "2[largest]"},
    says="A dropped weight hides one token from one query: all {changed} numbers of the token's value. Dropout sets a weight to "
    "0 or divides it by 1 − 0.2, so that the mean weight stays. Rows are not made to sum to 1 again: with 16 keys they sum to "
    "{least_of_third} to {largest}. Dropout before the softmax would change the mean: a score of 0 is no mask, its weight here "
    "is at least {least:.2f}. PyTorch's scaled_dot_product_attention does not know training from inference: pass "
    "`dropout_p=self.dropout if self.training else 0.0`.",
    rows={"weights with one key": "{weights:few}", "mean weight over 2,000 rows": "{mean:.2f}",
          "rate 0.1: the weights left are multiplied by": "{factor:.2f}",
          "dropout on the weights: mean result off by": "{by_weight:.2f}", "on A · V: off by": "{by_result:.2f}",
          "before the softmax: off by": "{by_score:.2f}"},
)  # fmt: skip

QUESTIONS.add("r57", "Which triangle does a causal mask block, may a token see itself, and does future data leak?",
    "https://github.com/pytorch/examples/issues/649", see("attention", mask="causal", **TINY), numpy("turned_mask", **TINY),
    asked="future tokens, look ahead, wrong mask, upper or lower triangular, tril, data leakage, decoder, language model, "
    "residual around masked attention, ones in the lower triangle for Keras, stop the model from peeking at later words, "
    "diagonal argument, adding a triangle of 0 and -1e9 to the scores, block the diagonal, weight of a word on itself, exclude "
    "own position, why mask in the decoder, training and inference, look-ahead mask at inference, teacher forcing, predict the "
    "next token, query length differs from key length, two libraries give different causal results, diagonal, is_causal and "
    "attn_mask both set, explicit mask, other lengths, L and S, top left or bottom right, alignment, decoding with a cache, "
    "inconsistent, ambiguity, is_causal changes nothing, hint, Need attn_mask if specifying the is_causal hint, is_causal=True "
    "alone asks for a mask",
    numbers={"causal": "moved[causal]", "transposed": "moved[transposed]", "none": "moved[none]"},
    says="A causal mask blocks keys after their query: the triangle above the diagonal. For 6 tokens, {turned} of 36 pairs get "
    "the score −∞. In nn.MultiheadAttention True blocks: triu(ones, diagonal=1). In scaled_dot_product_attention and in Keras, "
    "True lets a query look: tril(ones). With fewer queries than keys, PyTorch and Keras count from the first key. The diagonal "
    "stays, because an output predicts the next token. To look for a leak, change the last token: {causal} output may move. If "
    "the triangle is transposed, {transposed} move; with only a padding mask, {none}.",
    rows={"second row of weights": "[{second:few}]"},
)  # fmt: skip
