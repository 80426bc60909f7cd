"""Questions about what happens inside: W_O, the random start, the root, one input three times."""

from lessons.claims.answers.words import TINY
from lessons.claims.claim import keras, numpy, see, shown
from lessons.claims.question import Questions, answer

QUESTIONS = Questions()


@QUESTIONS.add(
    "q40",
    "Heads",
    "The code reshapes the heads back together. Where is W_O, and is it needed?",
    "https://github.com/karpathy/minGPT/issues/118",
    numpy("head_off", **TINY, query_len=5),
    see("concatenation", **TINY, query_len=5, key_len=5, head_off=1, use_bias="false"),
)
def output_projection(run):
    return answer(
        f"It is the last Linear: 768·768 + 768 = {run['gpt2']:,} parameters in GPT-2 small. Without it a head reaches only its "
        "own columns: "
        f"set one of two heads to 0 and {run['concat']} of {run['width']} columns of Concat change, but {run['output']} after "
        "W_O.",
        {
            "columns of Concat that change": f"{run['concat']} of {run['width']}",
            "columns of the output": f"{run['output']} of {run['width']}",
            "Concat · W_O apart from the layer's output": run["apart"],
        },
    )


@QUESTIONS.add(
    "q43",
    "Heads",
    "All heads get the same input. What keeps them from learning the same weights?",
    "https://stats.stackexchange.com/questions/373850/what-stops-the-network-from-learning-the-same-weights-in-multi-head-attention-me",
    (keras("twins", steps=50), keras("start", d_model=8, num_heads=2, key_dim=4)),
    see("attention", **TINY, query_len=6, key_len=6),
)
def alike(run, start):
    return answer(
        f"Only their random start. Two heads that start alike are {shown(run['alike']['after'])} apart after 50 gradient steps, "
        "in which they moved. Whether trained heads end up alike is another question.",
        {
            "alike at the start: apart after 50 steps": run["alike"]["after"],
            "and moved by": run["alike"]["moved"],
            "drawn apart: before": run["drawn"]["before"],
            "after": run["drawn"]["after"],
            "Keras's own start, 2 heads of 4: their W_Q apart": f"{start['apart']:.2f}",
        },
    )


@QUESTIONS.add(
    "q44",
    "Scaling",
    "Why has QKᵀ the variance d_k, so that √d_k and not d_k makes it 1?",
    "https://ai.stackexchange.com/posts/comments/39617",
    numpy("variances", sizes=[4, 16, 64, 256], wide=512, keys=8),
    see("attention", d_model=512, num_heads=1, query_len=8, key_len=8, divisor="none"),
)
def root(run):
    rows = {}
    for size, plain, by_root, by_size in zip(run["sizes"], run["plain"], run["root"], run["full"], strict=True):
        rows[f"d_k = {size}: variance; over √d_k; over d_k"] = f"{plain:.2f}; {by_root:.2f}; {by_size:.3f}"
    return answer(
        "It is a sum of d_k independent products of variance 1. Unscaled, a softmax at d_k = 512 is nearly one-hot: "
        f"the largest of 8 weights is {run['unscaled']:.2f} in the mean, against {run['scaled']:.2f} scaled.",
        rows,
    )


@QUESTIONS.add(
    "q48",
    "Heads",
    "Self-attention is called with query = value = key = x. Is that not pointless, and should I project first?",
    "https://github.com/tensorflow/text/issues/1017",
    numpy("one_input", **TINY, query_len=4),
    see("projections", **TINY, query_len=4, key_len=4, use_bias="false"),
)
def one_input(run):
    return answer(
        f"Only the inputs are equal. Three kernels of {tuple(run['kernel'])} are inside, so Q, K and V differ, and the scores "
        "are not symmetric. "
        "Nothing has to be projected before.",
        {"Q and K differ by": run["q_to_k"], "Q and V by": run["q_to_v"], "the scores from their transpose by": run["asymmetry"]},
    )
