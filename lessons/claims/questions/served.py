"""Questions about layers as they are served and adapted: what kernels and devices ask of heads, adapters, and pruned heads."""

from lessons.claims.records import Questions, answer, layer, numpy, percent, rounding, see

QUESTIONS = Questions("Kernels and devices")


@QUESTIONS.add(
    "r26", "My head_dim is 50, and FlashAttention wants multiples of 8. What does padding the heads with zeros change?",
    "https://github.com/Dao-AILab/flash-attention/issues/1347", see("heads", d_model=500, num_heads=10),
    numpy("padded_heads", d_model=500, num_heads=10, query_len=6, multiple=8),
)  # fmt: skip
def padded(run):
    return answer(
        f"Nothing but work: zeros add nothing to a dot product. {run['size']} become {run['padded']}, {run['more']:.0%} more "
        f"multiplications, and no parameter. But divide by √{run['size']}, not by √{run['padded']}: otherwise the weights move.",
        {"weights differ by": rounding(run["weights"]), "results of the heads differ by": rounding(run["results"]),
         f"weights differ by, divided by √{run['padded']}": run["wrong_root"], "parameters": run["count"]},
    )  # fmt: skip


@QUESTIONS.add(
    "r27", "“d_out must be divisible by num_heads”: GPT-2 XL, 1,600 wide, with 48 heads. Which counts fit, which sizes run fast?",
    "https://github.com/rasbt/LLMs-from-scratch/issues/444", see("heads", d_model=1600, num_heads=25),
    numpy("heads_that_fit", d_model=1600, wrong=48, multiple=8, most=256), numpy("layers", sizes=[layer(1600, 25, 64)]),
)  # fmt: skip
def fitting(run, table):
    fast = ", ".join(f"{heads} of {size}" for heads, size in run["fitting"])
    return answer(
        f"48 leaves {run['left']} over; 48 is its number of layers, and it has 25 heads of 64. {len(run['counts'])} head counts "
        f"divide 1,600. Kernels such as FlashAttention want sizes that are multiples of 8, up to 256: {fast}.",
        {"head counts that divide 1,600": ", ".join(map(str, run["counts"])),
         "published models with heads of a multiple of 8": f"{run['multiples']} of {run['models']}",
         "largest of their head sizes": run["largest"],
         "parameters of one layer, with any of these counts": table["layers"][0]["count"]},
    )  # fmt: skip


@QUESTIONS.add(
    "r28", "“Total number of attention heads (28) must be divisible by tensor parallel size (8)”. How many GPUs can I use?",
    "https://github.com/THU-KEG/AdaptThink/issues/1", see("models", model="Qwen2.5-7B"),
    numpy("over_devices", model="Qwen2.5-7B", devices=8),
)  # fmt: skip
def tensor_parallel(run):
    return answer(
        f"A head is never cut in two: 28 / 8 = {run['each']:g}. Whole heads go to {', '.join(map(str, run['even']))} GPUs. The "
        f"{run['kv_heads']} key/value heads can be shared out over {', '.join(map(str, run['both']))}; on more GPUs each must "
        f"hold a copy, because 8 would get {run['rows_each']:g} rows of W_K each, half a head of {run['d_k']}.",
        {"heads": run["heads"], "key/value heads": run["kv_heads"], "rows of k_proj": run["rows"],
         "rows for each of 8 GPUs": f"{run['rows_each']:g}", "attention parameters of one layer": run["count"]},
    )  # fmt: skip


@QUESTIONS.add(
    "r29", "hidden_size is 16,384, and heads times head size is another number. Can such a layer be built, and how large is it?",
    "https://github.com/NVIDIA/TensorRT-LLM/pull/3716", see("models", model="Llama-3.1-405B"),
    numpy("layers", sizes=[layer(16384, heads, 128, use_bias=False) for heads in (128, 96)]),
    numpy("groups", model="Llama-3.1-405B", kv_heads=[128, 8]),
)  # fmt: skip
def very_wide(table, llama):
    square, narrow = table["layers"]
    return answer(
        f"Yes: with 96 heads of 128, W_Q maps 16,384 columns to {narrow['concat']:,} and W_O maps them back, "
        f"{narrow['count']:,} parameters. 128 heads of 128 have {square['count']:,}. Llama-3.1-405B, as wide, has 8 key/value "
        f"heads: {llama['counts'][1]:,}.",
        {"128 heads of 128: parameters": square["count"], "bytes in float16": 2 * square["count"],
         "96 heads of 128: parameters": narrow["count"], "width of their Concat": narrow["concat"],
         "128 heads, 8 of keys and values: parameters": llama["counts"][1],
         f"in {llama['layers']} layers": llama["layers"] * llama["counts"][1]},
    )  # fmt: skip


