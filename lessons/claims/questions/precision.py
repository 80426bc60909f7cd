"""Questions about low precision and scales: what a mask is filled with, where it is applied, what the scores are divided by."""

from lessons.claims.records import Questions, answer, few, numpy, rounding, see, shown

QUESTIONS = Questions("Low precision")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 4}
WIDE = {"d_model": 512, "num_heads": 8, "query_len": 8}


def signed(value: float, form: str = ",.0f") -> str:
    """Formats a number with the signs for minus and infinity."""
    return f"{value:{form}}".replace("-", "−").replace("inf", "∞")


def row(shares: list) -> str:
    """A row of weights; NaN as it is."""
    return "[" + ", ".join(share if isinstance(share, str) else few([share]) for share in shares) + "]"


@QUESTIONS.add(
    "r30", "“value cannot be converted to type at::Half without overflow: -1e+10”. How large may a mask's number be in float16?",
    "https://github.com/NVIDIA/apex/issues/1105", see("keras_layer", part="masks", mask_case="additive", **TINY),
    numpy("formats", values=[-1e10, -1e9, -65504.0, -1e4, -20.0]),
)  # fmt: skip
def half_range(run):
    least = run["least"]
    return answer(
        f"float16 ends at {signed(least['float16'])}; −1e9 and −1e10 become −∞. −10,000 is enough: e to its power is "
        f"{shown(run['powers'][3])} there. bfloat16 has the range of float32, so −1e9 is fine in it. Better still: a mask of "
        "True and False, and no number at all.",
        {"least number of float16": signed(least["float16"]), "of bfloat16": signed(least["bfloat16"], ".2e"),
         "of float32": signed(least["float32"], ".2e"), "−1e9 in float16": signed(run["half"][1]),
         "−10,000 in float16": signed(run["half"][3]), "e^−20 in float16": run["powers"][4]},
    )  # fmt: skip


@QUESTIONS.add("r31", "Fill the mask with −∞ or with −10000? Both seem to work.",
    "https://github.com/ai-glimpse/toynlp/issues/50", see("attention", **TINY), numpy("fills", fill=-10000.0, **TINY),
)  # fmt: skip
def inf_or_number(run):
    even = run["none_real"]["float16"]
    return answer(
        "As long as one key is left, they are the same. If none is, −∞ gives NaN, and −10,000 gives a row as if there were no "
        f"mask: it is added to all scores alike, and the softmax does not see it. In float16 the row is even, {few(even[:1])} "
        f"each: at −10,000 its numbers are {shown(run['step'])} apart, and the scores are rounded away.",
        {"one key left, −∞": row(run["one_real"][0]), "one key left, −10,000": row(run["one_real"][1]),
         "none left, −∞": row(run["inf"]), "none left, −10,000, float32": row(run["none_real"]["float32"]),
         "the same row without a mask": row(run["unmasked"]), "none left, −10,000, float16": row(even)},
    )  # fmt: skip


@QUESTIONS.add("r32", "The code fills masked scores with -1e-9. Is that a typo for -1e9?",
    "https://github.com/Shujun-He/RibonanzaNet/issues/5", see("attention", **TINY),
    numpy("filled_with", fill=-1e-9, padded=2, **TINY), numpy("filled_with", fill=-1e9, padded=2, **TINY),
)  # fmt: skip
def tiny_number(small, large):
    return answer(
        f"It is. −1e-9 is 0 for all purposes, an ordinary score: two padded keys of four still get {small['share']:.0%} of all "
        f"attention on average. With −1e9 they get {shown(large['share'])}.",
        {"first row without a mask": row(small["row"]), "last two keys at −1e-9": row(small["filled"]),
         "last two keys at −1e9": row(large["filled"])},
    )  # fmt: skip


@QUESTIONS.add("r33", "The causal mask and the padding mask each hold the least number of the format. May I add them up?",
    "https://github.com/EleutherAI/gpt-neox/pull/25", see("keras_layer", part="masks", mask_case="empty_row", **TINY),
    numpy("masks_added", keys=4),
)  # fmt: skip
def added_up(run):
    return answer(
        f"No: twice {signed(run['least'])} is {signed(run['sum'])} in float16, and a row that holds nothing else is NaN. Join "
        "the masks as True and False first; or fill each with half of the least number.",
        {"least number + least number": signed(run["sum"]), "half of it + half of it": signed(run["halves"]),
         "a row of the sum": row(run["row"]), "a row of the halves": row(run["row_halves"])},
    )  # fmt: skip


