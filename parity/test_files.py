"""Tests layers in saved files against the real classes of transformers and PyTorch: outputs, masks, heads, parameter counts."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import save

from headcount import Config, Inputs, count_parameters, load, run
from headcount.arrays import Array
from headcount.files import fit
from headcount.files.contents import Contents, open_files
from headcount.files.layers import find_layers
from headcount.files.report import inspect_in_subprocess
from headcount.files.tensors import Tensor
from parity.models import shaken
from tests.layer.files.files import output_of

#: Width, heads, layers and vocabulary. EVEN has an even key size for rotary embeddings; SHARED has heads that share keys.
ODD, EVEN = ((22, 2, 3, 13), (35, 5, 1, 11)), ((24, 2, 3, 13), (40, 5, 1, 11))
WIDE, SHARED = ((48, 6, 2, 13),), ((48, 6, 2, 13), (40, 10, 1, 11))
LINEAR = {"rope_type": "linear", "rope_theta": 10_000.0, "factor": 2.0}
#: Of the pairs in a head of 8 numbers, some turn often within the original context and some seldom.
LLAMA3 = {"rope_type": "llama3", "rope_theta": 300.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 64}  # fmt: skip
YARN = {"rope_type": "yarn", "rope_theta": 300.0, "factor": 4.0, "original_max_position_embeddings": 64, "beta_fast": 8.0}
DEEPSEEK = YARN | {"mscale": 1.0, "mscale_all_dim": 0.7}


@dataclass
class Kind:
    """A family of models: its class, the function that makes a configuration from sizes, further fields of it, and a part of the
    reason why the pages do not show its layers ("" if they do)."""

    model: str
    config: Callable[[int, int, int, int], dict]
    sizes: tuple[tuple[int, int, int, int], ...] = ODD
    extra: dict = field(default_factory=dict)
    why_not: str = ""


def usual(d: int, h: int, n: int, words: int) -> dict:
    return {"hidden_size": d, "num_attention_heads": h, "num_hidden_layers": n, "intermediate_size": 7, "vocab_size": words,
            "pad_token_id": 0}  # fmt: skip


def gpt(d: int, h: int, n: int, words: int) -> dict:
    return {"n_embd": d, "n_head": h, "n_layer": n, "vocab_size": words, "n_positions": 17}


def both(d: int, h: int, n: int, words: int) -> dict:
    sides = {f"{side}_{name}": value for side in ("encoder", "decoder") for name, value in (
        ("layers", n), ("attention_heads", h), ("ffn_dim", 7))}  # fmt: skip
    return {"d_model": d, "vocab_size": words, "max_position_embeddings": 17, "pad_token_id": 0, **sides}


def distilled(d: int, h: int, n: int, words: int) -> dict:
    return {"dim": d, "n_heads": h, "n_layers": n, "hidden_dim": 7, "vocab_size": words}


def picture(d: int, h: int, n: int, words: int) -> dict:
    return usual(d, h, n, words) | {"image_size": 6, "patch_size": 3}


def opt(d: int, h: int, n: int, words: int) -> dict:
    return usual(d, h, n, words) | {"ffn_dim": 7, "word_embed_proj_dim": d}


def t5(d: int, h: int, n: int, words: int) -> dict:
    return {"d_model": d, "num_heads": h, "d_kv": 3, "num_layers": n, "d_ff": 7, "vocab_size": words, "decoder_start_token_id": 0}


def groups_of_one(d: int, h: int, n: int, words: int) -> dict:
    return usual(d, h, n, words) | {"new_decoder_architecture": True, "num_kv_heads": h}


def grouped(kv_heads: int, **more: object) -> dict:
    return {"num_key_value_heads": kv_heads, **more}


KINDS = {
    "BERT": Kind("BertModel", usual), "GPT-2": Kind("GPT2LMHeadModel", gpt), "DistilBERT": Kind("DistilBertModel", distilled),
    "ViT": Kind("ViTModel", picture), "OPT": Kind("OPTForCausalLM", opt), "BART": Kind("BartModel", both),
    "T5": Kind("T5Model", t5, why_not="model_type: t5 (scores are not divided"),
    "GPT-NeoX": Kind("GPTNeoXForCausalLM", usual, EVEN, why_not="model_type: gpt_neox (of each head"),
    "BLOOM": Kind("BloomForCausalLM", lambda d, h, n, w: {"hidden_size": d, "n_head": h, "n_layer": n, "vocab_size": w}, EVEN),
    "Falcon": Kind("FalconForCausalLM", usual, EVEN, {"multi_query": False, "new_decoder_architecture": False}),
    "Falcon, groups of one": Kind("FalconForCausalLM", groups_of_one, EVEN), "Phi-3": Kind("Phi3ForCausalLM", usual, EVEN),
    "Llama": Kind("LlamaForCausalLM", usual, EVEN),
    "Llama, another base": Kind(
        "LlamaForCausalLM", usual, SHARED, grouped(2, rope_parameters={"rope_type": "default", "rope_theta": 500_000.0})),
    "Llama, linear": Kind("LlamaForCausalLM", usual, WIDE, {"rope_parameters": LINEAR}),
    "Llama 3.1": Kind("LlamaForCausalLM", usual, WIDE, grouped(2, rope_parameters=LLAMA3)),
    "Llama, yarn": Kind("LlamaForCausalLM", usual, WIDE, grouped(2, rope_parameters=YARN)),
    "Llama, yarn untruncated": Kind(
        "LlamaForCausalLM", usual, WIDE, {"rope_parameters": YARN | {"truncate": False, "attention_factor": 1.3}}),
    "Llama, yarn of DeepSeek": Kind("LlamaForCausalLM", usual, WIDE, {"rope_parameters": DEEPSEEK}, "rope_parameters: "),
    "Qwen2": Kind("Qwen2ForCausalLM", usual, SHARED, grouped(2)),
    "Qwen3": Kind("Qwen3ForCausalLM", usual, SHARED, grouped(2, head_dim=6)),
    "Mistral": Kind("MistralForCausalLM", usual, WIDE, grouped(3, sliding_window=4)),
    "Cohere": Kind("CohereForCausalLM", usual, WIDE, grouped(2)), "Gemma": Kind(
        "GemmaForCausalLM", usual, WIDE, grouped(1, head_dim=10)),
    "StarCoder2": Kind("Starcoder2ForCausalLM", usual, WIDE, grouped(2, sliding_window=3)),
    "ModernBERT": Kind("ModernBertModel", usual, ((24, 2, 4, 13), (40, 5, 3, 11)), {"local_attention": 4}),
    "Gemma 2": Kind("Gemma2ForCausalLM", usual, WIDE, grouped(3, sliding_window=4, head_dim=16, query_pre_attn_scalar=16)),
}  # fmt: skip


def made(kind: Kind, sizes: tuple[int, int, int, int]) -> transformers.PreTrainedModel:
    """Makes a small model with random weights."""
    found = getattr(transformers, kind.model)
    return shaken(found(found.config_class(**kind.config(*sizes), **kind.extra)))


def call(model, batch: int, length: int) -> dict:
    if model.main_input_name == "pixel_values":
        return {"pixel_values": torch.randn(batch, 3, 6, 6)}
    ids = torch.arange(batch * length).reshape(batch, length) % 11
    return {"input_ids": ids} | ({"decoder_input_ids": ids} if model.config.is_encoder_decoder else {})


@pytest.mark.parametrize(("name", "sizes"), [(name, sizes) for name, kind in KINDS.items() for sizes in kind.sizes], ids=str)
def test_a_layer_that_is_shown_gives_the_output_of_the_class_and_others_say_why_not(name, sizes, tmp_path):
    """Heads and mask come from the config.json beside the weights, and X is the input of the layer inside the model. A file may
    use the names of an older version than the model's own."""
    kind, model = KINDS[name], made(KINDS[name], sizes)
    model.set_attn_implementation("eager")
    model.save_pretrained(tmp_path)
    files = {name: (tmp_path / name).read_bytes() for name in ("model.safetensors", "config.json")}
    layers, _ = find_layers(open_files(files))
    own, _ = find_layers(Contents([Tensor(name, values.numpy()) for name, values in model.state_dict().items()]))
    assert len(layers) == len(own) == sizes[2] * (3 if model.config.is_encoder_decoder else 1)
    if not model.config.is_encoder_decoder:
        assert {layer.sizes.looks_back for layer in layers} == {sees_no_later_word(model)}
    for layer, there, entry in zip(layers, own, inspect_in_subprocess(files)[0].entries, strict=True):
        pieces = there.pieces
        asks, gives = (one.name.rpartition(".")[0] for one in (pieces.get("w_qkv") or pieces["w_q"], pieces["w_o"]))
        same = (word for word, other in zip(asks.split("."), gives.split("."), strict=False) if word == other)
        module, caught = model.get_submodule(".".join(same)), {}
        inside = sum(p.numel() for name, p in module.named_parameters() if "LayerNorm" not in name)
        shared = kind.extra.get("num_key_value_heads", sizes[1])
        assert (entry.sizes.num_heads, entry.sizes.kv_heads, entry.sizes.count) == (sizes[1], shared, inside)
        if kind.why_not or "encoder_attn" in entry.name:
            assert kind.why_not in entry.why_not.format(*entry.named)
            continue
        assert entry.why_not == ""
        begin = model.get_submodule(asks).register_forward_pre_hook(lambda _, args, caught=caught: caught.update(x=args[0]))
        end = model.get_submodule(gives).register_forward_hook(lambda _, args, out, caught=caught: caught.update(y=out))
        with torch.no_grad():
            model(**call(model, 2, 7))
        begin.remove(), end.remove()
        x, mask = caught["x"].numpy(), "causal" if entry.sizes.looks_back else "none"
        cfg = fit.config(entry.sizes, sizes[1], query_len=x.shape[1], batch=x.shape[0], mask=mask)
        inputs = Inputs(Array(x, "btm"), Array(x, "bsm"))
        ours = run(cfg, params=fit.params(layer.numbers(), cfg), inputs=inputs).output.values
        np.testing.assert_allclose(ours, caught["y"].numpy().reshape(ours.shape), atol=2e-5, rtol=1e-5)


