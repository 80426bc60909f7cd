"""Questions about choosing sizes: key_dim, many narrow heads or few wide ones, and inputs of several widths."""

from experiments.records import Questions, free, keras, layer, numpy, see

QUESTIONS = Questions("heads")

QUESTIONS.add(
    "r46", "Keras's vision transformer has key_dim=projection_dim with 4 heads. Shouldn't it be projection_dim / num_heads?",
    "https://github.com/keras-team/keras-io/issues/1184", see("heads", **free(64, 4, 64)),
    keras("weights", d_model=64, num_heads=4, key_dim=64), keras("weights", d_model=64, num_heads=4, key_dim=16),
    keras("weights", d_model=64, num_heads=1, key_dim=64),
    numpy("conventions", d_model=512, heads=[8], key_dim=512),
    keras("weights", d_model=256, num_heads=4, key_dim=64), topic="conventions",
    asked="wrong parameter key_dim in an example, image classification, vision transformer, more parameters than in the paper, "
    "Transformer base in Keras and PyTorch, key_dim per head or embed_dim for all heads, set the original Transformer base",
    numbers={"count_of_16": "1[count]", "count_of_one_head": "2[count]", "count_now": "4[count]",
             "base_size": "3[paper_size][0]", "base_count": "3[paper][0]", "wide_count": "3[keras][0]",
             "query_kernel": "variables[0][1]", "query_kernel_of_16": "1[variables][0][1]"},
    says="Both run, but they are two layers. The example was 64 wide with 4 heads of 64, {count} parameters. With key_dim 64 / 4 "
    "= 16, as in the paper, it has {count_of_16}, as many as one head of 64 ({count_of_one_head}). The example has been "
    "corrected since: it is 256 wide with 4 heads of 64, the paper's layer, with {count_now} parameters. For the paper's base "
    "model, take num_heads=8, key_dim={base_size}: {base_count} parameters, not {wide_count}.",
    rows={"shape of the query kernel, key_dim 64": "{query_kernel}", "the same, key_dim 16": "{query_kernel_of_16}"},
)  # fmt: skip

QUESTIONS.add(
    "r48", "d_k = d_model // h gives 64. Why cut 768 into 12 heads of 64? Is one head of 768 not stronger, or cheaper?",
    "https://github.com/codertimo/BERT-pytorch/issues/60", see("heads", d_model=768, num_heads=12, query_len=128),
    numpy("layers", sizes=[layer(768, 12, 64, query_len=128), layer(768, 1, 768, query_len=128)]), numpy("published_choices"),
    asked="self.d_k, 64 dimensions, why 8 heads rather than 4, 12 or 16 heads, how many attention heads, flops, cost, number of "
    "heads in a Transformer, BERT large has 16 heads, tied to the number of layers, one big attention or several small heads, "
    "one big head as good as eight small ones, why bother with 8 heads of the same total width, how to work out how wide each of "
    "12 heads is at width 768, adding more heads makes it slower or more expensive",
    numbers={"count_of_12": "layers[0][count]", "first_multiply_adds": "layers[0][multiply_adds]",
             "key_dim": "layers[0][key_dim]", "first_score_cells": "layers[0][score_cells]",
             "second_score_cells": "layers[1][score_cells]", "count_of_1": "layers[1][count]",
             "second_multiply_adds": "layers[1][multiply_adds]"},
    says="No. One head has a single row of attention weights for each query, so it blends all that it looks for. 12 heads look "
    "at several places at once. Both layers have {count_of_12} parameters and {first_multiply_adds} multiply-adds for 128 "
    "tokens. A head is 768 / 12 = {key_dim} wide. 12 heads have 12 maps, {first_score_cells} numbers instead of "
    "{second_score_cells}, but one head compares all 768 columns. A width of 64 is a habit: {d_k_64} of {models} models "
    "with published weights have it.",
    rows={"1 head of 768: parameters": "{count_of_1}", "its multiply-adds": "{second_multiply_adds}"},
)  # fmt: skip

QUESTIONS.add("r63", "How many heads should I choose? Do more heads give better results, or is one enough?",
    "https://github.com/dmlc/dgl/issues/3515", see("trained_heads"), numpy("head_counts", task="sentence"),
    numpy("published_choices"),
    asked="choose, select or determine the number of heads, optimal, hyperparameter, more heads better or worse, performance, "
    "improve, single head, num_heads=1, help, increase the number of heads, effect, do you use several heads, experiment with "
    "heads, Headnum, rule of thumb, how many heads for a given hidden size",
    numbers={"worst_of_1": "worst[0]", "worst_of_4": "worst[2]", "worst_of_16": "worst[4]"},
    says="There is no rule: try a few numbers that divide the width. Too few heads blend what they look at into one map; too "
    "many heads are too narrow. Networks of {parameters:each} parameters, each with one attention layer 16 wide, were trained "
    "here. The question that each answers worst is right in {worst_of_1:%} of sentences with 1 head, {worst_of_4:%} with 4 and "
    "{worst_of_16:%} with 16. Most of {models} models with published weights have heads 64 to 128 wide ({d_k_64} have 64), so "
    "width / 64 is a start.",
    rows={"heads": "{heads:each}", "right answers to the hardest of four questions, with {heads:each} heads": "{worst:each %}"},
)  # fmt: skip