@QUESTIONS.add("r34", "Can the causal mask come after the softmax, as tril(weights)? It sets the same cells to 0.",
    "https://github.com/rasbt/LLMs-from-scratch/issues/279", see("attention", mask="causal", **TINY),
    numpy("masked_after", **TINY), theme="Masks",
)  # fmt: skip
def after_the_softmax(run):
    return answer(
        f"Not by itself: the rows then sum to {few(run['sums'])} and no longer to 1. Divide each row by its sum, and it is the "
        f"causal layer (the difference is {rounding(run['repaired'])}): a softmax over fewer keys is the same weights in the "
        "same proportions.",
        {"rows of tril(weights) sum to": few(run["sums"]), "they differ from the causal layer's by": run["apart"],
         "divided by their sums, they differ by": rounding(run["repaired"]),
         "second row, divided by its sum": row(run["second"])},
    )  # fmt: skip


@QUESTIONS.add("r75", "Why is the softmax computed in float32 when the model runs in float16 or bfloat16?",
    "https://github.com/Dao-AILab/flash-attention/issues/613", see("attention", cell="weights.1.1.1", **TINY),
    numpy("softmax_sums", keys=4096),
)  # fmt: skip
def upcast(run):
    totals, rows = run["totals"], run["rows"]
    return answer(
        f"Because its sum runs out of digits. With 4,096 equal scores, added one by one, it stops at {totals['float16']:,.0f} in "
        f"float16 and at {totals['bfloat16']:,.0f} in bfloat16: the weights of a row then sum to {rows['float16']:.0f} and "
        f"{rows['bfloat16']:.0f}. So frameworks and kernels take maximum, powers and sum in float32, and cast the weights back. "
        f"The row's largest score goes off first, as e^x is more than float16 holds from {run['most']:.1f} on.",
        {"sum of 4,096 ones in float16": f"{totals['float16']:,.0f}", "in bfloat16": f"{totals['bfloat16']:,.0f}",
         "a row's weights then sum to, in float16": f"{rows['float16']:.0f}", "in bfloat16, to": f"{rows['bfloat16']:.0f}",
         "e^x overflows float16 from": f"{run['most']:.1f}", "a weight is 0 in float16, below the largest score":
         f"{run['least']:.1f}"},
    )  # fmt: skip


@QUESTIONS.add("r35", "The code scales by dim ** -0.5. Shouldn't it be dim_head ** -0.5?",
    "https://github.com/lucidrains/vit-pytorch/issues/65", see("attention", divisor="sqrt_d_model", **WIDE),
    numpy("divided", **WIDE), theme="Scaling",
)  # fmt: skip
def root_of_the_model(run):
    by_head, by_model = run["roots"]
    return answer(
        f"Yes: each head's score is a sum of d_k = 64 products, so √64 = {by_head:g}. √512 = {by_model:.2f} makes the scores "
        f"√8 = {by_model / by_head:.2f} times too small and the rows more even. Parameters are the same, so such a layer loads, "
        "and gives other outputs.",
        {"largest weight of a row on average, √d_k": f"{run['largest']['sqrt_d_k']:.2f}",
         "the same with √d_model": f"{run['largest']['sqrt_d_model']:.2f}", "the same undivided": f"{run['largest']['none']:.2f}",
         "outputs differ by": run["apart"]},
    )  # fmt: skip


