"""Every equation in a picture is true for the picture's own numbers, as its files have them."""

import io
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from components.presenter import pictures as walk
from headcount import Config, run
from headcount.export.figure import Picture
from headcount.export.figures import EVERY
from headcount.export.rendering import csv_of, file_of, npz_of, word
from headcount.export.request import Request, Unavailable
from headcount.export.style import Style
from headcount.names import LABELS
from headcount.stage.diagram import Diagram
from headcount.stage.numbers import of_scene, plain
from headcount.stage.scene import Scene, Text
from tests.stage.reading import check_products, check_sources, frames_of, numbers

SIZES = {
    "paper": (Config(d_model=15, num_heads=3, query_len=7, key_len=11), True),
    "one head": (Config(d_model=7, num_heads=1, query_len=5), True),
    "many heads": (Config(d_model=22, num_heads=11, query_len=3, mask="causal"), True),
    "gate, window, dropout": (
        Config(15, 3, query_len=7, key_len=11, use_gate=True, sliding_window=3, dropout=0.4, training=True, seed=2),
        True,
    ),
    "free": (Config(d_model=13, num_heads=3, key_dim=5, value_dim=2, query_len=11, key_len=17), False),
    "free, one query": (Config(d_model=5, num_heads=2, key_dim=3, value_dim=2, query_len=1, key_len=7, seed=3), False),
}
POOLED = Request(Config(d_model=91, num_heads=13, query_len=5, key_len=11))
OF_LAYER = [name for name, figure in EVERY.items() if figure.of_layer]
#: Those that state one in their words or by where their blocks stand: what it is that lights up its factors.
STATING = {"one_query": "scores", "pieces": "q", "projections": "q", "copied_not_split": "q not_q", "steps": "scores",
           "concatenation": "output gated"}  # fmt: skip
CASES = list(product(OF_LAYER, SIZES, (True, False)))


def picture(name: str, sizes: str, use_bias: bool, **options):
    cfg, paper = SIZES[sizes]
    ask = Request(replace(cfg, use_bias=use_bias), paper, tuple(options.items()))
    try:
        return EVERY[name].draw(ask)
    except Unavailable as why:
        pytest.skip(str(why))


def over_heads(cfg: Config) -> Picture:
    """The walk's picture of the product with W_O, and below it the output as a sum over heads."""
    scene = walk.sum_of_heads(run(cfg), [str(place) for place in range(cfg.query_len)], 0)
    return Picture(scene, "", scene.alt)


def arrays_of(made) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(npz_of(made, {}))) as held:
        return {key: held[key] for key in held if key != "meta"}


def as_saved(made) -> Scene:
    """The picture with the numbers of its npz file instead of its own."""
    scene, held = made.drawing, arrays_of(made)
    turned = {block.grid for block in scene.blocks if block.turned}
    saved = {name: held[word(name)].T if name in turned else held[word(name)] for name in scene.grids}
    return replace(scene, grids={name: replace(grid, values=saved[name]) for name, grid in scene.grids.items()})


def words_of(made) -> list[str]:
    """All texts in a picture and about it."""
    drawing = made.drawing
    if isinstance(drawing, Scene):
        return [plain(t.text) for panel in drawing.panels for t in panel.texts] + [*map(plain, drawing.captions), drawing.alt]
    if isinstance(drawing, Diagram):
        return [*(plain(text.text) for text in drawing.of(Text)), drawing.alt]
    return [plain(note["text"]) for note in drawing["layout"].get("annotations", ())] + [made.alt]


def side(text: str, held: dict[str, np.ndarray]) -> np.ndarray:
    """The value of one side of an equation, a sum of products of arrays, which have the names of the picture."""
    by_label = {label: held[name] for name, label in LABELS.items() if name in held}
    by_label["X"], by_label["X′"] = held.get("x_query"), held.get("x_key")
    terms = [[by_label[factor.strip()].astype(np.float64) for factor in term.split("·")] for term in text.split(" + ")]
    return sum(np.linalg.multi_dot(factors) if len(factors) > 1 else factors[0] for factors in terms)


def equations(made) -> list[str]:
    """All equations such as "X · W_Q + b_Q = Q" in the texts."""
    name = r"[A-Za-z]+(?:_[A-Z])?′?"
    return [t for t in words_of(made) if re.fullmatch(rf"{name}(?: [·+] {name})* = {name}(?: [·+] {name})*", t)]


@pytest.mark.parametrize("off", [1, 2])
def test_with_a_head_switched_off_the_equation_still_holds(off):
    for sizes in ("paper", "many heads", "free"):
        assert check_products(as_saved(picture("concatenation", sizes, True, head_off=off))) == ["output"]


@pytest.mark.parametrize(("name", "sizes", "use_bias"), CASES)
def test_every_equation_that_is_written_or_lights_up_holds_for_the_numbers_that_are_saved(name, sizes, use_bias):
    """Every product, sum and bias that lights up is recomputed from the npz file, then every written equation."""
    made = picture(name, sizes, use_bias)
    if made.is_scene:
        stated = STATING.get(name, "").split()
        assert check_products(as_saved(made)) == [block.name for block in made.scene.blocks if block.name in stated]
    held = {"x_query": arrays_of(picture("projections", sizes, use_bias))["x_query"]} | arrays_of(made)
    held |= {key.removesuffix("__z").lower(): values for key, values in held.items() if key.endswith("__z")}  # a chart's
    found = equations(made)
    assert len(found) == {"projections": 1, "concatenation": 1, "copied_not_split": 1}.get(name, 0)
    for text in found:
        left, right = text.split(" = ")
        np.testing.assert_allclose(side(left, held), side(right, held), atol=1e-5, err_msg=text)