QUESTIONS.add("r174", "What does key_dim do? May I set it myself?",
    "https://github.com/CyberZHG/keras-multi-head/issues/5", see("trained_heads"), numpy("slider_stops", slider="key_dim"),
    topic="conventions",
    asked="meaning of key_dim, how to choose key_dim, key_dim=1, low rank bottleneck, rank of QK",
    numbers={"who_of_1": "who[0]", "whom_of_1": "whom[0]", "count_of_1": "counts[0]", "worst_of_2": "worst[1]",
             "count_of_2": "counts[1]", "count_of_16": "counts[7]"},
    says="key_dim is how many numbers each query and each key has in a head, and any size fits. With one number, a head can only "
    "rank all words along one line. Layers 16 wide with 4 heads of value_dim 4 were trained here. The layer with key_dim 1 "
    "({count_of_1} parameters) is right about “who” in {who_of_1:%} of sentences and about “whom” in {whom_of_1:%}. With key_dim "
    "2 ({count_of_2}) all questions are right in {worst_of_2:%}, and key_dim 16 ({count_of_16}) can do no better. The output "
    "keeps its shape.",
    rows={"key_dim": "{values:each}", "parameters": "{counts:each}",
          "right answers to the hardest of four questions, with key_dim {values:each}": "{worst:each %}"},
)  # fmt: skip

QUESTIONS.add("r175", "How do I choose d_model? How wide must it be?",
    "https://github.com/OpenBMB/MiniCPM/issues/94", see("trained_heads", slider="d_model"),
    numpy("slider_stops", slider="d_model"), topic="conventions",
    asked="minimum width, d_model too small, does a wider model give better results, doubling d_model",
    numbers={"count_of_8": "counts[1]", "where_of_8": "where[1]", "worst_of_12": "worst[2]", "count_of_12": "counts[2]",
             "worst_of_64": "worst[7]", "count_of_64": "counts[7]"},
    says="d_model must be wide enough for all that a position has to hold, so try several. Layers of 4 heads were trained here "
    "in the paper’s convention. At width 8 ({count_of_8} parameters) the question “where” is right in {where_of_8:%} of "
    "sentences; at width 12 ({count_of_12}) all four questions are right in {worst_of_12:%}. At width 64 ({count_of_64}) the "
    "worst question is right in {worst_of_64:%}. Doubling the width takes nearly four times the parameters; beyond 12 that "
    "brings nothing here. A larger task needs more width.",
    rows={"d_model": "{values:each}", "parameters": "{counts:each}",
          "right answers to the hardest of four questions, with d_model {values:each}": "{worst:each %}"},
)  # fmt: skip

QUESTIONS.add("r64", "Which heads matter? How do I find out what one head does, and whether it can be removed?",
    "https://github.com/huggingface/transformers/issues/1815", see("trained_heads"),
    numpy("without_each_head", network="sentence-4"),
    asked="importance of heads, useful or redundant heads, best head, interpret, what each head learns, specialization, "
    "contribution of a head, which heads give the best scores, head_mask, mask heads, switch off a head, head importance, "
    "head_mask makes it no faster, drop heads before it gets worse, find useless heads without retraining, gates, gradient of a "
    "gate, are sixteen heads better than one, does the bias of a head with zero weights still come through, delete heads, kinds "
    "of patterns that heads learn, previous word or grammar relations, induction heads, positional heads, syntactic heads, what "
    "does BERT look at, interpretability, CLS token, importance of tokens, which words, attend to [CLS] or [SEP], last layer",
    numbers={"first_whole": "whole[0]"},
    says="Switch each head off in turn: set its output, or its rows of W_O, to 0. Then measure again, because a map alone does "
    "not show what a head does. In a trained layer of 4 heads, each head answers one question ({questions:and}). Without that "
    "head, right answers to its question fall from {first_whole:%} to {left:each %}. A head can be pruned if nothing falls "
    "without it. Prune one head, then measure again: if two heads do the same, each alone looks idle.",
    rows={"right answers to the question of head 1, 2, 3 or 4, without this head": "{left:each %}"},
)  # fmt: skip
