"""Claims about what the sizes of a layer cost, and how wide its concatenation is."""

from lessons.claims.records import BLOG, KEY_DIM, Claims, check, equal, fewer, judgement, layer, more, numpy, see

CLAIMS = Claims()
FREE = {"split": "free"}
#: 512 wide, for sequences of 128: the layers that are compared.
EIGHT, FOUR, NARROW, SQUARE, LARGE = (
    layer(512, *sizes, query_len=128) for sizes in ((8, 64), (4, 128), (8, 64, 32), (64, 64), (8, 128, 64))
)


def each(run: dict, quantity: str) -> tuple:
    """One quantity of every layer of a run."""
    return tuple(facts[quantity] for facts in run["layers"])


@CLAIMS.add(
    number=41,
    source=KEY_DIM.line(66, "The computational cost of each head increases due to the higher `key_dim`"),
    says="With twice the key_dim, a head costs more.",
    run=numpy("layers", sizes=[EIGHT, FOUR]),
    see=see("models", model="this-layer", d_model=512, num_heads=4, context=128, further="costs"),
)
def cost_of_a_head(run):
    eight, four = each(run, "multiply_adds")
    return judgement(
        f"Twice per head, but with half as many heads: {eight:,} multiply-adds for 128 tokens before, {four:,} after.",
        more("says", "multiply-adds of one head, times those before", (four / 4) / (eight / 8), than=1),
    )


@CLAIMS.add(
    number=42,
    source=KEY_DIM.line(66, "having fewer heads reduces the number of parallel computations"),
    says="With fewer heads, fewer attention computations run side by side.",
    run=numpy("side_by_side", heads=[8, 4]),
    see=see("attention", num_heads=4),
)
def fewer_maps(run):
    return judgement(
        f"8 heads make {run['maps'][0]} maps, 4 heads make {run['maps'][1]}.",
        fewer("says", "maps with 4 heads", run["maps"][1], run["maps"][0]),
    )


@CLAIMS.add(
    number=43,
    source=KEY_DIM.line(66, "It could also be used as a mechanism to mitigate memory requirements"),
    says="Fewer, wider heads save memory.",
    run=numpy("layers", sizes=[EIGHT, FOUR]),
    see=see("heads", d_model=512, num_heads=4, query_len=128),
)
def saves_memory(run):
    cells, counts, projected = (each(run, quantity) for quantity in ("score_cells", "count", "projected"))
    return judgement(
        f"Only the scores shrink, from {cells[0]:,} to {cells[1]:,} numbers for 128 tokens; the parameters, Q, K and V stay as "
        "large as they were.",
        fewer("says", "numbers in the scores", cells[1], than=cells[0]),
        fewer("suggests", "parameters", counts[1], than=counts[0]),
        fewer("suggests", "numbers in Q, K and V per token", projected[1], than=projected[0]),
    )


@CLAIMS.add(
    number=49,
    source=KEY_DIM.line(91, "A value_dim less than `key_dim` can reduce the computational burden"),
    says="A smaller value_dim saves work.",
    run=numpy("layers", sizes=[EIGHT, NARROW]),
    see=see("heads", **FREE, **NARROW),
)
def saves_work(run):
    (wide, narrow), counts = each(run, "multiply_adds"), each(run, "count")
    return judgement(
        f"It saves {1 - narrow / wide:.1%} of the multiply-adds and {1 - counts[1] / counts[0]:.1%} of the parameters: "
        f"{counts[0]:,} become {counts[1]:,}.",
        fewer("says", "multiply-adds", narrow, than=wide),
    )


@CLAIMS.add(
    number=50,
    source=KEY_DIM.line(91, "since less data is being projected in the last linear layer"),
    says="A smaller value_dim saves work because the last projection, W_O, has less to do.",
    run=numpy("layers", sizes=[EIGHT, NARROW]),
    see=see("models", model="this-layer", context=128, further="costs", **FREE, **NARROW),
)
def saved_where(run):
    wide, narrow = each(run, "by_step")
    saved = {step: wide[step] - narrow[step] for step in wide}
    share = saved["output"] / (sum(saved.values()) or 1)
    return judgement(
        f"That is half the story: W_O saves {saved['output']:,} multiply-adds, W_V {saved['v']:,}, and A·V another "
        f"{saved['context']:,}.",
        more("says", "multiply-adds saved in W_O", saved["output"], than=0),
        check("suggests", "W_O's share of the saving", "all of it", f"{share:.0%}", share > 0.99),
    )


@CLAIMS.add(
    number=52,
    source=KEY_DIM.line(93, "also try using an equal number of heads and `key_dim`"),
    says="Setting num_heads equal to key_dim is a usual choice to try.",
    run=numpy("layers", sizes=[EIGHT, SQUARE]),
    see=see("heads", **FREE, **SQUARE),
)
def as_many_heads(run):
    usual, square = each(run, "count")
    return judgement(
        f"At width 512, 64 heads of 64 have {square:,} parameters, {square / usual:.1f} times as many as 8 heads of 64: that is "
        "far from the usual layer.",
        check("says", "such a layer can be built", "yes", f"yes, {square:,} parameters", square > 0),
        check("suggests", "its size, times that of 8 heads of 64", "about 1", square / usual, 0.5 < square / usual < 2),
    )


