"""The page Why several without a browser: its first screen, the effect of a change, and its reply to nonsense."""

import shutil

import pytest

from components.pages.trained_heads.sentence import ranks
from headcount import Config, reading
from headcount.bounded_cache import BoundedCache
from headcount.reading import Reading
from headcount.trained import store
from headcount.trained.network import forward
from headcount.trained.sentence import DEFAULT, DEFAULT_TEXT, answers, read
from headcount.trained.store import load, report
from tests.app import driver
from tests.app.driver import charts, open_page, text, title, value, whole

PAGE = "trained_heads"


def picture(at):
    """Each layer's part of the alt text, and the texts of each panel."""
    (plan,) = driver.stages(whole(at))
    return plan["alt"], {panel["id"]: [text["text"] for text in panel["texts"]] for row in plan["rows"] for panel in row}


def framed(at):
    """The word whose questions are shown in detail, which has a frame."""
    (plan,) = driver.stages(whole(at))
    (word,) = {
        text["text"] for row in plan["rows"][:1] for panel in row for text in panel["texts"] if text.get("mark") == "frame"
    }
    return word


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 16])
def test_the_word_that_asks_is_the_first_that_one_head_gets_wrong_and_several_get_right(heads):
    """With one head alone, or if there is no such word, it is the last one that asks."""
    sentence = read(DEFAULT_TEXT)
    one, shown = (answers(sentence, forward(load(f"sentence-{n}"), sentence.examples.tokens).predicted[0]) for n in (1, heads))
    shows = [there.word for here, there in zip(one, shown, strict=True) if not here.is_right and there.is_right]
    assert shows == (["calls"] if heads > 1 else [])
    assert framed(open_page(PAGE, num_heads=heads)) == (shows or ["thanks"])[0]


@pytest.mark.parametrize("change", ["passive", "place first", "he", "other names"])
def test_where_one_tap_changes_the_second_clause_its_verb_asks_whatever_asked_before(change):
    at = open_page(PAGE, asking=2)
    next(button for button in at.button if button.label == change).click().run()
    there = read(str(value(whole(at), "sentence")))
    assert framed(at) == there.words[there.last_verb]
    assert len(at.warning) == 0


def test_another_word_that_asks_is_in_the_address_and_one_that_asks_nothing_is_said():
    assert framed(open_page(PAGE, asking=8)) == "she"
    at = whole(open_page(PAGE, asking=3))
    asking = "2 (“calls”) or 8 (“she”) or 9 (“thanks”)"
    assert [warning.value for warning in at.warning] == [f"**asking** must be {asking}, got `3`; showing “calls”."]
    assert framed(at) == "calls"


def test_a_press_on_the_maps_leads_to_all_weights_of_the_sentence_at_the_word_that_asks():
    typed = "in Kyoto Finn thanks Bea soon and she seen-by Carl in Lima twice"
    at = open_page(PAGE, sentence=typed, asking=4, num_heads=8)
    at.session_state["all_weights"] = True
    at = whole(at.run())
    weights = Reading(read(typed)).layer(Config(num_heads=8, query_len=13)).trace().weights.values[0, 0, 3]
    cell = f"weights.1.4.{weights.argmax() + 1}"
    assert driver.whole_address(at) == {"num_heads": "8", "tokens": read(typed).text, "cell": cell}
    assert any("Where does “thanks” look in head" in one.proto.body for one in at.get("html"))


@pytest.mark.parametrize("query", [{"task": "dinner"}, {"dinner": 17, "guest": 5}, {"task": "dinner", "guest": 3}])
def test_an_address_of_the_dinner_says_that_it_is_gone_and_shows_the_sentence(query):
    at = whole(open_page(PAGE, **query))
    (said,) = [warning.value for warning in at.warning]
    assert "**task=dinner** is gone." in said
    assert title(at) == "One head cannot tell who from whom; 4 heads can."
    assert driver.whole_address(at) == {}


def test_where_an_answer_has_no_curve_its_weight_and_the_least_one_are_said():
    """In the row of "calls", one head gives "today" less than an equal weight, 1/13, and is right all the same."""
    written, weights = picture(open_page(PAGE))[1], Reading(DEFAULT).layer(Config(num_heads=1, query_len=13)).trace().weights
    assert weights.values[0, 0, 1, 5] < 1 / 13
    assert f"{weights.values[0, 0, 1, 5]:.3f}" in written["sentence-0"]
    assert [any("a weight below 1/13 has no curve" in text for text in written[f"sentence-{n}"]) for n in (0, 1)] == [True, False]


