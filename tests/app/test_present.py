"""The walk shows states of the real pages, can begin at any step, and leaves nothing behind."""

import json
import re
import sys
from base64 import b64decode
from urllib.parse import parse_qsl

import numpy as np
import pytest
import segno

from components.address import known
from components.app.lesson import code_of
from components.presenter import votes
from components.presenter.film import Still, card_by_card, film
from components.presenter.screen import KEYS, SCALES, in_words, played_at
from components.presenter.slide import read_sequence
from components.presenter.walk import answers, asking, link, numbers, picture, says, truth
from components.symbols import set_symbols
from headcount import Config, count_parameters
from headcount.export.figure import Picture
from headcount.export.figures import FIGURES
from headcount.export.request import Request
from headcount.reading import Reading
from headcount.stage.plotly_json import as_json
from headcount.stage.scene import Scene
from headcount.stage.wire import pack
from headcount.trained.sentence import DEFAULT_TEXT
from headcount.trained.sentence import read as read_sentence
from lessons.quiz import deck
from lessons.walk import FOLLOWED, GUESSES, STEPS
from tests.app.driver import (
    ALL_PAGES,
    PAGES,
    component,
    figures,
    in_address,
    open_page,
    outside_code,
    pictures,
    preview,
    whole,
    whole_address,
)
from tests.lessons.test_walk import known_at, plain, words_of
from tests.stage.reading import unpacked

NUMBERS = range(1, len(STEPS) + 1)
ONE, FOUR = (Reading(read_sentence(DEFAULT_TEXT)).layer(Config(16, heads, query_len=13)).trace() for heads in (1, 4))
#: Steps whose picture is one of a page, and those with a picture of the walk's own.
OF_PAGES = [number for number, step in enumerate(STEPS, 1) if step.figure in FIGURES]
PLACE = {step.figure: number for number, step in enumerate(STEPS, 1)}


def values(plan: dict, floats: np.ndarray, name: str) -> np.ndarray:
    grid = plan["grids"][name]
    return floats[grid["at"] : grid["at"] + grid["rows"] * grid["cols"]].reshape(grid["rows"], grid["cols"])


def drawn(panel: dict) -> tuple[list[dict], list[str]]:
    """A panel's blocks, and its words anywhere. In the walk a panel has no frame, and no empty space if it is alone."""
    return panel["blocks"], [text["text"] for text in panel["texts"]]


def shows(page: tuple[dict, np.ndarray], step: tuple[dict, np.ndarray]) -> bool:
    """Whether all blocks and words of the step's panels are on the page, with the same numbers at the same scale. The walk's
    words above a row of the start page are shorter."""
    (there, far), (here, near) = page, step
    panels = [drawn(panel) for row in there["rows"] for panel in row]
    cards = [panel for row in here["rows"] for panel in row if not panel["id"].startswith("heading ")]
    return all(drawn(panel) in panels for panel in cards) and all(
        name in there["grids"]
        and np.array_equal(values(there, far, name), values(here, near, name), equal_nan=True)
        and there["tops"].get(grid["scale"]) == here["tops"].get(grid["scale"])
        for name, grid in here["grids"].items()
    )


def shown(at) -> str:
    return at.main.title[0].value


def opened(number: int):
    path, _, query = link(STEPS[number - 1]).removeprefix("./").partition("?")
    return whole(open_page(path or "heads", **dict(parse_qsl(query))))


@pytest.mark.parametrize("number", OF_PAGES)
def test_every_step_is_a_state_of_the_page_that_it_links_to(number):
    at, step = opened(number), picture(STEPS[number - 1])
    if STEPS[number - 1].figure == "attention":
        assert_same_weights(step, figures(at)["attention_maps"])
    elif isinstance(step, Picture):
        assert chart_of(step.chart) == chart_of(figures(at)[FIGURES[STEPS[number - 1].figure].key])
    else:
        assert any(shows(page, unpacked(pack(step))) for page in pictures(at))


def chart_of(figure: dict) -> list[tuple[str, str]]:
    """A chart's traces as they are sent: name and numbers."""
    return [(trace["name"], json.dumps(trace.get("z", trace.get("y")))) for trace in json.loads(as_json(figure))["data"]]


