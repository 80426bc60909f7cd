"""Models of the real classes saved as they are, weights and config.json: read back bit for bit, head by head.

A kernel is what the class itself makes of each unit vector, alone at position 0, where a rotation turns nothing. What the file's
configuration says of mask and heads is held to what the class does.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
import transformers

from mha import Inputs, run
from mha.arrays import Array
from mha.loading import fit
from mha.loading.beside import POSITIONS, SCALE
from mha.loading.contents import open_files
from mha.loading.layers import Layer, find_layers
from mha.loading.report import inspect_in_subprocess

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
    method: str = ""  # of the module, that gets or gives queries, keys and values by head
    looks_back: bool | None = None
    output: str = "dense"
    scaled: bool = False  # queries are divided before they are cut
    cut: bool = True  # the class has a place where queries, keys and values can be seen by head
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
    "RoBERTa": Kind("RobertaModel", usual, r"layer\.\d+\.attention", output="output.dense", looks_back=False),
    "GPT-2": Kind("GPT2LMHeadModel", gpt, r"h\.\d+\.attn", output="c_proj", looks_back=True),
    "DistilBERT": Kind(
        "DistilBertModel", lambda d, h, n, w: {"dim": d, "n_heads": h, "n_layers": n, "hidden_dim": 7, "vocab_size": w},
        r"layer\.\d+\.attention", output="out_lin", looks_back=False),
    "ViT": Kind("ViTModel", picture, r"layers?\.\d+\.attention", inputs="pixel_values", looks_back=False, output="o_proj"),
    "OPT": Kind("OPTForCausalLM", lambda d, h, n, w: usual(d, h, n, w) | {"ffn_dim": 7, "word_embed_proj_dim": d},
                r"layers\.\d+\.self_attn", output="out_proj", looks_back=True, scaled=True),
    "BART's encoder and decoder": Kind("BartModel", both, r"layers\.\d+\.(self_attn|encoder_attn)", output="out_proj"),
    "T5": Kind(
        "T5Model", lambda d, h, n, w: {"d_model": d, "num_heads": h, "d_kv": 3, "num_layers": n, "d_ff": 7, "vocab_size": w},
        r"(SelfAttention|EncDecAttention)", SCALE, output="o"),
    "GPT-NeoX": Kind("GPTNeoXForCausalLM", usual, r"layers\.\d+\.attention", POSITIONS, EVEN, looks_back=True),
    "BLOOM": Kind("BloomForCausalLM", lambda d, h, n, w: {"hidden_size": d, "n_head": h, "n_layer": n, "vocab_size": w},
                  r"h\.\d+\.self_attention", "", EVEN, method="_reshape", looks_back=True),
    "Falcon, all heads": Kind(
        "FalconForCausalLM", lambda d, h, n, w: usual(d, h, n, w) | {"multi_query": False, "new_decoder_architecture": False},
        r"h\.\d+\.self_attention", "", EVEN, method="_split_heads", looks_back=True),
    "Falcon, groups of one": Kind(
        "FalconForCausalLM", lambda d, h, n, w: usual(d, h, n, w) | {"new_decoder_architecture": True, "num_kv_heads": h},
        r"h\.\d+\.self_attention", "", EVEN, method="_split_heads", looks_back=True),
    "Phi-3": Kind("Phi3ForCausalLM", lambda d, h, n, w: usual(d, h, n, w) | {"pad_token_id": 0},
                  r"layers\.\d+\.self_attn", "", EVEN, looks_back=True, output="o_proj"),
    "Llama": Kind("LlamaForCausalLM", usual, r"layers\.\d+\.self_attn", "", EVEN, looks_back=True, output="o_proj"),
    "Llama, shared keys, another base": Kind(
        "LlamaForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13), (40, 10, 1, 11)), looks_back=True,
        output="o_proj", cut=False, extra={"num_key_value_heads": 2, "rope_parameters": {
            "rope_type": "default", "rope_theta": 500_000.0}}),
    "Qwen2": Kind("Qwen2ForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13), (40, 10, 1, 11)), looks_back=True,
                  output="o_proj", cut=False, extra={"num_key_value_heads": 2}),
    "Qwen3, norms of queries and keys": Kind(
        "Qwen3ForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13), (40, 10, 1, 11)), looks_back=True,
        output="o_proj", cut=False, extra={"num_key_value_heads": 2, "head_dim": 6}),
    "Mistral, a window": Kind("MistralForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                              output="o_proj", cut=False, extra={"num_key_value_heads": 3, "sliding_window": 4}),
    "Cohere": Kind("CohereForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                   output="o_proj", cut=False, extra={"num_key_value_heads": 2, "pad_token_id": 0}),
    "Gemma": Kind("GemmaForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                  output="o_proj", cut=False, extra={"num_key_value_heads": 1, "head_dim": 10}),
    "StarCoder2": Kind("Starcoder2ForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                       output="o_proj", cut=False, extra={"num_key_value_heads": 2, "sliding_window": 3}),
    "Llama, scaled angles": Kind(
        "LlamaForCausalLM", usual, r"layers\.\d+\.self_attn", POSITIONS, ((48, 6, 2, 13),), output="o_proj", cut=False,
        extra={"rope_parameters": {"rope_type": "linear", "rope_theta": 10_000.0, "factor": 2.0}}),
    "ModernBERT": Kind("ModernBertModel", usual, r"layers\.\d+\.attn", "", ((24, 2, 4, 13), (40, 5, 3, 11)), looks_back=False,
                       output="Wo", cut=False, extra={"local_attention": 4, "pad_token_id": 0}),
    "Gemma 2": Kind("Gemma2ForCausalLM", usual, r"layers\.\d+\.self_attn", "", ((48, 6, 2, 13),), looks_back=True,
                    output="o_proj", cut=False, extra={"num_key_value_heads": 3, "sliding_window": 4, "head_dim": 16,
                                                       "query_pre_attn_scalar": 16}),
    "MGP-STR (timm's names)": Kind(
        "MgpstrModel", lambda d, h, n, w: picture(d, h, n, w) | {"image_size": [6, 6], "mlp_ratio": 1.0},
        r"blocks\.\d+\.attn", inputs="pixel_values", cut=False, output="proj"),
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


CAUGHT: list[tuple[torch.Tensor, ...]] = []


def catch(module, query, key, value, *args, **kwargs):
    """In place of attention: keeps queries, keys, values, axes (sequence, head, position, size)."""
    CAUGHT.append((query.detach(), key.detach(), value.detach()))
    batch, heads, length, _ = query.shape
    return torch.zeros(batch, length, heads, value.shape[-1]), None


transformers.AttentionInterface.register("catch", catch)


def by_heads(kind: Kind, module: torch.nn.Module, x: torch.Tensor, model, monkeypatch) -> list[np.ndarray]:
    """Queries, keys and values of each row of `x` alone, axes (row, head, size), as the class cuts them."""
    CAUGHT.clear()
    before: list[int] = []

    def alone(_, args, kwargs):
        before.append(len(CAUGHT))
        return ((x[:, None], *args[1:]), kwargs) if args else (args, {**kwargs, "hidden_states": x[:, None]})

    with monkeypatch.context() as patch:
        if kind.method:
            real = getattr(module, kind.method)

            def seen(*args, **kwargs):
                CAUGHT.append(real(*args, **kwargs))
                return CAUGHT[-1]

            patch.setattr(module, kind.method, seen)
        else:
            model.set_attn_implementation("catch")
        handle = module.register_forward_pre_hook(alone, with_kwargs=True)
        with torch.no_grad():
            model(**call(kind, model, len(x), 1))
        handle.remove()
        model.set_attn_implementation("eager")
    return [array.reshape(len(x), -1, array.shape[-1]).numpy() for array in CAUGHT[before[0]]]


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
def test_every_number_of_a_saved_layer_is_the_one_that_the_class_uses(name, sizes, tmp_path, monkeypatch):
    kind, (width, heads, _, _) = KINDS[name], sizes
    model = made(kind, sizes)
    layers, _ = find_layers(open_files(saved(model, tmp_path)))
    assert len(layers) == len(modules_of(model, kind))
    for layer in layers:
        module, flat = module_of(model, kind, layer), layer.numbers()
        shared = kind.extra.get("num_key_value_heads", heads)
        assert (layer.sizes.num_heads, layer.sizes.kv_heads) == (heads, shared)
        inside = [p for n, p in module.named_parameters() if "LayerNorm" not in n]
        assert layer.sizes.count == sum(p.numel() for p in inside)
        np.testing.assert_array_equal(flat["w_o"], transposed(module.get_submodule(kind.output)))
        if kind.cut and "encoder_attn" not in layer.name and "EncDec" not in next(iter(layer.pieces.values())).name:
            rows = torch.cat((torch.eye(width), torch.zeros(1, width)))
            for letter, real in zip("qkv", by_heads(kind, module, rows, model, monkeypatch), strict=True):
                bias = flat.get(f"b_{letter}", np.zeros(1, np.float32))
                ours = np.concatenate((flat[f"w_{letter}"] + bias, np.broadcast_to(bias, (1, real[0].size))))
                ours = ours * np.float32(module.scaling) if kind.scaled and letter == "q" else ours
                np.testing.assert_array_equal(ours.reshape(real.shape), real, err_msg=f"{layer.name} {letter}")


def transposed(layer: torch.nn.Module) -> np.ndarray:
    weight = layer.weight.detach().numpy()
    return weight if isinstance(layer, transformers.pytorch_utils.Conv1D) else weight.T


@pytest.mark.parametrize(("name", "sizes"), CASES, ids=str)
def test_a_layer_that_is_shown_gives_the_output_of_the_class_and_others_say_why_not(name, sizes, tmp_path):
    """Heads and mask come from the config.json beside the weights; X is what enters the layer in the model."""
    kind, model = KINDS[name], made(KINDS[name], sizes)
    model.set_attn_implementation("eager")
    files = saved(model, tmp_path)
    layers, _ = find_layers(open_files(files))
    if kind.looks_back is not None:
        assert {layer.sizes.looks_back for layer in layers} == {sees_no_later_word(kind, model)} == {kind.looks_back}
    for layer, entry in zip(layers, inspect_in_subprocess(files)[0].entries, strict=True):
        if kind.why_not or "encoder_attn" in entry.name:
            assert kind.why_not in entry.why_not
            continue
        assert entry.why_not == ""
        module, caught = module_of(model, kind, layer), {}
        begin = module.register_forward_pre_hook(
            lambda _, args, kwargs, caught=caught: caught.update(x=args[0] if args else kwargs["hidden_states"]), with_kwargs=True
        )
        end = module.get_submodule(kind.output).register_forward_hook(lambda _, args, out, caught=caught: caught.update(y=out))
        with torch.no_grad():
            model(**call(kind, model, 2, 7))
        begin.remove(), end.remove()
        x, sizes = caught["x"].numpy(), entry.sizes
        mask = "causal" if sizes.looks_back else "none"
        cfg = fit.config(sizes, sizes.num_heads, query_len=x.shape[1], batch=x.shape[0], mask=mask)
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
