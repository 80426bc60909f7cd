"""Which attention layers a file holds: names tell what an array is, shapes tell the sizes. No number is read for that."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mha.loading.beside import Beside, LayerFacts
from mha.loading.contents import Contents
from mha.loading.names import (
    BIASES,
    CAUSAL,
    CROSS,
    FURTHER,
    KERNELS,
    NORMS,
    ROTARY,
    SCALE,
    UNSAID,
    place_of,
)
from mha.loading.tensors import Tensor, UnreadableFile
from mha.names import BY_CODE
from mha.switches import NONE, Switches

#: Layers that are listed. The largest models have about a hundred.
MOST_LAYERS = 999
#: What a layer with T5's names does.
T5 = "T5’s scores, which are not divided by √d_k"
#: Arrays that are named in a list of those that are not shown.
NAMED = 12


@dataclass(frozen=True, slots=True)
class Measured:
    """Sizes of one layer. `inner_k` and `inner_v` are h·d_k and h·d_v; the widths are those of the inputs and the output.

    `num_heads` is None where the file does not say. `inner_g`: how wide the keys are, less than `inner_k` where heads share them.
    `biases` are the roles that have one, `count` all numbers of the layer, `gate` whether it is Keras's with use_gate, `switches`
    and `sliding_window` what the configuration says, `extras` what it has beyond these and the pages do not show, each in words.

    `packing`: how query, key and value lie in a packed array: "blocks" (all of the query, then the key, then the value), "heads"
    (those of one head together); "": nothing says.
    `looks_back`: it is used with the causal mask; `cross`: its keys and values come from another sequence. `unsaid`: what neither
    the arrays nor a config.json beside them say, in words.
    """

    num_heads: int | None
    query_width: int
    key_width: int
    value_width: int
    out_width: int
    inner_k: int
    inner_v: int
    inner_g: int
    biases: tuple[str, ...] = ()
    count: int = 0
    extras: tuple[str, ...] = ()
    gate: bool = False
    sliding_window: int | None = None
    packing: str = "blocks"
    looks_back: bool = False
    cross: bool = False
    unsaid: tuple[str, ...] = ()
    switches: Switches = NONE

    @property
    def shared(self) -> int:
        """How many heads share a key and a value head; 1 where each has its own."""
        return self.inner_k // self.inner_g

    @property
    def kv_heads(self) -> int | None:
        return None if self.num_heads is None else self.num_heads // self.shared


@dataclass(frozen=True, slots=True)
class Layer:
    """One attention layer of the file. `pieces` are its arrays by role. `sizes` is None where they do not fit together: `misfit`
    is then a sentence that says why, with a {} for each of `named`. `further`: its arrays that are counted and not shown."""

    name: str
    pieces: dict[str, Tensor]
    sizes: Measured | None
    misfit: str = ""
    named: tuple[str, ...] = ()
    further: tuple[Tensor, ...] = ()


def is_columns(pieces: Mapping[str, Tensor], role: str) -> bool:
    """Whether a kernel with two axes is (in, out), as X · W; torch.nn.Linear has (out, in)."""
    if "w_qkv" in pieces:  # GPT-2's Conv1D is (E, 3·E)
        return len(pieces["w_qkv"].shape) == 2 and pieces["w_qkv"].shape[0] < pieces["w_qkv"].shape[1]
    return not pieces[role].name.endswith("weight")


def find_layers(contents: Contents) -> list[Layer]:
    """Self-attention first, that of an encoder before that of a decoder, then layer 2 before layer 10; at most MOST_LAYERS."""
    pieces: dict[str, dict[str, Tensor]] = {}
    by_head: dict[tuple[str, str], dict[int, Tensor]] = {}
    twice: dict[str, tuple[str, str, str]] = {}
    for tensor in contents.tensors:
        if (place := place_of(tensor.name)) is None:
            continue
        if place.head is not None:
            by_head.setdefault((place.where, place.role), {})[place.head] = tensor
            continue
        first = pieces.setdefault(place.where, {}).setdefault(place.role, tensor)
        if first is not tensor:
            twice[place.where] = (place.role, first.name, tensor.name)
    for (where, role), heads in by_head.items():
        pieces.setdefault(where, {})[role] = joined([heads[number] for number in sorted(heads)])
    places = [where for where in sorted(pieces, key=_sort_key) if _is_attention(pieces[where])][:MOST_LAYERS]
    attention = {where: pieces[where] for where in places}
    further = _further_arrays(contents.tensors, attention)
    layers = [_layer(where, attention[where], contents, further[where], twice.get(where)) for where in places]
    if contents.beside is not None:
        _check_beside(layers, contents.beside)
    return layers


def joined(heads: Sequence[Tensor]) -> Tensor:
    """One array of a head's rows after the other's, where each head has a Linear of its own."""
    first = heads[0]
    if any(one.shape != first.shape or one.dtype != first.dtype for one in heads) or not first.shape:
        return first
    shape = (len(heads) * first.shape[0], *first.shape[1:])
    return Tensor(first.name, shape, first.dtype, lambda: np.concatenate([one.raw() for one in heads]))


def _check_beside(layers: Sequence[Layer], beside: Beside) -> None:
    """UnreadableFile where no layer has the sizes of the configuration."""
    sized = [(next(iter(layer.pieces.values())).name, layer.sizes) for layer in layers if layer.sizes is not None]
    asked = [(beside.part(name), sizes) for name, sizes in sized]
    if asked and all(part.model and not part.heads(s.query_width, s.inner_k, s.inner_v) for part, s in asked):
        there, here = asked[0]
        assert there.model is not None
        raise UnreadableFile(
            f"config.json is of another model: its layers are {there.model.attention.d_model:,} wide with h·d_k = "
            f"{there.model.attention.inner:,}, those of the weights {here.query_width:,} with {here.inner_k:,}."
        )


def _further_arrays(tensors: Sequence[Tensor], attention: Mapping[str, dict[str, Tensor]]) -> dict[str, list[Tensor]]:
    """By place: the other arrays of a layer that change what it computes, those inside one of its projections among them."""
    used = {tensor.name for pieces in attention.values() for tensor in pieces.values()}
    projections = {next(_around(tensor.name))[0]: place for place, pieces in attention.items() for tensor in pieces.values()}
    arrays: dict[str, list[Tensor]] = {place: [] for place in attention}
    for tensor in tensors:
        placed = place_of(tensor.name)
        if tensor.name in used or (placed is not None and placed.head is not None):
            continue
        for module, words in _around(tensor.name):
            first = words[1] if words[0] in ("self", "attention") and len(words) > 1 else words[0]
            if module in arrays and FURTHER.fullmatch(first):
                arrays[module].append(tensor)
            elif module not in arrays and module in projections:
                arrays[projections[module]].append(tensor)
            if module in arrays or module in projections:
                break
    return arrays


def _around(name: str) -> Iterator[tuple[str, list[str]]]:
    """Each module around an array, the innermost first, with the words of the name inside it."""
    words = re.split(r"([./])", name)
    for end in range(len(words) - 2, -2, -2):
        yield "".join(words[: max(end, 0)]), words[end + 1 :: 2]


def _sort_key(where: str) -> tuple[bool, bool, list[tuple[int, int, str]]]:
    """Sorts words by the alphabet and numbers by size: layer 2 before layer 10."""
    parts = re.split(r"([0-9]{1,9})", where)
    natural = [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]
    return bool(re.search(CROSS, where)), "decoder" in re.split(r"[./]", where), natural


def _is_attention(pieces: Mapping[str, Tensor]) -> bool:
    """Every second layer of a model has an output; attention has the three packed into one, or a query and another one."""
    return "w_qkv" in pieces or ("w_q" in pieces and len({*KERNELS} & {*pieces}) > 1)


def _in_words(role: str) -> str:
    kind, _, which = role.partition("_")
    named = {"q": "query", "k": "key", "v": "value", "o": "output", "g": "gate", "qkv": "packed query, key and value"}[which]
    return f"norm of {named}" if kind == "n" else f"{named} {'kernel' if kind == 'w' else 'bias'}"


def _layer(
    where: str, pieces: dict[str, Tensor], contents: Contents, further: list[Tensor], twice: tuple[str, str, str] | None
) -> Layer:
    """`twice`: a role that two arrays have, and their names."""
    called = contents.names.get(where, "")
    name = called if list(contents.names.values()).count(called) == 1 else where or "the layer"
    if twice is not None:
        return Layer(name, pieces, None, f"Both {{}} and {{}} are its {_in_words(twice[0])}; a layer has one.", twice[1:])
    if missing := [role for role in (("w_qkv", "w_o") if "w_qkv" in pieces else KERNELS) if role not in pieces]:
        lacks = " and no ".join(map(_in_words, missing))
        return Layer(name, pieces, None, f"It has no {lacks}. A model in several files is dropped with all of them together.")
    try:
        sizes = _with_configuration(measure(pieces, contents.facts.get(called, {})), pieces, contents.beside)
    except UnreadableFile as misfit:
        return Layer(name, pieces, None, misfit.sentence, misfit.names)
    extras = (*sizes.extras, "arrays besides its projections") if further else sizes.extras
    sizes = replace(sizes, count=sizes.count + sum(tensor.size for tensor in further), extras=extras)
    norms = () if sizes.switches.qk_norm != "none" else tuple(pieces[role] for role in NORMS if role in pieces)
    return Layer(name, pieces, sizes, further=(*further, *norms))


def _with_configuration(sizes: Measured, pieces: Mapping[str, Tensor], beside: Beside | None) -> Measured:
    """With what the names say besides, and a configuration."""
    name = pieces["w_qkv" if "w_qkv" in pieces else "w_q"].name
    first = next(iter(pieces.values())).name
    facts = LayerFacts() if beside is None else beside.facts_of(first, sizes.query_width, sizes.inner_k, sizes.inner_v)
    heads = sizes.num_heads
    if heads is None and facts.heads and sizes.inner_k * facts.heads[1] == sizes.inner_g * facts.heads[0]:
        heads = facts.heads[0]
    open_order = "query_key_value" in name or ("qkv_proj" in name and pieces["w_o"].name.endswith("out_proj.weight"))
    packing = (facts.packing or "") if open_order else "blocks"
    said = {ROTARY: facts.said, SCALE: facts.said, CAUSAL: facts.looks_back is not None}
    switches, norms = facts.switches, [pieces[role].shape for role in NORMS if role in pieces]
    if norms and (heads is None or switches.qk_norm != "rms" or norms != [(sizes.inner_k // heads,)] * 2):
        switches = replace(switches, qk_norm="none")
        sizes = replace(sizes, extras=(*sizes.extras, "a norm of queries or keys"))
    t5 = [T5] if re.search("SelfAttention|EncDecAttention", name) else []
    return replace(
        sizes, num_heads=heads, packing="" if packing not in ("", "blocks") and heads is None else packing,
        looks_back="c_attn" in name if facts.looks_back is None else facts.looks_back, cross=bool(re.search(CROSS, name)),
        extras=tuple(dict.fromkeys((*sizes.extras, *t5, *facts.differs))), switches=switches,
        sliding_window=sizes.sliding_window or facts.window,
        unsaid=tuple(words for words in next(words for pattern, words in UNSAID if re.search(pattern, name)) if not said[words]),
    )  # fmt: skip


def not_understood(tensors: Sequence[Tensor], layers: Sequence[Layer]) -> list[Tensor]:
    """Arrays that no layer shows or counts."""
    used = {tensor.name for layer in layers for tensor in (*layer.pieces.values(), *layer.further)}
    rest = [tensor for tensor in tensors if tensor.name not in used]
    return [tensor for tensor in rest if (place := place_of(tensor.name)) is None or place.head is None]


def measure(pieces: Mapping[str, Tensor], facts: Mapping[str, object]) -> Measured:
    """UnreadableFile names the array, its shape and the one it should have."""
    if empty := next((tensor for tensor in pieces.values() if 0 in tensor.shape), None):
        raise UnreadableFile("{} has the shape {}: it is empty.", empty.name, empty.shape)
    sizes = _packed(pieces) if "w_qkv" in pieces else _per_head(pieces) if len(pieces["w_q"].shape) > 2 else _flat(pieces)
    extras: list[str] = []
    if gate := "w_g" in pieces:
        heads = sizes.num_heads or 1
        _expect(pieces["w_g"], (sizes.query_width, heads, sizes.inner_v // heads))
    window, most = facts.get("sliding_window"), BY_CODE["query_len"].most
    if window and not (type(window) is int and 1 <= window <= most):
        extras.append("a sliding window")
        window = None
    if facts.get("attention_axes", [1]) not in (None, 1, [1]):
        extras.append("attention over other axes than the first")
    biases = BIASES[:3] if "b_qkv" in pieces else ()
    _check_biases(pieces, sizes)
    return replace(
        sizes, biases=tuple(role for role in (*BIASES, "b_g") if role in pieces or role in biases),
        count=sum(tensor.size for tensor in pieces.values()), extras=tuple(extras), gate=gate,
        sliding_window=window if isinstance(window, int) and window else None,
    )  # fmt: skip


def _expect(tensor: Tensor, *allowed: tuple[int, ...]) -> None:
    if tensor.shape not in allowed:
        wanted = " or ".join(dict.fromkeys(map(str, allowed)))
        sentence = f"{{}} has the shape {{}}; beside the other arrays it should be {wanted}."
        raise UnreadableFile(sentence, tensor.name, tensor.shape)


def _rank(tensor: Tensor, rank: int) -> tuple[int, ...]:
    if len(tensor.shape) != rank:
        axes = "(d_model, heads, size)" if rank == 3 else "two axes, (d_model, heads · size) or, in PyTorch, the other way round"
        raise UnreadableFile("{} has the shape {}; beside the other arrays it should be " + f"{axes}.", tensor.name, tensor.shape)
    return tensor.shape


def _per_head(pieces: Mapping[str, Tensor]) -> Measured:
    """(in, h, d) three times and (h, d, *out). Fewer heads of keys and values: grouped-query attention."""
    query, key, value = (_rank(pieces[role], 3) for role in ("w_q", "w_k", "w_v"))
    if len(pieces["w_o"].shape) < 3:
        _rank(pieces["w_o"], 3)  # more axes are more axes of the output
    heads, groups = query[1], key[1]
    if heads % groups:
        raise UnreadableFile("{} has " + f"{groups} heads; they must divide the query's {heads}.", pieces["w_k"].name)
    _expect(pieces["w_k"], (key[0], groups, query[2]))
    _expect(pieces["w_v"], (value[0], groups, value[2]))
    out = pieces["w_o"].shape[2:]
    _expect(pieces["w_o"], (heads, value[2], *out))
    return Measured(
        num_heads=heads, query_width=query[0], key_width=key[0], value_width=value[0], out_width=math.prod(out),
        inner_k=heads * query[2], inner_v=heads * value[2], inner_g=groups * query[2],
    )  # fmt: skip


def _flat(pieces: Mapping[str, Tensor]) -> Measured:
    """(out, in) four times, or (in, out); the file does not say into how many heads they are cut."""

    def axes(role: str) -> tuple[int, ...]:
        return _rank(pieces[role], 2)[:: -1 if is_columns(pieces, role) else 1]

    query, key, value, out = map(axes, KERNELS)
    if query[0] % key[0] or (key[0] != value[0] and key[0] != query[0]):
        sentence = "{} has the shape {}; its rows must divide those of the query, {}."
        raise UnreadableFile(sentence, pieces["w_k"].name, pieces["w_k"].shape, query)
    wanted = (out[0], value[0] * (query[0] // key[0]))
    _expect(pieces["w_o"], wanted[::-1] if is_columns(pieces, "w_o") else wanted)
    return Measured(
        num_heads=None, query_width=query[1], key_width=key[1], value_width=value[1], out_width=out[0],
        inner_k=query[0], inner_v=wanted[1], inner_g=key[0],
    )  # fmt: skip


def _packed(pieces: Mapping[str, Tensor]) -> Measured:
    """Query, key and value in one: (h·d + 2·h_kv·d, in), or (E, 3·E) in GPT-2's Conv1D. The output says how wide the query is."""
    turned = -1 if is_columns(pieces, "w_qkv") else 1
    (rows, width), (output, inner) = (_rank(pieces[role], 2)[::turned] for role in ("w_qkv", "w_o"))
    keys, left = divmod(rows - inner, 2)
    if left or keys < 1 or inner % keys:
        sentence = "{} has the shape {}; beside {} it should have" + f" {3 * inner:,} rows, or fewer where heads share keys."
        raise UnreadableFile(sentence, pieces["w_qkv"].name, pieces["w_qkv"].shape, pieces["w_o"].name)
    if "b_qkv" in pieces:
        _expect(pieces["b_qkv"], (rows,))
    return Measured(
        num_heads=None, query_width=width, key_width=width, value_width=width, out_width=output, inner_k=inner, inner_v=inner,
        inner_g=keys,
    )  # fmt: skip


def _check_biases(pieces: Mapping[str, Tensor], sizes: Measured) -> None:
    """A bias is flat, or cut into heads as its kernel is."""
    heads, shared = sizes.num_heads or 1, sizes.shared
    widths = {"b_q": sizes.inner_k, "b_k": sizes.inner_g, "b_v": sizes.inner_v // shared, "b_g": sizes.inner_v}
    for role, width in widths.items():
        if role in pieces:
            cut = heads if role in ("b_q", "b_g") or sizes.num_heads is None else heads // shared
            _expect(pieces[role], (cut, width // cut), (width,))
    if "b_qkv" in pieces and "w_qkv" not in pieces:
        _expect(pieces["b_qkv"], (sizes.inner_k + sizes.inner_g + sizes.inner_v // shared,))
    if "b_o" in pieces and math.prod(pieces["b_o"].shape) != sizes.out_width:
        _expect(pieces["b_o"], (sizes.out_width,))