def test_the_page_begins_with_the_sentence_that_one_head_gets_wrong():
    at = whole(open_page(PAGE))
    assert title(at) == "One head cannot tell who from whom; 4 heads can."
    assert "Both layers have 1,088 parameters" in text(at)
    alt, written = picture(at)
    assert "Right answers: who (Ana), where (Rome) and when (today). Wrong answers: whom (Ana instead of Dan)." in alt
    assert "where “calls” looks in 4 heads. Head 1 looks at “Ana”" in alt
    assert [text for text in written["answers-0"] if text[0] in "✓✗"] == ["✓ Ana", "✗ Ana", "✓ Rome", "✓ today"]
    assert [text for text in written["answers-1"] if text[0] in "✓✗"] == ["✓ Ana", "✓ Dan", "✓ Rome", "✓ today"]
    assert [text for text in written["answers-0"] if text.endswith("%")] == ["100%", "34%", "100%", "100%"]
    assert "where “she” looks in 4 heads. Head 1 looks at “Ana” (0.92" in picture(open_page(PAGE, asking=8))[0]
    assert all("means Ana" in written[f"sentence-{n}"] for n in (0, 1)), "both layers find whom she means"


@pytest.mark.parametrize(("query", "wanted", "lead"), [
    ({"num_heads": 1}, "Asked whom, one head is right 34% of the time.", "One head has 1,088 parameters."),
    ({"num_heads": 2}, "One head cannot tell who from whom; 2 heads can.", "Both layers have 1,088 parameters"),
    ({"num_heads": 16}, "Asked whom, one head is right 34% of the time, 16 heads 89%.", "Both layers have 1,088 parameters"),
    ({"d_model": 8}, "Asked where, one head is right 100% of the time, 4 heads 18%.", "Both layers have 288 parameters"),
    ({"split": "Keras", "key_dim": 1, "value_dim": 4}, "Asked whom, one head is right 42% of the time, 4 heads 70%.",
     "One head has 182 parameters, and 4 heads have 680."),
    ({"mask": "causal"}, "With a mask, 4 heads get 3 of 9 answers right.",
     "The 9 answers: 4 at “calls”, 1 at “she” and 4 at “thanks”. No layer was trained with a mask."),
])  # fmt: skip
def test_the_title_is_of_the_layer_of_the_sliders_and_the_lead_counts_it(query, wanted, lead):
    """Parameters: 4 of d × d and as many biases. One head in Keras: W_Q, W_K 16 × 1, W_V, W_O 16 × 4, biases 1, 1, 4, 16. Four
    heads have four times the matrices."""
    assert 2 * (16 + 1) + (64 + 4) + 64 + 16 == 182
    assert 4 * (2 * 17 + 68 + 64) + 16 == 680
    at = whole(open_page(PAGE, **query))
    assert title(at) == wanted
    assert lead in text(at)


def test_where_one_head_is_not_always_wrong_over_the_seeds_the_title_does_not_say_cannot(monkeypatch):
    runs = report("sentence")["runs"]["sentence-1"]
    monkeypatch.setitem(runs[0], "accuracy", [1.0, 0.8, 1.0, 1.0])
    assert title(whole(open_page(PAGE))) == "Asked whom, one head is right 34% of the time, 4 heads 100%."


@pytest.mark.parametrize(("query", "why"), [
    ({"d_model": 40}, "No layer of these sizes was trained."), ({"use_bias": "false"}, "The trained layer has biases."),
    ({"split": "Keras", "key_dim": 5}, "No layer of these sizes was trained."),
])  # fmt: skip
def test_elsewhere_the_sentence_is_grey_and_a_button_leads_to_the_nearest_trained_layer(query, why):
    at = whole(open_page(PAGE, **query))
    assert f":gray[{DEFAULT_TEXT}]  \n{why}" in text(at)
    assert charts(at) == []
    at.button(key="to_network").click().run()
    assert "right" in title(whole(at)) or "can" in title(at)


@pytest.mark.parametrize(("query", "there"), [
    ({"sentence_heads": 8}, {"num_heads": "8"}),
    ({"sentence_heads": 2, "num_heads": 16, "d_model": 64, "split": "Keras", "key_dim": 3}, {"num_heads": "2"}),
    ({"sentence_heads": 16, "asking": 8}, {"num_heads": "16", "asking": "8"}),
])  # fmt: skip
def test_an_address_with_the_old_slider_of_heads_leads_to_the_layer_that_it_showed(query, there):
    assert driver.whole_address(whole(open_page(PAGE, **query))) == there


