"""Questions of beginners: what a head is, what is learned, and why there are three matrices."""

from experiments.records import Questions, layer, numpy, see

QUESTIONS = Questions("heads")

QUESTIONS.add("r95", "What is an attention head, and what do several heads do that one cannot?",
    "https://stackoverflow.com/a/66259806", see("trained_heads"),
    numpy("head_counts", task="sentence"),
    asked="what is a head, why several heads, benefit of multiple heads, different relations, one head looks mostly at the "
    "word itself, each head learns something else, blends, average over everything",
    numbers={"worst_of_1": "worst[0]", "worst_of_4": "worst[2]"},
    says="A head has its own weight matrices W_Q, W_K and W_V, so it has its own attention map. A head's output for a token is "
    "a weighted mean of values. One head must blend everything a token looks for. Networks were trained here to answer who, "
    "whom, where and when about a sentence. With one head, {worst_of_1:%} of the answers to the hardest question are right. "
    "With 4 heads, each question has its own head, and {worst_of_4:%} are right. Both networks have the same number of "
    "parameters.",
    rows={"heads": "{heads:each}", "right answers to the hardest of four questions, with {heads:each} heads": "{worst:each %}"},
)  # fmt: skip

QUESTIONS.add("r96 r160", "Are Q, K and V learned or computed, and what does the layer learn?",
    "https://stackoverflow.com/questions/77977525 https://community.deeplearning.ai/t/training-of-transformer/55531",
    see("keras_layer", part="variables", d_model=512, num_heads=8), numpy("layers", sizes=[layer(512, 8, 64)]),
    topic="arrays",
    asked="learned weights of nn.MultiheadAttention, only out_proj.weight, trainable parameters, which weights are trained, "
    "are the query, key and value matrices learned, fixed after training, why a different sentence has different attention "
    "weights, the same W_Q for every sentence, where do Q, K and V come from, is attention itself learned, what the output of "
    "attention is, is q a vector or a matrix, what does capital Q stand for",
    numbers={"arrays": "layers[0][arrays]", "count": "layers[0][count]", "qkv": "layers[0][qkv]", "w_o": "layers[0][w_o]"},
    says="Q, K and V are computed for each input: in each head, Q = X W_Q + b_Q has a row q for each token. Only weight "
    "matrices and biases are learned: W_Q, W_K, W_V and W_O, each with a bias, {arrays} arrays in all. At width 512 they have "
    "{count} parameters. After training they are fixed. Another sentence gives other Q, K, V and attention weights. An "
    "attention weight says how much of one token's value a head takes; the head's output is the weighted mean of all values.",
    rows={"parameters of W_Q, W_K, W_V and biases": "{qkv}", "parameters of W_O and b_O": "{w_o}"},
)  # fmt: skip

QUESTIONS.add("r76", "Why three matrices W_Q, W_K and W_V? Could keys and values, or queries and keys, not be the same?",
    "https://stats.stackexchange.com/questions/430812/why-k-and-v-are-not-the-same-in-transformer-attention/431923",
    see("projections", d_model=512, num_heads=8, numbers="seed"),
    *(numpy("one_kernel", letters=letters, d_model=512, num_heads=8, query_len=6) for letters in ("kv", "qk")),
    topic="arrays",
    asked="why keys and values differ, same matrix for K and V, why Q, K and V, three different weight matrices, matching and "
    "content, pairs of words, where the names come from, key vector or the word's own embedding, symmetry between Q and K, "
    "what a value vector means, why not average the input embeddings, why three projections and not two or four, compare a "
    "query with the raw embedding of the other word, real difference between queries and keys, QQ^T instead of QK^T, no "
    "separate key matrix, share weights of query and key, linear transformation of key and query with the same weight, shared "
    "QK, same weight matrix for queries and keys, why does the diagonal of the map not dominate, each word most similar to "
    "itself, what query, key and value stand for in plain words, labels for keys and values, how the network learns what a key "
    "is, QK circuit, OV circuit, why value has an nn.Linear like key",
    numbers={"scores": "1[scores]", "plain": "1[plain]"},
    says="A query says what a token looks for, a key what it can be found by, a value what it passes on. With W_V = W_K, "
    "tokens with equal keys would have equal values. At width 512 this saves {saved} of {count} parameters, but changes "
    "the output of an untrained layer by up to {apart:.2f}. With W_Q = W_K and b_Q = b_K, self-attention's scores would be "
    "symmetric. With random weights, most tokens would attend mainly to themselves. Without W_V, all heads would pass on "
    "means of the same embeddings.",
    rows={"W_Q = W_K: scores and their transpose differ by": "{scores}", "the same, W_Q and W_K as they are": "{plain:.2f}"},
)  # fmt: skip
