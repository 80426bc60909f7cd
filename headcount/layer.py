"""The layer that is shown: drawn from the seed, trained, typed, or from a visitor's file. Plain data, without a session.

`Origin` decides. Trained and typed layers are each a `Source`; a new source needs the three methods of that class.
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
from headcount.files.fit import LayerSizes
from headcount.files.report import LayerInFile, Report
from headcount.params import Inputs, make_inputs
from headcount.reading import Reading
from headcount.typed import Typed

#: Most layers of one visitor's numbers that are kept with Keras's answers: the present one, and those at the next stops of the
#: slider.
MAX_CUTS = 6
#: Numbers that do not come from the seed, for some sizes: a trained network on some words, or typed numbers. `config` gives a
#: Config with the number of positions. `why_not` says why these sizes have no numbers ("" if they have). `layer` is None if the
#: Config is not one of its own.
Source = Reading | Typed


@dataclass(frozen=True, slots=True)
class VisitorLayer:
    """A visitor's file, or several that belong together, and the layer picked from them. `flat` has its numbers as in
    Layer.numbers, or None if the pages cannot show it. `num_heads` is the file's, or what the screen had. `x` is the visitor's
    own input, axes (positions, width). `files`, by uploader id, are weights, config.json and X."""

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
        """Sizes of the layer. Raises ValueError if its arrays do not fit together (then `flat` is None)."""
        if self.entry.sizes is None:
            raise ValueError(f"layer {self.number + 1} has no sizes: {self.entry.why_not}")
        return self.entry.sizes

    @property
    def says_heads(self) -> bool:
        return self.sizes.num_heads is not None

    def config(self, **others: Any) -> Config:
        """The layer's Config as in the file."""
        return fit.config(self.sizes, self.num_heads, **others)

    def settings(self, gated: bool = False) -> dict[str, Any]:
        """Gives the shared settings, by code, that show the whole layer; the lengths come from its X if it has one. `gated` says
        whether the layer on screen has a gate."""
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
        """Says what `cfg` shows of the file's layer: "whole"; "recut": all numbers in another number of heads; "first": its first
        heads; "away": other sizes, so the seeded layer is shown."""
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
        """Whether the visitor's X has the length and width of `cfg`."""
        return self.x is not None and self.x.shape == (cfg.query_len, cfg.d_model)

    def custom_layer(self, cfg: Config) -> CustomLayer | None:
        """Returns the layer at these sizes, the same object each time; None if these sizes do not show it."""
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
    """Returns the layer at `key`, and makes it if it is missing. The oldest layer is dropped if the cache is full."""
    if key not in cuts and (made := make()) is not None:
        while len(cuts) >= MAX_CUTS:
            cuts.pop(next(iter(cuts)))
        cuts[key] = made
    return cuts.get(key)


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a page's numbers: `own` is the layer of the visitor's file, `source` the page's choice; without both it is
    the seed. `typed` has earlier layers of typed numbers, kept with the visitor."""

    own: VisitorLayer | None = None
    source: Source | None = None
    typed: dict[tuple[Typed, Config], CustomLayer] = field(default_factory=dict, compare=False)

    @property
    def is_typed(self) -> bool:
        """Whether the page shows numbers that the visitor has typed, at their sizes."""
        return isinstance(self.source, Typed)

    @property
    def is_private(self) -> bool:
        """Whether there are numbers of the visitor's own. Such numbers enter no cache that visitors share."""
        return self.own is not None or self.is_typed

    def has(self, cfg: Config) -> bool:
        """Whether the page's choice has numbers for these sizes, for any mask and lengths."""
        return self.source is not None and not self.source.why_not(cfg)

    def reading(self, cfg: Config) -> Reading | None:
        """Returns what the trained layer of these sizes reads, or None if other numbers are shown."""
        return self.source if isinstance(self.source, Reading) and self.has(cfg) else None

    def config(self, cfg: Config) -> Config:
        """Returns `cfg` as it is shown: with the positions and mask of the page's choice if that has numbers."""
        return self.source.config(cfg) if self.source is not None and self.has(cfg) else cfg

    def layer(self, cfg: Config) -> CustomLayer | None:
        """Returns the layer if its numbers are not the seed's, the same object each time; otherwise None."""
        if self.own is not None:
            return self.own.custom_layer(cfg)
        if isinstance(source := self.source, Typed):
            return None if too_large(cfg) else remembered(self.typed, (source, cfg), lambda: source.layer(cfg))
        return None if source is None else source.layer(cfg)

    def same_weights(self, cfg: Config, *others: Config) -> bool:
        """Whether all these layers show the same kind of numbers: all the seed's, or none."""
        return len({self.layer(one) is None for one in (cfg, *others)}) == 1


SEED = Origin()


def first_to_show(report: Report, number: int) -> int:
    """Picks the layer of this number (from 0), or the last one. For 0, the default, picks the first that can be shown."""
    if number == 0:
        return next((i for i, entry in enumerate(report.entries) if not entry.why_not), 0)
    return min(number, len(report.entries) - 1)


def likely_heads(sizes: LayerSizes, shown: int) -> int:
    """Guesses a head count that the file does not say: heads of 64 as in BERT and GPT-2, else about the screen's count."""
    wanted = sizes.inner_k // 64 if sizes.inner_k % 64 == 0 else shown
    return min(fit.head_counts(sizes), key=lambda h: abs(h - wanted))
