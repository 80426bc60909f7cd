"""Nothing that can be read says "1 heads": pages, pictures, quiz, claims and models at sizes of 1."""

import re
from random import Random

import pytest

from components.export.figure import Figure
from components.export.figures import FIGURES
from components.export.request import Request, Unavailable
from components.menu import ENTRIES
from components.pages.keras_layer import settings as keras_settings
from components.pages.models import about
from components.stage.numbers import of_scene, plain
from components.stage.pictures import attention, changes, concatenation, heads, projections, split, start_page
from components.stage.pictures.published import bars, sharing
from lessons.quiz import KINDS, draw
from mha import Config, run
from mha.models.conventions import sentence
from mha.models.table import entries
from mha.names import counted, noun
from mha.switches import Switches
from mha.variations import split_embedding, without_head
from tests.app.driver import open_page, stages, text
from tests.app.driver import whole as came_up

THINGS = (
    "heads|maps|queries|keys|modules|rows|columns|parameters|positions|layers|numbers|weights|biases|arrays|words|tokens|"
    "variables|matrices|pieces|groups|networks|questions|claims|axes|values|cells|models|scores|bytes|characters|seeds|"
    "multiply-adds|pairs|places|steps|sequences|samples|copies|tiles|cuts|slices|products|shares|divisors"
)
WORDS_BETWEEN = "(?:(?:attention|key/value|key|query|more|further|other|different|score|free|own|attention-map) )*"
#: Not where the 1 is the last of a range or a product, or a thing's number ("head 1", "3 × 1").
BEFORE = r"(?<![\d.,/×·–−-])(?<![×·/] )(?<!to )(?<!from )(?<!head )(?<!row )(?<!column )(?<!query )(?<!key )(?<!layer )"
PLURAL_ONE = re.compile(rf"{BEFORE}\*{{0,2}}\b1\*{{0,2}} {WORDS_BETWEEN}(?:{THINGS})\b")
VERB_OF_MANY = re.compile(
    r"(?<![\d.,/×·] )\b1\*{0,2} (?:of \d+ )?(?:\S+ )?(?:head|row|column|query|key|layer|map|module)s? "
    r"(?:are|change|have|see|share|stand|do)\b"
)

SMALLEST = {"d_model": 1, "num_heads": 1, "query_len": 1, "key_len": 1}
SIZES = {
    "all 1, paper": SMALLEST,
    "all 1, free": SMALLEST | {"split": "free", "key_dim": 1, "value_dim": 1, "batch": 1, "num_kv_heads": 1},
    "one token, two heads": {"query_len": 1, "key_len": 1, "num_heads": 2, "d_model": 2, "head_off": 1, "tokens": "one"},
    "two free heads of 1": {"d_model": 1, "num_heads": 2, "split": "free", "key_dim": 1, "value_dim": 1},
    "9 heads of 1": {"d_model": 9, "num_heads": 9, "head_off": 2, "use_bias": "false", "mask": "causal"},
    "too many heads asked for": SMALLEST | {"head": 2, "head_off": 2, "tokens": "two words"},
}


def wrong(said: str) -> list[str]:
    return [said[max(0, m.start() - 20) : m.end() + 20] for what in (PLURAL_ONE, VERB_OF_MANY) for m in what.finditer(said)]


def test_the_check_finds_what_it_should():
    for said in ("1 heads", "= 1 columns", "**1** rows", "1 attention modules", "1 key/value heads share", "1 head share one"):
        assert wrong(said), said
    for said in ("head 1 weights", "11 heads", "0.1 numbers", "3 × 1 numbers", "1 head", "1 to 4 heads", "4 to 1 heads"):
        assert not wrong(said), said


def test_counted_by_hand():
    assert counted(1, "head") == "1 head"
    assert counted(0, "head") == "0 heads"
    assert counted(1, "query", "queries") == "1 query"
    assert counted(1234, "query", "queries") == "1,234 queries"
    assert noun(1, "axis", "axes") == "axis"


#: A part of the Keras page, and each page that does not show the layer, meets some of the sizes.
STATES = [(entry.page, "", name) for entry in ENTRIES.values() for name in SIZES
          if entry.page != "keras_layer" and (entry.lab or name == "all 1, free")]  # fmt: skip
for number, part in enumerate(keras_settings.PARTS):
    STATES += [("keras_layer", part, name) for name in [*SIZES][number % 2 :: 2]]


@pytest.mark.parametrize(("page", "part", "name"), STATES)
def test_a_page_counts_right(page, part, name):
    at = came_up(open_page(page, **SIZES[name], **({"part": part} if part else {})))
    said = text(at) + "\n".join(str([plan["alt"], *plan["captions"], *words_of(plan)]) for plan in stages(at))
    assert wrong(said) == []


def words_of(plan: dict) -> list[str]:
    return [plain(written["text"]) for row in plan["rows"] for panel in row for written in panel["texts"]]


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
        assert wrong("\n".join([scene.alt, *scene.captions, *tables])) == []
    trace = run(cfg)
    off = without_head(trace, 0)
    said = [
        changes.sentence(trace, off, 0), changes.divisor_sentence(trace), changes.draw_changes(trace, off, 0)[1],
        changes.divisors(None, trace, Switches(), 0, 0)[1], changes.parameters(cfg)[1],
        split.sentence(cfg, split_embedding(trace)),
    ]  # fmt: skip
    assert wrong("\n".join(said)) == []


def words_on(figure: Figure, ask: Request) -> str:
    try:
        made = figure.draw(ask)
    except Unavailable as why:
        return str(why)
    return "\n".join((plain(made.title), made.alt, made.caption))


@pytest.mark.parametrize("cfg", CONFIGS, ids=str)
def test_a_figure_to_take_away_counts_right(cfg):
    for figure in FIGURES.values():
        assert wrong(words_on(figure, Request(cfg, paper=False, options=(("head_off", 1),)))) == [], figure


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_of_the_quiz_counts_right(kind):
    for seed in range(60):
        asked = draw(kind, Random(seed))
        assert wrong("\n".join([asked.asks, *(part for one in asked.options for part in (one.text, one.why))])) == []


def test_a_published_model_counts_right():
    for slug, entry in entries().items():
        model = entry.model
        shared, parts = sharing.draw(model.attention).alt, bars.draw_parts(model)[1]
        said = [sentence(model.attention), shared, about.summed_sentence(model), about.rounded_down(model), parts]
        assert wrong("\n".join(said)) == [], slug
