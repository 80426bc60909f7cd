"""Which layer is shown: drawn from the seed, trained, typed, or from a visitor's file. Plain data: it knows no session.

`Origin` decides. What is trained or typed is a `Source`; to add one, give it the three methods of those.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from headcount.arrays import Array
from headcount.config import Config
from headcount.cost import too_large
from headcount.custom_layer import CustomLayer
from headcount.files import fit
from headcount.files.fit import Measured
from headcount.files.report import LayerInFile, Report
from headcount.params import Inputs, make_inputs
from headcount.reading import Reading
from headcount.typed import Typed

#: Layers of one visitor's numbers that are kept with Keras's answers about them: the present one, and those at the next stops of
#: the slider.
MAX_CUTS = 6
#: Numbers of another origin than the seed, for some sizes: a trained network on some words, or what was typed. Each has `config`,
#: a Config with what the numbers decide (how many positions), `why_not`, why there are none for these sizes ("" where there are
#: some), and `layer`, None where the Config is not one of its own.
Source = Reading | Typed


@dataclass(frozen=True, slots=True)
class VisitorLayer:
    """A file, or several that belong together, and the layer picked from them. `flat`: its numbers as Layer.numbers lays them
    out, None where the pages cannot show it; `num_heads` are the file's, or where it does not say, those that were on the screen.
    `x`: an input of the visitor's own, axes (positions, width). `files`, by the uploader's ids: weights, their config.json and
    X, so that another layer can be picked."""

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
    def sizes(self) -> Measured:
        """Sizes of the layer; ValueError where its arrays do not fit together (then `flat` is None)."""
        if self.entry.sizes is None:
            raise ValueError(f"layer {self.number + 1} has no sizes: {self.entry.why_not}")
        return self.entry.sizes

    @property
    def says_heads(self) -> bool:
        return self.sizes.num_heads is not None

    def config(self, **others: Any) -> Config:
        """The layer as it is in the file."""
        return fit.config(self.sizes, self.num_heads, **others)

    def settings(self, gated: bool = False) -> dict[str, Any]:
        """The shared settings, by code, under which the layer is shown whole; its X, where there is one, sets the lengths.
        `gated`: whether the layer on the screen has a gate."""
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
        """What `cfg` shows of the file's layer: "whole", "recut" (all numbers, cut into another number of heads), "first" (its
        first heads), or "away": other sizes, where the seeded layer is shown."""
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
        """Whether the visitor's X is as long and as wide as that of `cfg`."""
        return self.x is not None and self.x.shape == (cfg.query_len, cfg.d_model)

    def custom_layer(self, cfg: Config) -> CustomLayer | None:
        """The layer at these sizes, the same object each time; None where they do not show it."""
        if self.flat is None or self.standing(cfg) == "away":
            return None
        flat = self.flat
        return remembered(self._cuts, cfg, lambda: CustomLayer(cfg, fit.params(flat, cfg), self._inputs(cfg)))

    def _inputs(self, cfg: Config) -> Inputs:
        drawn = make_inputs(cfg)
        if self.x is None or not self.brings_input(cfg):
            return drawn
        x = Array(self.x[None], "btm")
        return Inputs(x, Array(x.values, "bsm") if cfg.is_self_attention else drawn.x_key)

    def with_input(self, x: np.ndarray | None, file: str = "") -> "VisitorLayer":
        return replace(self, x=x, x_file=file, _cuts={})


def remembered(cuts: dict[Any, CustomLayer], key: object, make: Callable[[], CustomLayer | None]) -> CustomLayer | None:
    """The layer at `key`; made where there is none yet, and the oldest makes room for it."""
    if key not in cuts and (made := make()) is not None:
        while len(cuts) >= MAX_CUTS:
            cuts.pop(next(iter(cuts)))
        cuts[key] = made
    return cuts.get(key)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the numbers of a page come from: `own`, the layer of the visitor's file, or `source`, what the page has chosen, or
    neither: the seed. `typed`: layers of typed numbers that were made before, kept with the visitor."""

    own: VisitorLayer | None = None
    source: Source | None = None
    typed: dict[tuple[Typed, Config], CustomLayer] = field(default_factory=dict, compare=False)

    @property
    def is_typed(self) -> bool:
        """Whether the page shows numbers that the visitor has typed, at the sizes that they have."""
        return isinstance(self.source, Typed)

    @property
    def is_private(self) -> bool:
        """Whether there are numbers of the visitor's own: these go into no cache that visitors share."""
        return self.own is not None or self.is_typed

    def has(self, cfg: Config) -> bool:
        """Whether the page's choice has numbers for these sizes, whatever their mask and lengths are."""
        return self.source is not None and not self.source.why_not(cfg)

    def reading(self, cfg: Config) -> Reading | None:
        """What the trained layer of these sizes reads; None where other numbers are shown."""
        return self.source if isinstance(self.source, Reading) and self.has(cfg) else None

    def config(self, cfg: Config) -> Config:
        """`cfg` as it is shown: where the page's choice has numbers, with its positions and its mask."""
        return self.source.config(cfg) if self.source is not None and self.has(cfg) else cfg

    def layer(self, cfg: Config) -> CustomLayer | None:
        """The layer with numbers that are not the seed's, the same object each time; None for the seeded one."""
        if self.own is not None:
            return self.own.custom_layer(cfg)
        if isinstance(source := self.source, Typed):
            return None if too_large(cfg) else remembered(self.typed, (source, cfg), lambda: source.layer(cfg))
        return None if source is None else source.layer(cfg)

    def same_weights(self, cfg: Config, *others: Config) -> bool:
        """Whether all show numbers of one kind: all the seed's, or none."""
        return len({self.layer(one) is None for one in (cfg, *others)}) == 1


SEED = Origin()


def first_to_show(report: Report, number: int) -> int:
    """The layer of this number (from 0), or the last; for the number 0, the default, the first layer that can be shown."""
    if number == 0:
        return next((i for i, entry in enumerate(report.entries) if not entry.why_not), 0)
    return min(number, len(report.entries) - 1)


def likely_heads(sizes: Measured, shown: int) -> int:
    """Guesses heads that the file does not say: of 64 as in BERT and GPT-2, else as many as on the screen, or near that."""
    wanted = sizes.inner_k // 64 if sizes.inner_k % 64 == 0 else shown
    return min(fit.head_counts(sizes), key=lambda h: abs(h - wanted))
