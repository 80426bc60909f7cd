"""Every number of a question's known answer is among the numbers that its own runs give; and each answer has its link."""

import json
import math
import re

import numpy as np
import pytest

from lessons.claims import CLAIMS, QUESTIONS, measure
from lessons.claims.experiments.layer import roberta_model
from lessons.claims.experiments.served import results_by
from mha import Config, run
from tests.lessons.claims.running import HERE, results

#: The answers as they were worked out with Keras, PyTorch, transformers and NumPy, or by hand, when the questions were collected.
KNOWN = json.loads((HERE / "questions.json").read_text())
QUESTIONS = sorted((one for one in QUESTIONS if one not in CLAIMS), key=lambda one: one.id)
#: Numbers in the known answers that are no result: what was drawn at random then, rounding, versions, places in a list.
#: Everything else has to be found.
NO_RESULT = {
    "q12": {2},  # d_model to the power of 2
    "q17": {3.15},
    "q20": {3.15},
    "q22": {1.23, 2.13, 3.15, 2},  # the difference at that draw; versions; which row
    "q23": {1.046, 0.574, 0.602, 1.778},  # sums of columns at that draw
    "q25": {0},  # PyTorch's average beside the mean of its maps: its own definition
    "q30": {22789, 3.15, 0.243, 0, 3},  # a pull request, a version; a mean at that draw, held below; rows 0 to 3E
    "q32": {6e-7, 2e-7, 1, 3, 5, 7},  # rounding; places in a list; lengths of the sequences
    "q40": {5e-7, 1},  # rounding; which head
    "q43": {1.03, 8},  # at that draw; the width of the example
    "q44": {3.96, 15.98, 64.2, 256.4, 0.955, 0.361, 0.25, 0.016, 0.06, 1},  # at that draw, held below
    "q47": {4e-7, 3.15},
    "q48": {4.4, 2.7},  # at that draw
    "q50": {0.587, 0.413, 8},  # at that draw; the width of the example
    "r01": {2.13, 12, 4e-15},  # PyTorch's version; heads; rounding
    "r02": {2.5, 2e-15, 13},  # at that draw; rounding
    "r03": {12, 2e-14},
    "r04": {2, 4, 6.3, 512},  # factors of the sums by hand; the thread's rounding
    "r05": {2, 320, 640},
    "r06": {0.2},
    "r07": {2},
    "r10": {512},
    "r11": {512},
    "r13": {2, 8, 1},  # 1/6; which of the arrays stand still is named
    "r15": {2e-16},
    "r16": {4},
    "r17": {4, 117440512},
    "r18": {1},
    "r19": {3, 4, 64},
    "r21": {2},
    "r22": {2},
    "r23": {250, 4},
    "r24": {4},
    # Factors of the sums by hand, from here on, and what a sum passes through.
    "r26": {4, 500},
    "r27": {2, 5, 7, 3, 4},
    "r28": {3584},
    "r29": {2, 4, 16384, 1024},
    "r30": {2, 15, 2.06e-9},
    "r31": {2, 3, 13, 14, 1, 4},
    "r32": {1},
    "r33": {131008, 2, 4, 32752},
    "r36": {1},
    "r41": {2, 128},
    "r42": {2, 128, 4096},
    "r43": {2, 4096},
    "r44": {3, 28672},
    "r45": {196800},
    "r46": {3, 256},
    "r48": {4, 2},
    "r49": {3, 256, 4},
    "r51": {2.13},
    "r52": {7, 2, 36},
    "r53": {2.13, 0, 1, 5},
    "r54": {3},
    "r55": {0.9, 2, 8},
    "r56": {12, 768},
    "r58": {4, 3, 4096},
    "r59": {3.15, 9, 8, 2},
    "r60": {3.15, 2.13, 2},
    "r66": {2, 4},
    "r67": {4294967296},
    "r70": {4, 100},
    "r65": {3.15},
    "r71": {0.5},
    "r72": {3.15, 9},
    "r75": {1, 8, 11, 11.09, 65504},
}


@pytest.fixture(scope="module")
def answers(ask):
    found = results((run for question in QUESTIONS for run in question.runs), ask)
    return {question.id: question.reply(*(found[run.key] for run in question.runs)) for question in QUESTIONS}


@pytest.fixture(scope="module")
def answers_here():
    """Of the questions that need no Keras."""
    here = [question for question in QUESTIONS if not any(run.keras for run in question.runs)]
    found = results(run for question in here for run in question.runs)
    return {question.id: question.reply(*(found[run.key] for run in question.runs)) for question in here}


