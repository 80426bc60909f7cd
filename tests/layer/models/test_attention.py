"""The effect of another head count on each matrix: by hand, and as laws over random sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import Config, count_parameters
from headcount.models.attention import Attention, BadHeads, Latent
from headcount.models.conventions import convention, head_counts, sentence

SIZES = st.integers(1, 12)


def tied(d: int, h: int, kv: int | None = None, **more) -> Attention:
    return Attention(d, h, kv or h, d // h, d // h, True, kv is None, **more)


def counts(attention: Attention) -> list[int]:
    return [matrix.count for matrix in attention.matrices()]


def test_grouped_query_by_hand():
    """d_model 30, 6 heads of 5 on 2: W_Q 30 × 30 + 30, W_K and W_V 30 × 10 + 10 each, W_O 30 × 30 without a bias."""
    made = Attention(30, 6, 2, 5, 5, True, False, "qkv")
    assert [(m.name, m.rows, m.cols, m.bias) for m in made.matrices()] == [
        ("W_Q", 30, 30, 30), ("W_K", 30, 10, 10), ("W_V", 30, 10, 10), ("W_O", 30, 30, 0),
    ]  # fmt: skip
    assert made.count == 930 + 310 + 310 + 900


def test_latent_by_hand():
    """d_model 29, 3 heads, d_k 7 + 5, d_v 11, latents of 13 and 17: 29 × 17 down, 17 × 36 up, 29 × 18 down, 13 × 54 up. Twice the
    heads have twice the numbers of the matrices up, and of W_O."""
    made = Attention(29, 3, 3, 12, 11, False, True, latent=Latent(13, 17, 7, 5))
    assert counts(made) == [29 * 17, 17 * 36, 29 * 18, 13 * 54, 33 * 29]
    assert counts(made.with_heads(6)) == [29 * 17, 17 * 72, 29 * 18, 13 * 108, 66 * 29]
    assert (made.extras, made.cached) == (13 + 17, 13 + 5)


@given(st.integers(1, 40), SIZES, SIZES, st.booleans())
def test_a_tied_module_counts_what_the_layer_with_the_papers_split_counts(size: int, heads: int, other: int, bias: bool):
    """The answer is the count of the app's own layer."""
    d = size * heads * other
    made = tied(d, heads, bias="qkvo" if bias else "")
    assert made.count == count_parameters(Config(d, heads, use_bias=bias))
    assert made.with_heads(other).count == made.count
    assert convention(made) == "invariant"


@given(SIZES, SIZES, SIZES, SIZES)
def test_pinned_key_value_heads_shrink_as_heads_grow(size: int, kv: int, per: int, times: int):
    heads, d = kv * per, size * kv * per * times
    made = tied(d, heads, kv, refusal="no")
    (q, k, v, o), now = counts(made), counts(made.with_heads(heads * times))
    assert [q, k, v, o] == [now[0], times * now[1], times * now[2], now[3]]
    assert made.with_heads(heads * times, kv * times).count == made.count


@given(st.integers(1, 99), SIZES, SIZES, SIZES, SIZES)
def test_an_own_head_size_makes_heads_linear(d: int, heads: int, d_k: int, d_v: int, times: int):
    made = Attention(d, heads, heads, d_k, d_v, False, True)
    assert made.with_heads(heads * times).count == times * made.count


@given(st.integers(1, 60), st.integers(1, 80))
def test_heads_are_refused_or_rounded_exactly_where_they_do_not_divide(d: int, heads: int):
    strict, lax = tied(d, 1, refusal="{h} in {d}"), tied(d, 1)
    if d % heads:
        assert strict.refused(heads).raised == f"{heads} in {d}"
    else:
        assert strict.with_heads(heads).inner == d
    if heads <= d:
        assert lax.with_heads(heads).inner == heads * (d // heads)
    else:
        assert "no numbers at all" in str(lax.refused(heads))


@pytest.mark.parametrize(("made", "heads", "words"), [
    (tied(30, 3, even=True), 6, "5 is odd"), (tied(42, 6, 3), 7, "7 heads cannot share 3"),
])  # fmt: skip
def test_heads_of_no_layer_are_refused(made: Attention, heads: int, words: str):
    with pytest.raises(BadHeads, match=words):
        made.with_heads(heads)


@pytest.mark.parametrize(("made", "first"), [
    (tied(48, 6), "Heads share one width"), (tied(48, 6, 2, refusal="x", even=True), "Fixed number of key/value heads"),
    (tied(48, 6, 6), "Fixed number of key/value heads"),
    (Attention(48, 6, 2, 5, 5, False, False), "Each head has a width of its own"),
    (Attention(48, 6, 6, 12, 11, False, True, latent=Latent(13, None, 7, 5)), "Heads unpack one short summary"),
])  # fmt: skip
def test_every_stop_of_the_slider_runs_and_the_sentence_names_the_convention(made: Attention, first: str):
    stops = head_counts(made)
    assert made.heads in stops
    assert len(stops) > 1
    assert not any(made.refused(heads) for heads in stops)
    assert sentence(made).startswith(f"**{first}.** ")


@pytest.mark.parametrize(("attention", "says", "moves"), [
    (Attention(60, 6, 6, 10, 10, True, True), "so more heads only cut the same matrices into narrower slices", "0000"),
    (Attention(60, 6, 2, 10, 10, True, False), "W_Q and W_O keep their size; W_K and W_V are h_kv · d_k wide, so more "
     "heads make them smaller", "0--0"),
    (Attention(60, 6, 2, 7, 7, False, False), "W_Q and W_O grow with the heads, W_K and W_V with the key/value heads "
     "(here 2)", "+00+"),
])  # fmt: skip
def test_what_the_convention_says_of_more_heads_is_what_becomes_of_the_matrices(attention, says, moves):
    """With twice as many heads, sizes grow (+), shrink (-) or stay (0)."""
    assert says in sentence(attention)
    pairs = zip(counts(attention), counts(attention.with_heads(12)), strict=True)
    assert "".join("+" if after > before else "-" if after < before else "0" for before, after in pairs) == moves
