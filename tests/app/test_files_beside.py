"""Below every picture it is to be had as files: what is on the screen, under a name that says what it is."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from components.export.figure import Picture
from components.export.figures import EVERY
from components.export.look import Look
from components.export.rendering import file_of
from components.export.request import request_of
from components.stage.pictures import concatenation
from components.stage.wire import Slider
from components.widgets import downloads
from components.widgets.downloads import base_of, files_here, named, title_of
from mha import Config, run
from tests.app.driver import open_page, whole

CFG = Config(d_model=12, num_heads=2, query_len=5)
SCENE = concatenation.corner(CFG, run(CFG))


pytestmark = pytest.mark.usefixtures("no_browser")


def test_where_a_picture_has_no_numbers_their_files_are_off_and_say_why():
    at = open_page("heads", d_model=4096, num_heads=2)
    at.session_state["law_table"] = True
    found = {button.key: button.proto for button in whole(at.run()).get("download_button")}
    assert [key for key in found if found[key].disabled] == ["law_csv", "law_npz"]
    assert "outlines, without numbers" in found["law_csv"].help


def made(kind: str, picture: Picture, slider: Slider | None = None, stamp: str = "", look: Look | None = None) -> bytes:
    return files_here(picture, lambda: picture, slider, stamp, look or Look(), {}).of(kind)


def test_the_file_is_what_is_on_the_screen():
    stamp = "Headcount · /attention?num_heads=2"
    data = made("svg", Picture(SCENE, "", SCENE.alt), stamp=stamp, look=Look(theme="dark"))
    words = ["".join(text.itertext()) for text in ET.fromstring(data).iter("{http://www.w3.org/2000/svg}text")]
    assert {"Z1", "Concat   2 × 6 columns".replace("   ", "\u00a0" * 3), "Headcount · /attention?num_heads=2"} <= set(words)
    assert b'"#11151b"' in data, "the dark ground"


@pytest.mark.parametrize(("page", "key", "alt", "title"), [
    ("attention", "divisors", "Weights of query 6. Largest 0.48.", "Why divide by √d_{k}"),
    ("trained_heads", "stage", "Dinner, 3 heads. Mean mass where an answer stands: head 1: who 1.00.", "Dinner, 3 heads"),
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


def test_the_html_file_keeps_the_head_counts_that_the_page_foresaw_and_has_no_slider_where_there_is_none():
    three = Config(d_model=12, num_heads=3, query_len=5)
    slider = Slider(2, {3: concatenation.corner(three, run(three))})
    pages = (made("html", Picture(SCENE, "", "Z."), one).decode() for one in (slider, None))
    stops, alone = (json.loads(re.search(r"const stops = \((\[.*?\])\);\n", page)[1]) for page in pages)
    assert [(stop["value"], stop["here"]) for stop in stops] == [(2, True), (3, False)]
    assert "3 results of 5 × 4 side by side" in stops[1]["caption"]
    assert len(alone) == 1


def handed_out(monkeypatch, page: str, key: str, query: dict):
    """What writes the files of a picture on the page."""
    writes = {}
    monkeypatch.setattr(downloads, "button_for_each_format", lambda key, files, *_: writes.update({key: files.of}))
    monkeypatch.setattr(downloads, "page_of", lambda path: "" if page == "heads" else page)
    at = open_page(page, **query)
    at.session_state[f"{key}_table"] = True
    whole(at.run())
    return writes[key]


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
    ("keras_layer", "stage", "array_changed", {"part": "arrays"}),
])  # fmt: skip
def test_numbers_beside_a_picture_are_whole_and_say_what_the_figures_page_says(page, key, name, chosen, monkeypatch):
    """At 93 = 3 × 31 the picture itself holds means, or outlines."""
    layer = {"d_model": 93, "num_heads": 3, "seed": 5, **chosen}
    there = np.load(io.BytesIO(file_of(EVERY[name], request_of(layer), Look(), "npz")))
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
