"""The sidebar begins with what the app is about; the rest waits under More, open where a link has changed it."""

import re

import pytest

from components.address import known
from components.app.server import SHEET
from mha import Config
from mha.settings import HEAD_SIZES, SHARED, Word, by_code
from tests.app.driver import come, config, in_address, open_page, text, value, whole
from tests.app.test_stale_widget_values import acknowledged_by, report

SPLIT = by_code(SHARED)["split"]
INSIDE = {
    "query_len": 7, "key_len": 5, "mask": "causal", "seed": 3, "use_bias": "false", "backend": "tensorflow",
}  # fmt: skip


def more(at):
    (box,) = at.sidebar.expander
    assert box.label == "More"
    return box


def keys(block):
    """Of its settings; the fields for exact sizes are told apart by their keys."""
    kinds = ("segmented_control", "button_group", "select_slider", "number_input", "toggle")  # 1.62: a group of buttons
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
    assert at.session_state["settings"].values[key] == by_code(SHARED)[key].parse(str(INSIDE[key]))
    if key == "seed":  # put back, it does not shut it
        at.number_input(key=key).set_value(0).run()
        assert value(whole(at), key) == 0
        assert more(at).proto.expanded


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


def head_sizes(at):
    """Where the sliders of key size and value size stand."""
    return [value(whole(at), key) for key in HEAD_SIZES]


def test_both_head_sizes_follow_width_and_heads_in_the_papers_way_and_stay_out_of_the_address():
    at = come(d_model=24, num_heads=3)
    assert head_sizes(at) == [8, 8]
    assert head_sizes(at.select_slider(key="num_heads").set_value(6).run()) == [4, 4]
    assert head_sizes(at.select_slider(key="d_model").set_value(96).run()) == [16, 16]
    assert "Both follow: 96 / 6 = **16**" in text(at)
    assert {*at.query_params} == {"d_model", "num_heads"}


def test_a_moved_head_size_is_kerass_way_and_one_click_goes_back():
    at = come(d_model=24, num_heads=3)
    at.select_slider(key="key_dim").set_value(12).run()
    assert head_sizes(at) == [12, 8]
    assert config(at) == Config(24, 3, 12, 8, 13)
    assert [in_address(at, key) for key in ("split", "value_dim")] == ["Keras", "8"]  # a browser writes what it moved itself
    assert "A head size of its own is Keras’s way" in text(at)
    at.segmented_control(key="split").set_value("paper").run()
    assert head_sizes(at) == [8, 8]
    assert ({*at.query_params}, config(at)) == ({"d_model", "num_heads"}, Config(24, 3, query_len=13))


def test_keras_keeps_the_head_sizes_when_the_heads_change():
    at = come(split="free", d_model=24, num_heads=3, key_dim=5, value_dim=7)
    at.select_slider(key="num_heads").set_value(8).run()
    assert (head_sizes(at), config(at)) == ([5, 7], Config(24, 8, 5, 7, 13))
    assert "A head size of its own is Keras’s way: both stay when the heads change." in text(at), "by a link as after a move"


@pytest.mark.parametrize(("query", "size"), [
    ({"d_model": 4096, "num_heads": 1}, 4096), ({"d_model": 24, "num_heads": 3, "key_dim": 5, "value_dim": 12}, 8),
])  # fmt: skip
def test_of_a_link_without_kerass_way_both_head_sizes_follow(query, size):
    at = come(**query)
    assert (head_sizes(at), {*at.query_params}) == ([size] * 2, {"d_model", "num_heads"})


def test_head_sizes_are_grey_where_the_heads_do_not_divide_the_width():
    at = whole(come(d_model=23, num_heads=3))
    assert [at.select_slider(key=key).disabled for key in HEAD_SIZES] == [True, True]
    assert "23 / 3 is not a whole number" in text(at)


def test_a_late_report_of_what_a_head_size_followed_before_does_not_bring_kerass_way():
    """The width is moved twice; with the second move the browser still reports the head sizes of the start."""
    at = come(d_model=24, num_heads=3)
    heard = acknowledged_by(at)
    at.select_slider(key="d_model").set_value(48).run()
    assert head_sizes(at) == [16, 16]
    report(at, heard)
    for key in HEAD_SIZES:
        at.select_slider(key=key).set_value(8)
    at.select_slider(key="d_model").set_value(96).run()
    assert (head_sizes(at), value(at, "split"), config(at)) == ([32, 32], "paper", Config(96, 3, query_len=13))


def test_the_switch_to_kerass_way_puts_the_head_sizes_of_the_layer_into_the_address():
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


LABELLED = [setting for setting in known().values() if isinstance(setting, Word) and setting.labels and not setting.spelt]


@pytest.mark.parametrize("setting", LABELLED, ids=lambda setting: setting.code)
def test_buttons_say_what_the_table_says_and_the_address_keeps_its_words(setting):
    of_setting = rf"\.st-key-{setting.code} button:(?:first-of-type|nth-of-type\(\d\)|last-of-type) p::before"
    shown = re.findall(of_setting + r' \{ content: "([^"]+)"', SHEET.read_text())
    assert tuple(shown[: len(setting.choices)]) == setting.labels
    assert len(setting.labels) == len(setting.choices)


def test_what_the_two_ways_of_sizing_heads_mean_is_said_and_a_link_that_changes_nothing_under_more_leaves_it_shut():
    assert all(label in SPLIT.help for label in SPLIT.labels)
    at = whole(open_page("heads", split="free", num_heads=8, key_dim=7, mask="none"))
    assert not more(at).proto.expanded
    assert (value(at, "split"), in_address(at, "split")) == ("free", "Keras")
    assert at.segmented_control(key="split").options == ["paper, PyTorch", "Keras"]


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


@pytest.mark.parametrize("page", ["projections", "attention", "concatenation"])
@pytest.mark.parametrize("numbers", ["trained", "typed"])
def test_whose_numbers_are_shown_is_chosen_below_the_sliders_and_above_more(page: str, numbers: str):
    """More opens for the sizes of typed numbers: what has just been pressed stays under the pointer."""
    at = whole(open_page(page))
    at.segmented_control(key="numbers").set_value(numbers).run()
    found = [getattr(node, "key", None) for node in whole(at).sidebar]
    assert found.index("value_dim") < found.index("numbers") < found.index(keys(more(at))[0])