@QUESTIONS.add("r36", "Why do some models divide the scores by d_k and not by √d_k?",
    "https://github.com/thegregyang/NTK4A/issues/3", see("attention", d_model=64, num_heads=1, query_len=8),
    numpy("aligned", sizes=[16, 64, 256], keys=8), numpy("divided", d_model=64, num_heads=1, query_len=8), theme="Scaling",
)  # fmt: skip
def by_the_size(run, layer):
    rows = {}
    for place, size in enumerate(run["sizes"]):
        rows[f"d_k = {size}: a key that is the query, score over √d_k"] = f"{run['root'][place]:.1f}"
        rows[f"d_k = {size}: over d_k"] = f"{run['full'][place]:.2f}"
        rows[f"d_k = {size}: its weight among 8, over √d_k"] = f"{run['root_weight'][place]:.2f}"
        rows[f"d_k = {size}: its weight, over d_k"] = f"{run['full_weight'][place]:.2f}"
    return answer(
        "√d_k fits a random start, where query and key have nothing to do with each other. Training aligns them, and the product "
        f"of a query with a key like itself grows as d_k: over √d_k its score is {run['root'][0]:.0f}, {run['root'][1]:.0f}, "
        f"{run['root'][2]:.0f} at d_k = 16, 64, 256, over d_k it is {run['full'][0]:.0f} at every size. The price: rows that are "
        "nearly even at the start.",
        rows | {"a fresh layer, d_k = 64: largest weight on average, √d_k": f"{layer['largest']['sqrt_d_k']:.2f}"},
    )


@QUESTIONS.add("r37", "Someone wrote softmax(QKᵀ) · scale. Does it matter that the scale comes after the softmax?",
    "https://github.com/FrancescoSaverioZuppichini/ViT/issues/2", see("attention", divisor="none", **WIDE),
    numpy("scaled_after", **WIDE), theme="Scaling",
)  # fmt: skip
def scale_after(run):
    return answer(
        f"Yes, twice. The softmax sees the large scores: its largest weight is {run['before']:.2f} on average, not "
        f"{run['layer']:.2f}. And the rows then sum to 1/√64 = {run['row']:.3f}, so the heads' results are eight times too "
        "small.",
        {"largest weight of a row on average, undivided": f"{run['before']:.2f}", "in the layer": f"{run['layer']:.2f}",
         "a row sums to": f"{run['row']:.3f}", "outputs differ by": run["apart"]},
    )  # fmt: skip


@QUESTIONS.add("r38", "The scale is 1 / √√d on the queries and again on the keys. Is the second root a bug?",
    "https://github.com/openai/guided-diffusion/issues/38", see("attention", **WIDE), numpy("two_roots", **WIDE, number=40.0),
    numpy("divided", **WIDE), theme="Scaling",
)  # fmt: skip
def fourth_roots(run, layer):
    return answer(
        f"No: it is applied to both factors, and √√d · √√d = √d. The scores differ by {rounding(run['apart'], 1e-12)}. "
        f"In float16 it helps: the product of a query and a key of sixty-four 40s is {run['sum']:,.0f}, more than float16 holds; "
        f"divided before, it is {run['before']:,.0f}.",
        {"fourth root of 64": f"{run['root']:.3f}", "scores differ by": rounding(run["apart"], 1e-12),
         "float16, divided at the end": signed(run["at_the_end"]), "float16, both divided before": f"{run['before']:,.0f}",
         "largest weight of a row on average": f"{layer['largest']['sqrt_d_k']:.2f}"},
    )  # fmt: skip


@QUESTIONS.add("r71", "T5 does not divide its scores by √d_k. What if the scale is left out, and why does T5 start W_Q so small?",
    "https://github.com/huggingface/transformers/issues/18284", see("attention", divisor="none", **WIDE),
    numpy("scaled_start", d_model=512, d_k=64), numpy("divided", **WIDE), theme="Scaling",
)  # fmt: skip
def small_start(run, layer):
    return answer(
        f"Its W_Q starts √d_k times smaller, {run['widths'][1]:.4f} instead of {run['widths'][0]:.4f} at 512 with heads of 64. "
        f"The scores then have variance {run['narrow']:.2f} undivided, as others have divided ({run['root']:.2f}). If it is "
        f"just left out, the variance is {run['plain']:.0f}, and the largest weight of a row is {layer['largest']['none']:.2f} "
        f"on average, not {layer['largest']['sqrt_d_k']:.2f}: nearly one-hot, with hardly a gradient. A trained model keeps the "
        "scale that it had.",
        {"variance of the scores, undivided": f"{run['plain']:.1f}", "over √d_k": f"{run['root']:.2f}",
         "W_Q as in T5, undivided": f"{run['narrow']:.2f}",
         "largest weight of a row on average, undivided": f"{layer['largest']['none']:.2f}",
         "over √d_k: largest weight": f"{layer['largest']['sqrt_d_k']:.2f}"},
    )  # fmt: skip
