"""Four cells, painted by the stage's own program in Node: each has its number's colour, where it stands, and its number in it.

The colours are read off the palettes by hand: a mirrored scale, a row for a column, a wrong end of the scale show here. And the
played arithmetic: when each term appears, and what is shown then.
"""

import base64
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from components.stage import program
from components.stage.layout import Rect, scale_ends, tokens
from components.stage.scene import Block, Grid, Length, Panel, Scene
from components.stage.text import scale_end
from components.stage.theme import DARK, LIGHT
from components.stage.wire import pack
from mha.assets import ASSETS
from mha.names import decimals
from tests.stage.reading import in_node

CELL = 40
#: Ends of scales, one of them the largest of random numbers that were averaged.
ENDS = (2.0, 0.005, 0.0049, 0.00073, 0.25, 1234.5)
NUMBERS = (-0.0, 0.0, -0.004, 0.004, -0.006, -1.5, -10.0, 2.0, 1234.5)


def painted(
    tmp_path: Path, values: list[list[float]], scale: str, top: float, dark: bool = False,
    rows: tuple[str, ...] = (), cell: int = CELL,
) -> dict:  # fmt: skip
    block = Block("q-0", "q", Length(0), Length(0), 2, 2, name="q", row_labels=rows)
    panel = Panel("p", Length(2), Length(2), (block,), ())
    scene = Scene(((panel,),), {"q": Grid(np.array(values, np.float32), scale)}, alt="four numbers", tops={scale: top})
    sent = program.script(LIGHT, DARK).replace("export default", "void")  # a module's last line; Node runs a script
    asked = {"bytes": base64.b64encode(pack(scene)).decode(), "dark": dark, "cell": cell}
    asked |= {"ends": ENDS, "numbers": list(map(str, NUMBERS))}
    return in_node(tmp_path, f"{sent}\n{program.joined(Path(__file__).parent / 'paint.js')}", asked)


def colours(made: dict) -> list[str]:
    """Of the cells in the order of reading, each at its place."""
    assert [(x, y) for x, y, _ in made["fills"]] == [(0, 0), (CELL, 0), (0, CELL), (CELL, CELL)]
    return [colour for _, _, colour in made["fills"]]


def rgb(text: str) -> str:
    return f"rgb({','.join(str(int(text[i : i + 2], 16)) for i in (1, 3, 5))})"


def near(colour: str, wanted: str) -> bool:
    """Within the step of a scale of 256 colours."""
    parts = [[int(part) for part in text[4:-1].split(",")] for text in (colour, rgb(wanted))]
    return max(abs(one - other) for one, other in zip(*parts, strict=True)) <= 2


@pytest.mark.parametrize(("dark", "theme"), [(False, LIGHT), (True, DARK)])
def test_four_signed_numbers_are_painted_from_the_first_colour_to_the_last(tmp_path, dark, theme):
    """-3 and 3 are the ends of the scale, and half of the way to an end is half of the way to its colour."""
    first, middle, last = (theme.signed[place] for place in (0, len(theme.signed) // 2, -1))
    made = painted(tmp_path, [[-3, 0], [1.5, 3]], "signed", 3, dark)
    low, none, half, high = colours(made)
    assert near(low, first)
    assert near(none, middle)
    assert near(half, theme.signed[len(theme.signed) * 3 // 4])
    assert near(high, last)
    assert [(text, x, y) for text, x, y, _ in made["words"]] == [
        ("−3.00", 20, 20), ("0.00", 60, 20), ("1.50", 20, 60), ("3.00", 60, 60),
    ]  # fmt: skip
    assert made["legend"][0][1:] == ["−3.00", "+3.00"]


def test_four_shares_are_painted_from_pale_to_dark(tmp_path):
    made = painted(tmp_path, [[0, 1], [0.5, 0.25]], "share", 1)
    for colour, place in zip(colours(made), (0, 8, 4, 2), strict=True):
        assert near(colour, LIGHT.share[place])
    assert [ink for *_, ink in made["words"]] == ["#000", "#fff", "#000", "#000"]
    assert made["legend"][0][1:] == ["0", "1"]


def test_the_programs_numbers_are_those_of_the_files_and_none_is_minus_0(tmp_path):
    made = painted(tmp_path, [[-0.004, -0.0], [0.004, 0.001]], "weight", 0.00421)
    assert [text for text, *_ in made["words"]] == ["0.00"] * 4
    assert made["legend"][0][1:] == list(scale_ends("weight", 0.00421)) == ["−0.004", "+0.004"]
    assert made["ends"] == [scale_end(top) for top in ENDS] == ["2.00", "0.01", "0.005", "0.0007", "0.25", "1234.50"]
    assert made["numbers"] == [decimals(value) for value in NUMBERS]
    assert made["numbers"] == ["0.00", "0.00", "0.00", "0.00", "−0.01", "−1.50", "−10.00", "2.00", "1234.50"]


def test_the_word_of_the_row_that_is_read_is_written_in_ink(tmp_path):
    made = painted(tmp_path, [[1, 2], [3, 4]], "signed", 4, rows=("he", "she"))
    (_, _, muted), _ = made["tokens"]
    assert made["tokens"] == [["he", 20, muted], ["she", 60, muted]]
    assert made["read"] == [["she", 60, LIGHT.ink]]
    assert muted != LIGHT.ink


def test_one_word_alone_stands_at_rows_that_are_too_thin_for_two(tmp_path):
    """8 pixels high, where words in each row would lie on each other: as on the page, so in a file."""
    for rows, there in ((("", "she"), ["she"]), (("he", "she"), [])):
        made = painted(tmp_path, [[1, 2], [3, 4]], "signed", 4, rows=rows, cell=8)
        assert [text for text, *_ in made["tokens"]] == there
        block = Block("q-0", "q", Length(0), Length(0), 2, 2, name="q", row_labels=rows)
        assert [token.text for token in tokens(block, Rect(0, 0, 16, 16)) if token.text] == there


COUNTS = (1, 2, 5, 7, 17, 53, 4099)
TERMS = [[f"{k} · 2", str(2 * k), str(k * (k + 1)), k - 1, k] for k in range(1, 8)]
MOMENTS = [[0, 5], [0.59, 5], [0.61, 5], [2.9, 5], [3.1, 5], [99, 5], [3.61, 17], [3.95, 17]]


@pytest.fixture(scope="module")
def player(tmp_path_factory) -> dict:
    parts = ASSETS / "player.js", ASSETS / "play/1_steps.js", Path(__file__).parent / "play.js"
    questions = {"counts": COUNTS, "moments": MOMENTS, "steps": range(9), "terms": TERMS}
    return in_node(tmp_path_factory.mktemp("play"), program.joined(*parts), questions)


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
