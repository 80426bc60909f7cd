"""Where the files that travel with the code are."""

from pathlib import Path

#: The folder of this package: where `-m headcount…` is found, wherever the server was started.
ROOT = Path(__file__).parents[1]
#: Where app.py, its pages and what it serves are: in the package, as it is installed, or in the checkout.
APP = ROOT / "headcount" / "app" if (ROOT / "headcount" / "app").is_dir() else ROOT
ASSETS = APP / "assets"
