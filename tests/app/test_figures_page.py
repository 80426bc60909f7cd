"""The page of figures: its choices, its pictures, and its sentences if there is no figure or no browser. Also a page presented as
a slide (present=page), and the files below every picture: what is on the screen, under a telling name."""

import base64
import csv
import io
import json
import re
import shlex
import xml.etree.ElementTree as ET
from html import escape

import numpy as np
import pytest

from components.pages.figures import page
from components.widgets import downloads
from components.widgets.downloads import base_of, files_here, named, title_of
from headcount import Config, run
from headcount.export import browser, rendering
from headcount.export.command import look_of, parser, request_from
from headcount.export.figure import Picture
from headcount.export.figures import EVERY, FIGURES
from headcount.export.rendering import file_of
from headcount.export.request import request_of
from headcount.export.style import Style
from headcount.stage.pictures import concatenation
from tests.app.driver import figures, images, in_address, open_page, preview, said, text, title, value, whole, whole_address
from tests.export.sheets import words
from tests.stage.reading import frames_of
from tests.test_theme import contrast

pytestmark = pytest.mark.usefixtures("no_browser")


def files(at) -> dict[str, bool]:
    """The buttons of the single files by key, and whether each can be pressed."""
    named = {button.key: not button.proto.disabled for button in at.get("download_button") if button.key}
    return {key.removeprefix("get_"): on for key, on in named.items() if key.startswith("get_")}


def saves(at) -> list[str]:
    """The button of the chosen kind of file, if this server can write it."""
    return [button.key for button in at.get("download_button") if (button.key or "").startswith("shown_")]


def command(at) -> list[str]:
    return shlex.split(at.code[0].value.removeprefix("python -m headcount figures "))


def test_a_thumbnail_opens_its_figure_and_one_button_leads_back_to_all():
    at = whole(open_page("figures", num_heads=2, head=2))
    assert title(at) == "22 figures to take away."
    at.button(key="take_steps").click().run()
    assert (in_address(whole(at), "figure"), title(at), value(at, "head")) == ("steps", "One head step by step", 2)
    at.button(key="all_figures").click().run()
    assert "figure" not in whole_address(whole(at))
    assert in_address(at, "head") == "2"
    at.query_params["figure"] = "attention"  # Back
    at.selectbox(key="figure").set_value("attention").run()
    assert title(whole(at)) == "All attention maps"


def test_a_figure_opens_in_large_type():
    assert preview(whole(open_page("figures", figure="heads"))).count('width="1280px" height="720px"') == 1


LOOKS = {
    "size": "own", "theme": "print", "font": "serif", "width_mm": 180.5,
    "with_title": "false", "with_caption": "false", "with_stamp": "false",
}  # fmt: skip


@pytest.mark.parametrize(("name", "query", "looks", "look"), [
    *((name, {"num_heads": 2, "mask": "causal"}, {"size": "page"}, Style())
      for name in ("heads", "pieces", "concatenation", "block_diagram")),
    ("projections", {"kernel": "w_v", "d_model": 21, "num_heads": 7}, {"theme": "dark"}, Style("slide", "dark")),
    ("steps", {"head": 3, "numbers": "seed", "tokens": "a b c", "divisor": "none"}, LOOKS,
     Style("own", "print", "serif", title=False, caption=False, stamp=False, width_mm=180.5)),
])  # fmt: skip
def test_every_choice_is_in_the_address_in_the_file_in_its_preview_and_in_the_command_that_makes_it(name, query, looks, look):
    at = whole(open_page("figures", figure=name, **query, **looks))
    args = parser().parse_args(command(at))
    assert (request_from(args), look_of(args)) == (request_of(query), look)
    assert preview(at) == file_of(FIGURES[name], request_of(query), look, "svg").decode()
    assert f'alt="{escape(FIGURES[name].draw(request_of(query)).alt)}"' in images(at)[0]
    assert whole_address(at).items() >= {key: str(value) for key, value in (query | looks).items()}.items()
    slide = "The figure has 1280 × 720 pixels; a PNG has twice as many on each side. Letters are"
    assert any(text.startswith(slide) for text in said(at)) is (look.size == "slide")
    assert command(at)[-1].endswith(".svg")
    own = re.compile(r"The figure has 18[01] × .* Letters are 8\.75 points or more, subscripts less\.")
    assert any(map(own.match, said(at))) is (look.size == "own")


def test_what_is_chosen_by_hand_changes_the_preview():
    at = open_page("figures", figure="heads")
    before = preview(at)
    at.selectbox(key="figure").set_value("concatenation").run()
    at.toggle(key="with_stamp").set_value(False).run()
    assert preview(whole(at)) != before
    assert "Headcount" not in " ".join(words(preview(at)))


