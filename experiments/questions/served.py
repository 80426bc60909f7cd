"""Questions about layers in use: the limits that kernels (CUDA) and devices set for heads, adapters, and pruned heads."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("Kernels and devices")

QUESTIONS.add(
    "r26", "My head_dim is 50, and FlashAttention wants multiples of 8. What does padding the heads with zeros change?",
    "https://github.com/Dao-AILab/flash-attention/issues/1347", see("heads", d_model=500, num_heads=10),
    numpy("padded_heads", d_model=500, num_heads=10, query_len=6, multiple=8),
    numpy("heads_that_fit", d_model=500, wrong=3, multiple=8, most=256),
    asked="any head size, unsupported, error, supported sizes, only 8, 16, 32, 64 and 128",
    numbers={"models": "1[models]", "multiples": "1[multiples]", "largest": "1[largest]"},
    says="Only the work grows: zeros add nothing to a dot product. Heads {size} wide become {padded} wide: {more:%} more "
    "multiplications, but still {count} parameters. But divide by √{size}, not by √{padded}: otherwise the weights move by "
    "{wrong_root}. Kernels such as FlashAttention want sizes that are multiples of 8, up to 256: of {models} published models "
    "{multiples} have such sizes, the largest {largest}.",
    rows={"weights differ by": "{weights:rounding}", "results of the heads differ by": "{results:rounding}"},
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
    says="A CPU was measured here, not a GPU: {machine}; width 512, 512 tokens. 128 heads have the {second_count} parameters "
    "and the multiply-adds of 8, but {second_maps} numbers in the maps instead of {first_maps}. They take {fused:.1f} times as "
    "long as 8 with PyTorch’s fused kernel, which does not keep the maps. With the softmax written out they take "
    "{written_out:.1f} times, in Keras {in_keras:.1f}; 32 heads take {fused_32:.1f} times with the fused kernel. Where each "
    "head keeps its key_dim, as in Keras, 128 take {keras:.0f} times as long.",
    rows={"128 heads against 8, fused kernel": "{fused:.1f} × the time"},
)  # fmt: skip

QUESTIONS.add(
    "r28", "“Total number of attention heads (28) must be divisible by tensor parallel size (8)”. How many GPUs can I use?",
    "https://github.com/THU-KEG/AdaptThink/issues/1", see("models", model="Qwen2.5-7B"),
    numpy("over_devices", model="Qwen2.5-7B", devices=8),
    asked="world size, heads per GPU not divisible, tp_size larger than num_key_value_heads, replicate KV heads",
    says="{all:and} work in vLLM. A head is never cut in two, and 28 / 8 = {each:g}. {even:each} divide the heads, but only "
    "{both:each} divide the {kv_heads} key/value heads, too. On more GPUs key/value heads are copied, which has to come out "
    "even. The MLP's {mlp} columns are cut as well, which {odd:and} do not divide. On 8 GPUs each would get {rows_each:g} rows "
    "of W_K, half a head of {d_k}.",
    rows={"rows of k_proj": "{rows}", "attention parameters of one layer": "{count}"},
)  # fmt: skip

QUESTIONS.add(
    "r43 r44", "LoRA on q_proj and v_proj, or on q, k, v and o: how many parameters are trained? Why 16M and 103M at 70B?",
    "https://github.com/tloen/alpaca-lora/issues/233 https://github.com/hiyouga/LlamaFactory/issues/2156",
    see("models", model="Llama-2-7B"), numpy("adapters", model="Llama-2-7B", rank=8, matrices=["W_Q", "W_V"]),
    numpy("adapters", model="Llama-2-7B", rank=16, matrices=["W_Q", "W_K", "W_V", "W_O"]),
    *(numpy("adapters", model="Llama-3-70B", rank=8, matrices=matrices)
      for matrices in (["W_Q", "W_V"], ["W_Q", "W_K", "W_V", "W_O", "MLP"], ["MLP"])), theme="Adapters and pruning",
    asked="LoRA on only q and v, why only query and value, why everybody takes q and v, which projections get an adapter, "
    "lora_target, trainable parameters of LoRA, rank, which projections does PEFT take by default, q and v or k and v",
    numbers={"rows": "shapes[W_Q][0]", "columns": "shapes[W_Q][1]", "held_of_second": "1[held]", "share_of_second": "1[share]",
             "shapes_w_v": "2[shapes][W_V]", "held_of_third": "2[held]", "layers_of_third": "2[layers]",
             "held_of_fourth": "3[held]", "numbers_w_q": "numbers[W_Q]", "total_of_third": "2[total]",
             "w_q_of_third": "2[numbers][W_Q]", "numbers_w_v": "2[numbers][W_V]", "held_of_fifth": "4[held]"},
    says="At rank r an adapter beside a matrix of {rows} × {columns} holds r · ({rows} + {columns}) numbers. In the {layers} "
    "layers of a 7B Llama that is {held} on q and v with rank 8, {held_of_second} on all four with rank 16. These are "
    "{share:.2%} and {share_of_second:.2%} of the model's {total}. On a 70B Llama with rank 8, v_proj has the 8 key/value heads "
    "only, {shapes_w_v}. Adapters on q and v hold {held_of_third} in {layers_of_third} layers; those on all linear layers hold "
    "{held_of_fourth}, mostly in the MLP.",
    rows={"rank 8, 7B: numbers beside one matrix": "{numbers_w_q}", "parameters of the 70B model": "{total_of_third}",
          "rank 8, 70B: numbers beside q_proj": "{w_q_of_third}", "beside v_proj": "{numbers_w_v}",
          "beside the MLPs of all layers": "{held_of_fifth}"},
)  # fmt: skip

QUESTIONS.add(
    "r45 r19", "prune_heads takes 4 of 12 heads from BERT: its key weight is (512, 768). Is that intended, how much goes?",
    "https://github.com/huggingface/transformers/issues/850 https://github.com/microsoft/fastformers/issues/12",
    see("models", model="BERT-base"), numpy("pruned_model", model="BERT-base", removed=4), theme="Adapters and pruning",
    asked="pruned module, smaller attention, attention_head_size, structured, prune whole heads, prune a linear layer inside "
    "attention, shapes do not match after pruning",
    numbers={"w_k": "shapes[W_K]", "w_o": "shapes[W_O]"},
    says="It is intended (in transformers up to 4; version 5 has no prune_heads). 8 heads of 64 are left: W_Q, W_K and W_V lose "
    "rows and biases, {w_k} in PyTorch (out, in). W_O loses columns, {w_o}. Each head takes {one} parameters with it. The 4 "
    "heads are a third of attention, {removed} of {layer} in each of {layers} layers, and {share:%} of the model: {gone} of "
    "{total}. Embeddings and feed-forward layers stay. By hand, cut the same rows and columns in a Linear of your own.",
    rows={"parameters of one layer's attention after pruning": "{left}", "parameters of the model after": "{after}"},
)  # fmt: skip
