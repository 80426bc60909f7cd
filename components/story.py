"""The start page's words, made of the same numbers as its picture."""

from collections.abc import Sequence

import numpy as np

from components.figures.heads import SIDE_BY_SIDE, neighbours
from components.own_layer.holding import same_weights
from components.tracing import trace_of
from mha import Config, count_parameters
from mha.cost import too_large
from mha.names import BY_CODE, counted, heads_in_words, noun


def coming(cfg: Config, paper: bool, beside: Sequence[int]) -> dict[Config, list[Config]]:
    """The layers that a move of the heads slider may lead to (1, 2, 4, 8 and the stops `beside` the present one), each with the
    layers that will stand side by side then."""
    counts = {*SIDE_BY_SIDE, *beside} - {cfg.num_heads}
    layers = [cfg.with_heads(h, paper=paper) for h in sorted(counts) if not paper or cfg.d_model % h == 0]
    return {layer: neighbours(layer, paper) for layer in layers if not too_large(layer)}


def other_layer(cfg: Config, paper: bool) -> Config:
    """One head, or for one head the next head count that is a layer; the layer itself where there is no other."""
    if cfg.num_heads > 1:
        return cfg.with_heads(1, paper=paper)
    most = BY_CODE["num_heads"].most
    following = next((h for h in range(2, most + 1) if not paper or cfg.d_model % h == 0), 1)
    return cfg.with_heads(following, paper=paper)


def headline(cfg: Config, paper: bool) -> tuple[str, str]:
    """Title and the sentence that says what happens."""
    there = other_layer(cfg, paper)
    here_count, there_count = count_parameters(cfg), count_parameters(there)
    here = f"{heads_in_words(cfg.num_heads)}, {counted(here_count, 'parameter')}."
    title = f"{here} {heads_in_words(there.num_heads)}, {counted(there_count, 'parameter')}."
    if cfg.num_heads == there.num_heads:
        most = BY_CODE["num_heads"].most
        why = (
            "A layer of width 1 can only have one head."
            if cfg.d_model == 1
            else (f"Of all head counts up to {most} only 1 divides {cfg.d_model}: the paper's split has nothing to compare.")
        )
        return here, why
    if paper:
        return title, (
            f"The same {cfg.d_model} × {cfg.d_model} numbers in each matrix, cut into more and narrower pieces: "
            f"$h \\cdot d_{{model}}/h$ is always {cfg.d_model}. Nothing is added, nothing is lost."
        )
    per_head = (count_parameters(cfg) - count_parameters(there)) // (cfg.num_heads - there.num_heads)
    return title, (
        f"In Keras every head brings its own {cfg.d_model} × {cfg.key_dim} piece of each matrix: "
        f"one more head adds **{per_head:,}** {noun(per_head, 'parameter')}. In the paper the heads share a fixed width."
    )


def output_difference(here: Config, there: Config) -> float | None:
    """Largest difference of the two outputs on the same input, both by NumPy: 0 means 0. None where one is too large, or where
    only one of them is a visitor's own layer."""
    if not same_weights(here, there):
        return None
    one, other = trace_of(here), trace_of(there)
    return None if one is None or other is None else float(np.abs(one.output.values - other.output.values).max())
