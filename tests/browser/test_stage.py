"""The picture reacts to pointing, clicks and keys, and its colours are those of the layer's numbers."""

import numpy as np
import pytest
from playwright.sync_api import Page

from headcount import Config, Trace, run
from headcount.stage.pictures import reader
from headcount.stage.theme import LIGHT
from headcount.trained.sentence import DEFAULT
from tests.browser.helpers import go_to, open_app, query, reload, rerun, wait_until_settled
from tests.browser.screen import becomes, options, result
from tests.browser.stage import colour, colours, lit, on_ramp, place, point_at, tip
from tests.browser.test_play import in_the_window

LAYER = run(Config(query_len=13))
LAPTOP, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
#: A cell of every kind of computed matrix. By page: where the first is clicked; address, and name, head, row and column (from 0).
CELLS = [
    ("", LAPTOP, {"q.2.3.1": ("q", 1, 2, 0), "q.1.6.2": ("q", 0, 5, 1)}),
    ("projections", LAPTOP, {"q.1.6.2": ("q", 0, 5, 1), "k.4.1.4": ("k", 3, 0, 3), "v.1.6.2": ("v", 0, 5, 1)}),
    ("attention", LAPTOP, {"scores.1.2.4": ("scores", 0, 1, 3)}),
    ("attention", PHONE, {"scaled.1.5.1": ("scaled", 0, 4, 0)}),
    ("attention", PHONE, {"weights.1.2.4": ("weights", 0, 1, 3)}),
    ("concatenation", LAPTOP, {"context.2.3.2": ("context", 1, 2, 1), "output.6.16": ("output", None, 5, 15)}),
]
#: Numbers that are copied from elsewhere, by the cell after which a link shows them.
COPIED = {"weights.1.2.4": ("masked.2.3.4", ("masked", 1, 2, 3)), "output.6.16": ("concat.3.6", ("concat", None, 2, 5))}
WALK = [
    ("Home", "q.1.1.1"), ("ArrowRight", "q.1.1.2"), ("ArrowDown", "q.1.2.2"), ("ArrowLeft", "q.1.2.1"), ("ArrowUp", "q.1.1.1"),
    ("ArrowUp", "q.1.1.1"), ("PageDown", "q.2.1.1"), ("PageUp", "q.1.1.1"), ("PageUp", "q.4.1.1"),
]  # fmt: skip


def value(trace: Trace, name: str, head: int | None, row: int, col: int) -> float:
    array = trace[name].at(b=0)
    return float((array if head is None else array.at(h=head)).values[row, col])


def test_a_picture_is_as_large_as_when_it_is_opened_after_what_stands_above_it_came_or_went(page: Page, server: str):
    """A sentence about unreadable words appears above it, and the picture keeps its numbers."""

    def size() -> list[int]:
        return page.locator(".st-key-stage canvas.base").evaluate("(one) => [one.width, one.height]")

    open_app(page, f"{server}/projections?tokens=x")
    below = size()
    open_app(page, f"{server}/projections")
    alone = size()
    assert below < alone
    for text, wanted in (("x", below), ("", alone)):
        with rerun(page):
            page.get_by_role("textbox", name="Sentence").fill(text)
            page.keyboard.press("Enter")
        becomes(page, size, wanted)


@pytest.mark.parametrize(("path", "screen", "cells"), CELLS, ids=[" and ".join(cells) for _, _, cells in CELLS])
def test_a_cell_says_its_value_and_clicked_or_linked_it_is_explained_beside_it_down_to_that_value(
    page: Page, server: str, path: str, screen: dict[str, int], cells: dict[str, tuple]
):
    """Clicked on a laptop and linked on a phone, or the other way round."""
    page.set_viewport_size(screen)
    open_app(page, f"{server}/{path}?numbers=seed")
    for cell, (name, head, row, col) in cells.items():
        expected = pytest.approx(value(LAYER, name, head, row, col), abs=6e-4)
        if path == "projections" and name != "q":
            with rerun(page):
                options(page, "kernel").nth("qkv".index(name)).click()
        where = place(page, name, row, col, head)
        point_at(page, where)
        said = f"{value(LAYER, name, head, row, col):.3f}"
        becomes(page, lambda said=said: tip(page).replace("−", "-").rsplit(" ", 1)[-1], said)
        page.mouse.click(*where.middle)
        becomes(page, lambda: query(page).get("cell"), cell)
        becomes(page, lambda expected=expected: result(page) == expected, True)
        in_the_window(page)
        screen = PHONE if screen == LAPTOP else LAPTOP
        page.set_viewport_size(screen)
        reload(page)
        assert result(page) == expected
        in_the_window(page)
    if cell in COPIED:
        cell, (name, head, row, col) = COPIED[cell]
        go_to(page, f"/{path}?numbers=seed&cell={cell}")
        assert result(page) == pytest.approx(value(LAYER, name, head, row, col), abs=6e-4)


