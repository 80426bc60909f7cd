"""Questions about what attention takes: parameters of published sizes, the key/value cache, and the maps."""

from experiments.records import Questions, keras, layer, numpy, see

QUESTIONS = Questions("Cache and memory")

QUESTIONS.add(
    "r16", "BERT's attention layer has 2,362,368 parameters. I count 3 · (768 · 768 + 768) for each of 12 heads. What is wrong?",
    "https://stats.stackexchange.com/questions/435318/how-to-account-for-the-noof-parameters-in-the-multihead-self-attention-layer-of",
    see("heads", d_model=768, num_heads=12), keras("weights", d_model=768, num_heads=12, key_dim=64),
    numpy("layers", sizes=[layer(768, 12, 64)]), theme="Parameters of a model",
    asked="count parameters of BERT by hand, per head, trainable parameters of ViT or BERT",
    says="The heads share those matrices: {layers[0][qkv]} is all 12 heads together, with kernels of {variables[0][1]}, in which "
    "a head's piece is 768 × {layers[0][key_dim]}. And W_O is missing: 4 · (768 · 768 + 768) = {count}.",
    rows={"W_O and b_O": "{layers[0][w_o]}"},
)  # fmt: skip

QUESTIONS.add(
    "r17", "For Llama-2-70B I count 4 · 8192² attention parameters a layer, and 78 thousand million in all. Where am I wrong?",
    "https://github.com/meta-llama/llama/issues/1111", see("models", model="Llama-3-70B"),
    numpy("shared_keys", d_model=8192, num_heads=64, kv_heads=8, layers=80), theme="Parameters of a model",
    says="Its 64 heads share 8 heads of keys and values, so W_K and W_V have {columns} columns, not 8,192: {shared} parameters a "
    "layer instead of {full}. Over 80 layers that is {saved} fewer. The page shows Llama-3-70B: the same attention, other "
    "embeddings.",
    rows={"W_K and W_V": "{kernels}", "each": "{kernel}", "80 layers": "{in_all}"},
)  # fmt: skip

QUESTIONS.add("r18", "to_kv maps to 2 · dim_head, not to 2 · heads · dim_head. Do all heads share one key and value?",
    "https://github.com/lucidrains/imagen-pytorch/issues/255",
    see("keras_layer", part="groups", num_kv_heads=1, use_bias="false", d_model=512, num_heads=8),
    numpy("shared_keys", d_model=512, num_heads=8, kv_heads=1), theme="Parameters of a model",
    asked="only one head for key and value, head_dim of keys and values, one head_dim, dimensionality of key and values, one "
    "Linear to_kv, kv dimension dim_head instead of inner_dim",
    says="Yes, this is multi-query attention: 8 query heads, one head of keys and one of values, {columns} columns each. At "
    "width 512, W_K and W_V shrink from {full_kernels} to {kernels}, the layer from {full} to {shared}: 2 · d² · (1 − 1/h) = "
    "{saved} fewer.",
)  # fmt: skip

QUESTIONS.add(
    "r20 r21", "How large is the key/value cache of Llama 3.1 8B at 1k and 128k tokens in fp16, and why 1 MB a token for 13B?",
    "https://github.com/huggingface/blog/issues/2345 https://github.com/ray-project/llm-numbers/issues/25",
    see("models", model="Llama-3-8B", further="costs", context=131072),
    numpy("cache", model="Llama-3-8B", contexts=[1024, 131072]), numpy("cache", model="Llama-2-13B", contexts=[4096]),
    asked="kv cache formula, how to calculate the size, bytes, per layer",
    says="2 · {layers} layers · {kv_heads} key/value heads · {d_k} · 2 bytes = {token} bytes a token: {contexts[0]:GiB} for "
    "1,024 tokens, {contexts[1]:GiB} for 131,072. Its 32 query heads are not in it. A 13B Llama keeps a key and a value of "
    "{1[d_model]} numbers in each of {1[layers]} layers: {1[token]} bytes, a little less than a megabyte of GPU memory for each "
    "token, {1[contexts][0]} for 4,096.",
    rows={"1,024 and 131,072 tokens, bytes": "{contexts:each}"},
)  # fmt: skip

