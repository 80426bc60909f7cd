"""Questions about layers in use: the limits that kernels (CUDA) and devices set for heads, adapters, and pruned heads."""

from experiments.records import Questions, numpy, see

QUESTIONS = Questions("Kernels and devices")

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
