"""Runs about published models: heads that fit a width, shared keys and values, pruned heads."""

from dataclasses import replace

from experiments.records import experiment
from headcount.config import divisors
from headcount.models.attention import Attention
from headcount.models.cost import cost
from headcount.models.entry import entries


@experiment
def heads_that_fit(d_model: int, wrong: int) -> dict:
    """The head counts that divide the width, and the columns that are left over with a `wrong` number of heads."""
    return {"counts": divisors(d_model), "left": d_model % wrong}


def out_in(attention: Attention) -> dict[str, list[int]]:
    """The shapes (out, in) of a layer's Linear weights by name, as PyTorch stores them."""
    return {matrix.name: [matrix.cols, matrix.rows] for matrix in attention.matrices()}


@experiment
def groups(model: str, kv_heads: list[int]) -> dict:
    """A published model with other numbers of key/value heads. `sharing`: the query heads for each; `shapes`: Linear weights as
    (out, in). `counts`, `in_all`: the parameters of one layer and of all; `tokens`: the cache's bytes for one token."""
    found = entries()[model].model
    shapes, counts, tokens = [], [], []
    for number in kv_heads:
        attention = found.attention.with_heads(found.attention.heads, number)
        shapes.append(out_in(attention))
        counts.append(attention.count)
        tokens.append(cost(found.with_heads(attention.heads, number), 1).token_bytes)
    own, layers = found.attention, found.groups[0].layers
    return {"kv_heads": kv_heads, "sharing": [own.heads // number for number in kv_heads], "shapes": shapes,
            "rows": [each["W_K"][0] for each in shapes], "counts": counts, "in_all": [layers * count for count in counts],
            "tokens": tokens, "heads": own.heads, "d_k": own.d_k, "own": own.kv_heads, "layers": layers}  # fmt: skip


@experiment
def pruned_model(model: str, removed: int) -> dict:
    """Counts the parameters of a layer's attention (`left`) and of a model (`after`) without `removed` heads in each layer."""
    found = entries()[model].model
    attention, layers = found.attention, found.groups[0].layers
    left = replace(attention, heads=attention.heads - removed, kv_heads=attention.kv_heads - removed, tied=False)
    each, total = attention.count - left.count, found.total or 0
    gone = layers * each
    return {"layer": attention.count, "left": left.count, "removed": each, "one": each // removed, "gone": gone,
            "share": gone / total, "total": total, "after": total - gone, "layers": layers, "shapes": out_in(left)}  # fmt: skip


@experiment
def grouped_models(models: list[str]) -> dict:
    """Counts the published models with fewer key/value heads than heads, and with a single one. `some`: both numbers of
    `models`."""
    every = {slug: entry.model.attention for slug, entry in entries().items() if entry.row == "model"}
    return {"models": len(every), "grouped": sum(one.kv_heads < one.heads for one in every.values()),
            "single": sum(one.kv_heads == 1 for one in every.values()),
            "some": [[every[slug].heads, every[slug].kv_heads] for slug in models]}  # fmt: skip
