"""A small model in a folder: what it makes of words, and a sentence for every folder that is none."""

from pathlib import Path

import numpy as np
import pytest

from mha.loading.model import open_model
from mha.loading.tensors import UnreadableFile
from tests.mha.loading.files import safetensors
from tests.mha.loading.small_model import CFG, LAYERS, bert, gpt2, write


def norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12) * gain + bias


def test_what_enters_the_first_layer_is_the_normed_sum_of_three_rows(tmp_path):
    """The deeper layers are held to the real classes by parity/test_model.py."""
    model, w = open_model(write(tmp_path / "m")), bert()
    words = model.read("The letters")
    assert words.tokens == ("[CLS]", "the", "letter", "##s", "[SEP]")
    assert words.ids == (2, 5, 6, 9, 3)
    x = w["bert.embeddings.word_embeddings.weight"][[2, 5, 6, 9, 3]] + w["bert.embeddings.position_embeddings.weight"][:5]
    x = x + w["bert.embeddings.token_type_embeddings.weight"][0]
    x = norm(x, w["bert.embeddings.LayerNorm.weight"], w["bert.embeddings.LayerNorm.bias"])
    np.testing.assert_allclose(model.entering(words.ids, 0), x, atol=1e-5)
    assert len(model.layers) == LAYERS
    np.testing.assert_array_equal(model.flat(2)["w_k"], bert()["bert.encoder.layer.2.attention.self.key.weight"].T)


def test_it_says_how_much_memory_it_takes_at_most(tmp_path):
    assert str(open_model(write(tmp_path / "m"))).startswith("m: bert, 3 layers of 2 heads, 14 wide; at most 1 MB in memory")


def without(*parts: str) -> dict[str, np.ndarray]:
    return {name: values for name, values in bert().items() if not any(part in name for part in parts)}


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def put(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder


def taken(folder: Path, name: str) -> Path:
    (folder / name).unlink()
    return folder


#: What is wrong with a folder, and words of the sentence.
BAD = {
    "no folder": (lambda at: at / "nowhere", "There is no folder nowhere"),
    "a file": (lambda at: put(write(at), "x", b"") / "x", "There is no folder x"),
    "no configuration": (lambda at: taken(write(at), "config.json"), "The folder has no config.json"),
    "a configuration that is no JSON": (lambda at: put(write(at), "config.json", b"{]"), "not JSON"),
    "a list": (lambda at: put(write(at), "config.json", b"[]"), "not a JSON object"),
    "another family": (lambda at: write(at, model_type="t5"), "model_type must be one of"),
    "no family": (lambda at: write(at, model_type=None), "model_type must be one of"),
    "no weights": (lambda at: taken(write(at), "model.safetensors"), "The folder has no model.safetensors"),
    "empty weights": (lambda at: put(write(at), "model.safetensors", b""), "safetensors library cannot read"),
    "a pickle": (lambda at: put(write(at), "model.safetensors", b"\x80\x04K\x01." * 9), "safetensors library cannot read"),
    "weights cut off": (lambda at: put(write(at), "model.safetensors", safetensors(bert())[:-9]), "not fully covered"),
    "a part above the folder": (
        lambda at: put(taken(write(at), "model.safetensors"), "model.safetensors.index.json", b'{"weight_map": {"a": "../x"}}'),
        "No attention layer"),
    "no tokenizer": (lambda at: taken(write(at), "vocab.txt"), "no tokenizer.json and no vocabulary"),
    "a broken tokenizer": (lambda at: put(write(at), "tokenizer.json", b'{"model": 7}'), "tokenizer in the folder is broken"),
    "no embeddings": (lambda at: write(at, without("word_embeddings")), "no embeddings.word_embeddings.weight"),
    "no norm": (lambda at: write(at, without("encoder.layer.1.output.LayerNorm")), "no encoder.layer.1.output.LayerNorm"),
    "a layer too few": (lambda at: write(at, num_hidden_layers=4), "says 4 layers of attention; the weights have 3"),
    "half a layer": (lambda at: write(at, without("layer.1.attention.self.key")), "the weights have 2"),
    "other sizes": (lambda at: write(at, hidden_size=28), "another model"),
    "heads that do not divide": (lambda at: write(at, num_attention_heads=3), "not divide"),
    "a positions' table of another width": (
        lambda at: write(at, bert() | {"bert.embeddings.position_embeddings.weight": ones(11, 13)}), "does not fit"),
    "a kernel the wrong way": (
        lambda at: write(at, bert() | {"bert.encoder.layer.0.output.dense.weight": ones(5, 14)}), "does not fit"),
    "an activation": (lambda at: write(at, hidden_act="swish2"), "the activation must be one of"),
    "an epsilon": (lambda at: write(at, layer_norm_eps=-1.0), "epsilon"),
    "a decoder": (lambda at: write(at, is_decoder=True), "is_decoder"),
    "relative positions": (lambda at: write(at, position_embedding_type="relative_key"), "relative position bias"),
    "GPT-2 with the words of BERT": (
        lambda at: write(at, gpt2(), model_type="gpt2", n_embd=14, n_head=2, num_hidden_layers=1, vocab_size=5, n_positions=11),
        "no tokenizer.json and no vocabulary"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_a_folder_that_is_none_is_refused_in_a_sentence(what: str, tmp_path):
    make, words = BAD[what]
    with pytest.raises(UnreadableFile) as refused:
        open_model(make(tmp_path / "m"))
    said = str(refused.value.sentence.format(*refused.value.names))
    assert words in said
    assert said.endswith(".")
    assert str(tmp_path) not in said


@pytest.mark.parametrize(("text", "words"), [("", "from 1 to 11"), ("the " * 10, "has 12 tokens")])
def test_a_sentence_has_as_many_tokens_as_the_model_has_positions(text: str, words: str, tmp_path):
    model = open_model(write(tmp_path / "m"))
    if text:
        with pytest.raises(UnreadableFile, match=words):
            model.read(text)
    assert len(model.read("the " * 9).ids) == 11


def test_a_number_that_is_not_finite_is_found_when_it_is_read(tmp_path):
    weights = bert()
    weights["bert.encoder.layer.1.intermediate.dense.weight"][0, 0] = np.nan
    model = open_model(write(tmp_path / "m", weights))
    model.entering((2, 5, 3), 1)
    with pytest.raises(UnreadableFile, match="NaN or infinite"):
        model.entering((2, 5, 3), 2)
    assert CFG.num_heads == model.heads
