"""Questions about heads that share keys and values: shapes in PyTorch, W_O, the cache, and the meaning of the number."""

from experiments.records import Questions, Run, numpy, see
from headcount.keras.layer import KerasLayer

QUESTIONS = Questions("Shared keys and values")

QUESTIONS.add(
    "r42 r69", "What is grouped-query attention (GQA), does Llama 2 have it, and what does n_kv_groups count?",
    "https://github.com/rasbt/LLMs-from-scratch/issues/922 https://github.com/tairov/llama2.mojo/issues/23",
    see("models", model="Llama-3-8B"), numpy("groups", model="Llama-3-8B", kv_heads=[4, 8]),
    numpy("grouped_models", models=["Llama-2-7B", "Llama-2-13B", "Llama-3-8B", "Llama-3-70B"]),
    asked="Llama 2 grouped-query or multi-head, key/value heads or query heads that share one, two variables for the number of "
    "heads, GQA or MHA, MQA, which models use it, Llama2, For Llama-2-70B I count 4 · 8192² attention parameters a layer, and "
    "78 thousand million in all. Where am I wrong, only one head for key and value, head_dim of keys and values, one head_dim, "
    "dimensionality of key and values, one Linear to_kv, kv dimension dim_head instead of inner_dim, failed to set the "
    "n_kv_heads param, load a checkpoint, how wide is k_proj, copying a param, shape in the current model, numbers of query "
    "heads and of key/value heads differ, mismatched head counts, query heads / key heads, same map for heads that share keys "
    "and values, k_proj smaller than q_proj, 1024 by 4096, download corrupted",
    numbers={"llama_2_7b_kv_heads": "some[0][1]", "llama_2_7b_heads": "some[0][0]", "llama_3_70b_kv_heads": "some[3][1]",
             "llama_3_70b_heads": "some[3][0]", "second_sharing": "sharing[1]", "second_kv_heads": "kv_heads[1]",
             "first_counts": "counts[0]", "second_counts": "counts[1]"},
    says="Several query heads share one head of keys and values, so that there are fewer to learn and to cache. A configuration "
    "says it: num_key_value_heads beside num_attention_heads. Llama-2-7B has {llama_2_7b_kv_heads} and {llama_2_7b_heads}: "
    "multi-head. Llama-3-70B has {llama_3_70b_kv_heads} for {llama_3_70b_heads}. A single one is multi-query. Of {models} "
    "published models {grouped} have fewer key/value heads, {single} only one. W_K and W_V shrink, W_Q and W_O stay. With "
    "{heads} heads, 4 groups are 4 key/value heads, but groups of {second_sharing} heads make {second_kv_heads}: attention of "
    "Llama-3-8B's sizes has {first_counts} or {second_counts} parameters.",
    rows={"Llama-2-7B, 2-13B, 3-8B, 3-70B: heads, key/value heads": "{some:each}",
          "3-8B with 4 and 8: rows of k_proj": "{rows:each}",
          "cache, bytes a token": "{tokens:each}", "parameters of attention, all {layers} layers": "{in_all:each}"},
)  # fmt: skip

QUESTIONS.add("r68", "repeat_kv: is each key/value head repeated in its place (repeat_interleave), or all in turn (repeat)?",
    "https://github.com/SHI-Labs/NATTEN/issues/92", see("keras_layer", part="groups", num_kv_heads=2, d_model=16, num_heads=4),
    numpy("repeated_heads", d_model=16, num_heads=4, kv_heads=2, query_len=6),
    asked="num heads in KV divisible by num heads in Q, expand, tile, n_rep, num_key_value_groups, without repeat, what "
    "repeat_kv is for, order of heads, number of heads in key and value must divide the heads of Q, GQA without repeat(), Llama "
    "2 without repeat_kv, enable_gqa, why keys and values are repeated, which query heads share a kv head, are kv heads laid out "
    "like repeat or repeat_interleave in GQA, replicate the key/value heads before scaled_dot_product_attention",
    says="In its place: 4 heads read key/value heads {each:each}. Repeated in turn, they read {turn:each}, and the results are "
    "off by {apart:.2f}. It only lines the heads up for the scores: it adds no parameter, and the cache keeps only the few. "
    "PyTorch's scaled_dot_product_attention does without it by enable_gqa=True (since 2.5). Otherwise it wants equal numbers, "
    "by repeat_interleave on the axis of heads. Where there are as many key/value heads as heads (n_rep = 1), it does nothing.",
    rows={"heads that meet the right keys": "{agree} of {number}", "n_rep = 1: results off by": "{once}"},
)  # fmt: skip

QUESTIONS.add("r145", "Does Keras have GroupQueryAttention, or do I have to write such a layer on my own?",
    "https://github.com/keras-team/keras/pull/18488",
    see("keras_layer", part="groups", num_kv_heads=2, d_model=512, num_heads=8),
    *(Run(name, {"layer": KerasLayer(8, 64, 64, (1, 6, 512), (1, 6, 512), num_kv_heads=2).plain()}, keras=True)
      for name in ("grouped_count", "grouped_reads", "grouped_and_full")),
    asked="GroupQueryAttention, GroupedQueryAttention, num_query_heads, fewer key/value heads in nn.MultiheadAttention",
    numbers={"count_of_first": "0[count]", "count_of_third": "2[count]"},
    says="Keras has a grouped-query layer: keras.layers.GroupQueryAttention(head_dim, num_query_heads, num_key_value_heads). "
    "num_query_heads must be a multiple of num_key_value_heads. With width 512, 8 heads of 64 and 2 key/value heads it has "
    "{count_of_first} parameters, where MultiHeadAttention has {count_of_third}. The query heads read key/value heads "
    "{reads:each}. PyTorch's nn.MultiheadAttention has no argument for it (kdim is a width). With as many key/value heads as "
    "heads it is MultiHeadAttention: with the same weights outputs differ by {apart:rounding}. It has no value_dim, "
    "output_shape or attention_axes.",
)  # fmt: skip
