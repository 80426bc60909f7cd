"""Experiments with masks on the real layer: accepted shapes, what they mean, and common mistakes. All inputs have rank 3: batch
B, T queries, S keys. True lets a query look, as in Keras."""

from dataclasses import replace
from typing import TypeVar

from headcount.arrays import Bools, Floats
from headcount.bounded_process import Facts
from headcount.keras.backend import Attention, built_layer, np
from headcount.keras.experiments.basics import attempt
from headcount.keras.experiments.building import call, difference, output_of
from headcount.keras.layer import KerasLayer, inputs_of, weights_of

Of = TypeVar("Of", Floats, Bools)
#: How many samples and heads have their scores returned, to be drawn.
SHOWN, MAX_SHOWN = 2, 4


def built(layer: KerasLayer) -> tuple[Attention, dict[str, int]]:
    """Builds the real layer. Also returns its lengths by letter."""
    lengths = {"B": layer.query_shape[0], "h": layer.num_heads, "T": layer.query_shape[1], "S": layer.value_shape[1], "1": 1}
    return built_layer(layer), lengths


def some_mask(shape: tuple[int, ...], seed: int) -> Bools:
    """Draws a random mask that allows about six of ten keys, and always the first, so that every query sees a key."""
    mask = np.random.default_rng([seed, *shape]).random(shape) < 0.6
    mask[..., 0] = True
    return mask


def first_few(scores: Of) -> Of:
    """Returns the scores of the first SHOWN samples and heads, axes "bhts"."""
    return scores[:SHOWN, :SHOWN]


def mask_own(layer: KerasLayer, mask: object = None, causal: bool = False, training: bool = False) -> Facts:
    """Calls the layer with the visitor's own mask, of any shape that Keras accepts. Reports the output, the scores of the first
    samples and heads, and how far the output is `apart` from that without mask and window."""
    allowed = None if mask is None else np.asarray(mask) != 0
    free, _ = call(built_layer(replace(layer, sliding_window=None)), layer)
    real_layer = built_layer(layer)

    def masked() -> Facts:
        output, scores = call(real_layer, layer, attention_mask=allowed, use_causal_mask=causal, training=training)
        return {"output": output, "scores": scores[:MAX_SHOWN, :MAX_SHOWN], "apart": difference(output, free)}

    return attempt(masked)


def mask_flat(layer: KerasLayer) -> Facts:
    """Calls the layer with a (B, S) padding mask, a common mistake. Reports its scores, those of the intended (B, 1, S) mask, and
    the difference of the outputs. Sample b has S − (b mod S) real keys."""
    real_layer, lengths = built(layer)
    real = lengths["S"] - np.arange(lengths["B"]) % lengths["S"]
    mask = np.arange(lengths["S"])[None, :] < real[:, None]
    output, scores = call(real_layer, layer, attention_mask=mask)
    right, meant = call(real_layer, layer, attention_mask=mask[:, None, :])
    return {"scores": first_few(scores), "meant": first_few(meant), "apart": difference(output, right)}


def mask_polarity(layer: KerasLayer) -> Facts:
    """Calls the layer with a mask of the first half of the keys, and with its inverse, which is what PyTorch's
    nn.MultiheadAttention expects."""
    real_layer, lengths = built(layer)
    mask = np.broadcast_to(np.arange(lengths["S"]) < (lengths["S"] + 1) // 2, (1, lengths["T"], lengths["S"]))
    right, scores = call(real_layer, layer, attention_mask=mask)
    wrong, inverted = call(real_layer, layer, attention_mask=~mask)
    return {"scores": first_few(scores), "inverted": first_few(inverted), "apart": difference(right, wrong)}


def mask_additive(layer: KerasLayer) -> Facts:
    """Calls the layer with a mask of 0 and −1e9, as for adding to scores. Reports the output's difference from that with the
    intended Boolean mask (`apart`), and from that with its inverse (`inverted`)."""
    real_layer, lengths = built(layer)
    mask = some_mask((1, lengths["T"], lengths["S"]), layer.seed)
    mask[..., -1] = False  # every query has a forbidden key: inverted, no row is empty
    right, meant = call(real_layer, layer, attention_mask=mask)
    wrong, scores = call(real_layer, layer, attention_mask=np.where(mask, 0.0, -1e9).astype(np.float32))
    inverted, _ = call(real_layer, layer, attention_mask=~mask)
    return {"scores": first_few(scores), "meant": first_few(meant), "apart": difference(wrong, right),
            "inverted": difference(wrong, inverted)}  # fmt: skip


def mask_causal(layer: KerasLayer) -> Facts:
    """Compares use_causal_mask with the two possible triangles: aligned at the first query and key, or at the last."""
    real_layer, lengths = built(layer)
    everywhere = np.ones((1, lengths["T"], lengths["S"]), bool)
    output, scores = call(real_layer, layer, use_causal_mask=True)
    first, _ = call(real_layer, layer, attention_mask=np.tril(everywhere))
    last, meant = call(real_layer, layer, attention_mask=np.tril(everywhere, lengths["S"] - lengths["T"]))
    return {
        "scores": first_few(scores), "bottom": first_few(meant), "top_left": difference(output, first),
        "bottom_right": difference(output, last),
    }  # fmt: skip


def mask_empty_row(layer: KerasLayer) -> Facts:
    """Calls the layer so that the last query sees no key, with and without `return_attention_scores`. With scores, `bias` is how
    far that query's output is from the output's bias. Without, `mean` is how far it is from that of equal weights."""
    real_layer, lengths = built(layer)
    mask = np.ones((1, lengths["T"], lengths["S"]), bool)
    mask[:, -1] = False
    with_scores, scores = call(real_layer, layer, attention_mask=mask)
    without = output_of(real_layer, layer, attention_mask=mask)
    weights, (_, value, _) = weights_of(layer), inputs_of(layer)
    mean = np.einsum("bm,mhv->bhv", value.mean(axis=1), weights["w_v"]) + weights.get("b_v", 0.0)
    out = layer.output_dims
    uniform = np.tensordot(mean, weights["w_o"], 2) + weights.get("b_o", np.zeros(out))
    return {
        "scores": first_few(scores), "finite": bool(np.isfinite(with_scores).all() and np.isfinite(without).all()),
        "apart": difference(with_scores[:, -1], without[:, -1]),
        "others": difference(with_scores[:, :-1], without[:, :-1]) if lengths["T"] > 1 else 0.0,
        "bias": difference(with_scores[:, -1], np.broadcast_to(weights.get("b_o", np.zeros(out)), with_scores[:, -1].shape)),
        "mean": difference(without[:, -1], uniform),
    }  # fmt: skip
