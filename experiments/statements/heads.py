"""Claims about heads: what each reads, its matrices, its computation, and the number of maps and outputs."""

from experiments.records import Questions, differs, equal, free, keras, more, near, numpy, see
from lessons.question import BLOG, KEY_DIM, NONE_6_8

QUESTIONS = Questions("Heads")
HERE = {"d_model": 16, "num_heads": 4, "query_len": 6}

QUESTIONS.add("c91", "X is multiplied h times, by h different matrices, to get Q.",
    BLOG.line(32, "is not just multiplied once with the weight matrices"), see("projections", cut="fused", **HERE),
    numpy("one_product", **HERE),
    numbers={"first_flat": "flat[0]", "second_flat": "flat[1]"},
    says="Mathematically, yes; but one product with a {first_flat} × {second_flat} matrix gives the same numbers, with a "
    "difference of {difference:g}, and that is what runs.",
    checks=lambda run: [
        differs("says", "smallest difference between two heads' Q", run["between_heads"], "not the same"),
        differs("suggests", "difference from a single product", run["difference"]),
    ],
)  # fmt: skip

QUESTIONS.add("c99", "Every head gets the whole embedding, not a part of it.",
    BLOG.line(44, "the input embeddings are not split but rather copied"), see("projections", d_model=16, num_heads=4),
    numpy("reads_all", d_model=16, num_heads=4),
    asked="does each head look at only a part of the embedding, head 1 sees features 0 to 63, is the embedding split",
    says="A change to any of the {features} features changes every head's Q. What is cut is the projected width, into "
    "{head_size} columns per head.",
    checks=lambda run: [equal("says", "features that each head reads", [16] * 4, run["moved"])],
)  # fmt: skip

QUESTIONS.add("c101", "Several heads let the layer look at several places at once.",
    BLOG.line(46, "jointly attend to information from different representation subspaces at different positions"),
    see("attention"), numpy("words_looked_at", num_heads=4),
    says="In a layer trained on one kind of sentence, from {apart} of {rows} verbs the heads do not all look most at the same "
    "word. Its heads, by the answers they look at: {names:each}.",
    checks=lambda run: [
        more("says", "verbs from which the heads look at different ones", run["apart"], run["rows"] / 2),
        more("says", "kinds of heads that have a name", run["named"], 1),
    ],
)  # fmt: skip

QUESTIONS.add("c100", "Each head has its own matrices.",
    BLOG.line(44, "different weight matrices (heads) to calculate the respective Queries, Keys and Values"),
    see("projections", **HERE), numpy("one_product", **HERE),
    says="There are {heads} heads, and no two compute the same Q: they differ by {between_heads:.2g} or more.",
    checks=lambda run: [differs("says", "smallest difference between two heads' Q", run["between_heads"], "not the same")],
)  # fmt: skip

QUESTIONS.add("c102", "A head computes full attention for the whole embedding, not for a part of it.",
    BLOG.line(48, "Each head is responsible to fully calculate the attention for the whole embedding"),
    see("projections", d_model=16, num_heads=4), numpy("reads_all", d_model=16, num_heads=4),
    numbers={"first_ranks": "ranks[0]"},
    says="It reads all {read} features, but compares them through W_Q W_Kᵀ, which has rank {first_ranks}: d_k directions, not "
    "{features}.",
    checks=lambda run: [
        equal("says", "features that each head reads", [16] * 4, run["moved"]),
        equal("suggests", "rank of each head's W_Q W_Kᵀ", [16] * 4, run["ranks"]),
    ],
)  # fmt: skip

QUESTIONS.add("c7", "A head computes softmax(QKᵀ / √key_dim) V.",
    KEY_DIM.line(8, "computing the scaled dot-product attention between Q, K, and V"),
    see("attention", **free(8, 2, 3, 5, query_len=7)), keras("heads_apart"),
    says="Written out in float64, it is the layer's output within {to_concat:.0e}; without the division it is off by "
    "{without_scale:.2g}.",
    checks=lambda run: [
        near("says", "largest difference between the outputs", run["to_concat"], 1e-5),
        differs("says", "the same without the division", run["without_scale"]),
    ],
)  # fmt: skip

