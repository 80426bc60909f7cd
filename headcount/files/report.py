"""Report on uploaded files. A server makes each report in a separate process, because libraries that read files may crash."""

import re
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from headcount.arrays import Floats
from headcount.bounded_process import Arrays, Ended, Facts, Message, Process, answer_requests, bound_itself, no_network
from headcount.files.contents import open_files
from headcount.files.fit import LayerSizes
from headcount.files.layers import NAMED, LayerInFile, StoredLayer, find_layers
from headcount.files.tensors import MAX_NAME, Tensor, UnreadableFile
from headcount.switches import Switches

COMMAND, ENVIRONMENT = (sys.executable, "-m", "headcount.files.report"), {"HDF5_PLUGIN_PATH": "/nonexistent"}
#: Most seconds for the start of the process, which is slow on a busy machine, and then for reading a file. Most files take 0.1 s.
START, PATIENCE = 60.0, 15.0
#: Most files that are read at the same time (one for each visitor), and seconds that a further file waits.
AT_ONCE, QUEUE = 2, 60.0
#: Limits of the process: bytes of address space, and seconds of computing. The largest file needs half a GB and a second.
MAX_MEMORY, MAX_SECONDS = 2 << 30, 10


@dataclass(frozen=True, slots=True)
class Report:
    """The attention layers in a file. `others` counts all other arrays. `unknown` has name and size of at most NAMED of those."""

    entries: tuple[LayerInFile, ...]
    unknown: tuple[tuple[str, int], ...]
    others: int
    unused: tuple[str, ...] = ()  # as in Contents


def from_plain(facts: Mapping[str, Any]) -> Report:
    """Rebuilds a Report from its dict after the dict was sent as JSON."""
    entries: list[LayerInFile] = []
    for one in facts["entries"]:
        sizes = one["sizes"]
        if sizes is not None:
            listed: dict[str, Any] = {name: tuple(sizes[name]) for name in ("biases", "changes")}
            sizes = LayerSizes(**(sizes | listed | {"switches": Switches(**sizes["switches"])}))
        read = tuple((role, name, tuple(shape)) for role, name, shape in one["read"])
        entries.append(LayerInFile(one["name"], sizes, one["why_not"], tuple(one["named"]), read))
    return Report(tuple(entries), tuple((name, size) for name, size in facts["unknown"]), facts["others"], tuple(facts["unused"]))


def inspect_file(files: bytes | Mapping[str, bytes], number: int | None = None) -> tuple[Report, dict[str, Floats]]:
    """Reads a file, or several files by name, and returns the report. If `number` is given, also returns `StoredLayer.numbers` of
    that layer (0-based). Raises UnreadableFile if the file cannot be read, or if the pages cannot show the layer."""
    contents = open_files({"the file": files} if isinstance(files, bytes) else files)
    layers, others = find_layers(contents)
    sizes = [layer.sizes for layer in layers if layer.sizes is not None]
    if contents.beside and (another := contents.beside.of_another(sizes)):
        contents = replace(contents, beside=None, unused=(another,))
        layers, others = find_layers(contents)
    report = described(layers, others, contents.unused)
    if number is None:
        return report, {}
    if not 0 <= number < len(layers):
        raise UnreadableFile(f"There is no layer {number + 1}; the file has {len(layers)}.")
    if layers[number].why_not:
        raise UnreadableFile(layers[number].why_not, *layers[number].named)
    return report, layers[number].numbers()


def described(layers: list[StoredLayer], others: list[Tensor], unused: tuple[str, ...]) -> Report:
    if not layers:  # the most similar names first
        others.sort(key=lambda tensor: not re.search(r"(?i)att|qkv|query|\b[qkv]_", tensor.name))
    entries = tuple(LayerInFile(layer.name, layer.sizes, layer.why_not, layer.named, layer.read) for layer in layers)
    return Report(entries, tuple((tensor.name[:MAX_NAME], tensor.values.size) for tensor in others[:NAMED]), len(others), unused)


class Places:
    """Limits the processes that read files: at most AT_ONCE in all, and at most one for each visitor."""

    def __init__(self):
        self.taken, self.changed = list[object](), threading.Condition()

    @contextmanager
    def one(self, visitor: object) -> Generator[None]:
        """Reserves a process for a visitor in a `with` block. Raises UnreadableFile if none is free within QUEUE seconds."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.taken) < AT_ONCE and visitor not in self.taken, QUEUE):
                raise UnreadableFile("Other files are still being read: drop it once more in a minute.")
            self.taken.append(visitor)
        try:
            yield
        finally:
            with self.changed:
                self.taken.remove(visitor)
                self.changed.notify_all()


PLACES = Places()


def inspect_in_subprocess(
    files: bytes | Mapping[str, bytes], number: int | None = None, visitor: object = None
) -> tuple[Report, dict[str, Floats]]:
    """Runs `inspect_file` in its own process, or directly in a browser. Also raises UnreadableFile if it is slow or crashes."""
    if sys.platform == "emscripten":  # a browser has no processes and only one visitor
        return inspect_file(files, number)
    named = {"the file": files} if isinstance(files, bytes) else files
    sent = {str(i): np.frombuffer(data, np.uint8) for i, data in enumerate(named.values())}
    try:
        with PLACES.one(object() if visitor is None else visitor), closing(Process(COMMAND, ENVIRONMENT)) as process:
            process.get_ready(START)
            facts, arrays = process.ask({"number": number, "names": list(named)}, sent, PATIENCE)
        if "sentence" in facts:
            raise UnreadableFile(facts["sentence"], *facts["names"])
        return from_plain(facts), arrays
    except (Ended, KeyError, TypeError) as why:
        ended = f": {why}" if isinstance(why, Ended) else ""
        raise UnreadableFile(f"The file broke the library that reads it{ended}. None of it was read.") from None


def begin() -> Facts:
    bound_itself(MAX_MEMORY, MAX_SECONDS)
    no_network()
    return {}


def handle(facts: Facts, arrays: Arrays) -> Message:
    """Returns the answer to a request: the report and arrays or, if the file cannot be read, the error's sentence and names."""
    try:
        files = {name: arrays[str(i)].tobytes() for i, name in enumerate(facts["names"])}
        report, numbers = inspect_file(files, facts["number"])
    except UnreadableFile as error:
        return {"sentence": error.sentence, "names": error.names}, {}
    except MemoryError:
        return {"sentence": "The file unpacks to more than there is memory for.", "names": ()}, {}
    return asdict(report), numbers


if __name__ == "__main__":
    answer_requests(begin, handle)
