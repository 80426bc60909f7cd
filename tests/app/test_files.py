"""Files by address: each has what its address says, impossible addresses are refused in a sentence, and all has limits."""

import asyncio
import threading
import time

import pytest

from components.app import files, lesson
from components.app.files import OFFERS_OF_ONE, STYLE, File, FileServer, Offers, address_of, file_at
from components.app.visit import Visit
from components.widgets import downloads
from components.widgets.downloads import Download
from headcount.export.browser import NoBrowser
from headcount.export.figures import FIGURES
from headcount.export.rendering import FORMATS, file_name, file_of
from headcount.export.request import OPTIONS, Request, Unavailable, request_of
from headcount.export.style import BY_CODE, Style
from headcount.settings import SHARED, FreeText, Number, Setting, Switch, Whole, Word

BASE = "https://heads.example.org"


def other(setting: Setting) -> object:
    """A value that is not the setting's default."""
    if isinstance(setting, Word):
        return setting.choices[-1]
    if isinstance(setting, Switch):
        return not setting.default
    if isinstance(setting, Whole):
        return setting.least if setting.default is None else setting.default + 1
    if isinstance(setting, Number):
        return setting.least + (setting.most - setting.least) / 8
    assert isinstance(setting, FreeText)
    return "Ana & Bo = 7?"


LAYER = {setting.code: other(setting) for setting in SHARED if setting.exported and setting.code != "split"}
LOOKS = (Style(base=BASE), Style(base=BASE, **{field: other(BY_CODE[code]) for code, field in STYLE.items()}))


def asked_for(address: str, base: str = BASE) -> File:
    name, _, query = address.partition("?")
    return file_at(name, query, base)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("look", LOOKS, ids=["usual", "other"])
@pytest.mark.parametrize("layer", [{}, {**LAYER, "split": "free"}], ids=["first", "other"])
def test_the_address_of_a_figures_file_says_all_that_is_in_it(monkeypatch, name: str, look: Style, layer: dict):
    figure = FIGURES[name]
    request = request_of({**layer, **{code: other(OPTIONS[code]) for code in figure.options}})
    request = request if figure.of_layer else Request(request_of({}).cfg, options=request.options)
    monkeypatch.setattr(files, "file_of", lambda *wanted: wanted)
    for kind in FORMATS:
        file = asked_for(address_of(figure, request, look, kind))
        assert file.name == file_name(figure, request, kind)
        assert file.write() == (figure, request, look, kind)


def test_the_lessons_sheet_has_an_address_too(monkeypatch):
    monkeypatch.setattr(lesson, "file", lambda *wanted: wanted)
    assert asked_for("lesson.pdf").write() == ("pdf", BASE)
    assert asked_for("lesson.html?num_heads=7").name == "lesson.html"


def test_a_file_by_its_address_is_the_one_of_the_command_line():
    written = asked_for("heads.svg?num_heads=2&theme=print", base="").write()
    assert written == file_of(FIGURES["heads"], request_of({"num_heads": 2}), Style(theme="print"), "svg")


def test_keras_sizes_in_an_address_mean_keras_s_way():
    assert asked_for("heads.csv?key_dim=3").name == "heads_d16_h4_k3_v4.csv"


@pytest.mark.parametrize(("address", "status", "words"), [
    ("nothing.svg", 404, "there is no figure 'nothing' among heads, pieces, "),
    ("attenton.svg", 404, "did you mean attention?"),
    ("heads.exe", 404, "heads comes as heads.svg, heads.pdf, "),
    ("heads", 404, "heads comes as heads.svg"),
    ("lesson.svg", 404, "lesson comes as lesson.html, lesson.pdf."),
    ("../app.py", 404, "There is no such file: "),
    ("heads.svg?num_heads=99999", 400, "num_heads must be a whole number from 1 to 256, got 99999."),
    ("heads.svg?num_hedas=4", 400, "there is no setting `num_hedas`: did you mean num_heads?"),
    ("heads.svg?num_heads=3", 400, "num_heads must divide d_model=16 with split=paper, got 3."),
    ("heads.svg?width_mm=nan", 400, "width_mm must be a number from 40"),
    ("heads.svg?size=own&width_mm=100000", 400, "width_mm must be a number from 40 to 420, got 100000.0."),
    (f"attention.svg?tokens={'a' * 3001}", 400, "tokens must be a text of at most 2,000 characters, got 3,001."),
    (f"heads.svg?{'seed=1&' * 500}", 400, "an address may name at most 100 settings, got 500."),
])  # fmt: skip
def test_what_no_file_can_be_is_refused_by_name(address: str, status: int, words: str):
    with pytest.raises(files.NotServed, match=r"^(There is no such file: |This file cannot be: )") as refused:
        asked_for(address)
    assert words in str(refused.value)
    assert refused.value.status == status
    assert len(str(refused.value)) < 1200


