"""Scripts for the shown layer: each is complete, runs by itself, and prints what the page shows. Three for PyTorch are in
`golden`, because the real PyTorch has run them. After an intended change, `python -m tests.layer.test_codegen` writes them again;
then run `make parity`."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headcount.codegen import LIBRARIES, WEIGHTS_FILE, KerasCall, Unwritable, expected, printed, write
from headcount.files.formats import as_npz
from headcount.keras.layer import KerasLayer, allowed, weights_of
from tests.layer.snippets import CASES, DROPPED, assert_same, run_apart, run_script

ALL = {case: settings for case, (settings, _) in CASES.items()} | DROPPED
#: Runs every script of a folder, each as if by itself, and says what it printed.
RUN_ALL = """
import contextlib, io, json, pathlib, runpy, sys, warnings
warnings.simplefilter("ignore")  # with one key every weight is 1, and Keras warns
said = {}
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(path), run_name="__main__")
    said[path.stem] = out.getvalue()
json.dump(said, sys.stdout)
"""
#: With a mask, and without one and with arrays of three widths.
GOLDEN = {case: Path(__file__).parent / "golden" / f"{case.replace(' ', '_')}.txt" for case in ("causal", "three widths")}


@pytest.fixture(scope="module")
def keras_says(tmp_path_factory):
    """The output of all scripts for Keras, from one process, because TensorFlow takes seconds to load."""
    folder = tmp_path_factory.mktemp("keras")
    for number, settings in enumerate(ALL.values()):
        (folder / f"{number:02}.py").write_text(write(settings, "Keras"))
    return dict(zip(ALL, json.loads(run_apart(RUN_ALL, str(folder))).values(), strict=True))


@pytest.mark.parametrize("case", ALL)
def test_the_script_in_numpy_prints_what_the_page_shows(case):
    settings = ALL[case]
    assert_same(run_script(write(settings, "NumPy"))[0], expected(settings))
    if case in DROPPED:
        with pytest.raises(AssertionError):
            assert_same(expected(replace(settings, training=False)), expected(settings))


@pytest.mark.parametrize("case", ALL)
def test_whether_some_query_sees_nothing_is_known_without_the_whole_mask(case):
    settings = ALL[case]
    assert settings.some_see_nothing != allowed(settings.layer, settings.causal).any(axis=-1).all()


@pytest.mark.keras
@pytest.mark.parametrize("case", CASES)
def test_the_script_in_keras_prints_what_the_page_shows(case, keras_says):
    assert_same(keras_says[case], expected(CASES[case][0]))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("case", CASES)
def test_a_script_is_python_that_imports_only_its_library_and_numpy(case, library):
    settings, own = CASES[case]
    if library == "PyTorch" and not own:
        return
    tree = ast.parse(write(settings, library))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported == {"numpy", {"Keras": "keras", "PyTorch": "torch", "NumPy": "numpy"}[library]}
    assert all(len(line) <= 130 for line in write(settings, library).splitlines())


@pytest.mark.parametrize("case", [*(case for case, (_, own) in CASES.items() if not own), *DROPPED])
def test_what_pytorchs_layer_cannot_be_is_refused_in_a_sentence(case):
    with pytest.raises(Unwritable, match=r"nn\.MultiheadAttention cannot be this layer: .* NumPy's script has the formula"):
        write(ALL[case], "PyTorch")


@pytest.mark.parametrize(("library", "shape", "axes", "causal", "words"), [
    ("NumPy", (2, 3, 4, 6), (0,), False, "attention_axes"), ("NumPy", (2, 3, 4, 6), (), True, "rank 3"),
    ("PyTorch", (2, 3, 4, 6), (0,), False, "rank 4"), ("PyTorch", (2, 3, 6), (2,), False, "attention_axes"),
])  # fmt: skip
def test_what_a_library_cannot_say_is_refused_in_a_sentence(library, shape, axes, causal, words):
    layer = KerasLayer(2, 3, 3, shape, shape, attention_axes=axes)
    with pytest.raises(Unwritable, match=words):
        write(KerasCall(layer, causal), library)
    assert "MultiHeadAttention(" in write(KerasCall(layer, causal), "Keras")


def test_a_known_fault_of_keras_is_said_in_the_script():
    assert "adds a bias along the wrong axis" in write(KerasCall(KerasLayer(5, 1, 1, (1, 5, 7), (1, 5, 7))), "Keras")
    assert "wrong axis" not in write(CASES["causal"][0], "Keras")


def test_somebodys_own_layer_is_read_from_a_file(tmp_path):
    """The script for weights that no seed gives is beside the file that the page offers with it."""
    shapes = (2, 4, 11), (2, 6, 11)
    weights = weights_of(KerasLayer(3, 5, 7, *shapes, seed=5))
    own = KerasCall(KerasLayer(3, 5, 7, *shapes, weights=weights))
    (tmp_path / WEIGHTS_FILE).write_bytes(as_npz(weights))
    assert_same(run_script(write(own, "NumPy"), tmp_path)[0], expected(own))
    with pytest.raises(AssertionError):
        assert_same(expected(own), expected(KerasCall(KerasLayer(3, 5, 7, *shapes))))


def test_an_output_of_another_layer_is_not_printed():
    with pytest.raises(ValueError, match="output must have the shape"):
        printed(CASES["causal"][0], np.zeros((1, 2, 3)))


@pytest.mark.keras
def test_the_script_in_keras_drops_what_the_layer_of_the_page_drops(keras_says):
    """The page prints the real layer's answer in training. The script gives the same with the same seed, in a process of its
    own."""
    from headcount.keras.experiments.building import layer_output

    settings = DROPPED["dropout"]
    answer = layer_output(settings.layer, training=True)
    assert_same(keras_says["dropout"], printed(settings, answer["output"]))
    with pytest.raises(AssertionError):
        assert_same(keras_says["dropout"], printed(settings, layer_output(settings.layer)["output"]))


@pytest.mark.parametrize("case", GOLDEN)
def test_the_script_in_pytorch_is_the_one_that_was_run_with_its_mask_the_right_way_round_and_a_map_for_each_head(case):
    """In PyTorch, True forbids; in Keras it allows. By default PyTorch returns the mean of the heads' maps."""
    assert write(CASES[case][0], "PyTorch") == GOLDEN[case].read_text(encoding="utf-8")
    masked = ", attn_mask=~allowed" if CASES[case][0].masked else ""
    assert f"layer(query, key, value, average_attn_weights=False{masked})" in GOLDEN[case].read_text(encoding="utf-8")


if __name__ == "__main__":
    for case, path in GOLDEN.items():
        path.write_text(write(CASES[case][0], "PyTorch"), encoding="utf-8")
