"""The quiz's pictures: options, and the figures that answer."""

import re

import pytest

from components.pages.quiz.pictures import HIGH, WIDE, as_svg, options, pile
from headcount import count_parameters, ledger, run
from headcount.export.figures import EVERY
from headcount.export.request import Request
from headcount.stage.layout import place
from headcount.stage.pictures import start_page
from headcount.stage.scene import MAX_CELLS, Scene
from headcount.stage.theme import LIGHT
from lessons.quiz import KINDS, deck


def rects(scene: Scene) -> list:
    """The front sheets, or the dashed area, in pixels."""
    placed = place(scene, 2 * WIDE)
    return [rect for block, rect in placed.blocks if block.name in ("w_q", "")]


@pytest.mark.parametrize("kind", ["paper_count", "keras_count_doubled", "longer"])
def test_of_counts_twice_the_parameters_cover_twice_the_area_within_what_the_biases_are_and_all_fit_in_a_card(kind):
    """The drawn matrices have no biases. Without them the areas are proportional to the counts, within a thousandth."""
    for question in [q for seed in range(8) for q in deck(seed) if q.kind == kind]:
        weights = lambda cfg: sum(row.count for row in ledger(cfg) if not row.is_bias)  # noqa: E731
        (first,) = rects(pile(question, question.before, run(question.before)))
        for option, scene in zip(question.options, options(question), strict=True):
            area = sum(rect.w * rect.h for rect in rects(scene)) / (first.w * first.h)
            claimed = int(option.text.replace(",", "")) / count_parameters(question.before)
            wanted = sum(map(weights, option.layers)) / weights(question.before) if option.layers else claimed
            assert area == pytest.approx(wanted, rel=1e-3), (question.asks, option.text)
            assert bool(option.layers) == (not scene.alt.endswith("no layer."))
            assert sum(map(count_parameters, option.layers)) in (0, int(option.text.replace(",", "")))
            svg, width = as_svg(scene, LIGHT)
            assert width <= WIDE + 2
            assert float(re.search(r'height="([\d.]+)"', svg)[1]) <= HIGH + 2
            assert ("stroke-dasharray" in svg) == (not option.layers)


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_has_its_real_figure(kind):
    for question in [question for seed in range(3) for question in deck(seed) if question.kind == kind]:
        figure = EVERY[question.figure]
        picture = figure.draw(Request(question.cfg, question.paper, question.choices))
        assert picture.alt
        cfg, outlines = question.cfg, False
        if question.figure == "why_several":  # curves
            outlines = True
        elif question.figure == "heads":
            outlines = not start_page.fits_cells(cfg, question.paper)
        elif question.figure == "projections":  # W_Q
            outlines = max(cfg.d_model, cfg.num_heads * max(cfg.key_dim, cfg.value_dim), cfg.query_len, cfg.key_len) > MAX_CELLS
        assert not isinstance(picture.drawing, Scene) or bool(picture.drawing.grids) != outlines
