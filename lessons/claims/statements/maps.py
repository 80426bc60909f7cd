"""Claims about maps and results: how many a head has, and which is which."""

from lessons.claims.claim import Claims, judged, near, numpy, same, see, that

CLAIMS = Claims()
HERE = {"d_model": 16, "num_heads": 4, "query_len": 6}


def shape(of: list) -> str:
    return " × ".join(map(str, of))


@CLAIMS.add(
    62,
    "none_6_8",
    10,
    'This process is repeated multiple times (hence "multi-head")',
    "Multi-head means that the same process is repeated, once per head.",
    numpy("side_by_side", heads=[1, 8], d_model=16),
    see("attention", d_model=16, num_heads=8),
)
def repeated(run):
    return judged(
        f"Not one after the other: 8 heads take {run['contractions'][1]} contractions, one head {run['contractions'][0]}; and "
        "every head has weights of its own.",
        same("says", "maps with 8 heads", 8, run["maps"][1]),
        same("suggests", "contractions with 8 heads", 8 * run["contractions"][0], run["contractions"][1]),
        near("suggests", "least difference of two heads' maps", run["apart"][1]),
    )


@CLAIMS.add(
    42,
    "key_dim",
    66,
    "having fewer heads reduces the number of parallel computations",
    "Fewer heads are fewer attention computations side by side.",
    numpy("side_by_side", heads=[8, 4]),
    see("attention", num_heads=4),
)
def fewer_maps(run):
    return judged(
        f"8 heads make {run['maps'][0]} maps, 4 heads make {run['maps'][1]}.",
        that("says", "maps with 4 heads", "fewer than with 8", run["maps"][1], run["maps"][1] < run["maps"][0]),
    )


@CLAIMS.add(
    89,
    "blog",
    26,
    "are “mixed” together to obtain the self attention matrix (Z)",
    "Q, K and V are combined to Z, the attention matrix.",
    numpy("one_head", **HERE),
    see("attention", **HERE),
)
def z_is_no_map(run):
    return judged(
        f"Z is what a head gives, {shape(run['result'])}; the attention matrix is the softmax before it, {shape(run['map'])}.",
        near("says", "Z apart from softmax(QKᵀ/√d_k) V by hand", run["to_by_hand"], 1e-5),
        same("suggests", "shape of Z", run["map"], run["result"]),
        near("suggests", "first row of Z, its sum apart from 1", abs(run["result_row_sum"] - 1)),
    )


@CLAIMS.add(
    97,
    "blog",
    42,
    "the attention matrix Z is then calculated for each head in parallel",
    "Each head computes an attention matrix Z.",
    numpy("one_head", **HERE),
    see("attention", cell="context.1.1.1", **HERE),
)
def z_per_head(run):
    return judged(
        f"There is a Z for each of the {run['maps']} heads, but Z is {shape(run['result'])} and the head's attention matrix "
        f"{shape(run['map'])}.",
        same("says", "heads with a result of their own", 4, run["maps"]),
        same("suggests", "shape of Z", run["map"], run["result"]),
    )


@CLAIMS.add(
    103,
    "blog",
    48,
    "creates *h *attention matrices",
    "Each head creates h attention matrices.",
    numpy("one_head", **HERE),
    see("attention", **HERE),
)
def matrices_of_a_head(run):
    return judged(
        f"Each head creates {run['maps_of_one']}; the layer's 4 heads together create {run['maps']}.",
        same("says", "matrices of one head, where h is 4", 4, run["maps_of_one"]),
    )


@CLAIMS.add(
    105,
    "blog",
    50,
    "the multiple *h *attention matrices now need to be squished together",
    "At the end the h attention matrices are joined to one.",
    numpy("one_head", **HERE),
    see("concatenation", **HERE),
)
def what_is_joined(run):
    return judged(
        f"The results Z are joined, to {shape(run['concat'])}; the maps joined would be {shape(run['concat_of_maps'])} and fit "
        "no W_O.",
        same("says", "matrices that are joined", 4, run["maps"]),
        same("suggests", "shape of what is joined", run["concat_of_maps"], run["concat"]),
    )
