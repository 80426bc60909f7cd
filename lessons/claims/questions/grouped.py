"""Questions about heads that share keys and values: shapes in PyTorch, W_O, the cache, and what the number counts."""

from lessons.claims.records import Questions, answer, numpy, rounding, see

QUESTIONS = Questions("Shared keys and values")


@QUESTIONS.add(
    "r39",
    "“size mismatch for wk.weight: [4096, 4096] in the checkpoint, [128, 4096] in the model”. What does n_kv_heads change?",
    "https://github.com/meta-llama/llama/issues/427", see("models", model="Llama-2-7B"),
    numpy("groups", model="Llama-2-7B", kv_heads=[32, 8, 1]),
)  # fmt: skip
def out_in(run):
    full, _, one = run["shapes"]
    return answer(
        f"The rows of wk and wv: PyTorch's Linear keeps (out, in), and out is n_kv_heads · {run['d_k']}. With 1 it is "
        f"{tuple(one['W_K'])}, with all 32 {tuple(full['W_K'])}. wq and wo keep theirs. A checkpoint fits one number only: here "
        f"{run['own']}.",
        {"n_kv_heads 32: wk": tuple(full["W_K"]), "n_kv_heads 8: wk": tuple(run["shapes"][1]["W_K"]),
         "n_kv_heads 1: wk": tuple(one["W_K"]),
         "wq and wo, with any": tuple(one["W_Q"]) if one["W_Q"] == full["W_O"] else "not the same",
         "parameters of one layer, 32": run["counts"][0], "with 8": run["counts"][1], "with 1": run["counts"][2],
         f"in all {run['layers']} layers, with 32": run["layers"] * run["counts"][0]},
    )  # fmt: skip


@QUESTIONS.add("r40", "There are fewer value heads (n_query_groups) than heads. Isn't the output projection too large, then?",
    "https://github.com/Lightning-AI/litgpt/issues/1890", see("models", model="Llama-3-8B"),
    numpy("shared_values", d_model=16, num_heads=4, kv_heads=2, query_len=6),
    numpy("groups", model="Llama-3-8B", kv_heads=[32, 8]),
)  # fmt: skip
def as_many_results(run, llama):
    grouped = llama["shapes"][1]
    return answer(
        "No. Heads of one group share the values, but each weights them in its own way: with 4 heads on 2, the results of the "
        f"first two differ by {run['apart']:.2f}. So there are as many results as query heads: in Llama-3-8B W_O stays "
        f"{tuple(grouped['W_O'])}, while W_V is {tuple(grouped['W_V'])}.",
        {"values of heads 1 and 2 differ by": run["values"], "their results differ by": run["apart"],
         "W_O, 32 value heads": tuple(llama["shapes"][0]["W_O"]), "W_O, 8": tuple(grouped["W_O"]),
         "parameters of one layer, 8": llama["counts"][1],
         f"in all {llama['layers']} layers": llama["layers"] * llama["counts"][1]},
    )  # fmt: skip


@QUESTIONS.add("r41", "The cache is made for num_heads. How much is saved if it is made for num_kv_heads (GQA, MQA)?",
    "https://github.com/meta-pytorch/torchtune/issues/38", see("models", model="Llama-3-8B", further="costs", context=1024),
    numpy("groups", model="Llama-3-8B", kv_heads=[32, 8, 1]),
)  # fmt: skip
def smaller_cache(run):
    every, some, one = run["tokens"]
    return answer(
        f"num_heads / num_kv_heads: keys and values are kept for the key/value heads alone. Llama-3-8B has 32 and {run['own']}: "
        f"{some:,} bytes a token in fp16 instead of {every:,}, a quarter. With one head (multi-query) it would be {one:,}. "
        "What gets faster is reading the cache: the scores take as many multiplications as before.",
        {"32 key/value heads, bytes a token": every, "8": some, "1": one, "1,024 tokens, 8 key/value heads": 1024 * some},
    )


