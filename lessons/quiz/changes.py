"""Quiz questions about what changes with a size or the number of heads. Their answers are computed."""

from dataclasses import replace
from random import Random

import numpy as np

from headcount.cost import contrasts
from headcount.forward import run
from headcount.ledger import count_parameters
from lessons.quiz.question import AS_PAPER, Clash, QuizQuestion, free_layer, kind, options, paper_layer

CELLS, KERNELS, ADDS = (
    "the cells of all attention maps",
    "the weights in W_Q, W_K, W_V and W_O",
    "the multiply-adds of the projections",
)


@kind
def grows(rng: Random) -> QuizQuestion:
    cfg = paper_layer(rng)
    one = cfg.with_heads(1, paper=True)
    _, cells, kernels, _, adds = contrasts(cfg, one)
    if not kernels.same or not adds.same or cells.same:
        raise Clash
    if_fixed = f"True if key_dim stayed {cfg.d_model} as heads are added, as in Keras. Here the number is {{:,}} both times."
    right = (CELLS, f"{cells.there:,} cells become {cells.here:,}: each head has its own map.")
    wrong = [
        (KERNELS, if_fixed.format(kernels.here)),
        (ADDS, if_fixed.format(adds.here)),
        ("the width of the output", f"True without W_O, which maps everything back to {cfg.d_model} columns."),
    ]
    asks = f"{AS_PAPER}; d_model = {cfg.d_model}, with {cfg.query_len} tokens. What grows from 1 head to {cfg.num_heads}?"
    return QuizQuestion("grows", asks, options(rng, right, wrong), cfg, "attention", paper=True, related="q01")


@kind
def stays(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng, num_heads=rng.choice((2, 3)))
    more = replace(cfg, num_heads=2 * cfg.num_heads)
    before, after = count_parameters(cfg), count_parameters(more)
    right = ("the shape of the output", f"It is {cfg.query_len} × {cfg.d_model} both times: W_O maps any number of columns back.")
    wrong = [
        (
            "the number of parameters",
            f"{before:,} parameters become {after:,}. The number would stay if key_dim and value_dim were d_model / heads.",
        ),
        (
            "the columns of Concat",
            f"{cfg.size('(hv)')} columns become {more.size('(hv)')}. The number would stay if value_dim were d_model / heads.",
        ),
        ("the shape of W_Q", "True if key_dim were the size of all heads together. It is the size of each head."),
    ]
    asks = (
        f"In Keras, {cfg.num_heads} heads become {more.num_heads}, with key_dim {cfg.key_dim} and value_dim {cfg.value_dim} "
        "unchanged. What stays the same?"
    )
    return QuizQuestion("stays", asks, options(rng, right, wrong), more, "concatenation", related="q32")


@kind
def divisor(rng: Random) -> QuizQuestion:
    cfg = free_layer(rng)
    D, k, v = cfg.d_model, cfg.key_dim, cfg.value_dim
    trace = run(cfg)
    place = np.unravel_index(np.abs(trace.scores.values).argmax(), trace.scores.shape)
    measured = trace.scores.values[place] / trace.scaled.values[place]
    root = lambda n: f"√{n} ≈ {n**0.5:.2f}"  # noqa: E731
    right = (root(round(float(measured) ** 2)), "The scores are sums of key_dim products, so they grow with √key_dim.")
    wrong = [
        (root(D), "True if each head's queries were d_model wide."),
        (f"{k}", "True if the scores grew with key_dim. The scores grow with the root of key_dim."),
        (root(v), "True if the scores were sums of value_dim products."),
        (root(cfg.num_heads * k), "True of one head as wide as all of them together."),
    ]
    asks = f"A layer has d_model {D}, {cfg.num_heads} heads, key_dim {k}, value_dim {v}. What are its scores divided by?"
    return QuizQuestion("divisor", asks, options(rng, right, wrong), cfg, "steps", related="q44")
