"""A worker without TensorFlow: it speaks the protocol and misbehaves as its arguments say.

`python fake_worker.py behaviour…` with: hang (never answers), die (ends at each request), die-once FILE (ends at the first
request of all), die-in-start-once FILE, never-ready, refuse, decline, no-keras, nonsense, slow (0.05 s for each).
"""

import sys
import time
from pathlib import Path

from headcount import Config, ledger, run
from headcount.bounded_process import receive, send
from headcount.steps import steps_of

REPLIES = {"refuse": {"error": "ValueError: not this one"}, "decline": {"declined": "it is too large"}}


def main(behaviour: str, file: str = "") -> None:
    out = sys.stdout.buffer
    if behaviour == "never-ready":
        time.sleep(60)
    if behaviour == "die-in-start-once" and not Path(file).exists():
        Path(file).write_text("died")
        return
    send(out, {"error": "Keras cannot be loaded: ImportError: broken"} if behaviour == "no-keras" else {})
    while True:
        try:
            facts, _ = receive(sys.stdin.buffer)
        except EOFError:
            return
        if behaviour == "die" or (behaviour == "die-once" and not Path(file).exists()):
            Path(file or "/dev/null").write_text("died")
            return
        if behaviour == "hang":
            time.sleep(60)
        if behaviour == "nonsense":
            out.write(b"loading weights, please wait\n" * 3)
            out.flush()
            continue
        if behaviour in REPLIES:
            send(out, REPLIES[behaviour])
            continue
        if behaviour == "slow":
            time.sleep(0.05)
        send(out, *answer(facts["want"], Config(**facts["cfg"])))


def answer(want: str, cfg: Config) -> tuple[dict, dict]:
    trace = run(cfg)
    facts = {
        "count": sum(row.count for row in ledger(cfg)),
        "variables": [(row.path, row.shape) for row in ledger(cfg)],
        "keras_version": "0",
        "tensorflow_version": "0",
    }
    names = ("output", "weights") if want == "answer" else [step.name for step in steps_of(cfg)]
    return facts, {name: trace[name].values for name in names}


if __name__ == "__main__":
    main(*sys.argv[1:])
