"""Questions of the first day: what a head is, what is learned, what a cell of a map means, where positions come in. Also common
mistakes, such as heads taken for layers, for a model's output, or for parts of the batch."""

from experiments.records import Questions, free, layer, numpy, see

QUESTIONS = Questions("Heads")
CROSS = {"query_len": 5, "key_len": 7}

QUESTIONS.add("r95", "What is an attention head, and what do several heads do that one cannot?",
    "https://stackoverflow.com/a/66259806", see("trained_heads"),
    numpy("head_counts", task="sentence"),
    asked="what is a head, why several heads, benefit of multiple heads, different relations, one head looks mostly at the word "
    "itself, each head learns something else, blends, average over everything",
    numbers={"worst_of_1": "worst[0]", "worst_of_4": "worst[2]"},
    says="A head is a W_Q, a W_K and a W_V of its own, and has its own attention map. For each token it passes on a weighted "
    "mean of values. A single head has to blend all that is asked: here it answers its worst question right in {worst_of_1:%} of "
    "sentences. With 4 heads of a quarter of the width, each head finds another word (who, whom, where, when). The worst "
    "question is then right in {worst_of_4:%}. W_O mixes what the heads found. The number of parameters is the same.",
    rows={"heads": "{heads:each}", "right answers to the question answered worst, with {heads:each} heads": "{worst:each %}"},
)  # fmt: skip

QUESTIONS.add("r96 r160", "Are Q, K and V learned or computed, and what does the layer learn?",
    "https://stackoverflow.com/questions/77977525 https://community.deeplearning.ai/t/training-of-transformer/55531",
    see("keras_layer", part="variables", d_model=512, num_heads=8), numpy("layers", sizes=[layer(512, 8, 64)]),
    theme="Weights",
    asked="learned weights of nn.MultiheadAttention, only out_proj.weight, trainable parameters, which weights are trained, are "
    "the query, key and value matrices learned, fixed after training, why a different sentence has different attention weights, "
    "the same W_Q for every sentence, where do Q, K and V come from, is attention itself learned, what the output of attention "
    "is, is q a vector or a matrix, what does capital Q stand for",
    numbers={"arrays": "layers[0][arrays]", "count": "layers[0][count]", "qkv": "layers[0][qkv]", "w_o": "layers[0][w_o]"},
    says="Q, K and V are computed for each input: Q = X W_Q + b_Q has a row q for each token in each head. Only weights and "
    "biases are learned, {arrays} arrays: those of Q, K and V, in which each head has a slice, and those of W_O. They have "
    "{count} parameters at width 512. After training they are fixed; another sentence has other Q, K and attention weights. An "
    "attention weight says how much of a value a head takes; the head output is the weighted mean.",
    rows={"parameters of W_Q, W_K, W_V and biases": "{qkv}", "parameters of W_O and b_O": "{w_o}"},
)  # fmt: skip

QUESTIONS.add("r99", "What does a sliding window change: which tokens does each see, and what does it save?",
    "https://github.com/mistralai/mistral-inference/issues/40",
    see("attention", d_model=8, num_heads=2, query_len=6, mask="causal", sliding_window=3, numbers="seed"),
    numpy("windowed", length=4096, window=128, layers=32), numpy("windowed", length=6, window=3, layers=1), theme="Masks",
    asked="local attention, window size, band mask, only the neighbours, last 128 tokens, Mistral, sliding_window in a "
    "configuration, receptive field over layers, does the window include the token itself",
    numbers={"second_pairs": "pairs[1]", "first_pairs": "pairs[0]", "second_pairs_of_second": "1[pairs][1]",
             "first_pairs_of_second": "1[pairs][0]"},
    says="Under a causal mask with a window of w, a token sees itself and the w − 1 before it (or w, in some code). With 128 of "
    "4,096 tokens that is {second_pairs} pairs instead of {first_pairs}. A mask alone saves nothing: a fused kernel must leave "
    "the other blocks out. The cache needs the last w keys and values of such a layer only. A token hears of earlier ones "
    "through the layers below, w − 1 more in each: up to {reach} back after 32 layers.",
    rows={"6 tokens, window 3: pairs": "{second_pairs_of_second} of {first_pairs_of_second}"},
)  # fmt: skip

QUESTIONS.add("r90 r91", "What are the four axes of the attention weights, how large are they, and what does one cell say?",
    "https://github.com/uclanlp/visualbert/issues/16 https://github.com/pbloem/former/issues/17",
    see("attention", d_model=8, num_heads=2, numbers="seed", **CROSS),
    *(numpy("map_sums", d_model=width, num_heads=2, **CROSS) for width in (8, 64)), theme="Maps",
    asked="shape of attention weights, dimensions of attention_weights, (batch, heads, L, S), size of the attention matrix, n × "
    "n, rows and columns, which axis is query and which is key, shape of the scores, shape of QK^T, read an attention map, "
    "einsum qhd,khd->qhk, dimensions of the attention weight matrix",
    numbers={"weights_of_second": "1[weights]"},
    says="(batch, heads, queries, keys): here {weights}, a map (5, 7) for each head. Cell [b, h, i, j] is how much token j's "
    "value counts in the result of token i, in head h of sample b. A row is one query, and sums to 1; a column is one key. The "
    "features are summed over in QKᵀ, so a layer 64 wide instead of 8 has maps of {weights_of_second}, too. Weights times "
    "values, (keys, d_v), are results of (queries, d_v).",
    rows={"sums of head 1's rows": "{rows:few}", "sums of its columns": "{columns:few}"},
)  # fmt: skip