def numbers(text: str) -> set[float]:
    """Every number in the text; what belongs to a name (W_Q2) is none, and of a version only its first two parts."""
    text = re.sub(r"\(([\d, ]+)\)", lambda found: found[0].replace(",", " "), text)  # (8,128,512) is no eight million
    text = re.sub(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,]*\d)", lambda found: found[0].replace(",", ""), text)
    return {float(found) for found in re.findall(r"(?<![A-Za-z_.\d])\d+(?:\.\d+)?(?:e-\d+)?", text)}


def written(question, answer) -> str:
    return " ".join([question.asks, answer.text, *(f"{what} {value}" for what, value in answer.rows)])


@pytest.mark.keras
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_the_known_numbers_come_out_of_the_runs(question, answers):
    missing = numbers(KNOWN[question.id]) - numbers(written(question, answers[question.id])) - NO_RESULT.get(question.id, set())
    assert missing == set(), written(question, answers[question.id])


def test_all_questions_are_answered_the_first_25_and_75_more():
    assert [question.id for question in QUESTIONS] == list(KNOWN)
    assert [sum(question.id[0] == letter for question in QUESTIONS) for letter in "qr"] == [25, 75]
    assert len({question.address for question in QUESTIONS}) == 100


def test_what_has_no_effect_moves_nothing_and_what_has_one_moves_something(answers_here):
    """By PyTorch in float64: b_K, one key's W_Q and W_K, b_V folded into b_O, heads turned within themselves."""
    found = {name: dict(answer.rows) for name, answer in answers_here.items()}
    assert [found["r01"][what] for what in ("weights", "output")] == ["0", "0"]
    assert found["r04"]["output"] == "0"
    for name, still, moving in (
        ("r03", "b_V to 0, and b_O + b_V·W_O: output moves by", "b_V to 0 alone: output moves by"),
        ("r09", "V and O turned head by head: output moves by", "turned across heads"),
        ("r09", "Q and K turned within a head: scores move by", "numbers of W_Q move by up to"),
        ("r10", "scores and their transpose differ by", "weights and their transpose differ by"),
    ):
        assert float(found[name][still]) < 1e-12 < 0.1 < float(found[name][moving])


@pytest.mark.keras
def test_what_the_real_layer_has_no_gradient_for(answers):
    found = {name: dict(answer.rows) for name, answer in answers.items()}
    assert found["r05"]["output moves by"] == "0"
    assert found["r02"]["norm of the gradient of b_K"] == "0"
    assert all(found["r02"][f"norm of the gradient of b_{of}"] != "0" for of in "QVO")
    assert found["r13"]["without a gradient at the first step"] == "w_k, b_k"
    assert found["r14"]["with one"] == "w_o, b_o"


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
    """By theory: d_k; then 1; then 1 / d_k. 20,000 draws are within 5 percent."""
    found = measure("variances", {"sizes": [4, 16, 64, 256], "wide": 512, "keys": 8})
    for size, plain, root, full in zip(found["sizes"], found["plain"], found["root"], found["full"], strict=True):
        assert (plain, root, full) == pytest.approx((size, 1, 1 / size), rel=0.05)
    assert (found["unscaled"], found["scaled"]) == pytest.approx((0.955, 0.361), abs=0.02)


def test_glorots_bounds_by_hand_and_as_drawn():
    """512 wide: sqrt(6 / 2048), sqrt(6 / 1024), and sqrt(6 / (512·8 + 512·64)) by the rule that Keras had before."""
    found = measure("start_bounds", {"width": 512, "num_heads": 8})
    assert found["bounds"] == pytest.approx({"packed": 0.0541, "flat": 0.0765, "per_axis": 0.0128}, abs=5e-5)
    assert found["drawn"] == pytest.approx(found["bounds"], rel=1e-3)
    assert (found["peaked"]["per_axis"], found["peaked"]["flat"]) == pytest.approx((0.066, 0.243), rel=0.03)


def test_a_zero_key_takes_what_a_strictly_causal_mask_leaves():
    """Row 0 sees nothing but the zero; row 1 one key and the zero; rows sum to 1."""
    first, second = measure("zero_key", {"d_model": 8, "num_heads": 2, "query_len": 4})["rows"]
    assert first == [0, 0, 0, 0, 1]
    assert second[1:4] == [0, 0, 0]
    assert sum(second) == pytest.approx(1)
    assert 0 < second[0] < 1


