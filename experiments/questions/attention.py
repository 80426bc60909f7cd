"""Questions about heads and their maps: how heads are split, how a map is read, masked and scaled, and what W_O does."""

from experiments.records import Questions, free, keras, numpy, see

QUESTIONS = Questions("heads")
TINY = {"d_model": 8, "num_heads": 2}
WIDE = {"d_model": 512, "num_heads": 8, "query_len": 8}

QUESTIONS.add(
    "q17", "Keras wants a padding mask of shape (B, T, S), a tutorial builds (B, 1, 1, S). Which one, and where do the ones go?",
    "https://github.com/tensorflow/tensorflow/issues/49237",
    see("keras_layer", part="shapes", **free(8, 4, 4, query_len=3, key_len=5)), keras("padding"),
    topic="calls",
    asked="key_padding_mask, padding mask example, padded tokens, variable lengths, automatic mask of an embedding, padding "
    "mask and look-ahead mask, masking mechanism, extended_attention_mask, 4D mask, unsqueeze, dimensions of attn_mask, mask "
    "shape mismatch",
    says="Put ones (True) at real keys and zeros at padding, for every query. B counts samples, T queries, S keys. Masks "
    "of shape {equal:and} give the same result: Keras adds a missing axis of heads and repeats axes of length 1. Keras "
    "reads (B,S) as (T,S): right for one sample, silently wrong if B = T or T = 1, otherwise an error. Use `mask[:, None, "
    ":]`, which has the shape (B,1,S). After an Embedding with mask_zero=True, Keras masks padding by itself, as keys and "
    "queries.",
    rows={"3 real keys of 5: columns that are 0, counted from 0": "{zero_columns}", "rows sum to 1 within": "{row_sums}",
          "a call with (B,S)": "{two_axes}", "(B,S) where B = T: off by": "{misread}",
          "(B,S) where B = 1: off by": "{one_sample}",
          "(B,S) where T = 1 and B = 2: shape of the output": "{one_query}, not {output}",
          "embedding with mask_zero, 3 real and 2 padded tokens: row sums": "{embedding_rows:few}"},
)  # fmt: skip

QUESTIONS.add("q22", "The attention mask leaves a query no key, and my output is NaN. What would be right?",
    "https://github.com/pytorch/pytorch/issues/41508",
    see("attention", sliding_window=2, **free(8, 2, 4, query_len=4, key_len=2)), keras("with_scores"),
    topic="calls",
    asked="every key is masked and the output is NaN, fully masked rows, zero rows, all padding, -inf, NaN, mask handled "
    "incorrectly, 3D mask with key_padding_mask, loss is NaN, rows of padding, softmax of -inf only, NaN where a batch has "
    "padding, certain mask patterns produce NaN, empty sequence",
    says="Nothing: without a key, the softmax divides 0 by 0, so libraries differ. Keras returns one of two outputs. If "
    "you ask for the scores or the layer has dropout, all weights are 0, and the output is the bias b_O. Otherwise the "
    "weights are equal, and the output comes from the mean of all values. In a small layer, these outputs differ by up to "
    "{masked_row}. So leave every query a key, such as the first token. Setting NaN to 0 repairs the output, not the "
    "gradient.",
    rows={"Keras's outputs are finite": "{finite}", "scores asked for: row sum": "{row_sum}",
          "scores asked for: difference of the output from b_O": "{with_scores_to_bias}",
          "not asked for, dropout=0.1, not training: difference from b_O": "{dropout_to_bias}",
          "not asked for: difference from W_O of the mean value": "{without_scores_to_mean}",
          "an ordinary call, asked for or not: difference": "{ordinary}"},
)  # fmt: skip

QUESTIONS.add(
    "q23 r81", "The softmax runs over the last axis only. Shouldn't the columns, the whole map, or all heads sum to 1?",
    "https://github.com/lucidrains/vit-pytorch/issues/44 https://github.com/facebookresearch/detr/issues/247",
    see("attention", **TINY, query_len=4), numpy("map_sums", **TINY, query_len=4),
    asked="softmax over which dimension of attention, dim=-1, axis, softmax over heads, flattened heads, each head normalised "
    "separately, whole query-key matrix, softmax over the queries, doubly normalised",
    numbers={"joint_1": "joint[0]", "joint_2": "joint[1]"},
    says="Only each row sums to 1: it divides one query's attention among the keys. So a map with 4 rows sums to "
    "{total:.0f}. A column's sum is the attention that one key gets from all queries. Each head has its own softmax; one "
    "for all would make the heads compete. In a small layer, the first query would give {joint_1} of its attention to head "
    "1, {joint_2} to head 2. A softmax over the queries would let later queries change the rows of earlier ones, even with "
    "a causal mask.",
    rows={"sums of the rows": "{rows:few}", "sums of the columns": "{columns:few}",
          "one softmax over both heads: the output changes by": "{output:.2f}"},
)  # fmt: skip

