"""A request: settings, options, the link back, the slider's stops, and the look. An impossible request is refused by name."""

import pytest

from headcount import Config
from headcount.export.figures import EVERY, FIGURES
from headcount.export.request import OPTIONS, request_of
from headcount.export.sheet import stamp_of
from headcount.export.style import Style


def test_what_is_left_out_has_the_apps_default():
    ask = request_of({})
    assert ask.cfg == Config(d_model=16, num_heads=4, query_len=13)
    assert (ask.paper, ask.options, ask.link("", ())) == (True, (), "/")


def test_a_free_layer_and_its_link():
    sizes = {"d_model": 11, "num_heads": 3, "key_dim": 5, "value_dim": 7}
    switches = {"mask": "causal", "use_bias": False, "seed": 9}
    ask = request_of(sizes | switches | {"split": "free", "head": 2, "cut": "keras"})
    assert ask.cfg == Config(**sizes, **switches, query_len=13)
    link = "d_model=11&num_heads=3&key_dim=5&value_dim=7&split=Keras&mask=causal&use_bias=false&seed=9"
    assert ask.link("attention", ("head",)) == f"/attention?{link}&head=2"
    assert ask.link("published", ("head",), of_layer=False) == "/published?head=2"


def test_the_papers_split_follows_and_its_link_does_not_say_what_follows():
    ask = request_of({"d_model": 21, "num_heads": 7, "key_dim": 99})
    assert (ask.cfg.key_dim, ask.cfg.value_dim) == (3, 3)
    assert ask.link("", ()) == "/?d_model=21&num_heads=7"


@pytest.mark.parametrize(("fields", "sentence"), [
    ({"size": "poster"}, "size must be page, column, slide or own, got 'poster'"),
    ({"theme": "sepia"}, "theme must be light, dark or print, got 'sepia'"),
    ({"font": "comic"}, "font must be sans or serif, got 'comic'"),
    ({"width_mm": 39.9}, "width_mm must be a number from 40 to 420, got 39.9"),
])  # fmt: skip
def test_a_look_that_cannot_be_is_refused(fields, sentence):
    with pytest.raises(ValueError, match=sentence):
        Style(**fields)


@pytest.mark.parametrize(("name", "chosen", "link"), [
    ("head_switched_off", {}, "/concatenation?head_off=1"), ("head_switched_off", {"head_off": 3}, "/concatenation?head_off=3"),
    ("concatenation", {}, "/concatenation"), ("block_diagram", {"num_heads": 2}, "/figures?num_heads=2&figure=block_diagram"),
    ("right_answers", {"slider": "d_model", "num_heads": 2}, "/trained_heads?num_heads=2&slider=d_model"),
])  # fmt: skip
def test_the_stamp_leads_to_a_page_that_shows_the_same(name, chosen, link):
    assert stamp_of(FIGURES[name], request_of(chosen), Style()).endswith(f"Headcount · {link}")


def test_the_first_page_of_a_server_without_a_name_is_no_link():
    assert stamp_of(FIGURES["heads"], request_of({}), Style()).endswith("trained · Headcount")
    at = Style(base="https://heads.example.org")
    assert stamp_of(FIGURES["heads"], request_of({}), at).endswith("Headcount · https://heads.example.org/")


def test_the_stops_of_the_slider_are_layers():
    assert list(request_of({"d_model": 12, "num_heads": 3}).at_stops()) == [1, 2, 3, 4]
    free = request_of({"d_model": 7, "num_heads": 5, "split": "free", "key_dim": 2, "value_dim": 3, "head": 4}).at_stops()
    assert list(free) == [1, 2, 4, 5, 8, 16, 32, 64, 128, 256]
    assert (free[2].cfg.key_dim, free[2].cfg.value_dim, free[2].head, free[8].head) == (2, 3, 1, 3)


def test_every_figure_reads_only_options_that_there_are_and_every_option_is_read():
    read = {key for figure in EVERY.values() for key in figure.options}
    assert read == set(OPTIONS)
    assert all(name == figure.name and name.isidentifier() for name, figure in FIGURES.items())
