"""`mha.loading.report.look`, done by a process of its own that is gone afterwards."""

import json
import os
import subprocess
import sys
import threading
from io import BytesIO

from mha.arrays import Floats
from mha.assets import ROOT
from mha.keras.wire import receive
from mha.loading.refusal import Unreadable
from mha.loading.report import Report, from_plain, look

COMMAND = (sys.executable, "-m", "mha.loading.reader")
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
