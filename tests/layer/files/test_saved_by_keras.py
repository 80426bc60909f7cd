"""Layers that Keras saved in a process of its own, read back: the output is Keras's."""

from pathlib import Path

import numpy as np
import pytest

from headcount.files.report import inspect_file, inspect_in_subprocess
from tests.layer.files.files import output_of
from tests.layer.snippets import run_apart

pytestmark = pytest.mark.keras

#: A model with every kind of attention layer that Keras saves, one of them inside a layer of its own; biases are not 0.
SAVE = """
import sys
import keras, numpy as np

folder = sys.argv[1]

@keras.saving.register_keras_serializable()
class Block(keras.layers.Layer):
    def __init__(self, **more):
        super().__init__(**more)
        self.att, self.norm = keras.layers.MultiHeadAttention(2, 7), keras.layers.LayerNormalization()

    def call(self, x):
        return self.norm(self.att(x, x))

x = keras.Input((5, 11))
y = keras.layers.MultiHeadAttention(3, 5, 7, name="free")(x, x)
y = keras.layers.MultiHeadAttention(2, 13, use_bias=False, name="bare")(y, y)
y = keras.layers.GroupQueryAttention(5, 4, 4, name="all_groups")(y, y)
y = keras.layers.GroupQueryAttention(5, 4, 2, name="grouped")(y, y)
y = keras.layers.MultiHeadAttention(2, 3, use_gate=True, sliding_window=2, name="gated")(y, y)
model = keras.Model(x, keras.layers.Dense(11)(Block(name="block")(y)))
rng = np.random.default_rng(3)
model.set_weights([0.4 * rng.standard_normal(w.shape) for w in model.get_weights()])
model.save(f"{folder}/model.keras")
model.save_weights(f"{folder}/model.weights.h5")
model.save(f"{folder}/old.h5")
lone = keras.Sequential([keras.Input((5, 11)), Block(name="lone")])
lone.save_weights(f"{folder}/lone.weights.h5")
sample = rng.standard_normal((1, 5, 11)).astype("float32")
outputs = {"x": sample}
for name in ("free", "bare", "all_groups", "grouped", "gated"):
    outputs[name] = np.asarray(model.get_layer(name)(sample, sample))
outputs["att"] = np.asarray(model.get_layer("block").att(sample, sample))
for name in ("free", "bare", "grouped", "gated"):
    outputs[f"{name} count"] = model.get_layer(name).count_params()
np.savez(f"{folder}/free.npz", *model.get_layer("free").get_weights())
np.savez(f"{folder}/bare.npz", *model.get_layer("bare").get_weights())
half = keras.layers.MultiHeadAttention(3, 5, 7, name="half", dtype="bfloat16")
x = keras.Input((5, 11))
keras.Model(x, half(x, x)).save(f"{folder}/half.keras")
outputs["half"] = np.asarray(keras.ops.cast(half.weights[0], "float32"))
np.savez(f"{folder}/outputs.npz", **outputs)
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("keras")
    run_apart(SAVE, str(folder))
    return folder


CASES = [(file, name, name) for file in ("model.keras", "model.weights.h5", "old.h5") for name in (
    "free", "bare", "all_groups", "grouped") + (("gated",) if file == "model.keras" else ())]  # fmt: skip


@pytest.mark.parametrize(("file", "layer", "ending"), [*CASES, ("model.keras", "att", "multi_head_attention"),
                                                       ("old.h5", "att", "multi_head_attention"),
                                                       ("free.npz", "free", "the layer"),
                                                       ("bare.npz", "bare", "the layer")])  # fmt: skip
def test_the_output_and_the_count_are_those_of_the_layer_that_keras_saved(saved, file, layer, ending):
    data = (saved / file).read_bytes()
    report, _ = inspect_file(data)
    number, entry = next((i, entry) for i, entry in enumerate(report.entries) if entry.name.endswith(ending))
    with np.load(saved / "outputs.npz") as outputs:
        np.testing.assert_allclose(output_of(data, number, x=outputs["x"]), outputs[layer], atol=1e-5, rtol=0)
        assert (entry.why_not, entry.sizes.count) == ("", outputs.get(f"{layer} count", entry.sizes.count))


def test_a_layer_inside_a_layer_is_found_without_an_architecture_and_bfloat16_is_read_bit_for_bit(saved):
    report, _ = inspect_in_subprocess((saved / "lone.weights.h5").read_bytes())
    assert [entry.sizes.count for entry in report.entries] == [4 * 11 * 14 + 3 * 14 + 11]
    report, flat = inspect_in_subprocess((saved / "half.keras").read_bytes(), 0)
    assert (report.entries[0].name, report.entries[0].sizes.num_heads) == ("half", 3)
    with np.load(saved / "outputs.npz") as outputs:
        np.testing.assert_array_equal(flat["w_q"].reshape(11, 3, 5), outputs["half"])
