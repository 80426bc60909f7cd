"""Questions about low precision and scales: the values that fill a mask, the place of a mask, the divisor of the scores."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("Low precision")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 4}
WIDE = {"d_model": 512, "num_heads": 8, "query_len": 8}

QUESTIONS.add(
    "r30 r33",
    "“value cannot be converted to type at::Half without overflow: -1e+10”. How large may a mask's number be in float16?",
    "https://github.com/NVIDIA/apex/issues/1105 https://github.com/EleutherAI/gpt-neox/pull/25",
    see("attention", mask="causal", numbers="seed", **TINY),
    numpy("formats", values=[-1e10, -1e9, -65504.0, -1e4, -20.0]), numpy("masks_added", keys=4),
    asked="overflow in masked_fill, fp16 mode, autocast, finfo.min, -1e8, -1e9, half of the least number, factor of 2, -np.inf, "
    "fill value, numerical instability, gradients NaN with -inf, future positions -inf and not 0",
    numbers={"float16": "least[float16]", "second_half": "half[1]", "fourth_powers": "powers[3]",
             "bfloat16": "least[bfloat16]", "float32": "least[float32]", "fourth_half": "half[3]", "fifth_powers": "powers[4]"},
    says="float16 ends at {float16:signed}; −1e9 and −1e10 become {second_half:signed}. −10,000 is enough: e to its power is "
    "{fourth_powers} there. bfloat16 has the range of float32, so −1e9 is fine in it. If the causal mask and the padding mask "
    "each hold the least number of the format, do not add them up. Twice {float16:signed} is {sum:signed}, and a row that "
    "holds nothing else is NaN. Fill each mask with half of that number; or better, join them as masks of True and False, with "
    "no number at all.",
    rows={"least number of bfloat16": "{bfloat16:signed}", "least number of float32": "{float32:signed}",
          "−10,000 in float16": "{fourth_half:signed}", "e^−20 in float16": "{fifth_powers}",
          "half of the least + half of it": "{halves:signed}", "a row of the sum": "[{row:few}]",
          "a row of the halves": "[{row_halves:few}]"},
)  # fmt: skip

QUESTIONS.add("r34", "Can the causal mask come after the softmax, as tril(weights)? It sets the same cells to 0.",
    "https://github.com/rasbt/LLMs-from-scratch/issues/279", see("attention", mask="causal", **TINY),
    numpy("masked_after", **TINY), theme="Masks",
    asked="order of mask and softmax, mask before or after the softmax, additive -inf mask and not a product with a 0/1 "
    "triangle, multiply the softmax output by the mask, mask the rows of the values matrix",
    says="It is not enough: the rows then sum to {sums:few}, so not all to 1. Divide each row by its sum, and it is the causal "
    "layer (the difference is {repaired:rounding}). A softmax over fewer keys keeps the proportions of the weights. If rows of "
    "V were set to 0 instead, each query would need its own copy of V, and the sums would stay as here.",
    rows={"rows of tril(weights) differ from the causal layer's by": "{apart}",
          "second row, divided by its sum": "[{second:few}]"},
)  # fmt: skip

QUESTIONS.add("r35", "The code scales by dim ** -0.5. Shouldn't it be dim_head ** -0.5?",
    "https://github.com/lucidrains/vit-pytorch/issues/65", see("attention", divisor="sqrt_d_model", **WIDE),
    numpy("divided", **WIDE), theme="Scaling",
    asked="current scaling, scaled by emb_size, wrong scale or scalar, softmax temperature, own temperature in "
    "scaled_dot_product_attention, scale argument, 1/sqrt(d) hard wired",
    numbers={"first_roots": "roots[0]", "second_roots": "roots[1]", "sqrt_d_k": "largest[sqrt_d_k]",
             "sqrt_d_model": "largest[sqrt_d_model]", "none": "largest[none]"},
    says="Yes: each head's score is a sum of d_k = 64 products, so √64 = {first_roots:g}. √512 = {second_roots:.2f} makes the "
    "scores √8 = {too_small:.2f} times too small and the rows more even. In scaled_dot_product_attention the argument scale "
    "sets another factor than 1 / √ of the last axis; a larger one makes rows sharper. Both layers have the same parameters, "
    "so the wrong one loads without an error, but its outputs differ.",
    rows={"largest weight of a row on average, √d_k": "{sqrt_d_k:.2f}",
          "the same with √d_model": "{sqrt_d_model:.2f}", "the same, undivided": "{none:.2f}",
          "outputs differ by": "{apart}"},
)  # fmt: skip
