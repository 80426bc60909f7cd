"""Claims about heads: what each reads, which matrices it has, what it computes, and how many maps and results there are."""

from lessons.claims.records import (
    BLOG,
    KEY_DIM,
    NONE_6_8,
    Questions,
    check,
    differs,
    equal,
    free,
    judged,
    keras,
    more,
    near,
    numpy,
    see,
)  # fmt: skip
from mha.trained.sentence import BLENDS

QUESTIONS = Questions("Heads")
HERE = {"d_model": 16, "num_heads": 4, "query_len": 6}


def shape(sizes: list) -> str:
    return " × ".join(map(str, sizes))


@QUESTIONS.add("c91", "X is multiplied h times, by h different matrices, to get Q.",
    BLOG.line(32, "is not just multiplied once with the weight matrices"), see("projections", cut="fused", **HERE),
    numpy("one_product", **HERE),
)  # fmt: skip
def h_products(run):
    rows, columns = run["flat"]
    return judged(
        f"Mathematically, yes; but one product with a {rows} × {columns} matrix gives the same numbers, with a difference of "
        f"{run['difference']:g}, and that is what runs.",
        differs("says", "smallest difference between two heads' Q", run["between_heads"], "not the same"),
        differs("suggests", "difference from a single product", run["difference"]),
    )


@QUESTIONS.add("c99", "Every head gets the whole embedding, not a part of it.",
    BLOG.line(44, "the input embeddings are not split but rather copied"), see("projections", d_model=16, num_heads=4),
    numpy("reads_all", d_model=16, num_heads=4),
)  # fmt: skip
def copied(run):
    return judged(
        f"A change to any of the {run['features']} features changes every head's Q. What is cut is the projected width, into "
        f"{run['head_size']} columns per head.",
        equal("says", "features that each head reads", [16] * 4, run["moved"]),
    )


@QUESTIONS.add("c101", "Several heads let the layer look at several places at once.",
    BLOG.line(46, "jointly attend to information from different representation subspaces at different positions"),
    see("attention"), numpy("words_looked_at", num_heads=4),
)  # fmt: skip
def several_places(run):
    names = ", ".join(f"{count} {name}" for name, count in run["names"].items())
    return judged(
        f"In a layer trained on one kind of sentence, from {run['apart']} of {run['rows']} verbs the heads do not all look most "
        f"at the same word. Its heads, by the answers they look at: {names}.",
        check("says", "verbs from which the heads look at different ones", "most", run["apart"], 2 * run["apart"] > run["rows"]),
        more("says", "kinds of heads that have a name", len([name for name in run["names"] if name != BLENDS]), 1),
    )


@QUESTIONS.add("c100", "Each head has its own matrices.",
    BLOG.line(44, "different weight matrices (heads) to calculate the respective Queries, Keys and Values"),
    see("projections", **HERE), numpy("one_product", **HERE),
)  # fmt: skip
def own_matrices(run):
    return judged(
        f"There are {run['heads']} heads, and no two compute the same Q: they differ by {run['between_heads']:.2g} or more.",
        differs("says", "smallest difference between two heads' Q", run["between_heads"], "not the same"),
    )


@QUESTIONS.add("c102", "A head computes full attention for the whole embedding, not for a part of it.",
    BLOG.line(48, "Each head is responsible to fully calculate the attention for the whole embedding"),
    see("projections", d_model=16, num_heads=4), numpy("reads_all", d_model=16, num_heads=4),
)  # fmt: skip
def whole_embedding(run):
    return judged(
        f"It reads all {run['read']} features, but compares them through W_Q W_Kᵀ, which has rank {max(run['ranks'])}: d_k "
        f"directions, not {run['features']}.",
        equal("says", "features that each head reads", [16] * 4, run["moved"]),
        equal("suggests", "rank of each head's W_Q W_Kᵀ", [16] * 4, run["ranks"]),
    )


