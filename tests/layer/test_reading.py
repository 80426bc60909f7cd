"""The trained layer on the pages: the sizes that exist, whose numbers they are, the heads' names, and what is cached."""

from dataclasses import replace

import numpy as np
import pytest

from components.settings import Settings
from headcount import Config
from headcount.custom_layer import CustomLayer
from headcount.reading import Reading, facts, nearest, network_name, pale_rows, why_not
from headcount.settings import HEAD_SIZES, SHARED, STOPS
from headcount.trained import store
from headcount.trained.network import forward, logits_of
from headcount.trained.sentence import DEFAULT_TEXT, HEADS, read
from headcount.trained.task import UNASKED

SENTENCE = read(DEFAULT_TEXT)
FOUR = Config(16, 4, query_len=13)


def layer_of(cfg: Config, *, cut: bool = False) -> CustomLayer:
    layer = Reading(SENTENCE, cut=cut).layer(cfg)
    assert layer is not None
    return layer


@pytest.mark.parametrize(("cfg", "name"), [
    *((Config(16, heads, query_len=13), f"sentence-{heads}") for heads in HEADS),
    *((Config(16, heads, 4, query_len=13), f"sentence-{heads}-key4") for heads in (1, 2, 8)),
])  # fmt: skip
def test_a_layer_computes_what_the_whole_network_computes_there(cfg, name):
    reading = Reading(SENTENCE)
    layer = layer_of(cfg)
    whole = forward(store.load(name), SENTENCE.examples.tokens)
    np.testing.assert_array_equal(layer.trace().weights.values, whole.trace.weights.values)
    np.testing.assert_array_equal(layer.trace().output.values, whole.trace.output.values)
    assert next(one.given for one in reading.answers(cfg, layer.trace().output.values)) == "Ana"


def test_where_all_head_counts_cut_one_layer_their_flat_numbers_are_those_of_four_heads():
    flat = set()
    for heads in HEADS:
        layer = layer_of(FOUR.with_heads(heads, paper=True), cut=True)
        flat.add(b"".join(getattr(layer.params, name).values.tobytes() for name in ("w_q", "b_q", "w_v", "w_o")))
    four = store.load("sentence-4").weights
    assert flat == {b"".join(four[f"layer1_{name}"].tobytes() for name in ("w_q", "b_q", "w_v", "w_o"))}


@pytest.mark.parametrize(("change", "says"), [
    ({"d_model": 20, "key_dim": 5, "value_dim": 5}, "no layer of these sizes was trained"),
    ({"key_dim": 5}, "no layer of these sizes was trained"), ({"value_dim": 7}, "no layer of these sizes was trained"),
    ({"num_heads": 3}, "no layer of these sizes was trained"), ({"use_bias": False}, "has biases"),
    ({"use_gate": True}, "no gate"),
    ({"dropout": 0.5, "training": True}, "drops nothing"), ({"query_len": 12, "key_len": 12}, "T = S = 13"),
    ({"key_len": 12}, "T = S = 13"),
])  # fmt: skip
def test_at_other_sizes_there_is_no_trained_layer_and_the_reason_is_said(change, says):
    cfg = replace(FOUR, **change)
    assert says in why_not(cfg)
    assert Reading(SENTENCE).layer(cfg) is None


def alone(paper: bool) -> list[tuple[str, int, Config | None]]:
    """Each of the four sliders moved alone from the default to each of its stops."""
    here = Settings({setting.code: setting.default for setting in SHARED} | {"split": "paper" if paper else "free"})
    return [
        (code, stop, here.but(**{code: stop}).config()) for code in STOPS for stop in here.stops(code)
        if not (paper and code in HEAD_SIZES)
    ]  # fmt: skip


def test_every_slider_that_moves_alone_finds_a_trained_layer_at_its_small_stops():
    """In the paper's convention, widths from 4 to 64 and every head count. In Keras's, 16 wide, up to 16 heads of 4, and 4 heads
    of up to 16 numbers."""
    wanted = {True: {"d_model": (4, 64), "num_heads": (1, 16)}, False: dict.fromkeys(STOPS, (1, 16)) | {"d_model": (16, 16)}}
    for paper, wants in wanted.items():
        found = {code: set() for code in STOPS}
        for code, stop, cfg in alone(paper):
            least, most = wants[code]
            trained = cfg is not None and network_name(cfg) != ""
            assert trained == (cfg is not None and least <= stop <= most), (paper, code, stop)
            found[code] |= {stop} if trained else set()
        assert [len(stops) for stops in found.values()] == ([8, 5, 0, 0] if paper else [1, 5, 8, 8])


