"""A bad file, or a bad X, dropped on a good one: a sentence, and what was there stays."""

import numpy as np
import pytest

from components.pages.own_layer import intake
from mha.loading.report import inspect_file
from tests.app.driver import config, open_page, whole
from tests.app.own_layer import KERAS, drop, weights_line
from tests.mha.loading.files import arrays, npy, npz
from tests.mha.loading.test_hostile import FILES
from tests.mha.loading.test_one_meaning import TWICE


@pytest.fixture(autouse=True)
def _read_here(monkeypatch):
    """Without the second it takes to start a process; that one has its own tests (tests/mha/loading)."""
    monkeypatch.setattr(intake, "inspect_in_subprocess", inspect_file)


X = np.random.default_rng(7).standard_normal((5, 11)).astype(np.float32)
#: Neither shows nor counts a layer. (One that is only counted here takes the place of the layer before: it was asked for.)
BAD = {
    "none at all": npz({"other": np.ones(3)}),
    "text": b"import os; os.system('true')",
    **{kind: data for kind, (data, _) in TWICE.items() if kind != "an output kernel"},
    **{kind: FILES[kind] for kind in (
        "empty", "pickle", "a program", "header cut off", "numbers cut off", "bytes outside", "no array", "not a number",
        "infinite", "archive: cut off", "archive: lzma", "archive: encrypted", "objects in npz", "only text", "keras: no weights",
        "keras: a nested config", "keras: weights cut off",
    )},
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_leaves_the_layer_the_input_and_the_sizes_as_they_are(kind):
    at = drop(drop(open_page("own_layer"), KERAS), npy(X), "mine.npy", 1)
    before, line, own = config(at), weights_line(at), at.session_state[intake.KEY]
    at = drop(at, BAD[kind], "bad.npz")
    (warning,) = whole(at).warning
    assert warning.value.startswith("`bad.npz`: ")
    assert warning.value.endswith(". Still shown: `attention` of `model.keras`.")
    assert (config(at), weights_line(at), at.session_state[intake.KEY] is own) == (before, line, True)
    at = at.file_uploader[0].set_value(None).run()  # the bad file is taken out of the field again
    assert (weights_line(whole(at)), len(at.warning)) == (line, 0)


def replaced(at, data: bytes, name: str, place: int = 0):
    """As a browser does it: the file before is taken out in a run of its own."""
    return drop(at.file_uploader[place].set_value(None).run(), data, name, place)


def test_a_bad_file_that_replaces_a_good_one_in_the_field_leaves_the_layer():
    at = drop(drop(open_page("own_layer"), KERAS), npy(X), "mine.npy", 1)
    before, line = config(at), weights_line(at)
    for name in ("bad.npz", "worse.npz"):
        at = replaced(at, b"no file", name)
        (warning,) = whole(at).warning
        assert warning.value.endswith(". Still shown: `attention` of `model.keras`.")
        assert (config(at), weights_line(at)) == (before, line)
    at = replaced(at, b"no array", "bad.npy", 1)
    assert any(warning.value.endswith(". X is still that of `mine.npy`.") for warning in at.warning)
    assert (config(at), weights_line(at)) == (before, line)
    at = at.button(key="own_let_go").click().run()
    at = replaced(at, b"no file", "bad.npz")
    assert (weights_line(whole(at)), len(at.warning), intake.KEY in at.session_state) == ("", 1, False)


def test_there_are_more_than_twenty_bad_files():
    assert len(BAD) > 20


@pytest.mark.parametrize("x", [b"", b"no array", npy(np.ones((5, 13), np.float32)), npy(X)[:-9], npy(X * np.nan)])
def test_a_bad_input_leaves_the_input_before_and_the_lengths(x):
    at = drop(drop(open_page("own_layer"), KERAS), npy(X), "mine.npy", 1)
    before = config(at)
    at = drop(at, x, "bad.npy", 1)
    (warning,) = whole(at).warning
    assert warning.value.startswith("`bad.npy`: ")
    assert warning.value.endswith(". X is still that of `mine.npy`.")
    assert "X from `mine.npy`." in weights_line(at)
    assert config(at) == before
    at = at.file_uploader[1].set_value(None).run()  # the bad one is taken out of the field
    assert ("X from `mine.npy`." in weights_line(whole(at)), len(at.warning)) == (True, 0)
    at = drop(at, npy(X[:3]), "short.npy", 1)
    at = at.file_uploader[1].set_value(None).run()  # a good one is
    assert "X from seed 0." in weights_line(at)


def test_another_layer_keeps_the_input_where_it_fits():
    at = drop(drop(open_page("own_layer"), KERAS), npy(X), "mine.npy", 1)
    at = drop(at, npz(arrays()), "again.npz")
    assert "of `again.npz`. X from `mine.npy`." in weights_line(at)
    assert config(at).query_len == 5
