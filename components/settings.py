"""What the shared controls say, and the one place where it becomes a Config."""

from collections.abc import Mapping
from dataclasses import dataclass

from mha import Config
from mha.config import whole
from mha.names import BACKENDS, MASKS, SIZES

SPLITS = ("paper", "free")
DRAWERS = ("stage", "plotly")
DEFAULTS = {"d_model": 16, "num_heads": 4, "key_dim": 4, "value_dim": 4, "query_len": 6, "key_len": 6}
SEED_MOST = 9999


@dataclass(frozen=True, slots=True)
class Settings:
    """What the controls say. `config()` is None where the paper's split has no layer (h does not divide d_model)."""

    sizes: dict[str, int]
    split: str
    mask: str
    use_bias: bool
    seed: int
    backend: str
    drawn_by: str = "stage"

    @property
    def divides(self) -> bool:
        return self.sizes["d_model"] % self.sizes["num_heads"] == 0

    @property
    def paper(self) -> bool:
        return self.split == "paper"

    def config(self) -> Config | None:
        if self.paper and not self.divides:
            return None
        sizes = dict(self.sizes)
        if self.paper:
            sizes["key_dim"] = sizes["value_dim"] = sizes["d_model"] // sizes["num_heads"]
        return Config(**sizes, mask=self.mask, use_bias=self.use_bias, seed=self.seed)


def remembered(state: Mapping[str, object]) -> Settings | None:
    """The settings as the widgets left them, before they are drawn anew. None where one is missing or not allowed:
    then the widgets must speak first (they take their values from the address, and refuse what a forged message brings)."""
    try:
        sizes = {name.code: whole(name.code, state[name.code], name.least, name.most) for name in SIZES}
        words = {"split": SPLITS, "mask": MASKS, "backend": BACKENDS, "drawn_by": DRAWERS, "use_bias": (True, False)}
        chosen = {key: state[key] for key in words}
        seed = whole("seed", state["seed"], 0, SEED_MOST)
    except (KeyError, ValueError):
        return None
    if any(chosen[key] not in allowed for key, allowed in words.items()):
        return None
    return Settings(sizes, seed=seed, **chosen)