def test_without_a_browser_a_scene_can_be_had_as_svg_html_and_data_and_the_lesson_as_html():
    """The visitor's own browser makes PNG and PDF."""
    at = whole(open_page("figures", figure="heads"))
    assert files(at) == dict.fromkeys(("html", "csv", "npz"), True)
    assert saves(at) == ["shown_svg"]
    lesson = [button.key for button in whole(open_page("figures")).get("download_button")]
    assert lesson == ["lesson_html"]


def test_maps_need_no_browser():
    at = whole(open_page("figures", figure="attention"))
    assert preview(at) == file_of(FIGURES["attention"], request_of({}), Style("slide"), "svg").decode()
    assert files(at) == dict.fromkeys(("html", "csv", "npz", "plotly"), True)


@pytest.mark.parametrize("name", ["time", "divisors", "right_answers"])
def test_a_chart_without_a_browser_is_drawn_on_the_page_and_can_be_had_as_html_and_data(name):
    at = whole(open_page("figures", figure=name))
    assert preview(at) is None
    assert figures(at)["previewed"]["alt"] == FIGURES[name].draw(request_of({})).alt
    assert files(at) == {"html": True, "csv": True, "npz": True, "plotly": True}


def test_where_there_is_no_such_figure_the_page_says_what_to_choose():
    at = whole(open_page("figures", figure="copied_not_split", split="free", num_heads=3))
    assert "The figure needs a head count that divides d_model." in at.info[0].value
    assert (preview(at), files(at)) == (None, {})
    at.select_slider(key="num_heads").set_value(4).run()
    assert "The embedding is copied to every head" in preview(whole(at))


def test_the_first_head_is_switched_off_unless_another_is_chosen():
    at = whole(open_page("figures", figure="head_switched_off"))
    assert "without head 1, " in figures(at)["previewed"]["alt"].lower()
    at.number_input(key="head_off").set_value(2).run()
    assert "without head 2, " in figures(whole(at))["previewed"]["alt"].lower()


@pytest.mark.parametrize(("query", "where", "words"), [
    ({"d_model": 512, "num_heads": 3}, title, "3 heads do not divide 512."),
    ({"figure": "heads", "d_model": 4096, "num_heads": 32}, preview, "67,125,248 parameters"),
    ({"figure": "steps", "d_model": 4096, "num_heads": 32}, text, "too large"),
])  # fmt: skip
def test_what_cannot_be_and_what_is_too_large_is_said(query, where, words):
    assert words in where(whole(open_page("figures", **query)))


def test_an_option_that_this_figure_does_not_read_stays_in_the_address():
    at = whole(open_page("figures", figure="steps", head=3, cut="keras"))
    for name in ("pieces", "steps"):
        at.selectbox(key="figure").set_value(name).run()
        assert (value(at, "figure"), value(at, "head"), value(at, "cut")) == (name, 3, "keras")
        assert (in_address(at, "head"), in_address(at, "cut")) == ("3", "keras")


@pytest.mark.slow
def test_the_zip_is_made_with_what_can_be_made():
    at = open_page("figures")
    next(one for one in at.button if one.label == "All 22 as a zip").click().run()
    assert any(caption.value.startswith("Left out. What more heads cost, SVG: ") for caption in whole(at).caption)
    assert any("Save figures_d16_h4.zip" in button.proto.label for button in at.get("download_button"))


def thumbs(at) -> dict[str, str]:
    """The thumbnails by figure: the drawing, or the words in its place."""
    boxes = {key.removeprefix("thumb_"): box for key, box in containers(at.main).items() if key.startswith("thumb_")}
    shown = {"html": lambda one: one.proto.body, "caption": lambda one: one.value, "bidi_component": lambda one: "chart"}
    return {name: next(shown[one.type](one) for one in box.children.values() if one.type in shown) for name, box in boxes.items()}


def containers(block) -> dict:
    inside = [child for child in block.children.values() if hasattr(child, "children")]
    return {child.key: child for child in inside if child.key} | {
        key: one for child in inside for key, one in containers(child).items()
    }


def test_every_figure_is_a_thumbnail_below_its_pages_name_in_the_order_of_the_rows():
    at = whole(open_page("figures"))
    assert {*thumbs(at)} == {*FIGURES}, "each once"
    assert [figure.name for page_ in page.by_page().values() for figure in page_] == [*FIGURES]
    assert {*page.by_page()} == {name for row in page.ROWS for name in row}
    for name, drawn in thumbs(at).items():
        if drawn != "chart":
            assert f'alt="{escape(FIGURES[name].title)}"' in drawn
    assert [name for name, drawn in thumbs(at).items() if drawn == "chart"] == [
        "time", "published_widths", "divisors", "head_switched_off", "right_answers"
    ]  # fmt: skip


