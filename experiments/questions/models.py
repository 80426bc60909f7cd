"""Questions about heads of whole models: shared keys and values, pruned heads, and the time of a pass."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("costs")

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
    says="Several query heads share one head of keys and values. A configuration says so by num_key_value_heads beside "
    "num_attention_heads. Llama-2-7B has {llama_2_7b_kv_heads} and {llama_2_7b_heads}: multi-head. Llama-3-70B has "
    "{llama_3_70b_kv_heads} for {llama_3_70b_heads}. A single one is multi-query. Of {models} models with published weights, "
    "{grouped} have fewer key/value heads than heads, {single} only one. W_K and W_V shrink; W_Q and W_O stay. Take {heads} "
    "heads: “4 groups” means 4 key/value heads, “groups of {second_sharing}” means {second_kv_heads}. A layer of Llama-3-8B "
    "would have {first_counts} attention parameters with 4; it has {second_counts} with its {second_kv_heads}.",
    rows={"Llama-2-7B, 2-13B, 3-8B, 3-70B: heads, key/value heads": "{some:each}",
          "3-8B with 4 and 8: rows of k_proj": "{rows:each}",
          "cache, bytes a token": "{tokens:each}", "parameters of attention, all {layers} layers": "{in_all:each}"},
)  # fmt: skip

QUESTIONS.add(
    "r176", "How do more heads change time, memory and speed on a GPU?",
    "https://github.com/NVIDIA/FasterTransformer/issues/313 https://github.com/Dao-AILab/flash-attention/issues/1141 "
    "https://github.com/mlcommons/training_policies/issues/172",
    see("models", model="this-layer", further="costs", d_model=512, num_heads=8),
    numpy("heads_in_time", ways=["fused kernel", "softmax written out", "Keras"], tokens=512, heads=[32, 128]),
    asked="more heads slower, run time, training time, inference speed, GPU speed-up falls with the number of heads, heads of 32 "
    "faster than of 64, head size 132 or 128, TFLOPS, fewer heads to reduce computation, throughput, latency, benchmark",
    numbers={"second_count": "count[1]", "first_maps": "maps[0]", "second_maps": "maps[1]",
             "fused": "times[0][1]", "fused_32": "times[0][0]", "written_out": "times[1][1]", "in_keras": "times[2][1]"},
    says="More heads take more time: each has its own map. 128 heads have the {second_count} parameters and multiply-adds of 8, "
    "but {second_maps} numbers in the maps instead of {first_maps}. The times are from a CPU ({machine}), not a GPU, with "
    "width 512 and 512 tokens. With PyTorch’s fused kernel, 128 heads take {fused:.1f} times as long as 8, and 32 heads "
    "{fused_32:.1f} times. With the softmax written out, 128 take {written_out:.1f} times as long, in Keras {in_keras:.1f}. If "
    "each head keeps its key_dim, 128 take {keras:.0f} times.",
    rows={"128 heads against 8, fused kernel": "{fused:.1f} × the time"},
)  # fmt: skip

QUESTIONS.add(
    "r45 r19", "prune_heads takes 4 of 12 heads from BERT: its key weight is (512, 768). Is that intended, how much goes?",
    "https://github.com/huggingface/transformers/issues/850 https://github.com/microsoft/fastformers/issues/12",
    see("models", model="BERT-base"), numpy("pruned_model", model="BERT-base", removed=4),
    asked="pruned module, smaller attention, attention_head_size, structured, prune whole heads, prune a linear layer inside "
    "attention, shapes do not match after pruning",
    numbers={"w_k": "shapes[W_K]", "w_o": "shapes[W_O]"},
    says="Yes, in transformers up to version 4; version 5 has no prune_heads. 8 heads of 64 are left: W_Q, W_K and W_V lose rows "
    "and biases, {w_k} in PyTorch's order (out, in). W_O loses columns, {w_o}. Each head takes {one} parameters with it. The 4 "
    "heads are a third of attention, {removed} of {layer} in each of {layers} layers, and {share:%} of the model: {gone} of "
    "{total}. Embeddings and feed-forward layers stay. By hand, cut the same rows and columns in your own Linear.",
    rows={"parameters of one layer's attention after pruning": "{left}", "parameters of the model after": "{after}"},
)  # fmt: skip
