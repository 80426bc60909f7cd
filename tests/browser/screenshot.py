"""The start page as a new visitor sees it: `python -m tests.browser.screenshot FILE`, for the README."""

import io
import sys

from PIL import Image

from tests.serving import chromium, new_page, served


def main(file: str) -> None:
    with served() as server, chromium() as browser:
        page = new_page(browser)
        page.goto(server.url)
        page.wait_for_function("document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'")
        page.get_by_text("same as the real layer").wait_for(timeout=60_000)
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shot.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)  # a third of the bytes, the same to the eye


if __name__ == "__main__":
    main(sys.argv[1])