def test_the_figures_of_a_deleted_page_stay_without_its_name(monkeypatch):
    assert "**Models**" in [line.value for line in whole(open_page("figures")).markdown]
    monkeypatch.setattr(page, "PAGES", [one for one in page.PAGES if one.name != "models"])
    at = whole(open_page("figures"))
    assert {*thumbs(at)} == {*FIGURES}
    assert "**Models**" not in [line.value for line in at.markdown]


def svg_of(image: str) -> str:
    return base64.b64decode(re.search('base64,([^"]+)', image)[1]).decode()


def test_thumbnails_show_the_present_layer_and_none_where_there_is_none():
    small, other = (thumbs(whole(open_page("figures", **layer))) for layer in ({}, {"split": "free", "num_heads": 3}))
    assert svg_of(small["cuts_schematic"]).count("<rect") > svg_of(other["cuts_schematic"]).count("<rect") > 4
    assert other["copied_not_split"] == "None with these settings."
    assert "<text" not in "".join(svg_of(image) for image in small.values() if image.startswith("<img"))


def test_thumbnails_are_drawn_once_for_the_same_settings(monkeypatch):
    drawn = []
    monkeypatch.setattr(page, "picture_of", lambda figure, request: drawn.append(figure.name) or figure.draw(request))
    layer = {"num_heads": 2, "seed": 57}
    whole(whole(open_page("figures", **layer)).run())
    open_page("figures", **layer)
    assert sorted(drawn) == sorted(FIGURES)


def test_the_button_saves_the_chosen_kind_as_it_is_previewed(monkeypatch):
    saved = {}
    monkeypatch.setattr(browser, "missing", lambda: None)
    monkeypatch.setattr(browser.SHARED, "warm", lambda: None)
    monkeypatch.setattr(rendering.Files, "of", lambda files, kind: f"{files.look} {kind}".encode())
    monkeypatch.setattr(page.st, "download_button", lambda label, data, *_, key, **__: saved.update({key: (label, data)}))
    open_page("figures", figure="heads", file="PDF", with_caption="false")
    label, write = saved["shown_pdf"]
    assert (label, write()) == ("Save PDF", f"{Style('slide', caption=False)} pdf".encode())


@pytest.mark.parametrize("name", ["two_layers", "attention_lines"])
def test_a_link_to_a_figure_that_is_no_more_says_so_and_shows_all(name):
    at = open_page("figures", **{"figure": name, "lines": "one", "b.split": "Keras", "b.num_heads": "3"})
    assert f"**figure={name}** is gone." in at.warning[0].value
    assert len(at.warning) == 1
    assert title(at).endswith("figures to take away.")
    assert {*at.query_params} == set()


def test_a_chart_that_has_not_changed_is_drawn_once(monkeypatch):
    """For each chart, Chromium reads all of Plotly's program again."""
    drawn = []
    monkeypatch.setattr(browser, "missing", lambda: None)
    monkeypatch.setattr(browser.SHARED, "ask", lambda work: drawn.append(work) or "<g/>")
    browser.chart.cache_clear()
    whole(whole(open_page("figures", figure="divisors")).run())
    browser.chart.cache_clear()  # what was drawn here is no chart
    assert len(drawn) == 1


@pytest.mark.parametrize(("page", "query", "words"), [
    ("heads", {}, "Keras"), ("figures", {"figure": "block_diagram"}, "Linear W"), ("projections", {"kernel": "w_v"}, "V"),
    ("concatenation", {"num_heads": 2}, "Concat"),
])  # fmt: skip
def test_a_page_is_its_figure_alone_in_large_strong_type(page, query, words):
    """A sheet has 1,280 × 720 pixels, 16:9, and the contrast of every word to its background is 7 to 1."""
    at = open_page(page, present="page", **query)
    root = ET.fromstring(preview(at))
    assert (root.get("width"), root.get("height")) == ("1280px", "720px")
    texts = [*root.iter("{http://www.w3.org/2000/svg}text")]
    assert words in " ".join("".join(text.itertext()) for text in texts)
    assert min(contrast(text.get("fill"), "#ffffff") for text in texts) >= 7


@pytest.mark.parametrize("page", ["models", "quiz", "keras_layer"])
def test_a_page_whose_picture_is_no_single_figure_is_its_own_slide(page):
    """A slide never says less than its page."""
    slide, at = open_page(page, look="slide"), open_page(page)
    assert slide.title[0].value == at.title[0].value
    assert [one.value for one in slide.main.markdown] == [one.value for one in at.main.markdown]


