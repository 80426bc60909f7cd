"""Which attention layers a file holds: names tell the library, shapes tell the sizes. No number is read for that."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mha.loading.beside import Beside, LayerFacts
from mha.loading.contents import Contents
from mha.loading.families import BIASES, CAUSAL, FAMILIES, IN_PROJECTIONS, ROTARY, SCALE, Family, further
from mha.loading.tensors import Tensor, UnreadableFile
from mha.names import BY_CODE

#: Layers that are listed. The largest models have about a hundred.
MOST_LAYERS = 999
#: Arrays that are named in a list of those that are not shown.
NAMED = 12
#: A layer's place in a file: the index of its family in FAMILIES, and what its arrays' names begin with.
Place = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Measured:
    """Sizes of one layer. `inner_k` and `inner_v` are h·d_k and h·d_v; the widths are those of the inputs and the output.

    `num_heads` is None where the file does not say; `kv_heads` 0: fewer than heads, but the file does not say how many.
    `biases` are the roles that have one, `count` all numbers of the layer, `gate` whether it is Keras's with use_gate,
    `sliding_window` what the architecture says, `extras` what it has beyond these, each in words. `inner_g`: how wide the keys
    are, less than `inner_k` where heads share them.

    `packing` as in Family; "" where query, key and value are packed in an unknown order. `looks_back`: it is used with the causal
    mask. `unsaid`: what neither the arrays nor a config.json beside them say, in words.
    """

    num_heads: int | None
    kv_heads: int | None
    query_width: int
    key_width: int
    value_width: int
    out_width: int
    inner_k: int
    inner_v: int
    biases: tuple[str, ...] = ()
    count: int = 0
    extras: tuple[str, ...] = ()
    gate: bool = False
    sliding_window: int | None = None
    inner_g: int = 0
    packing: str = "blocks"
    looks_back: bool = False
    unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layer:
    """One attention layer of the file. `pieces` are its arrays by role. `sizes` is None where they do not fit together: `misfit`
    is then a sentence that says why, with a {} for each of `named`. `further`: its arrays that are counted and not shown."""

    name: str
    family: Family
    pieces: dict[str, Tensor]
    sizes: Measured | None
    misfit: str = ""
    named: tuple[str, ...] = ()
    further: tuple[Tensor, ...] = ()


def find_layers(contents: Contents) -> list[Layer]:
    """By their place in the file, layer 2 before layer 10; at most MOST_LAYERS."""
    pieces: dict[Place, dict[str, Tensor]] = {}
    twice: dict[Place, tuple[str, str, str]] = {}
    for tensor in contents.tensors:
        for number, family in enumerate(FAMILIES):
            if match := family.role(tensor.name):
                where, role = match
                first = pieces.setdefault((number, where), {}).setdefault(role, tensor)
                if first is not tensor:
                    twice[number, where] = (role, first.name, tensor.name)
    attention = {place: pieces[place] for place in sorted(pieces, key=_sort_key) if _is_attention(place, pieces[place])}
    attention = dict(list(_without_parts(attention).items())[:MOST_LAYERS])
    further = _further_arrays(contents.tensors, attention)
    layers = [_layer(place, attention[place], contents, further[place], twice.get(place)) for place in attention]
    if contents.beside is not None:
        _check_beside(layers, contents.beside)
    return layers


def _without_parts(attention: dict[Place, dict[str, Tensor]]) -> dict[Place, dict[str, Tensor]]:
    """Where two families have the same names for some arrays, the one that has them all."""
    sets = {place: {tensor.name for tensor in pieces.values()} for place, pieces in attention.items()}
    kept: dict[Place, dict[str, Tensor]] = {}
    for place, pieces in attention.items():
        others = (other for other in attention if other[1] == place[1] and other != place)
        if not any(sets[place] < sets[other] or (sets[place] == sets[other] and other in kept) for other in others):
            kept[place] = pieces
    return kept


def _check_beside(layers: Sequence[Layer], beside: Beside) -> None:
    """UnreadableFile where no layer has the sizes of the configuration."""
    sized = [(layer, layer.sizes) for layer in layers if layer.sizes is not None]
    if sized and beside.model is not None and not any(_fits(layer, sizes, beside) for layer, sizes in sized):
        there, here = beside.model.attention, sized[0][1]
        raise UnreadableFile(
            f"config.json is of another model: its layers are {there.d_model:,} wide with h·d_k = {there.inner:,}, those of the "
            f"weights {here.query_width:,} with {here.inner_k:,}."
        )


def _fits(layer: Layer, sizes: Measured, beside: Beside) -> bool:
    name = next(iter(layer.pieces.values())).name
    return beside.fits(name, sizes.query_width, sizes.inner_k, sizes.inner_v)


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[./]", name) if part != "vars")


def _further_arrays(
    tensors: Sequence[Tensor], attention: Mapping[Place, dict[str, Tensor]]
) -> dict[Place, list[tuple[Tensor, str]]]:
    """By place: the other arrays of a layer that change what it computes, each with what it is in words."""
    used = {tensor.name for pieces in attention.values() for tensor in pieces.values()}
    modules: dict[tuple[str, ...], Place] = {}
    projections: set[tuple[str, ...]] = set()
    for place, pieces in attention.items():
        names = [_parts(tensor.name) for tensor in pieces.values()]
        same = zip(*(name[:-1] for name in names), strict=False)
        depth = next((i for i, parts in enumerate(same) if len({*parts}) > 1), min(map(len, names)) - 1)
        modules.setdefault(names[0][:depth], place)
        projections |= {name[:-1] for name in names if len(name) > depth + 1}
    arrays: dict[Place, list[tuple[Tensor, str]]] = {place: [] for place in attention}
    for tensor in tensors:
        parts = _parts(tensor.name)
        for depth in reversed(range(len(parts))) if tensor.name not in used else ():
            if (place := modules.get(parts[:depth])) is not None:
                inside = any(parts[:n] in projections for n in range(depth + 1, len(parts)))
                if words := IN_PROJECTIONS if inside else further(parts[depth:]):
                    arrays[place].append((tensor, words))
                break
    return arrays


def _sort_key(place: Place) -> list[tuple[int, int, str]]:
    """Sorts words by the alphabet and numbers by size: layer 2 before layer 10."""
    parts = re.split(r"([0-9]{1,9})", place[1])
    return [*((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts), (2, place[0], "")]


def _is_attention(place: Place, pieces: dict[str, Tensor]) -> bool:
    """Every second layer of a model has an output; attention has the three packed into one, or a query and another one."""
    needed = set(FAMILIES[place[0]].needs) & set(pieces)
    return "w_qkv" in needed or ("w_q" in needed and len(needed) > 1)


WORDS = {
    "w_q": "query kernel", "w_k": "key kernel", "w_v": "value kernel", "w_o": "output kernel", "b_q": "query bias",
    "b_k": "key bias", "b_v": "value bias", "b_o": "output bias", "w_qkv": "packed query, key and value kernel",
    "b_qkv": "packed query, key and value bias", "w_g": "gate kernel", "b_g": "gate bias", "k+": "learned key",
    "v+": "learned value",
}  # fmt: skip


def _layer(
    place: Place, pieces: dict[str, Tensor], contents: Contents, further: list[tuple[Tensor, str]],
    twice: tuple[str, str, str] | None,
) -> Layer:  # fmt: skip
    """`twice`: a role that two arrays have, and their names."""
    family, where = FAMILIES[place[0]], place[1]
    called = contents.names.get(where, "")
    name = called if list(contents.names.values()).count(called) == 1 else where or "the layer"
    if twice is not None:
        return Layer(name, family, pieces, None, f"Both {{}} and {{}} are its {WORDS[twice[0]]}; a layer has one.", twice[1:])
    if missing := [role for role in family.needs if role not in pieces]:
        sentence = f"It has no {' and no '.join(WORDS[role] for role in missing)}."
        rest, names = _elsewhere(place, missing, contents)
        return Layer(name, family, pieces, None, sentence + rest, names)
    try:
        sizes = _with_configuration(measure(family, pieces, contents.facts.get(called, {})), pieces, family, contents.beside)
    except UnreadableFile as misfit:
        return Layer(name, family, pieces, None, misfit.sentence, misfit.names)
    tensors, extras = tuple(tensor for tensor, _ in further), dict.fromkeys(words for _, words in further)
    sizes = replace(sizes, count=sizes.count + sum(tensor.size for tensor in tensors), extras=(*sizes.extras, *extras))
    return Layer(name, family, pieces, sizes, further=tensors)


def _elsewhere(place: Place, missing: Sequence[str], contents: Contents) -> tuple[str, tuple[str, ...]]:
    """Of a model in several files: which has the rest, as a sentence with a {} for each of the names."""
    family, where = FAMILIES[place[0]], place[1]
    files = {file for name, file in contents.index.items() if (match := family.role(name)) and match[0] == where
             and match[1] in missing}  # fmt: skip
    if files:
        names = tuple(sorted(files)[:NAMED])
        return f" The rest is in {' and '.join('{}' for _ in names)}: drop them together.", names
    if contents.part is not None:
        one, of = contents.part
        return f" This is part {one} of {of} of a larger file; another part has the rest: drop them together.", ()
    return "", ()


def _with_configuration(sizes: Measured, pieces: dict[str, Tensor], family: Family, beside: Beside | None) -> Measured:
    """With what a configuration says besides."""
    name = next(iter(pieces.values())).name
    facts = LayerFacts() if beside is None else beside.facts_of(name, sizes.query_width, sizes.inner_k, sizes.inner_v)
    heads = (sizes.num_heads, sizes.kv_heads)
    if sizes.num_heads is None and facts.heads and facts.heads[1] * (sizes.inner_k // facts.heads[0]) == sizes.inner_g:
        heads = facts.heads if facts.heads[0] != facts.heads[1] else (facts.heads[0], sizes.kv_heads)
    packing = family.packing or facts.packing or ""
    if packing not in ("", "blocks") and heads[0] is None:
        packing = ""
    answered = {ROTARY: facts.positions is not None, SCALE: facts.scale is not None, CAUSAL: facts.looks_back is not None}
    return replace(
        sizes, num_heads=heads[0], kv_heads=heads[1], packing=packing,
        looks_back=family.looks_back if facts.looks_back is None else facts.looks_back,
        extras=tuple(dict.fromkeys((*sizes.extras, *family.differs, *facts.differs))),
        unsaid=tuple(words for words in family.unsaid if not answered[words]),
    )  # fmt: skip


def not_understood(tensors: Sequence[Tensor], layers: Sequence[Layer]) -> list[Tensor]:
    """Arrays that no layer shows or counts."""
    used = {tensor.name for layer in layers for tensor in (*layer.pieces.values(), *layer.further)}
    return [tensor for tensor in tensors if tensor.name not in used]


def measure(family: Family, pieces: dict[str, Tensor], facts: Mapping[str, object]) -> Measured:
    """UnreadableFile names the array, its shape and the one it should have."""
    if empty := next((tensor for tensor in pieces.values() if 0 in tensor.shape), None):
        raise UnreadableFile("{} has the shape {}: it is empty.", empty.name, empty.shape)
    if "w_qkv" in pieces:
        sizes = _packed(family, pieces)
    elif family.layout == "heads":
        sizes = _per_head(pieces)
    else:
        sizes = _linear(pieces)
    sizes = replace(sizes, inner_g=sizes.inner_g or sizes.inner_k)
    extras = ["a learned key (add_bias_kv)"] if "k+" in pieces else []
    if gate := "w_g" in pieces:
        _check_gate(pieces, sizes)
    window = facts.get("sliding_window")
    if window and not (type(window) is int and BY_CODE["query_len"].least <= window <= BY_CODE["query_len"].most):
        extras.append("a sliding window")
        window = None
    if facts.get("attention_axes", [1]) not in (None, 1, [1]):
        extras.append("attention over other axes than the first")
    biases = BIASES[:3] if "b_qkv" in pieces else ()
    biases = tuple(role for role in (*BIASES, "b_g") if role in pieces or role in biases)
    _check_biases(pieces, sizes)
    return replace(
        sizes, biases=biases, count=sum(tensor.size for tensor in pieces.values()), extras=tuple(extras), gate=gate,
        sliding_window=window if isinstance(window, int) and window else None,
    )  # fmt: skip


def _check_gate(pieces: dict[str, Tensor], sizes: Measured) -> None:
    """(query's width, h, d_v), and a bias of (h, d_v) or flat."""
    heads = sizes.num_heads or 1
    size = sizes.inner_v // heads
    _expect(pieces["w_g"], (sizes.query_width, heads, size))
    if "b_g" in pieces:
        _expect(pieces["b_g"], (heads, size), (heads * size,))


def _expect(tensor: Tensor, *allowed: tuple[int, ...]) -> None:
    if tensor.shape not in allowed:
        wanted = " or ".join(dict.fromkeys(map(str, allowed)))
        sentence = f"{{}} has the shape {{}}; beside the other arrays it should be {wanted}."
        raise UnreadableFile(sentence, tensor.name, tensor.shape)


def _rank(tensor: Tensor, rank: int) -> tuple[int, ...]:
    if len(tensor.shape) != rank:
        raise UnreadableFile("{} has the shape {}; " + f"a kernel of this kind has {rank} axes.", tensor.name, tensor.shape)
    return tensor.shape


def _per_head(pieces: dict[str, Tensor]) -> Measured:
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
        num_heads=heads, kv_heads=groups, query_width=query[0], key_width=key[0], value_width=value[0],
        out_width=math.prod(out), inner_k=heads * query[2], inner_v=heads * value[2], inner_g=groups * query[2],
    )  # fmt: skip


