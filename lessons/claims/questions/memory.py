"""Questions about what attention takes: parameters of published sizes, the key/value cache, and the maps."""

from lessons.claims.records import Questions, answer, keras, layer, numpy, percent, rounding, see

QUESTIONS = Questions("Cache and memory")
GIB = 1 << 30


@QUESTIONS.add(
    "r16", "BERT's attention layer has 2,362,368 parameters. I count 3 · (768 · 768 + 768) for each of 12 heads. What is wrong?",
    "https://stats.stackexchange.com/questions/435318/how-to-account-for-the-noof-parameters-in-the-multihead-self-attention-layer-of",
    see("heads", d_model=768, num_heads=12), keras("weights", d_model=768, num_heads=12, key_dim=64),
    theme="Parameters of a model",
)  # fmt: skip
def bert_layer(run):
    sizes = {path: tuple(shape) for path, shape in run["variables"]}
    three = 3 * (768 * 768 + 768)
    return answer(
        f"The heads share those matrices: {three:,} is all 12 heads together, a head's piece is {sizes['query/kernel'][0]} × "
        f"{sizes['query/kernel'][2]}. And W_O is missing: 4 · (768 · 768 + 768) = {run['count']:,}.",
        {"Q, K and V of all heads": three, "W_O and b_O": run["count"] - three, "together": run["count"],
         "kernel of Q": sizes["query/kernel"]},
    )  # fmt: skip


@QUESTIONS.add(
    "r17", "For Llama-2-70B I count 4 · 8192² attention parameters a layer, and 78 thousand million in all. Where am I wrong?",
    "https://github.com/meta-llama/llama/issues/1111", see("models", model="Llama-3-70B"),
    numpy("shared_keys", d_model=8192, num_heads=64, kv_heads=8), theme="Parameters of a model",
)  # fmt: skip
def llama_70b(run):
    return answer(
        f"Its 64 heads share 8 heads of keys and values, so W_K and W_V have {run['columns']:,} columns, not 8,192: "
        f"{run['shared']:,} parameters a layer instead of {run['full']:,}. Over 80 layers that is "
        f"{80 * (run['full'] - run['shared']):,} fewer. The page shows Llama-3-70B: the same attention, other embeddings.",
        {"4 · 8192²": run["full"], "with 8 key/value heads": run["shared"], "W_K": run["kernel"],
         "80 layers": 80 * run["shared"]},
    )  # fmt: skip


@QUESTIONS.add("r18", "to_kv maps to 2 · dim_head, not to 2 · heads · dim_head. Do all heads share one key and value?",
    "https://github.com/lucidrains/imagen-pytorch/issues/255",
    see("keras_layer", part="groups", num_kv_heads=1, use_bias="false", d_model=512, num_heads=8),
    numpy("shared_keys", d_model=512, num_heads=8, kv_heads=1), theme="Parameters of a model",
)  # fmt: skip
def one_key_head(run):
    return answer(
        f"Yes, this is multi-query attention: 8 query heads, one head of keys and one of values, {run['columns']} columns each. "
        f"At width 512, W_K and W_V shrink from {2 * run['full_kernel']:,} to {2 * run['kernel']:,}, the layer from "
        f"{run['full']:,} to {run['shared']:,}.",
        {"W_K and W_V of 8 heads": 2 * run["full_kernel"], "of one": 2 * run["kernel"], "layer with 8": run["full"],
         "layer with one": run["shared"]},
    )  # fmt: skip


@QUESTIONS.add("r19", "After head pruning, BERT's key weight is (512, 768) instead of (768, 768). Is that intended?",
    "https://github.com/microsoft/fastformers/issues/12",
    see("heads", split="free", d_model=768, num_heads=8, key_dim=64, value_dim=64),
    numpy("columns_of_heads", d_model=768, num_heads=12, remaining=8), theme="Parameters of a model",
)  # fmt: skip
def pruned(run):
    one = (run["count"] - run["fewer"]) // 4
    return answer(
        f"Yes: 8 of 12 heads of 64 are left, {run['columns']} columns (rows in PyTorch). Each head takes {one:,} parameters "
        f"with it: its pieces of W_Q, W_K, W_V and W_O, and its biases; {run['fewer']:,} of {run['count']:,} are left.",
        {"columns": run["columns"], "one head": one, "12 heads": run["count"], "8 heads": run["fewer"]},
    )


