"""The sizes of a layer, from the shapes of its arrays."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from mha.loading.families import BIASES, Family
from mha.loading.tensors import Tensor, Unreadable

Shape = tuple[int, ...]


class Sizes(TypedDict):
    """Those of `Measured` that the kernels alone tell. `kv_heads` 0: fewer than heads, nobody knows how many."""

    num_heads: int | None
    kv_heads: int | None
    query_width: int
    key_width: int
    value_width: int
    out_width: int
    inner_k: int
    inner_v: int


class Misfit(Unreadable):
    """Arrays of one layer that cannot belong together."""


@dataclass(frozen=True, slots=True)
class Measured:
    """`num_heads` is None where the file does not say. `inner_k` and `inner_v` are h·d_k and h·d_v; widths are those of the
    inputs. `biases` are the roles that have one, `count` all numbers of the layer, `extras` what it has beyond the four
    kernels and biases, each in words."""

    num_heads: int | None
    kv_heads: int | None
    query_width: int
    key_width: int
    value_width: int
    out_width: int
    inner_k: int
    inner_v: int
    biases: tuple[str, ...]
    count: int
    extras: tuple[str, ...] = ()


def measure(family: Family, pieces: dict[str, Tensor], facts: Mapping[str, object]) -> Measured:
    """Misfit names the array, its shape and the one it should have."""
    shapes = {role: tensor.shape for role, tensor in pieces.items()}
    if empty := next((tensor for tensor in pieces.values() if 0 in tensor.shape), None):
        raise Misfit("{} has the shape {}: it is empty.", empty.name, empty.shape)
    if "w_qkv" in pieces:
        made = _packed(family, pieces)
    elif family.layout == "heads":
        made = _per_head(pieces)
    else:
        made = _linear(pieces)
    extras = [words for role, words in (("w_g", "a gate"), ("k+", "a learned key (add_bias_kv)")) if role in pieces]
    if facts.get("sliding_window"):
        extras.append("a sliding window")
    if facts.get("attention_axes", [1]) not in (None, 1, [1]):
        extras.append("attention over other axes than the first")
    biases = BIASES[:3] if "b_qkv" in pieces else ()
    biases = tuple(role for role in BIASES if role in pieces or role in biases)
    _check_biases(pieces, made)
    return Measured(**made, biases=biases, count=sum(map(math.prod, shapes.values())), extras=tuple(extras))


def _expect(tensor: Tensor, *allowed: Shape) -> None:
    if tensor.shape not in allowed:
        wanted = " or ".join(dict.fromkeys(map(str, allowed)))
        raise Misfit("{} has the shape {}; " + f"beside the other arrays it should be {wanted}.", tensor.name, tensor.shape)


def _rank(tensor: Tensor, rank: int) -> Shape:
    if len(tensor.shape) != rank:
        raise Misfit("{} has the shape {}; " + f"a kernel of this kind has {rank} axes.", tensor.name, tensor.shape)
    return tensor.shape


def _per_head(pieces: dict[str, Tensor]) -> Sizes:
    """(in, h, d) three times and (h, d, *out). Fewer heads of keys and values: grouped-query attention."""
    query, key, value = (_rank(pieces[role], 3) for role in ("w_q", "w_k", "w_v"))
    if len(pieces["w_o"].shape) < 3:
        _rank(pieces["w_o"], 3)
    heads, groups = query[1], key[1]
    if heads % groups:
        raise Misfit("{} has " + f"{groups} heads; they must divide the query's {heads}.", pieces["w_k"].name)
    _expect(pieces["w_k"], (key[0], groups, query[2]))
    _expect(pieces["w_v"], (value[0], groups, value[2]))
    out = pieces["w_o"].shape[2:]
    _expect(pieces["w_o"], (heads, value[2], *out))
    return {
        "num_heads": heads, "kv_heads": groups, "query_width": query[0], "key_width": key[0], "value_width": value[0],
        "out_width": math.prod(out), "inner_k": heads * query[2], "inner_v": heads * value[2],
    }  # fmt: skip


def _linear(pieces: dict[str, Tensor]) -> Sizes:
    """(out, in) four times; the file does not say into how many heads the rows are cut."""
    query, key, value, out = (_rank(pieces[role], 2) for role in ("w_q", "w_k", "w_v", "w_o"))
    if query[0] % key[0] or (key[0] != value[0] and key[0] != query[0]):
        raise Misfit("{} has the shape {}; its rows must divide those of the query, {}.", pieces["w_k"].name, key, query)
    _expect(pieces["w_o"], (out[0], value[0] * (query[0] // key[0])))
    shared = key[0] < query[0]  # grouped-query: keys and values have fewer heads, we do not know how many
    return {
        "num_heads": None, "kv_heads": 0 if shared else None, "query_width": query[1], "key_width": key[1],
        "value_width": value[1], "out_width": out[0], "inner_k": query[0], "inner_v": value[0] * (query[0] // key[0]),
    }  # fmt: skip


def _packed(family: Family, pieces: dict[str, Tensor]) -> Sizes:
    """Query, key and value one after the other: (3·E, E), or (E, 3·E) in GPT-2's Conv1D."""
    width = min(_rank(pieces["w_qkv"], 2))
    _expect(pieces["w_qkv"], *(((width, 3 * width), (3 * width, width)) if family.layout == "columns" else ((3 * width, width),)))
    _expect(pieces["w_o"], (width, width))
    if "b_qkv" in pieces:
        _expect(pieces["b_qkv"], (3 * width,))
    return {
        "num_heads": None, "kv_heads": None, "query_width": width, "key_width": width, "value_width": width,
        "out_width": width, "inner_k": width, "inner_v": width,
    }  # fmt: skip


def _check_biases(pieces: dict[str, Tensor], made: Sizes) -> None:
    """A bias is flat, or cut into heads as its kernel is."""
    heads, groups = made["num_heads"] or 1, made["kv_heads"] or made["num_heads"] or 1
    inner = {"b_q": (made["inner_k"], heads), "b_k": (made["inner_k"], groups), "b_v": (made["inner_v"], groups)}
    for role, (width, cut) in inner.items():
        if role in pieces and made["kv_heads"] != 0:
            size = width // heads
            _expect(pieces[role], (cut, size), (cut * size,))
    if "b_qkv" in pieces and "w_qkv" not in pieces:
        _expect(pieces["b_qkv"], (2 * made["inner_k"] + made["inner_v"],))
    if "b_o" in pieces and math.prod(pieces["b_o"].shape) != made["out_width"]:
        _expect(pieces["b_o"], (made["out_width"],))
