"""Every number of a question's known answer is among its runs' numbers, and each answer has its link."""

import json
import math
import re

import numpy as np
import pytest

from experiments.records import keras
from experiments.runs import measure
from headcount import Config, run
from headcount.models.attention import BadHeads
from headcount.models.entry import BLOG_MODEL, entries
from headcount.trained import sentence, store
from lessons.questions import BY_ID, MERGED, NOT_ANSWERED, QUESTIONS
from tests.lessons.questions.running import HERE

#: The answers as they were worked out with Keras, PyTorch, transformers and NumPy, or by hand, when the questions were collected.
KNOWN = json.loads((HERE / "questions.json").read_text())
QUESTIONS = sorted(QUESTIONS, key=lambda one: one.id)
#: Numbers in the known answers that are no result: what was drawn at random then, rounding, versions, places in a list.
#: Everything else has to be found.
NO_RESULT = {
    "q22": {1.23, 2.13, 3.15},  # the difference at that draw; versions
    "q23": {0.574, 0.602, 1.046, 1.778},  # sums of columns at that draw
    "q25": {0},  # PyTorch's average beside the mean of its maps: its own definition
    "q32": {2e-07, 6e-07, 1, 3, 5, 7},  # rounding; places in a list; lengths of the sequences
    "q40": {5e-07, 1},  # rounding; which head
    "q43": {1.03, 8},  # at that draw; the width of the example
    "q44": {0.016, 0.06, 0.25, 0.361, 0.955, 3.96, 15.98, 64.2, 256.4},  # at that draw, held below
    "q48": {2.7, 4.4},  # at that draw
    # Versions, draws, rounding, factors of the sums by hand, and what a sum passes through.
    "q17": {3.15}, "r42": {2, 128, 4096}, "r48": {2, 4}, "r52": {2, 7, 36}, "r54": {3}, "r76": {512}, "r81": {4},
    "r96": {2, 3},
}  # fmt: skip


def numbers(text: str) -> set[float]:
    """Every number in a text, without those in names (W_Q2). A version counts by its first two parts."""
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


def test_all_questions_are_answered_with_numbers_that_are_known_and_name_the_threads_that_ask_them():
    assert sorted(name for question in QUESTIONS for name in (question.id, *question.also)) == list(KNOWN)
    threads = [address for question in QUESTIONS for address in question.addresses]
    assert len({*threads}) == len(threads)
    assert all(len(question.addresses) >= 1 + len(question.also) for question in QUESTIONS)


def test_an_answer_has_at_most_90_words():
    assert [one.id for one in BY_ID.values() if len(one.answer.text.split()) > 90] == []


def test_an_old_cards_name_leads_to_a_card_or_is_gone_and_never_both():
    old = [name for names in MERGED.values() for name in names.split()]
    assert len({*old, *NOT_ANSWERED, *KNOWN}) == len(old) + len(NOT_ANSWERED) + len(KNOWN)
    assert all(BY_ID[name].id == now for now, names in MERGED.items() for name in names.split())
    assert not {*NOT_ANSWERED} & {*BY_ID}


SMALL, ODD = {"d_model": 8, "num_heads": 2, "query_len": 4}, {"d_model": 15, "num_heads": 3}


def at(found: dict, place: str):
    """The value in a run's result under a name; "moved.keys" is a name within another."""
    for name in place.split("."):
        found = found[name]
    return found


#: What rounding may come to (in float64 1e-12, in float32 more), an experiment, what stays as it is, and what moves.
STILL = (
    (1e-12, "one_kernel", {**SMALL, "letters": "qk"}, "scores", "weights plain"),
    (0, "padding_left_in", {**SMALL, "query_len": 7, "padded": 3}, "moved.keys", "moved.none share of_zeros"),
    (1e-4, "layouts", {"d_model": 15, "num_heads": 3, "query_len": 2}, "apart", "thirds"),
    (0, "zeros_in_a_mask", {**SMALL, "masked": 2}, "shares.infinity shares.large", "shares.times shares.added shares.tiny"),
    (0, "one_kernel", {**ODD, "query_len": 7, "letters": "kv"}, "", "apart"),
    (0, "map_sums", {**ODD, "query_len": 7}, "", "output"),
)  # fmt: skip


@pytest.mark.parametrize(("rounding", "name", "arguments", "still", "moving"), STILL)
def test_what_has_no_effect_moves_nothing_and_what_has_one_moves_something(rounding, name, arguments, still, moving):
    found, least = measure(name, arguments), {"wrong_root": 0.01, "apart": 0.1}
    assert all(at(found, place) <= rounding for place in still.split())
    assert all(at(found, place) > least.get(place, 0.2 if "share" in place else 0.1) for place in moving.split())


