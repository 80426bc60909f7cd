"""The app's addresses open the same screen again: they omit defaults, and the rest must not mean anything else."""

from urllib.parse import urlencode

import pytest

from components.address import known, translate
from headcount.settings import Setting, Whole
from tests.app.driver import come, title, whole


def other_value(setting: Setting) -> str:
    """A value that is not the default."""
    if isinstance(setting, Whole):
        return str(setting.least + 1 if setting.default != setting.least + 1 else setting.least + 2)
    choices = getattr(setting, "choices", ("1", "true", "some"))
    return next(choice for choice in choices if choice != setting.format(setting.default))


#: A setting whose absence is read from the presence of another one: (it, at its default; the other, off its default).
READ_INTO = [
    (known()[code], setting)
    for setting in known().values()
    for code, text in translate({setting.code: [other_value(setting)]}).items()
    if text is not None and code in known() and code != setting.code
    if text != known()[code].format(known()[code].default)
]


def test_the_settings_that_are_read_into_an_address_are_found():
    assert {(code.code, other.code) for code, other in READ_INTO} >= {("split", "key_dim")}


@pytest.mark.parametrize(("setting", "other"), READ_INTO, ids=lambda one: one.code)
def test_an_address_that_names_a_default_leads_to_one_that_opens_the_same(setting: Setting, other: Setting):
    said = {setting.code: setting.format(setting.default), other.code: other_value(other)}
    first = come("heads", **said)
    written = {key: first.query_params[key] for key in first.query_params}
    again = come("heads", **written)
    assert title(whole(again)) == title(whole(first)), f"{urlencode(said)} was rewritten to {urlencode(written, doseq=True)}"
    assert again.session_state["settings"] == first.session_state["settings"]
