"""Which attention layers a file holds: names tell the library, shapes tell the sizes. No number is read for that."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mha.loading.contents import Contents
from mha.loading.families import FAMILIES, Family
from mha.loading.measure import Measured, Misfit, measure
from mha.loading.tensors import Tensor

#: Layers that are listed. The largest models have about a hundred.
MOST_LAYERS = 999
#: Names of arrays that were not understood and are named.
NAMED = 12


@dataclass(frozen=True, slots=True)
class Layer:
    """One attention layer of the file. `pieces` are its arrays by role; `sizes` what they say, or `misfit`, a sentence
    about the arrays `named` in it, where they do not fit together."""

    name: str
    family: Family
    pieces: dict[str, Tensor]
    sizes: Measured | None
    misfit: str = ""
    named: tuple[str, ...] = ()


def layers(contents: Contents) -> list[Layer]:
    """By their place in the file, layer 2 before layer 10; at most MOST_LAYERS."""
    found: dict[tuple[int, str], dict[str, Tensor]] = {}
    for tensor in contents.tensors:
        for number, family in enumerate(FAMILIES):
            if place := family.role(tensor.name):
                found.setdefault((number, place[0]), {}).setdefault(place[1], tensor)
    belonging = [place for place in sorted(found, key=_in_order) if _belongs(FAMILIES[place[0]], found[place])]
    return [_layer(where, FAMILIES[number], found[number, where], contents) for number, where in belonging[:MOST_LAYERS]]


def _in_order(place: tuple[int, str]) -> list:
    """Words by the alphabet, numbers by size."""
    parts = re.split(r"([0-9]{1,9})", place[1])
    return [*((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts), (2, place[0], "")]


def _belongs(family: Family, pieces: dict[str, Tensor]) -> bool:
    """An output alone is in every second layer of a model; what makes attention is the packed three, or a query with another."""
    needed = set(family.needs) & set(pieces)
    return "w_qkv" in needed or ("w_q" in needed and len(needed) > 1)


def _layer(where: str, family: Family, pieces: dict[str, Tensor], contents: Contents) -> Layer:
    own = contents.names.get(where, "")
    name = own if list(contents.names.values()).count(own) == 1 else where or "the layer"
    if missing := [role for role in family.needs if role not in pieces]:
        words = {"w_q": "query", "w_k": "key", "w_v": "value", "w_o": "output", "w_qkv": "packed query, key and value"}
        return Layer(name, family, pieces, None, f"It has no {' and no '.join(words[role] for role in missing)} kernel.")
    try:
        return Layer(name, family, pieces, measure(family, pieces, contents.facts.get(own, {})))
    except Misfit as misfit:
        return Layer(name, family, pieces, None, misfit.sentence, misfit.names)


def not_understood(tensors: Sequence[Tensor], found: Sequence[Layer]) -> list[str]:
    """Names of arrays that belong to no layer found."""
    used = {tensor.name for layer in found for tensor in layer.pieces.values()}
    return [tensor.name for tensor in tensors if tensor.name not in used]
