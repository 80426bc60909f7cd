"""The process that opens one file and ends: `python -m mha.loading.reader`. Its memory and its time are bounded.

The file comes on stdin, after a line of JSON that says which layer's numbers are wanted; what is in it goes to stdout as in
`mha.keras.wire`. HDF5 is read by a library written in C: should a file crash it, it crashes this process and no other.
"""

import json
import os
import sys

#: Bytes of address space and seconds of computing. The largest file that is read takes half a GB and a second.
MOST_MEMORY, MOST_SECONDS = 2 << 30, 30


def bound() -> None:
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
    bound()
    from mha.keras.wire import send
    from mha.loading.refusal import Unreadable
    from mha.loading.report import look

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
