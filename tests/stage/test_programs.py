"""Four cells, painted by the stage's program in Node: each has its number's colour, place and digits. The colours are read off
the palettes by hand, to find a mirrored scale or a row taken for a column. Also the played arithmetic: when each term appears.

Also one layout: Python and the program put every panel, block and word in the golden file's places. The program gets the same
bytes as the stage, and the words' widths as Python measured them. `python -m tests.stage.test_programs` writes the golden file
again, after an intended change of layout.
"""

import base64
import json
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from headcount.assets import ASSETS
from headcount.export.figures import EVERY
from headcount.export.request import request_of
from headcount.names import decimals
from headcount.stage import program
from headcount.stage.layout import Placed, Rect, lines_of, place, scale_ends, strip_of, tokens
from headcount.stage.scene import Block, Grid, Length, Panel, Scene
from headcount.stage.text import LAYOUT, pieces, scale_end, width_of
from headcount.stage.theme import DARK, LIGHT
from headcount.stage.wire import pack
from tests.stage.reading import in_node

CELL = 40
#: Ends of scales, one of them the largest of random numbers that were averaged.
ENDS = (2.0, 0.005, 0.0049, 0.00073, 0.25, 1234.5)
NUMBERS = (-0.0, 0.0, -0.004, 0.004, -0.006, -1.5, -10.0, 2.0, 1234.5)


def painted(
    tmp_path: Path, values: list[list[float]], scale: str, top: float, dark: bool = False,
    rows: tuple[str, ...] = (), cell: int = CELL, pale: tuple[int, ...] = (), window: int = 1280,
) -> dict:  # fmt: skip
    block = Block("q-0", "q", Length(0), Length(0), 2, 2, name="q", row_labels=rows, pale=pale)
    panel = Panel("p", Length(2), Length(2), (block,), ())
    scene = Scene(((panel,),), {"q": Grid(np.array(values, np.float32), scale)}, alt="four numbers", tops={scale: top})
    sent = program.script(LIGHT, DARK).replace("export default", "void")  # a module's last line; Node runs a script
    asked = {"bytes": base64.b64encode(pack(scene)).decode(), "dark": dark, "cell": cell, "window": window}
    asked |= {"ends": ENDS, "numbers": list(map(str, NUMBERS))}
    return in_node(tmp_path, f"{sent}\n{program.joined(Path(__file__).parent / 'paint.js')}", asked)


def colours(made: dict) -> list[str]:
    """The cells' colours in reading order, with their places."""
    assert [(x, y) for x, y, _ in made["fills"]] == [(0, 0), (CELL, 0), (0, CELL), (CELL, CELL)]
    return [colour for _, _, colour in made["fills"]]


def rgb(text: str) -> str:
    return f"rgb({','.join(str(int(text[i : i + 2], 16)) for i in (1, 3, 5))})"


def near(colour: str, wanted: str) -> bool:
    """Whether two colours differ by at most a step of a scale of 256."""
    parts = [[int(part) for part in text[4:-1].split(",")] for text in (colour, rgb(wanted))]
    return max(abs(one - other) for one, other in zip(*parts, strict=True)) <= 2


@pytest.mark.parametrize(("dark", "theme"), [(False, LIGHT), (True, DARK)])
def test_four_signed_numbers_are_painted_from_the_first_colour_to_the_last(tmp_path, dark, theme):
    """-3 and 3 are the ends of the scale. Half-way to an end is half-way to its colour."""
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


def test_a_masked_cell_is_hatched_and_has_no_colour_and_no_number(tmp_path):
    made = painted(tmp_path, [[1, np.nan], [0.5, 0.25]], "share", 1)
    assert made["hatched"] == [[CELL, 0, CELL, CELL]]
    assert [(x, y) for x, y, _ in made["fills"]] == [(0, 0), (0, CELL), (CELL, CELL)]
    assert [text for text, *_ in made["words"]] == ["1.00", "0.50", "0.25"]


def test_four_shares_are_painted_from_pale_to_dark(tmp_path):
    made = painted(tmp_path, [[0, 1], [0.5, 0.25]], "share", 1)
    for colour, shade in zip(colours(made), (0, 8, 4, 2), strict=True):
        assert near(colour, LIGHT.share[shade])
    assert [ink for *_, ink in made["words"]] == ["#000", "#fff", "#000", "#000"]
    assert made["legend"][0][1:] == ["0", "1"]


