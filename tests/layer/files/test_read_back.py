"""A file gives back what was put into it: every layout, every precision, the layer's name, sizes and exact count."""

import io
from dataclasses import replace

import h5py
import numpy as np
import pytest

from headcount import Config, count_parameters, make_params, run
from headcount.files import fit
from headcount.files.formats import read_input
from headcount.files.report import inspect_file
from headcount.files.tensors import UnreadableFile
from tests.layer.files.files import (
    CFG,
    KERAS,
    SQUARE,
    arrays,
    bert_names,
    gpt2_names,
    hdf5,
    keras_h5,
    keras_model,
    npy,
    npz,
    output_of,
    safetensors,
    torch_names,
)


def renamed(packed: str, out: str) -> bytes:
    """PyTorch's layer with other names for its two modules."""
    called = {"in": packed, "out": out}
    found = torch_names(SQUARE, arrays(SQUARE))
    return safetensors({f"attn.{called[name.split('_')[0]]}.{name.split('_')[-1].split('.')[-1]}": values
                        for name, values in found.items()})  # fmt: skip


def linear(*names: str) -> bytes:
    """Four Linear layers with these names."""
    found, named = arrays(SQUARE), {}
    for name, letter in zip(names, "qkvo", strict=True):
        named[f"attn.{name}.weight"] = found[f"w_{letter}"].reshape(14, -1).T
        named[f"attn.{name}.bias"] = found[f"b_{letter}"].reshape(-1)
    return safetensors(named)


def flat(*names: str) -> bytes:
    """A file as NumPy users write it: (in, out) under bare names."""
    found = arrays(SQUARE)
    named = {name: found[f"w_{letter}"].reshape((-1, 14) if letter == "o" else (14, -1))
             for name, letter in zip(names, "qkvo", strict=True)}  # fmt: skip
    return npz(named | {f"b_{letter}": found[f"b_{letter}"].reshape(-1) for letter in "qkvo"})


def each_head() -> bytes:
    """A Linear for each head, as in Karpathy's lecture."""
    found, named = arrays(SQUARE), {}
    for head in range(SQUARE.num_heads):
        for letter, word in (("q", "query"), ("k", "key"), ("v", "value")):
            named[f"attn.heads.{head}.{word}.weight"] = found[f"w_{letter}"][:, head].T
            named[f"attn.heads.{head}.{word}.bias"] = found[f"b_{letter}"][head]
    return safetensors(named | {"attn.proj.weight": found["w_o"].reshape(-1, 14).T, "attn.proj.bias": found["b_o"]})


BLOCK = {f"block/att/{'attention_output' if letter == 'o' else word}/{'kernel' if kind == 'w' else 'bias'}": f"{kind}_{letter}"
         for letter, word in (("q", "query"), ("k", "key"), ("v", "value"), ("o", "")) for kind in "wb"}  # fmt: skip
#: File and name of the layer; those of CFG say how many heads there are.
OURS = {
    "npz, our names": (npz(arrays()), "the layer"), "weights.h5": (keras_h5(arrays()), "attention"),
    "npz, Keras's names": (npz({path: arrays()[name] for path, name in BLOCK.items()}), "block/att"),
    "keras": (keras_model(keras_h5(arrays())), "attention"),
    "compressed h5": (keras_h5(arrays(), compression="gzip", shuffle=True), "attention"),
}  # fmt: skip
THEIRS = {
    "PyTorch": (safetensors(torch_names(SQUARE, arrays(SQUARE), "attn.")), "attn"),
    "PyTorch in npz": (npz(torch_names(SQUARE, arrays(SQUARE))), "the layer"),
    "BERT": (safetensors(bert_names(SQUARE, arrays(SQUARE), "layer.3.")), "layer.3.attention"),
    "GPT-2": (safetensors(gpt2_names(SQUARE, arrays(SQUARE), "attn.")), "attn"), "a head at a time": (each_head(), "attn"),
    "NumPy": (flat("W_Q", "W_K", "W_V", "W_O"), "the layer"),
} | {
    f"{names}": (renamed(*names), "attn") for names in (
        ("Wqkv", "Wo"), ("qkv", "proj"), ("qkv", "projection"), ("to_qkv", "to_out.0"))
} | {
    f"{names}": (linear(*names), "attn") for names in (
        ("linears.0", "linears.1", "linears.2", "linears.3"), ("W_q", "W_k", "W_v", "W_o"), ("wq", "wk", "wv", "wo"),
        ("W_query", "W_key", "W_value", "out_proj"), ("query", "key", "value", "out"), ("to_q", "to_k", "to_v", "to_out.0"),
        ("q_proj", "k_proj", "v_proj", "o_proj"), ("q_lin", "k_lin", "v_lin", "out_lin"))
}  # fmt: skip
FORMATS = {name: (CFG, *found) for name, found in OURS.items()} | {name: (SQUARE, *found) for name, found in THEIRS.items()}


