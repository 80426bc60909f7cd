"""Questions about choosing sizes: key_dim, many narrow heads or few wide ones, and inputs of several widths."""

from lessons.claims.records import Questions, free, keras, layer, numpy, see

QUESTIONS = Questions("Heads")

QUESTIONS.add(
    "r46", "Keras's vision transformer has key_dim=projection_dim with 4 heads. Shouldn't it be projection_dim / num_heads?",
    "https://github.com/keras-team/keras-io/issues/1184", see("heads", **free(64, 4, 64)),
    keras("weights", d_model=64, num_heads=4, key_dim=64), keras("weights", d_model=64, num_heads=4, key_dim=16),
    keras("weights", d_model=64, num_heads=1, key_dim=64), theme="Head size",
    asked="wrong parameter key_dim in an example, image classification, vision transformer, more parameters than in the paper, "
    "BERT built with Keras",
    says="Both run, and they are two layers: with key_dim 64 each head is as wide as the model, {count} parameters; with 64 / 4 "
    "= 16 they share one width as in the paper, {1[count]}, as many as one head of 64 has ({2[count]}). The output is 64 wide "
    "either way.",
    rows={"query kernel, key_dim 64": "{variables[0][1]}", "query kernel, key_dim 16": "{1[variables][0][1]}"},
)  # fmt: skip

QUESTIONS.add(
    "r47",
    "ALBERT-xxlarge: 64 heads in the paper, 16 in the configuration, and the checkpoint loads with both. Which is correct?",
    "https://github.com/google-research/albert/issues/153", see("heads", d_model=4096, num_heads=64),
    numpy("conventions", d_model=4096, heads=[16, 64], key_dim=64), numpy("recut", d_model=64, heads=[4, 16], query_len=6),
    says="The one it was trained with; no shape tells. 16 heads of {paper_size[0]} and 64 of {paper_size[1]} have {paper:and} "
    "parameters at width 4,096, in the same matrices. The number only says where they are cut, and that changes the result: a "
    "layer 64 wide, cut into 16 instead of 4, is off by {apart:.2g}.",
    rows={"64 wide: parameters with 4 and with 16 heads": "{counts:each}"},
)  # fmt: skip

QUESTIONS.add(
    "r48", "d_k = d_model // h gives 64. Why cut 768 into 12 heads of 64? Is one head of 768 not stronger, or cheaper?",
    "https://github.com/codertimo/BERT-pytorch/issues/60", see("heads", d_model=768, num_heads=12, query_len=128),
    numpy("layers", sizes=[layer(768, 12, 64, query_len=128), layer(768, 1, 768, query_len=128)]), numpy("published_choices"),
    asked="self.d_k, 64 dimensions, why 8 heads rather than 4, 12 or 16 heads, how many attention heads, flops, cost, number of "
    "heads in a Transformer, BERT large has 16 heads, tied to the number of layers",
    says="Neither costs more: {layers[0][count]} parameters and {layers[0][multiply_adds]} multiply-adds for 128 tokens. 12 "
    "heads give 12 maps instead of one, {layers[0][score_cells]} numbers instead of {layers[1][score_cells]}; one head compares "
    "all 768 columns, but has a single map. 64 is a habit: {d_k_64} of {models} published models have it; so BERT-base, 768 "
    "wide, has 12 heads and BERT-large, 1,024 wide, 16, however many layers there are.",
    rows={"1 head of 768: parameters": "{layers[1][count]}", "multiply-adds": "{layers[1][multiply_adds]}"},
)  # fmt: skip

