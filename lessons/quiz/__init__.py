"""The quiz: questions drawn from a seed, with computed answers and common wrong answers."""

from collections.abc import Collection
from functools import lru_cache
from random import Random

from lessons.quiz import sizes, trained
from lessons.quiz.question import Clash, QuizQuestion

__all__ = ["COUNT", "KINDS", "MAX_SEED", "ROUNDS", "TAUGHT", "QuizQuestion", "deck", "new_question"]

#: The largest seed; the smallest is 0.
MAX_SEED = 9999
#: The rounds by topic, each with its kinds, which are functions: what the walk has shown comes first.
ROUNDS = {
    "the walk": (sizes.paper_count, trained.she, trained.one_head, sizes.keras_count_doubled, trained.softmax, trained.which_head,
                 trained.w_o_adds, sizes.reads),
    "Projections": (sizes.piece, sizes.longer),
    "Attention": (sizes.map_sum, trained.finds, sizes.divisor, sizes.grows),
    "Concatenation": (sizes.concat, trained.falls),
    "the Keras layer": (sizes.query_kernel, sizes.weights),
}  # fmt: skip
#: The address at which each round's topic is taught.
TAUGHT = dict(zip(ROUNDS, ("?present=1", "projections", "attention", "concatenation", "keras_layer"), strict=True))
KINDS = {kind.__name__: kind for kinds in ROUNDS.values() for kind in kinds}
COUNT = len(KINDS)
#: Most attempts to draw sizes for which no two options are the same; three are usual.
PATIENCE = 200


@lru_cache(maxsize=64)
def deck(seed: int) -> tuple[QuizQuestion, ...]:
    """The COUNT questions of a seed, the same for everyone: one question of every kind, round by round."""
    rng = Random(seed)
    first, *taught = next(iter(ROUNDS.values()))
    kinds = [first, *rng.sample(taught, len(taught))]
    for own in list(ROUNDS.values())[1:]:
        kinds += rng.sample(own, len(own))
    questions: list[QuizQuestion] = []
    for kind in kinds:
        questions.append(new_question(kind.__name__, rng, {question.asks for question in questions}))
    return tuple(questions)


def new_question(kind: str, rng: Random, used: Collection[str] = ()) -> QuizQuestion:
    """A question of this kind whose text is not in `used`."""
    for _ in range(PATIENCE):
        try:
            question = KINDS[kind](rng)
        except Clash:
            continue
        if question.asks not in used:
            return question
    raise AssertionError(f"no question of the kind {kind} after {PATIENCE} draws")
