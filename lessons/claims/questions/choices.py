"""Questions about choosing sizes: key_dim, many narrow heads or few wide ones, and inputs of several widths."""

from lessons.claims.records import Questions, answer, free, keras, layer, numpy, percent, see

QUESTIONS = Questions("Heads")


@QUESTIONS.add(
    "r46", "Keras's vision transformer has key_dim=projection_dim with 4 heads. Shouldn't it be projection_dim / num_heads?",
    "https://github.com/keras-team/keras-io/issues/1184", see("heads", **free(64, 4, 64)),
    keras("weights", d_model=64, num_heads=4, key_dim=64), keras("weights", d_model=64, num_heads=4, key_dim=16),
    keras("weights", d_model=64, num_heads=1, key_dim=64), theme="Head size",
)  # fmt: skip
def whole_width_each(whole, part, one):
    return answer(
        f"Both run, and they are two layers: with key_dim 64 each head is as wide as the model, {whole['count']:,} parameters; "
        f"with 64 / 4 = 16 they share one width as in the paper, {part['count']:,}, as many as one head of 64 has. The output is "
        "64 wide either way.",
        {"4 heads of 64": whole["count"], "4 heads of 16": part["count"], "1 head of 64": one["count"],
         "query kernel, key_dim 64": tuple(whole["variables"][0][1]), "query kernel, key_dim 16": tuple(part["variables"][0][1])},
    )  # fmt: skip


@QUESTIONS.add(
    "r47",
    "ALBERT-xxlarge: 64 heads in the paper, 16 in the configuration, and the checkpoint loads with both. Which is correct?",
    "https://github.com/google-research/albert/issues/153", see("heads", d_model=4096, num_heads=64),
    numpy("conventions", d_model=4096, heads=[16, 64], key_dim=64), numpy("recut", d_model=64, heads=[4, 16], query_len=6),
)  # fmt: skip
def checkpoint_fits_both(run, cut):
    first, second = run["paper"]
    return answer(
        f"The one it was trained with; no shape tells. 16 heads of {run['paper_size'][0]} and 64 of {run['paper_size'][1]} have "
        f"the same matrices: {first:,} parameters{'' if first == second else ' or not'}. The number only says where they are "
        f"cut, and that changes the result: a layer 64 wide, cut into 16 instead of 4, is off by {cut['apart']:.2g}.",
        {"4,096 wide, 16 heads": first, "64 heads": second, "64 wide, 4 heads": cut["counts"][0],
         "64 wide, 16 heads": cut["counts"][1], "their outputs differ by": cut["apart"]},
    )  # fmt: skip


@QUESTIONS.add(
    "r48", "d_k = d_model // h gives 64. Why cut 768 into 12 heads of 64? Is one head of 768 not stronger, or cheaper?",
    "https://github.com/codertimo/BERT-pytorch/issues/60", see("heads", d_model=768, num_heads=12, query_len=128),
    numpy("layers", sizes=[layer(768, 12, 64, query_len=128), layer(768, 1, 768, query_len=128)]), numpy("published_choices"),
)  # fmt: skip
def many_or_one(table, published):
    many, one = table["layers"]
    same = many["count"] == one["count"] and many["multiply_adds"] == one["multiply_adds"]
    return answer(
        f"It costs {'the same' if same else 'something else'}: {many['count']:,} parameters and {many['multiply_adds']:,} "
        f"multiply-adds for 128 tokens. 12 heads give 12 maps instead of one, {many['score_cells']:,} numbers instead of "
        f"{one['score_cells']:,}; one head compares all 768 columns, but has a single map. 64 is a habit: "
        f"{published['d_k_64']} of {published['models']} published models have it.",
        {"parameters, 12 heads of 64": many["count"], "1 head of 768": one["count"],
         "multiply-adds, 12 heads": many["multiply_adds"], "1 head": one["multiply_adds"],
         "numbers in the maps, 12 heads": many["score_cells"], "1 head: numbers in the map": one["score_cells"]},
    )  # fmt: skip


