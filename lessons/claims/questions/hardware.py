"""Questions about what kernels and devices ask of heads: sizes that are multiples, counts that can be shared out, wide models."""

from lessons.claims.records import Questions, answer, layer, numpy, rounding, see

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
