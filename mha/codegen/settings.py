"""What a script is written for: a layer, its mask, and where its numbers come from."""

from dataclasses import dataclass

import numpy as np

from mha.arrays import Bools
from mha.keras.layer import KerasLayer

#: The file from which a script takes weights that no seed gives.
WEIGHTS_FILE = "headcount_layer.npz"


class Unwritable(ValueError):
    """Why a library cannot say this: a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """`mask`: True where a query may look, (B, 1, S) or (T, S), or None; `causal`: Keras's use_causal_mask, which joins it.

    The numbers of a layer that has some `given` are read from WEIGHTS_FILE; inputs are drawn all the same.
    """

    layer: KerasLayer
    causal: bool = False
    mask: Bools | None = None

    @property
    def plain(self) -> bool:
        """Inputs of rank 3, attended along their positions."""
        return self.layer.rank == 3 and self.layer.axes == (1,)

    @property
    def from_file(self) -> bool:
        """Whether the weights are somebody's own."""
        return self.layer.given is not None

    @property
    def masked(self) -> bool:
        return self.causal or self.mask is not None

    def allowed(self) -> Bools | None:
        """The whole mask, to broadcast against scores (B, h, T, S); for inputs of rank 3."""
        if not self.masked:
            return None
        length, keys = self.layer.query_shape[1], self.layer.key_shape[1]
        triangle = np.tri(length, keys, dtype=bool) if self.causal else np.ones((length, keys), bool)
        return triangle if self.mask is None else triangle & self.mask[..., None, :, :]

    @property
    def some_see_nothing(self) -> bool:
        """Whether a query may look nowhere. For masks of single lines without all pairs: there may be 4096 × 4096."""
        if self.mask is None:
            return False  # under the triangle every query sees the first key
        if self.mask.shape[-2] == 1:
            return not bool((self.mask[..., 0] if self.causal else self.mask.any(axis=-1)).all())
        allowed = self.allowed()
        return allowed is not None and not bool(allowed.any(axis=-1).all())
