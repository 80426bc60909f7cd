"""What published models changed, as switches on the page about attention: what is shown, counted, explained and kept."""

import re
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from components.pages.models.about import changed_sentence
from mha import Config, count_parameters, run
from mha.config import MASKS
from mha.models.table import entries
from mha.reading import Reading
from mha.settings import SWITCHES
from mha.switches import Switches
from mha.trained.sentence import DEFAULT_TEXT, read
from mha.variations import with_divisor, with_switches
from tests.app.driver import open_page, stages, text, title, whole, whole_address
from tests.app.own_layer import numbers, seen_numbers

SEED = {"numbers": "seed", "d_model": 12, "num_heads": 3, "seed": 7, "mask": "causal", "query_len": 5, "key_len": 5}
LAYER = Config(12, 3, query_len=5, mask=MASKS[1], seed=7)
CASES = {
    "rotary=halves": Switches(rotary="halves"), "rotary=pairs": Switches(rotary="pairs"), "qk_norm=rms": Switches(qk_norm="rms"),
    "qk_norm=rms_wide": Switches(qk_norm="rms_wide"), "qk_norm=layer": Switches(qk_norm="layer"),
    "soft_cap=1.5": Switches(soft_cap=1.5), "alibi=true": Switches(alibi=True), "sinks=true": Switches(sinks=True),
}  # fmt: skip


def test_the_first_screen_has_one_button_more_and_no_field():
    at = whole(open_page("attention"))
    assert {setting.code for setting in SWITCHES}.isdisjoint(at.session_state._state.filtered_state)
    assert "what-if" not in text(at)


@pytest.mark.parametrize("query", CASES)
def test_a_switch_changes_the_numbers_that_are_drawn_and_says_what_it_costs(query):
    at = whole(open_page("attention", **SEED, **dict(parse_qsl(query))))
    changed = with_switches(run(LAYER), CASES[query])
    weights = changed.weights.values[changed.weights.values != 0]
    assert numbers(weights) <= seen_numbers(at)
    more = count_parameters(CASES[query].on(LAYER)) - count_parameters(LAYER)
    assert (f"{more} parameters more: {624 + more}" if more else "no parameters: 624 as before") in text(at)
    assert whole_address(at).items() >= dict(parse_qsl(query)).items()


def test_a_sink_is_in_the_title_and_rows_sum_to_less_than_1():
    at = whole(open_page("attention", **SEED, sinks="true"))
    assert title(at) == "3 heads, 3 maps of 5 × 5. Every row and its sink sum to 1."
    low, high = map(float, re.findall(r"Row sums ([0-9.]+) to ([0-9.]+)\.", stages(at)[0]["alt"])[0])
    assert 0 < low <= high < 1


def test_on_the_trained_network_it_is_a_what_if_on_the_networks_own_numbers():
    at = whole(open_page("attention", rotary="pairs", divisor="none"))
    assert "A what-if: the network learned without it." in text(at)
    cfg = Config(16, 4, query_len=13)
    reading = Reading(read(DEFAULT_TEXT))
    trace = reading.layer(reading.config(cfg)).trace()
    weights = with_divisor(with_switches(trace, Switches(rotary="pairs")), "none").weights.values
    assert numbers(weights[weights != 0]) <= seen_numbers(at)


def test_a_cell_of_a_step_that_is_not_there_is_refused_by_name():
    at = whole(open_page("attention", **SEED, cell="q_rotated.1.1.1"))
    assert any("cell must start with one of q, k, v, scores" in warning.value for warning in at.warning)
    at = whole(open_page("attention", **SEED, rotary="halves", cell="q_rotated.1.2.1"))
    assert "columns 1 and 3 times cos and −sin of the angle 1.000" in text(at)


def test_without_pairs_rotary_is_left_out_and_the_page_says_so():
    at = whole(open_page("attention", **SEED | {"num_heads": 4}, rotary="halves"))
    assert "$d_k$ = 3 is odd: it is left out." in text(at)
    assert "With" not in text(at)


def test_the_check_line_is_about_the_layer_without_it():
    line = [caption.value for caption in open_page("attention", **SEED, alibi="true").caption]
    assert any(words.startswith("Of the layer without what is switched on: Numbers by NumPy") for words in line)


@pytest.mark.parametrize("slug", ["Llama-3-8B", "Gemma-2-2B", "gpt-oss-120b", "Qwen3-0.6B", "OLMo-2-7B", "T5-base"])
def test_a_published_model_leads_to_the_layer_with_what_it_changed(slug):
    sentence, more = changed_sentence(entries()[slug].model), entries()[slug].model.attention.extras
    query = dict(parse_qsl(urlsplit(re.search(r"\]\((\S+)\)", sentence)[1]).query))
    assert f"{more:,} parameters more in each layer" in sentence if more else "costs no parameters" in sentence
    at = whole(open_page("attention", **query))
    assert len(at.warning) == 0
    assert np.isfinite(list(seen_numbers(at))).all()


def test_a_model_that_changed_nothing_says_nothing():
    assert changed_sentence(entries()["BERT-base"].model) == changed_sentence(entries()["DeepSeek-V3"].model) == ""
