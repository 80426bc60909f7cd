"""Takes the README's pictures of the app itself: `make pictures`."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.server import ROOT, served

INTO = ROOT / "assets" / "readme"
SIZE = {"width": 1280, "height": 800}
#: file, address, theme, how far down
PICTURES = (
    ("heads", "/", "light", 0),
    ("keras", "/?split=free", "dark", 0),
    ("projections", "/projections?cell=q.2.3.1", "light", 0),
    ("attention", "/attention?mask=causal&tokens=the+cat+sat+on+the+mat&cell=weights.1.4.2", "light", 0),
    ("concatenation", "/concatenation?cell=output.2.5", "dark", 0),
)


def main(chromium: str) -> None:
    INTO.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as logs, served(Path(logs) / "log") as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, address, theme, down in PICTURES:
            page = browser.new_page(viewport=SIZE, color_scheme=theme, reduced_motion="reduce")
            page.goto(url + address)
            page.wait_for_selector("[data-drawn]", state="attached")
            page.get_by_text("same as the real layer").first.wait_for(state="attached", timeout=60_000)
            page.mouse.wheel(0, down)
            page.wait_for_timeout(1500)  # fonts and Plotly's last frame
            page.screenshot(path=INTO / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
