"""What questions run about why the layer is as it is: three kernels, a softmax, positions, a cache; and what its maps explain."""

from dataclasses import replace

import numpy as np

from experiments.runs.arrays import gap, plain_softmax, projected, read, with_input
from mha.arrays import Array, Floats
from mha.cost import score_cells
from mha.forward import Trace, run
from mha.ledger import count_parameters
from mha.models.cost import cost
from mha.models.table import entries
from mha.numpy_backend import rotate, softmax
from mha.params import Inputs
from mha.steps import BY_NAME, attention_mask
from mha.switches import distances, slopes
from mha.trained import sentence, store
from mha.trained.network import forward


def beside_dense(trace: Trace) -> dict:
    """Weights of the layer for its tokens in reverse order: how far they are from its own; its parameters, and those of a dense
    layer from all numbers of the tokens to as many."""
    turned = with_input(trace, trace.x_query.values[:, ::-1])
    numbers = trace.cfg.query_len * trace.cfg.d_model
    return {"moved": gap(turned.weights.values, trace.weights.values), "count": count_parameters(trace.cfg),
            "dense": numbers**2 + numbers}  # fmt: skip


def with_a_cache(trace: Trace) -> dict:
    """The layer one token earlier, under the causal mask and without: how far the outputs, keys and values of the tokens before
    the last are from the whole pass; the last output by its query alone over all keys; and how many scores either takes."""
    x, result = trace.x_query.values, {}
    for mask in ("causal", "none"):
        whole = run(replace(trace.cfg, mask=mask))
        before = replace(whole.cfg, query_len=trace.cfg.query_len - 1, key_len=trace.cfg.key_len - 1)
        earlier = run(before, params=trace.params, inputs=Inputs(Array(x[:, :-1], "btm"), Array(x[:, :-1], "bsm")))
        kept = max(gap(earlier[name].values, whole[name].values[:, :-1]) for name in "kv")
        result[mask] = {"outputs": gap(earlier.output.values, whole.output.values[:, :-1]), "kept": kept}
    one = replace(trace.cfg, query_len=1, mask="none")  # the last token may see all
    last = run(one, params=trace.params, inputs=Inputs(Array(x[:, -1:], "btm"), trace.x_key))
    return result | {"last": gap(last.output.values, trace.output.values[:, -1:]), "tokens": trace.cfg.query_len,
                     "scores": score_cells(trace.cfg), "scores_of_one": score_cells(one)}  # fmt: skip


def latent_cache(model: str) -> dict:
    """A model with latent attention: numbers that its cache keeps for a token in one layer, what heads with keys and values of
    their own would keep, and both in bytes for all layers at 2 bytes a number."""
    found = entries()[model].model
    attention, layers = found.attention, found.groups[0].layers
    latent = attention.latent
    assert latent is not None
    own = attention.heads * (attention.d_k + attention.d_v)
    return {"kept": latent.kv_rank + latent.rope, "rank": latent.kv_rank, "rope": latent.rope, "own": own, "layers": layers,
            "heads": attention.heads, "d_k": attention.d_k, "d_v": attention.d_v, "token": cost(found, 1).token_bytes,
            "token_own": 2 * layers * own, "times": own / (latent.kv_rank + latent.rope)}  # fmt: skip


def other_weights(trace: Trace) -> dict:
    """What else could come after the scaled scores: the sums of a head's rows and the share of weights below 0 with the softmax,
    with sigmoid, and with the scores themselves; and (QKᵀ)V beside Q(KᵀV), with the numbers that each holds for a head."""
    scaled = trace.scaled.values.astype(np.float64)
    ways = {"softmax": trace.weights.values, "sigmoid": 1 / (1 + np.exp(-scaled)), "scores": scaled}
    q, k, v = (trace[name].values for name in "qkv")
    maps_first = np.einsum("bhts,bshv->bthv", np.einsum("bthk,bshk->bhts", q, k), v)
    keys_first = np.einsum("bthk,bhkv->bthv", q, np.einsum("bshk,bshv->bhkv", k, v))
    joint = np.exp(scaled) / np.exp(scaled).sum(axis=(1, 3), keepdims=True)
    return {"rows": {name: weights[0, 0].sum(-1).tolist() for name, weights in ways.items()},
            "below": float((scaled < 0).mean()), "apart": gap(maps_first, keys_first), "map": scaled[0, 0].size,
            "product": q.shape[-1] * v.shape[-1], "joint": joint[0, :, 0].sum(-1).tolist(),
            "output": gap(projected(trace, joint), trace.output.values)}  # fmt: skip