@QUESTIONS.add("r42", "Is n_kv_groups the number of key/value heads, or of query heads that share one?",
    "https://github.com/rasbt/LLMs-from-scratch/issues/922", see("models", model="Llama-3-8B"),
    numpy("groups", model="Llama-3-8B", kv_heads=[4, 8]),
)  # fmt: skip
def which_number(run):
    four, eight = run["counts"]
    return answer(
        f"Code uses the word for both, and the two are not the same: of {run['heads']} heads, 4 groups are 4 key/value heads, "
        f"groups of 4 are {run['heads'] // 4}. One layer of Llama-3-8B's sizes has {four:,} or {eight:,} parameters. "
        f"num_key_value_heads, as configurations have it, counts heads: {run['own']}.",
        {"4 key/value heads: rows of k_proj": run["shapes"][0]["W_K"][0], "8: rows of k_proj": run["shapes"][1]["W_K"][0],
         "4: parameters of one layer": four, "8: parameters of one layer": eight, "4: cache, bytes a token": run["tokens"][0],
         "8: cache, bytes a token": run["tokens"][1], f"8: all {run['layers']} layers": run["layers"] * eight},
    )  # fmt: skip


@QUESTIONS.add("r68", "repeat_kv: is each key/value head repeated in its place (repeat_interleave), or all in turn (repeat)?",
    "https://github.com/SHI-Labs/NATTEN/issues/92", see("keras_layer", part="groups", num_kv_heads=2, d_model=16, num_heads=4),
    numpy("repeated_heads", d_model=16, num_heads=4, kv_heads=2, query_len=6),
)  # fmt: skip
def in_its_place(run):
    return answer(
        f"In its place: 4 heads meet {', '.join(map(str, run['each']))}. Repeated in turn they meet "
        f"{', '.join(map(str, run['turn']))}, and the results are off by {run['apart']:.2f}. It only lines the heads up: no "
        "parameter comes with it, and the cache keeps the few. Where there are as many key/value heads as heads (n_rep = 1), "
        "it does nothing.",
        {"heads that meet the right keys": f"{run['agree']} of {len(run['each'])}", "in turn, results off by": run["apart"],
         "n_rep = 1: results off by": run["once"]},
    )  # fmt: skip


@QUESTIONS.add("r69", "Is Llama 2 grouped-query or multi-head attention? How do I see from a configuration which it is?",
    "https://github.com/tairov/llama2.mojo/issues/23", see("models", model="Llama-2-7B"),
    numpy("grouped_models", models=["Llama-2-7B", "Llama-2-13B", "Llama-3-8B", "Llama-3-70B"]),
)  # fmt: skip
def which_kind(run):
    (small, same), (other, few) = run["some"]["Llama-2-7B"], run["some"]["Llama-3-70B"]
    return answer(
        f"Compare num_key_value_heads with num_attention_heads. Llama-2-7B has {same} and {small}, the 13B as many of both, "
        f"too: multi-head. Only the 70B is grouped, {few} for {other} as in Llama-3-70B. A single one is multi-query. Of "
        f"{run['models']} published models {run['grouped']} have fewer, {run['single']} a single one.",
        {f"{name}: heads, key/value heads": tuple(both) for name, both in run["some"].items()}
        | {"fewer key/value heads": f"{run['grouped']} of {run['models']}", "a single one": run["single"]},
    )  # fmt: skip


@QUESTIONS.add("r74", "How is a multi-head checkpoint converted to grouped-query attention: by the mean of each group's heads?",
    "https://github.com/NVIDIA/Megatron-LM/issues/480", see("models", model="Llama-2-7B"),
    numpy("pooled_heads", d_model=16, num_heads=4, kv_heads=2, query_len=6),
    numpy("groups", model="Llama-2-7B", kv_heads=[32, 8]),
)  # fmt: skip
def pooled(run, llama):
    full, grouped = llama["shapes"]
    return answer(
        "Yes: view wk and wv as (groups, heads of a group, d_k, in), take the mean over the heads of a group, and train on; wq "
        f"and wo stay. In Llama-2-7B, 32 heads to 8, wk goes from {tuple(full['W_K'])} to {tuple(grouped['W_K'])}. It is another "
        f"layer: with 4 heads pooled to 2, the output is off by {run['apart']:.2f} before that training; by "
        f"{rounding(run['alike'])} only where the heads of a group are alike. From grouped to multi-head, repeat each head: "
        "nothing moves.",
        {"4 heads pooled to 2: output off by": run["apart"], "heads of a group alike: off by": rounding(run["alike"]),
         "parameters of one layer, 32": llama["counts"][0], "with 8": llama["counts"][1],
         f"in all {llama['layers']} layers, with 32": llama["layers"] * llama["counts"][0]},
    )  # fmt: skip