@QUESTIONS.add("r20", "Llama 3.1 8B: how large is the key/value cache at 1k and at 128k tokens in fp16?",
    "https://github.com/huggingface/blog/issues/2345", see("models", model="Llama-3-8B", further="costs", context=131072),
    numpy("cache", model="Llama-3-8B", contexts=[1024, 131072]),
)  # fmt: skip
def llama_cache(run):
    one, many = run["contexts"]
    return answer(
        f"2 · {run['layers']} layers · {run['kv_heads']} key/value heads · {run['d_k']} · 2 bytes = {run['token']:,} bytes a "
        f"token: {one / GIB:g} GiB for 1,024 tokens, {many / GIB:g} GiB for 131,072. Its 32 query heads are not in it.",
        {"one token, bytes": run["token"], "1,024 tokens, bytes": one, "131,072 tokens, bytes": many},
    )


@QUESTIONS.add("r21", "Where does the rule of 1 MB of GPU memory for each token of a 13B model come from?",
    "https://github.com/ray-project/llm-numbers/issues/25", see("models", model="Llama-2-13B", further="costs", context=4096),
    numpy("cache", model="Llama-2-13B", contexts=[4096]),
)  # fmt: skip
def a_megabyte_a_token(run):
    (full,) = run["contexts"]
    return answer(
        f"From the cache: a key and a value of {run['d_model']:,} numbers in each of {run['layers']} layers, 2 bytes each, are "
        f"{run['token']:,} bytes, a little less than a megabyte. A context of 4,096 takes {full:,}.",
        {"one token, bytes": run["token"], "4,096 tokens, bytes": full, "layers": run["layers"]},
    )


@QUESTIONS.add("r22", "A calculator takes head size = hidden size / heads for the cache and is wrong for Qwen3. Why?",
    "https://github.com/LMCache/LMCache/issues/688", see("models", model="Qwen3-0.6B", further="costs", context=4096),
    numpy("cache", model="Qwen3-0.6B", contexts=[4096]),
)  # fmt: skip
def head_size_of_its_own(run):
    return answer(
        f"Its head size is a setting of its own: {run['d_k']}, where {run['d_model']:,} / {run['heads']} would be "
        f"{run['divided']}. So a token takes {run['token']:,} bytes in Qwen3-0.6B, not {run['token_if_divided']:,}.",
        {"one token, bytes": run["token"], "with hidden / heads": run["token_if_divided"], "head size": run["d_k"],
         "layers": run["layers"], "key/value heads": run["kv_heads"]},
    )  # fmt: skip


@QUESTIONS.add("r23", "t = 1000, a batch of 16: is one layer's attention 64 MB or 250 MB in float32?",
    "https://github.com/pbloem/former/issues/34",
    see("models", model="this-layer", d_model=64, num_heads=8, context=1000, sequences=16, further="costs"),
    numpy("map_bytes", d_model=64, heads=[1, 4, 8], length=1000, batch=16),
)  # fmt: skip
def map_memory(run):
    one, four, eight = run["bytes"]
    return answer(
        f"It depends on the heads, each of which has a map of its own: {one:,} bytes with one head, {four:,} with 4, {eight:,} "
        "with 8. More heads cost no parameters at a shared width, but they cost maps.",
        {"numbers with one head": run["numbers"][0], "with 8 heads": run["numbers"][2], "bytes, 1 head": one, "4 heads": four,
         "8 heads": eight},
    )  # fmt: skip