def assert_same_weights(scene: Scene, chart: dict) -> None:
    """Asserts that maps are the page's heatmaps, and that each curve is as thick as its weight in the asking word's row."""
    there = [np.frombuffer(b64decode(trace["z"]["bdata"]), "f4") for trace in chart["data"] if trace["coloraxis"] == "coloraxis"]
    assert not scene.grids or [grid.values.astype("f4").tobytes() for grid in scene.grids.values()] == [
        z.tobytes() for z in there
    ]
    panel = scene.rows[0][0]
    asks = DEFAULT_TEXT.split().index(next(text.text for text in panel.texts if text.mark == "frame"))
    known = [float(weight) for z in there for weight in z.reshape(13, 13)[asks]]
    assert panel.curves
    assert all(any(abs(curve.thick / 9 - weight) < 1e-6 for weight in known) for curve in panel.curves)


@pytest.mark.parametrize("number", [number for number in NUMBERS if number not in OF_PAGES])
def test_a_picture_of_the_walks_own_links_to_a_page_that_takes_the_whole_address(number):
    assert [warning.value for warning in opened(number).warning] == []


def test_the_rows_of_numbers_are_those_of_the_page():
    scene, (page, floats) = picture(STEPS[PLACE["rows"] - 1]), pictures(opened(PLACE["rows"]))[0]
    assert np.array_equal(scene.grids["x"].values, values(page, floats, "x_query"))
    assert scene.blocks[0].row_labels == tuple(DEFAULT_TEXT.split())


def followed_row() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores and attention weights of the walk's row, and the values: by NumPy from X, three weight matrices and biases."""
    x = ONE.x_query.values[0].astype(float)
    q, k, v = (x @ ONE[f"w_{name}"].values[:, 0] + ONE[f"b_{name}"].values for name in "qkv")
    scores = q[FOLLOWED] @ k.T
    return scores, np.exp(scores / 4) / np.exp(scores / 4).sum(), v


def test_the_row_that_is_followed_is_softmax_of_its_divided_scores_and_mixes_the_values():
    """ "She" is Ana."""
    scores, shares, v = followed_row()
    grids = picture(STEPS[PLACE["row"] - 1]).grids
    for name, by_hand in (("scores", scores), ("scaled", scores / 4), ("weights", shares), ("context", shares @ v)):
        drawn = grids[name].values.ravel()
        assert np.allclose(drawn, by_hand, atol=1e-4), name
    assert np.allclose(grids["q"].values[0] @ grids["k"].values.T, scores, atol=1e-4)
    assert (DEFAULT_TEXT.split()[FOLLOWED], DEFAULT_TEXT.split()[shares.argmax()]) == ("she", "Ana")
    assert f"“Ana” gets {shares.max():.2f}" in says(STEPS[PLACE["row"] - 1])


FILMS = [number for number in NUMBERS if film(STEPS[number - 1])]


#: The blocks that a film fills in, by its picture.
FILLED = {"tables": ["q", "k", "v"], "row": ["scores", "scaled", "weights", "context"], "heads": [],
          "sum": ["share-0", "share-1", "share-2", "share-3", "output-sum"]}  # fmt: skip


def played(number: int) -> tuple[tuple[Still, ...], Scene]:
    scene = picture(STEPS[number - 1])
    assert scene is not None
    return film(STEPS[number - 1]), scene


def as_number(text: str) -> float:
    mantissa, _, power = text.strip("()").replace("−", "-").partition(" · 10")
    return float(mantissa) * 10.0 ** int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")) or 0)


def written(scene: Scene | Picture) -> list[str]:
    """Every text of a picture, with each subscript joined to its symbol: W_Q."""
    if isinstance(scene, Picture):
        layout = scene.chart["layout"]
        axes = [axis for name, axis in layout.items() if name.startswith(("xaxis", "yaxis"))]
        ticks = [word for axis in axes for word in (*axis.get("ticktext", ()), axis.get("title", {}).get("text", ""))]
        return [re.sub("<[^>]*>", " ", text) for text in (*(note["text"] for note in layout.get("annotations", ())), *ticks)]
    labels = [label for block in scene.blocks for label in (*block.row_labels, *block.col_labels)]
    texts = [text.text for panel in scene.panels for text in panel.texts] + [*scene.captions, *labels]
    return [re.sub(r"[_^]\{([A-Z])\}", r"_\1", re.sub(r"[_^]\{[^A-Z]*\}", " ", text)) for text in texts]


