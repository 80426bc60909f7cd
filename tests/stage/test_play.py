"""The played arithmetic without a browser: when each term appears, and what is shown then. The program runs in Node."""

from itertools import pairwise
from pathlib import Path

import pytest

from components.stage.program import joined
from mha.assets import ASSETS
from tests.stage.reading import in_node

COUNTS = (1, 2, 5, 7, 17, 53, 4099)
TERMS = [[f"{k} · 2", str(2 * k), str(k * (k + 1)), k - 1, k] for k in range(1, 8)]
MOMENTS = [[0, 5], [0.59, 5], [0.61, 5], [2.9, 5], [3.1, 5], [99, 5], [3.61, 17], [3.95, 17]]


@pytest.fixture(scope="module")
def player(tmp_path_factory) -> dict:
    parts = ASSETS / "player.js", ASSETS / "play/1_steps.js", Path(__file__).parent / "play.js"
    questions = {"counts": COUNTS, "moments": MOMENTS, "steps": range(9), "terms": TERMS}
    return in_node(tmp_path_factory.mktemp("play"), joined(*parts), questions)


def test_the_first_six_terms_take_six_tenths_of_a_second_each_no_later_one_more_and_all_at_most_twelve_seconds(player: dict):
    for count, begins in zip(COUNTS, player["begins"], strict=True):
        apart = [later - earlier for earlier, later in pairwise(begins)]
        assert len(apart) == count
        assert apart[:6] == pytest.approx([0.6] * min(count, 6))
        assert all(0 < one <= 0.3 + 1e-9 for one in apart[6:])
    ends = dict(zip(COUNTS, (begins[-1] for begins in player["begins"]), strict=True))
    assert max(ends.values()) <= 12 + 1e-9
    assert ends[4099] == pytest.approx(12)
    assert ends[17] == pytest.approx(6 * 0.6 + 11 * 0.3)


def test_a_moment_shows_the_term_that_has_begun_and_after_the_last_the_end(player: dict):
    """Five terms of 0.6 s: at 2.9 s the fifth, at 3.1 s the end. Of 17, the seventh begins at 3.6 s, the eighth at 3.9 s."""
    assert player["reached"] == [1, 1, 2, 5, 6, 6, 7, 8]


def test_a_step_shows_its_term_three_before_it_and_the_sum_so_far(player: dict):
    """Before the first step and after the last the whole arithmetic stands; a division by the sum is not added to it."""
    first, *_ = shown = player["shown"]
    assert first is shown[8] is None
    assert shown[1] == {"cut": False, "before": [], "text": "1 · 2", "result": "2", "total": "2", "from": 0, "to": 1}
    steps = [(step["cut"], step["before"], step["text"], step["total"]) for step in (shown[4], shown[7], player["division"])]
    assert steps == [
        (False, ["1 · 2", "2 · 2", "3 · 2"], "4 · 2", "20"), (True, ["4 · 2", "5 · 2", "6 · 2"], "7 · 2", "56"),
        (False, [], "7 · 2", "56"),
    ]  # fmt: skip
