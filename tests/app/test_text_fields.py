"""What may be written into the app's text fields: bounded where it is typed, so that no message is too long for the server."""

import ast

import pytest
from streamlit import config

from tests.app.driver import ALL_PAGES, seen
from tests.sources import ROOT, python_files

FIELDS = ("text_input", "text_area", "chat_input")


def calls() -> list[tuple[str, ast.Call]]:
    """Every call that makes a text field, with where it stands."""
    found = []
    for path in python_files("app.py", "components", "pages"):
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in FIELDS:
                found.append((f"{path}:{node.lineno}", node))
    return found


def test_every_text_field_says_how_many_characters_it_takes():
    """`**more` counts only where it is written to hold max_chars."""
    found = calls()
    assert {place.split(":")[0] for place, _ in found} >= {"components/app/controls.py"}, "where fields come from"
    for place, call in found:
        names = {keyword.arg for keyword in call.keywords}
        text = (ROOT / place.split(":")[0]).read_text(encoding="utf-8")
        assert "max_chars" in names or (None in names and '"max_chars":' in text), place


@pytest.mark.parametrize("page", ALL_PAGES)
def test_all_text_fields_of_a_page_together_fit_into_one_message(page: str):
    """A character is up to four bytes; a longer message ends the connection, and the browser would send it again for ever."""
    at = seen(page, head_off=2)
    fields = [*at.text_input, *at.text_area]
    assert all(field.proto.max_chars > 0 for field in fields), [field.label for field in fields if not field.proto.max_chars]
    assert 4 * sum(field.proto.max_chars for field in fields) < config.get_option("server.maxWidgetStateSize") * 1_000_000
