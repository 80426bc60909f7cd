"""Questions about the arrays: biases, order, packing, and moving them between frameworks."""

from lessons.claims.answers.words import FREE, TINY, layer
from lessons.claims.claim import keras, numpy, see
from lessons.claims.question import Questions, answer, percent

QUESTIONS = Questions()


@QUESTIONS.add(
    "q29",
    "Weights",
    "Should the projections have biases, and how much of the layer is that?",
    "https://github.com/Kyubyong/transformer/issues/53",
    numpy(
        "layers",
        sizes=[layer(*size, use_bias=bias) for size in ((512, 8, 64), (768, 12, 64), (8, 2, 4)) for bias in (True, False)],
    ),
    see("heads", d_model=512, num_heads=8, use_bias="false"),
)
def biases(table):
    rows, names, found = table["layers"], ("512 wide, 8 heads", "BERT-base, 768 wide, 12 heads", "8 wide, 2 heads"), {}
    for name, biased, bare in zip(names, rows[::2], rows[1::2], strict=True):
        found |= {
            f"{name}: with biases": biased["count"],
            f"{name}: without": bare["count"],
            f"{name}: biases": f"{biased['biases']:,} ({percent(biased['biases'], biased['count'])})",
        }
    shapes = ", ".join(str(shape) for path, shape in rows[0]["paths"].items() if path.endswith("bias"))
    return answer(
        f"They are optional and tiny. Keras's default has them: {rows[0]['arrays']} arrays instead of {rows[1]['arrays']}, "
        f"at 512 of the shapes {shapes}.",
        found,
    )


@QUESTIONS.add(
    "q31",
    "Weights",
    "set_weights with 8 arrays fails, “expecting 0 weights”. Which 8 does the layer hold, and why 0 now?",
    "https://github.com/AlexanderLutsenko/nobuco/issues/65",
    (
        keras("weights", d_model=128, num_heads=8, key_dim=16),
        keras("weights", d_model=128, num_heads=8, key_dim=16, use_bias=False),
        keras("weights", d_model=8, num_heads=2, key_dim=4),
    ),
    see("keras_layer", part="variables", **FREE, **layer(128, 8, 16)),
)
def eight_arrays(run, bare, small):
    refused = run["set_before"] or "no error"
    return answer(
        f"A layer has no weights until it is built, by `build()` or its first call: {run['before']} before, and `count_params()` "
        f"{'raises' if run['count_before'] else 'counts'}. Then it has {len(run['variables'])}, in this order; `use_bias=False` "
        f"leaves {len(bare['variables'])}.",
        {f"{i}. {path}": tuple(shape) for i, (path, shape) in enumerate(run["variables"])}
        | {
            "parameters": run["count"],
            "set_weights before that": f"… {refused[refused.find('expecting') :]}",
            "8 wide, 2 heads of 4": " ".join(str(tuple(shape)) for _, shape in small["variables"]),
        },
    )


@QUESTIONS.add(
    "q30",
    "Weights",
    "PyTorch packs Q, K and V into in_proj_weight. Which rows are which, and does that change the first values?",
    "https://github.com/pytorch/pytorch/issues/166378",
    (
        numpy("packed", d_model=512, num_heads=8, query_len=2, key_len=3),
        numpy("packed", **TINY, query_len=5, key_len=7),
        numpy("start_bounds", width=512, num_heads=8),
        keras("start", d_model=512, num_heads=8, key_dim=64),
    ),
    see("keras_layer", part="variables", d_model=512, num_heads=8),
)
def packed_rows(large, small, start, real):
    bounds, drawn, peaked = start["bounds"], start["drawn"], start["peaked"]
    return answer(
        "The first E rows are Q, the next E are K, the last E are V. Yes: counted as one matrix, Xavier's bound is √(6/4E) "
        "instead of √(6/2E). "
        "Keras counted every axis of (512, 8, 64) before 3.15, and started so low that attention was nearly uniform, "
        f"{start['uniform']:g} each.",
        {
            "in_proj_weight, E = 512": tuple(large["in_proj_weight"]),
            "in_proj_bias": tuple(large["in_proj_bias"]),
            "bound packed; largest drawn": f"{bounds['packed']:.4f}; {drawn['packed']:.4f}",
            "bound of separate matrices; drawn": f"{bounds['flat']:.4f}; {drawn['flat']:.4f}",
            "largest that Keras here starts with": f"{real['largest']:.4f}",
            "Keras's earlier bound": f"{bounds['per_axis']:.4f}",
            "mean largest of 16 weights, earlier": f"{peaked['per_axis']:.3f}",
            "and today": f"{peaked['flat']:.3f}",
            "in_proj_weight, E = 8": tuple(small["in_proj_weight"]),
        },
    )


@QUESTIONS.add(
    "q32",
    "Weights",
    "I replaced nn.MultiheadAttention(E, h) by Keras's with key_dim=E, and the outputs differ. How do I make them equal?",
    "https://openillumi.com/en/en-fix-pytorch-tensorflow-mha-inconsistency",
    (
        numpy("layers", sizes=[{"d_model": 50, "num_heads": 2, "key_dim": 50}, {"d_model": 50, "num_heads": 2}]),
        numpy("packed", **TINY, query_len=5, key_len=7),
    ),
    see("keras_layer", part="variables", d_model=50, num_heads=2),
)
def make_equal(table, port):
    wrong, right = table["layers"]
    return answer(
        f"key_dim is a head's width: E / h = {right['key_dim']}, not E. Then cut in_proj_weight into thirds, transpose, and "
        "reshape to (E, h, E/h); "
        "out_proj.weight to (h, E/h, E). Below, a pass is written PyTorch's way with the packed weights.",
        {
            "E = 50, h = 2, key_dim 50": wrong["count"],
            "key_dim 25, as PyTorch": right["count"],
            "in_proj_weight for E = 8": tuple(port["in_proj_weight"]),
            "outputs differ by": port["output"],
            "maps differ by": port["scores"],
        },
    )
