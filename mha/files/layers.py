"""Which attention layers a file holds: names tell what an array is, shapes tell the sizes."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mha.arrays import Floats
from mha.files import fit
from mha.files.contents import Contents
from mha.files.names import BIASES, CROSS, FURTHER, KERNELS, NORMS, Place, place_of
from mha.files.tensors import MAX_NAME, Tensor, UnreadableFile
from mha.names import BY_CODE

#: Layers that are listed. The largest models have about a hundred.
MAX_LAYERS = 999
#: Arrays that are named in a list of those that are not shown.
NAMED = 12
#: Names of queries in files of Keras and of ours: mask, positions and scale are as the pages have them.
OURS = re.compile(r"vars/0$|kernel(:0)?$|(^|[./])w_q$")
WORDS = {"w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output"}
Pieces = Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class Entry:
    """One layer of a file. `name` and `named` come out of the file: quote them. `why_not`: "", or why the pages
    cannot show it: a sentence with a {} for each of `named`. `sizes` is None where its arrays do not fit together."""

    name: str
    sizes: fit.Measured | None
    why_not: str = ""
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layer(Entry):
    """A layer with its arrays by role: `pieces` as they stand in the file, `arrays` with kernels as (in, h·d) and (h·d, out) and
    the rest flat."""

    pieces: Pieces = field(default_factory=dict[str, Tensor])
    arrays: Pieces = field(default_factory=dict[str, Tensor])

    def numbers(self) -> dict[str, Floats]:
        """w_q, w_k, w_v, a gate's w_g (in, h·d), w_o (h·d_v, out) and flat biases, float32; a bias that the file does not have is
        left out. UnreadableFile where a number is missing, infinite or not a number."""
        return {role: tensor.numbers() for role, tensor in self.arrays.items()}


def find_layers(contents: Contents) -> tuple[list[Layer], list[Tensor]]:
    """Finds the attention layers, at most MAX_LAYERS (self-attention first, an encoder's before a decoder's, layer 2 before layer
    10), and the arrays that belong to none. UnreadableFile where the config.json is of another model."""
    pieces: dict[str, dict[str, Tensor]] = {}
    by_head: dict[tuple[str, str], dict[int, Tensor]] = {}
    further: dict[str, list[Tensor]] = {}
    places = [place_of(tensor.name) or Place("", "") for tensor in contents.tensors]
    for tensor, place in zip(contents.tensors, places, strict=True):
        if place.head is not None:
            by_head.setdefault((place.where, place.role), {})[place.head] = tensor
        elif place.role == FURTHER or place.role in pieces.get(place.where, {}):
            further.setdefault(place.where, []).append(tensor)
        elif place.role:
            pieces.setdefault(place.where, {})[place.role] = tensor
    for (where, role), heads in by_head.items():
        pieces.setdefault(where, {})[role] = joined([heads[number] for number in sorted(heads)])
    # Every second layer of a model has an output; attention has the three packed into one, or a query and another one.
    named = (where for where, own in pieces.items() if "w_qkv" in own or ("w_q" in own and len({*KERNELS} & {*own}) > 1))
    found = sorted(named, key=_sort_key)[:MAX_LAYERS]
    layers = [_layer(where, pieces[where], contents, further.get(where, [])) for where in found]
    sized = [layer.sizes for layer in layers if layer.sizes is not None]
    if contents.beside and sized and all(contents.beside.heads(sizes) is None for sizes in sized):
        there, here = contents.beside.model.attention, sized[0]
        raise UnreadableFile(
            f"config.json is of another model: d_model = {there.d_model:,}, h·d_k = {there.inner:,} and h_kv·d_k = "
            f"{there.kv_heads * there.d_k:,}; the weights have {here.query_width:,}, {here.inner_k:,} and {here.inner_g:,}."
        )
    others = zip(contents.tensors, places, strict=True)
    return layers, [tensor for tensor, place in others if not place.role or place.where not in found]


def joined(heads: Sequence[Tensor]) -> Tensor:
    """Joins arrays of single heads, a head's rows after the other's; the first alone where their shapes differ."""
    first = heads[0]
    if any(one.shape != first.shape for one in heads) or not first.shape:
        return first
    return Tensor(first.name, np.concatenate([one.values for one in heads]))


def _sort_key(where: str) -> tuple[bool, bool, list[tuple[int, int, str]]]:
    """Sorts words by the alphabet and numbers by size: layer 2 before layer 10."""
    parts = re.split(r"([0-9]{1,9})", where)
    natural = [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]
    return bool(re.search(CROSS, where)), "decoder" in re.split(r"[./]", where), natural


def _layer(where: str, pieces: Pieces, contents: Contents, further: Sequence[Tensor]) -> Layer:
    called = contents.names.get(where, "")
    name = called if list(contents.names.values()).count(called) == 1 else where[:MAX_NAME] or "the layer"
    try:
        if missing := [role for role in (("w_qkv", "w_o") if "w_qkv" in pieces else KERNELS) if role not in pieces]:
            lacks = " and no ".join(f"{WORDS[role]} kernel" for role in missing)
            raise UnreadableFile(f"It has no {lacks}. A model in several files is dropped with all of them together.")
        arrays = flattened(pieces)
        sizes = measured(pieces, arrays, contents.facts.get(called, {}))
    except UnreadableFile as misfit:
        return Layer(name, None, misfit.sentence, misfit.names, pieces)
    query, output, beside = pieces["w_qkv" if "w_qkv" in pieces else "w_q"].name, pieces["w_o"].name, contents.beside
    sizes = replace(sizes, cross=bool(re.search(CROSS, query)), said=bool(OURS.search(query)))
    sizes, packing = (beside.applied(sizes, query), beside.packing) if beside else (sizes, None)
    extras = [*sizes.extras]
    by_heads = "query_key_value" in query or ("qkv_proj" in query and output.endswith("out_proj.weight"))
    if by_heads and packing == "heads" and sizes.num_heads is not None:
        arrays = flattened(pieces, sizes.num_heads)
    elif by_heads and packing != "blocks":
        extras.append("query, key and value in one array, in an order that only a config.json of its model tells")
    norms = [pieces[role] for role in NORMS if role in pieces]
    if sizes.switches.qk_norm == "rms" and [norm.shape for norm in norms] == [(sizes.inner_k // (sizes.num_heads or 1),)] * 2:
        norms = []
    elif norms or sizes.switches.qk_norm != "none":
        sizes = replace(sizes, switches=replace(sizes.switches, qk_norm="none"))
        extras.append("a norm of queries or keys")
    if further:
        extras.append("arrays besides its projections")
    sizes = replace(sizes, extras=tuple(extras), count=sizes.count + sum(tensor.values.size for tensor in further))
    why_not, counted = fit.why_not(sizes), (*further, *norms)
    if shown := counted[:NAMED]:
        more = f" and {len(counted) - NAMED} more" if len(counted) > NAMED else ""
        why_not += f" Counted with the others: {', '.join(f'{{}} ({tensor.values.size:,})' for tensor in shown)}{more}."
    return Layer(name, sizes, why_not, tuple(tensor.name[:MAX_NAME] for tensor in shown), pieces, arrays)


def flattened(pieces: Pieces, heads: int = 0) -> dict[str, Tensor]:
    """Kernels as (in, h·d), that of the output as (h·d, out), all else flat; what is packed is cut into its three. `heads`: in a
    packed array one head's part follows the other's. UnreadableFile names an array that has not the axes it should have."""
    per_head = "w_q" in pieces and len(pieces["w_q"].shape) > 2
    # torch.nn.Linear has (out, in), which ends in "weight"; but GPT-2's Conv1D is (E, 3·E).
    packed = pieces["w_qkv"].shape if "w_qkv" in pieces and pieces["w_qkv"].values.ndim == 2 else ()
    found: dict[str, Tensor] = {}
    for role, tensor in pieces.items():
        values = tensor.values
        if 0 in values.shape:
            raise UnreadableFile("{} has the shape {}: it is empty.", tensor.name, tensor.shape)
        if role[0] != "w":
            values = values.reshape(-1)
        elif per_head and (values.ndim == 3 or (values.ndim > 3 and role == "w_o")):  # more axes are axes of the output
            values = values.reshape(math.prod(values.shape[: 2 if role == "w_o" else 1]), -1)
        elif not per_head and values.ndim == 2:
            columns = packed[0] < packed[1] if packed else not tensor.name.endswith("weight")
            values = values if columns else values.T
        else:
            axes = "(d_model, heads, size)" if per_head else "(d_model, heads · size) or, in PyTorch, the other way round"
            sentence = "{} has the shape {}; beside the other arrays it should be " + f"{axes}."
            raise UnreadableFile(sentence, tensor.name, tensor.shape)
        found[role] = replace(tensor, values=values)
    inner, width = found["w_o"].shape[0], found["w_qkv"].shape[1] if "w_qkv" in found else 0
    keys, left = divmod(width - inner, 2)
    if width and (left or keys < 1 or inner % keys):
        sentence = "{} has the shape {}; beside {} it should have" + f" {3 * inner:,} rows, or fewer where heads share keys."
        raise UnreadableFile(sentence, pieces["w_qkv"].name, pieces["w_qkv"].shape, pieces["w_o"].name)
    if not width:  # queries, keys and values may be apart and their biases in one
        inner, keys = found["w_q"].shape[1], found["w_k"].shape[1]
        width = inner + keys + found["w_v"].shape[1]
    _expect(pieces.get("b_qkv"), (width,))
    for role in ("w_qkv", "b_qkv"):
        if whole := found.pop(role, None):
            parts = zip("qkv", _unpacked(whole.values, inner, keys, heads), strict=True)
            found |= {f"{role[0]}_{letter}": replace(whole, values=values) for letter, values in parts}
    return found


def _unpacked(values: NDArray[Any], inner: int, keys: int, heads: int) -> Sequence[NDArray[Any]]:
    """Query, key and value of an array whose last axis has them all."""
    if not heads:
        return np.split(values, [inner, inner + keys], axis=-1)
    shared = inner // keys
    each = values.reshape(*values.shape[:-1], heads // shared, shared + 2, -1)
    parts = (each[..., :shared, :], each[..., shared, :], each[..., shared + 1, :])
    return [part.reshape(*values.shape[:-1], -1) for part in parts]


def measured(pieces: Pieces, arrays: Pieces, facts: Mapping[str, object]) -> fit.Measured:
    """Sizes of a layer. UnreadableFile names the array, its shape and the one it should have. `facts`: what Keras says of it."""
    (width, inner_k), (key_width, inner_g), (value_width, values), (rows, out_width) = (arrays[role].shape for role in KERNELS)
    heads, cut = None, {role: tensor.shape for role, tensor in pieces.items()}
    if "w_q" in cut and len(cut["w_q"]) > 2:
        heads, groups = cut["w_q"][1], cut["w_k"][1]
        if heads % groups:
            raise UnreadableFile("{} has " + f"{groups} heads; they must divide the query's {heads}.", pieces["w_k"].name)
        _expect(pieces["w_k"], (key_width, groups, cut["w_q"][2]))
        _expect(pieces["w_v"], (value_width, groups, cut["w_v"][2]))
        _expect(pieces["w_o"], (heads, cut["w_v"][2], *cut["w_o"][2:]))
    elif inner_k % inner_g or inner_g not in (inner_k, values):
        sentence = "{} has the shape {}; it should be as wide as the query, {}, or divide that as the value does."
        raise UnreadableFile(sentence, arrays["w_k"].name, cut.get("w_k"), inner_k)
    inner_v = values * (inner_k // inner_g)
    if rows != inner_v:
        sentence = "{} has the shape {}; beside the other arrays one of its sides should be " + f"{inner_v:,}."
        raise UnreadableFile(sentence, pieces["w_o"].name, cut["w_o"])
    if gate := "w_g" in pieces:
        _expect(pieces["w_g"], (width, heads or 1, inner_v // (heads or 1)))
    for letter in "qkvog":
        kernel = f"w_{letter}"
        if kernel in arrays:
            by_head = (cut[kernel][2 if letter == "o" else 1 :],) if heads is not None else ()
            _expect(pieces.get(f"b_{letter}"), (arrays[kernel].shape[1],), *by_head)  # flat, or cut into heads as its kernel
    window, extras = facts.get("sliding_window"), list[str]()
    if window and not (type(window) is int and 1 <= window <= BY_CODE["query_len"].most):
        extras.append("a sliding window")
    if facts.get("attention_axes", [1]) not in (None, 1, [1]):
        extras.append("attention over other axes than the first")
    return fit.Measured(
        heads, width, key_width, value_width, out_width, inner_k, inner_v, inner_g, extras=tuple(extras), gate=gate,
        biases=tuple(role for role in (*BIASES, "b_g") if role in arrays),
        count=sum(tensor.values.size for tensor in pieces.values()),
        sliding_window=window if isinstance(window, int) and window and not extras else None,
    )  # fmt: skip


def _expect(tensor: Tensor | None, *allowed: tuple[int, ...]) -> None:
    """Raises UnreadableFile where the array is there and has none of the allowed shapes."""
    if tensor is not None and tensor.shape not in allowed:
        wanted = " or ".join(dict.fromkeys(map(str, allowed)))
        sentence = f"{{}} has the shape {{}}; beside the other arrays it should be {wanted}."
        raise UnreadableFile(sentence, tensor.name, tensor.shape)