def rotary_layouts(trace: Trace) -> dict:
    """The layer with rotary embeddings of pairs; the same weights with those of halves; and of halves with the columns of W_Q and
    W_K in the order of halves: how far the last two are from the first, that order for a head, and the order back."""
    halves, pairs = (replace(trace.cfg, rotary=rotary) for rotary in ("halves", "pairs"))
    order = np.arange(trace.cfg.key_dim).reshape(-1, 2).T.ravel()
    turned = {name: Array(array.values[..., order], array.axes) for name in ("w_q", "w_k", "b_q", "b_k")
              if (array := getattr(trace.params, name))}  # fmt: skip
    first = run(pairs).output.values
    same, again = (run(halves, params=params) for params in (trace.params, replace(trace.params, **turned)))
    return {"order": order.tolist(), "back": np.argsort(order).tolist(), "same": gap(same.output.values, first),
            "reordered": gap(again.output.values, first)}  # fmt: skip


def turned_later(trace: Trace, later: int) -> dict:
    """Queries and keys turned by their positions (rotary embedding), all numbers of a head or the first half: how far the scores
    are from those of the same tokens so many places later, from those of later queries with keys as they were kept, and from
    those that are not turned; and how far results would move if values were turned, too."""
    q, k, v = (trace[name].values.astype(np.float64) for name in "qkv")

    def turned(x: Floats, first: int, numbers: int) -> Floats:
        cfg = replace(trace.cfg, key_dim=numbers, rotary="halves")
        placed = np.pad(x[..., :numbers], [(0, 0), (first, 0), (0, 0), (0, 0)])
        return np.concatenate([rotate(BY_NAME["q_rotated"], cfg, placed)[:, first:], x[..., numbers:]], axis=-1)

    def scores(at: int, kept: int, numbers: int) -> Floats:
        return np.einsum("bthk,bshk->bhts", turned(q, at, numbers), turned(k, kept, numbers))

    all_of, half = trace.cfg.key_dim, trace.cfg.key_dim // 2
    now = scores(0, 0, all_of)
    results = [np.einsum("bhts,bshv->bthv", trace.weights.values, turned(v, first, all_of)) for first in (0, later)]
    return {"whole": gap(scores(later, later, all_of), now), "half": gap(scores(later, later, half), scores(0, 0, half)),
            "kept": gap(scores(later, 0, all_of), now), "values": gap(*results),
            "plain": gap(now, trace.scores.values)}  # fmt: skip


def gradients_by_hand(trace: Trace) -> dict:
    """Gradients of a loss, a fixed sum over the results of all heads, by Q, K and V in float64: by the formulas, and how far each
    is from what the loss gains over a small step in a random direction, relative to that; the sum of each row by the scores."""
    q, k, v = (np.moveaxis(trace[name].values.astype(np.float64), 1, 2) for name in "qkv")  # axes "bhtk", "bhsk", "bhsv"
    root, rng = np.sqrt(q.shape[-1]), np.random.default_rng(0)
    given = rng.standard_normal(np.broadcast_shapes(q.shape[:-1] + v.shape[-1:]))

    def loss(q: Floats, k: Floats, v: Floats) -> float:
        return float((given * (softmax(q @ k.swapaxes(-1, -2) / root) @ v)).sum())

    a = softmax(q @ k.swapaxes(-1, -2) / root)
    by_a = given @ v.swapaxes(-1, -2)
    by_s = a * (by_a - (by_a * a).sum(-1, keepdims=True))
    by = {"q": by_s @ k / root, "k": by_s.swapaxes(-1, -2) @ q / root, "v": a.swapaxes(-1, -2) @ given}
    values, apart = {"q": q, "k": k, "v": v}, []
    for name, gradient in by.items():
        step = 1e-6 * rng.standard_normal(gradient.shape)
        ahead, behind = (loss(**values | {name: values[name] + moved}) for moved in (step, -step))
        apart.append(abs(float((gradient * step).sum()) / ((ahead - behind) / 2) - 1))
    return {"apart": max(apart), "rows": float(np.abs(by_s.sum(-1)).max())}


