"""What the runs of all cards give: each is run once for all tests of a process."""

import pytest

from experiments.cards import CARDS
from experiments.records import Run
from tests.lessons.claims.running import by_keras, by_numpy

RUNS = {run.key: run for card in CARDS for run in card.runs}
#: A run of no card: adapters in a layer of other sizes.
LORA = Run("lora", {"d_model": 24, "num_heads": 3, "key_dim": 5, "rank": 2}, keras=True)


@pytest.fixture(scope="session")
def of_numpy() -> dict[str, dict]:
    return by_numpy(RUNS.values())


@pytest.fixture(scope="session")
def of_keras() -> dict[str, dict]:
    return by_keras([LORA, *(run for run in RUNS.values() if run.keras)])


@pytest.fixture
def result(card, request) -> list[dict]:
    """What the card's runs give."""
    found = {**request.getfixturevalue("of_numpy"), **(request.getfixturevalue("of_keras") if card.keras else {})}
    return [found[run.key] for run in card.runs]