def test_zeros_that_fill_up_a_head_change_nothing_and_the_root_of_the_larger_size_does():
    found = measure("padded_heads", {"d_model": 500, "num_heads": 10, "query_len": 6, "multiple": 8})
    assert max(found["weights"], found["results"]) < 1e-4 < 1e-2 < found["wrong_root"]
    assert found["more"] == pytest.approx(6 / 50)


def test_what_float16_holds():
    """By IEEE 754: 5 bits of exponent and 10 of fraction."""
    found = measure("formats", {"values": [-1e10, -1e9, -65504.0, -1e4, -20.0]})
    assert found["half"] == [-math.inf, -math.inf, -65504, -10000, -20]
    assert found["powers"] == [0, 0, 0, 0, 0]
    assert found["least"] == pytest.approx({"float16": -65504, "bfloat16": -3.3895e38, "float32": -3.4028e38}, rel=1e-4)


def test_axes_taken_for_each_other_give_the_same_shape_and_other_maps():
    """By PyTorch (parity/test_questions.py): (4, 6, 8) with 2 heads has weights (6, 2, 4, 4)."""
    found = measure("axes_swapped", {"d_model": 8, "num_heads": 2, "batch": 4, "length": 6, "keys": 9})
    assert (found["output"], found["maps"], found["swapped"]) == ((4, 6, 8), (4, 2, 6, 6), (6, 2, 4, 4))
    assert found["apart"] > 0.1
    one = measure("axes_swapped", {"d_model": 8, "num_heads": 2, "batch": 6, "length": 1, "keys": 1})
    assert one["swapped"] == (1, 2, 6, 6)


def test_a_mask_turned_round_looks_ahead_only_and_leaks_by_its_diagonal():
    found = measure("turned_mask", {"d_model": 8, "num_heads": 2, "query_len": 5})
    assert (found["pairs"], found["turned"]) == (15, 10)
    assert found["first"][0] == 0 < min(found["first"][1:])
    assert found["last"] == ["NaN"] * 5
    assert found["moved"] == {"causal": 1, "transposed": 5, "none": 5}


def test_masks_repeated_in_turn_meet_other_samples():
    """3 samples, 2 heads: 0 1 2 0 1 2 beside 0 0 1 1 2 2. Sample 3 has 2 tokens fewer: 10 - 4 - 3 pairs."""
    found = measure("mask_shapes", {"batch": 3, "num_heads": 2, "length": 4, "padded": 1})
    assert (found["maps"], found["in_turn"], found["joined"], found["pairs"]) == (6, 2, (3, 4, 4), [10, 9, 7])
    assert found["refusal"].endswith("torch.Size([3, 4, 4]), but should be (6, 4, 4).")


def test_dropout_is_right_on_average_after_the_softmax_and_not_before():
    found = measure("dropout_places", {"d_model": 8, "num_heads": 2, "query_len": 6, "rate": 0.1})
    assert max(found["by_weight"], found["by_result"]) < 0.03 < 0.1 < found["by_score"]
    assert found["least"] > 0


def test_queries_divided_before_give_the_same_scores():
    found = measure("scaled_queries", {"d_model": 16, "num_heads": 4, "query_len": 6, "tokens": 10})
    assert found["apart"] < 1e-5
    assert (found["queries"], found["scores"]) == (160, 400)


def test_padding_moves_the_real_outputs_only_where_its_keys_are_not_masked():
    found = measure("padding_left_in", {"d_model": 8, "num_heads": 2, "query_len": 7, "padded": 3})
    assert found["moved"]["keys"] == 0 < 0.1 < found["moved"]["none"]
    assert min(found["share"], found["of_zeros"]) > 0.2
    assert found["row"] == pytest.approx(1)


def test_a_causal_mask_that_is_not_square_has_two_corners():
    """Keras and PyTorch take the first (tests/mha/test_keras_experiments.py, parity/test_masks.py)."""
    found = measure("causal_corners", {"queries": 2, "keys": 7})
    assert (found["first"], found["last"]) == ([1, 2], [6, 7])
    assert measure("causal_corners", {"queries": 3, "keys": 3}) == {"first": [1, 2, 3], "last": [1, 2, 3]}