@pytest.mark.parametrize("number", NUMBERS)
def test_no_word_of_a_picture_or_a_film_comes_before_it_is_explained(number):
    step, known = STEPS[number - 1], known_at(number) | {"e"}
    terms, scene, found = {term for other in STEPS for term in other.terms}, picture(step), film(step)
    texts = [] if scene is None else [text.replace("heads (h)", "heads") for text in written(scene)]  # h explains itself
    texts += [SCALES[grid.scale] for grid in scene.grids.values()] if isinstance(scene, Scene) else []
    for still in found:
        texts += [re.sub(r"_\{([A-Z])\}", r"_\1", f"{still.act} {still.text}"), "sum so far"]
    assert {word for text in texts for word in words_of(text) if plain(word, terms) not in known} == set()


@pytest.mark.parametrize("number", FILMS)
def test_a_film_fills_in_every_number_that_is_missing_at_its_beginning_and_marks_only_what_is_there(number):
    stills, scene = played(number)
    blocks = {block.id: block for block in scene.blocks}
    empty = played_at(number)["empty"]
    assert empty == FILLED[STEPS[number - 1].figure]
    there = {name: np.zeros((blocks[name].rows, blocks[name].cols), bool) for name in empty}
    for still in stills:
        assert still.seconds > 0
        assert still.text
        for name, row, col, rows, cols in (*still.marks, *still.lands):
            assert 0 <= row < row + rows <= blocks[name].rows
            assert 0 <= col < col + cols <= blocks[name].cols
        for name, row, col, rows, cols in still.lands:
            there[name][row : row + rows, col : col + cols] = True
    assert all(seen.all() for seen in there.values())


def test_a_number_of_q_is_played_as_the_products_of_a_row_and_a_column():
    products = ONE.x_query.values[0, FOLLOWED].astype(float) * ONE["w_q"].values[:, 0, 0]
    stills = played(PLACE["tables"])[0][:18]
    for still, (k, one) in zip(stills, enumerate(products), strict=False):
        left, right = map(as_number, still.text.split(" · "))
        assert left * right == pytest.approx(one, abs=2e-3)
        assert as_number(still.result) == pytest.approx(one, abs=6e-4)
        assert as_number(still.total) == pytest.approx(products[: k + 1].sum(), abs=6e-4)
        assert still.marks == (("x", FOLLOWED, k, 1, 1), ("w_q", k, 0, 1, 1))
    assert as_number(stills[16].result) == pytest.approx(float(ONE["b_q"].values[0, 0]), abs=6e-4)
    assert stills[16].marks == (("b_q", 0, 0, 1, 1),)
    assert as_number(stills[17].result) == pytest.approx(float(ONE.q.values[0, FOLLOWED, 0, 0]), abs=2e-3)
    assert stills[17].lands == (("q", FOLLOWED, 0, 1, 1),)


def test_a_row_is_played_from_its_scores_to_shares_that_sum_to_1_and_their_mix():
    """By NumPy: 13 scores, each ÷ √16, the exponential of each, each ÷ their sum, and the weights times the values."""
    scores, shares, v = followed_row()
    powers = np.exp(scores / 4)
    stills = played(PLACE["row"])[0]
    results = [as_number(still.result) for still in stills]
    mixed = shares @ v
    wanted = [*scores, *(scores / 4), *powers, *shares, *(shares * v[:, 0]), *mixed]
    assert results == pytest.approx(wanted, rel=6e-4, abs=2e-3)
    assert [as_number(still.total) for still in stills[26:39]] == pytest.approx(np.cumsum(powers), rel=6e-4)
    assert as_number(stills[51].total) == pytest.approx(1, abs=6e-4)


