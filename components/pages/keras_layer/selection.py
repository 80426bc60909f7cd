"""The fields of the page The Keras layer, and the layer that these fields and the shared settings describe."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from components.address import quoted
from components.app.controls import control, stays_drawn
from components.app.session import Shown
from components.pages.keras_layer import BY_CODE
from components.settings import Settings
from components.widgets.refusal import layer_or_end
from components.widgets.trace import overflow_of
from headcount.bounded_cache import BoundedCache
from headcount.keras.layer import MAX_SIZE, KerasLayer, variables
from headcount.names import noun


def draw_fields() -> dict[str, Any]:
    """Draws the page's fields. Returns each field's value by the field's code. Texts are not parsed yet."""
    fields = [BY_CODE[code] for code in ("batch", *EXAMPLES)]
    with (
        st.expander("Other inputs: batch, widths, axes", type="compact", expanded=stays_drawn("inputs", fields)),
        st.container(key="sizes", horizontal=True, gap="small", vertical_alignment="bottom"),
    ):
        return {field.code: control(field, placeholder=EXAMPLES.get(field.code), width=FIELD_PX) for field in fields}


#: Pixels: six fields fit in a row next to the sidebar, and two on a phone.
FIELD_PX = 136
EXAMPLES = {
    "input_shape": "6,16 or 3,4,16", "key_width": "d_model", "value_width": "d_model", "output_shape": "d_model, or 7,2",
    "attention_axes": "all, or 1 or 1,2",
}  # fmt: skip


class BadField(ValueError):
    """Raised for a field whose text cannot be read."""


#: For each field of whole numbers: the least and largest number, and the range of their count.
BOUNDS = {
    "input_shape": (1, MAX_SIZE, (1, 4)), "key_width": (1, MAX_SIZE, (1, 1)), "value_width": (1, MAX_SIZE, (1, 1)),
    "output_shape": (1, MAX_SIZE, (1, 3)), "attention_axes": (-5, 5, (1, 3)),
}  # fmt: skip


def whole_numbers(key: str, text: str) -> tuple[int, ...]:
    """Parses whole numbers in a text; an empty text gives (). Raises BadField if the text breaks the BOUNDS of `key`."""
    least, most, (fewest, longest) = BOUNDS[key]
    plain = text.strip().strip("()[]").strip().rstrip(",")
    if not plain:
        return ()
    words = re.split(r"\s*[,;×x]\s*|\s+", plain)
    fits = len(words) <= 64 and all(re.fullmatch(r"[-−]?[0-9]{1,5}", word) for word in words)
    numbers = [int(word.replace("−", "-")) for word in words] if fits else []
    if not fits or not fewest <= len(numbers) <= longest or not all(least <= number <= most for number in numbers):
        how_many = f"{fewest} to {longest} whole numbers" if longest > 1 else "a whole number"
        separated = " separated by commas" if longest > 1 else ""
        raise BadField(f"**{key}** must be {how_many} from {least} to {most}{separated}, got {quoted(text)}.")
    return tuple(numbers)


@dataclass(frozen=True, slots=True)
class LayerChoice:
    """The choices on the page. `causal`, `training`: arguments of the call. `rank_two`: whether the input has no positions; then
    `layer` has a single position. `known`: the cache of replies about a layer with the visitor's own numbers, or None."""

    layer: KerasLayer
    causal: bool
    rank_two: bool = False
    known: BoundedCache | None = None
    training: bool = False

    @property
    def bare(self) -> "LayerChoice":
        """Returns these choices without sliding window, dropout and training."""
        return replace(self, layer=replace(self.layer, sliding_window=None, dropout=0.0), training=False)

    @property
    def flat(self) -> KerasLayer:
        """The layer for inputs of rank 3, which have all positions on one axis."""
        rows = [(math.prod(shape[1:-1]),) for shape in (self.layer.query_shape, self.layer.key_shape)]
        return self.layer if self.layer.rank == 3 and self.layer.axes == (1,) else self.layer.with_positions(*rows)


def select(settings: Settings, fields: Mapping[str, Any]) -> LayerChoice:
    """The choices that the fields describe. If a field's text cannot be read, shows a warning and uses the default."""
    shape = numbers_in(fields, "input_shape")
    settings = settings.but(d_model=shape[-1]) if shape else settings
    shown = layer_or_end(settings)
    cfg = shown.cfg
    width, batch = settings.d_model, fields["batch"]
    rank_two = len(shape) == 1
    positions = (1,) if rank_two else shape[:-1] or (cfg.query_len,)
    keys = (cfg.key_len,) if len(positions) == 1 and cfg.query_len != cfg.key_len else positions
    if shape and not rank_two:
        grid = " × ".join(map(str, positions)) + f" {noun(math.prod(positions), 'position')}"
        st.caption(f"{grid} and $d_{{model}}$ = {width} come from `input_shape` here, not from the sidebar.")
    value_width, key_width = (next(iter(numbers_in(fields, key)), width) for key in ("value_width", "key_width"))
    layer = KerasLayer(
        cfg.num_heads, cfg.key_dim, cfg.value_dim, (batch, *positions, width), (batch, *keys, value_width),
        (batch, *keys, key_width), numbers_in(fields, "output_shape"), numbers_in(fields, "attention_axes"), cfg.use_bias,
        cfg.seed, cfg.use_gate, cfg.sliding_window, cfg.dropout, cfg.dropout_seed,
    )  # fmt: skip
    layer, known = with_own_numbers(layer, shown)
    return LayerChoice(layer, cfg.mask == "causal", rank_two, known, cfg.training)


def with_own_numbers(layer: KerasLayer, shown: Shown) -> tuple[KerasLayer, BoundedCache | None]:
    """The layer with the weights of the visitor's file, and the cache of replies. Without weights that fit, `layer` and None."""
    own, width = shown.origin.layer(shown.cfg), (*layer.value_shape[:-1], layer.query_shape[-1])
    ends = overflow_of(shown.origin, shown.cfg) is not None
    if own is not None and not ends and layer == replace(layer, value_shape=width, key_shape=width, output_shape=()):
        weights = {row.name: getattr(own.params, row.name).values for row in variables(layer)}
        return replace(layer, weights=weights), own.known
    if shown.origin.own is not None:
        why = "float32 ends in your own layer" if ends else "these are not the sizes of your own layer"
        st.caption(f"The numbers here are drawn from the seed: {why}.")
    return layer, None


def numbers_in(fields: Mapping[str, Any], code: str) -> tuple[int, ...]:
    """The numbers in the field `code`. If the field's text cannot be read, shows a warning and returns ()."""
    try:
        return whole_numbers(code, fields[code])
    except BadField as error:
        st.warning(str(error))
        return ()
