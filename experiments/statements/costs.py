"""Claims about the cost of a layer's sizes, and the width of its concatenation."""

from experiments.records import Questions, check, equal, fewer, layer, more, numpy, see
from lessons.question import BLOG, KEY_DIM

QUESTIONS = Questions("Cost")
FREE = {"split": "free"}
#: The layers that are compared: 512 wide, for sequences of 128.
EIGHT, FOUR, NARROW = (layer(512, *sizes, query_len=128) for sizes in ((8, 64), (4, 128), (8, 64, 32)))

QUESTIONS.add("c43", "Fewer, wider heads save memory.",
    KEY_DIM.line(66, "It could also be used as a mechanism to mitigate memory requirements"),
    see("heads", d_model=512, num_heads=4, query_len=128), numpy("layers", sizes=[EIGHT, FOUR]),
    numbers={"first_score_cells": "layers[0][score_cells]", "second_score_cells": "layers[1][score_cells]"},
    says="Only the scores shrink, from {first_score_cells} to {second_score_cells} numbers for 128 tokens; the parameters, Q, K "
    "and V stay as large as they were.",
    checks=lambda run: [
        fewer(role, what, run["layers"][1][name], than=run["layers"][0][name])
        for role, what, name in (
            ("says", "numbers in the scores", "score_cells"), ("suggests", "parameters", "count"),
            ("suggests", "numbers in Q, K and V per token", "projected"),
        )
    ],
)  # fmt: skip

QUESTIONS.add("c49", "A smaller value_dim saves work.",
    KEY_DIM.line(91, "A value_dim less than `key_dim` can reduce the computational burden"), see("heads", **FREE, **NARROW),
    numpy("savings", sizes=[EIGHT, NARROW]),
    numbers={"first_counts": "counts[0]", "second_counts": "counts[1]"},
    says="It saves {share_of_adds:.1%} of the multiply-adds and {share_of_counts:.1%} of the parameters: {first_counts} become "
    "{second_counts}.",
    checks=lambda run: [fewer("says", "multiply-adds", run["adds"][1], than=run["adds"][0])],
)  # fmt: skip

QUESTIONS.add("c50", "A smaller value_dim saves work because the last projection, W_O, has less to do.",
    KEY_DIM.line(91, "since less data is being projected in the last linear layer"),
    see("models", model="this-layer", context=128, further="costs", **FREE, **NARROW), numpy("savings", sizes=[EIGHT, NARROW]),
    numbers={"output": "steps[output]", "v": "steps[v]", "context": "steps[context]"},
    says="That is half the story: W_O saves {output} multiply-adds, W_V {v}, and A·V another {context}.",
    checks=lambda run: [
        more("says", "multiply-adds saved in W_O", run["steps"]["output"], than=0),
        check("suggests", "W_O's share of the saving", "all of it", f"{run['share_of_w_o']:.0%}", run["share_of_w_o"] > 0.99),
    ],
)  # fmt: skip

QUESTIONS.add("c35", "W_O projects the concatenation down to 512.",
    KEY_DIM.line(42, "which is projected down to 512 after the head concatenation"), see("concatenation", **FREE, **EIGHT),
    numpy("layers", sizes=[EIGHT]),
    asked="heads are concatenated, then projected, why the heads are concatenated, why concatenate heads",
    numbers={"concat": "layers[0][concat]", "out": "layers[0][out]"},
    says="From {concat} to {out}: W_O mixes the heads, but nothing becomes narrower here.",
    checks=lambda run: [
        equal("says", "width after W_O", 512, run["layers"][0]["out"]),
        more("suggests", "columns fewer than before", run["layers"][0]["concat"] - run["layers"][0]["out"], than=0),
    ],
)  # fmt: skip

QUESTIONS.add(
    "c107", "W_O has h · d_v rows and d_model columns.", BLOG.line(50, "with dimensions *hd_v *x *d_model*"),
    see("concatenation", **layer(21, 3, 7, 11, query_len=5, key_len=5), **FREE),
    numpy("one_head", d_model=21, num_heads=3, query_len=5, value_dim=11),
    numbers={"first_w_o": "w_o[0]", "second_w_o": "w_o[1]", "first_flat": "flat[0]", "second_flat": "flat[1]"},
    says="Keras keeps it as {w_o}; as a matrix it has {first_w_o} · {second_w_o} = {first_flat} rows and {second_flat} columns.",
    checks=lambda run: [equal("says", "rows and columns", [3 * 11, 21], run["flat"])],
)  # fmt: skip
