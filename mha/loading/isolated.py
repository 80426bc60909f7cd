"""`mha.loading.report.inspect_file` in a process of its own, whose memory and time are bounded.

`python -m mha.loading.isolated` reads a line of JSON from stdin (which layer's numbers are wanted), then the file; the answer
goes to stdout as in `mha.keras.wire`. HDF5 is read by a library written in C: a file that crashes it crashes only that process.
"""

import json
import os
import subprocess
import sys
import threading
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


def inspect_in_subprocess(data: bytes, number: int | None = None) -> tuple[Report, dict[str, Floats]]:
    """As `inspect_file`; also UnreadableFile where reading takes too long or ends the process."""
    if sys.platform == "emscripten":  # a browser has no processes, and there is no other visitor to protect
        return inspect_file(data, number)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HDF5_PLUGIN_PATH": "/nonexistent"}
    head = json.dumps({"number": number}).encode() + b"\n"
    try:
        with AT_ONCE:
            ran = subprocess.run(
                COMMAND, input=head + data, capture_output=True, timeout=PATIENCE, cwd=ROOT, env=environment, check=False
            )
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
        report, arrays = inspect_file(sys.stdin.buffer.read(), wanted["number"])
    except UnreadableFile as error:
        send(answer, {"error": error.sentence, "names": error.names})
    except MemoryError:
        send(answer, {"error": "The file unpacks to more than there is memory for.", "names": ()})
    else:
        send(answer, report.plain(), arrays)


if __name__ == "__main__":
    main()
