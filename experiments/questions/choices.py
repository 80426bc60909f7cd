"""Questions about choosing sizes: key_dim, many narrow heads or few wide ones, and inputs of several widths."""

from experiments.records import Questions, layer, numpy, see

QUESTIONS = Questions("heads")

QUESTIONS.add(
    "r48", "d_k = d_model // h gives 64. Why cut 768 into 12 heads of 64? Is one head of 768 stronger, or cheaper?",
    "https://github.com/codertimo/BERT-pytorch/issues/60", see("heads", d_model=768, num_heads=12, query_len=128),
    numpy("layers", sizes=[layer(768, 12, 64, query_len=128), layer(768, 1, 768, query_len=128)]), numpy("published_choices"),
    asked="self.d_k, 64 dimensions, why 8 heads rather than 4, 12 or 16 heads, how many attention heads, flops, cost, number "
    "of heads in a Transformer, BERT large has 16 heads, tied to the number of layers, one big attention or several small "
    "heads, one big head as good as eight small ones, why bother with 8 heads of the same total width, how to work out how "
    "wide each of 12 heads is at width 768, adding more heads makes it slower or more expensive",
    numbers={"count_of_12": "layers[0][count]", "first_multiply_adds": "layers[0][multiply_adds]",
             "key_dim": "layers[0][key_dim]", "first_score_cells": "layers[0][score_cells]",
             "second_score_cells": "layers[1][score_cells]", "count_of_1": "layers[1][count]",
             "second_multiply_adds": "layers[1][multiply_adds]"},
    says="Both layers have {count_of_12} parameters and need {first_multiply_adds} multiply-adds for 128 tokens. But one "
    "head has only one map, of {second_score_cells} numbers; 12 heads have 12 maps, with {first_score_cells}. So one head "
    "takes less memory. One head blends everything that a query looks for; 12 heads can look for 12 things at once. A "
    "single head compares tokens by 768 numbers, but each of 12 heads by only {key_dim}. The size 64 is a habit: {d_k_64} "
    "of {models} models counted here have it.",
    rows={"1 head of 768: parameters": "{count_of_1}", "its multiply-adds": "{second_multiply_adds}"},
)  # fmt: skip

QUESTIONS.add("r63", "How many heads should I choose? Do more heads give better results, or is one enough?",
    "https://github.com/dmlc/dgl/issues/3515", see("trained_heads"), numpy("head_counts", task="sentence"),
    numpy("published_choices"),
    asked="choose, select or determine the number of heads, optimal, hyperparameter, more heads better or worse, performance, "
    "improve, single head, num_heads=1, help, increase the number of heads, effect, do you use several heads, experiment with "
    "heads, Headnum, rule of thumb, how many heads for a given hidden size",
    numbers={"worst_of_1": "worst[0]", "worst_of_4": "worst[2]", "worst_of_16": "worst[4]"},
    says="No rule gives the best number: try a few numbers of heads that divide d_model. Too few heads mean too few maps; if "
    "heads share the width, too many are too narrow. Networks of {parameters:each} parameters, with one layer of width 16, were "
    "trained here on four questions about a sentence. With 1 head, {worst_of_1:%} of the answers to the hardest question are "
    "right; with 4, {worst_of_4:%}; with 16, {worst_of_16:%}. A good start is d_model / 64: of {models} models counted here, "
    "{d_k_64} have heads of 64.",
    rows={"heads": "{heads:each}", "right answers to the hardest of four questions, with {heads:each} heads": "{worst:each %}"},
)  # fmt: skip

