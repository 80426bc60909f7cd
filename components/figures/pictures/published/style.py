"""What the figures of this page share: transparent ground, quiet axes, notes."""

from components.figures.theme import CLEAR


def layout(height: int, **more: object) -> dict:
    """A layout without decoration."""
    return {
        "height": height, "margin": {"l": 8, "r": 8, "t": 8, "b": 8}, "showlegend": False, "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR, "hovermode": "closest", **more,
    }  # fmt: skip


def hidden(**more: object) -> dict:
    """An axis of which nothing is seen."""
    return {"visible": False, "fixedrange": True, **more}


def note(text: str, x: float, y: float, **more: object) -> dict:
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": {"size": more.pop("size", 14)}, **more}