@QUESTIONS.add("r24", "20,000 tokens and 8 heads: out of memory for a tensor of (16, 20000, 20000). How much is it?",
    "https://github.com/CyberZHG/keras-multi-head/issues/1",
    see("models", model="this-layer", d_model=1024, num_heads=8, context=20000, sequences=2, further="costs"),
    numpy("map_bytes", d_model=1024, heads=[8], length=20000, batch=2),
)  # fmt: skip
def long_sequences(run):
    (numbers,), (size,) = run["numbers"], run["bytes"]
    return answer(
        f"16 maps (2 samples times 8 heads) of 20,000 × 20,000 are {numbers:,} numbers, {size:,} bytes ({size / 2**30:.1f} GiB) "
        "in float32, for each copy that training keeps: scores, weights and their gradients. Half the length takes a quarter.",
        {"numbers": numbers, "bytes in float32": size, "at 10,000 tokens": size // 4},
    )


@QUESTIONS.add("r25", "What are len_q, len_k and len_v, and which of them may differ?",
    "https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/109",
    see("attention", d_model=8, num_heads=2, query_len=5, key_len=7, numbers="seed"),
    keras("shapes", shape=[1, 5, 8], memory=[1, 7, 8], num_heads=2, key_dim=4), theme="Shapes",
)  # fmt: skip
def lengths(run):
    return answer(
        "How many tokens ask, and how many are looked at: len_k and len_v are always equal, since each key belongs to a value; "
        f"len_q is free. 5 queries and 7 keys give weights {tuple(run['tuple'][1])}; the output is as long as the queries. No "
        f"variable knows a length: {run['count']} parameters either way.",
        {"weights": tuple(run["tuple"][1]), "output": tuple(run["output"]), "parameters": run["count"]},
    )


@QUESTIONS.add("r66", "FlashAttention, or need_weights=False, gives None for the weights. Why, and is the result exact?",
    "https://github.com/Dao-AILab/flash-attention/issues/159",
    see("models", model="this-layer", d_model=512, num_heads=8, context=4096, sequences=1, further="costs"),
    numpy("by_blocks", d_model=8, num_heads=2, query_len=8, block=2),
    numpy("map_bytes", d_model=512, heads=[8], length=4096, batch=1),
)  # fmt: skip
def no_weights(run, large):
    return answer(
        "The map is never there as a whole: such a kernel goes over the keys in blocks, with a running maximum and sum for each "
        f"query. The result is exact but for rounding ({rounding(run['apart'])}); in blocks of 2, {run['held']} scores of a head "
        f"are held at once instead of {run['whole']}. So memory grows with the length, not with its square; the work still "
        "does. Ask for the weights, and the layer computes them the long way.",
        {"results differ by": rounding(run["apart"]), "scores held, blocks of 2": f"{run['held']} of {run['whole']}",
         "bytes of the maps of 8 heads, 4,096 tokens, in float16": 2 * large["numbers"][0]},
    )  # fmt: skip


@QUESTIONS.add("r67", "Attention is O(n²). From what length on is that most of the work, and does the number of heads change it?",
    "https://github.com/harvard-edge/cs249r_book/pull/1155",
    see("models", model="this-layer", d_model=512, num_heads=8, context=1024, further="costs"),
    numpy("layers", sizes=[layer(512, h, 512 // h, query_len=n) for h, n in ((8, 512), (8, 1024), (8, 4096), (1, 1024))]),
)  # fmt: skip
def square(table):
    maps = [facts["by_step"]["scores"] + facts["by_step"]["context"] for facts in table["layers"]]
    rest = [facts["multiply_adds"] - of_maps for facts, of_maps in zip(table["layers"], maps, strict=True)]
    return answer(
        "From 2 · d_model tokens on. Scores and A · V take 2 · n² · d_model multiply-adds (each 2 FLOPs), the four projections "
        f"4 · n · d_model²: both {maps[1]:,} at width 512 and 1,024 tokens. At 4,096 tokens the maps take "
        f"{percent(maps[2], maps[2] + rest[2])}. The number of heads is not in it: h heads are h times narrower.",
        {"1,024 tokens: scores and A · V": maps[1], "projections": rest[1], "512 tokens: scores and A · V": maps[0],
         "4,096 tokens": maps[2], "1,024 tokens, 1 head": maps[3], "1,024 tokens: all": table["layers"][1]["multiply_adds"]},
    )  # fmt: skip
