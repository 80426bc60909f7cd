"""`mha.loading.report.inspect_file` in a process of its own, one for each file: `python -m mha.loading.isolated`.

The libraries that read files are written in C: a file that crashes them crashes only that process.
"""

import sys
import threading
from collections.abc import Mapping

import numpy as np

from mha.arrays import Floats
from mha.bounded_process import Process, answer_requests, bound_itself, no_network
from mha.keras.wire import Arrays, Facts, Message
from mha.loading.report import Report, from_plain, inspect_file
from mha.loading.tensors import UnreadableFile

COMMAND = (sys.executable, "-m", "mha.loading.isolated")
#: Seconds. Reading takes a tenth of one; on a busy machine, starting Python takes some.
PATIENCE = 60.0
#: Files read at the same time, over all visitors.
AT_ONCE = threading.BoundedSemaphore(2)
BROKEN = "The file broke the library that reads it. It is damaged, or was built to do that; none of it was read."
TOO_LARGE = "The file unpacks to more than there is memory for."
#: Bytes of address space and seconds of computing. The largest file that is read takes half a GB and a second.
MOST_MEMORY, MOST_SECONDS = 2 << 30, 30


def inspect_in_subprocess(
    files: bytes | Mapping[str, bytes], number: int | None = None
) -> tuple[Report, dict[str, Floats]]:
    """As `inspect_file`; also UnreadableFile where reading takes too long or ends the process."""
    if sys.platform == "emscripten":  # a browser has no processes, and there is no other visitor to protect
        return inspect_file(files, number)
    named = {"the file": files} if isinstance(files, bytes) else files
    sent = {str(i): np.frombuffer(data, np.uint8) for i, data in enumerate(named.values())}
    with AT_ONCE:
        process = Process(COMMAND, {"HDF5_PLUGIN_PATH": "/nonexistent"}, MOST_MEMORY)
        try:
            process.receive(PATIENCE)
            facts, arrays = process.ask({"number": number, "names": list(named)}, sent, PATIENCE)
            if "error" not in facts:
                return from_plain(facts), arrays
        except TimeoutError:
            raise UnreadableFile(f"Reading took more than {PATIENCE:g} s and was stopped.") from None
        except MemoryError:
            raise UnreadableFile(TOO_LARGE) from None
        except (OSError, EOFError, ValueError, KeyError, TypeError):
            raise UnreadableFile(BROKEN) from None
        finally:
            process.close()
    raise UnreadableFile(facts["error"], *facts.get("names", ()))


def begin() -> Facts:
    bound_itself(MOST_MEMORY, MOST_SECONDS)
    no_network()
    return {}


def handle(facts: Facts, arrays: Arrays) -> Message:
    """The report and one layer's numbers, or an "error" with its "names"."""
    try:
        files = {name: arrays[str(i)].tobytes() for i, name in enumerate(facts["names"])}
        report, numbers = inspect_file(files, facts["number"])
    except UnreadableFile as error:
        return {"error": error.sentence, "names": error.names}, {}
    except MemoryError:
        return {"error": TOO_LARGE, "names": ()}, {}
    return report.plain(), numbers


if __name__ == "__main__":
    answer_requests(begin, handle)
