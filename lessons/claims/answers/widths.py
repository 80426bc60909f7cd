"""Questions about the widths of a layer: values apart from keys, two sequences, four sizes, four axes."""

from lessons.claims.answers.words import FREE, layer
from lessons.claims.claim import keras, numpy, see
from lessons.claims.question import Questions, answer

QUESTIONS = Questions()


@QUESTIONS.add(
    "q13",
    "Head size",
    "The paper has d_k and d_v apart. What changes when value heads have another size than key heads?",
    "https://github.com/ggml-org/llama.cpp/issues/4648",
    numpy(
        "layers",
        sizes=[layer(512, 8, k, v, use_bias=False, query_len=6) for k, v in ((64, 64), (64, 128), (32, 64))]
        + [layer(8, 2, 3, 5, use_bias=False)],
    ),
    see("concatenation", **FREE, use_bias="false", **layer(512, 8, 64, 128)),
)
def values_apart(table):
    same, wide, narrow, small = table["layers"]
    scores = {one["steps"]["scores"] for one in (same, wide, narrow)}
    return answer(
        "W_V, the concatenation and W_O change with d_v; the scores do not, and their scale is √d_k only.",
        {
            "d_k 64, d_v 64": same["count"],
            "its Concat": same["concat"],
            "d_k 64, d_v 128": wide["count"],
            "its Concat is then": wide["concat"],
            "its W_V": wide["paths"]["value/kernel"],
            "its W_O": wide["paths"]["attention_output/kernel"],
            "d_k 32, d_v 64": narrow["count"],
            "scores of all three, 6 tokens": " or ".join(map(str, scores)),
            "output is wide": wide["steps"]["output"][-1],
            "8 wide, 2 heads, d_k 3, d_v 5": small["count"],
        },
    )


@QUESTIONS.add(
    "q15",
    "Head size",
    "Cross-attention between image and text: what are query_dim and context_dim, and what has to match?",
    "https://github.com/CompVis/stable-diffusion/issues/511",
    (
        keras("shapes", shape=[1, 64, 320], memory=[1, 77, 768], num_heads=8, key_dim=40),
        keras("weights", d_model=320, key_width=768, num_heads=8, key_dim=40, use_bias=False),
        keras("weights", d_model=6, key_width=8, num_heads=2, key_dim=3, use_bias=False),
    ),
    see("keras_layer", part="shapes", key_width=768, value_width=768, **FREE, **layer(320, 8, 40, query_len=64, key_len=77)),
)
def image_and_text(call, large, small):
    paths = {path: tuple(shape) for path, shape in large["variables"]}
    keys = paths["key/kernel"] if paths["key/kernel"] == paths["value/kernel"] else "not the same"
    return answer(
        "The widths of the two sequences: queries come from the image tokens, keys and values from the text's. Only the head "
        "size of Q and K has to "
        "match, and there are as many keys as values; widths and lengths are free.",
        {
            "image (1, 64, 320): W_Q": paths["query/kernel"],
            "text (1, 77, 768): W_K and W_V": keys,
            "W_O": paths["attention_output/kernel"],
            "scores": call["tuple"][1],
            "output": call["output"],
            "weights, 8 heads of 40": large["count"],
            "6 and 8 wide, 2 heads of 3": small["count"],
        },
    )


@QUESTIONS.add(
    "q47",
    "Inputs of rank 4",
    "What happens to an input (B, T, W, dim): is it collapsed to (B, T, W·dim)?",
    "https://github.com/keras-team/keras/issues/19241",
    keras("rank_four"),
    see("keras_layer", part="axes", input_shape="3,4,16", **FREE, **layer(16, 2, 2)),
)
def rank_four(run):
    every, last, first = run["none"], run["2"], run["1"]
    return answer(
        "No: attention runs over all 3 · 4 = 12 places, and dim stays the features. It equals attention over (2, 12, 16) within "
        f"{run['difference']:.0e}, "
        f"with the same {every['count']} parameters. `attention_axes` confines it to an axis; the symbolic shape that Keras "
        "gives the scores is wrong.",
        {
            "input": every["input"],
            "scores": every["scores"],
            "output": every["output"],
            "kernel": every["kernel"],
            "parameters": every["count"],
            "attention_axes=(2,): scores": last["scores"],
            "attention_axes=(1,): scores": first["scores"],
            "parameters there": " and ".join(str(one["count"]) for one in (last, first)),
            "symbolic shape of the scores": every["symbolic"],
        },
    )


@QUESTIONS.add(
    "q49",
    "Head size",
    "embed_dim stands for four sizes: query, key and value width, and output. Which of them has to be a multiple of the heads?",
    "https://github.com/pytorch/pytorch/issues/103668",
    keras("weights", d_model=10, num_heads=3, key_dim=4, value_dim=5, output_shape=7, use_bias=False),
    see("keras_layer", part="variables", output_shape=7, use_bias="false", **FREE, **layer(10, 3, 4, 5)),
)
def four_sizes(run):
    shapes = [tuple(shape) for _, shape in run["variables"]]
    inner = [shapes[0][1] * shapes[0][2], shapes[2][1] * shapes[2][2]]
    return answer(
        f"None, if head sizes are given per head as in Keras. The inner widths {inner[0]} and {inner[1]} are multiples of 3 by "
        "construction; "
        f"{shapes[0][0]} and {shapes[3][-1]} are free.",
        {
            "kernels": ", ".join(map(str, shapes)),
            "weights": run["count"],
            "output": f"(B, T, {shapes[3][-1]})",
            "inner widths": tuple(inner),
        },
    )