def test_a_number_of_the_output_is_played_head_by_head_and_the_shares_add_up_to_what_is_drawn():
    joined, kernel = FOUR.concat.values[0, FOLLOWED].astype(float), FOUR.params.w_o.values.reshape(16, 16)[:, 0].astype(float)
    stills, scene = played(PLACE["sum"])
    grids = scene.grids
    together = sum(grids[f"share/{head}"].values for head in range(4)) + grids["b_o"].values
    assert np.allclose(together, grids["output"].values, atol=1e-4)
    for head in range(4):
        own = slice(4 * head, 4 * head + 4)
        assert stills[head].text.startswith(f"head {head + 1}: ")
        assert as_number(stills[head].result) == pytest.approx(joined[own] @ kernel[own], abs=2e-3)
        assert as_number(stills[head].total) == pytest.approx(joined[: own.stop] @ kernel[: own.stop], abs=2e-3)
    assert as_number(stills[4].result) == pytest.approx(float(FOUR["b_o"].values[0]), abs=6e-4)
    assert as_number(stills[5].result) == pytest.approx(float(FOUR.output.values[0, FOLLOWED, 0]), abs=2e-3)


def test_one_x_has_an_arrow_to_every_head_which_reads_all_of_it():
    """By NumPy: all 16 numbers of a row, times the head's four columns, and its part of the bias."""
    scene = picture(STEPS[PLACE["copied"] - 1])
    for (panel,) in (*scene.rows, *scene.narrow):
        blocks = {block.id: block for block in panel.blocks}
        assert [block.id for block in panel.blocks if block.grid == "x"] == ["x"]
        assert [text.text for text in panel.texts].count("▾") == 4
        for head in range(4):
            x, w, b, q = (
                scene.grids[block.grid].values[:, block.col : block.col + block.cols]
                for block in (blocks["x"], *(blocks[f"{name}-{head}"] for name in ("w_q", "b_q", "q")))
            )
            assert np.allclose(x @ w + b, q, atol=1e-4)
            assert np.array_equal(q, FOUR.q.values[0, :, head])


def test_what_a_step_says_of_the_rows_of_its_maps_is_so_on_a_narrow_page_too():
    told = []
    for step in STEPS:
        scene = picture(step)
        for rows in (scene.rows, scene.narrow or scene.rows) if isinstance(scene, Scene) else ():
            blocks = [block for row in rows for panel in row for block in panel.blocks]
            assert not re.search("pale|grey", says(step)) or any(block.pale for block in blocks)
            if "Only “" in says(step):
                words = {word for block in blocks for word in block.row_labels}
                (strong,) = {tuple(sorted({*range(block.rows)} - {*block.pale})) for block in blocks if block.grid}
                named = re.findall("“([^”]*)”", says(step).partition("Only ")[2].partition(" answer")[0])
                assert named == [DEFAULT_TEXT.split()[row] for row in strong]
                assert {*named} <= words
                told.append(named)
    assert told == [["calls", "she", "thanks"]] * 2


def test_a_step_whose_x_is_another_says_so():
    """Each network has learned its own numbers for the words."""
    tables = {
        number: picture(STEPS[number - 1]).grids["x"].values for number in (PLACE["rows"], PLACE["tables"], PLACE["copied"])
    }
    for before, number in zip(tables, [*tables][1:], strict=False):
        other = not np.array_equal(tables[before], tables[number])
        assert ("This X has other numbers" in says(STEPS[number - 1])) == other, number


def test_the_layer_that_is_guessed_about_shows_the_numbers_of_the_step_that_settles_it():
    cards = [next(one for one in picture(step).panels if one.id == "paper 1") for step in STEPS[5:7]]
    fronts = [next(block for block in card.blocks if block.name == "w_q") for card in cards]
    assert [front.grid for front in fronts] == ["w_q", "w_q"]
    assert np.array_equal(*(picture(step).grids["w_q"].values for step in STEPS[5:7]))


@pytest.mark.parametrize(("number", "counts"), [(7, ["1,088"] * 4), (12, ["284", "552", "1,088", "2,160"])])
def test_a_layer_after_the_other_glides_out_of_the_one_before_it(number, counts):
    """By hand: 4 matrices of 16 × 16 and 4 biases of 16. In Keras each head has 64 · 4 weights and 12 biases, and b_O has 16."""
    found, scene = played(number)
    assert [still.result for still in found] == counts
    drawn, stills = card_by_card(STEPS[number - 1], scene)
    assert written(drawn) == written(scene)
    for most, there in {**stills.scenes, 4: drawn}.items():
        fronts = [one for panel in there.panels if panel.zone for one in panel.blocks if one.id == " w_q"]
        assert [one.copy for one in fronts] == [*range(most)]
        assert [one.bands for one in fronts] == [1, 2, 4, 8][:most]
        assert {link.first for link in there.links} == ({"paper 4"} if number == 12 and most > 2 else set())