def test_heatmaps_of_a_slide_need_no_browser():
    assert {"1 who", "4 when"} <= {*words(preview(open_page("attention", present="page")))}


def test_what_no_slide_has_room_for_is_as_wide_as_a_page():
    """Forty keys below each other do not fit on a slide."""
    layer = {"numbers": "seed", "query_len": 40, "key_len": 40}
    root = ET.fromstring(preview(open_page("figures", figure="one_query", present="page", **layer)))
    assert root.get("width") == "165.1mm"


@pytest.mark.parametrize(("old", "new"), [
    ({"size": "talk"}, {}), ({"size": "screen"}, {"size": "page"}),
    ({"size": "paper", "width_mm": "77.0", "type_pt": "9.0"}, {"size": "own", "width_mm": "77.0"}),
    ({"size": "own", "width": "960", "height": "540"}, {"size": "own", "width_mm": "254.0"}),
])  # fmt: skip
def test_an_old_size_in_an_address_is_what_took_its_place(old, new):
    at = whole(open_page("figures", figure="heads", **old))
    assert not at.warning
    sizes = ("size", "width_mm", "type_pt", "width", "height")
    assert {key: text for key, text in whole_address(at).items() if key in sizes} == new


def test_a_page_without_a_figure_stays():
    assert open_page("questions", present="page").title[0].value


def test_the_hues_of_heads_on_a_slide_have_seven_to_one():
    assert min(contrast(hue, "#ffffff") for hue in Style(size="slide").colours.head_text) >= 7


CFG = Config(d_model=12, num_heads=2, query_len=5)
SCENE = concatenation.corner(CFG, run(CFG))


def test_where_a_picture_has_no_numbers_their_files_are_off_and_say_why():
    at = open_page("heads", d_model=4096, num_heads=2)
    at.session_state["law_table"] = True
    found = {button.key: button.proto for button in whole(at.run()).get("download_button")}
    assert [key for key in found if found[key].disabled] == ["law_csv", "law_npz"]
    assert "outlines, without numbers" in found["law_csv"].help


def made(kind: str, picture: Picture, stamp: str = "", look: Style | None = None) -> bytes:
    return files_here(picture, lambda: picture, None, stamp, look or Style(), {}).of(kind)


def test_the_file_is_what_is_on_the_screen():
    stamp = "Headcount · /attention?num_heads=2"
    data = made("svg", Picture(SCENE, "", SCENE.alt), stamp=stamp, look=Style(theme="dark"))
    words = ["".join(text.itertext()) for text in ET.fromstring(data).iter("{http://www.w3.org/2000/svg}text")]
    assert {"Z1", "Concat   2 × 6 columns".replace("   ", "\u00a0" * 3), "Headcount · /attention?num_heads=2"} <= set(words)
    assert b'"#11151b"' in data, "the dark ground"


@pytest.mark.parametrize(("page", "key", "alt", "title"), [
    ("attention", "divisors", "Weights of query 6. Largest 0.48.", "Why divide by √d_{k}"),
    ("trained_heads", "stage", "One head. From “she” it looks at Ana: 0.92.", "One head"),
    ("keras_layer", "x", "W_Q with 1.5 numbers a row", "W_{Q} with 1.5 numbers a row"),
])  # fmt: skip
def test_a_file_has_a_title_of_its_own_and_the_words_as_its_description(page, key, alt, title):
    assert title_of(page, key, alt) == title
    root = ET.fromstring(made("svg", Picture(SCENE, title, alt)))
    svg = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{svg}title").text == title.replace("{", "").replace("}", "")
    assert root.find(f"{svg}desc").text == alt
    first = next(root.iter(f"{svg}text"))
    assert (first.get("font-weight"), "".join(first.itertext())) == ("600", re.sub(r"_\{(.)\}", r"\1", title))


def test_the_html_file_has_the_figure_at_each_head_count_and_what_is_on_the_screen_at_the_present_one(monkeypatch):
    write = handed_out(monkeypatch, "concatenation", "stage", {"num_heads": 2, "mask": "causal"})
    text = write("html").decode()
    frames = frames_of(text)
    assert [*frames] == [" 1", " 2", " 4", " 8", " 16"]
    assert '<output for="heads">2</output>' in text
    for heads, words_in in ((2, "2 head outputs of 13 × 8"), (8, "8 head outputs of 13 × 2")):
        (above, below), (alt,) = frames[f" {heads}"]["texts"], frames[f" {heads}"]["alts"]
        assert words_in in alt
        assert above.startswith(f"<h1>{heads} heads × ")
        assert f"/concatenation?num_heads={heads}&amp;mask=causal".replace("num_heads=4&amp;", "") in below


