"""Locations of the files that are shipped with the code."""

from pathlib import Path

#: The folder of this package. `-m headcount…` is found there, wherever the server was started.
ROOT = Path(__file__).parents[1]
#: The folder of app.py, its pages and the files it serves: inside the installed package, or in the checkout.
APP = ROOT / "headcount" / "app" if (ROOT / "headcount" / "app").is_dir() else ROOT
ASSETS = APP / "assets"
