"""The values of the shared settings, and the one way to make a Config of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from headcount import Config, settings
from headcount.names import SIZES

T = TypeVar("T")
IN_ADDRESS = [setting for setting in settings.SHARED if setting.code in ("split", *settings.STOPS)]


class Value(Generic[T]):
    """A descriptor of Settings: reads the value of the shared setting that has the attribute's name."""

    def __set_name__(self, owner: type, name: str):
        self.code = name

    def __get__(self, settings: "Settings", owner: type | None = None) -> T:
        return settings.values[self.code]


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of the controls by the code of their setting. `keras`: whether the page always has Keras's convention. Both head
    sizes are then free. If the switch says the paper's convention, the default of both is d_model // h, at least 1."""

    values: Mapping[str, Any]
    keras: bool = False

    d_model = Value[int]()
    num_heads = Value[int]()
    key_dim = Value[int]()
    value_dim = Value[int]()
    split = Value[str]()
    backend = Value[str]()

    def stops(self, code: str) -> list[int]:
        """The numbers at which a size's slider stops, with the default and the present value. `code`: the code of the size."""
        usual = settings.heads_stops(self.d_model, self.split == "paper") if code == "num_heads" else settings.STOPS[code]
        return sorted({*usual, settings.DEFAULTS[code], self.values[code]})

    def but(self, **values: object) -> "Settings":
        return replace(self, values={**self.values, **values})

    @property
    def sizes(self) -> dict[str, int]:
        return {name.code: self.values[name.code] for name in SIZES}

    @property
    def divides(self) -> bool:
        return self.d_model % self.num_heads == 0

    @property
    def paper(self) -> bool:
        return self.split == "paper" and not self.keras

    def in_address(self) -> dict[str, tuple[str, str]]:
        """The convention and the four sizes by code: each value and its default, as the address spells them. The address omits a
        default. On a page with `keras`, changed head sizes give the convention the default "", so that the address keeps it."""
        usual: dict[str, Any] = {setting.code: setting.default for setting in IN_ADDRESS}
        if self.split == "paper":
            usual |= dict.fromkeys(settings.HEAD_SIZES, max(1, self.d_model // self.num_heads))
        spelt = {one.code: (one.format(self.values[one.code]), one.format(usual[one.code])) for one in IN_ADDRESS}
        if self.keras and any(spelt[code][0] != spelt[code][1] for code in settings.HEAD_SIZES):
            # Without the switch, head sizes in an address mean Keras's convention.
            spelt["split"] = (spelt["split"][0], "")
        return spelt

    def config(self) -> Config | None:
        if self.paper and not self.divides:
            return None
        chosen = {setting.code: self.values[setting.code] for setting in settings.SHARED if setting.in_layer}
        if self.paper:
            chosen["key_dim"] = chosen["value_dim"] = self.d_model // self.num_heads
        return Config(**chosen)