def test_the_html_file_of_a_picture_that_is_no_figure_has_no_slider():
    alone = made("html", Picture(SCENE, "", "Z.")).decode()
    assert len(frames_of(alone)) == 1
    assert 'id="controls"' not in alone


def handed_out(monkeypatch, page: str, key: str, query: dict):
    """The functions that write the files of a picture on the page."""
    writes = {}
    monkeypatch.setattr(downloads, "button_for_each_format", lambda key, files, *_: writes.update({key: files.of}))
    monkeypatch.setattr(downloads, "page_of", lambda path: "" if page == "heads" else page)
    at = open_page(page, **query)
    at.session_state[f"{key}_table"] = True
    whole(at.run())
    return writes[key]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "key", "name", "chosen"), [
    ("heads", "law", "heads", {}),
    ("heads", "stage", "pieces", {}),
    ("projections", "stage", "projections", {}),
    ("projections", "projections", "projection_maps", {"d_model": 131, "num_heads": 1}),
    ("projections", "kernels", "kernel_maps", {"d_model": 131, "num_heads": 1}),
    ("projections", "cuts", "cuts", {"cut": "keras"}),
    ("projections", "copied_not_split", "copied_not_split", {}),
    ("attention", "attention_maps", "attention", {"query_len": 131, "key_len": 131, "mask": "causal"}),
    ("concatenation", "stage", "concatenation", {}),
    ("concatenation", "results", "results", {}),
])  # fmt: skip
def test_numbers_beside_a_picture_are_whole_and_say_what_the_figures_page_says(page, key, name, chosen, monkeypatch):
    """At 93 = 3 × 31 the picture itself has means, or outlines."""
    layer = {"d_model": 93, "num_heads": 3, "seed": 5, **chosen}
    there = np.load(io.BytesIO(file_of(EVERY[name], request_of(layer), Style(), "npz")))
    write = handed_out(monkeypatch, page, key, layer)
    here = np.load(io.BytesIO(write("npz")))
    assert {*here.files} == {*there.files}
    for array in {*there.files} - {"meta"}:
        np.testing.assert_array_equal(here[array], there[array], err_msg=array)
    said, expected = (json.loads(str(file["meta"])) for file in (here, there))
    assert "mean" not in str(said.values())
    assert {**expected, **said} | {word: expected[word] for word in ("title", "caption", "figure", "link")} == expected
    assert said["numbers"] == "random weights, seed 5"
    if name not in ("attention", "projection_maps", "kernel_maps"):
        table = list(csv.reader(io.StringIO(write("csv").decode())))
        assert len(table) - 1 == sum(there[array].size for array in {*there.files} - {"meta"})


def test_the_words_of_a_trained_layer_are_said(monkeypatch):
    words = {"tokens": "Bob sees Fay in Lima now and in Oslo he hugs Cleo soon"}
    said = json.loads(str(np.load(io.BytesIO(handed_out(monkeypatch, "attention", "stage", words)("npz")))["meta"]))
    assert (said["numbers"], said["words"][-3:], said["mask"]) == ("trained", ["hugs", "Cleo", "soon"], "none")
    assert said["query_len"] == said["key_len"] == len(said["words"])
    assert "seed" not in said


@pytest.mark.parametrize(("page", "key", "sizes", "name"), [
    ("", "law", {"d_model": 16, "num_heads": 4, "seed": 3}, "heads_d16_h4"),
    ("", "stage", {"d_model": 16, "num_heads": 4, "seed": 3}, "pieces_d16_h4"),
    ("attention", "stage", {"d_model": 64, "num_heads": 8}, "steps_d64_h8"),
    ("models", "widths", {}, "published_widths"),
    ("trained_heads", "no_figure", {}, "trained_heads_no_figure"),
])  # fmt: skip
def test_a_name_says_figure_and_sizes(page, key, sizes, name):
    assert named(page, key, sizes) == name


@pytest.mark.parametrize(("url", "base"), [
    ("https://heads.example.org/attention?x=1", "https://heads.example.org"), ("http://localhost:8501/", ""),
    ("http://127.0.0.1:8501/", ""), (None, ""), ("http://10.0.0.7:8501/figures", "http://10.0.0.7:8501"),
])  # fmt: skip
def test_a_link_begins_with_the_server_unless_nobody_else_can_follow_it(url, base):
    assert base_of(url) == base
