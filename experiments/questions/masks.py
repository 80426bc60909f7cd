"""Questions about masks that come by themselves, that hold numbers, and that are not square; and about padding without one."""

from experiments.records import Questions, Run, free, keras, numpy, see
from mha.keras.layer import KerasLayer

QUESTIONS = Questions("Masks")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 6}

QUESTIONS.add("r59", "Does MultiHeadAttention use the mask of an Embedding with mask_zero=True by itself, and when is it lost?",
    "https://github.com/keras-team/keras-hub/issues/2220",
    see("keras_layer", part="masks", attention_mask="padding", **free(8, 2, 4, query_len=5)), keras("own_mask"),
    asked="automatic mask, mask propagation, implicit padding mask, _keras_mask, mask ignored silently, no mask passed, masking "
    "layer, mask lost, encoder without a mask, BERT encoder without a self-attention mask",
    says="It does: padding gets {own} of the attention, with `use_causal_mask=True` as well; no `attention_mask` is needed. "
    "Where several masks come together, Keras joins them by “and”: there is nothing to multiply. The mask travels with the "
    "tensor: an operation that is no Keras layer (x + 0) loses it. And a call takes it off its inputs: a second call with the "
    "same tensor has none, and {second:%} goes to padding.",
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
    "ambiguity, is_causal changes nothing, hint, Need attn_mask if specifying the is_causal hint, is_causal=True alone asks for "
    "a mask",
    says="From the first, in PyTorch and Keras: of 5 keys, 3 queries see {first:each}. With a cache they are the last tokens and "
    "should see {last:each}: make that mask yourself, tril(diagonal=S − L), or take PyTorch's causal_lower_right. A single new "
    "query would see {1[first][0]} of 8 keys instead of {1[last][0]}: call it without is_causal. Give is_causal or an attn_mask: "
    "one kernel of scaled_dot_product_attention refuses both together, another joins them; nn.MultiheadAttention wants the mask "
    "and takes is_causal for a hint about it (generate_square_subsequent_mask makes it). FlashAttention counts from the last key "
    "since 2.1; all agree where the lengths are equal.",
    rows={"1 query, 8 keys, from the first": "{1[first][0]} of 8", "from the last": "{1[last][0]} of 8"},
)  # fmt: skip

QUESTIONS.add("r61", "What does padding do if it is not masked, and must padded positions be masked as queries, too?",
    "https://github.com/HaoZhongkai/GNOT/issues/12", see("attention", numbers="seed", **TINY),
    numpy("padding_left_in", padded=2, **TINY),
    asked="question on masking, pad tokens, padded positions, does padding matter, contaminate, ignore padding, query padding, "
    "position embedding of padding, zero vectors, variable lengths, maskings, why key and query masking, key masking, what a "
    "padding mask or src_key_padding_mask is for, input sequence with padding, masking in a Transformer, does the "
    "key_padding_mask work, left padding, why a mask in the encoder, why hide only the pad keys and not the pad queries, mask "
    "the padding rows of the queries, rows of -inf",
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
    "padding mask by zeros and ones, how can a mask that is added as a bias mask anything",
    says="Added, −∞ leaves e^−∞ = 0, and the others share the row. A mask of 1 and 0 cannot be multiplied: e⁰ = 1. With scores "
    "times 0, two masked keys of four keep {shares[times]:%} of the attention here; any number far below the scores (−10,000, "
    "−1e9, −2³², −∞) leaves them {shares[large]}. −1e-9 is a typo: it is 0 for all purposes, an ordinary score, and they keep "
    "{shares[tiny]:%}. Nor are 1 and 0 a mask if they are added, as PyTorch does with floats: 1.0 makes e^score {factor:.2f} "
    "times as large, 0.0 changes nothing. Times 0 after the softmax, rows sum to {after:.2f} and no longer to 1.",
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
    "too: cast the one that stayed in float32 (a cache, a norm, rotary numbers). 0 and 1 as integers need .bool(); as floats "
    "they would be added. Keras casts any mask to bool, silently: a mask of 0 and −1e9 that is meant to be added then does the "
    "reverse.",
    rows={"Keras with 0 and −1e9: output off by": "{apart}", "from the reversed mask's output": "{inverted}"},
)  # fmt: skip

