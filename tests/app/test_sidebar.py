"""The sidebar begins with what the app is about; the rest waits under More, open where a link has changed it."""

import re

import pytest

from components.streamlit.frame import SHEET
from mha.settings import SHARED, by_code
from tests.app.driver import open_page, value, whole

SPLIT = by_code(SHARED)["split"]
INSIDE = {
    "query_len": 7, "key_len": 5, "mask": "causal", "seed": 3, "use_bias": "false", "backend": "tensorflow", "drawn_by": "plotly",
}  # fmt: skip


def more(at):
    (box,) = at.sidebar.expander
    assert box.label == "More"
    return box


def keys(block):
    return [node.key for kind in ("segmented_control", "select_slider", "number_input", "toggle") for node in block.get(kind)]


def test_head_sizes_width_and_heads_come_first_and_all_else_is_under_more():
    at = whole(open_page())
    inside = {*keys(more(at))}
    assert inside == {*INSIDE}
    first = [node.key for node in at.sidebar if getattr(node, "key", None) in by_code(SHARED)]
    assert first[:5] == ["split", "d_model", "num_heads", "key_dim", "value_dim"]
    assert not more(at).proto.expanded


@pytest.mark.parametrize("key", INSIDE)
def test_a_link_that_changes_one_of_them_opens_more(key):
    assert more(whole(open_page("heads", **{key: INSIDE[key]}))).proto.expanded


@pytest.mark.parametrize("query", [{"num_heads": 8}, {"split": "free", "key_dim": 7}, {"mask": "none"}], ids=str)
def test_a_link_that_changes_none_of_them_leaves_it_shut(query):
    assert not more(whole(open_page("heads", **query))).proto.expanded


def test_it_does_not_shut_when_the_setting_is_put_back():
    at = whole(open_page("heads", seed=3))
    at.number_input(key="seed").set_value(0).run()
    assert value(whole(at), "seed") == 0
    assert more(at).proto.expanded


def test_the_buttons_say_what_the_table_says_and_the_address_keeps_its_words():
    sheet = SHEET.read_text()
    shown = re.findall(r'\.st-key-split button:(?:first|last)-of-type p::before \{ content: "([^"]+)"', sheet)
    assert tuple(shown) == SPLIT.labels
    assert all(label in SPLIT.help for label in SPLIT.labels)
    assert value(whole(open_page("heads", split="free")), "split") == "free"


GROUPS = {group: [one for one in SHARED if one.group == group] for group in dict.fromkeys(one.group for one in SHARED) if group}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_that_few_look_for_is_one_button_until_it_is_asked_for(group):
    at = whole(open_page("heads"))
    (button,) = [button for button in more(at).button if button.label == group]
    assert {*keys(more(at))} & {one.code for one in GROUPS[group]} == set()
    at = whole(button.click().run())
    assert {*keys(more(at))} == {*INSIDE} | {one.code for one in GROUPS[group]}
    assert not at.exception
    assert not any(one.code in at.query_params for one in GROUPS[group])
