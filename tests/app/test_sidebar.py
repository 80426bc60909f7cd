"""A browser that does not know the server's last change undoes nothing, and a visitor's act always counts. Also, the sidebar
begins with the main settings; the others are under More, which is open if a link has changed one."""

import re

import pytest

from components.address import known
from components.app.server import SHEET
from components.app.stale_widget_values import ACK, ACK_CONTROLS, MAX_SEQUENCE
from headcount import Config
from headcount.settings import HEAD_SIZES, SHARED, Word, by_code
from tests.app.driver import come, config, fresh, in_address, open_page, text, typed, value, whole


def acknowledged_by(at) -> int:
    return at.session_state[ACK]


def report(at, heard: int) -> None:
    """Sends the number of the last change that the browser knows (`heard`), in its hidden widget."""
    for key in (ACK_CONTROLS, ACK):
        slider = at.slider(key=key)
        slider.proto.disabled = False
        slider.set_value(heard)


def behind(at, heard: int, **reported: int):
    """Sends a message of a browser that knows the changes up to `heard`, with its sliders at the `reported` values."""
    report(at, heard)
    for key, number in reported.items():
        at.select_slider(key=key).set_value(number)
    return at


def after_typing(number: int, start: int = 4):
    """The start page after a number was typed, and the last change that the browser knew before."""
    at = open_page(num_heads=start)
    heard = acknowledged_by(at)
    return typed(at, "num_heads").set_value(number).run(), heard


@pytest.mark.parametrize("other", ["seed", "query_len"])
def test_a_late_report_with_another_change_undoes_nothing(other):
    at, heard = after_typing(8)
    behind(at, heard, num_heads=4).number_input(key=other).set_value(7)
    at = whole(at.run())
    assert (value(at, "num_heads"), typed(at, "num_heads").value, config(at).num_heads, value(at, other)) == (8, 8, 8, 7)


def test_the_old_number_chosen_after_the_browser_has_heard_counts():
    at, _ = after_typing(8)
    at.select_slider(key="num_heads").set_value(4).run()
    assert (value(at, "num_heads"), typed(at, "num_heads").value) == (4, 4)


def test_there_and_back_on_the_slider_are_moves_of_their_own():
    """If a value were copied back into its own widget, every second move would be lost."""
    at = open_page()
    for heads in (8, 4, 8, 2):
        at.select_slider(key="num_heads").set_value(heads).run()
        assert (config(at).num_heads, typed(at, "num_heads").value) == (heads, heads)


def test_the_switch_to_free_sizes_holds_against_a_late_report():
    """The head size followed a typed width, which the browser did not know when the switch was pressed."""
    at = open_page(d_model=48, num_heads=3)
    heard = acknowledged_by(at)
    typed(at, "d_model").set_value(96).run()
    at.segmented_control(key="split").set_value("free").run()
    behind(at, heard, key_dim=16).number_input(key="seed").set_value(7)
    assert (config(whole(at.run())).key_dim, value(at, "seed")) == (32, 7)


def test_another_model_starts_with_its_own_heads_and_a_late_report_does_not_keep_the_others():
    at = open_page("models", model="BERT-large", model_heads=8)
    at.selectbox(key="model").set_value("BERT-base").run()
    assert (value(at, "model_heads"), typed(at, "model_heads").value) == (12, 12)
    typed(at, "model_heads").set_value(6).run()
    assert value(at, "model_heads") == 6


def test_a_forged_report_from_the_end_of_all_numbers_breaks_no_page():
    at = open_page()
    report(at, MAX_SEQUENCE)
    at = whole(typed(at, "num_heads").set_value(8).run())
    at = whole(typed(at, "num_heads").set_value(2).run())
    assert config(at).num_heads == 2