QUESTIONS.add(
    "r101", "Left padding or right padding: what does it change under a causal mask?",
    "https://github.com/huggingface/transformers/issues/29419",
    see("attention", mask="causal", numbers="seed", **TINY),
    numpy("padding_sides", padded=2, **TINY),
    asked="padding_side, left padding, batch generation, position_ids",
    says="A causal mask hides right padding by itself; left padding needs a padding mask, too. With 2 padded places of 6, the "
    "real outputs move by {right[causal]} with what stands on the right, and by {left[causal]:.2f} with what stands on the left "
    "(by {left[both]} once it is masked). With left padding the first {left[empty]} rows have no key at all: NaN by the formula. "
    "Positions must then be counted from the first real token (position_ids). Language models generate with left padding, so "
    "that the last place of every sample is a real token.",
    rows={"padding on the right: rows without a key": "{right[empty]}", "on the left": "{left[empty]}"},
)  # fmt: skip

QUESTIONS.add(
    "r102", "Several documents are packed in one sequence: how do I keep them from attending to each other?",
    "https://github.com/karpathy/nanoGPT/issues/280",
    see("keras_layer", part="masks", attention_mask="custom", mask_cells="100000,110000,001000,001100,001110,001111", **TINY),
    numpy("packed_documents", first=2, **TINY),
    asked="packed sequences, sequence packing, block-diagonal mask, cross-document attention, cu_seqlens, do tokens of different "
    "sentences in a batch attend to each other",
    says="By a mask of blocks: a token may look at earlier ones of its own document, `(doc[:, None] == doc) & tril`. Documents "
    "of 2 and 4 tokens have {pairs[blocks]} pairs then instead of {pairs[causal]}, and the second gets what it gets alone, "
    "within {alone:rounding}. Under the causal mask only, its outputs move by {moved[causal]:.2f} with the first's tokens; by "
    "blocks, by {moved[blocks]}. New positions for each document do not hide one from the other. Kernels for packed sequences "
    "(cu_seqlens) take the lengths and need no mask. Samples of a batch never meet: each has maps of its own.",
    rows={"pairs that may look, causal": "{pairs[causal]} of 36", "by blocks": "{pairs[blocks]} of 36"},
)  # fmt: skip

QUESTIONS.add(
    "r104", "May a mask hold numbers such as −0.5, and does it come before or after dividing by √d_k?",
    "https://github.com/JingyunLiang/SwinIR/issues/61",
    see("attention", alibi="true", numbers="seed", **TINY),
    numpy("numbers_in_a_mask", added=-0.5, **TINY),
    asked="float mask with soft values, discourage tokens, attention bias, masking before scaling",
    says="Yes, and it comes after. PyTorch adds a float mask to the scores: −0.5 makes a weight {after:.2f} times (e^−0.5) as "
    "large beside the others, before the row is divided by its sum. ALiBi and T5 add their position biases so. The order is "
    "scale, mask, softmax. Before the division by √d_k = {root:.0f}, −0.5 would be halved, and the weight be {before:.2f} times "
    "as large; −1e9 or −∞ masks either way, with a difference of {large}. A bool mask can only forbid, and Keras's "
    "attention_mask is one.",
    rows={"weights with −0.5 before and after the division differ by": "{apart:.2f}"},
)  # fmt: skip

QUESTIONS.add(
    "r108", "Hugging Face's attention_mask holds 1 and 0. How does it mask, and what do I pass so that padding is ignored?",
    "https://github.com/huggingface/transformers/issues/542",
    see("keras_layer", part="masks", mask_case="additive", **free(8, 2, 4, query_len=5)),
    numpy("formats", values=[-1e9]), numpy("zeros_in_a_mask", masked=2, **TINY | {"query_len": 4}),
    asked="sentences of different lengths, ignore the zeros filled up with, ones and zeros added to the scores, (1 - mask) * "
    "finfo.min",
    says="It becomes numbers that are added to the scores. 1 is a real token, 0 is padding: eager attention of transformers "
    "makes (B, 1, 1, S) of it and adds (1 − mask) · the least number of the type, {least[float32]:signed}, or "
    "{least[float16]:signed} in float16. Padding gets {1[shares][large]} after the softmax. To have it ignored, pass "
    "attention_mask, (B, S), with 1 on real tokens, to Hugging Face; key_padding_mask, (B, S), with True on padding, to "
    "nn.MultiheadAttention; attention_mask, (B, 1, S), with True on real tokens, to Keras, or nothing after an Embedding with "
    "mask_zero=True.",
    rows={"the least number of bfloat16": "{least[bfloat16]:signed}"},
)  # fmt: skip
