"""The main picture before all that follows it."""

import time

#: Seconds. The browser draws what came in one burst all at once, Plotly's charts included (25 ms for each); after this breath it
#: has drawn the picture (benchmarks/paint.py, benchmarks/models.py). Only this visitor's thread rests.
BREATH = 0.03


def picture_first() -> None:
    """After the picture that a visitor waits for, where the browser could not know it before."""
    time.sleep(BREATH)