@pytest.mark.parametrize("number", NUMBERS)
def test_a_link_opens_its_step_with_its_words_and_one_picture(number):
    at, step = open_page("attention", present=1, step=number), STEPS[number - 1]
    assert not at.exception
    assert shown(at) == step.headline
    assert at.main.markdown[0].value == says(step)
    if isinstance(scene := picture(step), Picture):
        assert figures(at)["presented_chart"]["alt"] == scene.alt
    elif scene is not None:
        plan, _ = pictures(at)[0]
        assert plan["large"]
        assert plan["alt"] == scene.alt
        assert not any(panel["go"] or (panel["on"] and step.only) for row in plan["rows"] for panel in row)


def test_one_head_errs_where_the_page_says_so_and_four_are_right():
    """Compared with the page's answers for "calls", and with the rates behind its headline."""
    page, _ = pictures(open_page("trained_heads"))[0]
    scene = picture(STEPS[PLACE["both"] - 1])
    assert scene.alt == page["alt"]
    assert scene.alt.count("Wrong answers: whom (Ana instead of Dan).") == scene.alt.count("whom (Dan)") == 1
    assert says(STEPS[4]).endswith("At “calls”, one trained head says “Ana” for who and “Ana” for whom.")
    for number in ("2,000 sentences", "34%", "100%", "1,088"):  # by hand: 1,346 of 4,000, and all of them
        assert number in says(STEPS[12])
    assert {"34%", "✗ Ana", "✓ Dan"} < {text.text for panel in scene.panels for text in panel.texts}


@pytest.mark.parametrize(("number", "word", "maps"), [(5, "calls", 1), (9, "thanks", 4), (13, "calls", 0)])
def test_the_word_that_its_sentence_asks_has_a_frame_and_nothing_can_be_pressed(number, word, maps):
    step, scene = STEPS[number - 1], picture(STEPS[number - 1])
    assert f"“{word}”" in says(step) or number == 13
    for rows in (scene.rows, scene.narrow):
        panels = [panel for row in rows for panel in row]
        framed = {text.text for panel in panels for text in panel.texts if text.mark == "frame"}
        assert framed == {word}
        assert not any(panel.go or any(text.press for text in panel.texts) for panel in panels)
    assert len(scene.grids) == maps
    labelled = [block.row_labels for block in scene.blocks if block.row_labels]
    assert labelled == [tuple(DEFAULT_TEXT.split())] * bool(maps)


def test_the_walk_ends_on_what_more_heads_do_to_the_count_beside_what_they_see():
    """As the steps before it say: 284, 552, 1,088 and 2,160 in Keras, and "whom" right in 34 and 100 of 100 sentences."""
    scene, grows, looks = picture(STEPS[-1]), picture(STEPS[11]), picture(STEPS[PLACE["both"] - 1])
    assert scene.rows == grows.rows
    assert scene.narrow == ((scene.beside,), *grows.narrow)
    words = [text.text for text in scene.beside.texts]
    assert [word for word in words if word in ("One head", "4 heads") or "right" in word] == [
        "One head", "whom: 34% right", "4 heads", "whom: 100% right"
    ]  # fmt: skip
    assert len(scene.beside.curves) == sum(len(row[0].curves) for row in looks.narrow[::2])
    assert scene.alt == f"{looks.alt} {grows.alt}"


def test_the_published_model_has_as_many_parameters_with_any_heads():
    assert "109,482,240" in says(STEPS[13])
    assert [text.text for panel in picture(STEPS[13]).panels for text in panel.texts].count("109,482,240") == 4


def test_a_guess_offers_half_the_same_twice_and_four_times():
    """4 · 16 · 16 + 4 · 16 = 1,088. The true count for eight heads in Keras, 4 · 16 · 32 + 3 · 32 + 16 = 2,160, is offered."""
    for code, twice, true in (("guess", 2176, 1088), ("guess_keras", 2160, 2160)):
        assert answers(asking(code)) == {"half": 544, "same": 1088, "double": twice, "fourfold": 4352}
        assert [*GUESSES] == [*answers(asking(code))]
        assert truth(asking(code)) == true
        assert in_words(asking(code), "same") == "the same"
    assert [in_words(asking(code), "double") for code in ("guess", "guess_keras")] == ["twice", "almost twice"]


