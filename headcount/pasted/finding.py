"""Findings about a pasted text, and the sentences in them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from headcount.config import divisors
from headcount.models.attention import Attention
from headcount.names import BY_CODE, counted, listed


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding about a pasted text. `says` has its sentences. `layer` is the layer that the text describes or one that would
    fit. `line` is a line of the code, or 0. `slip` marks a probable mistake, and `asks` has names with unknown values. `thread`
    is a GitHub thread about the same error."""

    title: str
    says: str
    layer: Attention | None = None
    line: int = 0
    slip: bool = False
    asks: tuple[str, ...] = ()
    thread: str = ""


def heads_of(layer: Attention) -> str:
    """Returns a layer's heads in words, such as "8 heads of 64" or "32 heads of 128 on 8 key/value heads"."""
    sizes = f"{layer.d_k}, values of {layer.d_v}" if layer.d_v != layer.d_k else f"{layer.d_k}"
    shared = f" on {counted(layer.kv_heads, 'key/value head')}" if layer.kv_heads != layer.heads else ""
    return f"{counted(layer.heads, 'head')} of {sizes}{shared}"


def paper_of(layer: Attention) -> Attention | None:
    """Returns the paper's layer with the same d_model and number of heads. Returns None if the heads do not divide d_model."""
    size = layer.d_model // layer.heads
    paper = replace(layer, kv_heads=layer.heads, d_k=size, d_v=size)
    return paper if layer.d_model % layer.heads == 0 else None


def count_of(layer: Attention, more: int = 0) -> str:
    """Returns sentences on the parameter counts of a layer, which has `more` further parameters, and of the paper's layer."""
    what, paper = "parameters" if layer.bias else "weights without biases", paper_of(layer)
    says = f"On an input {layer.d_model:,} wide: {layer.count + more:,} {what}"
    if paper is None:
        return f"{says}. {counted(layer.heads, 'head')} do not divide {layer.d_model:,}, so the paper has no such layer."
    return f"{says}, as the paper's layer." if paper == layer and not more else (
        f"{says}; the paper's layer, {heads_of(paper)}, has {paper.count:,}."
    )  # fmt: skip


def place(layer: Attention) -> tuple[str, Mapping[str, object]] | None:
    """Returns the page that shows the layer, and its settings. Returns None for latent attention or too large sizes."""
    sizes = {"d_model": layer.d_model, "num_heads": layer.heads}
    own = {"key_dim": layer.d_k, "value_dim": layer.d_v}
    if layer.latent or any(value > BY_CODE[code].most for code, value in (sizes | own).items()):
        return None
    paper = layer.heads * layer.d_k == layer.d_model == layer.heads * layer.d_v
    query: dict[str, object] = {**sizes, **({} if paper else {**own, "split": "Keras"})}
    query |= ({} if layer.bias else {"use_bias": "false"}) | ({"use_gate": "true"} if layer.gate else {})
    if layer.kv_heads != layer.heads:
        return "models", {"model": "this-layer", **query, "model_kv_heads": layer.kv_heads}
    return "" if paper else "keras_layer", query


def table(number: int) -> str:
    """Returns a sentence that lists the divisors of a number, at most the first 24."""
    some = [f"{one:,}" for one in divisors(number, 1 << 17)[:24]]
    if some[-1] != f"{number:,}":
        return f"These divide {number:,}: {', '.join(some)} …."
    return f"These divide {number:,}: {listed(some)}."


def undivided(whole: int, part: int, of: str = "head") -> str:
    """Returns sentences that say that `part` heads do not divide `whole`, and which numbers do. `of` is the word for a head."""
    return f"{counted(part, of)} do not divide {whole:,}. {table(whole)}"
