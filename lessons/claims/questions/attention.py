"""Questions about heads and their maps: how heads are cut, how a map is read, masked and scaled, and what W_O is for."""

from lessons.claims.records import Questions, answer, few, free, keras, numpy, see, shown

QUESTIONS = Questions("Heads")
TINY = {"d_model": 8, "num_heads": 2}


@QUESTIONS.add(
    "q17", "Keras wants a padding mask of shape (B, T, S), a tutorial builds (B, 1, 1, S). Which one, and where do the ones go?",
    "https://github.com/tensorflow/tensorflow/issues/49237",
    see("keras_layer", part="masks", mask_case="shapes", **free(8, 4, 4, query_len=3, key_len=5)), keras("padding"),
    theme="Masks",
)  # fmt: skip
def padding(run):
    equal = [f"({name})" for name, difference in run["apart"].items() if difference == 0]
    return answer(
        f"The ones go on real keys, for every query: padding masks whole columns. {', '.join(equal)} all give the same. (B,S) is "
        "refused, unless B = T: then it is read as (T,S), silently and wrongly.",
        {"3 real keys of 5: columns that are 0, counted from 0": tuple(run["zero_columns"]),
         "rows sum to 1 within": run["row_sums"], "(B,S)": "an error" if run["two_axes"] else "runs",
         "(B,S) where B = T: off by": run["misread"],
         "embedding with mask_zero, 3 real and 2 padded tokens: row sums": few(run["embedding_rows"])},
    )  # fmt: skip


@QUESTIONS.add("q20", "Some versions are said to drop the causal mask when the scores are asked for. How do I check mine?",
    "https://github.com/keras-team/keras/issues/23038", see("attention", **free(8, 1, 4), mask="causal"),
    keras("causal", length=6), theme="Masks",
)  # fmt: skip
def causal(run):
    moved = ", ".join(map(str, run["moved"]))
    return answer(
        f"Look at the scores: everything above the diagonal must be exactly 0; for 6 tokens, that is {run['cells_above']} cells. "
        f"Here {run['zeros']} are 0, and a change to the last token (number 5, counted from 0) changes only output {moved}.",
        {"zeros above the diagonal": run["zeros"], "first row": f"[{few(run['first_row'])}]",
         "difference between the outputs with and without scores": run["with_scores"],
         "the same with dropout, when not training": run["dropout"], "outputs that the last token changes": tuple(run["moved"])},
    )  # fmt: skip


@QUESTIONS.add("q22", "When every key of a query is masked, my output is NaN. What would be right?",
    "https://github.com/pytorch/pytorch/issues/41508",
    see("keras_layer", part="masks", mask_case="empty_row", **free(8, 2, 4, query_len=4)), keras("with_scores"),
    numpy("fills", fill=-10000.0, **TINY, query_len=4), theme="Masks",
)  # fmt: skip
def all_masked(run, definition):
    return answer(
        "Nothing is: 0 / 0 has no value, and implementations differ. Keras never gives NaN, but it gives two answers. If the "
        "scores are asked for, the weights are 0 and the output is the bias; if not, the output comes from the plain mean of the "
        f"values. The same call differs by {shown(run['masked_row'])}.",
        {"softmax by its definition": f"[{', '.join(map(str, definition['inf']))}]", "Keras's outputs are finite": run["finite"],
         "scores asked for: row sum": run["row_sum"], "its output: difference from b_O": run["with_scores_to_bias"],
         "not asked for: difference from W_O of the mean value": run["without_scores_to_mean"],
         "an ordinary call, asked for or not: difference": run["ordinary"]},
    )  # fmt: skip


