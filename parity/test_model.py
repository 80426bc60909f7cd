"""Small models in a folder, as save_pretrained writes them, run by transformers: layers are what the class computed."""

import json
import sys

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from mha.files import model as parent
from mha.files import model_worker
from mha.files.model import Reading, open_model
from mha.files.report import from_plain
from mha.files.tensors import UnreadableFile
from mha.models import worker
from parity.test_files import KINDS, made

#: Twelve words, with the unknown one as many as the smallest models of KINDS have.
TEXT = "the letter was from her brother , and she gave it to"
WORDS = ("[UNK]", *TEXT.split())
#: Families that are run: each way to pack and to share, and every door for those who look on.
RUN = ("BERT", "GPT-2", "DistilBERT", "OPT", "T5", "Llama", "Llama, another base", "Qwen2", "Qwen3", "Mistral", "ModernBERT")


def saved(name: str, folder) -> transformers.PreTrainedModel:
    """With a tokenizer beside it."""
    model = made(KINDS[name], KINDS[name].sizes[0])
    model.save_pretrained(folder)
    words = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]").save_pretrained(folder)
    return model


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    """In this process, whose Python has transformers."""
    monkeypatch.setattr(worker, "no_network", lambda: None)
    model_worker.load()
    model_worker.opened.cache_clear()


def asked(folder, monkeypatch, **question):
    monkeypatch.setattr(sys, "argv", ["worker", str(folder)])
    return model_worker.handle(question, {})


@pytest.mark.parametrize("name", RUN)
def test_every_layer_that_is_drawn_has_the_maps_and_the_output_of_the_class(name, tmp_path, monkeypatch):
    saved(name, tmp_path)
    if name.startswith("Qwen"):  # whose own tokenizer knows no words but its own
        monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", transformers.PreTrainedTokenizerFast.from_pretrained)
    about, _ = asked(tmp_path, monkeypatch)
    report, why_not = from_plain(about["report"]), KINDS[name].why_not
    for number, entry in enumerate(report.entries):
        facts, arrays = asked(tmp_path, monkeypatch, text=TEXT, number=number)
        flat = {name.removeprefix("flat."): values for name, values in arrays.items() if name.startswith("flat.")}
        found = Reading(TEXT, tuple(facts["tokens"]), arrays["x"], flat or None, arrays)
        assert found.tokens == tuple(TEXT.split())
        assert arrays["output"].shape == found.x.shape
        if why_not:
            assert why_not in entry.why_not
            assert found.flat is None
        else:
            assert entry.why_not == ""
            assert {"q", "k", "v", "weights"} <= {*arrays}
            assert found.furthest(entry.sizes) < 2e-6


def test_what_is_seen_are_the_maps_that_the_class_gives_away(tmp_path, monkeypatch):
    model = saved("Llama, another base", tmp_path)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        told = model(torch.arange(1, len(WORDS))[None], output_attentions=True).attentions
    for number, real in enumerate(told):
        _, arrays = asked(tmp_path, monkeypatch, text=TEXT, number=number)
        np.testing.assert_allclose(arrays["weights"], real[0].numpy(), atol=1e-6)
        scores = arrays["q"] @ arrays["k"].repeat(3, axis=0).swapaxes(1, 2) / 8**0.5  # d_k = 48 / 6
        scores[:, ~np.tri(len(WORDS) - 1, dtype=bool)] = -np.inf
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        np.testing.assert_allclose(weights / weights.sum(-1, keepdims=True), real[0].numpy(), atol=1e-6)


def test_words_cross_the_process_and_what_cannot_be_read_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(parent, "interpreter", lambda: sys.executable)
    saved("GPT-2", tmp_path)
    model = open_model(tmp_path)
    assert model.title.startswith("GPT2Model of transformers ")
    found = parent.read(model, TEXT, 1)
    assert found.furthest(model.report.entries[1].sizes) < 2e-6
    for text, words in (("", "0 tokens; from 1 to 64"), ("the " * 65, "65 tokens; from 1 to 64")):
        with pytest.raises(UnreadableFile, match=words):
            parent.read(model, text, 0)
    parent._worker(tmp_path).close()


def changed(folder, **fields):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | fields))


def harm(folder):
    """Weights as a pickle alone."""
    torch.save(transformers.AutoModel.from_pretrained(folder).state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


BAD = {
    "a configuration that is no JSON": (lambda at: (at / "config.json").write_text("{]"), "not JSON"),
    "a family that is none": (lambda at: changed(at, model_type="nothing", architectures=None), "transformers says: ValueError"),
    "code of its own": (lambda at: changed(at, auto_map={"AutoConfig": "x.Y", "AutoModel": "x.Y"}, model_type="nothing"),
                        "contains custom code"),
    "a pickle": (harm, "transformers says: OSError"),
    "weights cut off": (lambda at: (at / "model.safetensors").write_bytes((at / "model.safetensors").read_bytes()[:-9]),
                        "not fully covered"),
    "a layer too many": (lambda at: changed(at, num_hidden_layers=4), "The weights have no"),
    "no tokenizer": (lambda at: (at / "tokenizer.json").unlink(), "transformers says: "),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_a_folder_that_is_none_is_refused_in_a_sentence(what, tmp_path, monkeypatch):
    saved("BERT", tmp_path)
    BAD[what][0](tmp_path)
    facts, _ = asked(tmp_path, monkeypatch)
    assert BAD[what][1] in facts["error"].format(*facts["names"])
