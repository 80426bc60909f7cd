"""Questions about masks: what True means, which triangle is blocked, numbers in a mask, and padding without a mask."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("calls")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 6}

QUESTIONS.add("r61", "What does padding do if it is not masked, and must padded positions be masked as queries, too?",
    "https://github.com/HaoZhongkai/GNOT/issues/12", see("attention", numbers="seed", **TINY),
    numpy("padding_left_in", padded=2, **TINY),
    asked="question on masking, attention mask counts padding tokens, pad tokens, padded positions, does padding matter, "
    "contaminate, ignore padding, query padding, position embedding of padding, zero vectors, variable lengths, maskings, why "
    "key and query masking, key masking, what a padding mask or src_key_padding_mask is for, input sequence with padding, "
    "masking in a Transformer, does the key_padding_mask work, left padding, why a mask in the encoder, why hide only the pad "
    "keys and not the pad queries, mask the padding rows of the queries, rows of -inf, padding_side, left padding, batch "
    "generation, position_ids",
    numbers={"keys": "moved[keys]", "none": "moved[none]"},
    says="Unmasked padding takes attention: in an untrained layer, 2 padded positions of 6 get {share:%}. If they hold "
    "zeros, they still get {of_zeros:%}, because zeros do not make scores low. If you mask them as keys, their content "
    "changes the outputs of the real tokens by {keys}. A causal mask already hides padding on the right from real tokens, "
    "but not padding on the left. Do not mask padded positions as queries: such a query would have no key left. Leave the "
    "outputs at padded positions out of the loss.",
    rows={"without a mask: padding moves real outputs by": "{none}", "sum of a padded query's row": "{row:.2f}"},
)  # fmt: skip

QUESTIONS.add(
    "r62 r32", "Why is −10000 or −∞ added to the scores? Is −1e-9 a typo? Why not multiply by a mask of 1 and 0?",
    "https://github.com/huggingface/transformers/issues/12109 https://github.com/Shujun-He/RibonanzaNet/issues/5",
    see("attention", numbers="seed", **TINY | {"query_len": 4}), numpy("zeros_in_a_mask", masked=2, **TINY | {"query_len": 4}),
    asked="adding the mask to the scores, additive bias, how a mask masks, masked value is not masked out, why -10000 and not "
    "0, why -1e9, large negative number, small float, minimum float, 0s and 1s, float mask, multiply by the mask, (1 - mask) * "
    "-1e9, setting masked scores to zero, must a mask be 0 and -inf, values of the mask, additive and not times 0, multiply "
    "the padding mask by zeros and ones, how can a mask that is added as a bias mask anything, sentences of different lengths, "
    "ignore the zeros filled up with, ones and zeros added to the scores, (1 - mask) * finfo.min",
    numbers={"times": "shares[times]", "large": "shares[large]", "tiny": "shares[tiny]", "added": "shares[added]",
             "none": "shares[none]"},
    says="The softmax computes e^score. With −∞ added, a masked key gets the weight e^−∞ = 0. Any number far below the scores, "
    "such as −10,000 or −1e9, also gives the weight {large}. −1e-9 is a typo for −1e9: a score replaced by it is nearly 0, "
    "counts e⁰ = 1 and masks nothing. Two such keys of four keep {tiny:%} of the attention. Multiplying scores by 0 does the "
    "same. If masked keys’ weights become 0 after the softmax, a row sums to only {after:.2f} here on average.",
    rows={"attention of the masked keys without a mask": "{none:%}", "scores multiplied by 1 and 0": "{times:%}",
          "1 and 0 added to the scores": "{added:%}", "adding 1 multiplies e^score by": "{factor:.2f}"},
)  # fmt: skip

QUESTIONS.add("r52", "Does True in an attention mask mean that a key takes part, or that it is masked out?",
    "https://github.com/lucidrains/x-transformers/issues/164", see("attention", mask="causal", numbers="seed", **TINY),
    numpy("turned_mask", **TINY),
    asked="True in key_padding_mask and attn_mask, boolean mask, inverted, flipped, polarity, 0 or 1, is True masked, "
    "definition of the attention mask, should the padding mask be inverted before masked_fill, True indicates values that "
    "participate",
    numbers={"first_last": "last[0]"},
    says="In Keras's attention_mask and PyTorch's scaled_dot_product_attention, True means that a key takes part. In "
    "nn.MultiheadAttention, both in attn_mask and in key_padding_mask, True means that a key is masked out. Suppose that you "
    "swap the meaning of a causal mask for 6 tokens. It then allows {turned} pairs of query and key instead of {pairs}, all "
    "with a key after the query. The last token has no key left. Its attention weights are {first_last} in "
    "nn.MultiheadAttention, and its output is 0 in newer versions of scaled_dot_product_attention.",
    rows={"first row of weights, mask turned round": "[{first:few}]"},
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
    "alone asks for a mask, use_causal_mask has no effect, causal mask ignored or dropped",
    numbers={"causal": "moved[causal]", "transposed": "moved[transposed]", "none": "moved[none]"},
    says="A causal mask blocks every key after the query, the triangle above the diagonal: {turned} of 36 pairs for 6 tokens. A "
    "token may see itself: its output predicts the next one. In nn.MultiheadAttention, True blocks a key: triu(ones, "
    "diagonal=1). In scaled_dot_product_attention and Keras, True allows a key: tril(ones). With fewer queries than keys, "
    "PyTorch and Keras align the first query with the first key. To find a leak, change the last of 6 tokens: only the last "
    "output should change. With the transposed mask or none, {transposed} outputs change.",
    rows={"second row of weights": "[{second:few}]",
          "outputs that change: causal mask, transposed mask, no mask": "{causal}, {transposed}, {none}"},
)  # fmt: skip