@pytest.mark.parametrize(("code", "guess", "said"), [
    ("guess", "double", "You said 2,176; it is 1,088."),
    ("guess", "same", "You said 1,088: right."),
    ("guess_keras", "double", "You said 2,160: right."),
    ("guess_keras", "same", "You said 1,088; it is 2,160."),
])  # fmt: skip
def test_the_next_step_answers_the_guess(code, guess, said):
    number = STEPS.index(asking(code)) + 2
    at = open_page(present=1, step=number, **{code: guess})
    assert at.main.markdown[0].value.startswith(said)
    assert "You said" not in open_page(present=1, step=number).main.markdown[0].value


@pytest.mark.parametrize(("wrong", "said", "number"), [
    *(({"step": raw}, f"**step** must be a whole number from 1 to {len(STEPS)}", 1)
      for raw in ("0", str(len(STEPS) + 1), "-1", "two", "1e1", "٣", "9" * 400)),
    ({"step": 7, "guess": "many"}, "**guess** must be none, half,", 7),
    ({"present": "yes"}, "must be 0, 1 or page, got `yes`", 0),
    ({"step": 6, "guess": "half", "guess_keras": "fourfold"}, "", 6),
])  # fmt: skip
def test_what_the_address_cannot_say_of_the_walk_is_said_and_changes_nothing_else(wrong, said, number):
    """For a bad value of `present` the page itself is shown."""
    at = open_page(**{"present": 1, **wrong})
    assert not at.exception
    assert any(said in warning.value for warning in at.warning) == bool(said)
    assert [shown(at) == step.headline for step in STEPS].count(True) == bool(number)
    assert not number or at.main.markdown[0].value == says(STEPS[number - 1])


def test_an_address_that_no_phone_can_open_has_no_code(monkeypatch):
    made = []
    monkeypatch.setattr(votes, "code_of", made.append)
    open_page(present=1, step=len(STEPS))
    assert len(made) == 1
    monkeypatch.setattr(votes, "AT_HOME", (None,))  # the host of a page without a browser
    at = open_page(present=1, step=len(STEPS))
    assert not any("make class" in one.value for one in at.main.markdown)
    assert not at.main.code
    assert len(made) == 1


def dark_squares(svg: str) -> set[tuple[int, int]]:
    """Row and column of every dark square, read from the lines of the drawing."""
    found, x, y = set(), 0.0, 0.0
    for step, across, down in re.findall(r"([Mmh])(-?[\d.]+) ?(-?[\d.]+)?", svg.partition('class="qrline"')[2]):
        if step == "h":
            found |= {(int(y), int(x) + k) for k in range(int(across))}
            x += int(across)
        else:
            x, y = (float(across), float(down)) if step == "M" else (x + float(across), y + float(down))
    return found


def test_an_address_that_is_too_long_has_no_code_nor_has_any_without_the_library(monkeypatch):
    assert code_of("http://host/" + "long" * 997) is None
    monkeypatch.setitem(sys.modules, "segno", None)
    assert code_of("http://host/?present=1&step=3") is None


def test_the_code_is_that_of_the_steps_own_address():
    """Compared square by square, with the empty border of 4 that the standard demands."""
    address = "http://host/?present=1&step=15"
    wanted = segno.make(address, error="m", micro=False).matrix
    assert dark_squares(code_of(address) or "") == {
        (row + 4, col + 4) for row, line in enumerate(wanted) for col, dark in enumerate(line) if dark
    }


def test_the_counts_in_a_message_are_those_of_the_layers_side_by_side():
    """By hand, for width 12 and 2 heads of 5 with biases: 12 · 2 · 5 · 4 + 2 · 5 · 3 + 12 = 522."""
    named = numbers(Request(Config(d_model=12, num_heads=2, key_dim=5, value_dim=5), paper=False))
    assert "522" in str(named["counts"]).split(", ")
    assert named["joined"] == 10
    assert numbers(Request(Config(d_model=12, num_heads=2)))["counts"] == f"{count_parameters(Config(d_model=12)):,}"


