"""Sources of the numbers on a page, and `Origin`, which chooses: the seed, a trained network, or a visitor's file."""

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
    """A layer in a visitor's file. `files` has all uploaded files by the uploader's id: weights, config.json and X. `report`
    lists the layers in them, and `number` (0-based) chooses one. `flat` has the numbers of that layer, or is None if pages cannot
    show it. `num_heads` comes from the file or the screen. `x` is the visitor's own input, axes (positions, d_model)."""

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
        """The layer's sizes. Raises ValueError if its arrays do not fit together (then `flat` is None)."""
        if self.entry.sizes is None:
            raise ValueError(f"layer {self.number + 1} has no sizes: {self.entry.why_not}")
        return self.entry.sizes

    @property
    def says_heads(self) -> bool:
        return self.sizes.num_heads is not None

    def config(self, **others: Any) -> Config:
        """Returns the Config of the whole layer in the file. `others` are further fields of the Config."""
        return fit.config(self.sizes, self.num_heads, **others)

    def settings(self, gated: bool = False) -> dict[str, Any]:
        """Returns the settings, by code, that show the whole layer of the file. Lengths come from the visitor's X if it is as
        wide as the layer. With `gated` (the layer on screen has a gate), use_gate is always among the settings."""
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
        - "whole": it has all numbers of that layer. "recut": it has them, cut into another number of heads.
        - "first": it has only the first heads. "away": it has no numbers of that layer."""
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
        """Returns whether there is a visitor's X, with the length and width of `cfg`."""
        return self.x is not None and self.x.shape == (cfg.query_len, cfg.d_model)

    def custom_layer(self, cfg: Config) -> CustomLayer | None:
        """Returns the file's layer as `cfg` shows it, from a cache, or None if `cfg` shows nothing of it (see `standing`)."""
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
    """The source of a page's numbers. `own` is the layer of a visitor's file, and `source` a trained network that reads a
    sentence. If both are None, the numbers come from the seed."""

    own: VisitorLayer | None = None
    source: Reading | None = None

    @property
    def is_private(self) -> bool:
        """Whether the numbers are the visitor's own. They must then not enter a cache that visitors share."""
        return self.own is not None

    def reading(self, cfg: Config) -> Reading | None:
        """Returns the trained network and its sentence; None if no trained network has a layer like `cfg`."""
        return None if self.source is None or self.source.why_not(cfg) else self.source

    def layer(self, cfg: Config) -> CustomLayer | None:
        """Returns the layer of these sizes from a cache; None if its numbers come from the seed."""
        if self.own is not None:
            return self.own.custom_layer(cfg)
        return None if self.source is None else self.source.layer(cfg)

    def same_weights(self, cfg: Config, *others: Config) -> bool:
        """Returns whether all these layers have numbers from the seed, or none of them has."""
        return len({self.layer(one) is None for one in (cfg, *others)}) == 1


SEED = Origin()


def first_to_show(report: Report, number: int) -> int:
    """Returns the index of the layer to show: `number`, or the last if it is too large. 0 means the first that pages can show."""
    if number == 0:
        return next((i for i, entry in enumerate(report.entries) if not entry.why_not), 0)
    return min(number, len(report.entries) - 1)


def likely_heads(sizes: LayerSizes, shown: int) -> int:
    """Guesses the number of heads if the file does not tell it: near d_k = 64, as in BERT, or else near `shown`."""
    wanted = sizes.inner_k // 64 if sizes.inner_k % 64 == 0 else shown
    return min(fit.head_counts(sizes), key=lambda h: abs(h - wanted))
