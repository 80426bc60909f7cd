"""The part about what each array does: its numbers by hand, what cannot change, and its sections."""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from components.widgets import trace
from headcount import Config
from headcount.cost import numbers_kept
from headcount.layer import SEED
from tests.app.driver import open_page, said, stages, text, title, whole


def row(at, start: str) -> list[str]:
    """The cells, without emphasis, of the row in the page's tables that begins with `start`."""
    lines = [line for body in said(at) for line in body.split("\n") if line.startswith(f"| {start} ")]
    assert len(lines) == 1, lines
    return [cell.strip(" *") for cell in lines[0].strip("|").split("|")]


def test_without_b_k_no_output_moves():
    at = whole(open_page("keras_layer", part="arrays"))
    assert title(at) == "Without $b_K$, the scores move, but weights and output stay."
    _, count, scores, *rest = row(at, "$b_K$")
    assert (count, rest) == ("16", ["0", "0"])
    assert float(scores) > 0.1
    assert "**16 of 1,088 parameters cannot change the output at all**" in text(at)


@pytest.mark.parametrize(("query", "wanted"), [
    ({"array": "w_v"}, "Without $W_V$, scores and weights stay, the output moves."),
    ({"array": "w_q"}, "Without $W_Q$, scores, weights and output move."),
    ({"array": "b_o", "times": "2"}, "With $b_O$ times 2, scores and weights stay, the output moves."),
    ({"array": "w_q", "key_len": 1}, "Without $W_Q$, the scores move, but weights and output stay."),
    ({"use_bias": "false"}, "Without $W_K$, scores, weights and output move."),
])  # fmt: skip
def test_the_headline_says_what_moves(query, wanted):
    assert title(whole(open_page("keras_layer", part="arrays", **query))) == wanted


def test_a_single_key_leaves_half_of_the_parameters_dead():
    """By hand: 2 · (16 · 16 + 16) of 4 · (16 · 16 + 16)."""
    at = whole(open_page("keras_layer", part="arrays", key_len=1))
    assert "**544 of 1,088 parameters cannot change the output at all**" in text(at)
    for array in ("$W_Q$", "$b_Q$", "$W_K$", "$b_K$"):
        _, _, scores, *rest = row(at, array)
        assert (scores != "0", rest) == (True, ["0", "0"])
    assert row(at, "$W_V$")[2:4] == ["0", "0"]
    assert row(at, "$W_V$")[4] != "0"


@pytest.mark.parametrize(("query", "held", "free", "idle", "sentence"), [
    ({"d_model": 512, "num_heads": 8}, "65,536", "262,144", 8 * 64**2, "The factors hold 25% of what a free matrix would."),
    ({"split": "free", "num_heads": 1, "key_dim": 12, "value_dim": 4}, "384", "256", 12**2, "384 against 256."),
    ({"num_heads": 2}, "256", "256", 2 * 8**2, "the factors hold as many numbers as a free matrix"),
])  # fmt: skip
def test_factors_against_a_free_matrix(query, held, free, idle, sentence):
    at = whole(open_page("keras_layer", part="arrays", idea="products", **query))
    assert f" = {free} numbers, made of 2 · " in title(at)
    assert title(at).endswith(f" = {held}.")
    assert sentence in text(at)
    assert f"No output shows {idle:,} directions" in text(at)


def test_a_cell_of_a_change_is_the_number_after_less_the_one_before():
    at = whole(open_page("keras_layer", part="arrays", cell="moved_scores.1.2.3"))
    assert "**change of QKᵀ of head 1, row 2, column 3** · QKᵀ with the other $b_K$, less the number as it is" in text(at)
    other = whole(open_page("keras_layer", part="arrays", idea="products", cell="ov.4.16.16"))
    assert "**OV circuit of head 4, row 16, column 16**" in text(other)


def test_a_layer_too_large_to_compute_has_its_counts():
    at = whole(open_page("keras_layer", part="arrays", d_model=4096, num_heads=32))
    assert title(at) == "Without $b_K$, what would move?"
    assert stages(at)
    assert at.info


@pytest.mark.parametrize("how", ["sum", "mean"])
def test_heads_added_up_need_one_block_of_w_o(how):
    """By hand for 512 wide and 8 heads: 64 columns instead of 512, so 64 · 512 numbers instead of 512 · 512."""
    at = whole(open_page("concatenation", combine=how, numbers="seed", d_model=512, num_heads=8))
    assert row(at, "width before $W_O$")[1:] == ["512", "64"]
    assert row(at, "numbers in $W_O$")[1:] == ["262,144", "32,768"]
    assert row(at, "of the layer")[1:] == ["1,050,624", "821,248"]
    assert ("$W_1^O / 8$" in text(at)) == (how == "mean")


def test_where_nothing_is_added_up_the_concatenation_page_shows_none_of_it():
    at = whole(open_page("concatenation", numbers="seed"))
    assert len(stages(at)) == 1
    assert "instead" not in " ".join(header.value for header in at.header)


def test_large_layers_are_computed_one_at_a_time(monkeypatch):
    under_way, seen = [], []

    def computed(cfg: Config, backend: str) -> None:
        under_way.append(cfg)
        seen.append(len(under_way))
        time.sleep(0.05)
        under_way.remove(cfg)

    monkeypatch.setattr(trace, "run", computed)
    layers = [Config(d_model=211, num_heads=heads, key_dim=7, value_dim=5) for heads in (13, 17, 19)]
    assert min(map(numbers_kept, layers)) > trace.SMALL
    with ThreadPoolExecutor(len(layers)) as visitors:
        list(visitors.map(partial(trace.trace_of, SEED), layers))
    trace._trace.clear()
    assert seen == [1, 1, 1]
