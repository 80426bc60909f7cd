"""The table of settings: each of its settings is everywhere, and no bound widget is missing from it."""

from dataclasses import fields, make_dataclass

import pytest

from components.address import faults
from components.app import address
from components.settings import Settings, Value
from headcount import Config, settings
from headcount.export.command import command_of, parser, request_from
from headcount.export.figures import figure_named
from headcount.export.rendering import file_name
from headcount.export.request import SENTENCE, request_of
from headcount.export.style import Style
from headcount.settings import FreeText, Number, Setting, Switch, Whole, Word, by_code
from headcount.text_bounds import MAX_SENTENCE
from lessons import walk
from tests.app.driver import ALL_PAGES, in_address, open_page, whole

#: A setting of each kind that there is not, and a value off its default.
NEW = {
    "int": (Whole(code="dilation", default=1, least=1, most=11, label="Dilation"), 7),
    "float": (Number(code="leak", default=0.0, most=0.9, label="Leak"), 0.25),
    "word": (Word(code="norm", default="none", choices=("none", "rms"), label="Norm"), "rms"),
    "bool": (Switch(code="use_sink", default=False, label="Sink"), True),
    "text": (FreeText(code="note", default="", most=13, label="Note"), "seven"),
}
#: The walk: read from the address by the frame; no widget shows it.
WITHOUT_WIDGET = {setting.code for setting in (*walk.SETTINGS, *walk.ROOM)}
#: Addresses at which a page draws widgets that it does not draw at its own.
MORE = ({"page": "keras_layer", "part": "code"},
        {"page": "models", "further": "costs"}, {"page": "trained_heads"}, {"page": "heads", "use_gate": "true"})  # fmt: skip


@pytest.fixture(params=NEW)
def new(request, monkeypatch) -> tuple[Setting, object]:
    """A setting that was only added to the table and to Config."""
    setting, value = NEW[request.param]
    kind = type(setting.default)
    wider = make_dataclass("Config", [(setting.code, kind, setting.default)], bases=(Config,), frozen=True)
    monkeypatch.setattr(settings, "SHARED", (*settings.SHARED, setting))
    for module in ("headcount.settings", "components.settings", "headcount.export.request"):
        monkeypatch.setattr(f"{module}.Config", wider)
    return setting, value


def test_a_setting_that_is_added_to_the_table_is_a_widget_in_the_address_and_in_the_layer(new):
    setting, value = new
    at = whole(open_page("projections", **{setting.code: setting.format(value)}))
    assert at.session_state[setting.code] == value
    assert at.session_state["settings"].values[setting.code] == value
    assert getattr(at.session_state["settings"].config(), setting.code) == value
    assert in_address(at, setting.code) == setting.format(value)
    assert setting.label in {node.label for node in at if hasattr(node, "label")}


def test_a_wrong_value_of_it_is_said(new):
    setting, value = new
    assert faults({setting.code: [setting.format(value)]}) == []
    wrong = [fault.sentence for fault in faults({setting.code: ["<b>"]})]
    assert wrong == ([] if setting.kind == "text" else [
        f"**{setting.code}** must be {setting.constraint}, got `<b>`; showing {setting.default_text}."
    ])  # fmt: skip


def test_it_is_shared_by_all_pages(new, monkeypatch):
    setting, _ = new

    class Address(dict):
        get_all = dict.get

    monkeypatch.setattr(address.st, "query_params", Address({setting.code: ["1"], "head": ["2"]}))
    assert address.page_query() == {"head": ["2"]}


def test_it_is_in_the_link_the_name_the_label_and_the_command_of_a_file(new):
    setting, value = new
    flags = f"--set {setting.code}={setting.format(value)}"
    ask, heads = request_of({setting.code: value}), figure_named("heads")
    assert getattr(ask.cfg, setting.code) == value
    assert ask.link("", ()) == f"/?{setting.code}={setting.format(value)}"
    assert f"{setting.code} {setting.format(value)}" in ask.sizes_in_words()
    assert file_name(heads, ask, "svg") != file_name(heads, request_of({}), "svg")
    assert f" {flags} --out" in command_of(heads, ask, Style(), "svg")
    assert request_from(parser().parse_args(["--figure", "heads", *flags.split()])) == ask
    with pytest.raises(ValueError, match=f"{setting.code} must be "):
        request_of({setting.code: object()})


def test_what_pages_read_by_name_has_the_type_of_its_setting():
    typed = {code: value.__orig_class__.__args__[0] for code, value in vars(Settings).items() if isinstance(value, Value)}
    kinds = {one.code: int | None if one.default is None else type(one.default) for one in settings.SHARED}
    assert {"d_model", "num_heads"} <= {*typed} <= {*kinds}
    assert typed == {code: kinds[code] for code in typed}


def test_the_settings_of_the_layer_are_the_fields_of_config():
    of_one_page = {one.code for one in settings.SWITCHES}  # what no layer of Keras's has
    of_all = {one.code for one in settings.SHARED if one.in_layer}
    assert of_all | of_one_page == {field.name for field in fields(Config)} - {"batch"}


def test_two_settings_of_one_name_are_refused():
    with pytest.raises(ValueError, match="same code among seed, seed"):
        by_code((Whole(code="seed", default=3, most=5), Whole(code="seed", default=1, most=7)))


def test_a_default_that_is_not_allowed_is_refused():
    with pytest.raises(ValueError, match="guests must be a whole number from 2 to 7, got 11"):
        Whole(code="guests", default=11, least=2, most=7)


@pytest.fixture(scope="module")
def bound() -> dict[str, list]:
    """The widgets on all pages that are bound to the address, by key."""
    found: dict[str, list] = {}
    for link in (*({"page": page} for page in ALL_PAGES), *MORE):
        for node in whole(open_page(**link)):
            if key := getattr(getattr(node, "proto", None), "query_param_key", ""):
                found.setdefault(key, []).append(node)
    return found


def test_every_widget_that_is_bound_to_the_address_is_in_the_table_and_the_other_way_round(bound):
    assert {*bound} - {*address.known()} == set()
    assert {*address.known()} - {*bound} == WITHOUT_WIDGET


def test_every_widget_has_the_bounds_choices_and_default_of_its_row(bound):
    for key, nodes in bound.items():
        row = address.known()[key]
        for node in nodes:
            proto = node.proto
            if node.type == "number_input":
                assert (proto.min, proto.max) == (row.least, row.most), key
                assert row.default is None or proto.default == row.default, key
            elif node.type == "text_input":
                assert proto.max_chars == row.most + row.spare, key
            elif row.kind == "word" and hasattr(node, "options"):
                assert {*map(str, node.options)} <= {*map(row.format, row.choices)}, key
                assert node.type == "selectbox" or {*map(str, node.options)} == {*map(row.format, row.choices)}, key
            elif row.kind == "bool":
                assert proto.default == row.default, key


def test_every_number_can_stand_in_the_address_from_its_least_to_its_most():
    numbers = [setting for setting in address.known().values() if isinstance(setting, Number)]
    assert numbers
    for setting in numbers:
        for end in (setting.least, setting.most):
            assert setting.parse(setting.format(end)) == end, setting.code


def test_a_text_names_the_bound_by_which_its_page_refuses_one_character_more():
    assert SENTENCE.constraint == f"a text of at most {MAX_SENTENCE:,} characters"
    assert [SENTENCE.is_valid("1" * (MAX_SENTENCE + more)) for more in (0, 1, 2)] == [True, True, False]
