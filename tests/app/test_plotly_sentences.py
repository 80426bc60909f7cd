"""A page says of its cells only what they do: by a click, by the pointer, or, where each is a mean of many, by a typed name."""

import pytest

from components.widgets.explanation import CHOOSING
from tests.app.driver import open_page, text, whole


@pytest.mark.parametrize(("page", "query", "how"), [
    ("attention", {}, "click"),
    ("attention", {"query_len": 23, "key_len": 23, "numbers": "seed"}, "choose"),
    ("attention", {"query_len": 131, "key_len": 131, "numbers": "seed"}, "type"),
    ("concatenation", {"query_len": 6, "key_len": 6}, "click"),
    ("concatenation", {"d_model": 512, "num_heads": 2}, "type"),
    ("projections", {}, "click"),
    ("heads", {}, "click"),
])  # fmt: skip
def test_a_page_says_how_a_cell_is_chosen(page, query, how):
    assert CHOOSING[how][1] in text(whole(open_page(page, drawn_by="plotly", **query)))
    assert CHOOSING["type" if how == "type" else "stage"][1] in text(whole(open_page(page, **query)))
