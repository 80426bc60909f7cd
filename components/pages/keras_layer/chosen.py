"""From the shared settings and the page's own fields to the layer that the page builds."""

import math
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from components.pages.keras_layer.fields import (
    MOST_SIDE,
    Fields,
    Unreadable,
    read_axes,
    read_cells,
    read_input_shape,
    read_lengths,
    read_output_shape,
    read_width,
)
from components.pages.own_layer.session import given_for, own
from components.settings import Settings
from components.streamlit.frame import PageEnds
from components.widgets.refusal import refuse
from mha import Config
from mha.bounded_cache import BoundedCache
from mha.keras.grouped import GroupedLayer
from mha.keras.layer import MOST_MASK, KerasLayer, variables


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the page shows: the layer, the mask it is called with (None: none), and the number of heads of the grouped layer.

    `rank_two`: the visitor asked for an input without any axis of positions; the layer has one of a single position. `known`:
    where answers about a visitor's own numbers are kept.
    """

    layer: KerasLayer
    causal: bool
    attention_mask: str
    mask: np.ndarray | None
    mask_case: str
    num_kv_heads: int
    wanted_kv_heads: int
    drawn_by: str
    rank_two: bool = False
    known: BoundedCache | None = None

    @property
    def flat(self) -> KerasLayer:
        """The layer on inputs of rank 3: all positions in one row, where it has more axes of them."""
        if self.layer.rank == 3 and self.layer.axes == (1,):
            return self.layer
        return in_one_row(self.layer)

    def grouped(self, num_kv_heads: int) -> GroupedLayer:
        flat = self.flat
        return GroupedLayer(
            flat.num_heads, num_kv_heads, flat.key_dim, flat.query_shape[1], flat.value_shape[1], flat.query_shape[2],
            flat.key_shape[2], flat.value_shape[2], 1, flat.use_bias, flat.seed,
        )  # fmt: skip


def in_one_row(layer: KerasLayer) -> KerasLayer:
    query, value, key = (
        (shape[0], math.prod(shape[1:-1]), shape[-1]) for shape in (layer.query_shape, layer.value_shape, layer.key_shape)
    )
    return replace(layer, query_shape=query, value_shape=value, key_shape=key, attention_axes=())


def choose(settings: Settings, fields: Fields) -> Chosen:
    """Says what cannot be and shows the default for it; where the paper's split has no layer, says why and ends the page."""
    shape = read(read_input_shape, fields.input_shape)
    settings = settings.but(d_model=shape[-1]) if shape else settings
    cfg = settings.config()
    if cfg is None:
        refuse(settings)
        raise PageEnds
    width = settings.d_model
    rank_two = len(shape) == 1
    positions = (1,) if rank_two else shape[:-1] or (cfg.query_len,)
    keys = (cfg.key_len,) if len(positions) == 1 and cfg.query_len != cfg.key_len else positions
    if shape and not rank_two:
        told = " × ".join(map(str, positions))
        st.caption(f"{told} positions and d_model = {width} come from input_shape here, not from the sidebar.")
    value_width, key_width = (read(read_width, key, getattr(fields, key), default=width) or width for key in WIDTHS)
    layer = KerasLayer(
        cfg.num_heads, cfg.key_dim, cfg.value_dim, (fields.batch, *positions, width), (fields.batch, *keys, value_width),
        (fields.batch, *keys, key_width), read(read_output_shape, fields.output_shape), read(read_axes, fields.attention_axes),
        cfg.use_bias, cfg.seed,
    )  # fmt: skip
    layer, known = with_own_numbers(layer, cfg)
    mask, kv_heads = read_mask(fields, layer), heads_that_divide(fields.num_kv_heads, cfg.num_heads)
    return Chosen(
        layer,
        cfg.mask == "causal",
        fields.attention_mask,
        mask,
        fields.mask_case,
        kv_heads,
        fields.num_kv_heads,
        settings.drawn_by,
        rank_two,
        known,
    )


def with_own_numbers(layer: KerasLayer, cfg: Config) -> tuple[KerasLayer, BoundedCache | None]:
    """The layer with the visitor's own kernels and biases, where they are of its shapes; else as it is, drawn from the seed."""
    given = given_for(cfg)
    if given is not None and layer == replace(layer, value_shape=own_width(layer), key_shape=own_width(layer), output_shape=()):
        arrays = {row.name: getattr(given.params, row.name).values for row in variables(layer)}
        return replace(layer, given=arrays), given.known
    if own() is not None:
        st.caption("The numbers here are drawn from the seed: these are not the sizes of your own layer.")
    return layer, None


def own_width(layer: KerasLayer) -> tuple[int, ...]:
    """The shape of key and value where they are as wide as the query."""
    return (*layer.value_shape[:-1], layer.query_shape[-1])


WIDTHS = ("value_width", "key_width")


def read(reader, *arguments, default=()):
    """What was typed as numbers; a sentence on the page, and the default, where it is none."""
    try:
        return reader(*arguments)
    except Unreadable as error:
        st.warning(str(error))
        return default


def read_mask(fields: Fields, layer: KerasLayer) -> np.ndarray | None:
    """(B, 1, S) by lengths, (T, S) by cells, or None: there is none, or it is too large (`own_mask.left_out` says so)."""
    batch = layer.query_shape[0]
    queries, keys = (math.prod(shape[1:-1]) for shape in (layer.query_shape, layer.key_shape))
    if fields.attention_mask == "padding":
        real = read(read_lengths, fields.lengths, batch, keys, default=(keys,) * batch)
        if batch * keys > MOST_MASK:
            return None
        return np.arange(keys) < np.array(real)[:, None, None]
    if fields.attention_mask == "custom" and max(queries, keys) <= MOST_SIDE:
        return read(read_cells, fields.mask_cells, queries, keys, default=np.ones((queries, keys), bool))
    return None


def heads_that_divide(wanted: int, num_heads: int) -> int:
    """The largest divisor of h that is not above what was chosen."""
    return next(kv for kv in range(min(wanted, num_heads), 0, -1) if num_heads % kv == 0)