@QUESTIONS.add("r49", "A paper speaks of a low-rank bottleneck: with more heads each gets smaller. What can a small head not do?",
    "https://github.com/tensorflow/mesh/issues/57", see("heads", d_model=64, num_heads=4),
    numpy("score_ranks", d_model=64, heads=[1, 4, 16, 64], query_len=64),
    numpy("conventions", d_model=64, heads=[1, 4, 16, 64], key_dim=16), theme="QK and OV",
)  # fmt: skip
def bottleneck(run, counts):
    rows = {}
    for h, size, scores, weights in zip(run["heads"], run["sizes"], run["scores"], run["weights"], strict=True):
        rows[f"{h} × {size}: rank of the 64 × 64 scores"] = scores
        rows[f"{h} × {size}: rank of the weights"] = weights
    return answer(
        f"Its scores, QKᵀ, have at most rank d_k: for 64 tokens {run['scores'][0]}, {run['scores'][1]}, {run['scores'][2]} and "
        f"{run['scores'][3]} with 1, 4, 16 and 64 heads, so most tables of scores are out of its reach. The softmax brings the "
        "rank up again, but only to maps that come from such scores. A key_dim of its own, as in Keras, keeps heads wide, for "
        "more parameters.",
        rows | {"parameters with d_k = 64 / h, any h": counts["paper"][0], "16 heads of 16, as in Keras": counts["keras"][2]},
    )


@QUESTIONS.add("r50", "nn.MultiheadAttention(24, 1, vdim=12): how are the weights shaped, and what stays packed?",
    "https://github.com/pytorch/pytorch/issues/27623",
    see("keras_layer", part="variables", key_width=24, value_width=12, **free(24, 1, 24)),
    numpy("separate_widths", d_model=24, num_heads=1, key_width=24, value_width=12), theme="Shapes",
)  # fmt: skip
def other_widths(run):
    shapes = {name: tuple(shape) for name, shape in run["torch"].items()}
    return answer(
        f"Each kernel reads its own width. PyTorch then has three weights in place of in_proj_weight: {shapes['q_proj_weight']}, "
        f"{shapes['k_proj_weight']} and {shapes['v_proj_weight']}, each (out, in); the biases stay packed, "
        f"{run['in_proj_bias']} numbers. Q, K, V and the output are 24 wide as before: {run['count']:,} parameters instead of "
        f"{run['square']:,}.",
        shapes | {"in_proj_bias": run["in_proj_bias"], "value/kernel in Keras": tuple(run["variables"]["value/kernel"]),
         "parameters": run["count"], "with vdim 24": run["square"]},
    )  # fmt: skip


@QUESTIONS.add("r63", "How many heads should I choose? Do more heads give better results, or is one enough?",
    "https://github.com/dmlc/dgl/issues/3515", see("trained_heads"), numpy("head_counts", task="sentence"),
    numpy("published_choices"),
)  # fmt: skip
def how_many(run, published):
    rows = {f"{h} × {size}: right answers to the worst question": f"{percent(worst, 1)}"
            for h, size, worst in zip(run["heads"], run["sizes"], run["worst"], strict=True)}  # fmt: skip
    (parameters,) = run["parameters"]
    return answer(
        "There is no rule: try a few that divide the width. Too few heads blend what they look at into one map, too many are too "
        f"narrow. In layers trained here, 16 wide with {parameters:,} parameters each, the question answered worst is right in "
        f"{percent(run['worst'][0], 1)} of sentences with 1 head, {percent(run['worst'][2], 1)} with 4 and "
        f"{percent(run['worst'][-1], 1)} with 16. Published models mostly take heads 64 to 128 wide "
        f"({published['d_k_64']} of {published['models']}: 64), so width / 64 is a start.", rows,
    )  # fmt: skip


@QUESTIONS.add("r64", "Which heads matter? How do I find out what one head does, and whether it can be removed?",
    "https://github.com/huggingface/transformers/issues/1815", see("trained_heads", heads=4),
    numpy("without_each_head", network="sentence-4"),
)  # fmt: skip
def which_matter(run):
    told = [f"{question}: {percent(left, 1)}" for question, left in zip(run["questions"], run["left"], strict=True)]
    return answer(
        "Switch each off in turn (its results, or its rows of W_O, to 0) and measure again; its map alone does not tell. In a "
        "trained layer of 4 heads each has a question of its own. Without it right answers fall from "
        f"{percent(run['whole'][0], 1)}, {', '.join(told)}. A head without which nothing falls can be pruned.",
        {f"without head {head}, right answers to “{question}”": percent(left, 1)
         for head, (question, left) in enumerate(zip(run["questions"], run["left"], strict=True), 1)},
    )  # fmt: skip