def test_what_a_slider_costs_is_shown_for_the_one_that_was_moved_last_or_is_chosen():
    at = open_page(PAGE)
    assert "Key size 1 mixes up who and whom; 2 is enough." in text(whole(at))
    at.select_slider(key="num_heads").set_value(8).run()
    assert (value(at, "slider"), "1 head mixes up who and whom; 2 are enough, but 16 heads sometimes" in text(whole(at))) == (
        "num_heads",
        True,
    )
    at.select_slider(key="num_heads").set_value(4).run()
    at.select_slider(key="value_dim").set_value(8).run()
    assert (value(at, "slider"), value(at, "split")) == ("value_dim", "free")
    at.button_group(key="slider").set_value("d_model").run()
    assert value(whole(at), "slider") == "d_model"
    assert "costs" not in charts(at), "no other width was trained with 4 heads of 4 and 8"
    assert "No other d_model was trained with these sizes." in text(at)


def test_an_unknown_word_is_named_and_the_default_sentence_is_read():
    typed = "Ana sees **Zoe** in Rome now and he calls Bob in Oslo now"
    at = whole(open_page(PAGE, sentence=typed))
    assert "`**Zoe**`" in at.warning[0].value
    assert DEFAULT_TEXT in at.warning[0].value
    assert value(at, "sentence") == typed
    assert "Zoe" not in picture(at)[0]
    assert "“calls” says" in picture(at)[1]["answers-0"]


def test_one_tap_turns_the_second_clause_passive_and_the_answers_follow_the_role_and_another_brings_other_names():
    at = open_page(PAGE)
    next(button for button in at.button if button.label == "passive").click().run()
    assert value(whole(at), "sentence") == "Ana calls Dan in Rome today and she is-thanked-by Carl in Oslo later"
    assert [text for text in picture(at)[1]["answers-1"] if text[0] in "✓✗"][:2] == ["✓ Carl", "✓ she"]
    next(button for button in at.button if button.label == "active").click().run()
    assert value(at, "sentence") == ""
    next(button for button in at.button if button.label == "other names").click().run()
    assert read(str(value(whole(at), "sentence"))).text == "Bea calls Eli in Rome today and she thanks Dan in Oslo later"


def test_so_how_many_heads_is_answered_with_the_ranks_of_the_sentence_at_hand():
    """QKᵀ of one head is 13 × 13. With keys of 8, 4, 2 and 1 its rank is at most that. One head blends, 16 are too thin."""
    found = ranks(DEFAULT)
    assert [row[:3] for row in found] == [
        ("1", "16", "13"), ("2", "8", "8"), ("4", "4", "4"), ("8", "2", "2"), ("16", "1", "1"),
    ]  # fmt: skip
    assert (found[0][3], found[2][3]) == ("34%", "100%")
    at = open_page(PAGE)
    assert "rank of" not in text(at), "nothing is computed before it is opened"


def test_what_more_training_does_to_one_head_is_said_in_plain_words():
    at = whole(driver.come(PAGE, {"how_many": True}))
    found = report("sentence")
    tried = [min(run["accuracy"][:2]) for run in found["longer"]["sentence-1"]]
    assert (
        f"After {found['longer_times']} times the training, one head gets {min(tried):.0%} to {max(tried):.0%} of who or whom "
        "right, whichever is worse."
    ) in text(at)


@pytest.mark.parametrize(("of", "file", "holds", "words"), [
    ("load", "sentence.npz", b"no weights", "are not those that were trained"), ("report", "report.json", None, "`report.json`"),
])  # fmt: skip
def test_a_broken_or_a_missing_file_is_a_sentence_and_not_a_traceback(of, file, holds, words, tmp_path, monkeypatch):
    shutil.copytree(store.FOLDER, tmp_path / "trained")
    (tmp_path / "trained" / file).unlink()
    if holds:
        (tmp_path / "trained" / file).write_bytes(holds)
    monkeypatch.setattr(getattr(store, of), "__defaults__", (tmp_path / "trained",))
    monkeypatch.setattr(reading, "LAYERS", BoundedCache(1, 1))  # no layer that was read before
    at = open_page(PAGE)
    assert [error.message for error in at.exception] == []
    assert words in at.error[0].value
