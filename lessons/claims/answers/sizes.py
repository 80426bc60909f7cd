"""Questions about sizes: how many parameters, and what has to divide what."""

from lessons.claims.answers.words import FREE, layer
from lessons.claims.claim import keras, numpy, see
from lessons.claims.question import Questions, answer

QUESTIONS = Questions()


@QUESTIONS.add(
    "q01",
    "Parameters",
    "I set num_heads from 1 to 64 and the number of parameters stayed the same. Is that a bug?",
    "https://github.com/pytorch/pytorch/issues/60853",
    (
        numpy("conventions", d_model=512, heads=[1, 8, 64], key_dim=64),
        numpy("conventions", d_model=8, heads=[1, 2, 4, 8], key_dim=4),
    ),
    see("heads", d_model=512, num_heads=64),
)
def same_count(large, small):
    rows = {}
    for width, run in ((512, large), (8, small)):
        for h, size, count in zip(run["heads"], run["paper_size"], run["paper"], strict=True):
            rows[f"d_model {width}, {h} × {size}"] = count
    return answer(
        f"No. With heads of d_model / h the heads share a fixed width and h cancels: 4·512² + 4·512 = {4 * 512**2 + 4 * 512:,}, "
        "whatever h is. What shrinks is the head.",
        rows,
    )


@QUESTIONS.add(
    "q08",
    "Head size",
    "My input is 10 wide and Keras takes 20 heads with key_dim 9, and 123 with 17. What is key_dim, then?",
    "https://stackoverflow.com/questions/70034327",
    (
        numpy(
            "layers", sizes=[layer(10, 20, 9, query_len=1000), layer(10, 123, 17, query_len=1000), layer(10, 3, 5, query_len=7)]
        ),
        keras("shapes", shape=[1, 7, 10], num_heads=20, key_dim=9),
    ),
    see("heads", **FREE, **layer(10, 20, 9, query_len=7, key_len=7)),
)
def any_pair(table, seven):
    twenty, many, small = table["layers"]
    return answer(
        f"The width of queries and keys in each head, free to choose: W_O maps the {twenty['concat']} or {many['concat']:,} "
        "columns "
        f"back to {twenty['steps']['output'][-1]}. Nothing has to divide anything; 7 tokens with 20 heads run too.",
        {
            "20 heads, key_dim 9": twenty["count"],
            "its query kernel": twenty["paths"]["query/kernel"],
            "its Concat is wide": twenty["concat"],
            "its scores for 1000 tokens": twenty["steps"]["scores"],
            "its output": twenty["steps"]["output"],
            "123 heads, key_dim 17": many["count"],
            "Concat there": many["concat"],
            "output for 7 tokens, by Keras": seven["output"],
            "3 heads, key_dim 5": small["count"],
        },
    )


@QUESTIONS.add(
    "q09",
    "Head size",
    "The input is 21 wide, there are 8 heads, 8 does not divide 21, and yet it runs. What are the shapes inside?",
    "https://github.com/keras-team/keras/issues/21219",
    numpy(
        "layers",
        sizes=[layer(21, 8, 21, query_len=24, batch=32), layer(21, 8, 2, query_len=24, batch=32), layer(7, 3, 2, query_len=4)],
    ),
    see("heads", **FREE, **layer(21, 8, 21, query_len=24, key_len=24)),
)
def no_split(table):
    wide, narrow, small = table["layers"]
    steps = wide["steps"]
    return answer(
        f"The 21 features are never split: each head has kernels of its own from 21 to key_dim, and W_O maps {wide['concat']} "
        "columns back. "
        f"With key_dim 2 Concat is {narrow['concat']} wide and the output the same.",
        {
            "X": wide["x"],
            "kernel of Q": wide["paths"]["query/kernel"],
            "Q, K, V": steps["q"],
            "scores": steps["scores"],
            "each head's Z": steps["context"],
            "Concat is wide": wide["concat"],
            "W_O": wide["paths"]["attention_output/kernel"],
            "output": steps["output"],
            "parameters, key_dim 21": wide["count"],
            "parameters, key_dim 2": narrow["count"],
            "Concat, key_dim 2": narrow["concat"],
            "output, key_dim 2": narrow["steps"]["output"],
            "7 wide, 3 heads, key_dim 2": small["count"],
        },
    )


@QUESTIONS.add(
    "q11",
    "Head size",
    "T5's documentation ties d_kv to d_model / heads, but flan-t5-small has 512, 6 heads and 64. Which is right?",
    "https://github.com/huggingface/transformers/issues/21641",
    numpy("layers", sizes=[layer(512, 6, 64, use_bias=False), layer(512, 8, 64, use_bias=False), layer(8, 3, 2, use_bias=False)]),
    see("heads", **FREE, use_bias="false", **layer(512, 6, 64)),
)
def t5(table):
    real, square, small = table["layers"]
    return answer(
        f"The configuration: 6 · 64 = {real['concat']} is narrower than 512, and the layer is a legal one. "
        "In Keras: `num_heads=6, key_dim=64, use_bias=False`.",
        {
            "weights": real["count"],
            "of a square layer, 4 · 512²": square["count"],
            "W_Q flat": (512, real["concat"]),
            "W_O flat": (real["concat"], 512),
            "inner width": real["concat"],
            "8 wide, 3 heads of 2": small["count"],
            "inner width there": small["concat"],
        },
    )


@QUESTIONS.add(
    "q12",
    "Head size",
    "A configuration says d_model 2560 and 30 heads. 2560 / 30 is no whole number: a slip for 20?",
    "https://github.com/state-spaces/mamba/issues/457",
    numpy(
        "layers",
        sizes=[
            layer(2560, 30, 128, use_bias=False),
            layer(2560, 20, 128, use_bias=False),
            layer(3072, 16, 256, use_bias=False),
            layer(1792, 32, 128, use_bias=False),
            layer(8, 3, 4, use_bias=False),
        ],
    ),
    see("heads", **FREE, use_bias="false", **layer(2560, 30, 128)),
)
def thirty_heads(table):
    thirty, twenty, gemma, midm, small = table["layers"]
    flat = lambda one: (one["concat"], one["steps"]["output"][-1])  # noqa: E731
    return answer(
        f"No slip: the head size, 128, is a setting of its own, so 2560 is mapped to 30 · 128 = {thirty['concat']:,} and back. "
        f"That is {thirty['count'] / 2560**2:g} · d_model² weights; 20 heads would be {twenty['count'] / 2560**2:g} · d_model².",
        {
            "2560 wide, 30 heads of 128": thirty["count"],
            "20 heads of 128": twenty["count"],
            "Gemma-7B, 3072 wide, 16 heads of 256": gemma["count"],
            "its query kernel, flat": flat(gemma)[::-1],
            "Midm, 1792 wide, 32 heads of 128, W_O flat": flat(midm),
            "8 wide, 3 heads of 4": small["count"],
            "that is, times 8²": small["count"] // 64,
            "its Concat": small["concat"],
        },
    )
