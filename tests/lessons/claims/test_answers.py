"""Every number of a question's known answer is among the numbers that its own runs give; and each answer has its link."""

import json
import math
import re

import numpy as np
import pytest

from experiments.records import keras
from experiments.runs import measure
from experiments.runs.arrays import projected
from experiments.runs.layer import roberta_model
from experiments.runs.served import results_by
from lessons.claims import BY_ID, CLAIMS, QUESTIONS
from mha import Config, run
from mha.trained.network import forward
from mha.trained.sentence import combinations
from mha.trained.store import load
from tests.lessons.claims.conftest import LORA
from tests.lessons.claims.running import HERE

#: The answers as they were worked out with Keras, PyTorch, transformers and NumPy, or by hand, when the questions were collected.
KNOWN = json.loads((HERE / "questions.json").read_text())
QUESTIONS = sorted((one for one in QUESTIONS if one not in CLAIMS), key=lambda one: one.id)
#: Numbers in the known answers that are no result: what was drawn at random then, rounding, versions, places in a list.
#: Everything else has to be found.
NO_RESULT = {
    "q12": {2},  # d_model to the power of 2
    "q22": {1.23, 2.13, 3.15},  # the difference at that draw; versions
    "q23": {0.574, 0.602, 1.046, 1.778},  # sums of columns at that draw
    "q25": {0},  # PyTorch's average beside the mean of its maps: its own definition
    "q30": {0, 0.243, 3, 22789},  # a pull request; a mean at that draw, held below; rows 0 to 3E
    "q32": {2e-07, 6e-07, 1, 3, 5, 7},  # rounding; places in a list; lengths of the sequences
    "q40": {5e-07, 1},  # rounding; which head
    "q43": {1.03, 8},  # at that draw; the width of the example
    "q44": {0.016, 0.06, 0.25, 0.361, 0.955, 3.96, 15.98, 64.2, 256.4},  # at that draw, held below
    "q48": {2.7, 4.4},  # at that draw
    "q50": {0.413, 0.587, 8},  # at that draw; the width of the example
    "r01": {4e-15, 2.13, 12},  # PyTorch's version; heads; rounding
    "r02": {2e-15, 2.5, 13},  # at that draw; rounding
    "r04": {2, 4, 6.3, 512},  # factors of the sums by hand; the thread's rounding
    "r13": {1, 2},  # 1/6; which of the arrays stand still is named
    # Versions, draws, rounding, factors of the sums by hand, and what a sum passes through.
    "q17": {3.15}, "q20": {3.15}, "q47": {4e-07, 3.15}, "r03": {2e-14, 12}, "r05": {2, 320, 640}, "r15": {2e-16},
    "r17": {117440512}, "r18": {1}, "r19": {3}, "r22": {2}, "r26": {4, 500}, "r27": {3, 7}, "r28": {3584}, "r29": {2, 4, 1024},
    "r30": {2.06e-09, 2}, "r31": {2, 4}, "r33": {2, 4, 32752, 131008}, "r41": {2, 128}, "r42": {2, 128, 4096}, "r43": {2},
    "r44": {3, 28672}, "r46": {3, 256}, "r48": {2, 4}, "r49": {3, 256}, "r51": {2.13}, "r52": {2, 7, 36}, "r53": {0, 2.13, 5},
    "r54": {3}, "r55": {0.9, 2, 8}, "r56": {12, 768}, "r58": {4, 4096}, "r59": {3.15, 8, 9}, "r60": {2.13, 3.15},
    "r67": {4294967296}, "r70": {4, 100}, "r65": {3.15}, "r71": {0.5}, "r72": {3.15}, "r75": {1, 8, 11, 11.09, 65504},
    "r76": {512}, "r77": {2}, "r79": {2}, "r80": {6}, "r81": {4}, "r83": {16}, "r84": {5}, "r85": {1000}, "r86": {1, 2},
    "r87": {13, 32}, "r89": {4}, "r96": {2, 3}, "r97": {7, 63, 511}, "r98": {0.2, 1, 2, 20}, "r99": {2, 127, 4097},
    "r120": {4, 512}, "r121": {4, 768}, "r125": {4}, "r127": {4}, "r130": {6, 1024, 2048, 36864}, "r131": {2},
    "r100": {1}, "r102": {3, 6, 7, 10}, "r103": {1, 2.13, 5}, "r104": {0.25, 4},
    "r106": {6}, "r107": {3},
    "r142": {768}, "r143": {8}, "r145": {128},
}  # fmt: skip