@pytest.mark.parametrize(("page", "query"), [("heads", {}), ("attention", {"d_model": 15, "num_heads": 4})])
def test_the_last_step_opens_the_quiz_from_whatever_page_it_stands_on(page, query):
    """One of the pages has no layer to show: 4 does not divide 15."""
    at = open_page(page, present=1, step=len(STEPS), **query)
    assert not at.exception
    assert shown(at) == STEPS[-1].headline
    assert at.main.code[0].value.endswith("/quiz")
    assert at.main.code[0].value.count("/quiz") == 1
    assert page not in at.main.code[0].value
    assert [button.proto.url for button in at.main.get("link_button")] == ["./quiz"]


@pytest.mark.parametrize("page", PAGES)
def test_the_way_in_is_in_the_sidebar_of_every_page_and_for_one_reader_on_the_start_page_alone(page):
    at = open_page(page)
    inside, drawn = ([element.proto.component_name for element in part.get("bidi_component")] for part in (at.sidebar, at.main))
    assert "headcount_enter" in inside
    assert ("headcount_start" in drawn) == (page == "heads")


def test_leaving_gives_the_page_back_with_its_own_settings_and_leaves_nothing():
    chosen = {"num_heads": "8", "head": "3", "divisor": "none", "tokens": "a b c d e f"}
    at = whole(open_page("attention", **chosen))
    before, kept = shown(at), set(at.session_state._state.filtered_state)
    at.query_params["present"] = "1"
    at.query_params["step"] = "5"
    at.run()
    assert shown(at) == STEPS[4].headline
    for key in ("present", "step"):
        del at.query_params[key]
    whole(at.run())
    assert shown(at) == before
    assert set(at.session_state._state.filtered_state) == kept
    assert whole_address(at) == chosen


def bar(at) -> dict:
    return json.loads(dict(component(at, "bar"))["bar"])


@pytest.mark.parametrize(("page", "query", "sizes"), [
    ("attention", {"num_heads": 8}, [("num_heads", 8), ("d_model", 16)]),
    ("projections", {"split": "Keras", "key_dim": 5, "value_dim": 7},
     [("num_heads", 4), ("d_model", 16), ("key_dim", 5), ("value_dim", 7)]),
    ("models", {}, []),
])  # fmt: skip
def test_a_pages_picture_is_presented_with_the_sliders_that_it_follows_and_leads_to_the_walk(page, query, sizes):
    at = open_page(page, present="page", **query)
    assert not at.exception
    assert preview(at)
    told = bar(at)
    assert [(code, now) for code, _, _, now in told["sizes"]] == sizes
    assert all(now in stops for _, _, stops, now in told["sizes"])
    assert (told["first"], told["most"], told["next"], told["lines"]) == (0, len(STEPS), "The walk ›", [])
    assert {key: whole_address(at)[key] for key in query} == {key: str(value) for key, value in query.items()}


def test_where_there_is_no_layer_the_presented_picture_says_why_and_the_sliders_stay():
    at = open_page("attention", present="page", d_model=16, num_heads=3)
    assert not at.exception
    assert at.info[0].value == "16 / 3 is not a whole number: choose other heads."
    assert bar(at)["sizes"][0][0] == "num_heads"


@pytest.mark.parametrize(("page", "how"), [("attention", b"page"), ("heads", b"page"), ("quiz", b"1"), ("questions", b"1")])
def test_the_button_presents_the_pages_picture_or_where_there_is_none_the_walk(page, how):
    assert [sent for _, sent in component(open_page(page), "enter")] == [how]


@pytest.mark.parametrize("page", ALL_PAGES)
def test_whatever_page_is_open_behind_it_its_picture_or_a_sequence_is_presented(page):
    for query in ({"present": "page"}, {"present": 1, "sequence": ""}):
        at = open_page(page, **query)
        assert [error.message for error in at.exception] == []
    assert shown(at) == "A sequence of your own"


SEQUENCE = """/attention?num_heads=8&head=3

https://headcount.example/app/projections?kernel=w_v&present=1&room=BCDFGH
/?num_heads=2
heads
/trained_heads
/questions
/attention?num_heads=0
/attention?heads=<b>4</b>
/nope?x=1
/concatenation?tokens=Dan calls Ana in Oslo"""


