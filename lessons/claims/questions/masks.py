"""Questions about masks that come by themselves, that hold numbers, and that are not square; and about padding without one."""

from lessons.claims.records import Questions, Run, answer, few, free, keras, numpy, percent, see, shown
from mha.keras.layer import KerasLayer

QUESTIONS = Questions("Masks")
TINY = {"d_model": 8, "num_heads": 2, "query_len": 6}


@QUESTIONS.add("r59", "Does MultiHeadAttention use the mask of an Embedding with mask_zero=True by itself, and when is it lost?",
    "https://github.com/keras-team/keras-hub/issues/2220",
    see("keras_layer", part="masks", attention_mask="padding", **free(8, 2, 4, query_len=5)), keras("own_mask"),
)  # fmt: skip
def automatic(run):
    return answer(
        f"It does: padding gets {shown(run['own'])} of the attention, with `use_causal_mask=True` as well; no `attention_mask` "
        "is needed. The mask travels with the tensor: an operation that is no Keras layer (x + 0) loses it. And a call takes "
        f"it off its inputs: a second call with the same tensor has none, and {percent(run['second'], 1)} goes to padding.",
        {"share of padding: the embedding's own mask": run["own"], "with use_causal_mask": run["causal"],
         "after x + 0": run["computed"], "a second call with the same tensor": run["second"], "no mask": run["none"],
         "row sums, 3 real and 2 padded queries": few(run["rows"]),
         "real outputs differ from those by attention_mask": run["real"], "the output passes the mask on": run["passed_on"]},
    )  # fmt: skip


@QUESTIONS.add("r60", "is_causal with fewer queries than keys: is the triangle counted from the first key or from the last?",
    "https://github.com/pytorch/pytorch/issues/103082",
    see("keras_layer", part="masks", mask_case="causal", batch=1, **free(8, 2, 4, query_len=3, key_len=5)),
    numpy("causal_corners", queries=3, keys=5), numpy("causal_corners", queries=1, keys=8),
)  # fmt: skip
def corner(run, one):
    return answer(
        f"From the first, in PyTorch and Keras: of 5 keys, 3 queries see {', '.join(map(str, run['first']))}. With a cache they "
        f"are the last tokens and should see {', '.join(map(str, run['last']))}. A single new query would see {one['first'][0]} "
        f"of 8 keys instead of {one['last'][0]}: call it without is_causal. Give is_causal or an attn_mask: both together one "
        "kernel of scaled_dot_product_attention refuses and another joins; nn.MultiheadAttention wants the mask and takes "
        "is_causal for a hint.",
        {"3 queries, 5 keys: keys seen, counted from the first": tuple(run["first"]), "counted from the last": tuple(run["last"]),
         "1 query, 8 keys, from the first": f"{one['first'][0]} of 8", "from the last": f"{one['last'][0]} of 8"},
    )  # fmt: skip


@QUESTIONS.add("r61", "What does padding do if it is not masked, and must padded positions be masked as queries, too?",
    "https://github.com/HaoZhongkai/GNOT/issues/12", see("attention", numbers="seed", **TINY),
    numpy("padding_left_in", padded=2, **TINY),
)  # fmt: skip
def left_in(run):
    return answer(
        f"Without a mask 2 padded of 6 places take {percent(run['share'], 1)} of the attention here, "
        f"{percent(run['of_zeros'], 1)} if they hold zeros: a score of 0 is a score like any other. Mask them as keys, and the "
        f"real outputs move by {shown(run['moved']['keys'])}, whatever padding holds. A padded query still gets an output, from "
        "real keys: leave it out of the loss. Masked as well, its row would be empty: NaN.",
        {"share of padding": f"{run['share']:.2f}", "share of zeros": f"{run['of_zeros']:.2f}",
         "real outputs move with padding, no mask": run["moved"]["none"], "keys masked": run["moved"]["keys"],
         "sum of a padded query's row": round(run["row"], 6)},
    )  # fmt: skip


@QUESTIONS.add("r62", "Why is −10000 or −∞ added to the scores? Can a mask of 1 and 0 not be multiplied with them?",
    "https://github.com/huggingface/transformers/issues/12109", see("attention", numbers="seed", **TINY | {"query_len": 4}),
    numpy("zeros_in_a_mask", masked=2, **TINY | {"query_len": 4}),
)  # fmt: skip
def multiplied(run):
    shares = run["shares"]
    return answer(
        f"No: e⁰ = 1. With scores times 0, two masked keys of four keep {percent(shares['times'], 1)} of the attention here; "
        f"any number far below the scores (−10,000, −2³², −∞) leaves them {shown(shares['infinity'])}. Nor are 1 and 0 a mask "
        f"if they are added, as PyTorch does with floats: 1.0 makes e^score {run['factor']:.2f} times as large, 0.0 changes "
        f"nothing. Times 0 after the softmax, rows sum to {run['after']:.2f} and no longer to 1.",
        {"share of the masked keys, −∞ added": shares["infinity"], "scores times 1 and 0": shares["times"],
         "1 and 0 added": shares["added"], "no mask": shares["none"], "weights times 1 and 0: row sum": run["after"]},
    )  # fmt: skip


@QUESTIONS.add("r72", "“Expected attn_mask dtype to be bool or to match query dtype”: what may a mask be made of?",
    "https://github.com/mahmoodlab/TITAN/issues/11",
    see("keras_layer", part="masks", mask_case="additive", **free(8, 2, 4, query_len=5)),
    Run("mask_additive", {"layer": KerasLayer(2, 4, 4, (2, 5, 8), (2, 5, 8)).plain()}, keras=True),
    numpy("formats", values=[-1e9]),
)  # fmt: skip
def type_of_a_mask(run, half):
    return answer(
        "bool, or the very type of the queries: PyTorch adds a float mask to the scores. With autocast or half precision "
        f"convert it, mask.to(q.dtype), or better make it bool: −1e9 is {'−∞' if half['half'][0] < -1e9 else '−1e9'} in "
        "float16. Keras casts whatever comes to bool, silently: a mask of 0 and −1e9 that is meant to be added then does the "
        "reverse.",
        {"Keras with 0 and −1e9: output off by": run["apart"], "from the reversed mask's output": run["inverted"]},
    )  # fmt: skip