def _linear(pieces: dict[str, Tensor]) -> Measured:
    """(out, in) four times; the file does not say into how many heads the rows are cut."""
    query, key, value, out = (_rank(pieces[role], 2) for role in ("w_q", "w_k", "w_v", "w_o"))
    if query[0] % key[0] or (key[0] != value[0] and key[0] != query[0]):
        raise UnreadableFile("{} has the shape {}; its rows must divide those of the query, {}.", pieces["w_k"].name, key, query)
    _expect(pieces["w_o"], (out[0], value[0] * (query[0] // key[0])))
    shared = key[0] < query[0]  # grouped-query: fewer heads of keys and values, but the file does not say how many
    return Measured(
        num_heads=None, kv_heads=0 if shared else None, query_width=query[1], key_width=key[1],
        value_width=value[1], out_width=out[0], inner_k=query[0], inner_v=value[0] * (query[0] // key[0]), inner_g=key[0],
    )  # fmt: skip


def _packed(family: Family, pieces: dict[str, Tensor]) -> Measured:
    """Query, key and value in one: (h·d + 2·h_kv·d, in), or (E, 3·E) in GPT-2's Conv1D. The output says how wide the query is."""
    shape, out = _rank(pieces["w_qkv"], 2), _rank(pieces["w_o"], 2)
    if family.layout == "columns" or family.title.startswith("PyTorch"):
        width = min(shape)
        _expect(pieces["w_qkv"], (3 * width, width), *(((width, 3 * width),) if family.layout == "columns" else ()))
        _expect(pieces["w_o"], (width, width))
        rows, inner, output = 3 * width, width, width
    else:
        (rows, width), (output, inner) = shape, out
    keys, left = divmod(rows - inner, 2)
    if left or keys < 1 or inner % keys:
        sentence = "{} has the shape {}; beside {} it should have" + f" {3 * inner:,} rows, or fewer where heads share keys."
        raise UnreadableFile(sentence, pieces["w_qkv"].name, shape, pieces["w_o"].name)
    if "b_qkv" in pieces:
        _expect(pieces["b_qkv"], (rows,))
    return Measured(
        num_heads=None, kv_heads=None if keys == inner else 0, query_width=width, key_width=width, value_width=width,
        out_width=output, inner_k=inner, inner_v=inner, inner_g=keys,
    )  # fmt: skip


def _check_biases(pieces: dict[str, Tensor], sizes: Measured) -> None:
    """A bias is flat, or cut into heads as its kernel is."""
    heads, groups = sizes.num_heads or 1, sizes.kv_heads or sizes.num_heads or 1
    inner = {"b_q": (sizes.inner_k, heads), "b_k": (sizes.inner_k, groups), "b_v": (sizes.inner_v, groups)}
    for role, (width, cut) in inner.items():
        if role in pieces and sizes.kv_heads != 0:
            size = width // heads
            _expect(pieces[role], (cut, size), (cut * size,))
    if "b_qkv" in pieces and "w_qkv" not in pieces:
        _expect(pieces["b_qkv"], (2 * sizes.inner_k + sizes.inner_v,))
    if "b_o" in pieces and math.prod(pieces["b_o"].shape) != sizes.out_width:
        _expect(pieces["b_o"], (sizes.out_width,))
