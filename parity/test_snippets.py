"""The generated PyTorch scripts, run: they print what the page shows."""

import contextlib
import io
import runpy

import pytest

from mha.codegen import WEIGHTS_FILE, Settings, expected, write
from mha.files.formats import as_npz
from mha.keras.layer import KerasLayer, weights_of
from tests.mha.snippets import CASES, assert_same


@pytest.mark.parametrize("case", [name for name, (_, own) in CASES.items() if own])
def test_the_script_in_pytorch_prints_what_the_page_shows(case, tmp_path):
    settings, _ = CASES[case]
    script = tmp_path / "script.py"
    script.write_text(write(settings, "PyTorch"))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(script), run_name="__main__")
    assert_same(out.getvalue(), expected(settings))


def test_a_swapped_key_and_value_is_seen(tmp_path):
    settings, _ = CASES["three widths"]
    script = tmp_path / "script.py"
    script.write_text(write(settings, "PyTorch").replace("layer.k_proj_weight.copy_(turned(w_k))", "layer.k_proj_weight.zero_()"))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(script), run_name="__main__")
    with pytest.raises(AssertionError):
        assert_same(out.getvalue(), expected(settings))


def test_weights_of_somebodys_own_are_read_from_the_file_that_the_page_hands_out(tmp_path, monkeypatch):
    shape = (2, 5, 12)
    weights = weights_of(KerasLayer(3, 4, 4, shape, shape, seed=7))
    own = Settings(KerasLayer(3, 4, 4, shape, shape, weights=weights), causal=True)
    (tmp_path / WEIGHTS_FILE).write_bytes(as_npz(weights))
    (tmp_path / "script.py").write_text(write(own, "PyTorch"))
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path("script.py", run_name="__main__")
    assert_same(out.getvalue(), expected(own))
