"""What another head count changes, and what it does not: one row per quantity, both values computed."""

from dataclasses import dataclass

from mha.config import Config
from mha.cost import projection_multiply_adds, score_cells
from mha.ledger import ledger


@dataclass(frozen=True, slots=True)
class Contrast:
    """One quantity for two layers."""

    what: str
    here: int | tuple[int, ...]
    there: int | tuple[int, ...]

    @property
    def same(self) -> bool:
        return self.here == self.there


def contrasts(here: Config, there: Config) -> tuple[Contrast, ...]:
    """Per-head shapes, kernels, biases, multiply-adds of the projections, score cells h·T·S."""

    def total(cfg: Config, bias: bool) -> int:
        return sum(row.count for row in ledger(cfg) if row.is_bias == bias)

    rows = [
        ("one head's piece of W_Q", (here.d_model, here.key_dim), (there.d_model, there.key_dim)),
        ("attention maps and their cells, h · T · S", score_cells(here), score_cells(there)),
        ("weights in the kernels", total(here, False), total(there, False)),
        ("biases", total(here, True), total(there, True)),
        ("multiply-adds of the projections", projection_multiply_adds(here), projection_multiply_adds(there)),
    ]
    return tuple(Contrast(*row) for row in rows)