def test_a_mask_of_1_and_0_masks_neither_as_a_factor_nor_as_a_summand():
    found = measure("zeros_in_a_mask", {**SMALL, "masked": 2})
    shares = found["shares"]
    assert shares["infinity"] == 0 < 0.2 < min(shares["times"], shares["added"])
    assert found["after"] == pytest.approx(1 - shares["none"])
    assert found["factor"] == pytest.approx(math.e)


@pytest.mark.parametrize("block", [1, 3, 7])
def test_attention_by_blocks_of_keys_is_the_same_but_for_rounding(block):
    found = measure("by_blocks", {"d_model": 10, "num_heads": 2, "query_len": 7, "block": block})
    assert found["apart"] < 1e-5
    assert (found["held"], found["whole"]) == (7 * block, 49)


def test_each_trained_head_is_missed_by_a_question_of_its_own():
    """By training/: four heads of the sentence, four questions; one head cannot answer all, 16 of size 1 are too thin."""
    found = measure("without_each_head", {"network": "sentence-4"})
    assert sorted(found["questions"]) == ["when", "where", "who", "whom"]
    assert max(found["left"]) < 0.25 < 0.99 < min(found["whole"])
    counts = measure("head_counts", {"task": "sentence"})
    assert (counts["heads"], counts["sizes"]) == ([1, 2, 4, 8, 16], [16, 8, 4, 2, 1])
    assert counts["worst"][0] < 0.5 < counts["worst"][-1] < 0.95 < min(counts["worst"][1:-1])


def test_by_their_own_keys_and_values_the_heads_results_are_the_layers():
    trace = run(Config(d_model=21, num_heads=3, query_len=5))
    np.testing.assert_allclose(results_by(trace, np.arange(3)), trace.context.values, atol=1e-6)


def test_key_value_heads_repeated_in_turn_meet_other_queries():
    found = measure("repeated_heads", {"d_model": 18, "num_heads": 6, "kv_heads": 2, "query_len": 5})
    assert (found["each"], found["turn"], found["agree"]) == ([0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1], 4)
    assert found["once"] == 0 < 0.1 < found["apart"]


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


def test_packed_weights_give_q_only_in_the_order_in_which_they_are_packed():
    """transformers: GPT-2's c_attn is (768, 2304), GPT-NeoX's query_key_value goes head by head."""
    found = measure("layouts", {"d_model": 15, "num_heads": 3, "query_len": 2})
    assert found["shapes"]["in_proj_weight"] == found["shapes"]["query_key_value"] == (45, 15)
    assert found["shapes"]["c_attn, transposed"] == (15, 45)
    assert found["apart"] < 1e-4 < 0.1 < found["thirds"]


def test_the_mean_of_a_groups_heads_changes_nothing_only_where_they_are_alike():
    found = measure("pooled_heads", {"d_model": 15, "num_heads": 3, "kv_heads": 1, "query_len": 4})
    assert found["alike"] < 1e-6 < 0.1 < found["apart"]


@pytest.mark.keras
def test_keras_keeps_weights_in_files_and_refuses_a_layer_that_is_not_built_or_has_other_heads(ask):
    found = ask("claims_saved")
    assert [found[way] for way in ("file", "weights", "by_hand", "unbuilt")] == [0, 0, 0, 0]
    assert found["configuration"] > 0.1
    assert "has not yet been built" in found["refused"]
    assert "not compatible with provided weight shape" in found["other_heads"]


@pytest.mark.keras
def test_an_embeddings_mask_serves_one_call_and_no_sum(ask):
    found = ask("claims_own_mask")
    assert found["own"] == found["causal"] == found["real"] == 0
    assert found["rows"] == [1, 1, 1, 0, 0]
    assert found["second"] == found["computed"] == found["none"] > 0.2
    assert found["passed_on"]


SMALL = {"d_model": 8, "num_heads": 2, "query_len": 4}


def test_a_number_in_a_mask_is_minus_infinity_only_while_a_key_is_left():
    found = measure("fills", {"fill": -10000.0, **SMALL})
    assert found["one_real"] == [[0, 0, 0, 1], [0, 0, 0, 1]]
    assert found["inf"] == ["NaN"] * 4
    assert found["none_real"]["float32"] == pytest.approx(found["unmasked"], abs=1e-3)
    assert found["none_real"]["float16"] == [0.25] * 4
    assert max(found["unmasked"]) > 0.3
    assert found["step"] == 8