def held(run: dict, rank: int, *matrices: str) -> int:
    """Numbers in the adapters of these matrices, in all layers."""
    return rank * run["layers"] * sum(run["sides"][name] for name in matrices)


@QUESTIONS.add("r43", "LoRA with rank 8 on q_proj and v_proj, or with rank 16 on q, k, v and o: how many parameters are trained?",
    "https://github.com/tloen/alpaca-lora/issues/233", see("models", model="Llama-2-7B"), numpy("adapters", model="Llama-2-7B"),
    theme="Adapters and pruning",
)  # fmt: skip
def lora(run):
    two, four = held(run, 8, "W_Q", "W_V"), held(run, 16, "W_Q", "W_K", "W_V", "W_O")
    out, inner = run["shapes"]["W_Q"]
    return answer(
        f"An adapter of rank r beside a matrix of {out:,} × {inner:,} holds r · ({out:,} + {inner:,}) numbers. In the 32 layers "
        f"of a 7B Llama that is {two:,} and {four:,}: {percent(two, run['total'])} and {percent(four, run['total'])} of the "
        "model. The number of heads is not in it.",
        {"rank 8, one matrix": 8 * run["sides"]["W_Q"], f"rank 8, q and v, {run['layers']} layers": two,
         f"rank 16, q, k, v and o, {run['layers']} layers": four, "the model": run["total"]},
    )  # fmt: skip


@QUESTIONS.add(
    "r44", "On a 70B Llama, LoRA on q_proj and v_proj trains 16M, on all linear layers 103M. Where do the numbers come from?",
    "https://github.com/hiyouga/LlamaFactory/issues/2156", see("models", model="Llama-3-70B"),
    numpy("adapters", model="Llama-3-70B"),
    theme="Adapters and pruning",
)  # fmt: skip
def lora_grouped(run):
    two, every = held(run, 8, "W_Q", "W_V"), held(run, 8, *run["sides"])
    v_proj = tuple(run["shapes"]["W_V"])
    return answer(
        f"From rank 8 and the shapes. v_proj has the 8 key/value heads only, {v_proj}: its adapter holds "
        f"{8 * run['sides']['W_V']:,} numbers, that of q_proj {8 * run['sides']['W_Q']:,}; over {run['layers']} layers {two:,}. "
        f"On all linear layers it is {every:,}; most of that is the MLP.",
        {"q_proj, one layer": 8 * run["sides"]["W_Q"], "v_proj, one layer": 8 * run["sides"]["W_V"], "q and v, all layers": two,
         "the MLP, all layers": held(run, 8, "MLP"), "all matrices, all layers": every, "the model": run["total"]},
    )  # fmt: skip


@QUESTIONS.add("r45", "prune_heads takes 4 of 12 heads from every layer of BERT. How much of the whole model goes?",
    "https://github.com/huggingface/transformers/issues/850", see("models", model="BERT-base"),
    numpy("pruned_model", model="BERT-base", removed=4),
    theme="Adapters and pruning",
)  # fmt: skip
def pruned_inside(run):
    return answer(
        f"A third of attention, {percent(run['gone'], run['total'])} of the model: {run['layer'] - run['left']:,} parameters in "
        f"each of {run['layers']} layers, {run['gone']:,} of {run['total']:,}. W_Q, W_K and W_V lose rows and biases, W_O loses "
        "columns; embeddings and feed-forward layers stay.",
        {"W_Q, W_K, W_V in PyTorch (out, in)": tuple(run["shapes"]["W_Q"]), "W_O": tuple(run["shapes"]["W_O"]),
         "parameters of one layer's attention": run["left"], "before": run["layer"], "the model after": run["after"],
         "the model before": run["total"]},
    )  # fmt: skip
