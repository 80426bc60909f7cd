"""A whole small model in a folder, as transformers saves it: words in, every layer's input and attention out.

Of BERT's kind (BERT, RoBERTa, DistilBERT) or of GPT-2's. Weights stay in the file, which is mapped into memory: of the embeddings
only the rows of the words are read, of the layers one after the other.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from mha.arrays import Array, Floats
from mha.cost import MOST_NUMBERS, numbers_kept, too_large
from mha.forward import Trace, run
from mha.loading import fit
from mha.loading.beside import read_beside
from mha.loading.contents import MOST_CONFIG, Contents, safetensors
from mha.loading.layers import Layer, find_layers
from mha.loading.report import Report, described
from mha.loading.tensors import MOST_NUMBERS as MOST_ARRAY
from mha.loading.tensors import Tensor, UnreadableFile, read_json
from mha.params import Inputs

#: Tokens of one sentence, and bytes of a tokenizer's file.
MOST_TOKENS, MOST_TOKENIZER = 64, 64 << 20
BERT = {"bert", "roberta", "xlm-roberta", "camembert", "distilbert"}
KINDS = (*sorted(BERT), "gpt2")


@dataclass(frozen=True, slots=True)
class Names:
    """What a family calls its arrays: `embeddings` are added, then `first`, a norm, is applied; {} is the number of a layer."""

    words: str
    positions: str
    types: str
    first: str
    layer: str
    norms: tuple[str, str]
    inner: str
    outer: str
    last: str = ""


_BERT = Names(
    "embeddings.word_embeddings", "embeddings.position_embeddings", "embeddings.token_type_embeddings", "embeddings.LayerNorm",
    "encoder.layer.{}", ("attention.output.LayerNorm", "output.LayerNorm"), "intermediate.dense", "output.dense",
)  # fmt: skip
_DISTILBERT = Names(
    "embeddings.word_embeddings", "embeddings.position_embeddings", "", "embeddings.LayerNorm", "transformer.layer.{}",
    ("sa_layer_norm", "output_layer_norm"), "ffn.lin1", "ffn.lin2",
)  # fmt: skip
_GPT2 = Names("wte", "wpe", "", "", "h.{}", ("ln_1", "ln_2"), "mlp.c_fc", "mlp.c_proj", "ln_f")


def _gelu(x: Floats) -> Floats:
    error = np.asarray(np.frompyfunc(math.erf, 1, 1)(x / x.dtype.type(math.sqrt(2))), x.dtype)
    return x * x.dtype.type(0.5) * (1 + error)


def _relu(x: Floats) -> Floats:
    return np.maximum(x, 0)


def _gelu_by_tanh(x: Floats) -> Floats:
    half, cubed = x.dtype.type(0.5), x + x.dtype.type(0.044715) * x**3
    return half * x * (1 + np.tanh(x.dtype.type(math.sqrt(2 / math.pi)) * cubed))


#: What a configuration calls it: its function ("Gaussian Error Linear Units", Hendrycks and Gimpel 2016).
ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "gelu": _gelu, "relu": _relu, "gelu_new": _gelu_by_tanh, "gelu_pytorch_tanh": _gelu_by_tanh, "gelu_fast": _gelu_by_tanh,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence as the model reads it: numbers of its tokens and how they are written, special ones among them."""

    ids: tuple[int, ...]
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """`layers`: its attention layers in order; `most_bytes`: at most so many are in memory at once for one sentence."""

    name: str
    kind: str
    heads: int
    width: int
    epsilon: float
    activation: str
    positions: int
    first_position: int
    layers: tuple[Layer, ...]
    report: Report
    most_bytes: int
    _tensors: dict[str, Tensor]
    _tokenizer: Any

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.kind}, {len(self.layers)} layers of {self.heads} heads, {self.width} wide; at most "
            f"{math.ceil(self.most_bytes / (1 << 20))} MB in memory while it reads a sentence"
        )

    @property
    def looks_back(self) -> bool:
        return self.kind == "gpt2"

    def read(self, text: str) -> Words:
        """UnreadableFile where there are no tokens, or too many."""
        encoded = self._tokenizer.encode(text)
        most = min(MOST_TOKENS, self.positions - self.first_position)
        ids, rows = encoded.ids, self._tensors["words"].shape[0]
        if not 1 <= len(ids) <= most:
            raise UnreadableFile(f"The sentence has {len(ids)} tokens; from 1 to {most} are read.")
        if max(ids) >= rows:
            raise UnreadableFile(f"The tokenizer gives the number {max(ids):,}; the model has numbers for {rows:,} tokens.")
        return Words(tuple(ids), tuple(map(_written, encoded.tokens)))

    def flat(self, number: int) -> dict[str, Floats]:
        """Numbers of a layer (from 0), as mha.loading.fit lays them out."""
        return fit.numbers(self.layers[number])

    def states(self, ids: Sequence[int]) -> Iterator[tuple[Floats, Trace, Floats]]:
        """For each layer: what enters its attention (axes "btm"), its attention, and what leaves the layer. The last of GPT-2 has
        its last norm, as transformers gives it."""
        x = self.embedded(ids)
        for number, layer in enumerate(self.layers):
            entering = self._norm(x, f"{number}.norm1") if self.looks_back else x
            trace = self._attend(layer, entering)
            x = self._after(number, x, trace.output.values)
            if self.looks_back and number == len(self.layers) - 1:
                x = self._norm(x, "last")
            yield entering, trace, x

    def entering(self, ids: Sequence[int], number: int) -> Floats:
        """X of a layer (from 0), axes (positions, width)."""
        x = self.embedded(ids)
        for before in range(number):
            entering = self._norm(x, f"{before}.norm1") if self.looks_back else x
            x = self._after(before, x, self._attend(self.layers[before], entering).output.values)
        return (self._norm(x, f"{number}.norm1") if self.looks_back else x)[0]

    def embedded(self, ids: Sequence[int]) -> Floats:
        """Rows of the words plus those of their positions; BERT's kind adds the first kind of sentence and a norm."""
        places = np.arange(self.first_position, self.first_position + len(ids))
        x = _rows(self._tensors["words"], np.asarray(ids)) + _rows(self._tensors["positions"], places)
        if "types" in self._tensors:
            x = x + _rows(self._tensors["types"], np.zeros(len(ids), int))
        x = x[None]
        return x if self.looks_back else self._norm(x, "first")

    def _attend(self, layer: Layer, x: Floats) -> Trace:
        sizes = layer.sizes
        assert sizes is not None
        mask = "causal" if self.looks_back else "none"
        cfg = fit.config(sizes, self.heads, query_len=x.shape[1], mask=mask)
        return run(cfg, params=fit.params(fit.numbers(layer), cfg), inputs=Inputs(Array(x, "btm"), Array(x, "bsm")))

    def _after(self, number: int, x: Floats, attended: Floats) -> Floats:
        if self.looks_back:
            x = x + attended
            return x + self._feed(number, self._norm(x, f"{number}.norm2"))
        x = self._norm(x + attended, f"{number}.norm1")
        return self._norm(x + self._feed(number, x), f"{number}.norm2")

    def _feed(self, number: int, x: Floats) -> Floats:
        return self._dense(ACTIVATIONS[self.activation](self._dense(x, f"{number}.inner")), f"{number}.outer")

    def _dense(self, x: Floats, name: str) -> Floats:
        kernel = self._tensors[f"{name}.w"].numbers()
        return x @ (kernel if self.looks_back else kernel.T) + self._tensors[f"{name}.b"].numbers()

    def _norm(self, x: Floats, name: str) -> Floats:
        """Layer normalization over the last axis ("Layer Normalization", Ba et al. 2016)."""
        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + x.dtype.type(self.epsilon))
        return centred / spread * self._tensors[f"{name}.w"].numbers() + self._tensors[f"{name}.b"].numbers()


