"""The values of the shared settings, and the one place where they become a Config."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from headcount import Config, settings
from headcount.names import SIZES

T = TypeVar("T")
#: Codes of the settings in `in_address`.
IN_ADDRESS = [setting for setting in settings.SHARED if setting.code in ("split", *settings.STOPS)]


class Value(Generic[T]):
    """A descriptor that reads the value of the shared setting with the attribute's name."""

    def __set_name__(self, owner: type, name: str):
        self.code = name

    def __get__(self, settings: "Settings", owner: type | None = None) -> T:
        return settings.values[self.code]


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of the shared settings, by code. `config()` is the layer, or None if h does not divide d_model in the paper's
    convention."""

    values: Mapping[str, Any]

    d_model = Value[int]()
    num_heads = Value[int]()
    key_dim = Value[int]()
    value_dim = Value[int]()
    split = Value[str]()
    backend = Value[str]()

    def stops(self, code: str) -> list[int]:
        """The stops of a size's slider, its default and its present value included."""
        usual = settings.heads_stops(self.d_model, self.paper) if code == "num_heads" else settings.STOPS[code]
        return sorted({*usual, settings.DEFAULTS[code], self.values[code]})

    def but(self, **values: object) -> "Settings":
        """A copy of the settings with some other values."""
        return Settings({**self.values, **values})

    @property
    def sizes(self) -> dict[str, int]:
        return {name.code: self.values[name.code] for name in SIZES}

    @property
    def divides(self) -> bool:
        return self.d_model % self.num_heads == 0

    @property
    def paper(self) -> bool:
        return self.split == "paper"

    def in_address(self) -> dict[str, tuple[str, str]]:
        """The four sizes and the convention by code, each as the address spells its value and its default."""
        spelt: dict[str, tuple[str, str]] = {}
        for setting in IN_ADDRESS:
            follows = self.paper and setting.code in settings.HEAD_SIZES
            value = self.values[setting.code]
            spelt[setting.code] = setting.format(value), setting.format(value if follows else setting.default)
        return spelt

    def config(self) -> Config | None:
        if self.paper and not self.divides:
            return None
        chosen = {setting.code: self.values[setting.code] for setting in settings.SHARED if setting.in_layer}
        if self.paper:
            chosen["key_dim"] = chosen["value_dim"] = self.d_model // self.num_heads
        return Config(**chosen)