QUESTIONS.add("r22", "A calculator takes head size = hidden size / heads for the cache and is wrong for Qwen3. Why?",
    "https://github.com/LMCache/LMCache/issues/688", see("models", model="Qwen3-0.6B", further="costs", context=4096),
    numpy("cache", model="Qwen3-0.6B", contexts=[4096]),
    asked="kv cache size calculation is wrong, estimate",
    says="Its head size is a setting of its own: {d_k}, where {d_model} / {heads} would be {divided}. With {layers} layers and "
    "{kv_heads} key/value heads a token takes {token} bytes in Qwen3-0.6B, not {token_if_divided}.",
)  # fmt: skip

QUESTIONS.add(
    "r23 r24", "How large are the maps: 64 MB or 250 MB at t = 1000 and batch 16, and why is (16, 20000, 20000) out of memory?",
    "https://github.com/pbloem/former/issues/34 https://github.com/CyberZHG/keras-multi-head/issues/1",
    see("models", model="this-layer", d_model=64, num_heads=8, context=1000, sequences=16, further="costs"),
    numpy("map_bytes", d_model=64, heads=[1, 4, 8], length=1000, batch=16),
    *(numpy("map_bytes", d_model=1024, heads=[8], length=length, batch=2) for length in (20000, 10000)),
    asked="memory of the attention matrix, quadratic memory, long sequences, fit in memory, how big is the tensor of attention "
    "weights at 16k context",
    says="It depends on the heads, each of which has a map of its own: in float32 {bytes[0]} bytes of one layer's attention with "
    "one head, {bytes[1]} with 4, {bytes[2]} with 8. More heads cost no parameters at a shared width, but they cost maps. 16 "
    "maps (2 samples times 8 heads) of 20,000 tokens are {1[numbers]:each} numbers, {1[bytes]:each} bytes ({1[bytes][0]:GiB}), "
    "for each copy that training keeps: scores, weights and their gradients. 10,000 tokens take a quarter, {2[bytes]:each} "
    "bytes.",
    rows={"t = 1000: numbers with 1, 4 and 8 heads": "{numbers:each}"},
)  # fmt: skip

QUESTIONS.add("r25", "What are len_q, len_k and len_v, and which of them may differ?",
    "https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/109",
    see("attention", d_model=8, num_heads=2, query_len=5, key_len=7, numbers="seed"),
    keras("shapes", shape=[1, 5, 8], memory=[1, 7, 8], num_heads=2, key_dim=4), theme="Shapes",
    asked="other lengths of query and key, seq_len, inconsistent lengths, as many keys as values, length of a condition, "
    "sequence lengths in cross-attention, sequences longer than in training, longest input, pad one sentence to 512 tokens, "
    "shape of the attention weights, dimensions of QKᵀ, query length 10 and key length 20",
    says="How many tokens ask, and how many are looked at: len_k and len_v are always equal, since each key belongs to a value; "
    "len_q is free. Weights are (batch, heads, len_q, len_k), and each row sums to 1 over the keys: 5 queries and 7 keys give "
    "{tuple[1]}; the output, {output}, is as long as the queries. No variable knows a length: {count} parameters either way. "
    "What limits a model's length are its positions, a table of 512 in BERT; one sentence alone needs no padding.",
)  # fmt: skip

QUESTIONS.add("r66", "FlashAttention, or need_weights=False, gives None for the weights. Why, and is the result exact?",
    "https://github.com/Dao-AILab/flash-attention/issues/159",
    see("models", model="this-layer", d_model=512, num_heads=8, context=4096, sequences=1, further="costs"),
    numpy("by_blocks", d_model=8, num_heads=2, query_len=8, block=2),
    numpy("map_bytes", d_model=512, heads=[8], length=4096, batch=1),
    asked="attention weights are None, output_attentions, memory-efficient attention, fused kernel, online softmax, approximate, "
    "linear memory, why faster, sdpa or eager, return the weights of scaled_dot_product_attention, memory in the backward pass, "
    "recomputation, checkpointing, tensors that dominate the memory, is FlashAttention an approximation, why O(n²) memory if one "
    "query needs O(n), queries in chunks",
    says="FlashAttention never has the map as a whole: it goes over the keys in blocks, with a running maximum and sum for each "
    "query. need_weights=False lets PyTorch use such a kernel. The result is exact but for rounding ({apart:rounding}); in "
    "blocks of 2, {held} scores of a head are held at once instead of {whole}. All queries at once need n × n scores a head, one "
    "query n; in blocks memory grows with the length, while the work grows with its square. In training, scores and weights are "
    "computed again and not kept for the backward pass, where they would be the largest tensors. With need_weights=True the "
    "layer computes them the long way.",
    rows={"bytes of the maps of 8 heads, 4,096 tokens, in float16": "{in_float16:each}"},
)  # fmt: skip