def _rows(tensor: Tensor, rows: np.ndarray) -> Floats:
    """Some rows of a table, without reading the others."""
    return Tensor(tensor.name, (len(rows), tensor.shape[1]), tensor.dtype, lambda: tensor.raw()[rows]).numbers()


def _written(token: str) -> str:
    """GPT-2 writes a space before a word as Ġ."""
    return token.replace("Ġ", "").replace("Ċ", "⏎") or "␣"


def open_model(folder: Path) -> Model:
    """UnreadableFile says in a sentence what is missing or wrong, by the file's name."""
    if not folder.is_dir():
        raise UnreadableFile("There is no folder {}.", folder.name)
    config = _json(folder, "config.json")
    kind = config.get("model_type")
    if kind not in KINDS:
        raise UnreadableFile(f"config.json: model_type must be one of {', '.join(KINDS)}, got {{}}.", kind)
    beside = read_beside(config)
    tensors = {tensor.name: tensor for tensor in _weights(folder)}
    contents = Contents("a folder", list(tensors.values()), beside=beside)
    layers = tuple(layer for layer in find_layers(contents) if layer.sizes is not None)
    if not layers:
        raise UnreadableFile("No attention layer was found in its weights.")
    for layer in layers:
        if why_not := fit.why_not(layer.sizes) if layer.sizes else layer.misfit:
            raise UnreadableFile("{}: " + why_not, layer.name, *layer.named)
    sizes = layers[0].sizes
    if sizes is None or sizes.num_heads is None or beside.model is None or len(layers) != beside.model.modules:
        declared = beside.model.modules if beside.model else 0
        raise UnreadableFile(f"config.json says {declared} layers of attention; the weights have {len(layers)} such.")
    cfg = fit.config(sizes, sizes.num_heads, query_len=MOST_TOKENS)
    if too_large(cfg):
        raise UnreadableFile(f"A layer holds {numbers_kept(cfg):,} numbers; up to {MOST_NUMBERS:,} are computed live.")
    used = _used(cast(str, kind), tensors, len(layers))
    feed = max(used[f"{number}.inner.w"].size for number in range(len(layers)))
    if feed > MOST_ARRAY:
        raise UnreadableFile(f"The feed-forward part of a layer has kernels of {feed:,} numbers; up to {MOST_ARRAY:,} are read.")
    epsilon = config.get("layer_norm_eps", config.get("layer_norm_epsilon", 1e-5 if kind == "gpt2" else 1e-12))
    activation = config.get("hidden_act", config.get("activation_function", config.get("activation", _usual(cast(str, kind)))))
    if activation not in ACTIVATIONS:
        raise UnreadableFile(f"config.json: the activation must be one of {', '.join(ACTIVATIONS)}, got {{}}.", activation)
    if not isinstance(epsilon, float) or not 0 <= epsilon <= 1:
        raise UnreadableFile("config.json: the epsilon of its norms must be a number from 0 to 1, got {}.", epsilon)
    if config.get("is_decoder") is True or config.get("add_cross_attention") is True:
        raise UnreadableFile("config.json: is_decoder and add_cross_attention must be false: an encoder or GPT-2 is read.")
    padding = config.get("pad_token_id", 1)
    first = padding + 1 if kind in BERT - {"bert", "distilbert"} and isinstance(padding, int) else 0
    return Model(
        folder.name, cast(str, kind), sizes.num_heads, sizes.query_width, epsilon, cast(str, activation),
        used["positions"].shape[0], first, layers, described(contents, list(layers)), 4 * (numbers_kept(cfg) + 4 * feed), used,
        _tokenizer(folder, cast(str, kind)),
    )  # fmt: skip


