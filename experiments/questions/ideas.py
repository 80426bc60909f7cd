"""Questions about why the layer is as it is: three kernels, a softmax, a cache of keys and values, positions; and what maps
explain."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("Heads")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 6}

QUESTIONS.add("r76", "Why three matrices W_Q, W_K and W_V? Could keys and values, or queries and keys, not be the same?",
    "https://stats.stackexchange.com/questions/430812/why-k-and-v-are-not-the-same-in-transformer-attention/431923",
    see("keras_layer", part="arrays", array="w_v", d_model=512, num_heads=8),
    *(numpy("one_kernel", letters=letters, d_model=512, num_heads=8, query_len=6) for letters in ("kv", "qk")),
    theme="Arrays",
    asked="why keys and values differ, same matrix for K and V, why Q, K and V, three different weight matrices, matching and "
    "content, pairs of words, where the names come from, key vector or the word's own embedding, symmetry between Q and K, what "
    "a value vector means, why not average the input embeddings, why three projections and not two or four, compare a query with "
    "the raw embedding of the other word, real difference between queries and keys",
    says="Two decide where to look, one what is taken. The names are those of a search: a query says what a token looks for, a "
    "key what it is found by, a value what it then passes on. Without W_V every head would hand on the same raw embedding. With "
    "W_V = W_K tokens that are found alike would also say the same: {saved} parameters fewer of {count}, and the output is off "
    "by {apart:.2f}. With W_Q = W_K the scores would be symmetric, and a token would mostly look at itself. They are different "
    "because they are learned separately; each head has three of its own. Each token is projected once, and one product then "
    "scores all pairs.",
    rows={"W_Q = W_K: scores and their transpose differ by": "{1[scores]}", "as they are": "{1[plain]:.2f}"},
)  # fmt: skip

QUESTIONS.add(
    "r77 r78", "Why are keys and values cached and no queries, and do cached ones stay valid when a token is added?",
    "https://github.com/jingyaogong/minimind/issues/156 https://github.com/hkproj/pytorch-llama-notes/issues/1",
    see("attention", **TINY, numbers="seed", mask="causal"), numpy("with_a_cache", **TINY, mask="causal"),
    theme="Cache and memory",
    asked="why no query cache, earlier queries, only the last token is fed, cached keys stay valid in later layers, prefix, "
    "generation, decoding step, use_cache, past_key_values, cross-attention keys and values once, past_key_value, concatenated, "
    "shape of the attentions that generate returns, KV cache for BERT-like encoders",
    says="A query is used once, for its own token's output; keys and values are looked at by every later token. The last of "
    "{tokens} outputs from its query alone is off by {last:rounding}, with {scores_of_one} scores instead of {scores}. Under a "
    "causal mask a token sees only itself and earlier ones, so nothing before it changes, in any layer: outputs move by "
    "{causal[outputs]}, without the mask by {none[outputs]:.2f}. An encoder such as BERT has no such mask and reads the text "
    "once: nothing to cache. Keys and values of cross-attention are computed once. A mask of tokens needs a column for each kept "
    "key; maps are (h, T, T) for the prompt, then (h, 1, T + 1).",
    rows={"keys and values of this layer move by": "{causal[kept]}"},
)  # fmt: skip

QUESTIONS.add(
    "r88", "Why mask later tokens: in training, where all are known, and when generating, where they do not exist yet?",
    "https://ai.stackexchange.com/questions/42116/transformer-decoder-causal-masking-during-inference",
    see("attention", **TINY, numbers="seed", mask="causal"), numpy("with_a_cache", **TINY, mask="causal"), theme="Masks",
    asked="why mask in the decoder, training and inference, look-ahead mask at inference, teacher forcing, predict the next "
    "token, every prefix as an example, separate training examples, mismatch between training and generation, words not "
    "generated yet",
    says="In training the whole text goes in at once, and each place learns to predict the next token: without the mask it would "
    "read the answer. With it one pass gives what every beginning of the text would give by itself (outputs differ by "
    "{causal[outputs]}), so beginnings need not be fed one by one, and training and generating see the same. When generating, "
    "keep it for all tokens but the last, which sees all anyway: without it the outputs of earlier ones move with every new "
    "token, here by {none[outputs]:.2f}, which the model has not learned, and no cache would stay valid.",
    rows={"the last output from its query alone is off by": "{last:rounding}"},
)  # fmt: skip

QUESTIONS.add(
    "r89", "How is attention different from a fully connected layer, if both connect every token to every other?",
    "https://techqa.club/v/q/what-s-the-difference-between-self-attention-mechanism-and-full-connection-layer-64218678",
    see("heads", d_model=512, num_heads=8), numpy("beside_dense", d_model=512, num_heads=8, query_len=128),
    asked="dense layer, fully connected, MLP, wider vector instead of several heads, one attention vector wider, RNN, recurrent, "
    "train faster in parallel",
    says="A dense layer over all tokens at once (flattened) mixes them with weights learned for each place, the same for every "
    "input. In attention they are computed from the tokens: turn the input round, and the weights move by {moved:.2f}. So texts "
    "of other lengths fit: attention has {count} parameters at any length, a dense layer from 128 tokens 512 wide to as many "
    "{dense}. A wider head does not replace several: it has one row of weights for all its numbers, several heads have one each. "
    "Unlike a recurrent layer it needs no step for each token: all places are computed at once.",
)  # fmt: skip

QUESTIONS.add("r79", "What does multi-head latent attention (MLA) cache, if keys and values are made from a latent vector?",
    "https://github.com/deepseek-ai/DeepSeek-V3/issues/305", see("models", model="DeepSeek-V3", further="costs", context=4096),
    numpy("latent_cache", model="DeepSeek-V3"), theme="Cache and memory",
    asked="MLA, latent vector, compressed KV, DeepSeek cache, absorb, kv_lora_rank",
    says="The latent vector, {rank} numbers a token, and one key of {rope} for the positions that all heads share: {kept} "
    "numbers in each layer of DeepSeek-V3. Its {heads} heads, with keys of {d_k} and values of {d_v} of their own, would keep "
    "{own}, {times:.0f} times as many. Keys and values are made from it again at each step, or W_UK and W_UV are multiplied into "
    "W_Q and W_O, so that they never are.",
    rows={"bytes a token in {layers} layers, 2 a number": "{token}", "with keys and values of all heads": "{token_own}"},
)  # fmt: skip

QUESTIONS.add("r80", "Is the softmax necessary? Could sigmoid, ReLU or no function at all turn scores into weights?",
    "https://ai.stackexchange.com/questions/43048/is-softmax-necessary-as-the-activation-function-for-self-attention-mechanisms",
    see("attention", **TINY, numbers="seed"), numpy("other_weights", **TINY), theme="Maps",
    asked="sigmoid, ReLU, sparsemax, other activation, normalise scores, linear attention, kernel, without softmax, why softmax, "
    "negative attention weights, not this word, tokens of opposite meaning, negative similarity",
    says="Not necessary, but it makes weights that are above 0 and sum to 1: a result is a mean of values, no larger than they "
    "are. With sigmoid these rows sum to {rows[sigmoid]:few}, and grow with the number of tokens. Weights of a softmax are never "
    "below 0: what a head subtracts, it does by its values, and learned W_Q and W_K can give an opposite the highest score. Of "
    "the scores themselves {below:%} are below 0. Without a function (QKᵀ)V = Q(KᵀV), within {apart:rounding}: linear attention, "
    "which holds {product} numbers a head instead of a map of {map}, whatever the length, but tells apart d_k tokens at most. "
    "Sigmoid and ReLU have been trained with a scale of their own, sparse functions without.",
    rows={"softmax: rows": "{rows[softmax]:few}", "scores: rows": "{rows[scores]:few}"},
)  # fmt: skip

QUESTIONS.add("r82", "Why are q_proj and k_proj of Llama permuted for transformers, and v_proj not?",
    "https://github.com/InternLM/lmdeploy/issues/2639", see("attention", **TINY, numbers="seed", rotary="pairs"),
    numpy("rotary_layouts", d_model=16, num_heads=2, query_len=6), theme="Weights",
    asked="permute, rotate_half, interleaved, RoPE conversion, Llama weights to Hugging Face",
    says="Rotary embeddings turn numbers of a query and a key in pairs: Meta's code pairs neighbours (0 and 1), transformers "
    "pairs halves (0 and d_k / 2). Meta's weights read by transformers' code are off by {same:.2f}; with each head's columns "
    "(rows of q_proj.weight) in the order {order:each}, by {reordered:rounding}: a score is a sum, and its order does not count. "
    "Values are not turned. For the way back, from transformers to Meta, the order is {back:each}.",
)  # fmt: skip

QUESTIONS.add("r83", "QK-norm: should queries and keys be normalised in each head, or over all heads before they are split?",
    "https://github.com/aigc-apps/VideoX-Fun/issues/229",
    see("attention", d_model=16, num_heads=4, numbers="seed", qk_norm="rms"),
    numpy("norms_of_heads", d_model=16, num_heads=4, query_len=6),
    asked="QK norm, query key normalisation, what QK-norm does, normalization over head_dim or hidden dimension, RMSNorm of q "
    "and k, LayerNorm, is the division by root d_k still needed, cosine attention, are separate scales for queries and keys "
    "redundant, cosine similarity in place of the scaled dot product",
    says="Both are in use, and weights fit only the one that they were trained with. In each head (Qwen3, Gemma 3) heads stay "
    "apart: W_Q of head 1 ten times as large moves the weights of head 4 by {rms[moved]}, and heads can be shared out over "
    "devices. Over all heads (OLMo 2) it moves them by {rms_wide[moved]:.2f}. It adds 2 · d_k = {rms[added]} parameters in the "
    "first way, 2 · h · d_k = {rms_wide[added]} in the second. γ of Q and of K count as a product only, unless rotary embeddings "
    "come between. It comes before these, and keeps scores bounded. With RMSNorm or LayerNorm 1 / √d_k stays; cosine similarity "
    "(vectors made 1 long) stays within −1 and 1, too flat for a softmax, so a learned scale replaces it.",
)  # fmt: skip

QUESTIONS.add("r84", "How are GPT-3's 175 billion parameters shared out between attention heads and feed-forward layers?",
    "https://www.greaterwrong.com/posts/3duR8CrvcHywrnhLo/how-does-gpt-3-spend-its-175b-parameters",
    see("models", model="GPT-3-175B"), numpy("parts_of_model", model="GPT-3-175B"), theme="Parameters of a model",
    asked="GPT-3 parameters, 175B, share of attention and MLP, 12·d², where the parameters are, distribution",
    says="Attention has {attention_share:%}, the feed-forward layers {forward_share:%}: 4 · d_model² beside 8 · d_model² in each "
    "of {layers} layers, {parts[attention]} and {parts[feed-forward]} of {total}. {heads} heads of {d_k} fill the width of "
    "{d_model}; another number of heads would leave it all as it is.",
    rows={"attention of one layer": "{layer}", "embeddings": "{parts[embeddings]}", "norms": "{parts[norms]}"},
)  # fmt: skip

QUESTIONS.add("r85", "Why is dot-product attention faster than additive attention, though Q + K is less work than QKᵀ?",
    "https://ai.stackexchange.com/questions/11866/why-is-dot-product-attention-faster-than-additive-attention",
    see("models", model="this-layer", d_model=64, num_heads=1, context=1000, further="costs"),
    numpy("additive", d_k=64, length=1000), theme="Cost",
    asked="additive attention, Bahdanau, Luong, cosine or distance instead of a dot product, why a dot product",
    says="Because additive attention is a small network for each pair, v · tanh(W q + U k). Heads of 64 and 1,000 tokens have "
    "{pairs} pairs, so {tanh} tanh are taken, and as many numbers held. A dot product takes as many multiplications, but is one "
    "matrix product, which devices do fastest, and holds one number a pair. Both work about as well. A cosine would take the "
    "lengths away, which a dot product uses, too, and needs a learned scale (QK-norm).",
)  # fmt: skip

QUESTIONS.add(
    "r86", "Where are relative positions added (T5's bias, ALiBi): in the first layer or in all, and for each head?",
    "https://github.com/huggingface/transformers/issues/13397",
    see("attention", d_model=512, num_heads=8, numbers="seed", alibi="true"),
    numpy("position_biases", models=["T5-small", "T5-base"], heads=8), theme="Order",
    asked="relative attention bias, T5 position bias, ALiBi slopes, relative position embedding, buckets, first layer only, "
    "slopes of shape nheads, slopes for 40 heads",
    says="To the scores, in every layer, a number for each head and distance. T5 keeps one table in the first layer of encoder "
    "and decoder, a number for each head and each of 32 ranges of distances, and all layers use it: {tables[0][0]} parameters in "
    "T5-small, {tables[1][0]} in T5-base. ALiBi has none: head by head it takes the distance times {slopes:few} off, with 8 "
    "heads; a number that is no power of two, as 40, takes those of 32, and for the other 8 every second of those of 64, from "
    "the first on.",
    rows={"T5-small, T5-base: parameters, heads, layers": "{tables:each}"},
)  # fmt: skip

QUESTIONS.add("r87", "Are attention weights, averaged over heads, an explanation of which tokens decided?",
    "https://ai.stackexchange.com/questions/43417/how-can-i-interpret-attention-weights-matrix-are-they-reliable",
    see("attention"), numpy("weights_and_effects", network="sentence-4"), theme="Maps",
    asked="interpretability, CLS token, importance of tokens, which words, attend to [CLS] or [SEP], last layer",
    says="A hint, no proof. In the layer trained here the word with the largest mean weight is the one without which the output "
    "changes most in {share:%} of rows: a small value counts little even at a large weight, and heads differ. In a deep model "
    "each place already mixes many tokens, and heads with nothing to do park their weight on a first or special token (CLS, "
    "SEP). Take tokens or heads away and measure, or use gradients. A row is who looks, a column who is looked at.",
    rows={"rows": "{rows}", "the same word": "{same}"},
)  # fmt: skip

QUESTIONS.add(
    "r146 r147", "The first token ([CLS], BOS) gets nearly all attention. Is that a bug, and can a head attend to nothing?",
    "https://github.com/huggingface/transformers/issues/2975 https://github.com/kyegomez/AttentionIsOFFByOne/issues/1",
    see("attention", **TINY, numbers="seed", sinks="true"), numpy("attends_to_nothing", **TINY, lower=10.0), theme="Maps",
    asked="attention sink, softmax one, softmax1, softmax plus one, quiet attention, attention is off by one, sinks of gpt-oss, "
    "separator, [SEP], no-op head, all the weight on one token, StreamingLLM",
    says="No bug: a softmax row sums to 1, so a head with nothing to find puts its weight on a token that is always there, a "
    "sink, mostly one with a small value. A head can attend to nothing if the denominator has 1 more, e^x / (1 + Σ e^x): rows "
    "then sum to {rows:few}, and with scores 10 lower the first to {lower[0]:.4f}. That is one more key with score 0 and value "
    "0, as PyTorch's add_zero_attn has (weights differ by {zero_key:rounding}). gpt-oss learns that score, one a head. A trained "
    "model cannot be switched over: the output moves by {output:.2f} here.",
    rows={"weights with sinks of 0 differ by": "{sinks:rounding}"},
)  # fmt: skip

QUESTIONS.add("r148", "How do I pass ALiBi or another relative bias to PyTorch's scaled_dot_product_attention?",
    "https://github.com/pytorch/pytorch/issues/96099",
    see("attention", d_model=16, num_heads=4, query_len=6, numbers="seed", mask="causal", alibi="true"),
    numpy("bias_as_mask", d_model=16, num_heads=4, query_len=6), theme="Order",
    asked="additive bias, score_mod, FlexAttention, T5 bias in sdpa, without writing a kernel",
    says="As attn_mask: a mask of floats is added to the scores. ALiBi's has a number for each head and pair, {shape} here for "
    "any batch. Put −∞ above the diagonal as well, since is_causal=True does not go together with it: the weights are then those "
    "of a causal layer with ALiBi, off by {apart:rounding} (without it by {plain:.2f}). FlashAttention's kernel takes no such "
    "numbers, so another one runs; FlexAttention computes the bias as score_mod, with no table. nn.MultiheadAttention wants (N · "
    "heads, L, S).",
)  # fmt: skip

QUESTIONS.add("r150", "Attention rollout: may maps of several layers be multiplied, and why is an identity matrix added?",
    "https://github.com/jeonsworld/ViT-pytorch/issues/44", see("attention"),
    numpy("rolled_out", d_model=16, num_heads=4, query_len=6), theme="Maps",
    asked="combine attention maps of all layers, trace back to input tokens, multiply attention matrices, attention flow, "
    "residual connection in the attention map, visualize attention of a ViT, aggregate weights of layers and heads into "
    "attention per input token",
    says="They may, as an approximation: take the mean over heads, add the identity, halve it, and multiply over the layers. The "
    "identity stands for the residual, by which a token keeps itself: over two layers here a token's own share is {own:.2f} with "
    "it and {own_alone:.2f} without. Rows still sum to {row:.0f}; a column is what one input token got. But rollout knows no "
    "values, no W_O and no feed-forward layers: with other values in the second layer its output moves by {output:.2f}, and the "
    "rollout by {still:g}. To know what counts, use gradients, or take tokens away.",
)  # fmt: skip

QUESTIONS.add("r151", "How is attention like looking up a dictionary by key, and who tells which vector is the key?",
    "https://stats.stackexchange.com/questions/421935/what-exactly-are-keys-queries-and-values-in-attention-mechanisms",
    see("attention", **TINY, numbers="seed"), numpy("looked_up", **TINY, factors=[1, 10, 100]), theme="Arrays",
    asked="soft dictionary lookup, retrieval, database, where the comparison fails, what query, key and value stand for in plain "
    "words, labels for keys and values, how the network learns what a key is, hard attention, weighted average of the values, a "
    "mixture of all values and not one, hard attention, argmax, low temperature from the start, kernel regression, "
    "Nadaraya-Watson, bandwidth",
    says="A query is compared with all keys, and what comes back is the mean of all values, weighted by how well their keys "
    "match: a soft lookup, which blends. The sharper the scores, the nearer to a real one: the largest weight is "
    "{largest[0]:.2f} on average, {largest[1]:.2f} with scores ten times as large, {largest[2]:.3f} with a hundred times. A "
    "blend has a gradient for every key; picking one (a temperature near 0) has hardly any, and could not be trained. Statistics "
    "call it kernel regression (Nadaraya–Watson), with the kernel e^(q · k / √d_k). Nobody labels queries and keys: their "
    "kernels start at random, and the formula and the loss make them what they are.",
    rows={"results differ from the values of the best keys by": "{apart:few}"},
)  # fmt: skip
