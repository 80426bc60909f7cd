"""Records of a quiz question and its options, and functions that draw random layers for questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from re import split
from typing import Any

from headcount.config import Config

#: A question's words for the paper's convention.
AS_PAPER = "Key size = d_model / heads, as in the Transformer paper"


class Clash(Exception):
    """Raised if a random layer or sentence gives no good question, for example equal options. The caller then draws again."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a quiz question, in Markdown. `why`: why the option is right, or in which case it would be right. `layers`:
    the layers to draw, if the option is a parameter count. Together they have this count."""

    text: str
    why: str
    right: bool = False
    layers: tuple[Config, ...] = ()


@dataclass(frozen=True, slots=True)
class QuizQuestion:
    """A question of the quiz. `figure`: the registered figure that shows the answer, for the layer `cfg` and the options
    `choices`. `before`: the layer whose parameter count the question gives, or None. `asking`: the query (from 0) whose row is
    framed in an attention map, or None."""

    kind: str
    asks: str
    options: tuple[Option, ...]
    cfg: Config
    figure: str
    paper: bool = False
    choices: tuple[tuple[str, int | str], ...] = ()
    before: Config | None = None
    asking: int | None = None

    @property
    def headline(self) -> str:
        """The question itself: the part of `asks` after the first colon. Without a colon, the sentence with a question mark."""
        *_, told = self.asks.partition(": ")
        told = told[:1].upper() + told[1:]
        return told or next(sentence for sentence in split(r"(?<=[.?”]) (?=[A-Z])", self.asks) if sentence.endswith("?"))

    @property
    def condition(self) -> str:
        """The conditions of the question: the part of `asks` that is not the headline."""
        given, colon, _ = self.asks.partition(": ")
        return f"{given}." if colon else " ".join(self.asks.replace(self.headline, "").split())

    @property
    def answer(self) -> int:
        """The index of the right option, from 0."""
        return next(place for place, option in enumerate(self.options) if option.right)


def options(rng: Random, right: tuple[Any, ...], wrong: Sequence[tuple[Any, ...]]) -> tuple[Option, ...]:
    """The right option and at most 3 wrong ones, shuffled. Options are given as (text, reason, *layers). Equal texts count once.
    Raises Clash if there are fewer than 2 wrong options."""
    others: dict[str, tuple[Any, ...]] = {}
    for one in rng.sample(wrong, len(wrong)):
        if one[0] != right[0]:
            others.setdefault(one[0], one)
    if len(others) < 2:
        raise Clash
    chosen = [Option(text, why, text == right[0], tuple(layers)) for text, why, *layers in (right, *list(others.values())[:3])]
    return tuple(rng.sample(chosen, len(chosen)))


def free_layer(rng: Random, **fixed: Any) -> Config:
    """A random layer in Keras's convention. Its drawn sizes are small and all different. `fixed`: fields that are not drawn."""
    d_model, key_dim, value_dim, query_len, key_len = rng.sample(range(5, 14), 5)
    sizes = {"d_model": d_model, "key_dim": key_dim, "value_dim": value_dim, "query_len": query_len, "key_len": key_len}
    drawn: dict[str, Any] = {"num_heads": rng.choice((2, 3, 4)), "use_bias": rng.random() < 0.7, "seed": rng.randrange(10_000)}
    return Config(**{**sizes, **drawn, **fixed})


def paper_layer(rng: Random) -> Config:
    """A random self-attention layer with d_k = d_v = d_model / h > 2 and more than one head."""
    d_model, num_heads = rng.choice([(d, h) for d in (8, 12, 16, 18, 20, 24) for h in (2, 3, 4, 6) if d % h == 0 and d > 2 * h])
    return Config(d_model, num_heads, query_len=rng.randrange(4, 9), use_bias=rng.random() < 0.7, seed=rng.randrange(10_000))


def shape(*sizes: int) -> str:
    return f"({', '.join(map(str, sizes))})"


def biases(cfg: Config) -> str:
    return "with biases" if cfg.use_bias else "without biases"
