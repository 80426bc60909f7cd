"""A file that says something twice, or holds more of a layer than is drawn: refused, or said by name with the exact count."""

import io
import json
import warnings
import zipfile

import numpy as np
import pytest

from mha.files.report import inspect_file
from mha.files.tensors import UnreadableFile
from mha.models.reading import parse
from tests.mha.files.files import (
    SQUARE,
    arrays,
    keras_h5,
    keras_model,
    npy,
    raw_safetensors,
    safetensors,
    torch_names,
)
from tests.mha.files.test_hostile import sentence

TORCH = torch_names(SQUARE, arrays(SQUARE))


def twice(parts: list[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of the second one, and writes it
        for name, data in parts:
            archive.writestr(name, data)
    return made.getvalue()


def same_place() -> bytes:
    """Both biases of a PyTorch layer, of 42 and 14 numbers, begin at the same byte."""
    whole = safetensors(TORCH)
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    begin, _ = header["in_proj_bias"]["data_offsets"]
    header["out_proj.bias"]["data_offsets"] = [begin, begin + 4 * 14]
    return raw_safetensors(header, whole[8 + length :])


def linear(at: str = "", wide: int = 14) -> dict[str, np.ndarray]:
    return {f"{at}{letter}_proj.weight": np.ones((wide, wide), np.float32) for letter in "qkvo"}


NAMED = [(f"{name}.npy", npy(values)) for name, values in arrays().items()]
KERAS = [("config.json", b"{}"), *[("model.weights.h5", keras_h5(arrays()))] * 2]
TWICE = {
    "bytes of two arrays": (same_place(), ("invalid offset",)),
    "an array in an npz": (twice([*NAMED, NAMED[0]]), ("w_q.npy", "twice")),
    "weights in a .keras": (twice(KERAS), ("model.weights.h5", "twice")),
    "a key in the architecture": (keras_model(keras_h5(arrays()), b'{"config": {}, "config": {}}'), ("config", "twice")),
    "an output kernel": (safetensors({**linear(), "out_proj.weight": np.ones((14, 14), np.float32)}),
                         ("arrays besides its projections", "out_proj.weight (196)")),
}  # fmt: skip


@pytest.mark.parametrize("what", TWICE)
def test_what_stands_twice_in_a_file_is_refused_by_name(what: str):
    data, words = TWICE[what]
    said = sentence(data)
    assert all(word in said for word in words), said
    assert said.endswith(".")


@pytest.mark.parametrize("text", ['{"b": 8, "b": 16}', '{"a": [{"b": 1, "c": 2, "b": 1}]}'])
def test_a_key_given_twice_in_a_configuration_is_refused(text: str):
    with pytest.raises(UnreadableFile, match="'b' stands twice"):
        parse(text)


#: What lies beside the kernels, and how many numbers.
BESIDE = (
    ("q_norm.weight", 7), ("k_norm.weight", 7), ("q_layernorm.bias", 7), ("sinks", 2), ("g_proj.weight", 28), ("gate.weight", 28),
    ("relative_attention_bias.weight", 64), ("relative_position_bias_table", 26), ("logit_scale", 2), ("bias_k", 14),
    ("q_proj.lora_A.weight", 42), ("o_proj.weight_scale", 14), ("q_norm.norm.weight", 7),
)  # fmt: skip


@pytest.mark.parametrize(("name", "size"), BESIDE)
@pytest.mark.parametrize("at", ["", "model.layers.0.self_attn."])
def test_what_changes_a_layer_and_is_not_drawn_is_counted_named_and_refused(name: str, size: int, at: str):
    report, _ = inspect_file(safetensors({**linear(at), f"{at}{name}": np.ones(size, np.float32)}))
    (entry,) = report.entries
    assert entry.sizes.count == 4 * 14 * 14 + size
    assert "which these pages do not show" in entry.why_not
    assert f"{at}{name} ({size})" in entry.why_not.format(*entry.named)
    assert report.others == 0


#: Names that look like parts of an attention layer and are none, beside one: "where" of the layer, the array.
APART = (
    ("model.layers.0.self_attn.", "model.layers.0.mlp.gate_proj.weight"), ("h.0.attn.", "h.0.attn.bias"),
    ("h.0.attn.", "h.0.attn.masked_bias"), ("layer.0.attention.self.", "layer.0.attention.output.LayerNorm.weight"),
    ("layers.0.self_attn.", "layers.0.self_attn.rotary_emb.inv_freq"), ("layers.0.self_attn.", "layers.0.norm.weight"),
    ("layers.0.self_attn.", "layers.1.self_attn.q_norm.weight"),
    ("layers.0.self_attn.", "layers.0.self_attn._dropout_layer.seed_generator.vars.0"),
)  # fmt: skip


@pytest.mark.parametrize(("at", "name"), APART)
def test_what_belongs_to_no_attention_layer_is_named_apart(at: str, name: str):
    report, flat = inspect_file(safetensors({**linear(at), name: np.ones((5, 7), np.float32)}), 0)
    assert (report.entries[0].why_not, report.unknown, len(flat)) == ("", ((name, 35),), 4)
