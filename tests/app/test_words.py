"""Pictures, quiz and models never say "1 heads". (Pages: tests/visitor.)"""

from random import Random

import pytest

from components.pages.models import about
from headcount import Config
from headcount.export.figure import Figure
from headcount.export.figures import FIGURES
from headcount.export.request import Request, Unavailable
from headcount.models.conventions import sentence
from headcount.models.entry import entries
from headcount.names import counted, noun
from headcount.stage.numbers import of_scene, plain
from headcount.stage.pictures.published import bars, sharing
from headcount.stage.scene import Scene
from lessons.quiz import KINDS, new_question
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


def words_on(figure: Figure, ask: Request) -> str:
    try:
        made = figure.draw(ask)
    except Unavailable as why:
        return str(why)
    scene = made.drawing if isinstance(made.drawing, Scene) else None
    tables = [str(cell) for table in of_scene(scene) for row in ([table.title], *table.rows) for cell in row] if scene else []
    return "\n".join((plain(made.title), made.alt, made.caption, *(scene.captions if scene else ()), *tables))


@pytest.mark.parametrize("cfg", CONFIGS, ids=str)
def test_a_figure_and_its_tables_count_right(cfg):
    for figure in FIGURES.values():
        assert plurals(words_on(figure, Request(cfg, paper=False, options=(("head_off", 1),)))) == [], figure


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_of_the_quiz_counts_right(kind):
    for seed in range(60):
        asked = new_question(kind, Random(seed))
        assert plurals("\n".join([asked.asks, *(part for one in asked.options for part in (one.text, one.why))])) == []


def test_a_published_model_counts_right():
    for slug, entry in entries().items():
        model = entry.model
        shared, parts = sharing.draw(model.attention).alt, bars.draw_parts(model)[1]
        said = [sentence(model.attention), shared, about.summed_sentence(model), about.rounded_down(model), parts]
        assert plurals("\n".join(said)) == [], slug
