"""Questions to answer before looking: drawn from a seed, answered by computing, with the wrong answers that people give."""

from collections.abc import Collection
from functools import lru_cache
from random import Random

from lessons.quiz import changes, pictures, sizes, trained  # noqa: F401 (their functions are the kinds)
from lessons.quiz.question import DRAWN_BY, Clash, Question

__all__ = ["COUNT", "KINDS", "MAX_SEED", "ROUNDS", "Question", "deck", "draw"]

#: The largest seed; the smallest is 0.
MAX_SEED = 9999
#: The rounds by topic, each with its kinds: what the walk has taught comes first.
ROUNDS = {
    "basics": ("paper_count", "finds", "keras_count_doubled", "falls", "reads", "piece", "concat", "map_sum"),
    "shapes": ("query_kernel", "output_kernel", "weights", "output", "arrays", "cut", "legal", "map_cells"),
    "what changes": ("bias_count", "gate_adds", "wider_values", "grows", "stays", "value_dim", "longer", "divisor"),
    "who sees what": ("window_keys", "masked_pairs", "last_token", "first_row", "keys_seen", "mask", "padding", "head_off"),
}
#: The kinds by name, as the rounds have them.
KINDS = {kind: DRAWN_BY[kind] for kinds in ROUNDS.values() for kind in kinds}
COUNT = len(KINDS)
#: Most draws of sizes until no two options are the same; three are usual.
PATIENCE = 200


@lru_cache(maxsize=64)
def deck(seed: int) -> tuple[Question, ...]:
    """Draws COUNT questions, the same for everyone with this seed: every kind once, round by round.

    The first is always the one that the whole app is about.
    """
    rng = Random(seed)
    first, *taught = ROUNDS["basics"]
    kinds = [first, *rng.sample(taught, len(taught))]
    for own in list(ROUNDS.values())[1:]:
        kinds += rng.sample(own, len(own))
    questions: list[Question] = []
    for kind in kinds:
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