@QUESTIONS.add("q50", "What do add_zero_attn and add_bias_kv add in PyTorch, and does add_zero_attn break a causal mask?",
    "https://github.com/pytorch/pytorch/issues/27461", see("attention", **TINY, query_len=4, key_len=4, mask="causal"),
    numpy("zero_key", **TINY, query_len=4), theme="Masks",
)  # fmt: skip
def extra_key(run):
    first, second = run["rows"]
    safe = not any(first[:-1]) and not any(second[1:-1])
    return answer(
        f"One more key that every query may use. {'Causality holds' if safe else 'Causality is broken'}: under a strictly causal "
        "mask, the first query can use only the zero key, and no query sees a later key. add_bias_kv learns its key and value: "
        "2E parameters. Keras's layer has neither.",
        {"maps with one of them, 4 tokens": tuple(run["zero"]), "with both": tuple(run["both"]), "first row": f"[{few(first)}]",
         "second row": f"[{few(second)}]", "parameters": run["plain"], "with add_zero_attn": run["with_zero"],
         "with add_bias_kv": run["with_bias"]},
    )  # fmt: skip


@QUESTIONS.add("q23", "The softmax runs over the last axis only. Shouldn't the columns, or the whole map, sum to 1?",
    "https://github.com/lucidrains/vit-pytorch/issues/44", see("attention", **TINY, query_len=4),
    numpy("map_sums", **TINY, query_len=4), theme="Maps",
)  # fmt: skip
def sums(run):
    return answer(
        f"Only rows: a row is what one query takes from all keys. So a map of 4 queries sums to {run['total']:.0f}. A column "
        "says how much attention a token gets, and its sum can be anything.",
        {"rows": few(run["rows"]), "columns": few(run["columns"]), "the whole map": round(run["total"], 6)},
    )


@QUESTIONS.add("q25", "PyTorch gives one map although there are several heads. Where are the others, and may I average them?",
    "https://github.com/pytorch/pytorch/issues/34537", see("attention", **TINY, query_len=6),
    numpy("mean_map", d_model=100, num_heads=4, query_len=196, batch=5), numpy("mean_map", **TINY, query_len=6, batch=1),
    theme="Maps",
)  # fmt: skip
def average(large, small):
    return answer(
        "It averages over the heads unless `average_attn_weights=False`; Keras gives every head's map. The mean is fine to look "
        "at, but it is not what the layer applies: each head weights its own values, and if every head used the mean, the output "
        f"would be off by {shown(small['difference'])}.",
        {"100 wide, 4 heads, 196 tokens, 5 samples": tuple(large["maps"]), "their mean over heads": tuple(large["mean"]),
         "8 wide, 2 heads, 6 tokens": tuple(small["maps"]), "the mean there": tuple(small["mean"])},
    )  # fmt: skip


@QUESTIONS.add("q36", "Why view(B, T, h, d).transpose(1, 2), and not view(B, h, T, d) at once? The shape is the same.",
    "https://github.com/hyunwoongko/transformer/issues/15", see("concatenation", **free(6, 3, 2, query_len=4)),
    numpy("two_views", tokens=4, width=6, num_heads=3),
)  # fmt: skip
def views(run):
    return answer(
        "The same shape with other numbers: the direct view treats pieces of one token as if they were different tokens. "
        f"Of {run['cells']} cells, {run['agree']} agree: 1/{run['cells'] // run['agree']}.",
        {"X = 0, 1, 2, … as 4 × 6: head 0 by view and transpose": str(run["right"]), "by the direct view": str(run["direct"])},
    )


@QUESTIONS.add("q39", "BERT's query layer is 768 × 768 with 12 heads. Are columns 0 to 63 head 1, 64 to 127 head 2, …?",
    "https://github.com/huggingface/transformers/issues/27044", see("projections", cut="fused", d_model=768, num_heads=12),
    numpy("columns_of_heads", d_model=768, num_heads=12, remaining=8),
)  # fmt: skip
def columns(run):
    size = run["key_dim"]
    return answer(
        f"Yes: counted from 0, head i has columns {size}·i to {size}·i + {size - 1} of the flat kernel (rows in PyTorch, which "
        f"transposes it). So heads can be removed: with 8 left, the query kernel is {tuple(run['kernel'])}, {run['columns']} "
        f"columns, and the output stays {run['output']} wide.",
        {"difference between the flat columns and kernel[:, i]": run["gap"], "parameters with 12 heads": run["count"],
         "parameters with 8 of them": run["fewer"],
         "8 wide, 2 heads: columns of heads 0 and 1": ", ".join(f"{first} to {last}" for first, last in run["ranges"])},
    )  # fmt: skip