QUESTIONS.add(
    "r92 r93 r94", "Why does a rotary embedding (RoPE) turn queries and keys, not values, and often only part of each head?",
    "https://github.com/mistralai/mistral-inference/issues/147 https://github.com/lucidrains/rotary-embedding-torch/issues/4 "
    "https://github.com/ggml-org/llama.cpp/discussions/7887",
    see("attention", numbers="seed", rotary="halves", **free(8, 2, 4, query_len=6)),
    numpy("turned_later", d_model=16, num_heads=2, query_len=6, later=5), theme="Order",
    asked="partial rotary, rotary_dim, rotary_pct, partial_rotary_factor, dimension of the rotary embedding, why not values, "
    "why only q and k, position inside attention, relative positions by rotation, cached keys, shift of the cache, k_shift, "
    "where RoPE is applied, before or after the split into heads, adds no parameters, rotary dim 32 where the head dimension is "
    "64, why rotary leaves v alone, are keys stored before or after the rotation",
    says="Turned by their positions, a query and a key give a score that depends only on their distance. If all tokens move 5 "
    "places, scores differ by {whole:rounding}. Values are mixed: if they were turned, results would move by {values:.2f} when "
    "a text starts later. It is enough to turn half of each head's numbers ({half:rounding}). It happens in each head, after "
    "the projection, without parameters. Keys are cached after the turn: if a key moves without a turn, scores are off by "
    "{kept:.2f}.",
    rows={"scores, turned and not turned, differ by": "{plain:.2f}"},
)  # fmt: skip

QUESTIONS.add("r171", "Is a head a layer, or the head of a model? What are heads not?",
    "https://github.com/kpot/keras-transformer/issues/37", see("models", model="GPT-2-124M"),
    numpy("not_heads", model="GPT-2-124M"),
    asked="head is a different dimension than block, num_heads or depth, layers or heads, heads against layers, language model "
    "head, lm_head, classification head, output head, three meanings of head, Medusa heads, how many heads has a model, "
    "transformer_depth, stack of blocks",
    says="It is neither. Heads are side by side in one attention layer, all on the same input; layers (blocks) come one after "
    "the other. GPT-2 small has {layers} layers of {heads} heads, {maps} maps for a text. One layer more adds {layer} "
    "parameters; another number of heads does not change the count. A model's head (lm_head, a classifier) is its last layer: a "
    "matrix from {d_model} numbers to each of {words} words, {output} in all. GPT-2 uses its embedding matrix for it.",
    rows={"parameters with {heads} heads, and with 1": "{counts:each}"},
)  # fmt: skip

QUESTIONS.add("r172", "Code reshapes to (B·h, T, d), or divides the batch by the heads. Are heads mixed with samples there?",
    "https://github.com/IBM/PoWER-BERT/issues/11", see("concatenation", d_model=8, num_heads=2, query_len=6),
    numpy("folded_heads", d_model=8, num_heads=2, query_len=6, batch=3),
    asked="reshape (B·h, T, d), batch size divided by num_heads, batch_size * num_heads, bmm, fold heads into the batch, "
    "batch // num_heads, why is the batch multiplied by the number of heads, is multi-head attention implemented wrong",
    says="No. Samples never mix, and heads do not mix before W_O. So both can share one axis, and one batched product serves "
    "all. Here (3, 2, 6, 4) becomes {folded}, sample 1 with heads 1 and 2 first, and the results differ by {apart:rounding}. "
    "The way back divides by h. If the axes are joined in one order and split in another, results are off by {wrong:.2f} here, "
    "and no shape tells. A mask (B, T, S) needs each sample h times in its place.",
    rows={"shape of the maps": "{maps}"},
)  # fmt: skip

QUESTIONS.add("r173", "My model has far more parameters than it should. Is it the heads?",
    "https://github.com/keras-team/keras/issues/16302 "
    "https://stats.stackexchange.com/questions/435318/how-to-account-for-the-noof-parameters-in-the-multihead-self-attention-layer-of",
    see("models", model="BERT-base"), numpy("not_the_heads", model="BERT-base", words=30000), theme="Parameters of a model",
    asked="BERT built with Keras has too many parameters, number too large, untied output layer, masked language model example, "
    "count parameters of BERT by hand, per head, trainable parameters of ViT or BERT, 2,362,368, embeddings counted twice",
    says="Seldom, if heads · size is the width. A Keras BERT with 30,000 words has {total}: {embeddings} in its embedding, "
    "{layers} layers of {layer}, and {output} in an output layer of its own. BERT has no such layer: it uses the embedding "
    "again (tied). So count by parts. One layer's attention is 4 · (768 · 768 + 768) = {attention}, all 12 heads together. If "
    "that fits, look at embeddings, output layer and feed-forward layers; if it is h times as much, key_dim is the whole width.",
    rows={"shape of a head's slice of W_Q": "{piece}", "parameters of one attention layer, key_dim 768": "{wide}"},
)  # fmt: skip
