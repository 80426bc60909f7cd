"""Which weights nn.MultiheadAttention returns while it drops some: those after dropout, where Keras returns those before it."""

import pytest
import torch

EMBED, HEADS, LENGTH, RATE = 15, 3, 11, 0.4


def drawn() -> tuple[torch.nn.MultiheadAttention, torch.Tensor]:
    torch.manual_seed(7)
    return torch.nn.MultiheadAttention(EMBED, HEADS, dropout=RATE, batch_first=True), torch.randn(2, LENGTH, EMBED)


def test_in_training_it_returns_the_weights_after_dropout_and_in_evaluation_rows_that_sum_to_1():
    layer, x = drawn()
    after, before = (layer.train(training)(x, x, x, average_attn_weights=False)[1] for training in (True, False))
    kept = after != 0
    torch.testing.assert_close(after[kept], (before / (1 - RATE))[kept])
    assert 0.2 < 1 - kept.float().mean() < 0.6
    assert (after.sum(-1) - 1).abs().max() > 0.1
    torch.testing.assert_close(before.sum(-1), torch.ones(2, HEADS, LENGTH))


@pytest.mark.parametrize("need_weights", [True, False])
def test_the_output_is_made_of_dropped_weights_whether_they_are_returned_or_not(need_weights):
    layer, x = drawn()
    trained = layer(x, x, x, need_weights=need_weights)[0]
    assert (trained - layer.eval()(x, x, x, need_weights=need_weights)[0]).abs().max() > 0.01
