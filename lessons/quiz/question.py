"""What a question is, and how sizes are drawn for one."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from mha.config import Config


class Clash(Exception):
    """Two options came out the same: draw other sizes."""


@dataclass(frozen=True, slots=True)
class Option:
    """`text` is Markdown, or names a picture (components/figures/pictures/quiz.py). `why`: why it is right, or what
    it would take."""

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """`figure` (a name in the registry of figures) at `cfg` and `choices` answers it. `paper`: head sizes follow d_model / h.

    `asked`: the question of lessons.claims.QUESTIONS in which people asked it. `drawn`: the options are pictures of this kind.
    """

    kind: str
    asks: str
    options: tuple[Option, ...]
    cfg: Config
    figure: str
    paper: bool = False
    choices: tuple[tuple[str, int | str], ...] = ()
    asked: str = ""
    drawn: str = ""

    @property
    def answer(self) -> int:
        """Where the right option stands, from 0."""
        return next(place for place, option in enumerate(self.options) if option.right)


def options(rng: Random, right: tuple[str, str], wrong: Sequence[tuple[str, str]], most: int = 3) -> tuple[Option, ...]:
    """The right one and at most `most` wrong ones that differ from it and from each other, shuffled. Clash where fewer than 2 are
    left."""
    others: dict[str, str] = {}
    for text, why in rng.sample(wrong, len(wrong)):
        if text != right[0]:
            others.setdefault(text, why)
    if len(others) < 2:
        raise Clash
    made = [Option(*right, right=True), *(Option(text, why) for text, why in list(others.items())[:most])]
    return tuple(rng.sample(made, len(made)))


def free_layer(rng: Random, mask: str = "none", **fixed: Any) -> Config:
    """Keras's way: all sizes small and different, so that none can be taken for another."""
    d_model, key_dim, value_dim, query_len, key_len = rng.sample(range(5, 14), 5)
    sizes = {"d_model": d_model, "key_dim": key_dim, "value_dim": value_dim, "query_len": query_len, "key_len": key_len}
    drawn: dict[str, Any] = {"num_heads": rng.choice((2, 3, 4)), "use_bias": rng.random() < 0.7, "seed": rng.randrange(10_000)}
    return Config(**{**sizes, **drawn, **fixed}, mask=mask)


def paper_layer(rng: Random, mask: str = "none") -> Config:
    """d_k = d_v = d_model / h with more than one head, each more than one wide; self-attention."""
    d_model, num_heads = rng.choice([(d, h) for d in (8, 12, 16, 18, 20, 24) for h in (2, 3, 4, 6) if d % h == 0 and d > 2 * h])
    return Config(
        d_model, num_heads, query_len=rng.randrange(4, 9), use_bias=rng.random() < 0.7, seed=rng.randrange(10_000), mask=mask
    )


def shape(*sizes: int) -> str:
    return f"({', '.join(map(str, sizes))})"


def biases(cfg: Config) -> str:
    return "with biases" if cfg.use_bias else "without biases"