def norms_of_heads(trace: Trace) -> dict:
    """Queries and keys normalised head by head (rms), and over all heads at once (rms_wide): parameters that each adds, and how
    far the weights of the last head move where W_Q of the first grows tenfold."""
    result: dict = {}
    for norm in ("rms", "rms_wide"):
        before = run(replace(trace.cfg, qk_norm=norm))
        grown = before.params.w_q.values.copy()
        grown[:, 0] *= 10
        after = run(before.cfg, params=replace(before.params, w_q=Array(grown, before.params.w_q.axes)))
        moved = gap(after.weights.values[:, -1], before.weights.values[:, -1])
        result[norm] = {"added": count_parameters(before.cfg) - count_parameters(trace.cfg), "moved": moved}
    return result


def parts_of_model(model: str) -> dict:
    """A published model's parameters by kind, in all its layers: attention, feed-forward, embeddings; and the shares."""
    found = entries()[model].model
    parts: dict[str, int] = {}
    for part in found.ledger():
        kind = "feed-forward" if part.kind == "mixer" else part.kind
        parts[kind] = parts.get(kind, 0) + part.count
    attention, total = found.attention, sum(parts.values())
    return {"parts": parts, "total": total, "attention_share": parts["attention"] / total,
            "forward_share": parts["feed-forward"] / total, "layer": attention.count, "heads": attention.heads,
            "d_k": attention.d_k, "layers": found.groups[0].layers, "d_model": attention.d_model}  # fmt: skip


def additive(d_k: int, length: int) -> dict:
    """Scores of one head between all tokens: how many there are, and how many tanh they take as v · tanh(W q + U k)."""
    return {"pairs": length**2, "tanh": length**2 * d_k}


def position_biases(models: list[str], heads: int) -> dict:
    """Numbers of the tables of relative positions in T5's models, with their heads and layers; and the slopes of ALiBi."""
    tables = []
    for model in models:
        found = entries()[model].model
        (table,) = [part.count for part in found.ledger() if part.label == "relative position biases"]
        tables.append([table, found.attention.heads, found.groups[0].layers])
    return {"tables": tables, "slopes": slopes(heads).tolist()}


def weights_and_effects(network: str) -> dict:
    """A trained layer, over all its sentences: in how many rows the word with the largest weight, averaged over the heads, is the
    one without which the output changes most."""
    trace: Trace = forward(store.load(network), sentence.combinations().tokens).trace
    weights = trace.weights.values.astype(np.float64)
    effect = []
    for key in range(weights.shape[-1]):
        left = weights * (np.arange(weights.shape[-1]) != key)  # the others share what a masked key had
        moved = projected(trace, left / left.sum(-1, keepdims=True)) - trace.output.values
        effect.append(np.linalg.norm(moved, axis=-1))
    same = weights.mean(1).argmax(-1) == np.argmax(effect, axis=0)
    return {"rows": same.size, "same": int(same.sum()), "share": float(same.mean())}


