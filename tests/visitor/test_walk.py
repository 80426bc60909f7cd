"""A minute of random visitors (`make explore` takes longer): after any act, the screen follows the rules."""

import random
from operator import itemgetter

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from headcount.settings import SHARED
from tests.visitor import walk as walking
from tests.visitor.choices import LONG, offered
from tests.visitor.keras_states import Keras
from tests.visitor.visitor import PAGES

pytestmark = pytest.mark.first
#: Steps of a walk; one takes a tenth of a second. A page gets a walk for every so many options that it has to itself.
STEPS, OPTIONS, MAX_WALKS = 10, 4, 5


#: One number for each step: where Hypothesis draws each choice, the first of every list comes up in every second step.
DICE = st.integers(0, 2**31)


def machine(keras: Keras, page: str) -> type[RuleBasedStateMachine]:
    """A visitor whose every choice Hypothesis makes, the same in every run."""

    class AVisitor(RuleBasedStateMachine):
        walk: walking.Walk | None = None

        @initialize(dice=DICE)
        def come(self, dice):
            self.walk = walking.Walk(keras, random.Random(dice).choice, pages=(page,)).begin()

        @rule(dice=DICE)
        def do(self, dice):
            self.walk.pick = random.Random(f"{dice}, step {len(self.walk.steps)}").choice
            self.walk.step()

    return AVisitor


@pytest.mark.keras
@pytest.mark.parametrize("page", PAGES)
def test_whatever_is_done_on_a_page_what_stands_on_the_screen_holds(page, keras):
    """The page's own lists come first, at the present sizes and at the largest, so that no value is left to chance. Keras
    answers, is awaited, refuses or is missing at random."""
    for always in (0, -1):
        walking.Walk(keras, itemgetter(always), pages=(page,)).begin().step("through")
    shared = {setting.code for setting in SHARED}
    own = sum(len(values) for key, values in offered(page).items() if key not in shared and len(values) <= LONG)
    run_state_machine_as_test(
        machine(keras, page),
        settings=settings(
            max_examples=min(1 + own // OPTIONS, MAX_WALKS), stateful_step_count=STEPS,
            derandomize=True, deadline=None, database=None,
            phases=[Phase.generate],  # so few steps can be read as they are; to make them fewer takes minutes
            suppress_health_check=list(HealthCheck), print_blob=False,
        ),
    )  # fmt: skip