QUESTIONS.add("q25", "PyTorch gives one map although there are several heads. Where are the others, and may I average them?",
    "https://github.com/pytorch/pytorch/issues/34537", see("attention", **TINY, query_len=6),
    numpy("mean_map", d_model=100, num_heads=4, query_len=196, batch=5), numpy("mean_map", **TINY, query_len=6, batch=1),
    asked="average_attn_weights=False, need_weights, order of heads in visualized weights, weights of each head, averaged, "
    "summarize all heads' scores, order, need_head_weights, return_attention, how to get the attention weights, visualize each "
    "head, which head's map is selected, combine the maps into one, missing parameter average_attn_weights, weights have no "
    "heads dimension, see every head separately, weights by hand from in_proj_weight do not match, do all heads contribute "
    "equally, are heads weighted",
    numbers={"difference": "1[difference]", "maps_of_second": "1[maps]", "mean_of_second": "1[mean]"},
    says="By default, nn.MultiheadAttention returns the mean of the heads' maps. With `average_attn_weights=False` it "
    "returns all maps, with the axes (samples, heads, queries, keys). Keras returns all maps if you ask for the scores. "
    "The layer does not weight the heads: what a head adds depends on its map, its values and its rows of W_O. You may "
    "look at the mean map, but the layer does not use it. If both heads of a small layer used their mean map, the output "
    "would change by up to {difference}.",
    rows={"shape of the maps, 100 wide, 4 heads, 196 tokens, 5 samples": "{maps}", "shape of their mean over heads": "{mean}",
          "shape of the maps, 2 heads, 6 tokens": "{maps_of_second}", "shape of their mean": "{mean_of_second}"},
)  # fmt: skip

QUESTIONS.add("q36", "Why view(B, T, h, d).transpose(1, 2), and not view(B, h, T, d) at once? The shape is the same.",
    "https://github.com/hyunwoongko/transformer/issues/15", see("concatenation", **free(6, 3, 2, query_len=4)),
    numpy("two_views", tokens=4, width=6, num_heads=3),
    asked="reshape, permute, wrong view, transpose before reshape, mixed tokens, view or permute, transpose(1, 2), misaligned, "
    "order of dimensions, split_heads, how multi-head attention is implemented, in code, multi-headed attention class, where "
    "the heads come from, from 768 to 12 heads of 64, does it implement 8 heads, shape of q, k and v: batch seq heads or batch "
    "heads seq, einops, rearrange pattern, b n (h d) -> b h n d, view(B, T, D, H)",
    says="Each token's row has the numbers of all h heads side by side, d for each. So view splits the last axis: (B, T, h·d) "
    "becomes (B, T, h, d). Then transpose puts the heads before the tokens, (B, h, T, d), and one batched product computes all "
    "heads. PyTorch's scaled_dot_product_attention wants this order, too. The direct view has the same shape, but treats "
    "consecutive parts of one token as different tokens. With 4 tokens and 3 heads of 2, only {agree} of {cells} numbers "
    "(1/{one_of}) are right.",
    rows={"X = 0, 1, 2, … as 4 × 6: head 0 by view and transpose": "{right!s}", "head 0 by the direct view": "{direct!s}"},
)  # fmt: skip

QUESTIONS.add("q40", "What is W_O for (out_proj, the last Linear), and is it needed once the heads are joined?",
    "https://github.com/karpathy/minGPT/issues/118",
    see("concatenation", **TINY, query_len=5, key_len=5, head_off=1, use_bias="false"), numpy("head_off", **TINY, use_bias=False),
    asked="W_O matrix of shape (d_model, d_model), code reshapes the heads back together, where is the concatenation, last "
    "linear layer, c_proj, missing projection, purpose, linear layer at the end of multi-head attention, where in the code the "
    "heads are concatenated, heads concatenated before the feed-forward layer, extra linear layer besides the three input "
    "projections, activation function such as ReLU after the heads, could the next linear layer absorb W_O, purpose of c_proj, "
    "where is the nonlinearity in attention, why are query, key and value only linear transforms, concatenation or summation, "
    "aggregate results of heads, sum, max or mean over heads, head outputs added up",
    says="The concatenation only puts the head outputs side by side. W_O mixes them and makes the result d_model wide. "
    "Without one of two heads, {concat} of {width} concatenated columns change, and after W_O all {output}. W_O has h · d_v "
    "rows and d_model columns. With bias, that is 768 · 768 + 768 = {gpt2} parameters in each layer of GPT-2 small. The product "
    "equals a sum of head outputs, each times its rows of W_O. In a Transformer, a residual connection follows, so the next "
    "layer cannot absorb W_O.",
    rows={"difference between Concat · W_O and the layer's output": "{difference}"},
)  # fmt: skip

