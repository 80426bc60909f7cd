"""Questions about masks that come by themselves, that hold numbers, and that are not square; and about padding without one."""

from lessons.claims.records import Questions, Run, free, keras, numpy, see
from mha.keras.layer import KerasLayer

QUESTIONS = Questions("Masks")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 6}

QUESTIONS.add("r59", "Does MultiHeadAttention use the mask of an Embedding with mask_zero=True by itself, and when is it lost?",
    "https://github.com/keras-team/keras-hub/issues/2220",
    see("keras_layer", part="masks", attention_mask="padding", **free(8, 2, 4, query_len=5)), keras("own_mask"),
    asked="automatic mask, mask propagation, implicit padding mask, _keras_mask, mask ignored silently, no mask passed, masking "
    "layer, mask lost, encoder without a mask",
    says="It does: padding gets {own} of the attention, with `use_causal_mask=True` as well; no `attention_mask` is needed. "
    "Keras joins all three by “and”: there is nothing to multiply. The mask travels with the tensor: an operation that is no "
    "Keras layer (x + 0) loses it. And a call takes it off its inputs: a second call with the same tensor has none, and "
    "{second:%} goes to padding.",
    rows={"share of padding with use_causal_mask": "{causal}", "after x + 0": "{computed:%}", "no mask": "{none:%}",
          "row sums, 3 real and 2 padded queries": "{rows:few}",
          "real outputs differ from those by attention_mask": "{real:rounding}", "the output passes the mask on": "{passed_on}"},
)  # fmt: skip

QUESTIONS.add("r60", "is_causal with fewer queries than keys: is the triangle counted from the first key or from the last?",
    "https://github.com/pytorch/pytorch/issues/103082",
    see("keras_layer", part="masks", mask_case="causal", batch=1, **free(8, 2, 4, query_len=3, key_len=5)),
    numpy("causal_corners", queries=3, keys=5), numpy("causal_corners", queries=1, keys=8),
    asked="query length differs from key length, two libraries give different causal results, diagonal, is_causal and attn_mask "
    "both set, explicit mask, other lengths, L and S, top left or bottom right, alignment, decoding with a cache, inconsistent, "
    "ambiguity, is_causal changes nothing, hint",
    says="From the first, in PyTorch and Keras: of 5 keys, 3 queries see {first:each}. With a cache they are the last tokens and "
    "should see {last:each}: make that mask yourself, tril(diagonal=S − L), or take PyTorch's causal_lower_right. A single new "
    "query would see {1[first][0]} of 8 keys instead of {1[last][0]}: call it without is_causal. Give is_causal or an attn_mask: "
    "both together one kernel of scaled_dot_product_attention refuses and another joins; nn.MultiheadAttention wants the mask "
    "and takes is_causal for a hint.",
    rows={"1 query, 8 keys, from the first": "{1[first][0]} of 8", "from the last": "{1[last][0]} of 8"},
)  # fmt: skip

QUESTIONS.add("r61", "What does padding do if it is not masked, and must padded positions be masked as queries, too?",
    "https://github.com/HaoZhongkai/GNOT/issues/12", see("attention", numbers="seed", **TINY),
    numpy("padding_left_in", padded=2, **TINY),
    asked="question on masking, pad tokens, padded positions, does padding matter, contaminate, ignore padding, query padding, "
    "position embedding of padding, zero vectors, variable lengths, maskings, why key and query masking, key masking, what a "
    "padding mask or src_key_padding_mask is for, input sequence with padding, masking in a Transformer, does the "
    "key_padding_mask work, left padding, why a mask in the encoder",
    says="Without a mask 2 padded of 6 places take {share:%} of the attention here, {of_zeros:%} if they hold zeros: a score of "
    "0 is a score like any other. Mask them as keys, and the real outputs move by {moved[keys]}, whatever padding holds. A "
    "padded query still gets an output, from real keys: leave it out of the loss. Masked as well, its row would be empty: NaN by "
    "the formula, b_O or a plain mean in Keras.",
    rows={"real outputs move with padding, no mask": "{moved[none]}", "sum of a padded query's row": "{row:.2f}"},
)  # fmt: skip

QUESTIONS.add(
    "r62 r32", "Why is −10000 or −∞ added to the scores, is −1e-9 a typo, and can a mask of 1 and 0 not be multiplied?",
    "https://github.com/huggingface/transformers/issues/12109 https://github.com/Shujun-He/RibonanzaNet/issues/5",
    see("attention", numbers="seed", **TINY | {"query_len": 4}), numpy("zeros_in_a_mask", masked=2, **TINY | {"query_len": 4}),
    asked="adding the mask to the scores, additive bias, how a mask masks, masked value is not masked out, why -10000 and not 0, "
    "why -1e9, large negative number, small float, minimum float, 0s and 1s, float mask, multiply by the mask, (1 - mask) * "
    "-1e9, setting masked scores to zero, must a mask be 0 and -inf, values of the mask, additive and not times 0, multiply the "
    "padding mask by zeros and ones",
    says="A mask of 1 and 0 cannot be multiplied: e⁰ = 1. With scores times 0, two masked keys of four keep {shares[times]:%} of "
    "the attention here; any number far below the scores (−10,000, −1e9, −2³², −∞) leaves them {shares[large]}. −1e-9 is a typo: "
    "it is 0 for all purposes, an ordinary score, and they keep {shares[tiny]:%}. Nor are 1 and 0 a mask if they are added, as "
    "PyTorch does with floats: 1.0 makes e^score {factor:.2f} times as large, 0.0 changes nothing. Times 0 after the softmax, "
    "rows sum to {after:.2f} and no longer to 1.",
    rows={"share of the masked keys, 1 and 0 added": "{shares[added]:%}", "no mask": "{shares[none]:%}"},
)  # fmt: skip

QUESTIONS.add("r72", "“Expected attn_mask dtype to be bool or to match query dtype”: what may a mask be made of?",
    "https://github.com/mahmoodlab/TITAN/issues/11",
    see("keras_layer", part="masks", mask_case="additive", **free(8, 2, 4, query_len=5)),
    Run("mask_additive", {"layer": KerasLayer(2, 4, 4, (2, 5, 8), (2, 5, 8)).plain()}, keras=True),
    numpy("formats", values=[-1e9]),
    asked="dtype mismatch, attn_mask dtype, float16, autocast, amp, mask.bool(), cast, mismatched key_padding_mask and "
    "attn_mask, expected query, key and value to have the same dtype, float and c10::Half",
    says="bool, or the very type of the queries (newer PyTorch takes float32, too): PyTorch adds a float mask to the scores. "
    "key_padding_mask and attn_mask must be of one kind, both bool or both float. With autocast or half precision convert it, "
    "mask.to(q.dtype), or better make it bool: −1e9 is {half[0]:signed} in float16. Queries, keys and values must have one type, "
    "too: cast the one that stayed in float32 (a cache, a norm, rotary numbers). Keras casts any mask to bool, silently: a mask "
    "of 0 and −1e9 that is meant to be added then does the reverse.",
    rows={"Keras with 0 and −1e9: output off by": "{apart}", "from the reversed mask's output": "{inverted}"},
)  # fmt: skip