def test_the_keyboard_reaches_every_piece_and_lets_go(page: Page, server: str):
    open_app(page, f"{server}/projections?numbers=seed")
    page.locator(".st-key-stage .over").focus()
    for key, cell in WALK:
        page.keyboard.press(key)
        becomes(page, lambda: query(page).get("cell"), cell)
        wait_until_settled(page)
    becomes(page, lambda: result(page) == pytest.approx(value(LAYER, "q", 3, 0, 0), abs=6e-4), True)
    page.keyboard.press("Escape")
    becomes(page, lambda: query(page), {"numbers": "seed"})
    largest = 1 + int(np.abs(LAYER.q.values[0, 8, 1, 1:-1]).argmax())  # the example: two thirds down, inside head 2
    becomes(page, lambda: result(page) == pytest.approx(value(LAYER, "q", 1, 8, largest), abs=6e-4), True)


def test_no_step_over_the_cells_is_lost_however_fast_they_come(page: Page, server: str):
    """The app answers each step after a moment. An answer to an earlier step must not move the mark back."""
    open_app(page, f"{server}/concatenation?numbers=seed&cell=output.1.1")
    page.locator(".st-key-stage .over").focus()
    for pause, keys, cell in ((30, ("ArrowRight", "ArrowDown"), "output.4.6"), (200, ("ArrowLeft", "ArrowUp"), "output.1.1")):
        for key in [keys[0]] * 5 + [keys[1]] * 3:
            page.keyboard.press(key)
            page.wait_for_timeout(pause)
        becomes(page, lambda: query(page).get("cell"), cell)
        row, col = (int(one) - 1 for one in cell.split(".")[1:])
        wanted = pytest.approx(value(LAYER, "output", None, row, col), abs=6e-4)
        becomes(page, lambda wanted=wanted: result(page) == wanted, True)
        wait_until_settled(page)


LATE = """const { addEventListener } = WebSocket.prototype;
WebSocket.prototype.addEventListener = function (what, listen) {
  addEventListener.call(this, what, (e) => what === "message" && window.late ? setTimeout(listen, window.late, e) : listen(e));
};"""


def test_a_step_after_the_late_answer_to_an_earlier_one_begins_at_the_mark(new_page, server: str):
    """Each answer takes 5 s. The third step comes when the first is answered and the second is not."""
    page = new_page(alone=True, script=LATE)
    open_app(page, f"{server}/concatenation?numbers=seed&cell=output.5.1")
    page.locator(".st-key-stage .over").focus()
    page.evaluate("window.late = 5000")
    page.keyboard.press("ArrowUp")
    page.wait_for_timeout(1000)
    page.keyboard.press("ArrowUp")
    becomes(page, lambda: query(page).get("cell"), "output.4.1")
    page.keyboard.press("ArrowUp")
    becomes(page, lambda: query(page).get("cell"), "output.2.1")
    wait_until_settled(page)


