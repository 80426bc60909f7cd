"""Questions about layers as they are served and adapted: what kernels and devices ask of heads, adapters, and pruned heads."""

from experiments.records import Questions, keras, layer, numpy, see

QUESTIONS = Questions("Kernels and devices")
ADAPTED = keras("lora", d_model=512, num_heads=8, key_dim=64, rank=4)

QUESTIONS.add(
    "r26", "My head_dim is 50, and FlashAttention wants multiples of 8. What does padding the heads with zeros change?",
    "https://github.com/Dao-AILab/flash-attention/issues/1347", see("heads", d_model=500, num_heads=10),
    numpy("padded_heads", d_model=500, num_heads=10, query_len=6, multiple=8),
    asked="any head size, unsupported, error, supported sizes, only 8, 16, 32, 64 and 128",
    says="Nothing but work: zeros add nothing to a dot product. {size} become {padded}, {more:%} more multiplications, and no "
    "parameter beside the {count}. But divide by √{size}, not by √{padded}: otherwise the weights move by {wrong_root}.",
    rows={"weights differ by": "{weights:rounding}", "results of the heads differ by": "{results:rounding}"},
)  # fmt: skip

QUESTIONS.add(
    "r27", "“d_out must be divisible by num_heads”: GPT-2 XL, 1,600 wide, with 48 heads. Which counts fit, which sizes run fast?",
    "https://github.com/rasbt/LLMs-from-scratch/issues/444", see("heads", d_model=1600, num_heads=25),
    numpy("heads_that_fit", d_model=1600, wrong=48, multiple=8, most=256), numpy("layers", sizes=[layer(1600, 25, 64)]),
    asked="largest size, 256, 80, 96, limit, backend, sdpa, xformers, bigger than 128, which are supported",
    says="48 leaves {left} over; 48 is its number of layers, and it has 25 heads of 64. {fit} head counts divide 1,600. Kernels "
    "such as FlashAttention want sizes that are multiples of 8, up to 256: {fitting:each}. Of {models} published models "
    "{multiples} have such sizes, the largest {largest}.",
    rows={"head counts that divide 1,600": "{counts:each}",
          "parameters of one layer, with any of these counts": "{layers[0][count]}"},
)  # fmt: skip

QUESTIONS.add(
    "r28", "“Total number of attention heads (28) must be divisible by tensor parallel size (8)”. How many GPUs can I use?",
    "https://github.com/THU-KEG/AdaptThink/issues/1", see("models", model="Qwen2.5-7B"),
    numpy("over_devices", model="Qwen2.5-7B", devices=8),
    asked="world size, heads per GPU not divisible, tp_size larger than num_key_value_heads, replicate KV heads",
    says="{all:and} work in vLLM. A head is never cut in two, and 28 / 8 = {each:g}. {even:each} divide the heads, but only "
    "{both:each} divide the {kv_heads} key/value heads, too. On more GPUs key/value heads are copied, which has to come out "
    "even; and the MLP's {mlp} columns are cut as well, which {odd:and} do not divide. On 8 GPUs each would get {rows_each:g} "
    "rows of W_K, half a head of {d_k}.",
    rows={"rows of k_proj": "{rows}", "attention parameters of one layer": "{count}"},
)  # fmt: skip

QUESTIONS.add(
    "r29", "hidden_size is 16,384, and heads times head size is another number. Can such a layer be built, and how large is it?",
    "https://github.com/NVIDIA/TensorRT-LLM/pull/3716", see("models", model="Llama-3.1-405B"),
    numpy("layers", sizes=[layer(16384, heads, 128, use_bias=False) for heads in (128, 96)]),
    numpy("groups", model="Llama-3.1-405B", kv_heads=[128, 8]),
    says="Yes: with 96 heads of 128, W_Q maps 16,384 columns to {0[layers][1][concat]} and W_O maps them back, "
    "{0[layers][1][count]} parameters. 128 heads of 128 have {0[layers][0][count]}. Llama-3.1-405B, as wide, has 8 key/value "
    "heads: {counts[1]}.",
    rows={"128 heads of 128, bytes in float16": "{0[layers][0][in_float16]}",
          "128 heads, 8 of keys and values, in {1[layers]} layers": "{in_all[1]}"},
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
    says="At rank r an adapter beside a matrix of {shapes[W_Q][0]} × {shapes[W_Q][1]} holds r · ({shapes[W_Q][0]} + "
    "{shapes[W_Q][1]}) numbers. In the {layers} layers of a 7B Llama that is {held} on q and v with rank 8 and {1[held]} on all "
    "four with rank 16: {share:.2%} and {1[share]:.2%} of the model's {total}. On a 70B Llama with rank 8, v_proj has the 8 "
    "key/value heads only, {2[shapes][W_V]}: q and v hold {2[held]} over {2[layers]} layers, all linear layers {3[held]}, mostly "
    "the MLP's. The number of heads is not in it. If you can afford two, take q and v: PEFT's default for Llama and Mistral (IA3 "
    "takes k and v): in the LoRA paper they are as good as all four at half the rank, and better than one at twice the rank. "
    "Today often all linear layers get one (QLoRA).",
    rows={"rank 8, one matrix of 7B": "{numbers[W_Q]}", "the 70B model": "{2[total]}",
          "rank 8 at 70B: q_proj": "{2[numbers][W_Q]}", "v_proj": "{2[numbers][W_V]}", "the MLP of all layers": "{4[held]}"},
)  # fmt: skip

