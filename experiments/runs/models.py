"""Experiments about head counts that divide a width, and about published models whose heads share keys and values."""

from experiments.records import experiment
from headcount.config import divisors
from headcount.models.cost import cost
from headcount.models.entry import entries


@experiment
def heads_that_fit(d_model: int, wrong: int) -> dict:
    """The head counts that divide the width. `left`: the columns that are left over with `wrong` heads."""
    return {"counts": divisors(d_model), "left": d_model % wrong}


@experiment
def groups(model: str, kv_heads: list[int]) -> dict:
    """Gives a published model other numbers of key/value heads. `sharing`: the number of query heads for each key/value head.
    - `shapes`: (out, in) of the weights, as in PyTorch's Linear. `tokens`: the cache's bytes for one token.
    - `counts`, `in_all`: the parameters of one layer and of all layers."""
    found = entries()[model].model
    shapes, counts, tokens = [], [], []
    for number in kv_heads:
        attention = found.attention.with_heads(found.attention.heads, number)
        shapes.append({matrix.name: [matrix.cols, matrix.rows] for matrix in attention.matrices()})
        counts.append(attention.count)
        tokens.append(cost(found.with_heads(attention.heads, number), 1).token_bytes)
    own, layers = found.attention, found.groups[0].layers
    return {"kv_heads": kv_heads, "sharing": [own.heads // number for number in kv_heads], "shapes": shapes,
            "rows": [each["W_K"][0] for each in shapes], "counts": counts, "in_all": [layers * count for count in counts],
            "tokens": tokens, "heads": own.heads, "layers": layers}  # fmt: skip


@experiment
def grouped_models(models: list[str]) -> dict:
    """Counts the published models with fewer key/value heads than heads (`grouped`), and with one key/value head (`single`).
    `some`: the number of heads and of key/value heads for each of `models`."""
    every = {slug: entry.model.attention for slug, entry in entries().items() if entry.row == "model"}
    return {"models": len(every), "grouped": sum(one.kv_heads < one.heads for one in every.values()),
            "single": sum(one.kv_heads == 1 for one in every.values()),
            "some": [[every[slug].heads, every[slug].kv_heads] for slug in models]}  # fmt: skip