def read(scene: Scene, panel) -> list:
    """A panel's blocks and the signs between them, from left to right."""
    signs = [(text.x.at(8), text.text) for text in panel.texts if text.text in ("·", "+", "=")]
    blocks = [(block.x.at(8) + block.w * 4, numbers(scene, block).astype(np.float64)) for block in panel.blocks]
    return [what for _, what in sorted([*signs, *blocks], key=lambda found: found[0])]


@pytest.mark.parametrize(("sizes", "use_bias"), list(product(SIZES, (True, False))))
def test_the_start_page_reads_from_left_to_right_as_a_true_equation(sizes, use_bias):
    """X · W + b = Q, head by head: the signs are between the blocks, and the equation is true."""
    scene = as_saved(picture("pieces", sizes, use_bias))
    for panel in scene.panels:
        x, dot, w, *rest = read(scene, panel)
        plus, b, equals, q = rest if use_bias else ("+", np.zeros((1, w.shape[1])), *rest)
        assert (dot, plus, equals) == ("·", "+", "=")
        assert b.shape == (1, w.shape[1]), "one number for each column"
        np.testing.assert_allclose(x @ w + b, q, atol=1e-5)


@pytest.mark.parametrize("sizes", SIZES)
def test_the_sum_over_heads_reads_as_a_true_equation(sizes):
    """Contribution of head 1 + … + bias = output, panel by panel."""
    cfg, scene = SIZES[sizes][0], as_saved(over_heads(SIZES[sizes][0]))
    terms = [(panel.texts[0].text, numbers(scene, panel.blocks[0]).astype(np.float64)) for row in scene.rows for panel in row]
    words = ["head 1", *(f"+ head {head}" for head in range(2, cfg.num_heads + 1)), "+ bias", "= output"]
    assert [word for word, _ in terms] == words
    *added, output = (values for _, values in terms)
    np.testing.assert_allclose(sum(added), output, atol=1e-5)
    assert check_products(scene) == ["share"] * cfg.num_heads + ["output"]


@pytest.mark.parametrize("use_bias", [True, False])
@pytest.mark.parametrize("name", OF_LAYER)
def test_a_bias_is_drawn_saved_and_said_wherever_its_kernel_is_and_there_is_one(name, use_bias):
    for ask in (Request(replace(SIZES["paper"][0], use_bias=use_bias)), Request(replace(POOLED.cfg, use_bias=use_bias))):
        try:
            made = EVERY[name].draw(replace(ask, options=(("head_off", 1), ("array", "w_k"))))
        except Unavailable:  # of sizes that no trained layer has
            assert name in ("why_several", "right_answers")
            continue
        if not made.is_scene:  # maps of matrices, without an equation
            continue
        assert bool(check_sources(made.scene)) == (name in STATING), "of outlines, too"
        kernels = {key for key in arrays_of(made) if re.match(r"[wW]_.", key)}
        biases = {key for key in arrays_of(made) if re.match(r"[bB]_.", key)}
        assert biases == ({re.sub("^[wW]", "b", key) for key in kernels} if use_bias else set())
        said = " ".join(words_of(made))
        for key in {key[2].upper() for key in kernels}:
            assert (f"b_{key}" in said) == use_bias, (name, key)
        if name in STATING and kernels:
            assert ("bias" in made.alt or "b_" in made.alt) == use_bias


def test_the_tables_under_a_picture_hold_the_equation():
    tables = {table.title: np.array([row[1:] for row in table.rows], dtype=float)
              for table in of_scene(picture("projections", "free", True, kernel="w_v").drawing) if not table.words}  # fmt: skip
    x, w, b, v = (tables[title] for title in ("X (keys), 17 × 13", "W_V, 13 × 6", "b_V, 1 × 6", "V, 17 × 6"))
    np.testing.assert_allclose(x @ w + b, v, atol=1e-5)


def test_the_csv_holds_the_equation():
    import pandas as pd  # half a second: of all these tests this one alone needs it

    file = csv_of(picture("concatenation", "free", True))
    found = pd.read_csv(io.BytesIO(file)).groupby("matrix")
    z, w, b, output = (found.get_group(name).pivot(index="row", columns="column", values="value").to_numpy()
                       for name in ("Z", "W_O", "b_O", "output"))  # fmt: skip
    assert (z.shape, w.shape) == ((11, 6), (6, 13))
    np.testing.assert_allclose(z @ w + b, output, atol=1e-5)


@pytest.mark.parametrize("use_bias", [True, False])
def test_svg_and_offline_page_draw_the_bias(use_bias):
    ask = Request(replace(SIZES["free"][0], use_bias=use_bias), paper=False)
    for name, block in (("pieces", "b_Q of head 3"), ("projections", "b_Q of head 2"), ("concatenation", "b_O")):
        svg = file_of(EVERY[name], ask, Style(), "svg").decode()
        assert (f"<title>{block}</title>" in svg) == use_bias
        page = file_of(EVERY[name], ask, Style(), "html").decode()
        names = f'"name":"{block[:3].lower()}"'
        assert {names in frame["pictures"][0] for frame in frames_of(page).values()} == {use_bias}
