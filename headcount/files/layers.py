"""Finder of the attention layers in a file. The name of an array tells its role in a layer, and its shape tells sizes."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from headcount.arrays import Floats
from headcount.files import fit
from headcount.files.contents import Contents
from headcount.files.names import BIASES, CROSS, FURTHER, KERNELS, NORMS, places_of
from headcount.files.tensors import MAX_NAME, Tensor, UnreadableFile
from headcount.names import BY_CODE

#: Most layers that are listed. The largest models have about a hundred.
MAX_LAYERS = 999
#: Most names in a list of arrays that are not drawn.
NAMED = 12
#: Matches names of the query's array in files of Keras and of this app, whose mask, positions and scale are the pages'.
OURS = re.compile(r"vars/0$|kernel(:0)?$|(^|[./])w_q$|^arr_0$")
#: Matches names of packed arrays in which libraries order query, key and value differently.
ANY_ORDER = re.compile("query_key_value|qkv_proj")
#: Axes of each array; those with one name have one length. "hk" is h·d_k, "gk" is g·d_k for g key/value heads, "qkv" all three.
AXES = {
    "w_q": ("d", "hk"), "w_k": ("dk", "gk"), "w_v": ("dv", "gv"), "w_o": ("hv", "o"), "w_g": ("d", "hv"), "w_qkv": ("d", "qkv"),
    "b_q": ("hk",), "b_k": ("gk",), "b_v": ("gv",), "b_o": ("o",), "b_g": ("hv",), "b_qkv": ("qkv",),
}  # fmt: skip
HEADS = {role: "g" if role[2] in "kv" else "h" for role in ("w_q", "w_k", "w_v", "w_o", "w_g", "b_q", "b_k", "b_v", "b_g")}
WORDS = {"w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output"}
Pieces = Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class LayerInFile:
    """One attention layer in a file. `name` and `named` come from the file, so quote them. `why_not` says why the pages cannot
    show the layer, with a {} for each of `named`. `sizes` is None if arrays are missing or do not fit each other. If there are
    sizes, `read` has role, name and shape of each array that is used."""

    name: str
    sizes: fit.LayerSizes | None
    why_not: str = ""
    named: tuple[str, ...] = ()
    read: tuple[tuple[str, str, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class StoredLayer(LayerInFile):
    """A layer with its arrays by role. `pieces` has the arrays as in the file, with the arrays of single heads joined. In
    `arrays`, packed arrays are split. Weight matrices are (in, h·d), or (h·d_v, out) for W_O, and other arrays have one axis.
    Without `sizes`, `arrays` is empty."""

    pieces: Pieces = field(default_factory=dict[str, Tensor])
    arrays: Pieces = field(default_factory=dict[str, Tensor])

    def numbers(self) -> dict[str, Floats]:
        """Returns `arrays` as float32. Raises UnreadableFile for too many numbers, and for numbers that are not finite floats."""
        return {role: tensor.numbers() for role, tensor in self.arrays.items()}


def find_layers(contents: Contents) -> tuple[list[StoredLayer], list[Tensor]]:
    """Finds the attention layers (at most MAX_LAYERS), and the arrays outside these layers. Layers with self-attention come
    before those with cross-attention, then an encoder's before a decoder's, then layer 2 before layer 10."""
    pieces: dict[str, dict[str, Tensor]] = {}
    by_head: dict[tuple[str, str], dict[int, Tensor]] = {}
    further: dict[str, list[Tensor]] = {}
    places = places_of([tensor.name for tensor in contents.tensors])
    for tensor, place in zip(contents.tensors, places, strict=True):
        if place.head is not None:
            by_head.setdefault((place.where, place.role), {})[place.head] = tensor
        elif place.role == FURTHER or place.role in pieces.get(place.where, {}):
            further.setdefault(place.where, []).append(tensor)
        elif place.role:
            pieces.setdefault(place.where, {})[place.role] = tensor
    for (where, role), heads in by_head.items():
        pieces.setdefault(where, {})[role] = joined([heads[number] for number in sorted(heads)])
    # Many other layers have an output. Attention has a packed array, or a query and another projection.
    named = (where for where, own in pieces.items() if "w_qkv" in own or ("w_q" in own and len({*KERNELS} & {*own}) > 1))
    found = sorted(named, key=_sort_key)[:MAX_LAYERS]
    layers = [_layer(where, pieces[where], contents, further.get(where, [])) for where in found]
    others = zip(contents.tensors, places, strict=True)
    return layers, [tensor for tensor, place in others if not place.role or place.where not in found]


def joined(heads: Sequence[Tensor]) -> Tensor:
    """Joins the arrays of single heads along their first axis. If their shapes differ or have no axes, returns the first."""
    first = heads[0]
    if any(one.shape != first.shape for one in heads) or not first.shape:
        return first
    return Tensor(first.name, np.concatenate([one.values for one in heads]))


def _sort_key(where: str) -> tuple[bool, bool, list[tuple[int, int, str]]]:
    parts = re.split(r"([0-9]{1,9})", where)
    natural = [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]
    return bool(re.search(CROSS, where)), "decoder" in re.split(r"[./]", where), natural


def _layer(where: str, pieces: Pieces, contents: Contents, further: Sequence[Tensor]) -> StoredLayer:
    called = contents.names.get(where, "")
    name = called if list(contents.names.values()).count(called) == 1 else where[:MAX_NAME] or "the layer"
    try:
        if missing := [role for role in (("w_qkv", "w_o") if "w_qkv" in pieces else KERNELS) if role not in pieces]:
            raise UnreadableFile(f"It has no {' and no '.join(f'{WORDS[role]} kernel' for role in missing)}.")
        flat, heads = laid_flat(pieces)
        sizes = measured(pieces, flat, heads, contents.facts.get(called, {}))
    except UnreadableFile as misfit:
        return StoredLayer(name, None, misfit.sentence, misfit.names, pieces=pieces)
    query, beside = pieces["w_qkv" if "w_qkv" in pieces else "w_q"], contents.beside
    sizes = replace(sizes, cross=bool(re.search(CROSS, query.name)), said=bool(OURS.search(query.name)))
    sizes, packing = (beside.applied(sizes, query.name), beside.packing) if beside else (sizes, None)
    norms, switches = [pieces[role] for role in NORMS if role in pieces], sizes.switches
    if switches.qk_norm != "none" and [norm.shape for norm in norms] == [(sizes.inner_k // (sizes.num_heads or 1),)] * 2:
        norms = []
    elif switches.qk_norm != "none":
        sizes = replace(sizes, switches=replace(switches, qk_norm="none"))
    counted = (*further, *norms)
    sizes = replace(sizes, count=sizes.count + sum(tensor.values.size for tensor in further))
    reasons, named = [fit.why_not(sizes)], list[str]()
    if shown := sizes.changes[:NAMED]:
        reasons.append(f"Its configuration changes attention by {', '.join('{}' for _ in shown)}, which is not drawn here.")
        named += shown
    if "w_qkv" in pieces and packing is None and (sizes.shared > 1 or ANY_ORDER.search(query.name)):
        reasons.append("{} holds query, key and value in an order that only the config.json of a known family tells.")
        named.append(query.name)
    if switches.qk_norm != sizes.switches.qk_norm and not norms:
        reasons.append("Its family has a norm of queries and keys, and the file has no gains of it.")
    if shown := counted[:NAMED]:
        more = f" and {len(counted) - NAMED} more" if len(counted) > NAMED else ""
        sized = ", ".join(f"{{}} ({tensor.values.size:,})" for tensor in shown)
        reasons.append(f"It has arrays that are counted and not drawn here: {sized}{more}.")
        named += (tensor.name.removeprefix(where).lstrip("./")[:MAX_NAME] for tensor in shown)
    arrays = unpacked(flat, sizes, (sizes.num_heads or 1) if packing == "heads" else 1)
    read = tuple((role, tensor.name[:MAX_NAME], tensor.shape) for role, tensor in pieces.items())
    return StoredLayer(name, sizes, " ".join(filter(None, reasons)), tuple(named), read, pieces, arrays)


def laid_flat(pieces: Pieces) -> tuple[dict[str, Tensor], dict[str, int]]:
    """Reshapes weight matrices to (in, h·d), W_O to (h·d_v, out), and other arrays to one axis. Returns the arrays by role, and
    the number of heads of arrays with an axis of heads. Raises UnreadableFile for an empty array or a wrong number of axes."""
    axes = [len(tensor.shape) > 2 for role, tensor in pieces.items() if role[0] == "w"]
    per_head = 2 * sum(axes) > len(axes) or any(tensor.name == "arr_0" for tensor in pieces.values())  # Keras's have such axes
    flat: dict[str, Tensor] = {}
    heads: dict[str, int] = {}
    for role, tensor in pieces.items():
        values, kernel, output = tensor.values, role[0] == "w", role == "w_o"
        if 0 in values.shape:
            raise UnreadableFile("{} has the shape {}: it is empty.", tensor.name, tensor.shape)
        if kernel and not (values.ndim == 2 + per_head or (per_head and output and values.ndim > 3)):
            said = "(d_model, heads, size)" if per_head else "(d_model, heads · size) or, in PyTorch, the other way round"
            said = said.replace("d_model, heads, size", "heads, size, d_model") if output else said
            raise UnreadableFile("{} has the shape {}; it should be " + f"{said}.", tensor.name, tensor.shape)
        if per_head and (kernel or (values.ndim == 2 and role in HEADS)):
            heads[role] = values.shape[kernel and not output]
        if not kernel:
            values = values.reshape(-1)
        elif per_head:  # most axes of the output's array are axes of its result
            values = values.reshape(math.prod(values.shape[: 2 if output else 1]), -1)
        elif _is_turned(pieces, role):
            values = values.T
        flat[role] = replace(tensor, values=values)
    return flat, heads


def _is_turned(pieces: Pieces, role: str) -> bool:
    """Returns whether a matrix is probably stored as (out, in), as in torch.nn.Linear. GPT-2's Conv1D stores (in, out)."""
    packed = pieces["w_qkv"].shape if "w_qkv" in pieces else ()
    return packed[0] >= packed[1] if len(packed) == 2 else pieces[role].name.endswith("weight")