QUESTIONS.add("r174", "What does key_dim do? May I set it myself?",
    "https://github.com/CyberZHG/keras-multi-head/issues/5", see("trained_heads"), numpy("slider_stops", slider="key_dim"),
    topic="conventions",
    asked="meaning of key_dim, how to choose key_dim, key_dim=1, low rank bottleneck, rank of QK",
    numbers={"who_of_1": "who[0]", "whom_of_1": "whom[0]", "count_of_1": "counts[0]", "worst_of_2": "worst[1]",
             "count_of_2": "counts[1]", "count_of_16": "counts[7]"},
    says="key_dim is how many numbers a query or a key has in each head. You may set any size, and the output keeps its shape. "
    "With too few numbers, a head cannot tell tokens apart. Layers 16 wide with 4 heads were trained here on four questions "
    "about a sentence. With key_dim 1 ({count_of_1} parameters), {who_of_1:%} of the answers to “who” and {whom_of_1:%} of "
    "those to “whom” are right. With key_dim 2 ({count_of_2} parameters), {worst_of_2:%} of all answers are right. A key_dim "
    "of 16 ({count_of_16} parameters) cannot do better.",
    rows={"key_dim": "{values:each}", "parameters": "{counts:each}",
          "right answers to the hardest of four questions, with key_dim {values:each}": "{worst:each %}"},
)  # fmt: skip

QUESTIONS.add("r175", "How do I choose d_model? How wide must it be?",
    "https://github.com/OpenBMB/MiniCPM/issues/94", see("trained_heads", slider="d_model"),
    numpy("slider_stops", slider="d_model"), topic="conventions",
    asked="minimum width, d_model too small, does a wider model give better results, doubling d_model",
    numbers={"count_of_8": "counts[1]", "where_of_8": "where[1]", "worst_of_12": "worst[2]", "count_of_12": "counts[2]",
             "worst_of_64": "worst[7]", "count_of_64": "counts[7]"},
    says="d_model must be wide enough for everything a token's vector has to hold, so try several widths. Layers with 4 "
    "heads were trained here on four questions. At width 8 ({count_of_8} parameters), {where_of_8:%} of the answers to "
    "“where” are right. At width 12 ({count_of_12} parameters), {worst_of_12:%} of all answers are right. At width 64 "
    "({count_of_64} parameters), the worst question gets {worst_of_64:%}. So width 12 is enough here; a larger task may "
    "need more. If heads share the width, as here, twice the width means nearly four times the parameters.",
    rows={"d_model": "{values:each}", "parameters": "{counts:each}",
          "right answers to the hardest of four questions, with d_model {values:each}": "{worst:each %}"},
)  # fmt: skip

QUESTIONS.add("r64", "Which heads matter? How do I find out what one head does, and whether it can be removed?",
    "https://github.com/huggingface/transformers/issues/1815", see("trained_heads"),
    numpy("without_each_head", network="sentence-4"),
    asked="importance of heads, useful or redundant heads, best head, interpret, what each head learns, specialization, "
    "contribution of a head, which heads give the best scores, head_mask, mask heads, switch off a head, head importance, "
    "head_mask makes it no faster, drop heads before it gets worse, find useless heads without retraining, gates, gradient of "
    "a gate, are sixteen heads better than one, pruning, prune heads, does the bias of a head with zero weights still come "
    "through, delete heads, kinds of patterns that heads learn, previous word or grammar relations, induction heads, "
    "positional heads, syntactic heads, what does BERT look at, interpretability, CLS token, importance of tokens, which "
    "words, attend to [CLS] or [SEP], last layer",
    numbers={"first_whole": "whole[0]"} | {f"left_{i}": f"left[{i - 1}]" for i in range(1, 5)}
    | {f"asked_{i}": f"questions[{i - 1}]" for i in range(1, 5)},
    says="Switch off one head at a time, by setting its rows of W_O to 0, and measure what the model then gets wrong. A map "
    "alone does not show what a head does. In a layer trained here, each of 4 heads answers one question. Without the head for "
    "a question, right answers to it fall from {first_whole:%} to {left_1:%} ({asked_1}), {left_2:%} ({asked_2}), {left_3:%} "
    "({asked_3}) and {left_4:%} ({asked_4}). Remove a head if nothing gets worse without it, then measure again: if two heads "
    "do the same, each alone looks useless.",
    rows={"right answers to the question of head 1, 2, 3 or 4, without this head": "{left:each %}"},
)  # fmt: skip