QUESTIONS.add("q43", "All heads get the same input. What keeps them from learning the same weights?",
    "https://stats.stackexchange.com/questions/373850/what-stops-the-network-from-learning-the-same-weights-in-multi-head-attention-me",
    see("attention", **TINY, query_len=6), keras("twins", steps=50), keras("start", d_model=8, num_heads=2, key_dim=4),
    asked="heads are all the same, why heads learn different things, different attention in each head and layer, diversity, "
    "different subsets of the embedding, initialised differently, do heads compute the same projection several times, random "
    "initialization breaks the symmetry, what makes heads differ if they are trained in the same way, what stops the network "
    "from learning the same weights",
    numbers={"alike_after": "alike[after]", "moved": "alike[moved]", "before": "drawn[before]", "drawn_after": "drawn[after]",
             "apart": "1[apart]"},
    says="The random start. Each head has its own weight matrices, which begin with different random numbers, so the heads "
    "have different maps and get different gradients. Two heads that start with equal weights stay equal: after 50 "
    "gradient steps without dropout they differ by {alike_after}. In these steps, their weights changed by up to {moved}. "
    "Dropout would make them differ, because it drops different attention weights in each head. The usual loss does not "
    "ask for different heads, so trained heads can still be alike or useless.",
    rows={"random start: heads differ before training by": "{before}", "and after it by": "{drawn_after}",
          "Keras's own start, 2 heads of 4: difference between their W_Q": "{apart:.2f}"},
)  # fmt: skip

QUESTIONS.add("q44", "Why does QKᵀ have the variance d_k, and why is it divided by √d_k, not by d_k?",
    "https://ai.stackexchange.com/posts/comments/39617",
    see("attention", d_model=512, num_heads=1, query_len=8, key_len=8, divisor="none"),
    numpy("drawn_scores", sizes=[4, 16, 64, 256, 512], keys=8),
    asked="why divide, why necessary, optional, normalization of the scores, dim_head ** -0.5, without sqrt, rather than by "
    "log d or d itself, attention scaling, scale of another paper, query_pre_attn_scalar, attention_multiplier, no scale in "
    "T5, undivided, missing or forgotten, raw attention, initialization, d_kv, wrong scale or scalar, scaled by emb_size or "
    "embed_size, dim or dim_head, softmax temperature, scale argument, energy / sqrt(embed_size), a different scale",
    numbers={"fifth_plain": "largest[plain][4]", "fifth_root": "largest[root][4]", "variance_plain": "variance[plain]",
             "variance_root": "variance[root]", "full": "variance[full]"},
    says="Suppose queries and keys hold independent numbers with mean 0 and variance 1. A score is a sum of d_k products, "
    "each with variance 1, so its variance is d_k. Divided by √d_k, scores have the variance 1; divided by d_k, they would "
    "have 1 / d_k. Do not divide by √d_model: d_k is the width of a query in one head, d_model that of a token. Unscaled, "
    "the softmax is nearly one-hot at d_k = 512: the largest of 8 weights is {fifth_plain:.2f} on average, against "
    "{fifth_root:.2f} with scaling.",
    rows={"d_k": "{sizes:each}", "variance of QKᵀ": "{variance_plain:each .2f}",
          "variance of QKᵀ / √d_k for d_k = {sizes:each}": "{variance_root:each .2f}",
          "variance of QKᵀ / d_k": "{full:few}"},
)  # fmt: skip

QUESTIONS.add(
    "q48", "Self-attention is called with query = value = key = x. Isn't that pointless, and should I project x first?",
    "https://github.com/tensorflow/text/issues/1017", see("projections", **TINY, query_len=4, key_len=4, use_bias="false"),
    numpy("one_input", **TINY, query_len=4, use_bias=False),
    asked="plain self-attention by hand has different results, three different linear transformations, K, V and Q identical, "
    "Q, K, V as input and projected again, what to pass as query, key and value, embeddings or already multiplied, multiplied "
    "twice, projected twice, Q multiplied again by a matrix of each head, redundant, are scores multiplied with the projected "
    "value or the key, does each head project the inputs",
    says="Only the inputs are equal. The layer multiplies x by three different weight matrices, W_Q, W_K and W_V, so Q, K "
    "and V differ. For the same reason, the matrix of scores is not symmetric. Do not project x first, because the layer "
    "itself does so in each head. Cross-attention is the same layer with two inputs: one gives the queries, the other "
    "gives keys and values. With T queries and S keys, each map has the shape T × S, and the output has T rows.",
    rows={"Q and K differ by": "{q_to_k}", "Q and V differ by": "{q_to_v}",
          "the scores and their transpose differ by": "{asymmetry}"},
)  # fmt: skip
