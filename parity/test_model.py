"""Small models of BERT's and GPT-2's kind, saved by transformers and run by NumPy: every layer's hidden state and attention."""

import numpy as np
import pytest
import torch
import transformers
from tokenizers import BertWordPieceTokenizer, ByteLevelBPETokenizer

from mha.loading.model import Model, open_model
from mha.loading.tensors import UnreadableFile

TEXT = "the letter was from her brother, and she gave it to the man"
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted({*TEXT.replace(",", " ,").split()}), "##s", "let", "##ter")
BERT = {
    "hidden_size": 22, "num_attention_heads": 2, "intermediate_size": 13, "vocab_size": len(WORDS), "max_position_embeddings": 37,
}  # fmt: skip
GPT = {"n_embd": 26, "n_head": 2, "n_positions": 67, "vocab_size": 300}
#: The class, and the fields of its configuration.
MODELS = {
    "BERT": ("BertModel", BERT | {"num_hidden_layers": 3}),
    "BERT with a head": ("BertForMaskedLM", BERT | {"num_hidden_layers": 2, "num_attention_heads": 11, "layer_norm_eps": 1e-3}),
    "BERT with relu": ("BertModel", BERT | {"num_hidden_layers": 1, "hidden_act": "relu"}),
    "RoBERTa": ("RobertaModel", BERT | {"num_hidden_layers": 3}),
    "XLM-RoBERTa": ("XLMRobertaForMaskedLM", BERT | {"num_hidden_layers": 1, "num_attention_heads": 1}),
    "CamemBERT": ("CamembertModel", BERT | {"num_hidden_layers": 2, "hidden_act": "gelu_new"}),
    "DistilBERT": ("DistilBertModel", {"dim": 22, "n_heads": 2, "n_layers": 3, "hidden_dim": 13, "vocab_size": len(WORDS),
                                       "max_position_embeddings": 37}),
    "GPT-2": ("GPT2Model", GPT | {"n_layer": 3}), "GPT-2 with a head": ("GPT2LMHeadModel", GPT | {"n_layer": 2, "n_head": 13}),
    "GPT-2 with its own inner width": ("GPT2LMHeadModel", GPT | {"n_layer": 1, "n_inner": 17, "layer_norm_epsilon": 1e-3}),
}  # fmt: skip


def made(name: str, folder) -> tuple[Model, transformers.PreTrainedModel]:
    """Random, norms and biases too; with a tokenizer beside it, and read back."""
    class_name, settings = MODELS[name]
    found = getattr(transformers, class_name)
    torch.manual_seed(11)
    model = found(found.config_class(**settings, attn_implementation="eager")).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(0.3 * torch.randn_like(parameter))
    model.save_pretrained(folder)
    if name.startswith("GPT"):
        tokenizer = ByteLevelBPETokenizer()
        tokenizer.train_from_iterator([TEXT], vocab_size=300, min_frequency=1)
        tokenizer.save_model(str(folder))
    else:
        (folder / "vocab.txt").write_text("\n".join(WORDS))
    return open_model(folder), model


@pytest.mark.parametrize("name", MODELS)
def test_hidden_states_and_attentions_of_every_layer_are_those_of_the_class(name, tmp_path):
    ours, real = made(name, tmp_path)
    words = ours.read(TEXT)
    with torch.no_grad():
        told = real(torch.tensor([words.ids]), output_hidden_states=True, output_attentions=True)
    np.testing.assert_allclose(ours.embedded(words.ids), told.hidden_states[0].numpy(), atol=1e-5, rtol=0)
    layers = list(ours.states(words.ids))
    assert len(layers) == len(told.attentions)
    for number, (entering, trace, leaving) in enumerate(layers):
        np.testing.assert_allclose(trace.weights.values, told.attentions[number].numpy(), atol=1e-5, rtol=0)
        np.testing.assert_allclose(leaving, told.hidden_states[number + 1].numpy(), atol=1e-5, rtol=0)
        np.testing.assert_array_equal(ours.entering(words.ids, number), entering[0])


@pytest.mark.parametrize("name", ["BERT", "GPT-2"])
def test_words_are_cut_as_the_real_tokenizer_cuts_them(name, tmp_path):
    ours, _ = made(name, tmp_path)
    if name == "BERT":
        assert ours.read("The letters").tokens == ("[CLS]", "the", "letter", "##s", "[SEP]")
        whole = BertWordPieceTokenizer(str(tmp_path / "vocab.txt"))
        whole.save(str(tmp_path / "tokenizer.json"))
    else:
        assert ours.read(TEXT).tokens[:3] == ("the", "letter", "was")
        whole = ByteLevelBPETokenizer(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
        whole.save(str(tmp_path / "tokenizer.json"))
    assert open_model(tmp_path).read(TEXT) == ours.read(TEXT)


def test_a_model_in_parts_and_in_half_precision_is_read(tmp_path):
    (tmp_path / "whole").mkdir()
    ours, real = made("BERT", tmp_path / "whole")
    parts = tmp_path / "parts"
    real.to(torch.bfloat16).save_pretrained(parts, max_shard_size="4KB")
    (parts / "vocab.txt").write_text("\n".join(WORDS))
    assert not (parts / "model.safetensors").exists()
    halves = open_model(parts)
    words = ours.read(TEXT)
    with torch.no_grad():
        told = real.float()(torch.tensor([words.ids]), output_hidden_states=True).hidden_states
    np.testing.assert_allclose(list(halves.states(words.ids))[-1][2], told[-1].numpy(), atol=1e-5, rtol=0)


def test_a_model_that_attends_otherwise_is_refused(tmp_path):
    model = transformers.GPT2Model(transformers.GPT2Config(**GPT, n_layer=1, scale_attn_by_inverse_layer_idx=True))
    model.save_pretrained(tmp_path)
    with pytest.raises(UnreadableFile, match="another divisor"):
        open_model(tmp_path)
