"""Questions to answer before looking: drawn from a seed, answered by computing, with the wrong answers that people give."""

from collections.abc import Collection
from functools import lru_cache
from random import Random

from lessons.quiz import changes, pictures, sizes, trained
from lessons.quiz.question import Clash, Question

__all__ = ["COUNT", "KINDS", "MAX_SEED", "Question", "deck", "draw"]

KINDS = {
    make.__name__: make
    for make in (
        sizes.query_kernel, sizes.output_kernel, sizes.weights, sizes.output, sizes.concat, sizes.piece, sizes.reads,
        sizes.paper_count, sizes.keras_count_doubled, sizes.arrays, sizes.bias_count, sizes.gate_adds, sizes.window_keys,
        sizes.wider_values, sizes.longer,
        sizes.map_cells, sizes.map_sum, sizes.masked_pairs,
        changes.grows, changes.stays, changes.value_dim, changes.head_off, changes.last_token, changes.first_row,
        changes.keys_seen, changes.divisor, changes.legal,
        pictures.mask, pictures.padding, pictures.cut,
        trained.finds, trained.falls,
    )
}  # fmt: skip
COUNT = 32
#: The largest seed; the smallest is 0.
MAX_SEED = 9999
#: What the walk has taught: asked first.
TAUGHT = ("finds", "keras_count_doubled", "falls", "reads", "piece", "concat", "map_sum")
#: Most draws of sizes until no two options are the same; three are usual.
PATIENCE = 200


@lru_cache(maxsize=64)
def deck(seed: int) -> tuple[Question, ...]:
    """COUNT questions, the same for everyone with this seed: every kind once, those that the walk has taught before all others.

    The first is always the one that the whole app is about.
    """
    rng = Random(seed)
    others = [kind for kind in KINDS if kind not in ("paper_count", *TAUGHT)]
    kinds = ["paper_count", *rng.sample(TAUGHT, len(TAUGHT)), *rng.sample(others, len(others))]
    questions: list[Question] = []
    for kind in kinds[:COUNT]:
        questions.append(draw(kind, rng, {question.asks for question in questions}))
    return tuple(questions)


def draw(kind: str, rng: Random, used: Collection[str] = ()) -> Question:
    """A question of this kind that is not among those `used`."""
    for _ in range(PATIENCE):
        try:
            question = KINDS[kind](rng)
        except Clash:
            continue
        if question.asks not in used:
            return question
    raise AssertionError(f"no question of the kind {kind} after {PATIENCE} draws")
