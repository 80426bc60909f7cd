"""`mha.loading.report.inspect_file` in a process of its own, whose memory and time are bounded.

`python -m mha.loading.isolated` reads a line of JSON from stdin (which layer's numbers are wanted, names and sizes of the files),
then the files; the answer goes to stdout as in `mha.keras.wire`. HDF5 is read by a library written in C: a file that crashes it
crashes only that process.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from io import BytesIO

from mha.arrays import Floats
from mha.assets import ROOT
from mha.keras.wire import receive, send
from mha.loading.report import Report, from_plain, inspect_file
from mha.loading.tensors import UnreadableFile

COMMAND = (sys.executable, "-m", "mha.loading.isolated")
#: Seconds. Reading takes a tenth of one; on a busy machine, starting Python takes some.
PATIENCE = 60.0
#: Files read at the same time, over all visitors.
AT_ONCE = threading.BoundedSemaphore(2)
BROKEN = "The file broke the library that reads it. It is damaged, or was built to do that; none of it was read."
#: Bytes of address space and seconds of computing. The largest file that is read takes half a GB and a second.
MOST_MEMORY, MOST_SECONDS = 2 << 30, 30


def inspect_in_subprocess(
    files: bytes | Mapping[str, bytes], number: int | None = None
) -> tuple[Report, dict[str, Floats]]:
    """As `inspect_file`; also UnreadableFile where reading takes too long or ends the process."""
    if sys.platform == "emscripten":  # a browser has no processes, and there is no other visitor to protect
        return inspect_file(files, number)
    named = {"the file": files} if isinstance(files, bytes) else files
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HDF5_PLUGIN_PATH": "/nonexistent"}
    sizes = [(name, len(data)) for name, data in named.items()]
    head = json.dumps({"number": number, "files": sizes}).encode() + b"\n"
    try:
        with AT_ONCE:
            ran = subprocess.run(
                COMMAND, input=b"".join((head, *named.values())), capture_output=True, timeout=PATIENCE, cwd=ROOT,
                env=environment, check=False,
            )  # fmt: skip
        facts, arrays = receive(BytesIO(ran.stdout))
    except subprocess.TimeoutExpired:
        raise UnreadableFile(f"Reading took more than {PATIENCE:.0f} s and was stopped.") from None
    except (EOFError, ValueError, KeyError, TypeError):
        raise UnreadableFile(BROKEN) from None
    if "error" in facts:
        raise UnreadableFile(facts["error"], *facts["names"])
    return from_plain(facts), arrays


def bound() -> None:
    """Limits memory and time where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get into the answer
    bound()
    wanted = json.loads(sys.stdin.buffer.readline())
    try:
        files = {name: sys.stdin.buffer.read(size) for name, size in wanted["files"]}
        report, arrays = inspect_file(files, wanted["number"])
    except UnreadableFile as error:
        send(answer, {"error": error.sentence, "names": error.names})
    except MemoryError:
        send(answer, {"error": "The file unpacks to more than there is memory for.", "names": ()})
    else:
        send(answer, report.plain(), arrays)


if __name__ == "__main__":
    main()
