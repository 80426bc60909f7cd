"""What walks found, each as the few steps that led there."""

import pytest

from tests.visitor.held import breaches, screen
from tests.visitor.visitor import Visitor, put, widgets


def test_a_page_found_again_shows_its_cell_though_the_page_before_holds_the_key(keras):
    """Streamlit lets nobody set a key that a field is bound to, and the field of the page before may still be."""
    keras.turn("missing")
    visitor = Visitor("concatenation", {"cell": "output.1.1"}).open()
    for page in ("quiz", "heads", "concatenation"):
        assert breaches(visitor.go(page)) == []
    assert visitor.address == "/concatenation?cell=output.1.1"
    assert widgets(visitor.at)["cell"].value == "output.1.1"


def test_a_head_that_is_off_stays_in_the_address_of_a_layer_too_large_to_compute(keras):
    keras.turn("missing")
    visitor = Visitor("concatenation", {"split": "free"}).open()
    for key, number in (("head_off", 3), ("d_model", 4096), ("key_dim", 512), ("value_dim", 512)):
        put(widgets(visitor.at)[key], number)  # all in one message, as a browser sends what was changed within a moment
    visitor.run()
    assert "computed live" in " ".join(node.value for node in [*visitor.at.info, *visitor.at.caption, *visitor.at.markdown])
    assert "head_off=3" in visitor.address
    assert widgets(visitor.at)["head_off"].value == 3  # the address forgets a field that is not drawn
    assert screen(visitor.at) == screen(visitor.fresh().at)


@pytest.mark.parametrize("narrowed", [{"find": "2,1"}, {}])
def test_a_topic_chosen_in_a_session_stays_chosen_for_who_opens_its_address(keras, narrowed):
    keras.turn("missing")
    visitor = Visitor("questions", {"question": "c7", "topic": "heads", **narrowed}).open()
    put(widgets(visitor.at)["topic"], "All")
    visitor.run()
    assert breaches(visitor) == []
    assert screen(visitor.at) == screen(visitor.fresh().at)


@pytest.mark.parametrize(("task", "key", "heads"), [("dinner", "heads", "24"), ("sentence", "sentence_heads", "2")])
def test_the_page_of_trained_heads_is_found_again_with_its_heads(keras, task, key, heads):
    """From its address, as the words that its settings are; the sliders had numbers."""
    keras.turn("missing")
    visitor = Visitor("trained_heads", {"task": task, key: heads}).open()
    there = screen(visitor.at)
    visitor.go("figures")
    put(widgets(visitor.at)["figure"], "table_maps")
    assert breaches(visitor.run()) == []
    assert breaches(visitor.go("trained_heads")) == []
    assert widgets(visitor.at)[key].value == heads
    assert screen(visitor.at) == there


@pytest.mark.parametrize("query", ["1,2", "none,1,1,2", "5,3"])
def test_the_shape_of_an_input_that_is_found_needs_no_plural(keras, query):
    keras.turn("missing")
    assert breaches(Visitor("questions", {"find": query}).open()) == []
