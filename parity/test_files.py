"""Models of the real classes saved as they are, weights and config.json: a layer read back gives the output of the class, and
what the configuration says of mask and heads is what the class does."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
import transformers

from mha import Inputs, run
from mha.arrays import Array
from mha.files import fit
from mha.files.beside import POSITIONS, SCALE
from mha.files.contents import open_files
from mha.files.layers import Layer, find_layers
from mha.files.report import inspect_in_subprocess

SIZES = ((22, 2, 3, 13), (35, 5, 1, 11), (24, 4, 2, 19))
EVEN = ((24, 2, 3, 13), (40, 5, 1, 11))  # a rotation turns numbers in pairs


@dataclass
class Kind:
    """A family: the class, its configuration from (width, heads, layers, words), the modules of attention by name, and the words
    that stand in the reason why the pages do not show it ("" where they do)."""

    model: str
    config: Callable[[int, int, int, int], dict]
    modules: str
    why_not: str = ""
    sizes: tuple[tuple[int, int, int, int], ...] = SIZES[:2]
    inputs: str = "input_ids"
    looks_back: bool | None = None
    output: str = "dense"
    extra: dict = field(default_factory=dict)


def usual(d: int, h: int, n: int, words: int) -> dict:
    return {"hidden_size": d, "num_attention_heads": h, "num_hidden_layers": n, "intermediate_size": 7, "vocab_size": words}


def gpt(d: int, h: int, n: int, words: int) -> dict:
    return {"n_embd": d, "n_head": h, "n_layer": n, "vocab_size": words, "n_positions": 17}


def both(d: int, h: int, n: int, words: int) -> dict:
    sides = {f"{side}_{name}": value for side in ("encoder", "decoder") for name, value in (
        ("layers", n), ("attention_heads", h), ("ffn_dim", 7))}  # fmt: skip
    return {"d_model": d, "vocab_size": words, "max_position_embeddings": 17, "pad_token_id": 0, **sides}


def picture(d: int, h: int, n: int, words: int) -> dict:
    return usual(d, h, n, words) | {"image_size": 6, "patch_size": 3}


KINDS = {
    "BERT": Kind("BertModel", usual, r"layer\.\d+\.attention", output="output.dense", looks_back=False),
    "GPT-2": Kind("GPT2LMHeadModel", gpt, r"h\.\d+\.attn", output="c_proj", looks_back=True),
    "DistilBERT": Kind(
        "DistilBertModel", lambda d, h, n, w: {"dim": d, "n_heads": h, "n_layers": n, "hidden_dim": 7, "vocab_size": w},
        r"layer\.\d+\.attention", output="out_lin", looks_back=False),
    "ViT": Kind("ViTModel", picture, r"layers?\.\d+\.attention", inputs="pixel_values", looks_back=False, output="o_proj"),
    "OPT": Kind("OPTForCausalLM", lambda d, h, n, w: usual(d, h, n, w) | {"ffn_dim": 7, "word_embed_proj_dim": d},
                r"layers\.\d+\.self_attn", output="out_proj", looks_back=True),
    "BART's encoder and decoder": Kind("BartModel", both, r"layers\.\d+\.(self_attn|encoder_attn)", output="out_proj"),
    "T5": Kind(
        "T5Model", lambda d, h, n, w: {"d_model": d, "num_heads": h, "d_kv": 3, "num_layers": n, "d_ff": 7, "vocab_size": w},
        r"(SelfAttention|EncDecAttention)", SCALE, output="o"),
    "GPT-NeoX": Kind("GPTNeoXForCausalLM", usual, r"layers\.\d+\.attention", POSITIONS, EVEN, looks_back=True),
    "BLOOM": Kind("BloomForCausalLM", lambda d, h, n, w: {"hidden_size": d, "n_head": h, "n_layer": n, "vocab_size": w},
                  r"h\.\d+\.self_attention", "", EVEN, looks_back=True),
    "Falcon, all heads": Kind(
        "FalconForCausalLM", lambda d, h, n, w: usual(d, h, n, w) | {"multi_query": False, "new_decoder_architecture": False},
        r"h\.\d+\.self_attention", "", EVEN, looks_back=True),
    "Falcon, groups of one": Kind(
        "FalconForCausalLM", lambda d, h, n, w: usual(d, h, n, w) | {"new_decoder_architecture": True, "num_kv_heads": h},
        r"h\.\d+\.self_attention", "", EVEN, looks_back=True),
    "Phi-3": Kind("Phi3ForCausalLM", lambda d, h, n, w: usual(d, h, n, w) | {"pad_token_id": 0},
                  r"layers\.\d+\.self_attn", "", EVEN, looks_back=True, output="o_proj"),
    "Llama": Kind("LlamaForCausalLM", usual, r"layers\.\d+\.self_attn", "", EVEN, looks_back=True, output="o_proj"),
    "Llama, shared keys, another base": Kind(
        "LlamaForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13), (40, 10, 1, 11)), looks_back=True,
        output="o_proj", extra={"num_key_value_heads": 2, "rope_parameters": {
            "rope_type": "default", "rope_theta": 500_000.0}}),
    "Qwen2": Kind("Qwen2ForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13), (40, 10, 1, 11)), looks_back=True,
                  output="o_proj", extra={"num_key_value_heads": 2}),
    "Qwen3, norms of queries and keys": Kind(
        "Qwen3ForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13), (40, 10, 1, 11)), looks_back=True,
        output="o_proj", extra={"num_key_value_heads": 2, "head_dim": 6}),
    "Mistral, a window": Kind("MistralForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                              output="o_proj", extra={"num_key_value_heads": 3, "sliding_window": 4}),
    "Cohere": Kind("CohereForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                   output="o_proj", extra={"num_key_value_heads": 2, "pad_token_id": 0}),
    "Gemma": Kind("GemmaForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                  output="o_proj", extra={"num_key_value_heads": 1, "head_dim": 10}),
    "StarCoder2": Kind("Starcoder2ForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                       output="o_proj", extra={"num_key_value_heads": 2, "sliding_window": 3}),
    "Llama, scaled angles": Kind(
        "LlamaForCausalLM", usual, r"layers\.\d+\.self_attn", POSITIONS, ((48, 6, 2, 13),), output="o_proj",
        extra={"rope_parameters": {"rope_type": "linear", "rope_theta": 10_000.0, "factor": 2.0}}),
    "ModernBERT": Kind("ModernBertModel", usual, r"layers\.\d+\.attn", "", ((24, 2, 4, 13), (40, 5, 3, 11)), looks_back=False,
                       output="Wo", extra={"local_attention": 4, "pad_token_id": 0}),
    "Gemma 2": Kind("Gemma2ForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                    output="o_proj", extra={"num_key_value_heads": 3, "sliding_window": 4, "head_dim": 16,
                                                       "query_pre_attn_scalar": 16}),
}  # fmt: skip


def made(kind: Kind, sizes: tuple[int, int, int, int]) -> transformers.PreTrainedModel:
    """Small and random, biases too, which start at 0."""
    found = getattr(transformers, kind.model)
    settings = found.config_class(**kind.config(*sizes), **kind.extra)
    model = found(settings)
    torch.manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(0.3 * torch.randn_like(parameter))
    return model.eval()


def saved(model: transformers.PreTrainedModel, folder) -> dict[str, bytes]:
    model.save_pretrained(folder)
    return {name: (folder / name).read_bytes() for name in ("model.safetensors", "config.json")}


def call(kind: Kind, model, batch: int, length: int) -> dict:
    if kind.inputs == "pixel_values":
        return {"pixel_values": torch.randn(batch, 3, 6, 6)}
    ids = torch.arange(batch * length).reshape(batch, length) % 11
    return {"input_ids": ids} | ({"decoder_input_ids": ids} if model.config.is_encoder_decoder else {})


def modules_of(model, kind: Kind) -> dict[str, torch.nn.Module]:
    return {place: module for place, module in model.named_modules() if re.search(rf"(?:^|\.){kind.modules}$", place)}


def module_of(model, kind: Kind, layer: Layer) -> torch.nn.Module:
    """The module that the layer's arrays belong to: transformers saves some under the names of its older versions."""

    def place(name: str) -> tuple[object, ...]:
        return re.findall(r"\d+", name), "decoder" in name, bool(re.search("encoder_attn|EncDec", name))

    wanted = place(next(iter(layer.pieces.values())).name)
    return next(module for name, module in modules_of(model, kind).items() if place(name) == wanted)