def _usual(kind: str) -> str:
    return "gelu_new" if kind == "gpt2" else "gelu"


def _json(folder: Path, name: str) -> dict[str, object]:
    path = folder / name
    if not path.is_file():
        raise UnreadableFile("The folder has no {}.", name)
    if path.stat().st_size > MOST_CONFIG:
        raise UnreadableFile("{} has " + f"{path.stat().st_size:,} bytes; at most {MOST_CONFIG:,} are read.", name)
    found = read_json(path.read_bytes(), name)
    if not isinstance(found, dict):
        raise UnreadableFile("{} is not a JSON object.", name)
    return cast(dict[str, object], found)


def _weights(folder: Path) -> Iterator[Tensor]:
    """Of model.safetensors, or of the parts that its index names."""
    names = ["model.safetensors"]
    if not (folder / names[0]).is_file() and (folder / "model.safetensors.index.json").is_file():
        index = _json(folder, "model.safetensors.index.json").get("weight_map")
        values = cast(dict[str, object], index).values() if isinstance(index, dict) else ()
        names = sorted({value for value in values if isinstance(value, str) and re.fullmatch(r"[\w.-]{1,120}", value)})
    for name in names:
        if not (folder / name).is_file():
            raise UnreadableFile("The folder has no {}: weights are read as safetensors.", name)
        yield from safetensors((folder / name).read_bytes())


