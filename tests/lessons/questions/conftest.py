"""The results of the runs of all cards. Each run is made once for all tests of a process."""

import pytest

from experiments.cards import CARDS
from tests.lessons.questions.running import by_keras, by_numpy

RUNS = {run.key: run for card in CARDS for run in card.runs}


@pytest.fixture(scope="session")
def of_numpy() -> dict[str, dict]:
    return by_numpy(RUNS.values())


@pytest.fixture(scope="session")
def of_keras() -> dict[str, dict]:
    return by_keras(run for run in RUNS.values() if run.keras)


@pytest.fixture
def result(card, request) -> list[dict]:
    """The results of the card's runs."""
    found = {**request.getfixturevalue("of_numpy"), **(request.getfixturevalue("of_keras") if card.keras else {})}
    return [found[run.key] for run in card.runs]