QUESTIONS.add("r67", "Attention is O(n²). From what length on is that most of the work, and does the number of heads change it?",
    "https://github.com/harvard-edge/cs249r_book/pull/1155",
    see("models", model="this-layer", d_model=512, num_heads=8, context=1024, further="costs"),
    numpy("layers", sizes=[layer(512, h, 512 // h, query_len=n) for h, n in ((8, 512), (8, 1024), (8, 4096), (1, 1024))]),
    asked="quadratic, n^2, time complexity, how it scales with sequence length, bottleneck, FLOPs formula of attention, 4·n²·d, "
    "number of heads lacks in the formula, 2·2·L·H·Q·T², projections left out in the paper's table, O(n²·d), sparse attention, "
    "does a mask make it faster",
    says="Of this layer, from 2 · d_model tokens on; with a feed-forward layer 4 · d_model wide, from 6 · d_model on. Scores and "
    "A · V take 2 · n² · d_model multiply-adds (each 2 FLOPs), the four projections 4 · n · d_model²: {layers[1][maps]} and "
    "{layers[1][projections]} at width 512 and 1,024 tokens. At 4,096 tokens the maps take {layers[2][maps_share]:%}. The number "
    "of heads is not in it: h heads are h times narrower. The paper's O(n² · d) leaves the projections out: with them it is O(n² "
    "· d + n · d²). A mask saves nothing of it, unless a kernel leaves masked blocks out.",
    rows={"512 tokens: scores and A · V": "{layers[0][maps]}", "4,096 tokens": "{layers[2][maps]}",
          "1,024 tokens, 1 head": "{layers[3][maps]}", "1,024 tokens: all": "{layers[1][multiply_adds]}"},
)  # fmt: skip

QUESTIONS.add("r120", "output_attentions gives None, or sdpa only the output: how do I get the attention weights?",
    "https://github.com/huggingface/transformers/issues/30978",
    see("heads", d_model=512, num_heads=8), numpy("by_formula", d_model=512, num_heads=8, query_len=6), theme="Maps",
    asked="attentions=None, attn_implementation eager, sdpa, second output of nn.MultiheadAttention is None, weights out of "
    "scaled_dot_product_attention",
    says="By asking where it is computed: in transformers load the model with attn_implementation=\"eager\" and set "
    "output_attentions=True. outputs.attentions then has one (B, h, T, T) for each layer; sdpa and flash_attention_2 never have "
    "the map. nn.MultiheadAttention gives it with need_weights=True (TransformerEncoderLayer itself asks without), and for each "
    "head with average_attn_weights=False. scaled_dot_product_attention returns the output alone: compute softmax(QKᵀ · scale + "
    "mask) yourself. Times V and W_O it gives the layer's output (off by {apart:rounding}).",
    rows={"maps of 6 tokens": "{maps}", "parameters of that layer": "{count}"},
)  # fmt: skip

QUESTIONS.add("r122", "Can the key/value cache be kept in int8 or 4 bits, and how much is lost?",
    "https://github.com/huggingface/blog/pull/2045", see("models", model="Llama-3-8B", further="costs", context=131072),
    numpy("cache", model="Llama-3-8B", contexts=[1024, 131072]),
    numpy("rounded_cache", d_model=512, num_heads=8, query_len=64, bits=[8, 4]),
    asked="KV cache quantization, quantized cache, 8 bits, int4, fp8, quality lost",
    says="Yes, bytes a number are a choice: Llama-3-8B's {token} bytes a token in fp16 are {int8} in int8 and {int4} in 4 bits, "
    "and a few more for scales. Keys and values are turned back before the products. What is lost depends on who shares a scale: "
    "keys have columns with outliers, so KIVI gives each column of K a scale, and each token of V. In a layer of random numbers, "
    "8 bits move the output by up to {shares[0]:%} of its largest number, 4 bits by {shares[1]:%}. Of trained models most "
    "reports find hardly any loss with 8 bits; with 4 they differ.",
)  # fmt: skip