def numbers(text: str) -> set[float]:
    """Every number in the text; what belongs to a name (W_Q2) is none, and of a version only its first two parts."""
    text = re.sub(r"\(([\d, ]+)\)", lambda found: found[0].replace(",", " "), text)  # (8,128,512) is no eight million
    text = re.sub(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,]*\d)", lambda found: found[0].replace(",", ""), text)
    return {float(found) for found in re.findall(r"(?<![A-Za-z_.\d])\d+(?:\.\d+)?(?:e-\d+)?", text)}


def written(question) -> str:
    answer = question.answer
    return " ".join([question.asks, answer.text, *(f"{what} {value}" for what, value in answer.rows)])


@pytest.mark.parametrize("name", KNOWN)
def test_the_known_numbers_come_out_of_the_runs(name):
    answer = written(BY_ID[name])
    assert numbers(KNOWN[name]) - numbers(answer) - NO_RESULT.get(name, set()) == set(), answer


def test_all_questions_are_answered_the_first_25_and_134_more_each_with_its_thread():
    names = sorted(name for question in QUESTIONS for name in (question.id, *question.also))
    assert names == list(KNOWN)
    assert [sum(name[0] == letter for name in names) for letter in "qr"] == [25, 134]
    assert len({address for question in QUESTIONS for address in question.addresses}) == 159
    assert all(len(question.addresses) == 1 + len(question.also) for question in QUESTIONS)


SMALL, ODD = {"d_model": 8, "num_heads": 2, "query_len": 4}, {"d_model": 15, "num_heads": 3}
BERT, BASE = {"d_model": 768, "num_heads": 12, "query_len": 6}, {"d_model": 512, "num_heads": 8, "query_len": 6}


def at(found: dict, place: str):
    """What a run gave under a name; "moved.keys" is one in the other."""
    for name in place.split("."):
        found = found[name]
    return found


#: What rounding may come to (in float64 1e-12, in float32 more), an experiment, what stays as it is, and what moves.
STILL = (
    (0, "array_off", {"array": "b_k", **BERT}, "weights output", "scores"),
    (0, "array_off", {"array": "w_q", **BASE, "query_len": 1, "use_bias": False}, "weights output", "scores"),
    (1e-12, "value_bias_folded", BERT, "folded", "dropped"), (1e-12, "heads_turned", BASE, "by_head scores", "across w_q"),
    (1e-12, "one_kernel", {**SMALL, "letters": "qk"}, "scores", "weights plain"),
    (1e-12, "scaled_before", {**BASE, "number": 40.0, "tokens": 10}, "queries_alone both", ""),
    (1e-4, "padded_heads", {"d_model": 500, "num_heads": 10, "query_len": 6, "multiple": 8}, "weights results", "wrong_root"),
    (0, "axes_swapped", {"d_model": 8, "num_heads": 2, "batch": 4, "length": 6, "keys": 9}, "", "apart"),
    (1e-5, "diagonal_left_out", ODD | {"query_len": 7}, "by_keys", "moved"),
    (0, "padding_sides", {**ODD, "query_len": 7, "padded": 3}, "right.causal right.both left.both", "left.causal"),
    (1e-5, "packed_documents", {**ODD, "query_len": 7, "first": 3}, "alone moved.blocks", "moved.causal"),
    (0, "dropout_left_on", {**ODD, "query_len": 7, "rate": 0.3}, "off", "on"),
    (1e-5, "heads_by_turns", {**ODD, "query_len": 7}, "reordered", "apart"),
    (0, "padding_left_in", {**SMALL, "query_len": 7, "padded": 3}, "moved.keys", "moved.none share of_zeros"),
    *((1e-5, "by_blocks", {"d_model": 10, "num_heads": 2, "query_len": 7, "block": block}, "apart", "") for block in (1, 3, 7)),
    (0, "repeated_heads", {"d_model": 18, "num_heads": 6, "kv_heads": 2, "query_len": 5}, "once values", "apart of_two"),
    (1e-4, "layouts", {"d_model": 15, "num_heads": 3, "query_len": 2}, "apart", "thirds"),
    (1e-6, "pooled_heads", {"d_model": 15, "num_heads": 3, "kv_heads": 1, "query_len": 4}, "alike", "apart"),
    (1e-6, "masked_after", SMALL, "repaired", "apart"), (0, "divided", {**BASE, "query_len": 8}, "", "apart apart_after"),
    (0, "zeros_in_a_mask", {**SMALL, "masked": 2}, "shares.infinity shares.large", "shares.times shares.added shares.tiny"),
    (0, "recut", {"d_model": 64, "heads": [4, 16], "query_len": 6}, "", "apart"),
    (0, "recut", {"d_model": 64, "heads": [4, 4], "query_len": 6}, "apart", ""),
    (0, "beside_dense", {**ODD, "query_len": 7}, "", "moved"),
    (0, "one_kernel", {**ODD, "query_len": 7, "letters": "kv"}, "", "apart"),
    (1e-6, "with_a_cache", {**ODD, "query_len": 7}, "causal.outputs causal.kept none.kept last", "none.outputs"),
    (1e-6, "with_a_cache", {**ODD, "query_len": 7, "mask": "causal"}, "causal.outputs last", "none.outputs"),
    (1e-6, "rotary_layouts", {"d_model": 18, "num_heads": 3, "query_len": 5}, "reordered", "same"),
    (1e-12, "turned_later", {"d_model": 24, "num_heads": 3, "query_len": 7, "later": 5}, "whole half", "kept plain values"),
    (1e-6, "gradients_by_hand", {**ODD, "query_len": 7}, "apart rows", ""),
    (0, "norms_of_heads", {**ODD, "query_len": 7}, "rms.moved", "rms_wide.moved"),
    (1e-6, "attends_to_nothing", {**ODD, "query_len": 7, "lower": 10.0}, "zero_key sinks", "output"),
    (1e-6, "bias_as_mask", {**ODD, "query_len": 7}, "apart", "plain"),
    (0, "rolled_out", {**ODD, "query_len": 7}, "still", "output"),
    (1e-6, "largest_subtracted", {"scores": [7.0, -3.0, 20.0]}, "apart", ""),
    (1e-5, "other_weights", {**ODD, "query_len": 7}, "apart", "output"),
    (1e-5, "by_formula", {**ODD, "query_len": 7}, "apart", ""),
    (1e-5, "circuits", {**ODD, "query_len": 7, "use_bias": False}, "scores output", ""),
    (1e-6, "reordered", {**SMALL, "key_len": 7}, "both columns", "alone"),
    (0, "same_token", {**SMALL, "first": 1, "second": 3}, "none", "causal"),
    (1e-5, "copied", {**ODD, "query_len": 7}, "rounding", "wrong"),
    (1e-5, "cut_fused", {**ODD, "query_len": 7}, "by_axes thirds", "by_head"),
)  # fmt: skip