def measured(pieces: Pieces, flat: Pieces, heads: Mapping[str, int], facts: Mapping[str, object]) -> fit.LayerSizes:
    """Returns a layer's sizes from its arrays and from `facts`, its settings in Keras. Raises UnreadableFile on a misfit."""
    if (size := lengths_of(flat, heads)) is None:
        raise _misfit(pieces, flat, heads)
    window = facts.get("sliding_window")
    changes = {"attention_axes": facts.get("attention_axes", [1]) not in (None, 1, [1]),
               "sliding_window": window and not (type(window) is int and 1 <= window <= BY_CODE["query_len"].most)}  # fmt: skip
    return fit.LayerSizes(
        size.get("h"), size["d"], size.get("dk", size["d"]), size.get("dv", size["d"]), size["o"], size["hk"], size["hv"],
        size["gk"], gate="w_g" in pieces, count=sum(tensor.values.size for tensor in pieces.values()),
        biases=tuple(role for role in (*BIASES, "b_g") if role in flat or ("b_qkv" in flat and role[2] in "qkv")),
        changes=tuple(f"{name}: {facts[name]}"[:60] for name, there in changes.items() if there),
        sliding_window=window if isinstance(window, int) and window and not changes["sliding_window"] else None,
    )  # fmt: skip


def lengths_of(flat: Pieces, heads: Mapping[str, int]) -> dict[str, int] | None:
    """Returns the known lengths of AXES, with heads "h" and key/value heads "g". Returns None if arrays contradict each other."""
    found: dict[str, int] = {}
    for role, tensor in flat.items():
        sizes = dict(zip(AXES.get(role, ()), tensor.shape, strict=False)) | ({HEADS[role]: heads[role]} if role in heads else {})
        if any(found.setdefault(axis, size) != size for axis, size in sizes.items()):
            return None
    if {"qkv", "hv"} <= {*found} and not {"hk", "gk", "gv"} & {*found}:
        keys, left = divmod(found["qkv"] - found["hv"], 2)
        if left or keys < 1:
            return None
        found |= {"hk": found["hv"], "gk": keys, "gv": keys}
    elif {"qkv", "hk", "gk", "gv"} <= {*found} and found["qkv"] != found["hk"] + found["gk"] + found["gv"]:
        return None
    both = [(found[all_], found[own]) for all_, own in (("h", "g"), ("hk", "gk"), ("hv", "gv")) if {all_, own} <= {*found}]
    shared = {all_ // own if all_ % own == 0 else 0 for all_, own in both} or {1}
    if len(shared) > 1 or 0 in shared or ("h" not in found and shared != {1} and found.get("gk") != found.get("gv")):
        return None  # with unknown heads, shared keys may be as wide as values
    return found


def _misfit(pieces: Pieces, flat: Pieces, heads: Mapping[str, int]) -> UnreadableFile:
    """Makes the error for arrays that contradict each other. The error names each array without which the others fit. If there is
    none, it names each projection (weight matrix and bias) without which the others fit. If there are several, it names those
    without which the fewest different sizes are left. If there is none at all, it names all arrays."""
    left: dict[tuple[str, ...], int] = {}
    for roles in (*((role,) for role in flat), *((f"w_{letter}", f"b_{letter}") for letter in (*"qkvog", "qkv"))):
        rest = {role: tensor for role, tensor in flat.items() if role not in roles}
        if (len(roles) == 1 or not left) and (sizes := lengths_of(rest, heads)) is not None:
            left[roles] = len({*sizes.values()})
    causes = [role for roles, number in left.items() if number == min(left.values()) for role in roles if role in flat] or [*flat]
    own = "w" + causes[0][1:]  # a bias is compared with its weight matrix
    others = [
        role for role in flat if role not in causes and (role == own if own in flat and own not in causes else role[0] == "w")
    ]
    said, rest = " and ".join("{} has the shape {}" for _ in causes), ", ".join("{} {}" for _ in others) or "each other"
    named = [(pieces[role].name, pieces[role].shape) for role in (*causes, *others)]
    return UnreadableFile(f"{said}, which does not fit {rest}.", *(word for pair in named for word in pair))


def unpacked(flat: Pieces, sizes: fit.LayerSizes, heads: int) -> dict[str, Tensor]:
    """Splits packed arrays into query, key and value. If `heads` > 1, the three follow each other for each key/value head."""
    found, shared = dict(flat), sizes.shared if heads > 1 else 1
    inner, keys = sizes.inner_k, sizes.inner_g
    for role in ("w_qkv", "b_qkv"):
        if whole := found.pop(role, None):
            start = whole.values.shape[:-1]
            if heads > 1:
                each = whole.values.reshape(*start, heads // shared, shared + 2, -1)
                parts = [part.reshape(*start, -1) for part in np.split(each, [shared, shared + 1], axis=-2)]
            else:
                parts = np.split(whole.values, [inner, inner + keys], axis=-1)
            found |= {f"{role[0]}_{letter}": replace(whole, values=part) for letter, part in zip("qkv", parts, strict=True)}
    return found