@pytest.mark.parametrize(("cfg", "sizes"), [
    (Config(96, 4), (64, 4, 16, 16)), (Config(1024, 4), (64, 4, 16, 16)), (Config(2, 2), (4, 2, 2, 2)),
    (Config(16, 4, 24, 4), (16, 4, 16, 4)), (Config(16, 4, 4, 512), (16, 4, 4, 16)), (Config(24, 4, 4), (24, 6, 4, 4)),
    (Config(16, 4, use_bias=False), (16, 4, 4, 4)),
])  # fmt: skip
def test_the_nearest_trained_layer_is_of_the_convention_that_is_shown(cfg, sizes):
    assert nearest(cfg) == sizes


def test_a_network_of_a_stop_is_computed_as_its_sizes_say():
    """Its layer is the network's, with heads of the Config's width, and its answers are those that were measured."""
    cfg = replace(FOUR, key_dim=1)
    whole = forward(store.load("stops-16-4-1-4"), SENTENCE.examples.tokens)
    assert (whole.trace.q.shape, whole.trace.context.shape) == ((1, 13, 4, 1), (1, 13, 4, 4))
    np.testing.assert_array_equal(layer_of(cfg).trace().output.values, whole.trace.output.values)
    assert max(facts(cfg)["accuracy"][:2]) < 0.8
    assert facts(cfg)["accuracy"][2:] == [1.0, 1.0]
    assert [name for name, _ in Reading(SENTENCE).head_names(cfg)] == ["blends"] * 4


def test_a_mask_acts_on_the_trained_numbers():
    causal = replace(FOUR, mask="causal")
    layer = layer_of(causal)
    np.testing.assert_array_equal(layer.params.w_q.values, store.load("sentence-4").weights["layer1_w_q"])
    assert np.triu(layer.trace().weights.values[0, 0], 1).max() == 0


def test_heads_bear_their_measured_names_and_only_as_they_were_trained():
    names = Reading(SENTENCE).head_names(FOUR)
    assert [name for name, _ in names] == ["who", "whom", "where", "when"]
    assert min(share for _, share in names) >= 0.8
    ((name, share),) = Reading(SENTENCE).head_names(FOUR.with_heads(1, paper=True))
    assert (name, share < 0.8) == ("blends", True)
    assert Reading(SENTENCE, cut=True).head_names(FOUR.with_heads(2, paper=True)) == ()
    assert Reading(SENTENCE).head_names(replace(FOUR, mask="causal")) == Reading(SENTENCE).head_names(
        replace(FOUR, sliding_window=3)) == ()  # fmt: skip


def test_an_answer_hangs_on_every_heads_map_in_the_rows_that_are_asked_and_on_no_other_row():
    """One row of one head's map after the other is replaced by equal weights."""
    network, reading = store.load("sentence-4"), Reading(SENTENCE)
    trace = forward(network, SENTENCE.examples.tokens).trace
    asked = np.argwhere(SENTENCE.examples.answers[0] != UNASKED)
    answered = lambda output: logits_of(network, output)[0, asked[:, 0], asked[:, 1]]  # noqa: E731
    v, w_o = trace.v.values[0], trace.params.w_o.values  # "shd", "hdm"
    for row in range(13):
        for head in range(4):
            changed = trace.output.values.copy()
            changed[0, row] += (v[:, head].mean(axis=0) - trace.context.values[0, row, head]) @ w_o[head]
            apart = np.abs(answered(changed) - answered(trace.output.values)).max()
            assert (apart == 0) == (row in pale_rows(reading))
    assert [SENTENCE.words[row] for row in range(13) if row not in pale_rows(reading)] == ["calls", "she", "thanks"]


def test_one_head_gives_the_wrong_name_and_four_the_right_one():
    """In the first clause one head says that Ana calls Ana."""
    for heads, wrong in ((1, [("calls", "whom", "Ana")]), (4, [])):
        cfg = FOUR.with_heads(heads, paper=True)
        layer = layer_of(cfg)
        given = Reading(SENTENCE).answers(cfg, layer.trace().output.values)
        assert [(one.word, one.question, one.given) for one in given if not one.is_right] == wrong


def test_the_same_words_are_the_same_layer_and_other_words_another():
    one = layer_of(FOUR)
    assert Reading(read(f"  {DEFAULT_TEXT.upper()} ")).layer(FOUR) is one
    assert Reading(SENTENCE.with_pronoun("he")).layer(FOUR) is not one
    assert Reading(SENTENCE, cut=True).layer(FOUR) is not one
