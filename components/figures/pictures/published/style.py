"""What the figures of this page share: transparent ground, quiet axes, numbers in words."""

CLEAR = "rgba(0,0,0,0)"
GHOST = "rgba(140, 140, 140, 0.16)"


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


def short(count: float) -> str:
    """1,234 as it is; 28.3M, 671B above. For axes and labels inside pictures; exact numbers stand beside them."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "k")):
        if count >= size:
            scaled = count / (1e3 if letter == "k" else size)
            return f"{scaled:.3g}{letter}" if scaled < 999.5 else f"{scaled:,.0f}{letter}"
    return f"{count:,.0f}"


def bytes_in_words(count: float) -> str:
    """Powers of 1,024, three digits."""
    for size, word in ((1 << 50, "PiB"), (1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= size:
            return f"{count / size:,.3g} {word}" if count / size < 999.5 else f"{count / size:,.0f} {word}"
    return f"{count:,.0f} B"