@QUESTIONS.add("c7", "A head computes softmax(QKᵀ / √key_dim) V.",
    KEY_DIM.line(8, "computing the scaled dot-product attention between Q, K, and V"),
    see("attention", **free(8, 2, 3, 5, query_len=7)), keras("heads_apart"),
)  # fmt: skip
def scaled_dot_product(run):
    return judged(
        f"Written out in float64, it is the layer's output within {run['to_concat']:.0e}; without the division it is off by "
        f"{run['without_scale']:.2g}.",
        near("says", "largest difference between the outputs", run["to_concat"], 1e-5),
        differs("says", "the same without the division", run["without_scale"]),
    )


@QUESTIONS.add("c106", "The heads' results are put side by side and multiplied by W_O.",
    BLOG.line(50, "concatinating them and then multiplying them one last time with a weight matrix W_O"),
    see("concatenation", **free(8, 2, 3, 5, query_len=7)), keras("heads_apart"),
)  # fmt: skip
def concat_times_w_o(run):
    return judged(
        f"Concat · W_O + b is the layer's output within {run['to_concat']:.0e}; so is the sum of the heads' shares, within "
        f"{run['to_sum']:.0e}.",
        near("says", "difference from Concat · W_O + b", run["to_concat"], 1e-5),
        near("says", "difference from the sum over heads", run["to_sum"], 1e-5),
    )


@QUESTIONS.add("c79", "Dense layers before the layer let it compute more than it could alone.",
    NONE_6_8.line(76, "This provides more flexibility, allowing for different transformations of the input"),
    see("projections", **free(8, 2, 8, query_len=6)), keras("folding"),
    code="layer(dense_q(x), dense_v(x), dense_k(x)) - folded(x, x)",
)  # fmt: skip
def more_flexible(run):
    return judged(
        f"They can be folded into the kernels: {run['count']:,} parameters compute the same within {run['difference']:.0e}, for "
        f"values up to {run['scale']:.0f}.",
        differs("says", "difference from the layer alone, with Dense folded into its kernels", run["difference"]),
    )


@QUESTIONS.add("c62", "Multi-head means that the same process is repeated, once per head.",
    NONE_6_8.line(10, 'This process is repeated multiple times (hence "multi-head")'), see("attention", d_model=16, num_heads=8),
    numpy("side_by_side", heads=[1, 8], d_model=16),
)  # fmt: skip
def repeated(run):
    return judged(
        f"Not one after another: 8 heads take {run['einsums'][1]} einsum calls, one head takes {run['einsums'][0]}. And every "
        "head has its own weights.",
        equal("says", "maps with 8 heads", 8, run["maps"][1]),
        equal("suggests", "einsum calls with 8 heads", 8 * run["einsums"][0], run["einsums"][1]),
        near("suggests", "smallest difference between two heads' maps", run["between_heads"][1]),
    )


@QUESTIONS.add("c103", "Each head creates h attention matrices.",
    BLOG.line(48, "creates *h *attention matrices"), see("attention", **HERE), numpy("one_head", **HERE),
)  # fmt: skip
def matrices_of_a_head(run):
    return judged(
        f"Each head creates {run['maps_of_one']}; the layer's 4 heads together create {run['maps']}.",
        equal("says", "matrices of one head, where h is 4", 4, run["maps_of_one"]),
    )


@QUESTIONS.add("c105", "At the end, the h attention matrices are joined into one.",
    BLOG.line(50, "the multiple *h *attention matrices now need to be squished together"), see("concatenation", **HERE),
    numpy("one_head", **HERE),
)  # fmt: skip
def what_is_joined(run):
    return judged(
        f"It is the results Z that are joined, into {shape(run['concat'])}; the maps joined would be "
        f"{shape(run['concat_of_maps'])}, which does not fit W_O.",
        equal("says", "matrices that are joined", 4, run["maps"]),
        equal("suggests", "shape of what is joined", run["concat_of_maps"], run["concat"]),
    )


@QUESTIONS.add("c104", "Attention maps are like the feature maps of object detection.",
    BLOG.line(48, "those can be compared to feature maps in object detection"), see("attention"), numpy("nothing"),
    theme="Conventions",
)  # fmt: skip
def feature_maps(run):
    return judged("An analogy: it says what heads resemble, not what they compute.")
