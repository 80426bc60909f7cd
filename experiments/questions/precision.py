"""Questions about low precision and scales: what a mask is filled with, where it is applied, what the scores are divided by."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("Low precision")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 4}
WIDE = {"d_model": 512, "num_heads": 8, "query_len": 8}

QUESTIONS.add(
    "r30 r33",
    "“value cannot be converted to type at::Half without overflow: -1e+10”. How large may a mask's number be in float16?",
    "https://github.com/NVIDIA/apex/issues/1105 https://github.com/EleutherAI/gpt-neox/pull/25",
    see("keras_layer", part="masks", mask_case="additive", **TINY),
    numpy("formats", values=[-1e10, -1e9, -65504.0, -1e4, -20.0]), numpy("masks_added", keys=4),
    asked="overflow in masked_fill, fp16 mode, autocast, finfo.min, -1e8, -1e9, half of the least number, factor of 2",
    says="float16 ends at {least[float16]:signed}; −1e9 and −1e10 become {half[1]:signed}. −10,000 is enough: e to its power is "
    "{powers[3]} there. bfloat16 has the range of float32, so −1e9 is fine in it. If the causal mask and the padding mask each "
    "hold the least number of the format, do not add them up: twice {least[float16]:signed} is {sum:signed}, and a row that "
    "holds nothing else is NaN. Fill each with half of it; or better, join them as masks of True and False, with no number at "
    "all.",
    rows={"least number of bfloat16": "{least[bfloat16]:signed}", "of float32": "{least[float32]:signed}",
          "−10,000 in float16": "{half[3]:signed}", "e^−20 in float16": "{powers[4]}",
          "half of the least + half of it": "{halves:signed}", "a row of the sum": "[{row:few}]",
          "a row of the halves": "[{row_halves:few}]"},
)  # fmt: skip

QUESTIONS.add("r31", "Fill the mask with −∞ or with −10000? Both seem to work.",
    "https://github.com/ai-glimpse/toynlp/issues/50", see("attention", **TINY), numpy("fills", fill=-10000.0, **TINY),
    asked="-np.inf, fill value, numerical instability, gradients NaN with -inf, future positions -inf and not 0",
    says="As long as one key is left, they are the same, and no gradient is NaN: a weight of 0 passes 0 back. If none is, −∞ "
    "gives NaN, and −10,000 gives a row as if there were no mask: it is added to all scores alike, and the softmax does not see "
    "it. In float16 the row is even, {none_real[float16][0]} each: at −10,000 its numbers are {step} apart, and the scores are "
    "rounded away.",
    rows={"one key left, −∞": "[{one_real[0]:few}]", "one key left, −10,000": "[{one_real[1]:few}]",
          "none left, −∞": "[{inf:few}]", "none left, −10,000, float32": "[{none_real[float32]:few}]",
          "the same row without a mask": "[{unmasked:few}]", "none left, −10,000, float16": "[{none_real[float16]:few}]"},
)  # fmt: skip

QUESTIONS.add("r34", "Can the causal mask come after the softmax, as tril(weights)? It sets the same cells to 0.",
    "https://github.com/rasbt/LLMs-from-scratch/issues/279", see("attention", mask="causal", **TINY),
    numpy("masked_after", **TINY), theme="Masks",
    asked="order of mask and softmax, mask before or after the softmax, additive -inf mask and not a product with a 0/1 "
    "triangle, multiply the softmax output by the mask, mask the rows of the values matrix",
    says="Not by itself: the rows then sum to {sums:few} and no longer to 1. Divide each row by its sum, and it is the causal "
    "layer (the difference is {repaired:rounding}): a softmax over fewer keys is the same weights in the same proportions. Rows "
    "of V set to 0 instead would take a copy of V for each query, and leave the sums as they are here.",
    rows={"rows of tril(weights) differ from the causal layer's by": "{apart}",
          "second row, divided by its sum": "[{second:few}]"},
)  # fmt: skip

QUESTIONS.add("r75", "Why is the softmax computed in float32 when the model runs in float16 or bfloat16?",
    "https://github.com/Dao-AILab/flash-attention/issues/613", see("attention", cell="weights.1.1.1", **TINY),
    numpy("softmax_sums", keys=4096),
    asked="upcast, fp32, attention in float32, fp16, underflow, FlashAttention",
    says="Because its sum runs out of digits. With 4,096 equal scores, added one by one, it stops at {totals[float16]:,.0f} in "
    "float16 and at {totals[bfloat16]:,.0f} in bfloat16: the weights of a row then sum to {rows[float16]:.0f} and "
    "{rows[bfloat16]:.0f}. So frameworks and kernels take maximum, powers and sum in float32, and cast the weights back; beside "
    "the matrix products that takes little time. Before, the row's largest score is taken off, as e^x is more than float16 holds "
    "from {most:.1f} on.",
    rows={"a weight is 0 in float16, below the largest score": "{least:.1f}"},
)  # fmt: skip

QUESTIONS.add("r35", "The code scales by dim ** -0.5. Shouldn't it be dim_head ** -0.5?",
    "https://github.com/lucidrains/vit-pytorch/issues/65", see("attention", divisor="sqrt_d_model", **WIDE),
    numpy("divided", **WIDE), theme="Scaling",
    asked="current scaling, scaled by emb_size, wrong scale or scalar, softmax temperature, own temperature in "
    "scaled_dot_product_attention, scale argument, 1/sqrt(d) hard wired",
    says="Yes: each head's score is a sum of d_k = 64 products, so √64 = {roots[0]:g}. √512 = {roots[1]:.2f} makes the scores √8 "
    "= {too_small:.2f} times too small and the rows more even. In scaled_dot_product_attention the argument scale sets another "
    "factor, else 1 / √ of the last axis; a larger one makes rows sharper. Parameters are the same, so such a layer loads, and "
    "gives other outputs.",
    rows={"largest weight of a row on average, √d_k": "{largest[sqrt_d_k]:.2f}",
          "the same with √d_model": "{largest[sqrt_d_model]:.2f}", "the same undivided": "{largest[none]:.2f}",
          "outputs differ by": "{apart}"},
)  # fmt: skip

QUESTIONS.add("r36", "Why do some models divide the scores by d_k and not by √d_k?",
    "https://github.com/thegregyang/NTK4A/issues/3", see("attention", d_model=64, num_heads=1, query_len=8),
    numpy("drawn_scores", sizes=[16, 64, 256], keys=8), numpy("divided", d_model=64, num_heads=1, query_len=8), theme="Scaling",
    asked="attention scaling, scale of another paper, query_pre_attn_scalar, attention_multiplier",
    says="√d_k fits a random start, where query and key have nothing to do with each other. Training aligns them, and the "
    "product of a query with a key like itself grows as d_k: over √d_k its score is {own[root][0]:.0f}, {own[root][1]:.0f}, "
    "{own[root][2]:.0f} at d_k = 16, 64, 256, over d_k it is {own[full][0]:.0f} at every size. The price: rows that are nearly "
    "even at the start. Gemma's query_pre_attn_scalar and Granite's attention_multiplier are scales of their own.",
    rows={"d_k": "{sizes:each}", "a key that is the query: its weight among 8, over √d_k": "{own_weight[root]:each .2f}",
          "its weight, over d_k": "{own_weight[full]:each .2f}",
          "a fresh layer, d_k = 64: largest weight on average, √d_k": "{1[largest][sqrt_d_k]:.2f}"},
)  # fmt: skip

QUESTIONS.add("r37", "Someone wrote softmax(QKᵀ) · scale. Does it matter that the scale comes after the softmax?",
    "https://github.com/FrancescoSaverioZuppichini/ViT/issues/2", see("attention", divisor="none", **WIDE),
    numpy("divided", **WIDE), theme="Scaling",
    asked="position of the scale, scaling before or after the softmax",
    says="Yes, twice. The softmax sees the large scores: its largest weight is {largest[none]:.2f} on average, not "
    "{largest[sqrt_d_k]:.2f}. And the rows then sum to 1/√64 = {row_after:.3f}, so the heads' results are eight times too small.",
    rows={"outputs differ by": "{apart_after}"},
)  # fmt: skip

QUESTIONS.add(
    "r38 r56", "The scale is on the queries alone, or 1 / √√d on queries and keys. Is that the same, or the second root a bug?",
    "https://github.com/openai/guided-diffusion/issues/38 https://github.com/karpathy/minGPT/pull/55",
    see("attention", **WIDE), numpy("scaled_before", **WIDE, number=40.0, tokens=1024),
    numpy("scaled_before", d_model=768, num_heads=12, number=40.0, tokens=1024), numpy("divided", **WIDE), theme="Scaling",
    asked="scale q before the product, scaling term, calculated twice, a root of a root, math.sqrt(math.sqrt(ch)), fourth root, "
    "scores overflow in float16",
    says="The same scores as by dividing the whole attention matrix: (Q / √d_k) · Kᵀ differs by {queries_alone:rounding}, and "
    "applied to both factors, as √√d · √√d = √d, by {both:rounding}. In GPT-2 small with 1,024 tokens {1[queries]} numbers of Q "
    "are divided instead of {1[scores]}: PyTorch does it so, and Keras where the scores are asked for. In float16 dividing first "
    "helps, either way: the product of a query and a key of sixty-four 40s is {sum:,.0f}, more than float16 holds; with Q "
    "divided it is {queries_first:,.0f}, with two roots {before:,.0f}.",
    rows={"fourth root of 64": "{root:.3f}", "float16, divided at the end": "{at_the_end:signed}",
          "largest weight of a row on average": "{largest[sqrt_d_k]:.2f}"},
)  # fmt: skip

QUESTIONS.add("r71", "T5 does not divide its scores by √d_k. What if the scale is left out, and why does T5 start W_Q so small?",
    "https://github.com/huggingface/transformers/issues/18284", see("attention", divisor="none", **WIDE),
    numpy("scaled_start", d_model=512, d_k=64), numpy("divided", **WIDE), theme="Scaling",
    asked="no scale in T5, undivided, missing or forgotten, raw attention, initialization, d_kv",
    says="Its W_Q starts √d_k times smaller, {widths[1]:.4f} instead of {widths[0]:.4f} at 512 with heads of 64. The scores then "
    "have variance {narrow:.2f} undivided, as others have divided ({root:.2f}). If it is just left out, the variance is "
    "{plain:.0f}, and the largest weight of a row is {largest[none]:.2f} on average, not {largest[sqrt_d_k]:.2f}: nearly "
    "one-hot, with hardly a gradient. W_Q can hold the scale, but does not learn it well from there. A trained model must be run "
    "with the scale that it was trained with.",
)  # fmt: skip

QUESTIONS.add("r149", "Why is the largest score of a row subtracted before the softmax? Does that change the weights?",
    "https://github.com/raoyongming/DynamicViT/issues/22", see("attention", cell="weights.1.1.1", **TINY),
    numpy("largest_subtracted", scores=[1000.0, 999.0, 998.0]),
    asked="numerical stability, softmax subtracts the max of each row, x - x.max(), overflow of exp, stable softmax, NaN",
    says="Only so that no power overflows; the weights stay the same. e^score is more than float32 holds from {most:.1f} on: the "
    "scores {scores:few} give {alone[0]}. With the largest taken off, it is e⁰ = 1 and the others are below 1: {subtracted:few}. "
    "All powers of a row are divided by the same number then, which cancels: for scores a thousand times smaller, both ways "
    "differ by {apart:rounding}.",
)  # fmt: skip

QUESTIONS.add("r98", "What does soft-capping (attn_logit_softcapping) do to the scores, and why can not every kernel do it?",
    "https://github.com/Dao-AILab/flash-attention/issues/1016", see("attention", soft_cap=50.0, numbers="seed", **TINY),
    numpy("soft_capped", scores=[10.0, 50.0, 100.0, 1000.0], cap=50.0), theme="Scaling",
    asked="logit soft capping, softcap, Gemma 2, tanh of the scores",
    says="It keeps them between −c and c: c · tanh(score / c), after the division by √d_k, before mask and softmax. With Gemma "
    "2's 50 scores of 10, 50, 100 and 1,000 become {capped:each .1f}: small ones stay nearly as they are, and none grows without "
    "bound. It adds no parameter. It lies between the products, so a fused kernel must have it built in: "
    "scaled_dot_product_attention has none, FlashAttention has softcap, FlexAttention a score_mod, and eager attention simply "
    "computes it. Gemma 3 normalises queries and keys instead.",
)  # fmt: skip
