"""The book has every sentence that the app says, at its defaults and at chosen settings."""

import difflib
import os
from pathlib import Path

import pytest

from tests.book.chapters import CHAPTERS, written

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_app_says_what_stands_in_the_book(name: str):
    """After an intended change, run `make book` and read the difference."""
    path, now = FOLDER / f"{name}.md", written(name)
    if os.environ.get("HEADCOUNT_BOOK") == "write":
        path.write_text(now, encoding="utf-8")
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if now != before:
        changed = difflib.unified_diff(before.split("\n"), now.split("\n"), "the book", "the app", lineterm="", n=0)
        pytest.fail("\n".join(["The app says something else; `make book` writes it anew:", *changed][:80]), pytrace=False)


def test_every_file_of_the_book_is_a_chapter():
    assert {path.stem for path in FOLDER.glob("*.md")} - {"README"} == {*CHAPTERS}
