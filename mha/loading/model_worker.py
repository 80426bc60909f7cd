"""A model in a folder, run by transformers: `python -m mha.loading.model_worker FOLDER` answers `mha.loading.model`.

Hooks give each layer's input, queries, keys, values, maps and output. No code of the folder is run, no pickle opened.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from mha.arrays import Floats
from mha.bounded_process import answer_requests, in_a_sentence, no_network
from mha.keras.wire import Message
from mha.loading import fit
from mha.loading.beside import read_beside
from mha.loading.contents import MOST_CONFIG, Contents
from mha.loading.layers import Layer, find_layers
from mha.loading.model import MAX_TOKENS
from mha.loading.report import described
from mha.loading.tensors import Tensor, UnreadableFile, read_json

#: By the module's identity: what entered its scores, and its maps, in the forward pass that runs.
SEEN: dict[int, dict[str, Any]] = {}


def load() -> Mapping[str, object]:
    """Imports PyTorch and transformers, and registers attention that is looked at."""
    warnings.simplefilter("ignore")
    import torch
    import transformers
    from transformers.masking_utils import AttentionMaskInterface, eager_mask

    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.AttentionInterface.register("seen", seen)
    AttentionMaskInterface.register("seen", eager_mask)
    no_network()
    return {}


def seen(module: Any, query: Any, key: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
    """The eager attention of the module's own family, looked at."""
    eager: Any = sys.modules[type(module).__module__]
    found = eager.eager_attention_forward(module, query, key, value, *args, **kwargs)
    SEEN[id(module)] = {"q": query, "k": key, "v": value, "weights": found[1]}
    return found


def handle(facts: Mapping[str, Any], _arrays: object) -> Message:
    """What the model is; or with a "text" and a "number" what that layer does with it. Or an "error" with its "names"."""
    try:
        model, tokenizer, layers, about = opened(Path(sys.argv[1]))
        return read(model, tokenizer, layers[facts["number"]], facts["text"]) if facts else (about, {})
    except UnreadableFile as error:
        return {"error": error.sentence, "names": error.names}, {}
    except Exception as error:  # whatever transformers raises is what the page shows
        words = in_a_sentence(error).replace(f"{sys.argv[1].rstrip('/')}", "the folder")
        return {"error": "transformers says: {}", "names": (words[:110],)}, {}


@cache
def opened(folder: Path) -> tuple[Any, Any, list[Layer], dict[str, Any]]:
    """The model, its tokenizer, its attention layers, and what the page is told of them."""
    import torch
    import transformers

    text = (folder / "config.json").read_bytes()
    config = read_json(text, "config.json") if len(text) <= MOST_CONFIG else None
    if not isinstance(config, dict):
        raise UnreadableFile("config.json is not a JSON object of a readable length.")
    model, missing = built(folder, torch.float32)
    if lost := [name for name in missing if "pooler" not in name]:
        raise UnreadableFile("The weights have no {}.", lost[0])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    tensors = [_tensor(name, values) for name, values in model.state_dict().items()]
    contents = Contents("a folder", tensors, beside=read_beside(cast(dict[str, object], config)))
    if not (layers := find_layers(contents)):
        raise UnreadableFile("No attention layer was found in its weights.")
    title = f"{type(model).__name__} of transformers {transformers.__version__}"
    return model, tokenizer, layers, {"title": title, "report": described(contents, layers).plain()}


def built(folder: Path, dtype: Any) -> tuple[Any, list[str]]:
    """The class that the folder names, and which of its weights the folder lacks; its attention looked at where it can be."""
    import transformers

    fixed = {"local_files_only": True, "trust_remote_code": False, "use_safetensors": True, "dtype": dtype,
             "output_loading_info": True}  # fmt: skip
    try:
        model, info = transformers.AutoModel.from_pretrained(folder, attn_implementation="seen", **fixed)
    except ValueError:  # a class without that door: input, output and numbers all the same
        model, info = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager", **fixed)
    return model.eval(), sorted(info["missing_keys"])


def _tensor(name: str, values: Any) -> Tensor:
    return Tensor(name, tuple(values.shape), str(values.dtype).removeprefix("torch."), values.detach().numpy)


def read(model: Any, tokenizer: Any, layer: Layer, text: str) -> Message:
    """One forward pass over the text, as far as the layer and on."""
    import torch

    encoded = dict(tokenizer(text, return_tensors="pt"))
    ids = encoded["input_ids"][0].tolist() if encoded["input_ids"].numel() else []
    if not 1 <= len(ids) <= MAX_TOKENS:
        raise UnreadableFile(f"The sentence has {len(ids)} tokens; from 1 to {MAX_TOKENS} are read.")
    if model.config.is_encoder_decoder:
        encoded["decoder_input_ids"] = encoded["input_ids"]
    caught: dict[str, Any] = {}
    asks = layer.pieces["w_qkv" if "w_qkv" in layer.pieces else "w_q"].name
    module = model.get_submodule(asks.rpartition(".")[0])
    output = model.get_submodule(layer.pieces["w_o"].name.rpartition(".")[0])
    handles = (
        module.register_forward_pre_hook(lambda _, args: caught.update(x=args[0])),
        output.register_forward_hook(lambda _, args, out: caught.update(output=out)),
    )
    SEEN.clear()
    try:
        with torch.no_grad():
            model(**encoded)
    finally:
        for handle in handles:
            handle.remove()
    for name, module in model.named_modules():
        if asks.startswith(f"{name}."):
            caught |= SEEN.get(id(module), {})
    arrays: dict[str, Floats] = {
        name: values.reshape(values.shape[-3:] if values.ndim > 3 else values.shape[-2:]).float().numpy()
        for name, values in caught.items()
    }
    if layer.sizes is not None and not fit.why_not(layer.sizes):
        arrays |= {f"flat.{name}": values for name, values in fit.numbers(layer).items()}
    return {"tokens": [written(token) for token in tokenizer.convert_ids_to_tokens(ids)]}, arrays


def written(token: str) -> str:
    """Tokenizers write the space before a word as Ġ or ▁."""
    return token.strip("Ġ▁").replace("Ċ", "⏎") or "␣"


if __name__ == "__main__":
    answer_requests(load, handle)
