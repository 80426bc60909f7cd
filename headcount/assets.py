"""Where the files that travel with the code are."""

from pathlib import Path

#: The checkout: where `-m headcount…` is found, wherever the server was started.
ROOT = Path(__file__).parents[1]
#: Where app.py, its pages and what it serves are: there as well, or, installed, in a folder beside the packages.
APP = ROOT / "headcount_app" if (ROOT / "headcount_app").is_dir() else ROOT
ASSETS = APP / "assets"
