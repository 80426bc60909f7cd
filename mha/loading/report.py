"""What a file holds, as plain facts that can be sent from the process that reads it to the one that shows it."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mha.arrays import Floats
from mha.loading import fit
from mha.loading.contents import Contents, open_files
from mha.loading.layers import NAMED, Layer, Measured, find_layers, not_understood
from mha.loading.tensors import MOST_NAME, UnreadableFile
from mha.switches import Switches


@dataclass(frozen=True, slots=True)
class Entry:
    """One layer of a file. `name` and `named` come out of the file: quote them. `why_not`: "", or why the pages
    cannot show it: a sentence with a {} for each of `named`. `sizes` is None where its arrays do not fit together."""

    name: str
    sizes: Measured | None
    why_not: str = ""
    named: tuple[str, ...] = ()

    @property
    def looks_back(self) -> bool:
        return self.sizes is not None and self.sizes.looks_back


@dataclass(frozen=True, slots=True)
class Report:
    """The layers of a file; `others` is how many arrays no layer shows or counts, and `unknown` the names and sizes (how many
    numbers) of the first of them."""

    kind: str
    entries: tuple[Entry, ...]
    unknown: tuple[tuple[str, int], ...]
    others: int

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def from_plain(facts: Mapping[str, Any]) -> Report:
    """The inverse of `Report.plain`, after JSON. KeyError or TypeError where the facts are no report."""
    entries = tuple(
        Entry(one["name"], _read_sizes(one["sizes"]), one["why_not"], tuple(one["named"])) for one in facts["entries"]
    )
    return Report(facts["kind"], entries, tuple((name, size) for name, size in facts["unknown"]), facts["others"])


def _read_sizes(sizes: Mapping[str, Any] | None) -> Measured | None:
    if sizes is None:
        return None
    read: dict[str, Any] = dict(sizes) | {name: tuple(sizes[name]) for name in ("biases", "extras", "unsaid")}
    read["switches"] = Switches(**sizes["switches"])
    return Measured(**read)


def inspect_file(files: bytes | Mapping[str, bytes], number: int | None = None) -> tuple[Report, dict[str, Floats]]:
    """What is in a file, or in several by their names, and the numbers of one of its layers (0-based; flat, as `mha.loading.fit`
    lays them out).

    UnreadableFile where the file is not understood at all, or that layer's numbers cannot be read.
    """
    contents = open_files({"the file": files} if isinstance(files, bytes) else files)
    layers = find_layers(contents)
    report = described(contents, layers)
    if number is None:
        return report, {}
    if not 0 <= number < len(layers):
        raise UnreadableFile(f"There is no layer {number + 1}; the file has {len(layers)}.")
    if why_not := report.entries[number].why_not:
        raise UnreadableFile(why_not, *report.entries[number].named)
    return report, fit.numbers(layers[number])


def described(contents: Contents, layers: list[Layer]) -> Report:
    unknown = not_understood(contents.tensors, layers)
    if not layers:  # the names that come nearest first
        unknown.sort(key=lambda tensor: not re.search(r"(?i)att|qkv|query|\b[qkv]_", tensor.name))
    some = tuple((tensor.name[:MOST_NAME], tensor.size) for tensor in unknown[: NAMED])
    return Report(contents.kind, tuple(map(_entry, layers)), some, len(unknown))


def _entry(layer: Layer) -> Entry:
    name = layer.name[:MOST_NAME]
    if layer.sizes is None:
        return Entry(name, None, layer.misfit, layer.named)
    why_not, shown = fit.why_not(layer.sizes), layer.further[:NAMED]
    if shown:
        more = len(layer.further) - len(shown)
        listed = ", ".join(f"{{}} ({tensor.size:,})" for tensor in shown) + (f" and {more} more" if more else "")
        why_not += f" Counted with the others: {listed}."
    return Entry(name, layer.sizes, why_not, tuple(tensor.name[:MOST_NAME] for tensor in shown))