@pytest.mark.parametrize(("rounding", "name", "arguments", "still", "moving"), STILL)
def test_what_has_no_effect_moves_nothing_and_what_has_one_moves_something(rounding, name, arguments, still, moving):
    found, least = measure(name, arguments), {"wrong_root": 0.01, "apart": 0.1}
    assert all(at(found, place) <= rounding for place in still.split())
    assert all(at(found, place) > least.get(place, 0.2 if "share" in place else 0.1) for place in moving.split())


NAN, INF = ["NaN"] * 4, math.inf


@pytest.mark.parametrize(("name", "arguments", "wanted"), [
    # By IEEE 754: 5 bits of exponent and 10 of fraction; a sum of two least numbers is none.
    ("formats", {"values": [-1e10, -1e9, -65504.0, -1e4, -20.0]}, {
        "half": [-INF, -INF, -65504, -10000, -20], "powers": [0] * 5, "least.float16": -65504,
        "least.bfloat16": pytest.approx(-3.3895e38, rel=1e-4), "least.float32": pytest.approx(-3.4028e38, rel=1e-4)}),
    ("masks_added", {"keys": 4}, {"sum": -INF, "row": NAN, "halves": -65504, "row_halves": [0.25] * 4}),
    # A number in a mask is −∞ only while a key is left: float16 numbers are 8 apart there.
    ("fills", {"fill": -10000.0, **SMALL}, {
        "one_real": [[0, 0, 0, 1], [0, 0, 0, 1]], "inf": NAN, "none_real.float16": [0.25] * 4, "step": 8}),
    ("zeros_in_a_mask", {**SMALL, "masked": 2}, {"factor": pytest.approx(math.e)}),
    # A strictly causal mask leaves the zero key to the first query.
    ("zero_key", SMALL, {"causal": True, "zero": (1, 2, 4, 5), "both": (1, 2, 4, 6)}),
    # By PyTorch (parity/test_questions.py): (4, 6, 8) with 2 heads has weights (6, 2, 4, 4).
    ("axes_swapped", {"d_model": 8, "num_heads": 2, "batch": 4, "length": 6, "keys": 9},
     {"output": (4, 6, 8), "maps": (4, 2, 6, 6), "swapped": (6, 2, 4, 4)}),
    ("axes_swapped", {"d_model": 8, "num_heads": 2, "batch": 6, "length": 1, "keys": 1}, {"swapped": (1, 2, 6, 6)}),
    # A mask turned round looks ahead only, and leaks by its diagonal.
    ("turned_mask", {**SMALL, "query_len": 5}, {
        "pairs": 15, "turned": 10, "last": ["NaN"] * 5, "moved": {"causal": 1, "transposed": 5, "none": 5}}),
    # 3 samples, 2 heads: 0 1 2 0 1 2 beside 0 0 1 1 2 2. Sample 3 has 2 tokens fewer: 10 - 4 - 3 pairs.
    ("mask_shapes", {"batch": 3, "num_heads": 2, "length": 4, "padded": 1}, {
        "maps": 6, "in_turn": 2, "joined": (3, 4, 4), "pairs": [10, 9, 7],
        "refusal": "The shape of the 3D attn_mask is torch.Size([3, 4, 4]), but should be (6, 4, 4)."}),
    # Keras and PyTorch take the first (tests/mha/test_keras_masks.py, parity/test_masks.py).
    ("causal_corners", {"queries": 2, "keys": 7}, {"first": [1, 2], "last": [6, 7]}),
    ("causal_corners", {"queries": 3, "keys": 3}, {"first": [1, 2, 3], "last": [1, 2, 3]}),
    # Behind real tokens a causal mask has no empty row; before them, as many as are padded.
    ("padding_sides", {**ODD, "query_len": 7, "padded": 3}, {"right.empty": 0, "left.empty": 3}),
    ("diagonal_left_out", ODD | {"query_len": 7}, {"pairs": 42, "empty": 1, "row": ["NaN"] * 7}),
    ("packed_documents", {**ODD, "query_len": 7, "first": 3}, {"pairs.causal": 28, "pairs.blocks": 16}),
    ("numbers_in_a_mask", {**ODD, "query_len": 7, "added": -1.0}, {
        "after": pytest.approx(math.exp(-1)), "before": pytest.approx(math.exp(-1 / math.sqrt(5))), "large": 0}),
    ("heads_by_turns", {"d_model": 6, "num_heads": 3, "query_len": 2}, {"order": [0, 2, 4, 1, 3, 5]}),
    # A contiguous (5, 2, 4) has steps of 8, 4, 1 numbers.
    ("joined_heads", {"tokens": 5, "width": 8, "num_heads": 2}, {"turned": [4, 20, 1], "copied": [8, 4, 1], "joined": (5, 8)}),
    ("scaled_before", {"d_model": 16, "num_heads": 4, "number": 1.0, "tokens": 10}, {"queries": 160, "scores": 400}),
    ("padding_left_in", {**SMALL, "query_len": 7, "padded": 3}, {"row": pytest.approx(1)}),
    ("padded_heads", {"d_model": 500, "num_heads": 10, "query_len": 6, "multiple": 8}, {"more": pytest.approx(6 / 50)}),
    ("by_blocks", {"d_model": 10, "num_heads": 2, "query_len": 7, "block": 3}, {"held": 21, "whole": 49}),
    ("repeated_heads", {"d_model": 18, "num_heads": 6, "kv_heads": 2, "query_len": 5},
     {"each": [0, 0, 0, 1, 1, 1], "turn": [0, 1, 0, 1, 0, 1], "agree": 4}),
    # transformers: GPT-2's c_attn is (768, 2304), GPT-NeoX's query_key_value goes head by head.
    ("layouts", {"d_model": 15, "num_heads": 3, "query_len": 2}, {
        "shapes.in_proj_weight": (45, 15), "shapes.query_key_value": (45, 15), "shapes.c_attn, transposed": (15, 45)}),
    ("score_ranks", {"d_model": 64, "heads": [1, 4, 16, 64], "query_len": 64}, {
        "scores": [64, 16, 4, 1], "sizes": [64, 16, 4, 1]}),
    # Shapes of PyTorch's Linears are (out, in): by transformers' LlamaAttention (parity/test_questions.py); BERT by its thread.
    ("groups", {"model": "Llama-2-7B", "kv_heads": [1]}, {
        "shapes": [{"W_Q": [4096, 4096], "W_K": [128, 4096], "W_V": [128, 4096], "W_O": [4096, 4096]}]}),
    ("pruned_model", {"model": "BERT-base", "removed": 4}, {
        "shapes": {"W_Q": [512, 768], "W_K": [512, 768], "W_V": [512, 768], "W_O": [768, 512]}}),
    ("adapters", {"model": "Llama-3-70B", "rank": 8, "matrices": ["W_V"]}, {"shapes.W_V": [1024, 8192]}),
    ("with_a_cache", {**ODD, "query_len": 7}, {"scores": 147, "scores_of_one": 21}),
    # DeepSeek-V2-Lite by its config.json: 512 + 64; 16 · (192 + 128); 27 layers.
    ("latent_cache", {"model": "DeepSeek-V2-Lite"}, {"kept": 576, "own": 5120, "token": 31104, "token_own": 276480}),
    # By hand: (3 · 15)² + 3 · 15, and 4 · (15² + 15).
    ("beside_dense", {**ODD, "query_len": 3}, {"dense": 2070, "count": 960}),
    ("other_weights", {**ODD, "query_len": 7}, {"map": 49, "product": 25, "rows.softmax": pytest.approx([1] * 7)}),
    ("rotary_layouts", {"d_model": 18, "num_heads": 3, "query_len": 5}, {"order": [0, 2, 4, 1, 3, 5]}),
    ("norms_of_heads", {**ODD, "query_len": 7}, {"rms.added": 10, "rms_wide.added": 30}),
    # BERT-large by hand: 24 layers of 4 · (1024² + 1024), and of 8 · 1024² + 5 · 1024.
    ("parts_of_model", {"model": "BERT-large"}, {"parts.attention": 100761600, "parts.feed-forward": 201449472}),
    # transformers: T5-large has relative_attention_bias (32, 16) twice. ALiBi's slopes by its paper, section 3.
    ("position_biases", {"models": ["T5-large"], "heads": 4}, {"tables": [[1024, 16, 24]], "slopes": [1/4, 1/16, 1/64, 1/256]}),
    ("divided", {**BASE, "query_len": 8}, {"row_after": pytest.approx(1 / 8)}),
    # By hand: 3 · 15 columns, cut for 3 heads of 5; 3 matrices 15 × 15, and two halves of 3 · 15 · 5; 1 / √(width).
    ("cut_fused", {**ODD, "query_len": 7}, {"kernel": (15, 45), "product": (1, 7, 45), "axes": (3, 1, 3, 7, 5)}),
    ("circuits", {**ODD, "query_len": 7, "use_bias": False}, {"merged": 675, "apart": 450, "ranks": [5, 5]}),
    ("linear_start", {"width": 100}, {"linear": pytest.approx(0.1)}),
    # transformers' state dicts: Qwen2's o_proj has no bias, Whisper's k_proj none.
    ("biases", {"models": ["GPT-2-124M", "Qwen2.5-7B", "Whisper-base", "Llama-3-8B"]}, {
        "of": {"GPT-2-124M": "b_Q, b_K, b_V, b_O", "Qwen2.5-7B": "b_Q, b_K, b_V", "Whisper-base": "b_Q, b_V, b_O",
               "Llama-3-8B": "none"}}),
    # Llama 3.1 8B by huggingface/blog#2345: 2 · 32 · 8 · 128 numbers.
    ("cache", {"model": "Llama-3-8B", "contexts": []}, {"token": 131072, "int8": 65536, "int4": 32768}),
    ("scaled_before", {**BASE, "number": 40.0, "tokens": 10}, {"at_the_end": INF, "before": pytest.approx(12800, rel=1e-2)}),
])  # fmt: skip
def test_what_a_run_gives(name, arguments, wanted):
    found = measure(name, arguments)
    assert {place: at(found, place) for place in wanted} == wanted