def test_a_weight_is_painted_in_the_colour_of_its_value_and_a_numbers_row_and_column_light_up(page: Page, server: str):
    """Tested for the largest and the smallest number of W_Q and the one nearest to 0; b_Q has the same scale. The legend has no
    scale of Q, K and V, which are beside the matrices. In a corner, only the column of W_Q behind q.2.3.1 has the values' colours
    over the heads' tints; its neighbour does not."""
    open_app(page, f"{server}/projections?numbers=seed")
    scales = page.locator(".st-key-stage .legend .scale").all_inner_texts()
    assert {scale.split("−")[0].strip() for scale in scales} == {"W, b", "X"}
    sources = [place(page, "x_query", 2, 9), place(page, "w_q", 9, 1, 1)]
    others = [place(page, "x_query", 4, 9), place(page, "w_q", 9, 3, 1), place(page, "w_q", 9, 1, 2)]
    point_at(page, place(page, "q", 2, 1, 1))
    becomes(page, lambda: tip(page) != "", True)
    assert [lit(page, where) for where in sources] == [True, True]
    assert [lit(page, where) for where in others] == [False] * 3
    top = max(np.abs(LAYER[name].values).max() for name in ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v"))
    w_q = LAYER.params.w_q.values.reshape(16, 16)
    page.mouse.click(*place(page, "q", 2, 0, 1).middle)
    becomes(page, lambda: query(page).get("cell"), "q.2.3.1")
    wait_until_settled(page)
    page.mouse.move(2, 2)
    for row in range(2, 14, 5):
        there, beside = (place(page, "w_q", row, column, 1) for column in (0, 2))
        wanted = on_ramp(0.5 + w_q[row, 4] / (2 * top), LIGHT.signed)
        assert np.abs(np.array(colour(page, there, canvas="over", across=0.5, down=0.5)[:3]) - wanted).max() <= 4
        assert colour(page, beside, canvas="over", across=0.5, down=0.5)[3] == 0
    page.get_by_text("One matrix, three cuts").click()
    top = max(np.abs(LAYER[name].values).max() for name in ("w_q", "b_q"))
    for flat in (w_q.argmax(), w_q.argmin(), np.abs(w_q).argmin()):
        row, col = divmod(int(flat), 16)
        painted = colour(page, place(page, "w_q", row, col % 4, col // 4, key="cuts"), "cuts")
        wanted = on_ramp(0.5 + w_q[row, col] / (2 * top), LIGHT.signed)
        assert np.abs(np.array(painted[:3]) - wanted).max() <= 4, (row, col, w_q[row, col], painted, wanted)


def test_a_weight_on_a_sheet_is_painted_in_its_heads_tint_and_the_same_number_lights_up_in_every_cut(page: Page, server: str):
    """The tint is from 26 % of the hue for the smallest number to 50 % for the largest, over white. Row 5, column 7 of W_Q
    belongs to another head in each cut, but is one number in all, also in Keras's layers that have it."""
    open_app(page, f"{server}/?numbers=random")
    w_q = run(Config(16, num_heads=8, key_dim=4)).params.w_q.values.reshape(16, 32)
    reads = reader.reader(Config(query_len=13), DEFAULT).trace
    top = max(np.abs(w_q).max(), np.abs(reads["w_q"].values).max())  # one scale
    for way, heads, wide in (("paper", 1, 16), ("paper", 4, 4), ("paper", 8, 2), ("free", 8, 4)):
        for flat in (w_q[:, :16].argmax(), w_q[:, :16].argmin()):
            row, col = divmod(int(flat), 16)
            painted = colour(page, place(page, "w_q", row, col, panel=f"{way} {heads}", key="law"), "law", across=0.5, down=0.5)
            hue = on_ramp(0, [LIGHT.heads[col // wide]] * 2)
            wanted = 255 + (hue - 255) * (0.26 + 0.24 * (0.5 + w_q[row, col] / (2 * top)))
            assert np.abs(np.array(painted[:3]) - wanted).max() <= 4, (way, heads, row, col, painted, wanted)
    cards = ("paper 1", "paper 2", "paper 4", "paper 8", "free 2", "free 4", "free 8")
    at = {name: place(page, "w_q", 5, 7, panel=name, key="law") for name in cards}
    light = lambda: [lit(page, where, "law") for where in at.values()]  # noqa: E731
    assert light() == [False] * 7
    point_at(page, at["paper 2"])
    becomes(page, lambda: tip(page, "law").startswith("W_Q of head 1, row 6, column 8 = "), True)
    assert light() == [True] * 7
    page.mouse.move(2, 2)
    becomes(page, light, [False] * 7)


def test_attention_is_painted_from_0_to_1_and_a_masked_cell_is_not_a_0(page: Page, server: str):
    open_app(page, f"{server}/attention?numbers=seed&mask=causal")
    weights = run(Config(mask="causal")).weights.values[0]
    for head, row, col in [(0, 0, 0), (0, 1, 0), (0, 5, 2)]:
        painted = colour(page, place(page, "weights", row, col, head))
        assert np.abs(np.array(painted[:3]) - on_ramp(weights[head, row, col], LIGHT.share)).max() <= 4
    at = place(page, "weights", 0, 4, 0)
    found, zero = colours(page, at), on_ramp(0, LIGHT.share)
    assert len(found) > 1, "one flat colour, as a number would have"
    assert not [one for one in found if np.abs(np.array(one[:3]) - zero).max() <= 4]
    point_at(page, at)
    becomes(page, lambda: "masked" in tip(page), True)
