"""Child processes with limits on time and memory. One runs Keras (`headcount.keras.worker`), another reads files
(`headcount.files.report`). The parent makes a `Process`, the child calls `answer_requests`. A message is the length of a JSON
header, the header, and the bytes of float32 or uint8 arrays. Without pickle, no message can run code."""

import json
import math
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from headcount.arrays import Floats
from headcount.assets import ROOT

#: Environment variables that give a child one thread, because the server needs the other cores.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
#: Seconds between two checks of a child's time and memory.
LOOK = 0.05
#: By how much a child lowers its priority (`os.nice`), so that the server's pictures come first.
NICE = 10
#: Audit events of Python (sys.addaudithook) for access to the network and for starting programs.
OUTSIDE = ("socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn")
#: Format of a message's first four bytes, which are the length of its header.
LENGTH = struct.Struct(">I")
MAX_HEADER = 1 << 20  # bytes; sixty experiments in one request give some kB each, so more cannot be ours

#: Types of the arrays in a message: float32 numbers, or the bytes of a file.
KINDS = ("<f4", "u1")
#: JSON values by name. The receiver checks each value before use.
Facts = dict[str, Any]
Arrays = dict[str, Floats]
Message = tuple[Facts, Arrays]


class Ended(Exception):
    """Error: a child process could not start, or ended before it answered. The message is a clause with the reason."""


class TooSlow(Ended):
    """Error: a child process was stopped because it took too long."""


class Process:
    """A child process that runs `command`. The constructor raises Ended if the child cannot start. The methods `ask` and
    `get_ready` raise Ended if the child ends. They also kill the child if it uses more than `max_memory` bytes (Ended) or takes
    more than `seconds` (TooSlow)."""

    def __init__(self, command: tuple[str, ...], environment: Mapping[str, str] | None = None, max_memory: int = 2 << 30):
        self.max_memory = max_memory
        own = {**os.environ, **ONE_THREAD, **(environment or {})}
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=own)
        except OSError as error:
            raise Ended(error.strerror or str(error)) from None
        assert self.process.stdin is not None  # both are pipes
        assert self.process.stdout is not None
        self._requests, self._answers = self.process.stdin, self.process.stdout

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def memory(self) -> int:
        """The bytes of memory that the child uses, or 0 if the system does not report them (Windows) or the child has ended."""
        try:
            return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except FileNotFoundError:
            if sys.platform != "darwin":
                return 0
            asked = ("ps", "-o", "rss=", "-p", str(self.process.pid))
            return 1024 * int(subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() or 0)
        except (OSError, ValueError, IndexError):
            return 0

    def ask(self, facts: Mapping[str, object], arrays: Mapping[str, NDArray[Any]], seconds: float) -> Message:
        """Sends one message and returns the child's answer. `seconds`: the limit for sending and waiting together."""
        return self._bounded(lambda: (send(self._requests, facts, arrays), receive(self._answers))[1], seconds)

    def get_ready(self, seconds: float) -> None:
        """Waits at most `seconds` for the child's first message. Raises Ended with the reason if the child cannot work."""
        facts, _ = self._bounded(lambda: receive(self._answers), seconds)
        if "error" in facts:
            raise Ended(facts["error"])

    def _bounded(self, work: Callable[[], Message], seconds: float) -> Message:
        """Runs `work` on a pipe. To end a blocked pipe, kills the child after `seconds` or if it uses too much memory."""
        over, why = threading.Event(), list[Ended]()

        def watch() -> None:
            end = time.monotonic() + seconds
            while not over.wait(LOOK):
                if time.monotonic() > end:
                    why.append(TooSlow(f"it took more than {seconds:g} s and was stopped"))
                elif self.memory > self.max_memory:
                    why.append(Ended(f"it took more than {self.max_memory >> 20} MB and was stopped"))
                else:
                    continue
                self.process.kill()
                return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            return work()
        except (EOFError, OSError, ValueError):
            over.set()
            watcher.join()
            raise (why[0] if why else Ended("its process ended")) from None
        finally:
            over.set()

    def close(self) -> None:
        """Kills the child process and waits for its end, so that no zombie process is left."""
        self.process.kill()
        self.process.wait()
        for stream in (self._requests, self._answers):
            with suppress(OSError):  # of a request that could no longer be written
                stream.close()


# The following functions run in the child.


def answer_requests(start: Callable[[], Mapping[str, object]], handle: Callable[..., Message]) -> None:
    """Runs the child process: sends the result of `start`, then answers each message with `handle(facts, arrays)`. If `start`
    fails, sends the error and returns. The process ends when stdin closes, because the parent is then gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C also reaches the server, and its end closes our stdin
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries goes to stderr, not between two messages
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICE)
    try:
        first = start()
    except Exception as error:  # an installation can fail in any way: the page shows the error
        send(answers, {"error": str(error) if isinstance(error, RuntimeError) else in_a_sentence(error)})
        return
    send(answers, first)
    while True:
        answer = handle(*requests.get())
        try:
            send(answers, *answer)
        except ValueError as error:  # nothing of the message was written
            send(answers, {"error": in_a_sentence(error)})


def in_a_sentence(error: Exception) -> str:
    """Formats an exception as one line of at most 600 characters: its type and its message."""
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}"[:600]


def no_network() -> None:
    """Forbids this process to use the network and to start programs. Each event in OUTSIDE raises PermissionError."""

    def refuse(event: str, _arguments: object) -> None:
        if event in OUTSIDE:
            raise PermissionError(f"{event} is not allowed here")

    sys.addaudithook(refuse)


def bound_itself(memory: int, seconds: int) -> None:
    """Limits this process to `memory` bytes of address space and `seconds` of CPU time. Does nothing on Windows."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _listen(stream: IO[bytes], requests: queue.SimpleQueue[Message]) -> None:
    try:
        while True:
            requests.put(receive(stream))
    except BaseException:
        os._exit(0)


# The following functions send and receive messages, in parent and child.


def send(stream: IO[bytes], facts: Mapping[str, object], arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
    """Writes one message. Raises OSError if the other process is gone. Raises ValueError if the header is too long to be sent."""
    kinds = {name: "u1" if values.dtype == np.uint8 else "<f4" for name, values in (arrays or {}).items()}
    sent = {name: np.ascontiguousarray(values, dtype=kinds[name]) for name, values in (arrays or {}).items()}
    shapes = {name: (kinds[name], values.shape) for name, values in sent.items()}
    header = json.dumps({"facts": facts, "shapes": shapes}).encode()
    if len(header) > MAX_HEADER:
        raise ValueError(f"a message's header must be at most {MAX_HEADER} bytes, got {len(header)}")
    stream.write(LENGTH.pack(len(header)) + header)
    for values in sent.values():
        stream.write(values.data if values.size else b"")
    stream.flush()


def receive(stream: IO[bytes]) -> Message:
    """Reads the next message. Raises EOFError if the other process is gone, and ValueError for a header that is not JSON."""
    (length,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    if length > MAX_HEADER:
        raise ValueError(f"no message: its header would be {length} bytes long")
    header: dict[str, Facts] = json.loads(_exactly(stream, length))
    arrays: Arrays = {}
    for name, (kind, shape) in header["shapes"].items():
        dtype = np.dtype(KINDS[KINDS.index(kind)])  # ValueError for any other
        arrays[name] = np.frombuffer(_exactly(stream, dtype.itemsize * math.prod(shape)), dtype).reshape(shape)
    return header["facts"], arrays


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError("the other side closed the connection")
    return data