def after_leaving_the_papers_way():
    """8 heads, so both head sizes follow as 2, until the key size moves to 3. Also the last change that the browser knew."""
    at = open_page(num_heads=8)
    heard = acknowledged_by(at)
    at = whole(at.select_slider(key="key_dim").set_value(3).run())
    assert (value(at, "split"), config(at).value_dim, in_address(at, "value_dim")) == ("free", 2, "2")
    return at, heard


@pytest.mark.parametrize(("start", "key", "moves"), [
    ((2, 3), "num_heads", [(0, 3, 2)]),  # no stop of the slider's: known to be late
    ((8, 4), "num_heads", [(0, 2, 2), (1, 8, 2)]),  # what the browser then hears moves the slider, and undoes nothing
    (None, "value_dim", [(0, 6, 6), (1, 2, 6)]),  # the same of a size that no longer follows
    (None, "value_dim", [(0, number, number) for number in (6, 8, 6, 8, 6)]),  # there and back before the browser has heard
    # Of many moves the last counts, whichever answer has come by then: each moves the slider when it comes.
    (None, "value_dim", [(0, 6, 6), (0, 8, 8), (0, 12, 12), (1, 2, 12), (2, 6, 12), (3, 8, 12), (4, 12, 12)]),
])  # fmt: skip
def test_a_move_counts_though_the_browser_has_not_heard_and_a_late_report_undoes_none(start, key, moves):
    """Each message has the last answer that had arrived, the slider's number, and the number that counts."""
    at, heard = after_typing(*start) if start else after_leaving_the_papers_way()
    answers = [heard, at.session_state[ACK]]
    for came, number, counts in moves:
        at = whole(behind(at, answers[came], **{key: number}).run())
        answers.append(at.session_state[ACK])
        assert (value(at, key), getattr(config(at), key)) == (counts, counts)


def test_a_size_that_no_longer_follows_stays_in_the_address_over_a_late_message():
    at, heard = after_leaving_the_papers_way()
    del at.query_params["value_dim"]
    at = whole(behind(at, heard, key_dim=4).run())
    assert (config(at).key_dim, config(at).value_dim, in_address(at, "value_dim")) == (4, 2, "2")


@pytest.mark.parametrize("came", [256, 128, 64, 32])
def test_a_size_that_follows_stays_so_whichever_of_its_values_came_before_the_number_that_says_so(came: int):
    """Each run is cut short by the next press, so the browser may know a size and not yet the number that comes after it."""
    at = open_page(d_model=256, num_heads=1)
    heard = acknowledged_by(at)
    for heads in (2, 4, 8):
        at = whole(behind(at, heard, num_heads=heads).run())
    at = whole(behind(at, heard, num_heads=16, key_dim=came, value_dim=came).run())
    assert (value(at, "split"), config(at).num_heads, config(at).key_dim, config(at).value_dim) == ("paper", 16, 16, 16)


SPLIT = by_code(SHARED)["split"]
INSIDE = {
    "query_len": 7, "key_len": 5, "mask": "causal", "seed": 3, "use_bias": "false", "backend": "tensorflow",
}  # fmt: skip


def more(at):
    (box,) = at.sidebar.expander
    assert box.label == "More"
    return box


def keys(block):
    """The keys of a block's settings, which also tell the fields for exact sizes apart."""
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
    """The values of the sliders of key size and value size."""
    return [value(whole(at), key) for key in HEAD_SIZES]


def test_both_head_sizes_follow_width_and_heads_in_the_papers_way_and_stay_out_of_the_address():
    at = come(d_model=24, num_heads=3)
    assert head_sizes(at) == [8, 8]
    assert head_sizes(at.select_slider(key="num_heads").set_value(6).run()) == [4, 4]
    assert head_sizes(at.select_slider(key="d_model").set_value(96).run()) == [16, 16]
    assert "Both head sizes are 96 / 6 = 16. To choose them, switch to Keras." in text(at)
    assert {*at.query_params} == {"d_model", "num_heads"}


