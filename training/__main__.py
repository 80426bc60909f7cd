"""`make train`: trains every network, measures them with NumPy, writes weights, manifest and report into assets/trained/."""

import argparse
import sys
import time
from statistics import mean, stdev

from training.report import write_report, write_weights
from training.runs import TASKS, finish_all, folder, planned


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="networks trained at once, one thread each (2)")
    parser.add_argument("--only", choices=tuple(TASKS), help="the networks of one task; the others' files stay")
    args = parser.parse_args()
    for name in (args.only,) if args.only else TASKS:
        train(name, args.jobs)


def say(line: str) -> None:
    """One line of progress, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def train(name: str, jobs: int) -> None:
    """All networks of one task."""
    runs, place, began = list(planned(name)), folder(name), time.perf_counter()
    for count, (run, seconds) in enumerate(finish_all(runs, place, jobs), 1):
        gone = time.perf_counter() - began
        longer = f", {run.times} times the steps" if run.times > 1 else ""
        say(f"{count:3}/{len(runs)}  {run.network}, seed {run.seed}{longer}: {seconds:.0f} s  ({gone:.0f} s in all)")
    say("Measuring every network on the fixed examples ...")
    report = write_report(name)
    write_weights(name)
    for network, rows in report["runs"].items():
        means = [row["mean"] for row in rows]
        spread = f"{mean(means):.3f} ± {stdev(means):.3f} ({min(means)} to {max(means)})"
        say(f"{network:15} {len(means):2} seeds: {spread}")


if __name__ == "__main__":
    main()
