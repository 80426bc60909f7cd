"""The generated PyTorch scripts, run: they print what the page shows."""

import contextlib
import io
import runpy
from pathlib import Path

import pytest

from mha.codegen import WEIGHTS_FILE, Settings, expected, write
from mha.files.formats import as_npz
from mha.keras.layer import KerasLayer, weights_of
from tests.mha.snippets import CASES, assert_same

SHAPE = (2, 5, 12)
WEIGHTS = weights_of(KerasLayer(3, 4, 4, SHAPE, SHAPE, seed=7))
#: The scripts that PyTorch's layer can be, and one of somebody's own weights, read from the file that the page hands out.
SCRIPTS = {name: settings for name, (settings, own) in CASES.items() if own} | {
    "somebody's own": Settings(KerasLayer(3, 4, 4, SHAPE, SHAPE, weights=WEIGHTS), causal=True)
}


@pytest.mark.parametrize("case", SCRIPTS)
def test_the_script_in_pytorch_prints_what_the_page_shows(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / WEIGHTS_FILE).write_bytes(as_npz(WEIGHTS))
    (tmp_path / "script.py").write_text(write(SCRIPTS[case], "PyTorch"))
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path("script.py", run_name="__main__")
    assert_same(out.getvalue(), expected(SCRIPTS[case]))