def _used(kind: str, tensors: dict[str, Tensor], layers: int) -> dict[str, Tensor]:
    """The arrays beside attention, by our names. They may stand below a first word (bert.…, transformer.…)."""
    names = {"gpt2": _GPT2, "distilbert": _DISTILBERT}.get(kind, _BERT)
    ends = dict(tensors)
    for name, tensor in tensors.items():
        ends.setdefault(re.sub(r"^(bert|roberta|distilbert|transformer|base_model|model)\.", "", name), tensor)

    def found(name: str) -> Tensor:
        older = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        if (tensor := ends.get(name, ends.get(older))) is None:
            raise UnreadableFile("The weights have no {}.", name)
        return tensor

    used = {"words": found(f"{names.words}.weight"), "positions": found(f"{names.positions}.weight")}
    if names.types:
        used["types"] = found(f"{names.types}.weight")
    parts = {"first": names.first, "last": names.last}
    for number in range(layers):
        at = names.layer.format(number)
        both = (("norm1", names.norms[0]), ("norm2", names.norms[1]), ("inner", names.inner), ("outer", names.outer))
        parts |= {f"{number}.{part}": f"{at}.{name}" for part, name in both}
    for part, name in parts.items():
        if name:
            used |= {f"{part}.w": found(f"{name}.weight"), f"{part}.b": found(f"{name}.bias")}
    _check(used, layers, columns=kind == "gpt2")
    return used


def _check(used: dict[str, Tensor], layers: int, columns: bool) -> None:
    """UnreadableFile where an array has not the shape that the others ask for."""
    width = used["words"].shape[-1] if len(used["words"].shape) == 2 else 0
    for part, tensor in used.items():
        if part in ("words", "positions", "types"):
            fits = len(tensor.shape) == 2 and tensor.shape[1] == width
        elif "inner" in part or "outer" in part:
            inner = used[f"{part.split('.')[0]}.inner.b"].shape
            wide = inner if "inner" in part else (width,)
            kernel = (width, *inner) if ("inner" in part) == columns else (*inner, width)
            fits = tensor.shape == (wide if part.endswith(".b") else kernel)
        else:
            fits = tensor.shape == (width,)
        if not fits:
            raise UnreadableFile("{} has the shape {}, which does not fit the other arrays.", tensor.name, tensor.shape)


def _tokenizer(folder: Path, kind: str) -> Any:
    """From tokenizer.json, or from BERT's vocab.txt, or from GPT-2's vocab.json and merges.txt."""
    try:
        import tokenizers  # optional, and only here
    except ImportError:
        raise UnreadableFile("The package tokenizers, which turns words into numbers, is not installed here.") from None
    ready, words, pairs = folder / "tokenizer.json", folder / "vocab.txt", folder / "vocab.json"
    for path in (ready, words, pairs, folder / "merges.txt"):
        if path.is_file() and path.stat().st_size > MOST_TOKENIZER:
            raise UnreadableFile("{} has " + f"{path.stat().st_size:,} bytes; at most {MOST_TOKENIZER:,} are read.", path.name)
    try:
        if ready.is_file():
            whole = tokenizers.Tokenizer.from_file(str(ready))
            whole.no_padding()
            whole.no_truncation()
            return whole
        if words.is_file() and kind != "gpt2":
            settings = _json(folder, "tokenizer_config.json") if (folder / "tokenizer_config.json").is_file() else {}
            lower = settings.get("do_lower_case", True) is not False
            return tokenizers.BertWordPieceTokenizer(str(words), lowercase=lower)
        if pairs.is_file() and kind == "gpt2":
            return tokenizers.ByteLevelBPETokenizer(str(pairs), str(folder / "merges.txt"))
    except UnreadableFile:
        raise
    except BaseException as error:  # the library is written in Rust, whose panics are no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise UnreadableFile("The tokenizer in the folder is broken: its file cannot be read.") from None
    raise UnreadableFile("The folder has no tokenizer.json and no vocabulary (vocab.txt, or vocab.json with merges.txt).")
