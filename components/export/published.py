"""The figures of the page about published models."""

from components.export.figure import Figure, Picture
from components.export.request import Request
from components.figures.published import matrices, moves, sharing, widths
from mha.names import heads_in_words
from mha.published.model import Model
from mha.published.table import entries


def _chosen(ask: Request) -> tuple[str, Model]:
    slug = str(ask["model"])
    return slug, entries()[slug].model


def weights(ask: Request) -> Picture:
    slug, model = _chosen(ask)
    rows = matrices.rows_of("", model.attention, model.attention)
    title = f"{slug}: the attention matrices of one layer, cut into {heads_in_words(model.attention.heads)}"
    return Picture(matrices.draw(rows, high=150, verdicts=False), title, matrices.alt(rows))


def shared(ask: Request) -> Picture:
    slug, model = _chosen(ask)
    made = sharing.bonds(model.attention)
    title = f"{slug}: which heads share keys and values"
    return Picture(sharing.draw(model.attention, made), title, sharing.alt(made), made.sentence)


def moved(ask: Request) -> Picture:
    slug, model = _chosen(ask)
    made = moves.moves(model, model)
    return Picture(moves.draw(made), f"{slug}: attention parameters against heads", moves.alt(made))


def all_widths(ask: Request) -> Picture:
    models = [(entry.slug, entry.model) for entry in entries().values()]
    title = f"All heads together against d_{{model}}, {len(models)} published models"
    return Picture(widths.draw(models), title, widths.alt(models))


PAGE = {"page": "published_models", "of_layer": False}
FIGURES = (
    Figure("published_matrices", "A published model's matrices", draw=weights, options=("model",), key="matrices", **PAGE),
    Figure("published_sharing", "Who shares keys and values there", draw=shared, options=("model",), key="sharing", **PAGE),
    Figure("published_moves", "Its parameters against heads", draw=moved, options=("model",), key="moves", **PAGE),
    Figure("published_widths", "h · d_k against d_model, all models", draw=all_widths, key="widths", **PAGE),
)
