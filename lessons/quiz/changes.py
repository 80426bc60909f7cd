"""Questions about what changes when a size, a mask, a head or a token does, and about what is allowed. Answers are computed."""

from dataclasses import replace
from random import Random

import numpy as np

from headcount.arrays import Array
from headcount.config import Config
from headcount.cost import contrasts
from headcount.forward import Trace, run
from headcount.ledger import count_parameters
from headcount.params import Inputs, make_inputs
from headcount.steps import attention_mask
from headcount.variations import without_head
from lessons.quiz.question import AS_PAPER, Clash, Question, free_layer, kind, options, paper_layer

CELLS, KERNELS, ADDS = (
    "the cells of all attention maps",
    "the weights in W_Q, W_K, W_V and W_O",
    "the multiply-adds of the projections",
)


@kind
def grows(rng: Random) -> Question:
    cfg = paper_layer(rng)
    one = cfg.with_heads(1, paper=True)
    _, cells, kernels, _, adds = contrasts(cfg, one)
    if not kernels.same or not adds.same or cells.same:
        raise Clash
    if_fixed = f"True if key_dim stayed {cfg.d_model} as heads are added, as in Keras. Here it is {{:,}} both times."
    right = (CELLS, f"{cells.there:,} become {cells.here:,}: each head has its own map.")
    wrong = [
        (KERNELS, if_fixed.format(kernels.here)),
        (ADDS, if_fixed.format(adds.here)),
        ("the width of the output", f"True without W_O, which maps everything back to {cfg.d_model} columns."),
    ]
    asks = f"{AS_PAPER}; d_model {cfg.d_model}, {cfg.query_len} tokens. What grows from 1 head to {cfg.num_heads}?"
    return Question("grows", asks, options(rng, right, wrong), cfg, "attention", paper=True, related="q01")


@kind
def stays(rng: Random) -> Question:
    cfg = free_layer(rng, num_heads=rng.choice((2, 3)))
    more = replace(cfg, num_heads=2 * cfg.num_heads)
    before, after = count_parameters(cfg), count_parameters(more)
    right = ("the shape of the output", f"{cfg.query_len} × {cfg.d_model} both times: W_O maps any number of columns back.")
    wrong = [
        ("the number of parameters", f"{before:,} become {after:,}. It stays the same with key size d_model / heads."),
        (
            "the columns of Concat",
            f"{cfg.size('(hv)')} become {more.size('(hv)')}. They stay the same with key size d_model / heads.",
        ),
        ("the shape of W_Q", "True if key_dim were the size of all heads together. It is the size of each head."),
    ]
    asks = (
        f"In Keras, {cfg.num_heads} heads become {more.num_heads}, with key_dim {cfg.key_dim} and value_dim {cfg.value_dim} "
        "unchanged. What stays the same?"
    )
    return Question("stays", asks, options(rng, right, wrong), more, "concatenation", related="q32")


@kind
def value_dim(rng: Random) -> Question:
    cfg = free_layer(rng)
    more = replace(cfg, value_dim=cfg.value_dim + rng.choice((1, 2, 4)))
    same = np.array_equal(run(cfg).weights.values, run(more).weights.values)
    if not same:
        raise Clash
    right = ("the columns of Concat", f"h · value_dim: {cfg.size('(hv)')} become {more.size('(hv)')}.")
    wrong = [
        ("the attention weights", "True if V were part of the scores. Only Q and K are."),
        ("the width of the output", f"True without W_O, which maps everything back to {cfg.d_model} columns."),
        ("the shape of W_Q", "True if key_dim followed value_dim. By default, value_dim follows key_dim."),
    ]
    asks = f"value_dim goes from {cfg.value_dim} to {more.value_dim}, and key_dim stays {cfg.key_dim}. What changes?"
    return Question("value_dim", asks, options(rng, right, wrong), more, "concatenation", related="q13")


@kind
def head_off(rng: Random) -> Question:
    cfg = free_layer(rng)
    head, trace = rng.randrange(cfg.num_heads), run(cfg)
    changed = np.abs(without_head(trace, head).output.values[0] - trace.output.values[0]).max(axis=0) > 0
    D, v = cfg.d_model, cfg.value_dim
    right = (f"{int(changed.sum())}", f"All {D}: every head contributes to every column through W_O.")
    wrong = [
        (f"{v}", "That is how many columns of Concat change. W_O mixes them."),
        (f"{D // cfg.num_heads}", "True if each head owned a part of the output."),
        ("0", "True if the other heads made up for it."),
    ]
    asks = f"Of {cfg.num_heads} heads, head {head + 1} is set to 0 before W_O. How many of the output's {D} columns change?"
    return Question(
        "head_off", asks, options(rng, right, wrong), cfg, "head_switched_off", choices=(("head_off", head + 1),), related="q40"
    )