@pytest.mark.parametrize(("failure", "status", "sentence"), [
    (Unavailable("Too large. Choose smaller sizes."), 422, "Too large. Choose smaller sizes."),
    (NoBrowser("The browser did not finish within 40 seconds."), 500, "The browser did not finish within 40 seconds."),
])  # fmt: skip
async def test_why_a_file_was_not_written_is_what_is_answered(monkeypatch, failure: Exception, status: int, sentence: str):
    def fail(*_: object) -> bytes:
        raise failure

    monkeypatch.setattr(files, "file_of", fail)
    answer = await FileServer().response(["heads.svg"], "", "")
    assert (answer.status_code, answer.body.decode()) == (status, sentence)
    assert answer.headers["content-type"].startswith("text/plain")


async def test_an_answer_is_a_file_to_save_and_no_page_of_this_server():
    answer = await FileServer().response(["heads.html"], "num_heads=2", "")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''heads_d16_h2.html"
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_files_that_take_too_long_or_are_too_many_are_refused_and_the_next_ones_come(monkeypatch):
    until = threading.Event()
    monkeypatch.setattr(files, "file_of", lambda *_: until.wait(60) and b"7")
    monkeypatch.setattr(files, "LIMIT", 0.2)
    monkeypatch.setattr(files, "ASKED", 7)
    served = FileServer()
    answers = await asyncio.gather(*(served.response(["heads.svg"], "", "") for _ in range(11)))
    assert sorted(answer.status_code for answer in answers) == [429] * 4 + [504] * 7
    until.set()
    monkeypatch.setattr(files, "LIMIT", 60.0)
    answer = await served.response(["heads.svg"], "", "")
    assert (answer.status_code, answer.body) == (200, b"7")


def named(name: str) -> File:
    return File(name, "text/csv", lambda: b"5")


async def test_an_offer_is_fetched_once(monkeypatch):
    monkeypatch.setattr(files, "OFFERS_HERE", Offers())
    address = files.OFFERS_HERE.add(named("x.csv"), []).split("/")
    first, second = [await FileServer().response(address, "", "") for _ in range(2)]
    assert (first.status_code, first.body) == (200, b"5")
    assert (second.status_code, second.body.decode()) == (
        404, "This file was there for a minute and is gone. Press its button once more."
    )  # fmt: skip


def test_offers_are_gone_after_their_time_and_the_oldest_when_a_visitor_or_all_have_too_many(monkeypatch):
    offers, own, others = Offers(), [], []
    first = offers.add(named("other.csv"), others).split("/")[1]
    names = [offers.add(named(f"{number}.csv"), own).split("/")[1] for number in range(OFFERS_OF_ONE + 3)]
    assert [*offers.files] == [first, *names[3:]]
    assert len({*names}) == len(names)
    monkeypatch.setattr(files, "OFFERS", 3)
    last = offers.add(named("last.csv"), others).split("/")[1]
    assert [*offers.files] == [*names[-2:], last]
    short = Offers(seconds=0.05)
    short.add(named("x.csv"), [])
    deadline = time.monotonic() + 60
    while short.files and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not short.files
    for name in [*offers.files]:
        offers.take(name)


@pytest.mark.parametrize("told", [
    None, 5, "CSV", {"a": "CSV"}, [5], [["a"]], [["a", "PDF"]], [["a", 5]], [["a", "off"]], [["a", "made"]], [[{}, "CSV"]],
], ids=str)  # fmt: skip
def test_a_press_that_no_button_sends_offers_nothing(monkeypatch, told: object):
    assert offered_after(monkeypatch, told) == {}


def test_of_presses_beyond_number_few_are_heard(monkeypatch):
    ready = offered_after(monkeypatch, [[f"{number}" * 1000, "CSV"] for number in range(999)])
    assert (len(ready), {len(press) for press in ready}) == (downloads.MOST_PRESSES, {downloads.MOST_LETTERS})
    assert len({*ready.values()}) == downloads.MOST_PRESSES


def offered_after(monkeypatch, told: object) -> dict[str, str]:
    """The files offered after a browser's report `told`, by press."""
    visit, offers = Visit(), Offers()
    monkeypatch.setattr(downloads, "reported", lambda key, what: told)
    monkeypatch.setattr(downloads, "visit", lambda: visit)
    monkeypatch.setattr(downloads, "offer", lambda file: offers.add(file, []))
    buttons = [
        Download("CSV", "x.csv", "text/csv", lambda: b"5"), Download("made", "x.csv", "text/csv", b"5"),
        Download("off", "x.csv", "text/csv", lambda: b"5", off="There is none."),
    ]  # fmt: skip
    downloads._offer("x", buttons)
    for name in [*offers.files]:
        offers.take(name)
    return visit.ready.get("x", {})