def test_a_sequence_is_its_lines_and_each_that_is_none_is_named():
    slides, wrong = read_sequence(SEQUENCE)
    assert slides == ["./attention?num_heads=8&head=3", "./projections?kernel=w_v", "./?num_heads=2", "./", "./trained_heads",
                      "./concatenation?tokens=Dan+calls+Ana+in+Oslo"]  # fmt: skip
    assert wrong == [
        "Line 7: the page `questions` has no picture of its own.",
        "Line 8: **num_heads** must be a whole number from 1 to 256, got `0`.",
        "Line 9: there is no setting `heads`.",
        "Line 10: there is no page `nope`.",
    ]
    assert read_sequence("") == ([], [])


@pytest.mark.parametrize("line", [
    "<img src=x>", "[x](javascript:alert(1))", "http://[", "?" * 300, "&" * 300, "/attention?" + "a=1&" * 900, "`/x`", "\0", "//",
    "/attention?tokens=" + "x" * 2001,
])  # fmt: skip
def test_a_hostile_line_is_a_sentence_and_no_markup(line):
    slides, wrong = read_sequence(line)
    assert len(slides) + len(wrong) == 1
    assert all(len(said) < 200 and "<" not in outside_code(said) and "](" not in outside_code(said) for said in wrong)
    assert all(slide.startswith("./") for slide in slides)


def test_a_sequence_is_bounded_and_says_so():
    slides, wrong = read_sequence("/attention\n" * 43)
    assert slides == ["./attention"] * 40
    assert wrong == ["A sequence has at most 40 lines, got 43. The others are left out."]
    at = open_page(present=1, sequence="/attention\n" * 4000)
    assert not at.exception
    assert len(at.text_area[0].value) <= 6000


def test_a_sequence_begins_with_its_lines_and_each_slide_is_its_page_at_its_settings():
    at = open_page(present=1, sequence=SEQUENCE)
    assert shown(at) == "A sequence of your own"
    assert at.text_area[0].value == SEQUENCE
    assert [warning.value.partition(":")[0] for warning in at.warning] == ["Line 7", "Line 8", "Line 9", "Line 10"]
    assert (bar(at)["first"], bar(at)["most"], bar(at)["lines"][1]) == (0, 6, "./projections?kernel=w_v")
    at.text_area[0].set_value("/attention\n/projections").run()
    assert bar(at)["lines"] == ["./attention", "./projections"]
    assert in_address(at, "sequence") == "/attention\n/projections"
    slide = open_page("attention", present="page", sequence=SEQUENCE, step=1, num_heads=8)
    assert not slide.exception
    assert (bar(slide)["first"], bar(slide)["most"]) == (1, 6)
    assert preview(slide) == preview(open_page("attention", present="page", num_heads=8))


def test_an_entry_may_be_a_question_of_the_quiz_which_the_page_itself_shows_and_a_press_on_next_answers():
    lines = "/quiz?quiz=17&number=3\n/attention\n/quiz?number=x"
    assert read_sequence(lines) == (["./quiz?quiz=17&number=3", "./attention"],
                                    ["Line 3: **number** must be a whole number from 1 to 18, got `x`."])  # fmt: skip
    at = open_page("quiz", present="page", sequence=lines, step=1, quiz=17, number=3)
    assert not at.exception
    assert (bar(at)["first"], bar(at)["most"], bar(at)["lines"]) == (1, 2, ["./quiz?quiz=17&number=3", "./attention"])
    question = deck(17)[2]
    assert at.title[0].value == set_symbols(question.headline)
    assert {button.label for button in at.button} >= {set_symbols(option.text) for option in question.options}
    assert not {"Next", "Previous"} & {button.label for button in at.button}, "the bar leads on"
    at.button(key="reveal").click().run()
    assert at.title[0].value == f":green[{set_symbols(question.options[question.answer].text)}] is right."
    assert "reveal" not in {button.key for button in at.button}
    assert "Next" in {button.label for button in open_page("quiz", sequence=lines, quiz=17).button}


def test_what_the_walk_clears_away_is_its_own_and_no_page_has_a_setting_of_that_name():
    assert not set(KEYS) & set(known())
