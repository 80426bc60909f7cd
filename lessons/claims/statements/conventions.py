"""Claims that hold under one convention and not under another."""

from lessons.claims.claim import Check, Claims, judged, numpy, same, see, that

CLAIMS = Claims()
COUNTS = numpy("conventions", d_model=512, heads=[4, 8, 16], key_dim=64)
FREE = {"split": "free", "d_model": 512, "num_heads": 16, "key_dim": 64, "value_dim": 64}


def _numbers(values: list) -> str:
    return " / ".join(f"{value:,}" for value in values)


def _one_count(case: str, counts: list) -> Check:
    return that("case", f"{case}: different counts for 4, 8, 16 heads", "1", len(set(counts)), len(set(counts)) == 1)


@CLAIMS.add(
    83,
    "blog",
    1,
    "changing the number of heads not change the number of parameters in the model?",
    "The number of heads does not change the number of parameters.",
    COUNTS,
    see("heads", **FREE),
)
def heads_and_parameters(run):
    return judged(
        f"Constant where d_k = d_model / h ({run['paper'][0]:,}); where key_dim stays, as in Keras, {_numbers(run['keras'])} for "
        "4, 8, 16 heads.",
        _one_count("d_k = d_model / h", run["paper"]),
        _one_count("key_dim held at 64", run["keras"]),
    )


@CLAIMS.add(
    98,
    "blog",
    42,
    "by changing the number of heads, the number of weight parameters do not change",
    "Evidently another number of heads has equally many weights.",
    COUNTS,
    see("heads", **FREE | {"num_heads": 4}),
)
def evidently(run):
    return judged(
        f"Evident only while h · d_k is held: 4 heads of 64 have {run['keras'][0]:,}, of 512 / 4 = {run['paper_size'][0]} "
        f"{run['paper'][0]:,}.",
        _one_count("h · d_k held at 512", run["paper"]),
        _one_count("d_k held at 64", run["keras"]),
    )


@CLAIMS.add(
    95,
    "blog",
    40,
    "with the changing number of heads, *d_k* and *d_v* do change",
    "When the number of heads changes, d_k and d_v change.",
    COUNTS,
    see("heads", d_model=512, num_heads=16),
)
def head_size_changes(run):
    paper, keras = run["paper_size"], run["keras_size"]
    return judged(
        f"Under d_k = d_model / h they do ({_numbers(paper)}); Keras's key_dim, or T5's d_kv, stays where it was put "
        f"({keras[0]}).",
        that("case", "d_k = d_model / h: sizes for 4, 8, 16 heads", "change", _numbers(paper), len(set(paper)) > 1),
        that("case", "key_dim given, as in Keras: sizes", "change", _numbers(keras), len(set(keras)) > 1),
    )


@CLAIMS.add(
    96,
    "blog",
    40,
    "the dimension of the embeddings have to be a multiple of the number of heads",
    "d_model has to be a multiple of the number of heads.",
    numpy("divisibility", d_model=8, num_heads=3, key_dim=5),
    see("heads", split="free", d_model=8, num_heads=3, key_dim=5, value_dim=5),
)
def multiple(run):
    refused = "no such layer" if run["paper"] is None else f"{run['paper']:,} parameters"
    return judged(
        f"PyTorch and Hugging Face refuse 3 heads on 8 features; Keras builds them, 3 heads of 5, with {run['keras'] or 0:,} "
        "parameters.",
        that("case", "d_k = d_model / h (PyTorch, Hugging Face)", "no such layer", refused, run["paper"] is None),
        that("case", "3 heads with key_dim 5 (Keras)", "no such layer", f"{run['keras'] or 0:,} parameters", not run["keras"]),
    )


@CLAIMS.add(
    94,
    "blog",
    38,
    "d_k = d_v = d_model/h",
    "d_k and d_v are d_model / h.",
    numpy(
        "costs",
        layers=[
            {"d_model": 512, "num_heads": 8},
            {"d_model": 512, "num_heads": 6, "key_dim": 64},
            {"d_model": 3072, "num_heads": 16, "key_dim": 256},
        ],
    ),
    see("heads", split="free", d_model=512, num_heads=6, key_dim=64, value_dim=64),
)
def paper_choice(run):
    base, t5, gemma = run["layers"]
    return judged(
        f"The paper's choice and no law: Flan-T5-small has 6 heads of 64 on 512 ({t5['concat']} wide), Gemma-7B 16 of 256 on "
        f"3,072 ({gemma['concat']:,} wide).",
        same("says", "h · d_k of the paper's base model", 512, base["concat"]),
        same("suggests", "6 heads of 64 on 512, together", 512, t5["concat"]),
        same("suggests", "16 heads of 256 on 3072, together", 3072, gemma["concat"]),
    )


@CLAIMS.add(
    93,
    "blog",
    37,
    "theoretically d_v could be different than d_k",
    "d_v may differ from d_k.",
    numpy("costs", layers=[{"d_model": 16, "num_heads": 4, "key_dim": 3, "value_dim": 5}]),
    see("projections", split="free", d_model=16, num_heads=4, key_dim=3, value_dim=5),
)
def different_values(run):
    (layer,) = run["layers"]
    key, value = layer["shapes"]["key/kernel"], layer["shapes"]["value/kernel"]
    return judged(
        f"Not only in theory: a layer with W_K {tuple(key)} and W_V {tuple(value)} has {layer['count']:,} parameters and runs.",
        same("says", "last axes of W_K and W_V", [3, 5], [key[-1], value[-1]]),
    )