@QUESTIONS.add("q40", "The code reshapes the heads back together. Where is W_O, and is it needed?",
    "https://github.com/karpathy/minGPT/issues/118",
    see("concatenation", **TINY, query_len=5, key_len=5, head_off=1, use_bias="false"), numpy("head_off", **TINY, query_len=5),
)  # fmt: skip
def output_projection(run):
    return answer(
        f"It is the last Linear: 768·768 + 768 = {run['gpt2']:,} parameters in GPT-2 small. Without it, a head reaches only its "
        f"own columns. Set one of two heads to 0, and {run['concat']} of {run['width']} columns of Concat change, but "
        f"{run['output']} after W_O.",
        {"columns of Concat that change": f"{run['concat']} of {run['width']}",
         "columns of the output that change": f"{run['output']} of {run['width']}",
         "difference between Concat · W_O and the layer's output": run["difference"]},
    )  # fmt: skip


@QUESTIONS.add("q43", "All heads get the same input. What keeps them from learning the same weights?",
    "https://stats.stackexchange.com/questions/373850/what-stops-the-network-from-learning-the-same-weights-in-multi-head-attention-me",
    see("attention", **TINY, query_len=6), keras("twins", steps=50), keras("start", d_model=8, num_heads=2, key_dim=4),
)  # fmt: skip
def alike(run, start):
    return answer(
        f"Only their random start. Two heads that start alike differ by {shown(run['alike']['after'])} after 50 gradient steps, "
        "although both have moved. Whether trained heads end up alike is another question.",
        {"alike at the start: difference after 50 steps": run["alike"]["after"], "how far they moved": run["alike"]["moved"],
         "random start: difference before": run["drawn"]["before"], "and after": run["drawn"]["after"],
         "Keras's own start, 2 heads of 4: difference between their W_Q": f"{start['apart']:.2f}"},
    )  # fmt: skip


@QUESTIONS.add("q44", "Why does QKᵀ have variance d_k, so that dividing by √d_k, not by d_k, makes it 1?",
    "https://ai.stackexchange.com/posts/comments/39617",
    see("attention", d_model=512, num_heads=1, query_len=8, key_len=8, divisor="none"),
    numpy("variances", sizes=[4, 16, 64, 256], wide=512, keys=8), theme="Scaling",
)  # fmt: skip
def root(run):
    rows = {}
    for size, plain, by_root, by_size in zip(run["sizes"], run["plain"], run["root"], run["full"], strict=True):
        rows[f"d_k = {size}: variance; over √d_k; over d_k"] = f"{plain:.2f}; {by_root:.2f}; {by_size:.3f}"
    return answer(
        "A score is a sum of d_k independent products, each of variance 1. Without scaling, a softmax at d_k = 512 is nearly "
        f"one-hot: the largest of 8 weights is {run['unscaled']:.2f} on average, against {run['scaled']:.2f} with scaling.", rows,
    )  # fmt: skip


@QUESTIONS.add(
    "q48", "Self-attention is called with query = value = key = x. Isn't that pointless, and should I project x first?",
    "https://github.com/tensorflow/text/issues/1017", see("projections", **TINY, query_len=4, key_len=4, use_bias="false"),
    numpy("one_input", **TINY, query_len=4),
)  # fmt: skip
def one_input(run):
    return answer(
        f"Only the inputs are equal. The layer has three kernels of {tuple(run['kernel'])}, so Q, K and V differ, and the scores "
        "are not symmetric. There is no need to project x first.",
        {"Q and K differ by": run["q_to_k"], "Q and V by": run["q_to_v"], "the scores from their transpose by": run["asymmetry"]},
    )
