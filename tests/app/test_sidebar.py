"""The sidebar begins with what the app is about; the rest waits under More, open where a link has changed it."""

import re

import pytest

from components.streamlit.address import known
from components.streamlit.server import SHEET
from mha.settings import SHARED, Word, by_code
from tests.app.driver import come, in_address, open_page, value, whole

SPLIT = by_code(SHARED)["split"]
INSIDE = {
    "query_len": 7, "key_len": 5, "mask": "causal", "seed": 3, "use_bias": "false", "backend": "tensorflow", "drawn_by": "plotly",
}  # fmt: skip


def more(at):
    (box,) = at.sidebar.expander
    assert box.label == "More"
    return box


def keys(block):
    """Of its settings; the fields for exact sizes are told apart by their keys."""
    kinds = ("segmented_control", "select_slider", "number_input", "toggle")
    return [node.key for kind in kinds for node in block.get(kind) if not node.key.endswith("_typed")]


def exact(at):
    return [node.key for node in at.sidebar.number_input if node.key.endswith("_typed")]


def test_head_sizes_width_and_heads_come_first_and_all_else_is_under_more():
    at = whole(open_page())
    assert {*keys(more(at))} == {*INSIDE}
    first = [node.key for node in at.sidebar if getattr(node, "key", None) in by_code(SHARED)]
    assert first[:5] == ["split", "d_model", "num_heads", "key_dim", "value_dim"]
    assert not more(at).proto.expanded


@pytest.mark.parametrize("key", INSIDE)
def test_a_link_that_changes_one_of_them_opens_more(key):
    at = whole(come("heads", **{key: INSIDE[key]}))
    assert more(at).proto.expanded
    assert {*keys(more(at))} == {*INSIDE}
    assert at.session_state["settings"].values[key] == by_code(SHARED)[key].read(str(INSIDE[key]))


def test_what_more_holds_is_first_drawn_when_it_is_opened_and_stays_drawn():
    at = whole(come())
    assert keys(more(at)) == []
    assert at.session_state["settings"].values == {setting.code: setting.default for setting in SHARED}
    at.session_state["more_box"] = True
    at.run()
    assert {*keys(more(whole(at)))} == {*INSIDE}
    assert more(at).proto.expanded
    at.session_state["more_box"] = False
    at.run()
    assert {*keys(more(whole(at)))} == {*INSIDE}
    assert not more(at).proto.expanded


def test_own_head_sizes_are_drawn_when_they_are_chosen_and_kept_in_the_paper_split():
    at = whole(come())
    assert {"key_dim", "value_dim"}.isdisjoint(keys(at.sidebar))
    at.segmented_control(key="split").set_value("free").run()
    assert {"key_dim", "value_dim"} <= {*keys(whole(at).sidebar)}
    assert "key_dim" not in at.query_params
    at.select_slider(key="key_dim").set_value(8).run()
    at.segmented_control(key="split").set_value("paper").run()
    at.segmented_control(key="split").set_value("free").run()
    assert whole(at).session_state["settings"].values["key_dim"] == 4  # the switch keeps the layer that is shown


def test_the_switch_to_own_sizes_puts_those_of_the_layer_into_the_address():
    at = whole(come("heads", {"more_drawn": True, "Exact sizes": True}, d_model=24, num_heads=3))
    at.segmented_control(key="split").set_value("free").run()
    assert [in_address(whole(at), key) for key in ("key_dim", "value_dim")] == ["8", "8"]
    at.number_input(key="key_dim_typed").set_value(5).run()
    assert in_address(whole(at), "key_dim") == "5"


def test_exact_sizes_are_typed_under_more_for_the_sliders_that_can_be_moved():
    at = whole(come("heads", {"more_drawn": True}))
    assert exact(at) == []
    (button,) = [button for button in more(at).button if button.label == "Exact sizes"]
    at = whole(button.click().run())
    assert exact(at) == ["d_model_typed", "num_heads_typed"]
    at.segmented_control(key="split").set_value("free").run()
    assert exact(whole(at)) == ["d_model_typed", "num_heads_typed", "key_dim_typed", "value_dim_typed"]
    at.number_input(key="value_dim_typed").set_value(7).run()
    assert (whole(at).session_state["settings"].value_dim, at.select_slider(key="value_dim").value) == (7, 7)


def test_a_value_that_a_callback_gives_to_a_control_that_was_never_drawn_counts():
    at = whole(come())
    at.session_state["mask"] = "causal"
    at.run()
    assert whole(at).session_state["settings"].values["mask"] == value(at, "mask") == in_address(at, "mask") == "causal"
    assert more(at).proto.expanded


@pytest.mark.parametrize("query", [{"num_heads": 8}, {"split": "free", "key_dim": 7}, {"mask": "none"}], ids=str)
def test_a_link_that_changes_none_of_them_leaves_it_shut(query):
    assert not more(whole(open_page("heads", **query))).proto.expanded


def test_it_does_not_shut_when_the_setting_is_put_back():
    at = whole(open_page("heads", seed=3))
    at.number_input(key="seed").set_value(0).run()
    assert value(whole(at), "seed") == 0
    assert more(at).proto.expanded


LABELLED = [setting for setting in known().values() if isinstance(setting, Word) and setting.labels]


@pytest.mark.parametrize("setting", LABELLED, ids=lambda setting: setting.code)
def test_buttons_say_what_the_table_says_and_the_address_keeps_its_words(setting):
    of_setting = rf"\.st-key-{setting.code} button:(?:first-of-type|nth-of-type\(\d\)|last-of-type) p::before"
    shown = re.findall(of_setting + r' \{ content: "([^"]+)"', SHEET.read_text())
    assert tuple(shown[: len(setting.choices)]) == setting.labels
    assert len(setting.labels) == len(setting.choices)


def test_what_the_two_ways_of_sizing_heads_mean_is_said():
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
