"""Runs the generated PyTorch scripts: they print what the page shows, and have attention weights of 0 where the mask forbids."""

from pathlib import Path

import numpy as np
import pytest

from headcount.codegen import WEIGHTS_FILE, KerasCall, expected, write
from headcount.files.formats import as_npz
from headcount.keras.layer import KerasLayer, allowed, compute, weights_of
from tests.layer.snippets import CASES, assert_same, run_script

SHAPE = (2, 5, 12)
WEIGHTS = weights_of(KerasLayer(3, 4, 4, SHAPE, SHAPE, seed=7))
#: The cases that PyTorch's layer can compute, and one with a visitor's own weights, which the script reads from a file.
SCRIPTS = {name: settings for name, (settings, own) in CASES.items() if own} | {
    "somebody's own": KerasCall(KerasLayer(3, 4, 4, SHAPE, SHAPE, weights=WEIGHTS), causal=True)
}


@pytest.mark.parametrize("case", SCRIPTS)
def test_the_script_in_pytorch_prints_what_the_page_shows_and_masks_what_the_settings_mask(case: str, tmp_path: Path):
    """Whole arrays are compared, too, because a script prints only the two ends of its output."""
    settings = SCRIPTS[case]
    code, mask = write(settings, "PyTorch"), allowed(settings.layer, settings.causal)
    (tmp_path / WEIGHTS_FILE).write_bytes(as_npz(WEIGHTS))
    said, left = run_script(code, tmp_path)
    assert_same(said, expected(settings))
    for name, wanted in zip(("output", "scores"), compute(settings.layer, mask), strict=True):
        np.testing.assert_allclose(left[name].detach(), wanted, atol=1e-5)
    np.testing.assert_array_equal(left["scores"] > 0, np.broadcast_to(mask, settings.layer.score_shape))
    assert ("attn_mask" in code) == settings.masked
