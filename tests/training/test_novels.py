"""The text that the language models learn: what is kept of it, and that nothing held out is ever learnt."""

import numpy as np

from mha.language.network import LENGTH
from mha.language.store import vocabulary
from training.novels import BLOCK, ENDS, PART, novels, prepared
from training.perplexity import windows

TEXT = novels()


def test_headings_emphasis_and_the_note_at_the_end_go():
    lines = ["EMMA", "", "VOLUME I", "CHAPTER I", "", "Emma, _very_ rich", "was Mr. Weston's.", "Chapter 2", "FINIS",
             "A NOTE ON THE TEXT", "Not hers."]  # fmt: skip
    assert prepared(lines) == ["emma", ",", "very", "rich", "was", "mr", "weston", "'s", "."]


def test_no_learnt_window_holds_a_held_out_word_and_none_mixes_both():
    assert BLOCK > LENGTH
    assert min(len(TEXT.learnt) / 40_000, len(TEXT.held_out) / 2_000) > 1
    for ends in (TEXT.learnt, TEXT.learnt + LENGTH - 1):
        assert (ends // BLOCK % PART != PART - 1).all()
    for ends in (TEXT.held_out, TEXT.held_out + LENGTH - 1):
        assert (ends // BLOCK % PART == PART - 1).all()


def test_windows_begin_at_the_start_of_a_sentence():
    quotes = {'"', "'", ")"}
    for start in np.concatenate([TEXT.learnt[::97], TEXT.held_out[::13]]):
        before = start - 1
        while before > 0 and TEXT.vocabulary[TEXT.ids[before]] in quotes:
            before -= 1
        assert start == 0 or TEXT.vocabulary[TEXT.ids[before]] in ENDS


def test_a_network_reads_the_start_mark_and_predicts_the_word_after_each_word():
    ids = np.arange(100, 200)
    seen, wanted = windows(ids, np.array([7, 50]))
    assert seen.tolist() == [[0, *range(107, 138)], [0, *range(150, 181)]]
    assert wanted.tolist() == [[*range(107, 139)], [*range(150, 182)]]


def test_the_shipped_vocabulary_is_the_text_s_and_covers_nineteen_words_of_twenty():
    assert TEXT.vocabulary == vocabulary().words
    assert TEXT.coverage > 0.95
    counts = np.bincount(TEXT.ids)
    assert (np.diff(counts[2:]) <= 0).all()
