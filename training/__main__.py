"""`make train`: trains every network, measures them with NumPy, writes weights, manifest and report into assets/trained/."""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from statistics import mean, stdev

from training.report import manifest_of, report_of, write
from training.runs import TASKS, Weights, planned


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="networks trained at once, one thread each (2)")
    jobs = parser.parse_args().jobs
    finished = {name: train(name, jobs) for name in TASKS}
    say("Measuring every network on the fixed examples ...")
    reports = {name: report_of(name, weights) for name, weights in finished.items()}
    write("report.json", reports)
    write("manifest.json", {name: manifest_of(name, weights) for name, weights in finished.items()})
    for network, rows in (one for report in reports.values() for one in report["runs"].items()):
        means = [row["mean"] for row in rows]
        say(f"{network:15} {len(means):2} seeds: {mean(means):.3f} ± {stdev(means):.3f} ({min(means)} to {max(means)})")


def say(line: str) -> None:
    """One line of progress, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def train(name: str, jobs: int) -> Weights:
    """All networks of one task, `jobs` at a time, each in a process with one thread."""
    from training.recipe import settle

    finished, began = {}, time.perf_counter()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=settle) as pool:
        waiting = {pool.submit(run.train): run for run in planned(name)}
        for done in as_completed(waiting):
            run = waiting[done]
            finished[run] = done.result()
            longer, took = f", {run.times} times the steps" if run.times > 1 else "", time.perf_counter() - began
            say(f"{len(finished):3}/{len(waiting)}  {run.network}, seed {run.seed}{longer}  ({took:.0f} s in all)")
    return finished


if __name__ == "__main__":
    main()
