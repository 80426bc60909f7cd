"""Questions about the reasons for the layer's design: three weight matrices, a softmax, a cache of keys and values, positions,
and what maps explain."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("Heads")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 6}

QUESTIONS.add("r76", "Why three matrices W_Q, W_K and W_V? Could keys and values, or queries and keys, not be the same?",
    "https://stats.stackexchange.com/questions/430812/why-k-and-v-are-not-the-same-in-transformer-attention/431923",
    see("projections", d_model=512, num_heads=8, numbers="seed"),
    *(numpy("one_kernel", letters=letters, d_model=512, num_heads=8, query_len=6) for letters in ("kv", "qk")),
    theme="Arrays",
    asked="why keys and values differ, same matrix for K and V, why Q, K and V, three different weight matrices, matching and "
    "content, pairs of words, where the names come from, key vector or the word's own embedding, symmetry between Q and K, what "
    "a value vector means, why not average the input embeddings, why three projections and not two or four, compare a query "
    "with the raw embedding of the other word, real difference between queries and keys, QQ^T instead of QK^T, no separate key "
    "matrix, share weights of query and key, linear transformation of key and query with the same weight, shared QK, same "
    "weight matrix for queries and keys, why does the diagonal of the map not dominate, each word most similar to itself, what "
    "query, key and value stand for in plain words, labels for keys and values, how the network learns what a key is",
    numbers={"scores": "1[scores]", "plain": "1[plain]"},
    says="Two of them decide where to look, the third what is taken. A query says what a token looks for, a key what it is "
    "found by, a value what it passes on. Without W_V every head would pass on the same raw embedding. With W_V = W_K tokens "
    "with the same key would have the same value: {saved} parameters fewer of {count}, and the output is off by {apart:.2f}. "
    "With W_Q = W_K the scores would be symmetric, and a token would mostly look at itself.",
    rows={"W_Q = W_K: scores and their transpose differ by": "{scores}", "the same, W_Q and W_K as they are": "{plain:.2f}"},
)  # fmt: skip

QUESTIONS.add(
    "r77 r78", "Why are keys and values cached and no queries, and do cached ones stay valid when a token is added?",
    "https://github.com/jingyaogong/minimind/issues/156 https://github.com/hkproj/pytorch-llama-notes/issues/1",
    see("attention", **TINY, numbers="seed", mask="causal"), numpy("with_a_cache", **TINY, mask="causal"),
    theme="Cache and memory",
    asked="why no query cache, earlier queries, only the last token is fed, cached keys stay valid in later layers, prefix, "
    "generation, decoding step, use_cache, past_key_values, cross-attention keys and values once, past_key_value, concatenated, "
    "shape of the attentions that generate returns, KV cache for BERT-like encoders",
    numbers={"causal_outputs": "causal[outputs]", "none_outputs": "none[outputs]", "kept": "causal[kept]"},
    says="A query is used once, for its own token's output; keys and values are looked at by every later token. The last of "
    "{tokens} outputs, computed from its query alone, is off by {last:rounding}, with {scores_of_one} scores instead of "
    "{scores}. Under a causal mask a token sees only itself and earlier ones, so a new token changes nothing before it, in any "
    "layer. Earlier outputs move by {causal_outputs}, but without the mask by {none_outputs:.2f}. An encoder such as BERT reads "
    "the text once: nothing to cache.",
    rows={"keys and values of this layer move by": "{kept}"},
)  # fmt: skip

QUESTIONS.add(
    "r89", "How is attention different from a fully connected layer, if both connect every token to every other?",
    "https://techqa.club/v/q/what-s-the-difference-between-self-attention-mechanism-and-full-connection-layer-64218678",
    see("heads", d_model=512, num_heads=8), numpy("beside_dense", d_model=512, num_heads=8, query_len=128),
    asked="dense layer, fully connected, MLP, wider vector instead of several heads, one attention vector wider, RNN, recurrent, "
    "train faster in parallel",
    says="A dense layer over all tokens at once (flattened) mixes them with weights learned for each place, the same for every "
    "input. In attention they are computed from the tokens: reverse the input, and the weights move by {moved:.2f}. So texts "
    "of other lengths fit: attention has {count} parameters at any length. A dense layer from 128 tokens, 512 wide, to 128 "
    "tokens has {dense}. Unlike a recurrent layer it needs no step for each token: all places are computed at once.",
)  # fmt: skip

QUESTIONS.add("r80", "Is the softmax necessary? Could sigmoid, ReLU or no function at all turn scores into weights?",
    "https://ai.stackexchange.com/questions/43048/is-softmax-necessary-as-the-activation-function-for-self-attention-mechanisms",
    see("attention", **TINY, numbers="seed"), numpy("other_weights", **TINY), theme="Maps",
    asked="sigmoid, ReLU, sparsemax, other activation, normalise scores, linear attention, kernel, without softmax, why softmax, "
    "negative attention weights, not this word, tokens of opposite meaning, negative similarity",
    numbers={"sigmoid": "rows[sigmoid]", "softmax": "rows[softmax]", "scores": "rows[scores]"},
    says="It is not necessary, but its weights are positive and sum to 1: a result is a mean of values. With sigmoid, rows sum "
    "to {sigmoid:few} here, more with more tokens. Negative values let a head subtract. ReLU sets {below:%} of the weights to "
    "0. With no function between QKᵀ and V, (QKᵀ)V is Q(KᵀV), within {apart:rounding}. That is linear attention: it holds "
    "{product} numbers a head instead of a map of {map}, but tells at most d_k tokens apart.",
    rows={"row sums with softmax": "{softmax:few}", "row sums of the scores": "{scores:few}"},
)  # fmt: skip

QUESTIONS.add("r83", "QK-norm: should queries and keys be normalised in each head, or over all heads before they are split?",
    "https://github.com/aigc-apps/VideoX-Fun/issues/229",
    see("attention", d_model=16, num_heads=4, numbers="seed", qk_norm="rms"),
    numpy("norms_of_heads", d_model=16, num_heads=4, query_len=6),
    asked="QK norm, query key normalisation, what QK-norm does, normalization over head_dim or hidden dimension, RMSNorm of q "
    "and k, LayerNorm, is the division by root d_k still needed, cosine attention, are separate scales for queries and keys "
    "redundant, cosine similarity in place of the scaled dot product",
    numbers={"rms_moved": "rms[moved]", "rms_wide_moved": "rms_wide[moved]", "rms_added": "rms[added]",
             "rms_wide_added": "rms_wide[added]"},
    says="Both are in use, and weights fit only the way in which they were trained. With a norm in each head (Qwen3, Gemma 3), "
    "W_Q of head 1 ten times as large moves the weights of head 4 by {rms_moved}. With one over all heads (OLMo 2) they move by "
    "{rms_wide_moved:.2f}. It adds 2 · d_k = {rms_added} parameters in the first way, 2 · h · d_k = {rms_wide_added} in the "
    "second. It comes before rotary embeddings and keeps scores bounded. With RMSNorm or LayerNorm 1 / √d_k stays.",
)  # fmt: skip

QUESTIONS.add(
    "r86", "Are relative positions (T5's bias, ALiBi) added in the first layer or in all, and for each head?",
    "https://github.com/huggingface/transformers/issues/13397",
    see("attention", d_model=512, num_heads=8, numbers="seed", alibi="true"),
    numpy("position_biases", models=["T5-small", "T5-base"], heads=8), theme="Order",
    asked="relative attention bias, T5 position bias, ALiBi slopes, relative position embedding, buckets, first layer only, "
    "slopes of shape nheads, slopes for 40 heads, additive bias, score_mod, FlexAttention, T5 bias in sdpa, without writing a "
    "kernel",
    numbers={"t5_small": "tables[0][0]", "t5_base": "tables[1][0]"},
    says="They are added to the scores in every layer: a number for each head and distance. T5 keeps one table in the first "
    "layer of encoder and decoder, for 32 ranges of distances: {t5_small} parameters in T5-small, {t5_base} in T5-base. ALiBi "
    "has no parameters: with 8 heads it subtracts the distance times {slopes:few}. In PyTorch, pass such numbers as a float "
    "attn_mask, which is added to the scores. For a causal mask put −∞ above its diagonal: is_causal=True cannot be given "
    "beside attn_mask.",
    rows={"T5-small, T5-base: parameters, heads, layers": "{tables:each}"},
)  # fmt: skip

QUESTIONS.add(
    "r146 r147", "The first token ([CLS], BOS) gets nearly all attention. Is that a bug, and can a head attend to nothing?",
    "https://github.com/huggingface/transformers/issues/2975 https://github.com/kyegomez/AttentionIsOFFByOne/issues/1",
    see("attention", **TINY, numbers="seed", sinks="true"), numpy("attends_to_nothing", **TINY, lower=10.0), theme="Maps",
    asked="attention sink, softmax one, softmax1, softmax plus one, quiet attention, attention is off by one, sinks of gpt-oss, "
    "separator, [SEP], no-op head, all the weight on one token, StreamingLLM",
    numbers={"first_lower": "lower[0]"},
    says="It is no bug. A row sums to 1, so a head that finds nothing looks at a token that is always there: a sink. A head can "
    "attend to nothing if 1 is added to the softmax's denominator. Rows then sum to {rows:few}, and the first row, with scores "
    "10 lower, to {first_lower:.4f}. It equals one more key with score 0 and value 0, PyTorch's add_zero_attn (weights differ "
    "by {zero_key:rounding}). In a trained model it moves outputs by {output:.2f}.",
    rows={"weights with sinks of 0 differ by": "{sinks:rounding}"},
)  # fmt: skip