@pytest.mark.parametrize(("dark", "theme"), [(False, LIGHT), (True, DARK)])
def test_rows_that_answer_nothing_are_painted_in_greys(tmp_path, dark, theme):
    first, last, none, half = colours(painted(tmp_path, [[0, 1], [0, 0.5]], "share", 1, dark, pale=(1,)))
    assert near(first, theme.share[0])
    assert near(last, theme.share[-1])
    assert near(none, theme.pale[0])
    assert near(half, theme.pale[len(theme.pale) // 2])


def test_the_programs_numbers_are_those_of_the_files_and_none_is_minus_0(tmp_path):
    made = painted(tmp_path, [[-0.004, -0.0], [0.004, 0.001]], "weight", 0.00421)
    assert [text for text, *_ in made["words"]] == ["0.00"] * 4
    assert made["legend"][0][1:] == list(scale_ends("weight", 0.00421)) == ["−0.004", "+0.004"]
    assert made["ends"] == [scale_end(top) for top in ENDS] == ["2.00", "0.01", "0.005", "0.0007", "0.25", "1234.50"]
    assert made["numbers"] == [decimals(value) for value in NUMBERS]
    assert made["numbers"] == ["0.00", "0.00", "0.00", "0.00", "−0.01", "−1.50", "−10.00", "2.00", "1234.50"]


def test_a_number_is_written_where_its_type_has_room_for_12_pixels_and_16_on_a_large_screen(tmp_path):
    """Otherwise only the tooltip shows it."""
    for window, cell, size in ((1280, 34, 12), (1920, 48, 16)):
        assert painted(tmp_path, [[1, 2], [3, 4]], "signed", 4, cell=cell - 1, window=window)["words"] == []
        made = painted(tmp_path, [[1, 2], [3, 4]], "signed", 4, cell=cell, window=window)
        assert [text for text, *_ in made["words"]] == ["1.00", "2.00", "3.00", "4.00"]
        assert float(made["font"].partition("px")[0]) >= size


def test_the_word_of_the_row_that_is_read_is_written_in_ink(tmp_path):
    made = painted(tmp_path, [[1, 2], [3, 4]], "signed", 4, rows=("he", "she"))
    (_, _, muted), _ = made["tokens"]
    assert made["tokens"] == [["he", 20, muted], ["she", 60, muted]]
    assert made["read"] == [["she", 60, LIGHT.ink]]
    assert muted != LIGHT.ink


def test_one_word_alone_stands_at_rows_that_are_too_thin_for_two(tmp_path):
    """Rows are 8 pixels high, so words in each row would overlap. Page and file do the same."""
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
    """Before the first step and after the last, all of the arithmetic is shown. A division by the sum is not added to it."""
    first, *_ = shown = player["shown"]
    assert first is shown[8] is None
    assert shown[1] == {"cut": False, "before": [], "text": "1 · 2", "result": "2", "total": "2", "from": 0, "to": 1}
    steps = [(step["cut"], step["before"], step["text"], step["total"]) for step in (shown[4], shown[7], player["division"])]
    assert steps == [
        (False, ["1 · 2", "2 · 2", "3 · 2"], "4 · 2", "20"), (True, ["4 · 2", "5 · 2", "6 · 2"], "7 · 2", "56"),
        (False, [], "7 · 2", "56"),
    ]  # fmt: skip


GOLDEN = Path(__file__).parent / "golden" / "placements.json"
WIDTHS = (358, 940, 1240)
SENTENCE = "the cat sat on the mat"
#: Figures of the registry and settings off their defaults.
CASES: tuple[tuple[str, dict], ...] = (
    ("heads", {}),
    ("heads", {"num_heads": 1}),
    ("heads", {"num_heads": 16}),
    ("heads", {"split": "free", "key_dim": 3, "value_dim": 5}),
    ("heads", {"d_model": 13, "num_heads": 2, "split": "free", "key_dim": 3, "value_dim": 17}),
    ("pieces", {}),
    ("pieces", {"num_heads": 2, "use_bias": False}),
    ("pieces", {"d_model": 26, "num_heads": 13}),
    ("projections", {}),
    ("projections", {"num_heads": 16, "use_bias": False}),
    ("projections", {"d_model": 256, "num_heads": 8}),
    ("cuts", {"num_heads": 1}),
    ("cuts", {}),
    ("steps", {}),
    ("steps", {"mask": "causal", "tokens": SENTENCE}),
    ("steps", {"num_heads": 1, "tokens": SENTENCE}),
    ("concatenation", {"use_bias": False}),
    ("concatenation", {"num_heads": 16}),
    ("concatenation", {"num_heads": 1, "head_off": 1}),
    ("concatenation", {"d_model": 256, "num_heads": 8}),
    ("concatenation", {"split": "free", "key_dim": 3, "value_dim": 5}),
)


def name_of(figure: str, query: dict) -> str:
    return " ".join([figure, *(f"{key}={value}" for key, value in query.items())])


@cache
def scenes() -> dict[str, Scene]:
    """The cases' scenes, by name."""
    asked = ((figure, query, request_of({"numbers": "seed"} | query)) for figure, query in CASES)
    drawn = {name_of(figure, query): EVERY[figure].draw(request).drawing for figure, query, request in asked}
    return {name: scene for name, scene in drawn.items() if isinstance(scene, Scene)}


def rounded(placed: Placed) -> dict:
    """A layout's numbers in pixels, rounded to hundredths."""
    rect = lambda one: [round(one.x, 2), round(one.y, 2), round(one.w, 2), round(one.h, 2)]  # noqa: E731
    return {
        "cell": round(placed.cell, 3),
        "height": round(placed.height, 2),
        "frames": [rect(frame) for _, frame in placed.frames],
        "blocks": [rect(block) for _, block in placed.blocks],
        "texts": [[text.text, round(x, 2), round(y, 2)] for text, x, y in placed.texts],
        "curves": [[round(side, 2) for point in points for side in point] for _, points in placed.curves],
    }


def words(scene: Scene) -> Iterator[tuple[str, bool]]:
    """Every text that may be measured for the layout, and whether it is bold: labels, and possible lines of a caption."""
    panels = [*scene.panels, *(panel for row in scene.narrow for panel in row)]
    labels = [(text.text, text.role == "strong") for panel in panels for text in panel.texts]
    for caption in scene.captions:
        parts = caption.split()
        labels += [(" ".join(parts[i:j]), False) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)]
    for text, bold in labels:
        yield from ((part, bold) for part, _ in pieces(text))


def measured(scene: Scene) -> dict[str, float]:
    """The width of every such text at a size of one pixel. Bold ones begin with *."""
    return {("*" if bold else "") + text: width_of(text, 1, bold=bold) for text, bold in words(scene)}


PURE = (program.STAGE / "1_plan.js", program.STAGE / "2_arrange.js", Path(__file__).parent / "placements.js")
NAMES = [name_of(*case) for case in CASES]
PLACES = json.loads(GOLDEN.read_text(encoding="utf-8"))
#: Lengths travel with two decimals of a pixel and four of a cell.
APART = 0.05


def corners(placed: Placed) -> list[tuple[list[float], list]]:
    """The middle of each block's last cell, with panel, block, row and column."""
    panel_of = {id(block): panel.id for panel, _ in placed.frames for block in panel.blocks}
    found = []
    for block, rect in placed.blocks:
        if block.grid:
            spot = [rect.x + rect.w * (1 - 0.5 / block.cols), rect.y + rect.h * (1 - 0.5 / block.rows)]
            found.append((spot, [panel_of[id(block)], block.id, block.rows - 1, block.cols - 1]))
    return found


def ask(scene: Scene) -> dict:
    points = {width: [spot for spot, _ in corners(place(scene, width))] for width in WIDTHS}
    return {"bytes": base64.b64encode(pack(scene)).decode(), "words": measured(scene), "points": points}


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> dict:
    """The answer of the stage's program about all scenes."""
    asked = {"scenes": {name: ask(scene) for name, scene in scenes().items()}, "widths": WIDTHS}
    asked["addresses"] = ["weights.2.3.1", "x.7.5", ""]
    text = program.joined(*PURE).replace("/*LAYOUT*/{}", json.dumps(LAYOUT))
    return in_node(tmp_path_factory.mktemp("stage"), text, asked)


def differences(made: dict, want: dict) -> list[str]:
    """The differences between two layouts, in words."""
    unlike = [key for key in ("cell", "height") if made[key] != pytest.approx(want[key], abs=APART)]
    found = [f"{key}: {made[key]} is not {want[key]}" for key in unlike]
    for key in ("frames", "blocks", "texts", "curves"):
        if len(made[key]) != len(want[key]):
            found.append(f"{len(made[key])} {key}, not {len(want[key])}")
            continue
        for here, there in zip(made[key], want[key], strict=True):
            words = [part for part in there if isinstance(part, str)]
            if here[: len(words)] != words or here[len(words) :] != pytest.approx(there[len(words) :], abs=APART):
                found.append(f"{key}: {here} is not {there}")
    return found


@pytest.mark.parametrize("case", [f"{name} at {width}" for name in NAMES for width in WIDTHS])
def test_python_and_the_stage_put_everything_in_the_golden_places_and_draw_outlines_cuts_and_strips_alike(case: str, stage: dict):
    name, width = case.rsplit(" at ", 1)
    placed, want = place(scenes()[name], int(width)), PLACES[case]
    assert differences(rounded(placed), want) == []
    assert differences(stage["places"][case], want) == []
    lines = []
    for block, rect in placed.blocks:
        strip = strip_of(block, rect)
        lines += [(one.x, one.y, one.w, one.h) for one in [*lines_of(block, rect), *([strip] if strip else [])]]
    np.testing.assert_allclose(np.array(stage["places"][case]["lines"]), np.array(lines), atol=APART)
    assert stage["found"][case] == [there for _, there in corners(placed)], "each block's last cell at its middle"


def test_the_stage_reads_every_value(stage: dict):
    for name, scene in scenes().items():
        arrays = {np.ascontiguousarray(grid.values, np.float32).tobytes(): grid.values.size for grid in scene.grids.values()}
        assert stage["values"][name] == sum(arrays.values())


def test_the_stage_reads_an_address_as_places_from_0(stage: dict):
    assert stage["addresses"] == [
        {"name": "weights", "head": 1, "row": 2, "col": 0}, {"name": "x", "row": 6, "col": 4}, None,
    ]  # fmt: skip


def write() -> None:
    places = {f"{name} at {width}": rounded(place(scene, width)) for name, scene in scenes().items() for width in WIDTHS}
    brief = {name: json.dumps(where, ensure_ascii=False, separators=(",", ":")) for name, where in places.items()}
    lines = [f"{json.dumps(name)}: {where}" for name, where in brief.items()]
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