def test_rows_under_masks_hold_what_is_left():
    """A zero key shares its row with the one key that is seen; a number added to a whole row masks nothing in float32; rows cut
    after the softmax sum to less than 1 but for the last, as those that are multiplied do."""
    first, second = measure("zero_key", SMALL)["rows"]
    assert (first, second[1:4], sum(second)) == ([0, 0, 0, 0, 1], [0, 0, 0], pytest.approx(1))
    assert 0 < second[0] < 1
    fills = measure("fills", {"fill": -10000.0, **SMALL})
    assert fills["none_real"]["float32"] == pytest.approx(fills["unmasked"], abs=1e-3)
    assert max(fills["unmasked"]) > 0.3
    *cut, last = measure("masked_after", SMALL)["sums"]
    assert max(cut) < 1 == pytest.approx(last)
    times = measure("zeros_in_a_mask", {**SMALL, "masked": 2})
    assert times["after"] == pytest.approx(1 - times["shares"]["none"])
    ahead, *others = measure("turned_mask", {**SMALL, "query_len": 5})["first"]
    assert ahead == 0 < min(others)
    assert len({*measure("recut", {"d_model": 64, "heads": [4, 16], "query_len": 6})["counts"]}) == 1


def test_a_softmax_over_all_heads_makes_them_compete_and_sigmoid_gives_rows_no_sum():
    found, trace = measure("other_weights", {**ODD, "query_len": 7}), run(Config(**ODD, query_len=7))
    shares = np.exp(trace.scaled.values[0, :, 0].astype(np.float64))
    assert found["joint"] == pytest.approx((shares.sum(-1) / shares.sum()).tolist())
    assert found["rows"]["sigmoid"][0] == pytest.approx((shares[0] / (1 + shares[0])).sum())
    assert found["below"] == pytest.approx((trace.scores.values < 0).mean())


