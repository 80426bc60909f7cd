"""Measured times of one layer for different numbers of heads, from `benchmarks/heads_in_time.py`."""

import json
from dataclasses import dataclass, field
from functools import lru_cache

from headcount.assets import ASSETS
from headcount.config import Config

#: Implementations of the layer: their names in the files and on screen, in the order on screen.
NAMES = {
    "sdpa-flash": "fused kernel", "sdpa-efficient": "efficient kernel", "sdpa-cudnn": "cuDNN", "sdpa-math": "math kernel",
    "softmax": "softmax written out", "compiled": "compiled", "keras-tensorflow": "Keras", "keras-torch": "Keras on PyTorch",
    "keras-jax": "Keras on JAX", "numpy": "NumPy",
}  # fmt: skip
#: BASE: number of heads with which all others are compared. APART: fraction by which a second run may take longer.
BASE, APART = 8, 0.15


@dataclass(frozen=True, slots=True)
class Series:
    """Times of one implementation, in one convention, at one length. `about`: machine, library and date.
    - `runs`: by number of heads, the median time of each run in milliseconds, fastest first.
    - `without`: by number of heads, the reason why there is no time."""

    paper: bool
    width: int
    tokens: int
    batch: int
    about: str
    runs: dict[int, list[float]] = field(default_factory=dict)
    without: dict[int, str] = field(default_factory=dict)

    def layer(self, heads: int) -> Config:
        key_dim = self.width // (heads if self.paper else BASE)
        return Config(self.width, heads, key_dim, query_len=self.tokens, batch=self.batch, use_bias=False)

    def times(self, heads: int) -> float:
        """Returns the fastest run's time with `heads` heads, divided by the fastest run's time with BASE heads."""
        return self.runs[heads][0] / self.runs[BASE][0]

    def confirmed(self, heads: int) -> bool:
        """Returns whether a second run took at most the fraction APART longer than the fastest run."""
        return len(self.runs[heads]) > 1 and self.runs[heads][1] <= (1 + APART) * self.runs[heads][0]


@lru_cache(maxsize=1)
def measured() -> dict[str, dict[tuple[int, bool], Series]]:
    """Returns series by name, and then by the pair (tokens, whether in the paper's convention). A name is the name of the
    implementation on screen. It has more words for a backward pass, another number type or another machine."""
    found: dict[str, dict[tuple[int, bool], Series]] = {}
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((ASSETS / "time").glob("*.json"))}
    every = [(stem, file["machine"], run, one) for stem, file in files.items() for run in file["runs"] for one in run["series"]]
    for stem, machine, run, one in sorted(every, key=lambda each: [*NAMES].index(each[-1]["way"])):
        marks = ["backward too"] * (one["passes"] == "backward") + [one["dtype"]] * (one["dtype"] != "float32")
        name = ", ".join([NAMES[one["way"]], *marks, *[stem] * (stem != min(files))])
        library = {"keras": "keras", "numpy": "numpy"}.get(one["way"].partition("-")[0], "torch")
        about = f"{machine}; {library} {run['versions'][library]}, {one['dtype']}, {run['date']}"
        key = one["tokens"], one["convention"] == "paper"
        made = Series(key[1], one["width"], one["tokens"], one["batch"], about)
        series = found.setdefault(name, {}).setdefault(key, made)
        for heads, point in one["points"].items():
            if isinstance(point, str):
                series.without[int(heads)] = point
            else:
                series.runs[int(heads)] = sorted([*series.runs.get(int(heads), ()), point[0]])
    return found


def usual() -> Series:
    """Returns the series that the app's sentences quote: PyTorch's fused kernel with 512 tokens, in the paper's convention."""
    return measured()[NAMES["sdpa-flash"]][512, True]
