"""The example sentences show what they say, on the networks as they are shipped."""

import pytest

from mha.language import store
from mha.language.network import forward
from mha.language.sentences import FIRST, SENTENCES
from mha.language.text import MOST_WORDS, read


@pytest.mark.parametrize("example", SENTENCES, ids=lambda example: example.text)
def test_the_head_looks_most_at_the_word_that_is_named(example):
    sentence = read(example.text)
    assert all(sentence.known)
    weights = forward(store.load(example.d_model, example.heads), sentence.ids).traces[example.layer - 1].weights.values[0]
    row = weights[example.head, example.row]
    assert row.argmax() == example.key
    assert row[example.key] > 0.5


def test_there_are_six_to_twelve_of_them_and_the_first_fits_the_start_sizes():
    assert 6 <= len(SENTENCES) <= 12
    assert len({example.text for example in SENTENCES}) == len(SENTENCES)
    assert (SENTENCES[0].text, SENTENCES[0].d_model, SENTENCES[0].heads) == (FIRST, 16, 4)
    assert all(len(read(example.text).words) < MOST_WORDS for example in SENTENCES)