QUESTIONS.add("c106", "The heads' results are put side by side and multiplied by W_O.",
    BLOG.line(50, "concatinating them and then multiplying them one last time with a weight matrix W_O"),
    see("concatenation", **free(8, 2, 3, 5, query_len=7)), keras("heads_apart"),
    asked="final linear layer after the concatenation",
    says="Concat · W_O + b is the layer's output within {to_concat:.0e}; so is the sum of the heads' shares, within "
    "{to_sum:.0e}.",
    checks=lambda run: [
        near("says", "difference from Concat · W_O + b", run["to_concat"], 1e-5),
        near("says", "difference from the sum over heads", run["to_sum"], 1e-5),
    ],
)  # fmt: skip

QUESTIONS.add("c79", "Dense layers before the layer let it compute more than it could alone.",
    NONE_6_8.line(76, "This provides more flexibility, allowing for different transformations of the input"),
    see("projections", **free(8, 2, 8, query_len=6)), keras("folding"),
    code="layer(dense_q(x), dense_v(x), dense_k(x)) - folded(x, x)",
    asked="two linear layers after each other, composed, no activation between them",
    says="Without an activation they can be folded into the weight matrices: {count} parameters compute the same within "
    "{difference:.0e}, for values up to {scale:.0f}.",
    checks=lambda run: [
        differs("says", "difference from the layer alone, with Dense folded into its kernels", run["difference"]),
    ],
)  # fmt: skip

QUESTIONS.add("c62", "Multi-head means that the same process is repeated, once per head.",
    NONE_6_8.line(10, 'This process is repeated multiple times (hence "multi-head")'), see("attention", d_model=16, num_heads=8),
    numpy("side_by_side", heads=[1, 8], d_model=16),
    asked="loop over heads, ModuleList of heads or one batched matmul, is the result the same, a loop over heads against one "
    "large Linear, list of heads",
    numbers={"second_einsums": "einsums[1]", "first_einsums": "einsums[0]"},
    says="They do not run one after another: 8 heads take {second_einsums} einsum calls, one head takes {first_einsums}. And "
    "every head has its own weights. A loop over heads gives the same numbers, only slower.",
    checks=lambda run: [
        equal("says", "maps with 8 heads", 8, run["maps"][1]),
        equal("suggests", "einsum calls with 8 heads", 8 * run["einsums"][0], run["einsums"][1]),
        near("suggests", "smallest difference between two heads' maps", run["between_heads"][1]),
    ],
)  # fmt: skip

QUESTIONS.add("c103", "Each head creates h attention matrices.",
    BLOG.line(48, "creates *h *attention matrices"), see("attention", **HERE), numpy("one_head", **HERE),
    says="Each head creates {maps_of_one}; the layer's 4 heads together create {maps}.",
    checks=lambda run: [equal("says", "matrices of one head, where h is 4", 4, run["maps_of_one"])],
)  # fmt: skip

QUESTIONS.add("c105", "At the end, the h attention matrices are joined into one.",
    BLOG.line(50, "the multiple *h *attention matrices now need to be squished together"), see("concatenation", **HERE),
    numpy("one_head", **HERE),
    numbers={"first_concat": "concat[0]", "second_concat": "concat[1]", "first_concat_of_maps": "concat_of_maps[0]",
             "second_concat_of_maps": "concat_of_maps[1]"},
    says="It is the results Z that are joined, into {first_concat} × {second_concat}; the maps joined would be "
    "{first_concat_of_maps} × {second_concat_of_maps}, which does not fit W_O.",
    checks=lambda run: [
        equal("says", "matrices that are joined", 4, run["maps"]),
        equal("suggests", "shape of what is joined", run["concat_of_maps"], run["concat"]),
    ],
)  # fmt: skip

QUESTIONS.add("c104", "Attention maps are like the feature maps of object detection.",
    BLOG.line(48, "those can be compared to feature maps in object detection"), see("attention"), theme="Conventions",
    says="An analogy: it says what heads resemble, not what they compute.",
)  # fmt: skip
