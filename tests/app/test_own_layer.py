"""A visitor's own layer: sizes follow it, every page of the lab shows it, and one button lets go of it."""

import numpy as np
import pytest

from components.pages.own_layer import intake
from components.widgets.previews import ASKED, NEAR
from mha import Config, Inputs, make_inputs, run
from mha.arrays import Array
from tests.app.driver import card, config, in_address, open_page, pictures, text, title, typed, value, whole
from tests.app.own_layer import KERAS, LAB, TORCH, drop, dropped, go, held_layer, numbers, seen_numbers, weights_line
from tests.app.test_foresight import ahead, drawn, without_cell
from tests.mha.files.files import CFG, SQUARE, npy

pytestmark = pytest.mark.usefixtures("read_here")


def test_sizes_follow_the_file_and_stand_in_the_address_until_it_is_taken_out():
    at = dropped()
    assert title(whole(at)) == "3 heads, 11 wide: your layer has 854 parameters."  # 15·24 + 21·23 + 11
    assert config(at) == Config(11, 3, 5, 7, 13, 13)
    assert (value(at, "split"), in_address(at, "d_model"), in_address(at, "key_dim")) == ("free", "11", "5")
    assert weights_line(at).endswith("Weights: **your layer** `attention` of `model.keras`. X from seed 0.")
    at = at.file_uploader[0].set_value(None).run()
    assert (weights_line(whole(at)), intake.KEY in at.session_state) == ("", False)


@pytest.mark.parametrize("page", LAB)
def test_every_page_shows_the_files_weights_and_computes_with_them(page):
    at = dropped(page)
    assert "your layer" in weights_line(whole(at))
    cfg = Config(11, 3, 5, 7, 13, 13)
    own = run(cfg, params=run(CFG).params)
    array = {"heads": "w_q", "projections": "w_q", "attention": "weights", "concatenation": "output"}[page]
    assert numbers(own[array].values) <= seen_numbers(at)
    assert not numbers(run(cfg)[array].values) <= seen_numbers(at)


def test_the_arithmetic_of_a_cell_is_that_of_the_files_weights():
    at = dropped("projections", cell="q.2.3.1")
    own = run(Config(11, 3, 5, 7, 13, 13), params=run(CFG).params)
    assert f"<b>{own.q.values[0, 2, 1, 0]:.3f}</b>".replace("-", "−") in card(at)


@pytest.mark.parametrize(("data", "here", "there"), [(TORCH, 2, 7), (KERAS, 3, 2)])
@pytest.mark.parametrize("page", LAB)
def test_what_is_foretold_of_the_files_weights_is_what_comes(page, data, here, there):
    before = go(drop(open_page("own_layer"), data, "layer.safetensors"), page)
    assert value(before, "num_heads") == here
    before.session_state[ASKED] = "num_heads", NEAR
    told = {key: scenes for key, scenes in ahead(whole(before.run()))[1].items() if scenes}
    assert told
    stop = min(value for scenes in told.values() for value in scenes)
    after = before.select_slider(key="num_heads").set_value(stop).run()
    sent = drawn(whole(after), [*told])
    assert all(without_cell(scenes[stop]) in sent for scenes in told.values())


def test_another_cut_of_the_same_numbers_is_said():
    at = drop(open_page("own_layer"), TORCH, "layer.safetensors")
    assert "The file does not say how many heads" in text(at)
    assert "1, 2, 7, 14" in text(at)
    at = typed(at, "num_heads").set_value(7).run()
    assert "cut into 7 heads; the file does not say how many" in weights_line(at)
    own = run(SQUARE).params.w_k.values.ravel()
    np.testing.assert_array_equal(held_layer(at).custom_layer(config(at)).params.w_k.values.ravel(), own)


def test_fewer_heads_of_a_free_layer_are_its_first_more_are_the_seeded_layer_and_buttons_go_back_and_let_go():
    at = dropped("attention")
    at = typed(at, "num_heads").set_value(2).run()
    assert "the first 2 of its 3 heads" in weights_line(at)
    at = typed(at, "num_heads").set_value(4).run()
    start = ":material/folder_special: The **seeded layer** is shown: these are not the sizes of `attention`"
    assert weights_line(at).startswith(start)
    assert "11 wide, 3 heads with d_k = 5 and d_v = 7, with biases" in weights_line(at)
    assert numbers(run(config(at)).weights.values) <= seen_numbers(at)
    at = at.button(key="own_back").click().run()
    assert (config(at).num_heads, "your layer" in weights_line(at)) == (3, True)
    at = at.button(key="own_let_go").click().run()
    assert weights_line(whole(at)) == ""
    assert intake.KEY not in at.session_state
    assert numbers(run(config(at)).weights.values) <= seen_numbers(at)


def test_an_own_input_sets_the_length_and_is_what_the_layer_reads():
    x = np.random.default_rng(7).standard_normal((5, 11)).astype(np.float32)
    at = drop(dropped(), npy(x), "mine.npy", 1)
    assert (config(at).query_len, config(at).key_len) == (5, 5)
    assert "X from `mine.npy`." in weights_line(at)
    cfg = config(at)
    inputs = Inputs(Array(x[None], "btm"), Array(x[None], "bsm"))
    own = run(cfg, params=run(CFG).params, inputs=inputs)
    assert numbers(own.output.values) <= seen_numbers(go(at, "concatenation"))
    at = at.number_input(key="key_len").set_value(8).run()  # cross-attention: X asks, the seed is looked at
    layer = held_layer(at).custom_layer(config(at))
    np.testing.assert_array_equal(layer.inputs.x_query.values[0], x)
    np.testing.assert_array_equal(layer.inputs.x_key.values, make_inputs(config(at)).x_key.values)
    at = at.number_input(key="query_len").set_value(4).run()
    assert "X from seed 0." in weights_line(at)


def test_rows_of_an_own_layer_with_a_random_x_are_numbered_and_no_words_and_nothing_is_said_of_the_seed():
    """Thirteen positions have a sentence elsewhere; here nothing has read it."""
    at = whole(go(drop(open_page("own_layer"), TORCH, "model.safetensors"), "attention"))
    assert "means nothing" not in text(at)
    assert "Trained with" not in text(at)
    labels = {tuple(block["row_labels"]) for plan, _ in pictures(at) for row in plan["rows"] for panel in row
              for block in panel["blocks"] if block.get("row_labels")}  # fmt: skip
    assert labels == {tuple(map(str, range(1, 14)))}