def test_the_word_that_counts_is_the_one_whose_mask_moves_the_output_most():
    """Here the mask comes before the softmax, as in a layer."""
    trace = forward(load("sentence-4"), combinations().tokens).trace
    scaled, moved = trace.scaled.values.astype(np.float64), []
    for key in range(scaled.shape[-1]):
        masked = np.exp(scaled)
        masked[..., key] = 0
        output = projected(trace, masked / masked.sum(-1, keepdims=True))
        moved.append(((output - trace.output.values) ** 2).sum(-1))
    same = np.argmax(moved, axis=0) == trace.weights.values.sum(1).argmax(-1)
    assert measure("weights_and_effects", {"network": "sentence-4"}) == {
        "rows": 416,
        "same": same.sum(),
        "share": pytest.approx(same.mean()),
    }


def test_what_the_real_layer_has_no_gradient_for():
    found = {one.id: dict(one.answer.rows) for one in QUESTIONS}
    assert found["r02"]["norm of the gradient of b_K"] == "0"
    assert all(found["r02"][f"norm of the gradient of b_{of}"] != "0" for of in "QVO")
    assert found["r13"]["without a gradient at the first step, W_Q at 0"] == "w_k, b_k"
    assert found["r13"]["with one, W_O at 0"] == "w_o, b_o"


