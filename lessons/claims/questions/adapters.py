"""Questions about what is added to a trained layer or taken from it: adapters of low rank, and pruned heads in their model."""

from lessons.claims.records import Questions, answer, numpy, percent, see

QUESTIONS = Questions("Adapters and pruning")


def held(run: dict, rank: int, *matrices: str) -> int:
    """Numbers in the adapters of these matrices, in all layers."""
    return rank * run["layers"] * sum(run["sides"][name] for name in matrices)


@QUESTIONS.add("r43", "LoRA with rank 8 on q_proj and v_proj, or with rank 16 on q, k, v and o: how many parameters are trained?",
    "https://github.com/tloen/alpaca-lora/issues/233", see("models", model="Llama-2-7B"), numpy("adapters", model="Llama-2-7B"),
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
