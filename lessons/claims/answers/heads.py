"""Questions about heads and their maps: how they are cut, how a map is read, what may be averaged."""

from lessons.claims.answers.words import FREE, TINY, few, layer
from lessons.claims.claim import numpy, see, shown
from lessons.claims.question import Questions, answer

QUESTIONS = Questions()


@QUESTIONS.add(
    "q23",
    "Maps",
    "The softmax runs over the last axis only. Should the columns, or the whole map, not sum to 1?",
    "https://github.com/lucidrains/vit-pytorch/issues/44",
    numpy("map_sums", **TINY, query_len=4),
    see("attention", **TINY, query_len=4, key_len=4),
)
def sums(run):
    return answer(
        "Rows only: a row is what one query takes from all keys. So a map of 4 queries sums to "
        f"{run['total']:.0f}. A column says how much a token is looked at, and nothing binds it.",
        {"rows": few(run["rows"]), "columns": few(run["columns"]), "the whole map": round(run["total"], 6)},
    )


@QUESTIONS.add(
    "q25",
    "Maps",
    "PyTorch gives one map although there are several heads. Where are the others, and may I average?",
    "https://github.com/pytorch/pytorch/issues/34537",
    (numpy("averaged", d_model=100, num_heads=4, query_len=196, batch=5), numpy("averaged", **TINY, query_len=6, batch=1)),
    see("attention", **TINY, query_len=6, key_len=6),
)
def mean_map(large, small):
    return answer(
        "It averages over heads unless `average_attn_weights=False`; Keras gives every head's map. The mean is a picture, not "
        "what the layer applies: "
        f"each head weighs its own values, and with the mean in every head the output is off by {shown(small['apart'])}.",
        {
            "100 wide, 4 heads, 196 tokens, 5 samples": tuple(large["maps"]),
            "their mean over heads": tuple(large["mean"]),
            "8 wide, 2 heads, 6 tokens": tuple(small["maps"]),
            "the mean there": tuple(small["mean"]),
        },
    )


@QUESTIONS.add(
    "q36",
    "Heads",
    "Why view(B, T, h, d).transpose(1, 2), and not view(B, h, T, d) at once? The shape is the same.",
    "https://github.com/hyunwoongko/transformer/issues/15",
    numpy("two_views", tokens=4, width=6, num_heads=3),
    see("concatenation", **FREE, **layer(6, 3, 2, query_len=4, key_len=4)),
)
def views(run):
    return answer(
        "The same shape with other numbers: the direct view deals one token's features out as if they were tokens. "
        f"Of {run['cells']} cells {run['agree']} agree, 1/{run['cells'] // run['agree']}.",
        {"X = 0, 1, 2, … as 4 × 6: head 0 by view and transpose": str(run["right"]), "by the direct view": str(run["direct"])},
    )


@QUESTIONS.add(
    "q39",
    "Heads",
    "BERT's query layer is 768 × 768 with 12 heads. Are columns 0 to 63 head 1, 64 to 127 head 2, …?",
    "https://github.com/huggingface/transformers/issues/27044",
    numpy("columns_of_heads", d_model=768, num_heads=12, kept=8),
    see("projections", cut="fused", d_model=768, num_heads=12),
)
def columns(run):
    size = run["key_dim"]
    return answer(
        f"Yes: head i has columns {size}·i to {size}·i + {size - 1} of the flat kernel (rows in PyTorch, which transposes). So "
        "heads can be cut out: "
        f"with 8 left the query kernel is {tuple(run['kernel'])}, {run['columns']} columns, and the output stays {run['output']} "
        "wide.",
        {
            "flat columns apart from kernel[:, i]": run["gap"],
            "parameters with 12 heads": run["count"],
            "with 8 of them": run["fewer"],
            "8 wide, 2 heads: columns of heads 0 and 1": ", ".join(f"{first} to {last}" for first, last in run["ranges"]),
        },
    )
