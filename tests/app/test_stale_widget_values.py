"""A browser that has not heard of the server's last change undoes nothing; what a visitor does always counts."""

import pytest

from components.app.stale_widget_values import ACK, ACK_CONTROLS, MAX_SEQUENCE
from tests.app.driver import config, in_address, open_page, typed, value, whole


def acknowledged_by(at) -> int:
    return at.session_state[ACK]


def report(at, heard: int) -> None:
    """What a browser reports of the widget counts, though it is disabled for screen readers and agents."""
    for key in (ACK_CONTROLS, ACK):
        slider = at.slider(key=key)
        slider.proto.disabled = False
        slider.set_value(heard)


def behind(at, heard: int, **reported: int):
    """The next message comes from a browser that has heard so far only, and its sliders stand at these numbers."""
    report(at, heard)
    for key, number in reported.items():
        at.select_slider(key=key).set_value(number)
    return at


def after_typing(number: int, start: int = 4):
    """The start page after a number was typed, and how far the browser had heard before."""
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
    """A value copied back into its own widget would lose every second move."""
    at = open_page()
    for heads in (8, 4, 8, 2):
        at.select_slider(key="num_heads").set_value(heads).run()
        assert (config(at).num_heads, typed(at, "num_heads").value) == (heads, heads)


def test_the_switch_to_free_sizes_holds_against_a_late_report():
    """The head size followed a typed width, of which the browser has not heard when the switch has been pressed."""
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
    """8 heads of 16: both head sizes follow as 2, until the key size is moved to 3; and how far the browser had heard before."""
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
    """Of each message: the answer that had come by then, the number that the slider stands at, and the one that counts."""
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
    """Each run is cut short by the next press: a browser may have a size of it, and not yet what stands after it."""
    at = open_page(d_model=256, num_heads=1)
    heard = acknowledged_by(at)
    for heads in (2, 4, 8):
        at = whole(behind(at, heard, num_heads=heads).run())
    at = whole(behind(at, heard, num_heads=16, key_dim=came, value_dim=came).run())
    assert (value(at, "split"), config(at).num_heads, config(at).key_dim, config(at).value_dim) == ("paper", 16, 16, 16)