CASES = [(name, sizes) for name, kind in KINDS.items() for sizes in kind.sizes]


@pytest.mark.parametrize(("name", "sizes"), CASES, ids=str)
def test_a_layer_that_is_shown_gives_the_output_of_the_class_and_others_say_why_not(name, sizes, tmp_path):
    """Heads and mask come from the config.json beside the weights; X is what enters the layer in the model."""
    kind, model = KINDS[name], made(KINDS[name], sizes)
    model.set_attn_implementation("eager")
    files = saved(model, tmp_path)
    layers, _ = find_layers(open_files(files))
    assert len(layers) == len(modules_of(model, kind))
    if kind.looks_back is not None:
        assert {layer.sizes.looks_back for layer in layers} == {sees_no_later_word(kind, model)} == {kind.looks_back}
    for layer, entry in zip(layers, inspect_in_subprocess(files)[0].entries, strict=True):
        module, caught = module_of(model, kind, layer), {}
        inside = sum(p.numel() for name, p in module.named_parameters() if "LayerNorm" not in name)
        shared = kind.extra.get("num_key_value_heads", sizes[1])
        assert (entry.sizes.num_heads, entry.sizes.kv_heads, entry.sizes.count) == (sizes[1], shared, inside)
        if kind.why_not or "encoder_attn" in entry.name:
            assert kind.why_not in entry.why_not
            continue
        assert entry.why_not == ""
        begin = module.register_forward_pre_hook(
            lambda _, args, kwargs, caught=caught: caught.update(x=args[0] if args else kwargs["hidden_states"]), with_kwargs=True
        )
        end = module.get_submodule(kind.output).register_forward_hook(lambda _, args, out, caught=caught: caught.update(y=out))
        with torch.no_grad():
            model(**call(kind, model, 2, 7))
        begin.remove(), end.remove()
        x, mask = caught["x"].numpy(), "causal" if entry.sizes.looks_back else "none"
        cfg = fit.config(entry.sizes, sizes[1], query_len=x.shape[1], batch=x.shape[0], mask=mask)
        inputs = Inputs(Array(x, "btm"), Array(x, "bsm"))
        ours = run(cfg, params=fit.params(layer.numbers(), cfg), inputs=inputs).output.values
        np.testing.assert_allclose(ours, caught["y"].numpy().reshape(ours.shape), atol=2e-5, rtol=1e-5)


def sees_no_later_word(kind: Kind, model) -> bool:
    """Whether another last word leaves the first one as it is; of pictures there is none."""
    if kind.inputs != "input_ids":
        return False
    with torch.no_grad():
        first = model(input_ids=torch.tensor([[3, 1, 4, 1, 5], [3, 1, 4, 1, 6]]))[0][:, 0]
    return torch.allclose(first[0], first[1], atol=1e-6)
