"""Pictures, quiz and models never say "1 heads". Of pages: tests/visitor."""

from random import Random

import pytest

from components.export.figure import Figure
from components.export.figures import FIGURES
from components.export.request import Request, Unavailable
from components.pages.models import about
from components.stage.numbers import of_scene, plain
from components.stage.pictures import attention, changes, concatenation, curves, heads, projections, split, start_page
from components.stage.pictures.published import bars, sharing
from lessons.quiz import KINDS, draw
from mha import Config, run
from mha.models.conventions import sentence
from mha.models.table import entries
from mha.names import counted, noun
from mha.switches import Switches
from mha.variations import split_embedding, without_head
from tests.visitor.held import plurals


def test_counted_by_hand():
    assert counted(1, "head") == "1 head"
    assert counted(0, "head") == "0 heads"
    assert counted(1, "query", "queries") == "1 query"
    assert counted(1234, "query", "queries") == "1,234 queries"
    assert noun(1, "axis", "axes") == "axis"


#: d_model, num_heads, key_dim, value_dim, query_len, key_len
CONFIGS = tuple(
    Config(*sizes)
    for sizes in ((1, 1, 1, 1, 1, 1), (2, 2, 1, 1, 1, 1), (9, 9, 1, 1, 3, 1), (1, 3, 1, 1, 1, 2), (5, 1, 1, 3, 1, 1))
)


def scenes(cfg: Config):
    trace = run(cfg)
    yield start_page.draw(cfg, False)
    yield heads.pieces(cfg, trace)
    for kernel in projections.KERNELS:
        yield projections.corner(cfg, trace, kernel)
    for cut in projections.CUTS:
        yield projections.three_cuts(cfg, trace, "w_q", cut)
    yield attention.steps(cfg, trace, 0, "sqrt_d_k")
    yield concatenation.corner(cfg, trace)
    yield concatenation.corner(cfg, trace, 0)


@pytest.mark.parametrize("cfg", CONFIGS, ids=str)
def test_a_picture_counts_right(cfg):
    for scene in scenes(cfg):
        tables = [str(cell) for table in of_scene(scene) for cell in (table.title, *(c for row in table.rows for c in row))]
        assert plurals("\n".join([scene.alt, *scene.captions, *tables])) == []
    trace = run(cfg)
    off = without_head(trace, 0)
    said = [
        changes.sentence(trace, off, 0), changes.divisor_sentence(trace), changes.change_alt(trace, off, 0),
        changes.divisors(None, trace, Switches(), 0, 0)[1], curves.draw(cfg)[1], split.sentence(cfg, split_embedding(trace)),
    ]  # fmt: skip
    assert plurals("\n".join(said)) == []


def words_on(figure: Figure, ask: Request) -> str:
    try:
        made = figure.draw(ask)
    except Unavailable as why:
        return str(why)
    return "\n".join((plain(made.title), made.alt, made.caption))


@pytest.mark.parametrize("cfg", CONFIGS, ids=str)
def test_a_figure_to_take_away_counts_right(cfg):
    for figure in FIGURES.values():
        assert plurals(words_on(figure, Request(cfg, paper=False, options=(("head_off", 1),)))) == [], figure


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_of_the_quiz_counts_right(kind):
    for seed in range(60):
        asked = draw(kind, Random(seed))
        assert plurals("\n".join([asked.asks, *(part for one in asked.options for part in (one.text, one.why))])) == []


def test_a_published_model_counts_right():
    for slug, entry in entries().items():
        model = entry.model
        shared, parts = sharing.alt(model.attention), bars.parts_alt(model)
        said = [sentence(model.attention), shared, about.summed_sentence(model), about.rounded_down(model), parts]
        assert plurals("\n".join(said)) == [], slug
