"""The search field recognises typed and pasted text: it shows findings with links to their layers, and searches for all else."""

import re

import pytest

from headcount.text_bounds import MAX_PASTED, MAX_PASTED_FIELD
from tests.app.driver import open_page, text, title, value, whole

CODE = """class Block(layers.Layer):
    def __init__(self, embed_dim, num_heads):
        self.attention = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)
        self.other = layers.MultiHeadAttention(3, 7, value_dim=5)
"""


def pasted(typed: str):
    at = open_page("questions")
    at.text_area(key="pasted").set_value(typed).run()
    return whole(at)


def fields(at):
    return [one.label for one in at.number_input if one.key.startswith("known ")]


def give(at, number: int, place: int):
    [one for one in at.number_input if one.key.startswith("known ")][place].set_value(number).run()
    return whole(at)


@pytest.mark.parametrize(("typed", "heading", "link"), [
    ("11 heads, head_dim 3, value_dim: 2, d_model 13", "11 heads of 3, values of 2",
     "./keras_layer?d_model=13&num_heads=11&key_dim=3&value_dim=2&split=Keras"),
    ("nn.MultiheadAttention(embed_dim=21, num_heads=7)", "1 call of attention, none looks like a slip.",
     "./?d_model=21&num_heads=7"),
    ("hidden_size=96 num_attention_heads=6 num_key_value_heads=2", "6 heads of 16 on 2 key/value heads",
     "./models?model=this-layer&d_model=96&num_heads=6&use_bias=false&model_kv_heads=2"),
    ("shape '[3, 5, 4, 7]' is invalid for input of size 630", "A shape must multiply to as many numbers as there are",
     "./?d_model=42&num_heads=6"),
    ("(2, 7, 11, 5)", "2 readings of one shape.", "./?d_model=35&num_heads=7&use_bias=false"),
])  # fmt: skip
def test_what_is_typed_into_the_search_opens_its_layer(typed: str, heading: str, link: str):
    at = whole(open_page("questions", find=typed))
    assert title(at) == heading
    assert f"[See this layer]({link})" in text(at)


def test_an_error_has_its_numbers_its_thread_and_the_searchs_hits_below():
    at = whole(open_page("questions", find="num_heads (52) must be divisible by mp_size (8)"))
    assert "52 heads on 8 devices: 6.50, no whole number." in text(at)
    assert "(https://github.com/vllm-project/vllm/issues/4232)" in text(at)
    assert any(button.key == "to_r54" for button in at.button)


def test_pasted_code_says_each_call_and_asks_for_what_it_does_not_say():
    """512 wide: 8 heads of 64 have 4 · 512 · 512 + 4 · 512 = 1,050,624 parameters, 8 heads of 512 have 8,401,408."""
    at = pasted(CODE)
    assert title(at) == "2 calls of attention, 1 looks like a slip."
    assert "**Line 3: MultiHeadAttention**" in text(at)
    assert text(at).count(":material/error:") == 1, "the slip alone has a sign"
    assert fields(at) == ["`num_heads`", "`embed_dim`", "The width of the input in line 4"]
    at = give(give(at, 8, 0), 512, 1)
    assert "You probably meant key_dim=64: 8,401,408 parameters now, 1,050,624 then." in text(at)
    assert "(./keras_layer?d_model=512&num_heads=8&key_dim=512&value_dim=512&split=Keras)" in text(at)
    assert len(fields(at)) == 3, "a field stays where its number was given"
    at.text_area(key="pasted").set_value("nn.MultiheadAttention(w, 7)").run()
    assert fields(whole(at)) == ["`w`"], "other code asks anew"


def test_what_is_not_known_is_said_and_searched_for():
    at = pasted("Why are my attention maps averaged over heads?")
    assert "This text has no call, error message, configuration or shape that the app knows." in text(at)
    assert any(button.key == "to_q25" for button in at.button)


def test_what_is_typed_takes_the_place_of_what_is_pasted_and_the_other_way_round():
    at = pasted(CODE)
    at.text_input(key="find").set_value("key_dim").run()
    assert title(whole(at)).endswith("places to look, the best first.")
    at.text_area(key="pasted").set_value(CODE + "\n").run()
    assert (value(at, "find"), title(whole(at))) == ("", "2 calls of attention, 1 looks like a slip.")


@pytest.mark.parametrize("typed", ["x" * (MAX_PASTED + 1), "(" * 60_000, "<script>alert(1)</script>" * 2000, '{"a": "<b>$x$`'])
def test_bad_input_is_said_in_words(typed: str):
    assert len(typed) < MAX_PASTED_FIELD
    at = pasted(typed)
    assert not at.exception
    shown = " ".join(element.value for element in (*at.markdown, *at.warning))
    assert "at most 64,000 characters, got 64,001." in shown or "that the app knows" in shown or "not JSON" in shown
    assert not re.search("<b>|<script>", re.sub("`[^`]*`", "", shown))