def sees_no_later_word(model) -> bool:
    """Whether another last word leaves the output of the first one unchanged. False for models of pictures."""
    if model.main_input_name != "input_ids":
        return False
    with torch.no_grad():
        first = model(input_ids=torch.tensor([[3, 1, 4, 1, 5], [3, 1, 4, 1, 6]]))[0][:, 0]
    return torch.allclose(first[0], first[1], atol=1e-6)


NEAR = {"atol": 1e-5, "rtol": 0}
BATCH, LENGTH = 2, 7


@pytest.mark.parametrize(("width", "heads", "bias"), [(21, 7, True), (26, 2, False), (11, 1, True)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_layer_saved_by_pytorch(width, heads, bias, dtype):
    layer = shaken(torch.nn.MultiheadAttention(width, heads, bias=bias, batch_first=True)).to(dtype)
    data, x = save(layer.state_dict()), torch.randn(BATCH, LENGTH, width)
    np.testing.assert_allclose(output_of(data, 0, heads, x.numpy()), layer.float()(x, x, x)[0].detach().numpy(), **NEAR)


@pytest.mark.parametrize(("width", "heads", "bias", "first"), [(21, 7, True, True), (26, 2, False, False)])
def test_a_layer_of_pytorch_is_brought_in_by_one_call_and_gives_its_numbers(width, heads, bias, first):
    layer = shaken(torch.nn.MultiheadAttention(width, heads, bias=bias, batch_first=first))
    x, hidden = torch.randn(BATCH, LENGTH, width), torch.ones(LENGTH, LENGTH).triu(1).bool()
    turned = x if first else x.transpose(0, 1)
    output, weights = layer(turned, turned, turned, attn_mask=hidden, average_attn_weights=False)
    trace = load(layer).run(x, mask=~hidden.numpy())
    np.testing.assert_allclose(trace.output, (output if first else output.transpose(0, 1)).detach(), **NEAR)
    np.testing.assert_allclose(trace.weights, weights.detach(), **NEAR)
    for more in ({"add_zero_attn": True}, {"kdim": 5}, {"add_bias_kv": True}):
        with pytest.raises(ValueError, match=r"add_zero_attn|wide; these|bias_k.*bias_v"):
            load(torch.nn.MultiheadAttention(width, heads, **more))


def test_a_layer_with_keys_of_another_width_is_counted_and_not_shown():
    layer = torch.nn.MultiheadAttention(12, 3, kdim=5, vdim=7)
    (entry,) = inspect_in_subprocess(save(layer.state_dict()))[0].entries
    assert entry.sizes.count == sum(p.numel() for p in layer.parameters())
    assert "12, 5, 7 and 12 wide" in entry.why_not


def test_every_layer_of_a_pytorch_encoder_is_found():
    stack = shaken(torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(14, 2, 3, batch_first=True), 11))
    data, x = save(stack.state_dict()), torch.randn(BATCH, LENGTH, 14)
    entries = inspect_in_subprocess(data)[0].entries
    assert [entry.name for entry in entries] == [f"layers.{i}.self_attn" for i in range(11)]
    assert {entry.sizes.num_heads for entry in entries} == {None}, "these files do not say it"
    real = stack.layers[10].self_attn(x, x, x)[0].detach().numpy()
    np.testing.assert_allclose(output_of(data, 10, 2, x.numpy()), real, **NEAR)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("width", "heads"), [(26, 13), (26, 1), (77, 7), (768, 12), (768, 384)])
def test_the_paper_split_counts_what_pytorch_builds(width: int, heads: int, bias: bool):
    real = torch.nn.MultiheadAttention(width, heads, bias=bias, device="meta")
    assert count_parameters(Config(width, heads, use_bias=bias)) == sum(p.numel() for p in real.parameters())


def test_heads_that_do_not_divide_are_refused_with_the_words_that_the_pages_show():
    with pytest.raises(AssertionError, match=r"^embed_dim must be divisible by num_heads$"):
        torch.nn.MultiheadAttention(768, 5, device="meta")