def test_dropped_weights_sum_to_1_on_average():
    """2,000 rows of 16 keys: the mean is within 0.01 of 1, and hardly a row is 1."""
    found = measure("dropped", {"rate": 0.2, "keys": 16})
    assert found["mean"] == pytest.approx(1, abs=0.01)
    assert found["weights"] == [0, 0.078125]
    assert found["least"] < 0.8 < 1.2 < found["largest"] <= 1.25


@pytest.mark.parametrize(("text", "wanted"), [
    ("(8,128,512) has 1,572,864", {8, 128, 512, 1572864}), ("d_k=4,16,64,256: 3.96, 1.00.", {4, 16, 64, 256, 3.96, 1}),
    ("rows 1,1,0; W_Q2 to 4e-7; 3.15.1", {1, 0, 4e-7, 3.15}), ("[[0,1],[6,7]] 1/6 {384}", {0, 1, 6, 7, 384}),
])  # fmt: skip
def test_numbers_by_hand(text, wanted):
    assert numbers(text) == wanted


def test_the_variance_of_a_product_is_d_k_and_the_root_takes_it_back():
    """By theory: d_k; then 1; then 1 / d_k. 16,000 products are within 5 percent. A key that is the query scores d_k on
    average, and the softmax of one score 1 among seven of about 0 is e / (e + 7)."""
    found = measure("drawn_scores", {"sizes": [4, 16, 64, 256, 512], "keys": 8})
    for size, plain, root, full in zip(found["sizes"], *found["variance"].values(), strict=True):
        assert (plain, root, full) == pytest.approx((size, 1, 1 / size), rel=0.05)
    assert (found["largest"]["plain"][-1], found["largest"]["root"][-1]) == pytest.approx((0.955, 0.361), abs=0.02)
    assert found["own"]["root"][1:4] == pytest.approx([4, 8, 16], rel=0.03)
    assert found["own"]["full"] == pytest.approx([1] * 5, rel=0.03)
    assert found["own_weight"]["full"][3] == pytest.approx(math.e / (math.e + 7), abs=0.02)
    assert found["own_weight"]["root"][3] > 0.99


def test_glorots_bounds_by_hand_and_as_drawn():
    """512 wide: sqrt(6 / 2048), sqrt(6 / 1024), and sqrt(6 / (512·8 + 512·64)) by the rule that Keras had before."""
    found = measure("start_bounds", {"width": 512, "num_heads": 8})
    assert found["bounds"] == pytest.approx({"packed": 0.0541, "flat": 0.0765, "per_axis": 0.0128}, abs=5e-5)
    assert found["drawn"] == pytest.approx(found["bounds"], rel=1e-3)
    assert (found["peaked"]["per_axis"], found["peaked"]["flat"]) == pytest.approx((0.066, 0.243), rel=0.03)


