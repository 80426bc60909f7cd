"""Claims about what the sizes of a layer cost, and how wide its concatenation is."""

from lessons.claims.records import BLOG, KEY_DIM, Questions, check, equal, fewer, judged, layer, more, numpy, see

QUESTIONS = Questions("Cost")
FREE = {"split": "free"}
#: 512 wide, for sequences of 128: the layers that are compared.
EIGHT, FOUR, NARROW = (layer(512, *sizes, query_len=128) for sizes in ((8, 64), (4, 128), (8, 64, 32)))


def each(run: dict, quantity: str) -> tuple:
    """One quantity of every layer of a run."""
    return tuple(facts[quantity] for facts in run["layers"])


@QUESTIONS.add("c43", "Fewer, wider heads save memory.",
    KEY_DIM.line(66, "It could also be used as a mechanism to mitigate memory requirements"),
    see("heads", d_model=512, num_heads=4, query_len=128), numpy("layers", sizes=[EIGHT, FOUR]),
)  # fmt: skip
def saves_memory(run):
    cells, counts, projected = (each(run, quantity) for quantity in ("score_cells", "count", "projected"))
    return judged(
        f"Only the scores shrink, from {cells[0]:,} to {cells[1]:,} numbers for 128 tokens; the parameters, Q, K and V stay as "
        "large as they were.",
        fewer("says", "numbers in the scores", cells[1], than=cells[0]),
        fewer("suggests", "parameters", counts[1], than=counts[0]),
        fewer("suggests", "numbers in Q, K and V per token", projected[1], than=projected[0]),
    )


@QUESTIONS.add("c49", "A smaller value_dim saves work.",
    KEY_DIM.line(91, "A value_dim less than `key_dim` can reduce the computational burden"), see("heads", **FREE, **NARROW),
    numpy("layers", sizes=[EIGHT, NARROW]),
)  # fmt: skip
def saves_work(run):
    (wide, narrow), counts = each(run, "multiply_adds"), each(run, "count")
    return judged(
        f"It saves {1 - narrow / wide:.1%} of the multiply-adds and {1 - counts[1] / counts[0]:.1%} of the parameters: "
        f"{counts[0]:,} become {counts[1]:,}.",
        fewer("says", "multiply-adds", narrow, than=wide),
    )


@QUESTIONS.add("c50", "A smaller value_dim saves work because the last projection, W_O, has less to do.",
    KEY_DIM.line(91, "since less data is being projected in the last linear layer"),
    see("models", model="this-layer", context=128, further="costs", **FREE, **NARROW), numpy("layers", sizes=[EIGHT, NARROW]),
)  # fmt: skip
def saved_where(run):
    wide, narrow = each(run, "by_step")
    saved = {step: wide[step] - narrow[step] for step in wide}
    share = saved["output"] / (sum(saved.values()) or 1)
    return judged(
        f"That is half the story: W_O saves {saved['output']:,} multiply-adds, W_V {saved['v']:,}, and A·V another "
        f"{saved['context']:,}.",
        more("says", "multiply-adds saved in W_O", saved["output"], than=0),
        check("suggests", "W_O's share of the saving", "all of it", f"{share:.0%}", share > 0.99),
    )


@QUESTIONS.add("c35", "W_O projects the concatenation down to 512.",
    KEY_DIM.line(42, "which is projected down to 512 after the head concatenation"), see("concatenation", **FREE, **EIGHT),
    numpy("layers", sizes=[EIGHT]),
)  # fmt: skip
def projected_down(run):
    (facts,) = run["layers"]
    return judged(
        f"From {facts['concat']} to {facts['out']}: W_O mixes the heads, but nothing becomes narrower here.",
        equal("says", "width after W_O", 512, facts["out"]),
        more("suggests", "columns fewer than before", facts["concat"] - facts["out"], than=0),
    )


@QUESTIONS.add(
    "c107", "W_O has h · d_v rows and d_model columns.", BLOG.line(50, "with dimensions *hd_v *x *d_model*"),
    see("concatenation", **layer(21, 3, 7, 11, query_len=5, key_len=5), **FREE),
    numpy("one_head", d_model=21, num_heads=3, query_len=5, value_dim=11),
)  # fmt: skip
def w_o(run):
    h, v, m = run["w_o"]
    return judged(
        f"Keras keeps it as {tuple(run['w_o'])}; as a matrix it has {h} · {v} = {h * v} rows and {m} columns.",
        equal("says", "rows and columns", [3 * 11, 21], [h * v, m]),
    )
