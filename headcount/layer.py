"""Sources of the numbers on a page: the seed, a trained network, or a visitor's file. `Origin` is the choice of a source."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from headcount.arrays import Array
from headcount.config import Config
from headcount.custom_layer import CustomLayer
from headcount.files import fit
from headcount.files.fit import LayerSizes
from headcount.files.report import LayerInFile, Report
from headcount.params import Inputs, make_inputs
from headcount.reading import Reading

#: Most layers that are cached for one visitor: the one on screen, and those for neighbouring values of the slider.
MAX_CUTS = 6


@dataclass(frozen=True, slots=True)
class VisitorLayer:
    """A layer in a visitor's file. `num_heads` comes from the file or the screen.
    - `files`: the bytes of all uploaded files (weights, config.json, X), by the id that Streamlit's uploader gives each file.
    - `report`: a list of the layers in the files. `number`: the 0-based index of this layer in that list.
    - `flat`: the numbers of this layer, or None if pages cannot show it. `x`: the visitor's X, axes (positions, d_model)."""

    file: str
    files: Mapping[str, bytes]
    report: Report
    number: int
    flat: dict[str, np.ndarray] | None
    num_heads: int
    x: np.ndarray | None = None
    x_file: str = ""
    _cuts: dict[Config, CustomLayer] = field(default_factory=dict)

    @property
    def entry(self) -> LayerInFile:
        return self.report.entries[self.number]

    @property
    def sizes(self) -> LayerSizes:
        """The layer's sizes. Raises ValueError if arrays are missing or do not fit together; `flat` is None in that case."""
        if self.entry.sizes is None:
            raise ValueError(f"layer {self.number + 1} has no sizes: {self.entry.why_not}")
        return self.entry.sizes

    @property
    def says_heads(self) -> bool:
        return self.sizes.num_heads is not None

    def config(self, **others: Any) -> Config:
        """Returns the Config of the whole layer in the file. `others`: further fields of the Config."""
        return fit.config(self.sizes, self.num_heads, **others)

    def settings(self, gated: bool = False) -> dict[str, Any]:
        """Returns the settings, by code, with which a page shows the whole layer of the file. If the visitor's X is as wide as
        the layer, the lengths are those of X. If `gated` (the layer on screen has a gate), use_gate is always included."""
        cfg = self.config()
        shown: dict[str, Any] = {"d_model": cfg.d_model, "num_heads": cfg.num_heads, "use_bias": cfg.use_bias}
        shown["split"] = "paper" if cfg.follows_paper else "free"
        if not cfg.follows_paper:
            shown |= {"key_dim": cfg.key_dim, "value_dim": cfg.value_dim}
        if self.sizes.gate or gated:
            shown["use_gate"] = self.sizes.gate
        if self.sizes.sliding_window is not None:
            shown["sliding_window"] = self.sizes.sliding_window
        if self.sizes.looks_back:
            shown["mask"] = "causal"
        if self.x is not None and self.x.shape[1] == cfg.d_model:
            shown |= {"query_len": len(self.x), "key_len": len(self.x)}
        return shown

    def standing(self, cfg: Config) -> str:
        """Returns how `cfg` is related to the layer in the file:
        - "whole": `cfg` has all numbers of that layer. "recut": all numbers, but divided into another number of heads.
        - "first": only the first heads of that layer. "away": no numbers of that layer."""
        if self.flat is None:
            return "away"
        sizes = self.sizes
        own = (sizes.query_width, bool(sizes.biases), sizes.gate, 1)
        if (cfg.d_model, cfg.use_bias, cfg.use_gate, cfg.batch) != own:
            return "away"
        in_file = self.config()
        if cfg.num_heads in fit.head_counts(replace(sizes, num_heads=None)) and (
            (cfg.num_heads * cfg.key_dim, cfg.size("(hv)")) == (sizes.inner_k, sizes.inner_v)
        ):
            return "whole" if cfg.num_heads == in_file.num_heads else "recut"
        same = (cfg.key_dim, cfg.value_dim) == (in_file.key_dim, in_file.value_dim)
        return "first" if same and cfg.num_heads < in_file.num_heads else "away"

    def brings_input(self, cfg: Config) -> bool:
        """Returns whether the visitor has given an X with the length and width of `cfg`."""
        return self.x is not None and self.x.shape == (cfg.query_len, cfg.d_model)

    def custom_layer(self, cfg: Config) -> CustomLayer | None:
        """Returns the file's layer with the sizes of `cfg`, from a cache. Returns None if `standing` is "away" for this `cfg`."""
        if self.flat is None or self.standing(cfg) == "away":
            return None
        if cfg not in self._cuts:
            while len(self._cuts) >= MAX_CUTS:  # the oldest one goes
                self._cuts.pop(next(iter(self._cuts)))
            self._cuts[cfg] = CustomLayer(cfg, fit.params(self.flat, cfg), self._inputs(cfg))
        return self._cuts[cfg]

    def _inputs(self, cfg: Config) -> Inputs:
        drawn = make_inputs(cfg)
        if self.x is None or not self.brings_input(cfg):
            return drawn
        x = Array(self.x[None], "btm")
        return Inputs(x, Array(x.values, "bsm") if cfg.is_self_attention else drawn.x_key)

    def with_input(self, x: np.ndarray | None, file: str = "") -> "VisitorLayer":
        return replace(self, x=x, x_file=file, _cuts={})


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a page's numbers. `own`: the layer of a visitor's file. `source`: a trained network that reads a sentence. If
    both are None, the numbers come from the seed."""

    own: VisitorLayer | None = None
    source: Reading | None = None

    @property
    def is_private(self) -> bool:
        """Whether there is a visitor's file. Numbers from this file must not enter a cache that visitors share."""
        return self.own is not None

    def reading(self, cfg: Config) -> Reading | None:
        """Returns the trained network and its sentence. Returns None if no trained network has a layer like `cfg`."""
        return None if self.source is None or self.source.why_not(cfg) else self.source

    def layer(self, cfg: Config) -> CustomLayer | None:
        """Returns the layer with the sizes of `cfg` from a cache. Returns None if its numbers come from the seed."""
        if self.own is not None:
            return self.own.custom_layer(cfg)
        return None if self.source is None else self.source.layer(cfg)

    def same_weights(self, cfg: Config, *others: Config) -> bool:
        """Returns True if the numbers of all these layers come from the seed, or if the numbers of none of them do."""
        return len({self.layer(one) is None for one in (cfg, *others)}) == 1


SEED = Origin()


def first_to_show(report: Report, number: int) -> int:
    """Returns the index of the layer to show, at most the last. If `number` is 0, this is the first layer that pages can show."""
    if number == 0:
        return next((i for i, entry in enumerate(report.entries) if not entry.why_not), 0)
    return min(number, len(report.entries) - 1)


def likely_heads(sizes: LayerSizes, shown: int) -> int:
    """Guesses a number of heads that the file does not contain. The guess is the possible number nearest to the one with d_k =
    64, as in BERT. If 64 does not divide the width, the guess is nearest to `shown`."""
    wanted = sizes.inner_k // 64 if sizes.inner_k % 64 == 0 else shown
    return min(fit.head_counts(sizes), key=lambda h: abs(h - wanted))