def test_a_score_of_almost_0_masks_nothing():
    small, large = (measure("filled_with", {"fill": fill, "padded": 2, **SMALL}) for fill in (-1e-9, -1e9))
    assert small["filled"][2] == pytest.approx(small["filled"][3])
    assert small["share"] > 0.2
    assert (large["share"], large["filled"][2:]) == (0, [0, 0])


def test_two_least_numbers_are_no_number():
    found = measure("masks_added", {"keys": 4})
    assert (found["sum"], found["row"]) == (-math.inf, ["NaN"] * 4)
    assert (found["halves"], found["row_halves"]) == (-65504, [0.25] * 4)


def test_weights_cut_after_the_softmax_are_the_causal_ones_once_each_row_sums_to_1():
    found = measure("masked_after", SMALL)
    assert found["repaired"] < 1e-6 < 1e-1 < found["apart"]
    assert found["sums"][-1] == pytest.approx(1)
    assert max(found["sums"][:-1]) < 1


def test_every_wrong_scale_moves_the_output_and_two_fourth_roots_do_not():
    wide = {"d_model": 512, "num_heads": 8, "query_len": 8}
    found = measure("divided", wide)
    assert found["largest"]["sqrt_d_model"] < found["largest"]["sqrt_d_k"] < found["largest"]["none"]
    after = measure("scaled_after", wide)
    assert after["row"] == pytest.approx(1 / 8)
    assert min(found["apart"], after["apart"]) > 0.1
    roots = measure("two_roots", {**wide, "number": 40.0})
    assert roots["apart"] < 1e-12
    assert roots["at_the_end"] == math.inf
    assert roots["before"] == pytest.approx(12800, rel=1e-2)


def test_a_key_like_the_query_scores_as_d_k():
    """By theory q · q is d_k on average, and the softmax of one score 1 among seven of about 0 is e / (e + 7)."""
    found = measure("aligned", {"sizes": [16, 64, 256], "keys": 8})
    assert found["root"] == pytest.approx([4, 8, 16], rel=0.03)
    assert found["full"] == pytest.approx([1, 1, 1], rel=0.03)
    assert found["full_weight"][-1] == pytest.approx(math.e / (math.e + 7), abs=0.02)
    assert found["root_weight"][-1] > 0.99


def test_the_scores_of_a_head_have_rank_d_k():
    found = measure("score_ranks", {"d_model": 64, "heads": [1, 4, 16, 64], "query_len": 64})
    assert found["scores"] == found["sizes"] == [64, 16, 4, 1]


def test_shapes_of_pytorchs_linears_are_out_by_in():
    """By transformers' LlamaAttention with 1 key/value head (parity/test_questions.py); BERT by fastformers' thread."""
    (llama,) = measure("groups", {"model": "Llama-2-7B", "kv_heads": [1]})["shapes"]
    assert llama == {"W_Q": [4096, 4096], "W_K": [128, 4096], "W_V": [128, 4096], "W_O": [4096, 4096]}
    bert = measure("pruned_model", {"model": "BERT-base", "removed": 4})["shapes"]
    assert bert == {"W_Q": [512, 768], "W_K": [512, 768], "W_V": [512, 768], "W_O": [768, 512]}
    assert measure("adapters", {"model": "Llama-3-70B"})["shapes"]["W_V"] == [1024, 8192]


def test_heads_that_share_values_have_results_of_their_own():
    found = measure("shared_values", {"d_model": 16, "num_heads": 4, "kv_heads": 2, "query_len": 6})
    assert found["values"] == 0
    assert found["apart"] > 0.1


def test_the_same_matrices_cut_into_other_heads_give_another_output():
    found = measure("recut", {"d_model": 64, "heads": [4, 16], "query_len": 6})
    assert len(set(found["counts"])) == 1
    assert found["apart"] > 0.1
    assert measure("recut", {"d_model": 64, "heads": [4, 4], "query_len": 6})["apart"] == 0


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 12, 16, 24, 48, 96, 384, 768])
def test_robertas_table_sums_to_what_transformers_counts_for_any_heads(heads):
    """109,514,298 by transformers 4.29.2, 124,696,665 by 5.23.0."""
    assert roberta_model(num_attention_heads=heads).total == 109514298
    assert roberta_model(num_attention_heads=heads, vocab_size=50265).total == 124696665


@pytest.mark.parametrize("heads", [5, 7, 10])
def test_roberta_has_no_model_where_heads_do_not_divide(heads):
    assert roberta_model(num_attention_heads=heads) is None
