"""`mha.loading.report.look`, done by a process of its own that is gone afterwards: `python -m mha.loading.isolated`.

The file goes to its stdin, after a line of JSON that names the layer whose numbers are wanted; what is in it comes back as in
`mha.keras.wire`. Its memory and its time are bounded. HDF5 is read by a library written in C: should a file crash it, it crashes
this process and no other.
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
from mha.loading.report import Report, from_plain, look
from mha.loading.tensors import Unreadable

COMMAND = (sys.executable, "-m", "mha.loading.isolated")
#: Where Python starts slowly on a busy machine, seconds count; reading itself takes a tenth of one.
PATIENCE = 60.0
#: Files read at the same time, over all visitors.
AT_ONCE = threading.BoundedSemaphore(2)
BROKEN = "The file broke the library that reads it. It is damaged, or was made to do that; nothing of it was taken."


def look_apart(data: bytes, number: int | None = None) -> tuple[Report, dict[str, Floats]]:
    """As `look`; also Unreadable where the reader took too long or was ended by what it read."""
    if sys.platform == "emscripten":  # a browser has no processes, and no other visitor to protect
        return look(data, number)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HDF5_PLUGIN_PATH": "/nonexistent"}
    head = json.dumps({"number": number}).encode() + b"\n"
    try:
        with AT_ONCE:
            ran = subprocess.run(
                COMMAND, input=head + data, capture_output=True, timeout=PATIENCE, cwd=ROOT, env=environment, check=False
            )
        facts, arrays = receive(BytesIO(ran.stdout))
    except subprocess.TimeoutExpired:
        raise Unreadable(f"Reading took more than {PATIENCE:.0f} s and was stopped.") from None
    except (EOFError, ValueError, KeyError, TypeError):
        raise Unreadable(BROKEN) from None
    if "error" in facts:
        raise Unreadable(facts["error"], *facts["names"])
    return from_plain(facts), arrays


# From here on: the process that opens the file.

#: Bytes of address space and seconds of computing. The largest file that is read takes half a GB and a second.
MOST_MEMORY, MOST_SECONDS = 2 << 30, 30


def _bound() -> None:
    """Takes effect where the system knows such limits."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand in the answer
    _bound()
    wanted = json.loads(sys.stdin.buffer.readline())
    try:
        report, arrays = look(sys.stdin.buffer.read(), wanted["number"])
    except Unreadable as error:
        send(answers, {"error": error.sentence, "names": error.names})
    except MemoryError:
        send(answers, {"error": "The file unpacks to more than there is memory for.", "names": ()})
    else:
        send(answers, report.plain(), arrays)


if __name__ == "__main__":
    main()
