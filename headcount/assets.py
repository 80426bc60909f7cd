"""Paths of folders: the code, the app, and the files that are shipped with them."""

from pathlib import Path

#: The folder that contains this package. A process with this folder as its working directory can run `-m headcount…`.
ROOT = Path(__file__).parents[1]
#: The folder of app.py with its pages and files: in the installed package, or else in the checkout.
APP = ROOT / "headcount" / "app" if (ROOT / "headcount" / "app").is_dir() else ROOT
ASSETS = APP / "assets"