@kind
def last_token(rng: Random) -> Question:
    cfg = paper_layer(rng, mask=rng.choice(("none", "causal")))
    T, causal = cfg.query_len, cfg.mask == "causal"
    right = (f"{rows_changed(cfg)}", "Only the last query may see the last token." if causal else "Every query sees every token.")
    wrong = [
        (f"{T}" if causal else "1", "True without the mask." if causal else "True with a causal mask."),
        ("0", "True if the output did not depend on that token."),
        (f"{T - 1}", "True if a token could not see itself, but all others could see it."),
        (f"{cfg.num_heads}", "True if there were one row per head."),
    ]
    masked = "under a causal mask" if causal else "without a mask"
    asks = (
        f"Self-attention over {T} tokens, {cfg.num_heads} heads, {masked}. The last token changes. How many rows of the "
        "output change?"
    )
    return Question("last_token", asks, options(rng, right, wrong), cfg, "attention", paper=True, related="q20")


def rows_changed(cfg: Config) -> int:
    """How many rows of the output differ when the last row of X does. Self-attention."""
    x = make_inputs(cfg).x_query.values.copy()
    x[:, -1] += 1
    other: Trace = run(cfg, inputs=Inputs(Array(x, "btm"), Array(x, "bsm")))
    return int((np.abs(other.output.values[0] - run(cfg).output.values[0]).max(axis=1) > 1e-5).sum())


@kind
def keys_seen(rng: Random) -> Question:
    cfg = free_layer(rng, mask="causal")
    T, S = cfg.query_len, cfg.key_len
    t = rng.randrange(2, T + 1)
    aligned = min(max(S - T + t, 0), S)
    seen = int(attention_mask(cfg)[t - 1].sum())
    right = (f"{seen}", f"Keys 1 to {min(t, S)}: its own position and all before it, counted from the start.")
    wrong = [
        (f"{aligned}", "True if the last query saw the last key (aligned at the end, as with a key cache)."),
        (f"{min(t - 1, S)}", "True if it could not see its own position."),
        (f"{S}", "True without the mask."),
        (f"{max(S - t + 1, 0)}", "True if it saw its own position and all after it."),
    ]
    asks = f"With `use_causal_mask=True`, {T} queries and {S} keys, how many keys may query {t} see?"
    return Question("keys_seen", asks, options(rng, right, wrong), cfg, "attention", related="q20")


@kind
def divisor(rng: Random) -> Question:
    cfg = free_layer(rng)
    D, k, v = cfg.d_model, cfg.key_dim, cfg.value_dim
    trace = run(cfg)
    place = np.unravel_index(np.abs(trace.scores.values).argmax(), trace.scores.shape)
    measured = trace.scores.values[place] / trace.scaled.values[place]
    root = lambda n: f"√{n} ≈ {n**0.5:.2f}"  # noqa: E731
    right = (root(round(float(measured) ** 2)), "The scores are sums of key_dim products, so they grow with √key_dim.")
    wrong = [
        (root(D), "True if each head's queries were d_model wide."),
        (f"{k}", "True if the scores grew with key_dim. Their spread grows with its root."),
        (root(v), "True if the scores were sums of value_dim products."),
        (root(cfg.num_heads * k), "True of one head as wide as all of them together."),
    ]
    asks = f"d_model {D}, {cfg.num_heads} heads, key_dim {k}, value_dim {v}. What are the scores divided by before the softmax?"
    return Question("divisor", asks, options(rng, right, wrong), cfg, "steps", related="q44")


@kind
def legal(rng: Random) -> Question:
    D, h = rng.choice([(d, h) for d in (8, 9, 10, 12, 14, 15, 16) for h in (2, 3, 4, 5, 6)])
    cfg = free_layer(rng, d_model=D, num_heads=h)
    both, torch = "both", "Keras builds it, PyTorch refuses it"
    divides = D % h == 0
    needs = f"{h} divides {D}" if divides else f"{h} does not divide {D}; PyTorch cuts d_model into h equal parts, Keras does not"
    right = (both if divides else torch, f"{needs}.")
    wrong = [
        (torch if divides else both, f"True if {h} {'did not divide' if divides else 'divided'} {D}."),
        ("PyTorch builds it, Keras refuses it", "Keras has no such rule: any number of heads goes with any d_model."),
        ("neither", "True if Keras, too, required h to divide d_model. It has no such rule."),
    ]
    asks = (
        f"d_model {D}, {h} heads: which layer can be built, `nn.MultiheadAttention({D}, {h})` or "
        f"`MultiHeadAttention({h}, key_dim={cfg.key_dim})` on inputs {D} wide?"
    )
    return Question("legal", asks, options(rng, right, wrong), cfg, "projections", related="q13")
