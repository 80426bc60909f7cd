"""Questions about heads of whole models: shared keys and values, and the time of a pass."""

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
    numbers={"llama_2_7b_heads": "some[0][0]", "llama_3_70b_kv_heads": "some[3][1]", "llama_3_70b_heads": "some[3][0]",
             "second_sharing": "sharing[1]", "second_kv_heads": "kv_heads[1]"},
    says="In GQA, several query heads share one key/value head. In a configuration, compare num_key_value_heads with "
    "num_attention_heads. Llama-2-7B has {llama_2_7b_heads} of both, which is plain multi-head attention. Llama-2-70B and "
    "Llama-3-70B have {llama_3_70b_kv_heads} key/value heads for {llama_3_70b_heads} query heads. A single key/value head "
    "makes it multi-query attention. Of {models} models counted here, {grouped} have fewer key/value heads than query heads; "
    "{single} of these have only one. GQA makes W_K and W_V narrower, not W_Q and W_O. With {heads} query heads, “4 "
    "groups” means 4 key/value heads, “groups of {second_sharing}” means {second_kv_heads}.",
    rows={"Llama-2-7B, 2-13B, 3-8B, 3-70B: heads, key/value heads": "{some:each}",
          "Llama-3-8B with 4 and with 8 key/value heads: rows of k_proj": "{rows:each}",
          "the same: bytes of cache for each token": "{tokens:each}",
          "the same: parameters of attention in a layer": "{counts:each}",
          "the same: in all {layers} layers": "{in_all:each}"},
)  # fmt: skip

QUESTIONS.add(
    "r176", "How do more heads change time, memory and speed on a GPU?",
    "https://github.com/NVIDIA/FasterTransformer/issues/313 https://github.com/Dao-AILab/flash-attention/issues/1141 "
    "https://github.com/mlcommons/training_policies/issues/172",
    see("models", model="this-layer", further="costs", d_model=512, num_heads=8),
    numpy("heads_in_time", ways=["fused kernel", "softmax written out", "Keras"], tokens=512, heads=[32, 128]),
    asked="more heads slower, run time, training time, inference speed, GPU speed-up falls with the number of heads, heads of "
    "32 faster than of 64, head size 132 or 128, TFLOPS, fewer heads to reduce computation, throughput, latency, benchmark",
    numbers={"second_count": "count[1]", "first_maps": "maps[0]", "second_maps": "maps[1]",
             "fused": "times[0][1]", "fused_32": "times[0][0]", "written_out": "times[1][1]", "in_keras": "times[2][1]"},
    says="More heads take more time, because each has its own map. Layers of width 512 were measured on a CPU ({machine}), not a "
    "GPU, with 512 tokens. With PyTorch’s fused kernel, 128 heads take {fused:.1f} times as long as 8; with the softmax written "
    "out, {written_out:.1f} times; in Keras, {in_keras:.1f} times. Both layers have {second_count} parameters and the same "
    "multiply-adds, but 128 maps have {second_maps} numbers, 8 maps {first_maps}. If each head keeps key_dim 64, the fused "
    "kernel takes {keras:.0f} times as long.",
    rows={"128 heads against 8, fused kernel": "{fused:.1f} × the time",
          "32 heads against 8, fused kernel": "{fused_32:.1f} × the time"},
)  # fmt: skip
