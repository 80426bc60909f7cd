"""The guided walk from one head to the sum by W_O, as a table: each step is a picture of a page at some settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from components.export.figures import figure_named
from components.export.request import Request, request_of
from components.figures.pictures.heads import neighbours
from components.figures.scene import Scene
from mha import Config, count_parameters


@dataclass(frozen=True, slots=True)
class Step:
    """`message`: one sentence, with names of the layer's numbers in braces. `figure`: a name in the registry of figures;
    `settings`: those that differ from the default, as the address spells them; `rows`: which rows of the picture are shown;
    `only`: which of their panels, where it is not all."""

    message: str
    figure: str
    settings: Mapping[str, object] = field(default_factory=dict)
    rows: tuple[int, ...] = (0,)
    only: tuple[str, ...] = ()


WALK = (
    Step("One head: X times $W_Q,$ $W_K$ and $W_V,$ plus a bias each, gives Q, K and V.", "projections", {"num_heads": 1}),
    Step("Every query is compared with every key; softmax turns each row into shares.", "steps", {"num_heads": 1}),
    Step("Two heads: the same {d_model} × {d_model} numbers, cut in two.", "heads", {"num_heads": 2}, only=("cut-1", "cut-2")),
    Step("{heads} heads: {counts} parameters. Nothing added, nothing lost.", "heads"),
    Step("Keras’s key_dim is the size of each head: {counts} parameters.", "heads", {"split": "free"}),
    Step("Every head gets all of X and its own {d_model} × {key_dim} piece of $W_Q$.", "heads", rows=(1,)),
    Step("So each head has a Q, K and V of its own, {key_dim} wide.", "projections"),
    Step("Head 2 by itself: {query_len} × {key_len} scores, divided by √{key_dim}, then softmax.", "steps", {"head": 2}),
    Step("{num_heads} heads attend in {num_heads} ways: every row sums to 1.", "attention"),
    Step("A causal mask: query t sees keys 1 to t, in every head.", "attention", {"mask": "causal"}),
    Step("Side by side: {num_heads} × {value_dim} = {joined} columns, then $W_O$ mixes them.", "concatenation"),
    Step("$W_O$ adds them up: the output is the sum of the heads’ shares and $b_O$.", "concatenation", rows=(0, 1)),
)


def request(step: Step) -> Request:
    return request_of(dict(step.settings))


def numbers(cfg: Config, paper: bool) -> dict[str, object]:
    """What a message may name. `heads` and `counts`: of the layers that are side by side."""
    layers = neighbours(cfg, paper)
    counts = sorted({count_parameters(layer) for layer in layers})
    sizes = {name: getattr(cfg, name) for name in ("d_model", "num_heads", "key_dim", "value_dim", "query_len", "key_len")}
    return sizes | {
        "joined": cfg.num_heads * cfg.value_dim,
        "heads": ", ".join(str(layer.num_heads) for layer in layers),
        "counts": f"{counts[0]:,}" if len(counts) == 1 else ", ".join(f"{count:,}" for count in counts),
    }


def message(step: Step) -> str:
    layer = request(step)
    return step.message.format(**numbers(layer.cfg, layer.paper))


def picture(step: Step) -> Scene:
    """The part of the page's picture that the step is about."""
    scene = figure_named(step.figure).draw(request(step)).scene
    rows = tuple(tuple(panel for panel in scene.rows[row] if not step.only or panel.id in step.only) for row in step.rows)
    used = {block.grid for row in rows for panel in row for block in panel.blocks}
    grids = {name: grid for name, grid in scene.grids.items() if name in used}
    return replace(scene, rows=rows, grids=grids, captions=())


def link(step: Step) -> str:
    """The address of the whole page at these settings, relative to any page of the app."""
    figure = figure_named(step.figure)
    return "." + request(step).link(figure.page, figure.options)
