"""Which attention layers a file holds: names tell the library, shapes tell the sizes. No number is read for that."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mha.loading.contents import Contents
from mha.loading.families import FAMILIES, IN_PROJECTIONS, Family, further
from mha.loading.measure import Measured, Misfit, measure
from mha.loading.tensors import Tensor

#: Layers that are listed. The largest models have about a hundred.
MOST_LAYERS = 999
#: Names of arrays that were not understood and are named.
NAMED = 12


@dataclass(frozen=True, slots=True)
class Layer:
    """One attention layer of the file. `pieces` are its arrays by role; `sizes` what they say, or `misfit`, a sentence
    about the arrays `named` in it, where they do not fit together. `further`: its arrays that are
    counted and not shown."""

    name: str
    family: Family
    pieces: dict[str, Tensor]
    sizes: Measured | None
    misfit: str = ""
    named: tuple[str, ...] = ()
    further: tuple[Tensor, ...] = ()


def layers(contents: Contents) -> list[Layer]:
    """By their place in the file, layer 2 before layer 10; at most MOST_LAYERS."""
    found: dict[tuple[int, str], dict[str, Tensor]] = {}
    twice: dict[tuple[int, str], tuple[str, str, str]] = {}
    for tensor in contents.tensors:
        for number, family in enumerate(FAMILIES):
            if place := family.role(tensor.name):
                pieces = found.setdefault((number, place[0]), {})
                if pieces.setdefault(place[1], tensor) is not tensor:
                    twice[number, place[0]] = (place[1], pieces[place[1]].name, tensor.name)
    belonging = [place for place in sorted(found, key=_in_order) if _belongs(FAMILIES[place[0]], found[place])][:MOST_LAYERS]
    besides = _besides(contents.tensors, {place: found[place] for place in belonging})
    return [
        _layer(where, FAMILIES[number], found[number, where], contents, besides[number, where], twice.get((number, where)))
        for number, where in belonging
    ]


def _parts(name: str) -> list[str]:
    return re.split(r"[./]", name)


def _besides(
    tensors: Sequence[Tensor], found: Mapping[tuple[int, str], dict[str, Tensor]]
) -> dict[tuple[int, str], list[tuple[Tensor, str]]]:
    """By place: the arrays that lie in a layer and change what it computes, each with what it is in words."""
    used = {tensor.name for pieces in found.values() for tensor in pieces.values()}
    modules: dict[tuple[str, ...], tuple[int, str]] = {}
    projections: set[tuple[str, ...]] = set()
    for place, pieces in found.items():
        names = [tuple(part for part in _parts(tensor.name) if part != "vars") for tensor in pieces.values()]
        same = zip(*(name[:-1] for name in names), strict=False)
        depth = next((i for i, parts in enumerate(same) if len({*parts}) > 1), min(map(len, names)) - 1)
        modules.setdefault(names[0][:depth], place)
        projections |= {name[:-1] for name in names if len(name) > depth + 1}
    besides: dict[tuple[int, str], list[tuple[Tensor, str]]] = {place: [] for place in found}
    for tensor in tensors:
        parts = tuple(part for part in _parts(tensor.name) if part != "vars")
        for depth in reversed(range(len(parts))) if tensor.name not in used else ():
            if (place := modules.get(parts[:depth])) is not None:
                inside = any(parts[:n] in projections for n in range(depth + 1, len(parts)))
                if words := IN_PROJECTIONS if inside else further(list(parts[depth:])):
                    besides[place].append((tensor, words))
                break
    return besides


def _in_order(place: tuple[int, str]) -> list[tuple[int, int, str]]:
    """Words by the alphabet, numbers by size."""
    parts = re.split(r"([0-9]{1,9})", place[1])
    return [*((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts), (2, place[0], "")]


def _belongs(family: Family, pieces: dict[str, Tensor]) -> bool:
    """An output alone is in every second layer of a model; what makes attention is the packed three, or a query with another."""
    needed = set(family.needs) & set(pieces)
    return "w_qkv" in needed or ("w_q" in needed and len(needed) > 1)


WORDS = {
    "w_q": "query kernel", "w_k": "key kernel", "w_v": "value kernel", "w_o": "output kernel", "b_q": "query bias",
    "b_k": "key bias", "b_v": "value bias", "b_o": "output bias", "w_qkv": "packed query, key and value kernel",
    "b_qkv": "packed query, key and value bias", "w_g": "gate kernel", "b_g": "gate bias", "k+": "learned key",
    "v+": "learned value",
}  # fmt: skip


def _layer(
    where: str,
    family: Family,
    pieces: dict[str, Tensor],
    contents: Contents,
    besides: list[tuple[Tensor, str]],
    twice: tuple[str, str, str] | None,
) -> Layer:
    own = contents.names.get(where, "")
    name = own if list(contents.names.values()).count(own) == 1 else where or "the layer"
    if twice is not None:
        return Layer(name, family, pieces, None, f"Both {{}} and {{}} are its {WORDS[twice[0]]}; a layer has one.", twice[1:])
    if missing := [role for role in family.needs if role not in pieces]:
        return Layer(name, family, pieces, None, f"It has no {' and no '.join(WORDS[role] for role in missing)}.")
    try:
        sizes = measure(family, pieces, contents.facts.get(own, {}))
        tensors, words = tuple(tensor for tensor, _ in besides), dict.fromkeys(words for _, words in besides)
        sizes = replace(sizes, count=sizes.count + sum(tensor.size for tensor in tensors), extras=(*sizes.extras, *words))
        return Layer(name, family, pieces, sizes, further=tensors)
    except Misfit as misfit:
        return Layer(name, family, pieces, None, misfit.sentence, misfit.names)


def not_understood(tensors: Sequence[Tensor], found: Sequence[Layer]) -> list[Tensor]:
    """Arrays that no layer found draws or counts."""
    used = {tensor.name for layer in found for tensor in (*layer.pieces.values(), *layer.further)}
    return [tensor for tensor in tensors if tensor.name not in used]