def test_dropout_is_right_on_average_after_the_softmax_and_not_before():
    found = measure("dropout_places", {"d_model": 8, "num_heads": 2, "query_len": 6, "rate": 0.1})
    assert max(found["by_weight"], found["by_result"]) < 0.03 < 0.1 < found["by_score"]
    assert found["least"] > 0


def test_metas_weights_are_reordered_as_transformers_reorders_them():
    """Its conversion views the rows of a head as (pairs, 2) and transposes them: by hand, of two heads of 8."""
    rows = np.arange(8).reshape(1, 4, 2).transpose(0, 2, 1).ravel()
    found = measure("rotary_layouts", {"d_model": 16, "num_heads": 2, "query_len": 6})
    assert (found["order"], found["back"]) == (rows.tolist(), [0, 4, 1, 5, 2, 6, 3, 7])
    assert found["reordered"] < 1e-6 < 0.1 < found["same"]


def test_a_row_with_1_more_below_sums_to_its_share_and_to_0_with_low_scores():
    found, trace = measure("attends_to_nothing", {**ODD, "query_len": 7, "lower": 10.0}), run(Config(**ODD, query_len=7))
    totals = np.exp(trace.scaled.values[0, 0].astype(np.float64)).sum(-1)
    assert found["rows"] == pytest.approx((totals / (1 + totals)).tolist())
    assert found["lower"] == pytest.approx((totals / (math.exp(10) + totals)).tolist())


def test_a_lookup_gets_hard_as_the_scores_grow_and_rollout_keeps_a_token_by_its_residual():
    found = measure("looked_up", {**ODD, "query_len": 7, "factors": [1, 10, 1e5]})
    assert found["largest"] == sorted(found["largest"])
    assert found["apart"] == sorted(found["apart"], reverse=True)
    assert (found["largest"][-1], found["apart"][-1]) == (pytest.approx(1, abs=1e-3), pytest.approx(0, abs=0.02))
    rolled = measure("rolled_out", {**ODD, "query_len": 7})
    assert rolled["row"] == pytest.approx(1)
    assert rolled["own_alone"] == pytest.approx(1 / 7, abs=0.05)
    assert rolled["own"] == pytest.approx((1 + 3 / 7) / 4, abs=0.05)  # (A₂ + 1)(A₁ + 1) / 4, each A about 1/7


def test_powers_of_large_scores_are_no_numbers_and_those_of_their_differences_are():
    found = measure("largest_subtracted", {"scores": [1000.0, 999.0, 998.0]})
    assert found["alone"] == ["NaN"] * 3
    assert found["subtracted"] == pytest.approx((np.exp([2, 1, 0]) / np.exp([2, 1, 0]).sum()).tolist(), rel=1e-5)
    with np.errstate(over="ignore"):
        assert np.exp(np.float32(found["most"] - 0.01)) < np.inf == np.exp(np.float32(found["most"] + 0.01))


def test_pooled_heads_leave_a_group_query_layers_parameters():
    """As real layers of Keras have, 16 wide: 4 · (16² + 16), and with 2 heads of 4 for keys and values 2 · (16 · 8 + 8) less."""
    found = measure("pooled_heads", {"d_model": 16, "num_heads": 4, "kv_heads": 2, "query_len": 6})
    assert (found["before"], found["after"]) == (1088, 1088 - 2 * (16 * 8 + 8))


def test_gpus_have_to_divide_heads_key_value_heads_and_the_feed_forward_layer():
    """Qwen2.5-7B: 28 heads, 4 of keys and values, and 18,944 = 512 · 37 columns."""
    found = measure("over_devices", {"model": "Qwen2.5-7B", "devices": 8})
    assert (found["all"], found["odd"], found["mlp"]) == ([1, 2, 4], [7, 14, 28], 512 * 37)


@pytest.mark.keras
def test_an_adapter_starts_at_nothing_learns_by_its_first_factor_and_can_be_merged(of_keras):
    found = of_keras[LORA.key]
    assert (found["a"], found["b"], found["held"]) == ([24, 3, 2], [2, 5], 2 * (24 * 3 * 2 + 2 * 5))
    assert found["trained"] == found["count"] - 2 * 24 * 3 * 5 + found["held"]
    assert found["start"] == found["a_first"] == sum(found["both"]) == 0 < 0.1 < found["b_first"]
    assert found["merged"] < 1e-5 < 0.1 < found["moved"]
    assert found["merged_count"] == found["count"] == 3 * (24 * 15 + 15) + 15 * 24 + 24