def output(data: bytes, cfg: Config) -> np.ndarray:
    return output_of(data, 0, cfg.num_heads, query_len=cfg.query_len, key_len=cfg.key_len, seed=cfg.seed)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_layer_is_read_back_as_it_was_written_with_its_heads_where_the_file_says_them(kind):
    cfg, data, name = FORMATS[kind]
    (entry,) = inspect_file(data)[0].entries
    assert (entry.name, entry.sizes.count, entry.why_not) == (name, count_parameters(cfg), "")
    assert (entry.sizes.num_heads, entry.sizes.said) == ((cfg.num_heads, True) if cfg is CFG else (None, False))
    np.testing.assert_array_equal(output(data, cfg), run(cfg).output.values)


@pytest.mark.parametrize(("kind", "near"), [("f2", 2e-2), ("f8", 1e-6), ("BF16", 5e-2)])
@pytest.mark.parametrize("write", [npz, safetensors, keras_h5])
def test_other_precisions_are_converted(write, kind, near):
    """bfloat16 is the upper half of float32. Keras writes it as two plain bytes, and its name as an attribute."""
    halves = {name: (values.view(np.uint32) >> 16).astype("<u2") for name, values in arrays().items()}
    if kind != "BF16":
        data = write({name: values.astype(kind) for name, values in arrays().items()})
    elif write is safetensors:
        data = write(halves, dtypes=dict.fromkeys(halves, "BF16"))
    elif write is keras_h5:
        made = io.BytesIO(keras_h5({name: values.view("V2") for name, values in halves.items()}))
        with h5py.File(made, "a") as file:
            file.visititems(lambda _, item: item.attrs.__setitem__("dtype", "bfloat16"))
        data = made.getvalue()
    else:
        return
    np.testing.assert_allclose(output(data, CFG), run(CFG).output.values, atol=near)


def test_a_layer_without_biases_has_none_and_a_missing_one_is_zeros():
    biases = {"b_q", "b_k", "b_v", "b_o"}
    for gone, count in ((biases, 2 * 11 * 15 + 2 * 11 * 21), ({"b_o"}, count_parameters(CFG) - 11)):
        report, flat = inspect_file(npz({name: values for name, values in arrays().items() if name not in gone}), 0)
        cfg = fit.config(report.entries[0].sizes, CFG.num_heads)
        assert report.entries[0].sizes.count == count
        assert cfg.use_bias == ("b_q" in flat)
    np.testing.assert_array_equal(fit.params(flat, cfg).b_o.values, np.zeros(11))


def test_layers_stand_in_the_order_of_their_numbers():
    many = {}
    for number in (10, 2, 0, 1):
        many |= torch_names(SQUARE, arrays(SQUARE), f"layers.{number}.self_attn.")
    names = [entry.name for entry in inspect_file(safetensors(many))[0].entries]
    assert names == [f"layers.{number}.self_attn" for number in (0, 1, 2, 10)]


def test_fewer_heads_are_the_first_ones_and_another_cut_keeps_every_number():
    _, flat = inspect_file(npz(arrays()), 0)
    two = fit.params(flat, Config(11, 2, 5, 7))
    np.testing.assert_array_equal(two.w_v.values, make_params(CFG).w_v.values[:, :2])
    np.testing.assert_array_equal(two.w_o.values, make_params(CFG).w_o.values[:2])
    recut = fit.params(flat, Config(11, 1, 15, 21))
    np.testing.assert_array_equal(recut.w_q.values.ravel(), make_params(CFG).w_q.values.ravel())


#: An array that alone does not fit, and its shape; what it is beside has four Linear layers, or Keras's eight arrays.
ALONE = (("q_proj.weight", (15, 14)), ("q_proj.weight", (2, 7, 14)), ("v_proj.weight", (15, 14)), ("o_proj.weight", (14, 15)),
         ("k_proj.bias", (13,)), ("w_q", (11, 4, 5)), ("w_q", (11, 3, 6)), ("w_v", (11, 3, 8)), ("w_o", (3, 7, 12)),
         ("b_k", (3, 4)))  # fmt: skip


@pytest.mark.parametrize(("name", "shape"), ALONE)
def test_the_array_that_does_not_fit_is_the_one_that_is_named(name: str, shape: tuple[int, ...]):
    whole = arrays() if name in arrays() else {f"{letter}_proj.weight": np.ones((14, 14)) for letter in "qkvo"}
    (entry,) = inspect_file(npz(whole | {name: np.ones(shape)}))[0].entries
    assert entry.why_not.format(*entry.named).startswith(f"{name} has the shape {shape}")
    assert entry.why_not.count(" has the shape ") == 1