def attends_to_nothing(trace: Trace, lower: float) -> dict:
    """A 1 added to the denominator of the softmax: the sums of head 1's rows, and those of scores that are so much lower; how far
    the weights are from those with one more key of score 0, left out afterwards, and from a layer's whose sinks are 0; and how
    far the output moves."""
    scaled = trace.scaled.values.astype(np.float64)

    def with_one(scores: Floats) -> Floats:
        shares = np.exp(scores)
        return shares / (1 + shares.sum(-1, keepdims=True))

    weights, more = with_one(scaled), np.concatenate([scaled, np.zeros((*scaled.shape[:-1], 1))], -1)
    cfg = replace(trace.cfg, sinks=True)
    sunk = run(cfg, params=replace(run(cfg).params, sinks=Array(np.zeros(cfg.num_heads, np.float32), "h")))
    return {"rows": weights[0, 0].sum(-1).tolist(), "lower": with_one(scaled - lower)[0, 0].sum(-1).tolist(),
            "zero_key": gap(weights, plain_softmax(more)[..., :-1]), "sinks": gap(weights, sunk.weights.values),
            "output": gap(projected(trace, weights), trace.output.values)}  # fmt: skip


def bias_as_mask(trace: Trace) -> dict:
    """ALiBi as numbers added to the scores before the softmax, with -inf above the diagonal: their shape for any batch, and how
    far the weights are from those of the causal layer that has it, and from those without."""
    cfg = replace(trace.cfg, mask="causal", alibi=True)
    bias = np.where(attention_mask(cfg), -slopes(cfg.num_heads)[:, None, None] * distances(cfg), -np.inf)
    weights = plain_softmax(trace.scaled.values + bias)
    return {"shape": list(bias[None].shape), "apart": gap(weights, run(cfg).weights.values),
            "plain": gap(weights, run(replace(cfg, alibi=False)).weights.values)}  # fmt: skip


def largest_subtracted(scores: list[float]) -> dict:
    """A row of weights in float32, by e^score alone and with the largest score subtracted first; how far the two are apart where
    the scores are a thousand times smaller; and the score from which on e^score is more than float32 holds."""
    row = np.array(scores, np.float32)

    def alone(of: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.exp(of) / np.exp(of).sum()

    small = row / 1000
    return {"scores": scores, "alone": read(alone(row)), "subtracted": read(plain_softmax(row)),
            "apart": gap(alone(small), plain_softmax(small)), "most": float(np.log(np.finfo(np.float32).max))}  # fmt: skip


def rolled_out(trace: Trace) -> dict:
    """Rollout of two layers, the second on the first one's output and input added up: the mean map and the identity, half each,
    multiplied; the sum of a row, and the share of a token itself with the identity and without. And how far the output and the
    rollout move where the second layer has other values."""
    x = trace.x_query.values + trace.output.values
    second = run(replace(trace.cfg, seed=trace.cfg.seed + 1), inputs=Inputs(Array(x, "btm"), Array(x, "bsm")))
    other = run(second.cfg, inputs=Inputs(Array(x, "btm"), Array(x, "bsm")), params=replace(second.params, w_v=trace.params.w_v))
    alone = [one.weights.values[0].mean(0) for one in (trace, second, other)]
    first, then, again = ((one + np.eye(len(one))) / 2 for one in alone)
    return {"row": float((then @ first)[0].sum()), "own": float(np.diag(then @ first).mean()),
            "own_alone": float(np.diag(alone[1] @ alone[0]).mean()), "still": gap(then @ first, again @ first),
            "output": gap(second.output.values, other.output.values)}  # fmt: skip


def looked_up(trace: Trace, factors: list[float]) -> dict:
    """Scores times each factor: the largest weight of a row on average, and how far the results are from the values of the keys
    with the largest scores."""
    scaled, v = trace.scaled.values.astype(np.float64), trace.v.values
    batch, heads = np.arange(v.shape[0])[:, None, None], np.arange(v.shape[2])[:, None]
    hard = v[batch, scaled.argmax(-1), heads].transpose(0, 2, 1, 3)
    weights = [plain_softmax(scaled * factor) for factor in factors]
    return {"factors": factors, "largest": [float(one.max(-1).mean()) for one in weights],
            "apart": [gap(np.einsum("bhts,bshv->bthv", one, v), hard) for one in weights]}  # fmt: skip