def test_each_trained_head_is_missed_by_a_question_of_its_own():
    """By training/: four heads of the sentence, four questions; one head cannot answer all, 16 of size 1 are too thin."""
    found = measure("without_each_head", {"network": "sentence-4"})
    assert sorted(found["questions"]) == ["when", "where", "who", "whom"]
    assert max(found["left"]) < 0.25 < 0.99 < min(found["whole"])
    counts = measure("head_counts", {"task": "sentence"})
    assert (counts["heads"], counts["sizes"]) == ([1, 2, 4, 8, 16], [16, 8, 4, 2, 1])
    assert counts["worst"][0] < 0.5 < counts["worst"][-1] < 0.95 < min(counts["worst"][1:-1])


def test_a_gates_slope_is_only_an_estimate_and_fewer_bits_lose_more():
    """The slope is that of the loss when a gate moves a little: by theory. The head of the least is needed most here."""
    found = measure("gated", {"network": "sentence-8"})
    assert found["of_least"] == min(found["left"]) == found["lowest"] < found["highest"] < found["whole"]
    assert found["without_two"] < found["lowest"]
    many, few = measure("rounded_cache", {**BASE, "bits": [8, 4]})["shares"]
    assert 0 < many < 0.02 < 0.1 < few < 0.5


def test_by_their_own_keys_and_values_the_heads_results_are_the_layers():
    trace = run(Config(d_model=21, num_heads=3, query_len=5))
    np.testing.assert_allclose(results_by(trace, np.arange(3)), trace.context.values, atol=1e-6)


def test_a_query_kernel_that_starts_narrow_stands_in_for_the_scale():
    """By theory the variance of an undivided score is d_k, and over √d_k it is 1."""
    found = measure("scaled_start", {"d_model": 512, "d_k": 64})
    assert (found["plain"], found["root"], found["narrow"]) == pytest.approx((64, 1, 1), rel=0.05)
    assert found["widths"] == pytest.approx([1 / math.sqrt(512), 1 / math.sqrt(512 * 64)])


def test_a_sum_of_ones_stops_where_a_format_has_no_digit_left():
    found = measure("softmax_sums", {"keys": 4096})
    assert found["totals"] == {"float16": float(np.cumsum(np.ones(4096, np.float16), dtype=np.float16)[-1]), "bfloat16": 256}
    with np.errstate(over="ignore"):
        assert np.exp(np.float16(found["most"] - 0.05)) < np.inf == np.exp(np.float16(found["most"] + 0.05))
    assert np.exp(np.float16(0.05 - found["least"])) > 0 == np.exp(np.float16(-found["least"] - 0.05))


@pytest.mark.keras
def test_keras_keeps_weights_in_files_and_refuses_a_layer_that_is_not_built_or_has_other_heads(of_keras):
    found = of_keras[keras("saved").key]
    assert [found[way] for way in ("file", "weights", "by_hand", "unbuilt")] == [0, 0, 0, 0]
    assert found["configuration"] > 0.1
    assert "has not yet been built" in found["refused"]
    assert "not compatible with provided weight shape" in found["other_heads"]


@pytest.mark.keras
def test_an_embeddings_mask_serves_one_call_and_no_sum(of_keras):
    found = of_keras[keras("own_mask").key]
    assert found["own"] == found["causal"] == found["real"] == 0
    assert found["rows"] == [1, 1, 1, 0, 0]
    assert found["second"] == found["computed"] == found["none"] > 0.2
    assert found["passed_on"]


def test_a_wrong_scale_makes_rows_too_even_or_too_sharp():
    found = measure("divided", {"d_model": 512, "num_heads": 8, "query_len": 8})["largest"]
    assert found["sqrt_d_model"] < found["sqrt_d_k"] < found["none"]


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 48, 96, 384, 768])
def test_robertas_table_sums_to_what_transformers_counts_for_any_heads_that_divide(heads):
    """109,514,298 by transformers 4.29.2, 124,696,665 by 5.23.0."""
    sums = [model and model.total for model in (roberta_model(heads), roberta_model(heads, vocab_size=50265))]
    assert sums == ([None, None] if heads in (5, 7, 10) else [109514298, 124696665])


@pytest.mark.keras
def test_keras_takes_a_mask_of_two_axes_for_one_of_queries_and_keys_and_gives_the_bias_with_dropout(of_keras):
    """By the rules of broadcasting (2, 5) beside scores (2, 4, 1, 5) makes 2 queries; (1, 5) beside (1, 4, 3, 5) is right."""
    found = of_keras[keras("padding").key]
    assert (found["one_sample"], found["one_query"], found["output"], found["two_axes"]) == (0, [2, 2, 8], [2, 1, 8], "an error")
    assert of_keras[keras("with_scores").key]["dropout_to_bias"] == 0