@pytest.mark.parametrize("bias", [True, False])
def test_arrays_with_numbers_for_names_are_keras_s_list_and_no_other(bias: bool):
    cfg = replace(CFG, use_bias=bias)
    roles = [role for letter in "qkvo" for role in ((f"w_{letter}", f"b_{letter}") if bias else (f"w_{letter}",))]
    named = {f"arr_{number}": arrays(cfg)[role] for number, role in enumerate(roles)}
    (entry,) = inspect_file(npz(named))[0].entries
    assert (entry.why_not, entry.sizes.num_heads, entry.sizes.count) == ("", 3, count_parameters(cfg))
    np.testing.assert_array_equal(output(npz(named), cfg), run(cfg).output.values)
    swapped = named | {"arr_0": named[f"arr_{len(named) - 2 + (not bias)}"]}
    (entry,) = inspect_file(npz(swapped))[0].entries
    assert entry.why_not.format(*entry.named).startswith("arr_0 has the shape (3, 7, 11), which does not fit")
    squares = npz({name: np.ones((14, 14)) for name in named})
    assert "arr_0 has the shape (14, 14); it should be (d_model, heads, size)" in str(
        UnreadableFile(inspect_file(squares)[0].entries[0].why_not, *inspect_file(squares)[0].entries[0].named).said(str)
    )
    assert not inspect_file(npz(named | {"arr_9": np.ones(3)}))[0].entries


def ones(*shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
    return {f"w_{letter}": np.ones(shape) for letter, shape in zip("qkvo", shapes, strict=True)}


@pytest.mark.parametrize(("named", "words"), [
    ({**arrays(), "w_k": np.ones((13, 3, 5))}, "11, 13, 11 and 11 wide"),
    ({**arrays(), "w_o": np.ones((3, 7, 2, 5)), "b_o": np.ones((2, 5))}, "11, 11, 11 and 10 wide"),
    (ones((4099, 1, 1), (4099, 1, 1), (4099, 1, 1), (1, 1, 4099)), "d_model is 4,099"),
    (ones((3, 1, 4099), (3, 1, 4099), (3, 1, 2), (1, 2, 3)), "h·d_k = 4,099"),
])  # fmt: skip
def test_what_the_pages_cannot_show_is_said_and_counted_exactly(named, words):
    data = npz({name: values.astype(np.float16) for name, values in named.items()})
    (entry,) = inspect_file(data)[0].entries
    assert words in entry.why_not
    assert entry.sizes.count == sum(values.size for values in named.values())
    with pytest.raises(UnreadableFile, match=words.replace("(", r"\(")):
        inspect_file(data, 0)


GATED = replace(CFG, use_gate=True)


def test_a_gate_of_our_own_file_comes_back_number_by_number():
    report, flat = inspect_file(npz(arrays(GATED)), 0)
    (entry,) = report.entries
    assert (entry.why_not, entry.sizes.gate, entry.sizes.count) == ("", True, count_parameters(GATED))
    cfg = fit.config(entry.sizes, 3, query_len=4, key_len=6)
    assert cfg == replace(GATED, seed=0)
    for name, values in fit.params(flat, cfg).by_name.items():
        np.testing.assert_array_equal(values, arrays(GATED)[name], err_msg=name)


@pytest.mark.parametrize(
    ("wide", "words"),
    [(7, ""), (5, "_gate_dense/vars/0 has the shape (11, 3, 5) and layers/att/_gate_dense/vars/1 has the shape (3, 5)")],
)
def test_a_gate_in_a_keras_file_is_read_and_one_of_another_shape_is_named(wide: int, words: str):
    gate = {f"layers/att/_gate_dense/vars/{i}": np.ones(shape) for i, shape in enumerate([(11, 3, wide), (3, wide)])}
    (entry,) = inspect_file(hdf5({f"layers/att/{KERAS[name]}": values for name, values in arrays().items()} | gate))[0].entries
    assert words in entry.why_not.format(*entry.named) if words else (entry.why_not, entry.sizes.gate) == ("", True)


def test_a_window_is_read_and_one_past_the_bounds_and_other_axes_are_said():
    for setting, words in (
        ({"sliding_window": 3}, ""), ({"sliding_window": 513}, "sliding_window: 513"),
            ({"sliding_window": "x"}, "sliding_window: x"),
        ({"attention_axes": [1, 2]}, "attention_axes: [1, 2]"),
    ):  # fmt: skip
        config = {"config": {"layers": [{"class_name": "MultiHeadAttention", "config": {"name": "attention", **setting}}]}}
        (entry,) = inspect_file(keras_model(keras_h5(arrays()), config))[0].entries
        assert words in entry.why_not.format(*entry.named) if words else (entry.why_not, entry.sizes.sliding_window) == ("", 3)


@pytest.mark.parametrize("shape", [(4, 11), (2, 4, 11)])
def test_an_input_is_a_sequence_or_the_first_of_a_batch(shape):
    values = np.random.default_rng(3).standard_normal(shape)
    read = read_input(npy(np.asfortranarray(values)))
    np.testing.assert_allclose(read, values if len(shape) == 2 else values[0], atol=1e-6)
    assert read.dtype == np.float32