def test_a_moved_head_size_is_kerass_way_and_one_click_goes_back():
    at = come(d_model=24, num_heads=3)
    at.select_slider(key="key_dim").set_value(12).run()
    assert head_sizes(at) == [12, 8]
    assert config(at) == Config(24, 3, 12, 8, 13)
    assert [in_address(at, key) for key in ("split", "value_dim")] == ["Keras", "8"]  # a browser writes what it moved itself
    assert "As in Keras, both head sizes stay" in text(at)
    at.segmented_control(key="split").set_value("paper").run()
    assert head_sizes(at) == [8, 8]
    assert ({*at.query_params}, config(at)) == ({"d_model", "num_heads"}, Config(24, 3, query_len=13))


def test_keras_keeps_the_head_sizes_when_the_heads_change():
    at = come(split="free", d_model=24, num_heads=3, key_dim=5, value_dim=7)
    at.select_slider(key="num_heads").set_value(8).run()
    assert (head_sizes(at), config(at)) == ([5, 7], Config(24, 8, 5, 7, 13))
    assert "As in Keras, both head sizes stay as they are" in text(at), "by a link as after a move"


@pytest.mark.parametrize(("query", "sizes", "said"), [
    ({"d_model": 4096, "num_heads": 1}, [4096, 4096], {"d_model", "num_heads"}),
    ({"d_model": 24, "num_heads": 3, "key_dim": 5, "value_dim": 12}, [5, 12],
     {"d_model", "num_heads", "key_dim", "value_dim", "split"}),
])  # fmt: skip
def test_of_a_link_without_kerass_way_both_head_sizes_follow_unless_it_names_one(query, sizes, said):
    at = come(**query)
    assert (head_sizes(at), {*at.query_params}) == (sizes, said)


def test_head_sizes_are_grey_where_the_heads_do_not_divide_the_width():
    at = whole(come(d_model=23, num_heads=3))
    assert [at.select_slider(key=key).disabled for key in HEAD_SIZES] == [True, True]
    assert "Both head sizes would be 23 / 3, which is not a whole number." in text(at)


def test_a_late_report_of_what_a_head_size_followed_before_does_not_bring_kerass_way():
    """The width moves twice. With the second move the browser still reports the first head sizes."""
    at = come(d_model=24, num_heads=3)
    heard = acknowledged_by(at)
    at.select_slider(key="d_model").set_value(48).run()
    assert head_sizes(at) == [16, 16]
    report(at, heard)
    for key in HEAD_SIZES:
        at.select_slider(key=key).set_value(8)
    at.select_slider(key="d_model").set_value(96).run()
    assert (head_sizes(at), value(at, "split"), config(at)) == ([32, 32], "paper", Config(96, 3, query_len=13))


@pytest.mark.parametrize("times", [1, 2, 3])
def test_head_sizes_follow_at_a_server_that_learns_of_them_from_the_browser_of_one_that_died(times: int):
    """Heads went to 4, then to 8, and the server died before it answered. The browser tells the next server all that it shows,
    and once more before it knows the answer."""
    lost = come(num_heads=2).select_slider(key="num_heads").set_value(4).run()
    report(lost, acknowledged_by(lost))
    reported = lost.select_slider(key="num_heads").set_value(8).root.get_widget_states()
    at = fresh(num_heads=8)
    for _ in range(times):
        at.query_params["num_heads"] = "8"
        at = whole(at._run(reported))
    assert (value(at, "split"), config(at), head_sizes(at)) == ("paper", Config(16, 8, query_len=13), [2, 2])
    assert {*at.query_params} == {"num_heads"}


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
@pytest.mark.parametrize("numbers", ["trained", "seed"])
def test_whose_numbers_are_shown_is_chosen_below_the_sliders_and_above_more(page: str, numbers: str):
    at = whole(open_page(page))
    at.segmented_control(key="numbers").set_value(numbers).run()
    found = [getattr(node, "key", None) for node in whole(at).sidebar]
    assert found.index("value_dim") < found.index("numbers") < found.index(keys(more(at))[0])
