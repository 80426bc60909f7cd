"""A model in a folder, run by transformers: `python -m mha.files.model_worker FOLDER` answers `mha.files.model`. No code of
the folder is run, no pickle opened."""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false
import sys
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from mha.bounded_process import Message, answer_requests, in_a_sentence
from mha.files.beside import read_beside
from mha.files.contents import MAX_CONFIG, Contents
from mha.files.layers import Layer, find_layers
from mha.files.model import MAX_TOKENS
from mha.files.report import described
from mha.files.tensors import Tensor, UnreadableFile, read_json
from mha.models import worker

#: By the module's identity: what entered its scores, and its maps, in the forward pass that runs.
SEEN: dict[int, dict[str, Any]] = {}


def load() -> Mapping[str, object]:
    """Imports PyTorch and transformers, and registers attention that is looked at."""
    worker.load()
    import transformers
    from transformers.masking_utils import AttentionMaskInterface, eager_mask

    transformers.AttentionInterface.register("seen", seen)
    AttentionMaskInterface.register("seen", eager_mask)
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
    """Loads the model, its tokenizer, its attention layers, and what the page is told of them. UnreadableFile where weights are
    missing or no attention is found."""
    import torch
    import transformers

    config = read_json((folder / "config.json").read_bytes(), "config.json", MAX_CONFIG)
    fixed: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    more = {"use_safetensors": True, "dtype": torch.float32, "output_loading_info": True}
    try:
        model, info = transformers.AutoModel.from_pretrained(folder, attn_implementation="seen", **fixed, **more)
    except ValueError:  # a class without that door: input, output and numbers all the same
        model, info = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager", **fixed, **more)
    if lost := [name for name in sorted(info["missing_keys"]) if "pooler" not in name]:
        raise UnreadableFile("The weights have no {}.", lost[0])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **fixed)
    tensors = [Tensor(name, values.detach().numpy()) for name, values in model.state_dict().items()]
    layers, others = find_layers(Contents(tensors, beside=read_beside(config)))
    if not layers:
        raise UnreadableFile("No attention layer was found in its weights.")
    title = f"{type(model).__name__} of transformers {transformers.__version__}"
    return model.eval(), tokenizer, layers, {"title": title, "report": asdict(described(layers, others))}


def read(model: Any, tokenizer: Any, layer: Layer, text: str) -> Message:
    """Runs one forward pass over the text: what the layer gets, computes and gives, and its numbers where the pages show it.
    UnreadableFile for too few or too many tokens."""
    import torch

    encoded = dict(tokenizer(text, return_tensors="pt"))
    ids = encoded["input_ids"].flatten().tolist()
    if not 1 <= len(ids) <= MAX_TOKENS:
        raise UnreadableFile(f"The sentence has {len(ids)} tokens; from 1 to {MAX_TOKENS} are read.")
    if model.config.is_encoder_decoder:
        encoded["decoder_input_ids"] = encoded["input_ids"]
    caught: dict[str, Any] = {}
    asks, gives = (layer.pieces[role].name for role in ("w_qkv" if "w_qkv" in layer.pieces else "w_q", "w_o"))
    handles = (
        model.get_submodule(asks.rpartition(".")[0]).register_forward_pre_hook(lambda _, args: caught.update(x=args[0])),
        model.get_submodule(gives.rpartition(".")[0]).register_forward_hook(lambda _, args, out: caught.update(output=out)),
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
    shapes = {name: values.shape[-3:] if values.ndim > 3 else values.shape[-2:] for name, values in caught.items()}
    arrays = {name: values.reshape(shapes[name]).float().numpy() for name, values in caught.items()}
    if not layer.why_not:
        arrays |= {f"flat.{name}": values for name, values in layer.numbers().items()}
    tokens = [token.strip("Ġ▁").replace("Ċ", "⏎") or "␣" for token in tokenizer.convert_ids_to_tokens(ids)]  # Ġ, ▁: a space
    return {"tokens": tokens}, arrays


if __name__ == "__main__":
    answer_requests(load, handle)
