"""Where the files that travel with the code are."""

from pathlib import Path

#: The checkout: where `-m mha…` is found, wherever the server was started.
ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "assets"
