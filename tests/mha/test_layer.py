"""Which layer is shown, decided without a session."""

from dataclasses import dataclass

import numpy as np

from mha import Config, make_inputs
from mha.custom_layer import CustomLayer
from mha.layer import MAX_CUTS, Shown
from mha.params import make_params
from mha.typed import typed_of

CFG = Config(6, 2, query_len=5, key_len=5)


@dataclass(frozen=True)
class Doubled:
    """A source of numbers for one width: the seed's, twice as large, on seven positions."""

    def config(self, cfg: Config) -> Config:
        return Config(cfg.d_model, cfg.num_heads, query_len=7, mask="causal")

    def why_not(self, cfg: Config) -> str:
        return "" if cfg.d_model == 6 else f"it is 6 wide, not {cfg.d_model}"

    def layer(self, cfg: Config) -> CustomLayer | None:
        return CustomLayer(cfg, make_params(cfg), make_inputs(cfg)) if cfg == self.config(cfg) and not self.why_not(cfg) else None


def test_where_nothing_is_chosen_the_seeds_numbers_are_shown():
    shown = Shown()
    assert (shown.layer(CFG), shown.has(CFG), shown.config(CFG), shown.is_private) == (None, False, CFG, False)


def test_another_source_of_numbers_needs_no_change_of_the_module():
    shown, other = Shown(source=Doubled()), Config(10, 2)
    here = shown.config(CFG)
    assert (here.query_len, here.mask, shown.has(CFG), shown.is_private) == (7, "causal", True, False)
    assert shown.layer(here) is not None
    assert (shown.config(other), shown.layer(other), shown.has(other)) == (other, None, False)
    assert not shown.same_weights(here, other)


def test_typed_numbers_are_private_and_the_same_object_each_time():
    typed = typed_of("1 2 3/4 5 7", "identity", "")
    shown = Shown(source=typed)
    here = shown.config(Config(3, 1))
    layer = shown.layer(here)
    assert layer is not None
    assert layer is shown.layer(here)
    assert (shown.is_typed, shown.is_private) == (True, True)
    np.testing.assert_array_equal(layer.trace().q.values.reshape(2, 3), [[1, 2, 3], [4, 5, 7]])


def test_of_typed_numbers_only_the_last_layers_are_kept():
    cuts: dict = {}
    for number in range(MAX_CUTS + 3):
        typed = typed_of(f"1 2 {number}", "identity", "")
        shown = Shown(source=typed, typed=cuts)
        assert shown.layer(shown.config(Config(3, 1))) is not None
    assert [key.x[0][2] for key, _ in cuts] == list(range(3, MAX_CUTS + 3))


def test_what_is_too_large_to_compute_is_no_layer_of_typed_numbers():
    typed = typed_of(" ".join("1" * 16), "identity", "")
    wide = Config(16, 256, 512, 512, query_len=1, key_len=1)
    assert Shown(source=typed).layer(wide) is None