QUESTIONS.add("r49", "A paper speaks of a low-rank bottleneck: with more heads each gets smaller. What can a small head not do?",
    "https://github.com/tensorflow/mesh/issues/57", see("heads", d_model=64, num_heads=4),
    numpy("score_ranks", d_model=64, heads=[1, 4, 16, 64], query_len=64),
    numpy("conventions", d_model=64, heads=[1, 4, 16, 64], key_dim=16), theme="QK and OV",
    asked="dim_head set to 1, heads too small",
    says="Its scores, QKᵀ, have at most rank d_k: for 64 tokens {scores:and} with {heads:and} heads, so most tables of scores "
    "are out of its reach. The softmax brings the rank up again, but only to maps that come from such scores. A key_dim of its "
    "own, as in Keras, keeps heads wide, for more parameters.",
    rows={"d_k = 64 / h": "{sizes:each}", "rank of the weights": "{weights:each}",
          "parameters with d_k = 64 / h, any h": "{paper[0]}", "16 heads of 16, as in Keras": "{keras[2]}"},
)  # fmt: skip

QUESTIONS.add("r50", "nn.MultiheadAttention(24, 1, vdim=12): how are the weights shaped, and what stays packed?",
    "https://github.com/pytorch/pytorch/issues/27623",
    see("keras_layer", part="variables", key_width=24, value_width=12, **free(24, 1, 24)),
    numpy("separate_widths", d_model=24, num_heads=1, key_width=24, value_width=12), theme="Shapes",
    asked="kdim, vdim, different dimensions for query, key and value, different shapes, kdim and vdim of Q, K, V, does not "
    "accept different dimensions",
    says="Each kernel reads its own width. PyTorch then has three weights in place of in_proj_weight: q_proj_weight "
    "{torch[q_proj_weight]}, k_proj_weight {torch[k_proj_weight]} and v_proj_weight {torch[v_proj_weight]}, each (out, in); the "
    "biases stay packed, {in_proj_bias} numbers. Q, K, V and the output are 24 wide as before: {count} parameters instead of "
    "{square}.",
    rows={"out_proj.weight": "{torch[out_proj.weight]}", "value/kernel in Keras": "{variables[value/kernel]}"},
)  # fmt: skip

QUESTIONS.add("r63", "How many heads should I choose? Do more heads give better results, or is one enough?",
    "https://github.com/dmlc/dgl/issues/3515", see("trained_heads"), numpy("head_counts", task="sentence"),
    numpy("published_choices"),
    asked="choose, select or determine the number of heads, optimal, hyperparameter, more heads better or worse, performance, "
    "improve, single head, num_heads=1, help, increase the number of heads, effect, do you use several heads, experiment with "
    "heads, Headnum",
    says="There is no rule: try a few that divide the width. Too few heads blend what they look at into one map, too many are "
    "too narrow. In layers trained here, 16 wide with {parameters:each} parameters each, the question answered worst is right in "
    "{worst[0]:%} of sentences with 1 head, {worst[2]:%} with 4 and {worst[4]:%} with 16. Published models mostly take heads 64 "
    "to 128 wide ({d_k_64} of {models}: 64), so width / 64 is a start.",
    rows={"heads": "{heads:each}", "right answers to the worst question": "{worst:each %}"},
)  # fmt: skip

QUESTIONS.add("r64", "Which heads matter? How do I find out what one head does, and whether it can be removed?",
    "https://github.com/huggingface/transformers/issues/1815", see("trained_heads", heads=4),
    numpy("without_each_head", network="sentence-4"),
    asked="importance of heads, useful or redundant heads, best head, interpret, what each head learns, specialization, "
    "contribution of a head, which heads give the best scores, head_mask, mask heads, switch off a head, head importance, "
    "head_mask makes it no faster",
    says="Switch each off in turn (its results, or its rows of W_O, to 0) and measure again; its map alone does not tell. In a "
    "trained layer of 4 heads each has a question of its own ({questions:and}). Without it right answers fall from {whole[0]:%} "
    "to {left:each %}. A head without which nothing falls can be pruned. The argument head_mask of transformers switches heads "
    "off in this way (1 keeps a head, 0 drops its weights): it is no mask of tokens, and saves no work, for which heads have to "
    "be cut out.",
    rows={"right answers to their questions, without head 1, 2, 3 or 4": "{left:each %}"},
)  # fmt: skip
