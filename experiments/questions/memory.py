"""Questions about the memory of attention: parameters of published sizes, the key/value cache, and the maps."""

from experiments.records import Questions, layer, numpy, see

QUESTIONS = Questions("Cache and memory")

QUESTIONS.add(
    "r20 r21", "How large is the key/value cache of Llama 3.1 8B at 1k and 128k tokens in fp16, and why 1 MB a token for 13B?",
    "https://github.com/huggingface/blog/issues/2345 https://github.com/ray-project/llm-numbers/issues/25",
    see("models", model="Llama-3-8B", further="costs", context=131072),
    numpy("cache", model="Llama-3-8B", contexts=[1024, 131072]), numpy("cache", model="Llama-2-13B", contexts=[4096]),
    asked="kv cache formula, how to calculate the size, bytes, per layer, kv cache size calculation is wrong, estimate, "
    "inference memory requirements",
    numbers={"first_contexts": "contexts[0]", "second_contexts": "contexts[1]", "d_model": "1[d_model]",
             "layers_of_second": "1[layers]", "token_of_second": "1[token]", "contexts_of_second": "1[contexts][0]"},
    says="2 · {layers} layers · {kv_heads} key/value heads · {d_k} · 2 bytes = {token} bytes a token: {first_contexts:GiB} for "
    "1,024 tokens, {second_contexts:GiB} for 131,072. Its 32 query heads are not in the cache, and the head size is the "
    "configuration's head_dim where it has one, not hidden size / heads. A 13B Llama keeps a key and a value of {d_model} "
    "numbers in each of {layers_of_second} layers. That is {token_of_second} bytes, a little less than a megabyte a token, "
    "and {contexts_of_second} bytes for 4,096 tokens.",
    rows={"cache bytes, 1,024 and 131,072 tokens": "{contexts:each}"},
)  # fmt: skip

QUESTIONS.add(
    "r23 r24", "How large are the maps: 64 MB or 250 MB at t = 1000 and batch 16, and why is (16, 20000, 20000) out of memory?",
    "https://github.com/pbloem/former/issues/34 https://github.com/CyberZHG/keras-multi-head/issues/1",
    see("models", model="this-layer", d_model=64, num_heads=8, context=1000, sequences=16, further="costs"),
    numpy("map_bytes", d_model=64, heads=[1, 4, 8], length=1000, batch=16),
    *(numpy("map_bytes", d_model=1024, heads=[8], length=length, batch=2) for length in (20000, 10000)),
    asked="memory of the attention matrix, quadratic memory, long sequences, fit in memory, how big is the tensor of attention "
    "weights at 16k context",
    numbers={"first_bytes": "bytes[0]", "second_bytes": "bytes[1]", "third_bytes": "bytes[2]",
             "numbers_of_second": "1[numbers]", "bytes_of_second": "1[bytes]", "first_bytes_of_second": "1[bytes][0]",
             "bytes_of_third": "2[bytes]"},
    says="It depends on the heads, each of which has a map of its own. In float32 one layer's maps take {first_bytes} bytes "
    "with one head, {second_bytes} with 4, {third_bytes} with 8. More heads cost no parameters at a shared width, but they cost "
    "maps. 16 maps (2 samples times 8 heads) of 20,000 tokens are {numbers_of_second:each} numbers, {bytes_of_second:each} "
    "bytes ({first_bytes_of_second:GiB}). Training keeps several such copies: scores, weights and their gradients. 10,000 "
    "tokens take a quarter, {bytes_of_third:each} bytes.",
    rows={"t = 1000: numbers in the maps with 1, 4 and 8 heads": "{numbers:each}"},
)  # fmt: skip

QUESTIONS.add("r66", "FlashAttention, or need_weights=False, gives None for the weights. Why, and is the result exact?",
    "https://github.com/Dao-AILab/flash-attention/issues/159",
    see("models", model="this-layer", d_model=512, num_heads=8, context=4096, sequences=1, further="costs"),
    numpy("by_blocks", d_model=8, num_heads=2, query_len=8, block=2),
    numpy("map_bytes", d_model=512, heads=[8], length=4096, batch=1),
    asked="attention weights are None, output_attentions, memory-efficient attention, fused kernel, online softmax, "
    "approximate, linear memory, why faster, sdpa or eager, return the weights of scaled_dot_product_attention, memory in the "
    "backward pass, recomputation, checkpointing, tensors that dominate the memory, is FlashAttention an approximation, why "
    "O(n²) memory if one query needs O(n), queries in chunks, attentions=None, attn_implementation eager, sdpa, second output "
    "of nn.MultiheadAttention is None, weights out of scaled_dot_product_attention",
    says="FlashAttention never has the map as a whole: it goes over the keys in blocks, with a running maximum and sum for each "
    "query. PyTorch may use such a kernel with need_weights=False. With need_weights=True, or eager attention in transformers, "
    "the weights are there. The result is exact but for rounding ({apart:rounding}). In blocks of 2, {held} scores of a head are "
    "held at once instead of {whole}. Memory grows with the length, the work with its square. In training, scores are computed "
    "again and not kept.",
    rows={"bytes of the maps of 8 heads, 4,096 tokens, in float16": "{in_float16:each}"},
)  # fmt: skip

QUESTIONS.add("r67", "Attention is O(n²). From what length on is that most of the work, and does the number of heads change it?",
    "https://github.com/harvard-edge/cs249r_book/pull/1155",
    see("models", model="this-layer", d_model=512, num_heads=8, context=1024, further="costs"),
    numpy("layers", sizes=[layer(512, h, 512 // h, query_len=n) for h, n in ((8, 512), (8, 1024), (8, 4096), (1, 1024))]),
    asked="quadratic, n^2, time complexity, how it scales with sequence length, bottleneck, FLOPs formula of attention, 4·n²·d, "
    "number of heads lacks in the formula, 2·2·L·H·Q·T², projections left out in the paper's table, O(n²·d), sparse attention, "
    "does a mask make it faster",
    numbers={"second_maps": "layers[1][maps]", "projections": "layers[1][projections]", "maps_share": "layers[2][maps_share]",
             "first_maps": "layers[0][maps]", "third_maps": "layers[2][maps]", "fourth_maps": "layers[3][maps]",
             "multiply_adds": "layers[1][multiply_adds]"},
    says="In this layer, from 2 · d_model tokens on; with a feed-forward layer 4 · d_model wide, from 6 "
    "· d_model on. Scores and A · V take 2 · n² · d_model multiply-adds, the four projections 4 · n · d_model²: {second_maps} "
    "and {projections} at width 512 and 1,024 tokens. At 4,096 tokens the maps take {maps_share:%}. These are multiply-adds, "
    "not time. The number of heads does not matter: h heads are h times narrower. A mask saves no work, unless a fused kernel "
    "leaves blocks out.",
    rows={"multiply-adds of scores and A · V, 512 tokens": "{first_maps}", "the same, 4,096 tokens": "{third_maps}",
          "the same, 1,024 tokens, 1 head": "{fourth_maps}", "all multiply-adds, 1,024 tokens": "{multiply_adds}"},
)  # fmt: skip