@pytest.mark.parametrize(("name", "arguments", "wanted"), [
    ("zeros_in_a_mask", {**SMALL, "masked": 2}, {"factor": pytest.approx(math.e)}),
    # A mask turned round looks ahead only, and leaks by its diagonal.
    ("turned_mask", {**SMALL, "query_len": 5}, {
        "pairs": 15, "turned": 10, "last": ["NaN"] * 5, "moved": {"causal": 1, "transposed": 5, "none": 5}}),
    ("padding_left_in", {**SMALL, "query_len": 7, "padded": 3}, {"row": pytest.approx(1)}),
    # transformers: GPT-2's c_attn is (768, 2304), GPT-NeoX's query_key_value goes head by head.
    ("layouts", {"d_model": 15, "num_heads": 3, "query_len": 2}, {
        "shapes.in_proj_weight": (45, 15), "shapes.query_key_value": (45, 15), "shapes.c_attn, transposed": (15, 45)}),
    # Shapes of PyTorch's Linears are (out, in): by transformers' LlamaAttention (parity/test_questions.py).
    ("groups", {"model": "Llama-2-7B", "kv_heads": [1]}, {
        "shapes": [{"W_Q": [4096, 4096], "W_K": [128, 4096], "W_V": [128, 4096], "W_O": [4096, 4096]}]}),
    ("map_sums", {**ODD, "query_len": 7}, {"rows": pytest.approx([1] * 7), "total": pytest.approx(7)}),
])  # fmt: skip
def test_what_a_run_gives(name, arguments, wanted):
    found = measure(name, arguments)
    assert {place: at(found, place) for place in wanted} == wanted


def test_rows_under_masks_hold_what_is_left():
    """Rows that are multiplied sum to less than 1."""
    times = measure("zeros_in_a_mask", {**SMALL, "masked": 2})
    assert times["after"] == pytest.approx(1 - times["shares"]["none"])
    ahead, *others = measure("turned_mask", {**SMALL, "query_len": 5})["first"]
    assert ahead == 0 < min(others)


def test_a_softmax_over_all_heads_makes_them_compete():
    found, trace = measure("map_sums", {**ODD, "query_len": 7}), run(Config(**ODD, query_len=7))
    shares = np.exp(trace.scaled.values[0, :, 0].astype(np.float64))
    assert found["joint"] == pytest.approx((shares.sum(-1) / shares.sum()).tolist())


@pytest.mark.parametrize(("text", "wanted"), [
    ("(8,128,512) has 1,572,864", {8, 128, 512, 1572864}), ("d_k=4,16,64,256: 3.96, 1.00.", {4, 16, 64, 256, 3.96, 1}),
    ("rows 1,1,0; W_Q2 to 4e-7; 3.15.1", {1, 0, 4e-7, 3.15}), ("[[0,1],[6,7]] 1/6 {384}", {0, 1, 6, 7, 384}),
])  # fmt: skip
def test_numbers_by_hand(text, wanted):
    assert numbers(text) == wanted


def test_the_variance_of_a_product_is_d_k_and_the_root_takes_it_back():
    """By theory d_k, then 1, then 1 / d_k; 16,000 products are within 5 percent."""
    found = measure("drawn_scores", {"sizes": [4, 16, 64, 256, 512], "keys": 8})
    for size, plain, root, full in zip(found["sizes"], *found["variance"].values(), strict=True):
        assert (plain, root, full) == pytest.approx((size, 1, 1 / size), rel=0.05)
    assert (found["largest"]["plain"][-1], found["largest"]["root"][-1]) == pytest.approx((0.955, 0.361), abs=0.02)


def test_each_trained_head_is_missed_by_a_question_of_its_own():
    """By training/: four heads for the sentence's four questions. One cannot answer all, and 16 of size 1 are too thin."""
    found = measure("without_each_head", {"network": "sentence-4"})
    assert sorted(found["questions"]) == ["when", "where", "who", "whom"]
    assert max(found["left"]) < 0.25 < 0.99 < min(found["whole"])
    counts = measure("head_counts", {"task": "sentence"})
    assert (counts["heads"], counts["sizes"]) == ([1, 2, 4, 8, 16], [16, 8, 4, 2, 1])
    assert counts["worst"][0] < 0.5 < counts["worst"][-1] < 0.95 < min(counts["worst"][1:-1])


def test_the_stops_of_a_slider_are_the_trained_ones_with_their_parameters():
    """By hand: 4 matrices of d × d and 4 biases of d. With key_dim k, two are 16 × 4 k, each with 4 k biases, and two stay."""
    wide, key = (measure("slider_stops", {"slider": slider}) for slider in ("d_model", "key_dim"))
    assert wide["values"] == [4, 8, 12, 16, 24, 32, 48, 64]
    assert wide["counts"] == [4 * d * d + 4 * d for d in wide["values"]]
    assert key["values"] == [1, 2, 3, 4, 6, 8, 12, 16]
    assert key["counts"] == [2 * (64 * k + 4 * k) + 2 * (256 + 16) for k in key["values"]]
    told = store.manifest("stops")["networks"]["stops-16-4-1-4"]["accuracy"]
    assert [key[question][0] for question in sentence.QUESTIONS] == told
    assert key["worst"][0] == min(told)


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 48, 96, 384, 768])
def test_robertas_table_sums_to_what_transformers_counts_for_any_heads_that_divide(heads):
    """109,514,298 by transformers 4.29.2, for 30,522 words."""
    model = entries()[BLOG_MODEL].model
    if heads in (5, 7, 10):
        with pytest.raises(BadHeads):
            model.with_heads(heads)
    else:
        assert model.with_heads(heads).total == 109514298


@pytest.mark.keras
def test_keras_takes_a_mask_of_two_axes_for_one_of_queries_and_keys_and_gives_the_bias_with_dropout(of_keras):
    """By broadcasting, (2, 5) beside scores (2, 4, 1, 5) makes 2 queries; (1, 5) beside (1, 4, 3, 5) is right."""
    found = of_keras[keras("padding").key]
    assert (found["one_sample"], found["one_query"], found["output"], found["two_axes"]) == (0, [2, 2, 8], [2, 1, 8], "an error")
    assert of_keras[keras("with_scores").key]["dropout_to_bias"] == 0