QUESTIONS.add(
    "r140 r141", "LoRA: why does B start at 0 and A at random, and can an adapter be merged into the weights afterwards?",
    "https://github.com/microsoft/LoRA/issues/59 https://github.com/microsoft/LoRA/issues/48",
    see("models", model="Llama-2-7B"), ADAPTED, theme="Adapters and pruning",
    asked="one LoRA matrix started with zeros, both zero, initialization, merge_and_unload, fold the adapter into the weights, "
    "does an adapter make inference slower, latency, alpha / r",
    says="With B = 0 the product of the two factors is 0, so training starts from the layer as it was: the output moves by "
    "{start:g}. A is random so that B has a gradient. With both at 0, both gradients are {both[0]:g}, and nothing is ever "
    "learned. Afterwards an adapter can be merged: W + (alpha / r) · B · A is one matrix, as large as W. Here B moves the output "
    "by {moved:.2f}; merged, it is off by {merged:rounding} from that, with {merged_count} parameters as before, so it costs no "
    "time. Unmerged, each projection takes two small products more. Merged into quantised weights, it is rounded.",
    rows={"norm of the gradient of A, at the start": "{a_first:g}", "of B": "{b_first:.0f}"},
)  # fmt: skip

QUESTIONS.add(
    "r142 r143",
    "“Target modules not found in the base model”, or out_proj is ignored: how does LoRA fit a packed qkv?",
    "https://github.com/huggingface/peft/issues/761 https://github.com/huggingface/peft/issues/294",
    see("models", model="GPT-2-124M"), numpy("packed_adapter", model="GPT-2-124M", rank=8), theme="Adapters and pruning",
    asked="c_attn of GPT-2, query_key_value, one adapter on a combined projection, separate q_proj and v_proj, "
    "nn.MultiheadAttention, in_proj_weight, out_proj not trained, target_modules",
    says="The names are those of the model's own layers, as named_modules() lists them: q_proj and v_proj in Llama, query and "
    "value in BERT, c_attn in GPT-2 (with fan_in_fan_out=True), query_key_value in GPT-NeoX. c_attn is all three in one, "
    "{shape}: PEFT puts one adapter on it, {packed} numbers at rank {rank}; loralib gives q, k and v one each, on their own "
    "rows, {separate}. nn.MultiheadAttention has no layer for q, k and v, only the Parameter in_proj_weight, and uses "
    "out_proj.weight without calling out_proj, so an adapter there does nothing. Name the whole layer in PEFT instead, merge the "
    "update into the weight before each call, or build it of separate Linear layers.",
)  # fmt: skip

QUESTIONS.add("r144", "How do I enable LoRA in Keras's MultiHeadAttention, which has no enable_lora of its own?",
    "https://github.com/keras-team/keras/pull/18942", see("keras_layer", part="variables", d_model=512, num_heads=8), ADAPTED,
    theme="Adapters and pruning",
    asked="enable_lora, EinsumDense, query_dense, value_dense, freeze the kernel",
    says="On its projections, once it is built: layer.query_dense.enable_lora(4) and layer.value_dense.enable_lora(4). Their "
    "kernels are then frozen; biases and the other kernels are not, unless you freeze them. A value kernel {kernel} gets "
    "lora_kernel_a {a} and lora_kernel_b {b}: each head has its own A, and all heads share B, unlike an adapter on the flat "
    "matrix, which has r · (512 + 512) numbers. Both adapters hold {held} numbers beside the layer's {count}. At the start the "
    "output moves by {start:g}.",
    rows={"trained, with the other variables": "{trained}", "merged, the output is off by": "{merged:rounding}"},
)  # fmt: skip

QUESTIONS.add(
    "r45 r19", "prune_heads takes 4 of 12 heads from BERT: its key weight is (512, 768). Is that intended, how much goes?",
    "https://github.com/huggingface/transformers/issues/850 https://github.com/microsoft/fastformers/issues/12",
    see("models", model="BERT-base"), numpy("pruned_model", model="BERT-base", removed=4), theme="Adapters and pruning",
    asked="pruned module, smaller attention, attention_head_size, structured, prune whole heads, prune a linear layer inside "
    "attention, shapes do not match after pruning",
    says="It is (transformers up to 4; 5 has no prune_heads): 8 heads of 64 are left, so W_Q, W_K and W_V lose rows and biases, "
    "{shapes[W_K]} in PyTorch (out, in), and W_O loses columns, {shapes[W_O]}. Each head takes {one} parameters with it. That is "
    "a third of attention, {removed} of {layer} in each of {layers} layers, and {share:%} of the model: {gone} of {total}. "
    "Embeddings and feed-forward layers stay. By hand, cut the same rows and columns of a head in a Linear of your own.",
    rows={"one layer's attention after pruning": "{left}", "the model after": "{after}"},
)  # fmt: skip
