"""Sizes and names of the trained networks. In the paper's convention, d_model has the slider's values from 4 to 64. For each
d_model, there is a network for every divisor up to 16 as the number of heads. In Keras's convention, d_model is 16."""

from collections.abc import Iterator
from dataclasses import replace

from headcount.settings import DEFAULTS, STOPS, heads_stops
from headcount.trained.sentence import D_MODEL, HEADS, KERAS_HEADS, KEY_DIM, TASK
from headcount.trained.task import Task

#: Sizes of a network: d_model, heads, key_dim and value_dim.
Sizes = tuple[int, int, int, int]
MIN_WIDTH, MAX_WIDTH, MOST = 4, 64, 16  # MOST: heads, and numbers of a head in Keras's convention
#: Values of key_dim = value_dim in Keras's convention, in addition to KEY_DIM.
ALIKE = (1, 2, 8, 16)


def task_at(d_model: int) -> Task:
    """Returns the task of the sentences with another d_model."""
    return replace(TASK, name="stops", d_model=d_model)


def sizes_of(name: str) -> Sizes:
    """Returns the sizes in a network's name: "stops-24-4-6-6" has d_model 24, 4 heads, key_dim 6 and value_dim 6."""
    width, heads, key_dim, value_dim = map(int, name.split("-")[1:])
    return width, heads, key_dim, value_dim


def _sizes() -> Iterator[Sizes]:
    for width in (width for width in STOPS["d_model"] if MIN_WIDTH <= width <= MAX_WIDTH):
        yield from ((width, h, width // h, width // h) for h in heads_stops(width, True) if h <= MOST and not width % h)
    for heads in HEADS:
        own = [size for size in STOPS["key_dim"] if size <= MOST]
        yield from ((D_MODEL, heads, size, KEY_DIM) for size in own)
        yield from ((D_MODEL, heads, KEY_DIM, size) for size in own)
        yield from ((D_MODEL, heads, size, size) for size in ALIKE)


def name_of(sizes: Sizes) -> str:
    """Returns the name of the network of these sizes: "sentence-4", "sentence-8-key4" (Keras), or "stops-24-4-6-6"."""
    width, heads, key_dim, value_dim = sizes
    if width == D_MODEL and key_dim == value_dim and heads * key_dim == width:
        return f"sentence-{heads}"
    if width == D_MODEL and key_dim == value_dim == KEY_DIM and heads in KERAS_HEADS:
        return f"sentence-{heads}-key{KEY_DIM}"
    return "-".join(map(str, ("stops", *sizes)))


#: Names of the trained networks by their sizes. Those with the default number of heads come first.
NETWORKS = {sizes: name_of(sizes) for sizes in sorted({*_sizes()}, key=lambda one: (one[1] != DEFAULTS["num_heads"], one))}
