"""What moves when one array of the parameters is changed, and what cannot move."""

import numpy as np
import pytest

from mha import Config, run
from mha.sensitivity import forward, in_float64, moved

PRIMES = Config(d_model=7, num_heads=3, key_dim=5, value_dim=2, query_len=4, key_len=6, batch=2, seed=5)


def test_b_k_moves_every_score_of_a_row_by_the_same_and_no_weight():
    """q · b_K is added to each score of a query's row; the softmax of a row that is shifted is the same."""
    arrays = in_float64(run(PRIMES))
    change = moved(PRIMES, arrays, "b_k", 0.0)
    by_hand = -np.einsum("bthk,hk->bht", forward(PRIMES, arrays)["q"], arrays["b_k"])
    np.testing.assert_allclose(change.by("scores"), np.repeat(by_hand[..., None], 6, axis=-1), atol=1e-12)
    assert np.abs(by_hand).min() > 1e-3
    assert (change.by("weights") == 0).all()
    assert (change.by("output") == 0).all()


@pytest.mark.parametrize(("array", "still"), [
    ("w_q", ()), ("b_q", ()), ("w_k", ()), ("b_k", ("weights", "output")),
    *((name, ("scores", "weights")) for name in ("w_v", "b_v", "w_o", "b_o")),
])  # fmt: skip
def test_an_array_moves_only_what_comes_after_it(array, still):
    one = moved(PRIMES, in_float64(run(PRIMES)), array, 1.1)
    for name in ("scores", "weights", "output"):
        assert (one.largest(name) == 0) == (name in still), name
