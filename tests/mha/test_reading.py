"""Words through a network trained on English: which layers there are, what they are called, and what is kept of them."""

from dataclasses import replace

import numpy as np
import pytest

from mha import Config, run
from mha.language import store
from mha.language.network import forward
from mha.language.text import MOST_WORDS, read
from mha.reading import KEPT, LAYERS, Reading, nearest, why_not

SENTENCE = "she gave her sister the zebra"


@pytest.mark.parametrize("size", sorted(store.SIZES))
@pytest.mark.parametrize("number", [1, 2])
def test_a_layer_computes_what_the_whole_network_computes_there(size, number):
    reading = Reading(read(SENTENCE), number)
    cfg = reading.config(Config(*size))
    layer = reading.layer(cfg)
    assert layer is not None
    whole = forward(store.load(*size), reading.sentence.ids)
    np.testing.assert_array_equal(layer.inputs.x_query.values, whole.inputs[number - 1])
    np.testing.assert_array_equal(layer.trace().weights.values, whole.traces[number - 1].weights.values)
    np.testing.assert_array_equal(layer.trace().output.values, whole.traces[number - 1].output.values)


def test_it_is_causal_with_a_position_for_each_word_whatever_the_settings_say():
    cfg = Reading(read(SENTENCE), 2).config(Config(16, 4, query_len=11, mask="none", seed=3))
    assert (cfg.query_len, cfg.key_len, cfg.mask, cfg.seed) == (7, 7, "causal", 0)


def test_other_layers_are_not_the_networks():
    reading = Reading(read(SENTENCE), 2)
    cfg = reading.config(Config(16, 4))
    for other in (replace(cfg, mask="none"), replace(cfg, query_len=5, key_len=5), replace(cfg, use_bias=False), Config(12, 4)):
        assert reading.layer(other) is None


def test_the_same_words_are_the_same_layer_and_other_words_another():
    cfg = Reading(read(SENTENCE), 2).config(Config(16, 4))
    one = Reading(read(SENTENCE), 2).layer(cfg)
    assert one is not None
    assert Reading(read("  She gave HER sister the zebra "), 2).layer(cfg) is one
    assert Reading(read(SENTENCE), 1).layer(cfg) is not one
    assert Reading(read("she gave her sister the letter"), 2).layer(cfg) is not one


def test_what_is_kept_is_bounded_by_count_and_by_bytes():
    words = [f"she gave {'very ' * many}" for many in range(1, 26)]
    for text in words:
        for size in ((16, 1), (16, 2), (16, 4), (64, 16)):
            reading = Reading(read(text), 2)
            reading.layer(reading.config(Config(*size)))
    assert len(LAYERS) <= KEPT
    assert LAYERS.bytes <= 24 << 20


def test_a_kept_layer_is_counted_with_all_that_it_may_hold():
    """Arrays of the trace by hand: of the largest layer there is, the longest sentence."""
    reading = Reading(read("very " * (MOST_WORDS - 1)), 2)
    cfg = reading.config(Config(64, 16))
    trace = run(cfg)
    held = sum(trace[name].values.nbytes for name in ("x_query", "q", "k", "v", "scores", "scaled", "masked", "weights",
                                                      "context", "concat", "output"))  # fmt: skip
    before = LAYERS.bytes
    LAYERS._entries.clear()
    assert reading.layer(cfg) is not None
    assert held < LAYERS.bytes < 8 * held
    assert before >= 0


def test_words_name_the_rows_and_an_unknown_one_is_marked():
    reading = Reading(read("she gave zebra zebra \x07 <b>"), 1)
    assert reading.labels == ("start", "she", "gave", "zebra*", "zebra*", "?*", "<*", "b*", ">*")
    assert reading.unknown == ("zebra", "\x07", "<", "b", ">")


def test_a_long_word_is_shortened_in_pictures():
    assert Reading(read("x" * 40), 1).labels == ("start", "x" * 14 + "*")


@pytest.mark.parametrize(("cfg", "reason"), [
    (Config(16, 4), ""),
    (Config(64, 16, query_len=3, mask="causal", seed=5), ""),
    (Config(24, 4), "the trained networks have d_model 16 or 64, not 24"),
    (Config(64, 32), "at d_model 64 the trained networks have 1, 2, 4, 8, 16 heads, not 32"),
    (Config(16, 4, key_dim=5), "the trained networks have the paper’s split, d_k = d_v = d_model / h"),
    (Config(16, 4, use_bias=False), "the trained networks have biases"),
    (Config(16, 4, query_len=5, key_len=7), "the trained networks read one sequence, so there are as many keys as queries"),
])  # fmt: skip
def test_where_no_network_has_such_a_layer_the_reason_is_said(cfg, reason):
    assert why_not(cfg) == reason


@pytest.mark.parametrize(("cfg", "size"), [(Config(24, 3), (16, 2)), (Config(512, 32), (64, 16)), (Config(16, 5, 2), (16, 4))])
def test_the_way_there_leads_to_the_most_similar_network(cfg, size):
    assert nearest(cfg) == size
    assert why_not(Config(*size)) == ""