@CLAIMS.add(
    number=19,
    source=KEY_DIM.line(12, "comes at the cost of increased computational complexity"),
    says="A larger key_dim takes more work.",
    run=numpy("layers", sizes=[EIGHT, LARGE]),
    see=see("heads", **FREE, **LARGE),
)
def larger_key_dim(run):
    (small, large), counts = each(run, "multiply_adds"), each(run, "count")
    return judgement(
        f"With twice the key_dim, {small:,} multiply-adds for 128 tokens become {large:,}, and {counts[0]:,} parameters become "
        f"{counts[1]:,}.",
        more("says", "multiply-adds", large, than=small),
    )


@CLAIMS.add(
    number=12,
    source=KEY_DIM.line(10, "resulting in a representation of `num_heads * value_dim` dimensionality"),
    says="Together, the heads' results are num_heads × value_dim wide.",
    run=numpy("one_head", d_model=21, num_heads=3, query_len=5, value_dim=11),
    see=see("concatenation", **layer(21, 3, 7, 11, query_len=5, key_len=5), **FREE),
)
def joined_width(run):
    return judgement(
        f"3 heads of 11 give a matrix of {run['concat'][0]} × {run['concat'][1]}.",
        equal("says", "width of Concat", 3 * 11, run["concat"][1]),
    )


@CLAIMS.add(
    number=35,
    source=KEY_DIM.line(42, "which is projected down to 512 after the head concatenation"),
    says="W_O projects the concatenation down to 512.",
    run=numpy("layers", sizes=[EIGHT]),
    see=see("concatenation", **FREE, **EIGHT),
)
def projected_down(run):
    (facts,) = run["layers"]
    return judgement(
        f"From {facts['concat']} to {facts['out']}: W_O mixes the heads, but nothing becomes narrower here.",
        equal("says", "width after W_O", 512, facts["out"]),
        more("suggests", "columns fewer than before", facts["concat"] - facts["out"], than=0),
    )


@CLAIMS.add(
    number=38,
    source=KEY_DIM.line(66, "reduced the number of heads but increased the `key_dim`"),
    says="8 heads of 64 and 4 heads of 128 have the same total width.",
    run=numpy("layers", sizes=[EIGHT, FOUR]),
    see=see("heads", d_model=512, num_heads=4),
)
def traded(run):
    (eight, four), counts = each(run, "concat"), each(run, "count")
    return judgement(
        f"They are {eight} and {four} wide, so they have {counts[0]:,} and {counts[1]:,} parameters. The article never says so.",
        equal("says", "width with 4 heads, compared with 8", eight, four),
        equal("says", "parameters", *counts),
    )


@CLAIMS.add(
    number=47,
    source=KEY_DIM.line(91, "the combined output before projection has dimension 256"),
    says="Together, 8 heads with value_dim 32 are 256 wide.",
    run=numpy("layers", sizes=[NARROW]),
    see=see("concatenation", **FREE, **NARROW),
)
def combined_width(run):
    (facts,) = run["layers"]
    return judgement(
        f"8 × 32 = {facts['concat']}; the shapes printed in the same article contradict this.",
        equal("says", "width of Concat", 256, facts["concat"]),
    )


@CLAIMS.add(
    number=48,
    source=KEY_DIM.line(91, "the final output of the layer is still 512 due to the output projection layer"),
    says="The output is 512 wide all the same, because W_O maps back.",
    run=numpy("layers", sizes=[NARROW]),
    see=see("concatenation", **FREE, **NARROW),
)
def still_512(run):
    (facts,) = run["layers"]
    shape = facts["variables"]["attention_output/kernel"]
    return judgement(
        f"W_O is {tuple(shape)}: {shape[0] * shape[1]} columns in, {shape[2]} out.",
        equal("says", "width of the output", 512, facts["out"]),
        equal("says", "last axis of W_O", 512, shape[-1]),
    )


@CLAIMS.add(
    number=107,
    source=BLOG.line(50, "with dimensions *hd_v *x *d_model*"),
    says="W_O has h · d_v rows and d_model columns.",
    run=numpy("one_head", d_model=21, num_heads=3, query_len=5, value_dim=11),
    see=see("concatenation", **layer(21, 3, 7, 11, query_len=5, key_len=5), **FREE),
)
def w_o(run):
    h, v, m = run["w_o"]
    return judgement(
        f"Keras keeps it as {tuple(run['w_o'])}; as a matrix it has {h} · {v} = {h * v} rows and {m} columns.",
        equal("says", "rows and columns", [3 * 11, 21], [h * v, m]),
    )
