"""A visitor's own layer, and whether the present sizes show it.

All of it lies in the session: it is in no cache that visitors share, and ends with the visit.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.streamlit.address import quoted
from mha import Config, Inputs, make_inputs
from mha.arrays import Array
from mha.custom_layer import CustomLayer
from mha.loading import fit
from mha.loading.layers import Measured
from mha.loading.report import Entry, Report

KEY = "own"
#: Cuts of one layer that are kept with Keras's answers about them: the present one, and those at the next stops of the slider.
CUTS_KEPT = 6


@dataclass(frozen=True, slots=True)
class VisitorLayer:
    """A file and the layer picked from it. `flat`: its numbers as mha.loading.fit lays them out, None where the pages cannot
    show it; `num_heads` are the file's, or where it does not say, those that were on the screen. `x`: an input of the visitor's
    own, axes (positions, width). `data` is the file, so that another of its layers can be picked."""

    file: str
    data: bytes
    report: Report
    number: int
    flat: dict[str, np.ndarray] | None
    num_heads: int
    x: np.ndarray | None = None
    x_file: str = ""
    _cuts: dict[Config, CustomLayer] = field(default_factory=dict)

    @property
    def entry(self) -> Entry:
        return self.report.entries[self.number]

    @property
    def sizes(self) -> Measured:
        """Of the layer; ValueError where its arrays do not fit together (then `flat` is None)."""
        if self.entry.sizes is None:
            raise ValueError(f"layer {self.number + 1} has no sizes: {self.entry.why_not}")
        return self.entry.sizes

    @property
    def title(self) -> str:
        """The layer's name and its file's, quoted for Markdown."""
        return f"{quoted(self.entry.name)} of {quoted(self.file)}"

    @property
    def says_heads(self) -> bool:
        return self.sizes.num_heads is not None

    def config(self, **others: Any) -> Config:
        """The layer as it is in the file."""
        return fit.config(self.sizes, self.num_heads, **others)

    def standing(self, cfg: Config) -> str:
        """What `cfg` shows of it: "whole", "recut" (all numbers, cut into another number of heads), "first" (its first heads),
        or "away": other sizes, where the seeded layer is shown."""
        if self.flat is None:
            return "away"
        sizes = self.sizes
        if (cfg.d_model, cfg.use_bias, cfg.batch) != (sizes.query_width, bool(sizes.biases), 1):
            return "away"
        in_file = self.config()
        if (cfg.num_heads * cfg.key_dim, cfg.size("(hv)")) == (sizes.inner_k, sizes.inner_v):
            return "whole" if cfg.num_heads == in_file.num_heads else "recut"
        same = (cfg.key_dim, cfg.value_dim) == (in_file.key_dim, in_file.value_dim)
        return "first" if same and cfg.num_heads < in_file.num_heads else "away"

    def brings_input(self, cfg: Config) -> bool:
        """Whether its X is as long and as wide as that of `cfg`."""
        return self.x is not None and self.x.shape == (cfg.query_len, cfg.d_model)

    def custom_layer(self, cfg: Config) -> CustomLayer | None:
        """The layer at these sizes, the same object each time; None where they do not show it."""
        if self.flat is None or self.standing(cfg) == "away":
            return None
        if cfg not in self._cuts:
            while len(self._cuts) >= CUTS_KEPT:
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


def visitor_layer() -> VisitorLayer | None:
    """That of the visitor for whom this script runs."""
    if get_script_run_ctx(suppress_warning=True) is None:  # a test or a command line: there is no visitor
        return None
    return st.session_state.get(KEY)


def custom_layer(cfg: Config) -> CustomLayer | None:
    """The visitor's own layer, where `cfg` shows it; None for the seeded one."""
    mine = visitor_layer()
    return None if mine is None else mine.custom_layer(cfg)


def same_weights(cfg: Config, *others: Config) -> bool:
    """Whether all show numbers of the same layer: all the seeded one's, or all those of the visitor's file."""
    return len({custom_layer(one) is None for one in (cfg, *others)}) == 1
