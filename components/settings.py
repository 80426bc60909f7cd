"""What the shared controls say, and the one place where it becomes a Config."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mha import Config, settings
from mha.names import SIZES


@dataclass(frozen=True, slots=True)
class Settings:
    """What the controls say: a value for each setting of mha.settings.SHARED, read as an attribute by its code.

    `config()` is None where the paper's split has no layer (h does not divide d_model).
    """

    values: Mapping[str, Any]

    def __getattr__(self, code: str) -> Any:
        if code.startswith("_") or code == "values":
            raise AttributeError(code)
        try:
            return self.values[code]
        except KeyError:
            raise AttributeError(f"there is no setting {code!r}") from None

    def but(self, **values: object) -> "Settings":
        """The same with other values."""
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

    def config(self) -> Config | None:
        if self.paper and not self.divides:
            return None
        chosen = {setting.code: self.values[setting.code] for setting in settings.SHARED if setting.in_layer}
        if self.paper:
            chosen["key_dim"] = chosen["value_dim"] = self.d_model // self.num_heads
        return Config(**chosen)


def remembered(state: Mapping[str, object]) -> Settings | None:
    """The settings as the widgets left them, before they are drawn anew. None where one is missing or not allowed:
    then the widgets must speak first (they take their values from the address, and refuse what a forged message brings)."""
    if any(setting.code not in state or not setting.fits(state[setting.code]) for setting in settings.SHARED):
        return None
    return Settings({setting.code: state[setting.code] for setting in settings.SHARED})
