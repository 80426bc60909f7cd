"""Every figure of the app by its name. A new page's figures are added here, one line each (see components/export/layer.py)."""

from components.export import layer, published, trained
from components.export.figure import Figure

FIGURES: dict[str, Figure] = {figure.name: figure for page in (layer, trained, published) for figure in page.FIGURES}

#: By the page that shows it ("" is the start page) and what it is called there.
SHOWN: dict[tuple[str, str], Figure] = {(figure.page, figure.key): figure for figure in FIGURES.values()}


def figure_named(name: str) -> Figure:
    """ValueError lists the names."""
    if name not in FIGURES:
        raise ValueError(f"figure must be {' or '.join(FIGURES)}, got {name!r}")
    return FIGURES[name]
