"""Questions of the first day: what a cell of the maps says, what W_O is for, and where positions come in."""

from lessons.claims.records import Questions, free, numpy, see

QUESTIONS = Questions("Heads")
CROSS = {"query_len": 5, "key_len": 7}

QUESTIONS.add("r90 r91", "What are the four axes of the attention weights, how large are they, and what does one cell say?",
    "https://github.com/uclanlp/visualbert/issues/16 https://github.com/pbloem/former/issues/17",
    see("attention", d_model=8, num_heads=2, numbers="seed", **CROSS),
    *(numpy("map_sums", d_model=width, num_heads=2, **CROSS) for width in (8, 64)), theme="Maps",
    asked="shape of attention weights, dimensions of attention_weights, (batch, heads, L, S), size of the attention matrix, n × "
    "n, rows and columns, which axis is query and which is key, shape of the scores, shape of QK^T, read an attention map",
    says="(batch, heads, queries, keys): here {weights}, a map (5, 7) for each head. Cell [b, h, i, j] is how much token j's "
    "value counts in the result of token i, in head h of sample b: a row is one query, and sums to 1; a column is one key. The "
    "size is that of the two lengths, n × n for each head where a sequence looks at itself: the features are summed over in QKᵀ, "
    "so a layer 64 wide instead of 8 has maps of {1[weights]}, too. Weights times values, (keys, d_v), are results of (queries, "
    "d_v).",
    rows={"sums of head 1's rows": "{rows:few}", "sums of its columns": "{columns:few}"},
)  # fmt: skip

QUESTIONS.add(
    "r92 r93 r94", "Why does a rotary embedding (RoPE) turn queries and keys, not values, and often only part of each head?",
    "https://github.com/mistralai/mistral-inference/issues/147 https://github.com/lucidrains/rotary-embedding-torch/issues/4 "
    "https://github.com/ggml-org/llama.cpp/discussions/7887",
    see("attention", numbers="seed", rotary="halves", **free(8, 2, 4, query_len=6)),
    numpy("turned_later", d_model=16, num_heads=2, query_len=6, later=5), theme="Order",
    asked="partial rotary, rotary_dim, rotary_pct, partial_rotary_factor, dimension of the rotary embedding, why not values, why "
    "only q and k, position inside attention, relative positions by rotation, cached keys, shift of the cache, k_shift, where "
    "RoPE is applied, before or after the split into heads, adds no parameters",
    says="Its position is to decide who looks at whom. Turned by their positions, a query and a key give a score that knows only "
    "how far apart they are: with all tokens 5 places later scores differ by {whole:rounding}. A value is what is passed on: "
    "turned as well, results would move by {values:.2f} when a text just starts later. Turn only the first half of each head's "
    "numbers, and the same holds ({half:rounding}); the other half compares content at any distance. Such a size counts "
    "features, not positions. It happens in each head, after the projection, and has no parameters. A cached key keeps its "
    "position: moved in the cache without turning it on, scores are off by {kept:.2f}; its value stays.",
    rows={"scores, turned and not turned, differ by": "{plain:.2f}"},
)  # fmt: skip
