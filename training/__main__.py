"""Trains every network, measures all with NumPy, and writes weights, manifest and report to assets/trained/ (`make train`)."""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from statistics import mean, stdev

from training.report import manifest_of, network_of, report_of, write
from training.runs import TASKS, Weights, planned


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="networks trained at once, one thread each (2)")
    parser.add_argument("--only", choices=TASKS, nargs="*", default=[*TASKS], help="train these tasks alone (all)")
    parsed = parser.parse_args()
    trained = {name: train(name, parsed.jobs) for name in parsed.only}
    say("Measuring every network on the fixed examples ...")
    finished = {
        name: {run: network_of(run, weights[run]) for run in planned(name) if run in weights} for name, weights in trained.items()
    }
    reports = {name: report_of(name, networks) for name, networks in finished.items()}
    write("report.json", reports)
    write("manifest.json", {name: manifest_of(name, networks) for name, networks in finished.items()})
    for network, rows in (one for report in reports.values() for one in report["runs"].items()):
        means = [row["mean"] for row in rows]
        spread = f" ± {stdev(means):.3f}" if len(means) > 1 else ""
        say(f"{network:15} {len(means):2} seeds: {mean(means):.3f}{spread} ({min(means)} to {max(means)})")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def train(name: str, jobs: int) -> Weights:
    """Trains a task's unfinished networks, `jobs` at a time, in processes with one thread. Returns all networks' weights."""
    from training.recipe import settle

    finished, began = {}, time.perf_counter()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=settle) as pool:
        waiting, there = {pool.submit(run.train): run for run in planned(name)}, sum(run.file.exists() for run in planned(name))
        for done in as_completed(waiting):
            run = waiting[done]
            finished[run] = done.result()
            longer, took = f", {run.times} times the steps" if run.times > 1 else "", time.perf_counter() - began
            left = took / max(len(finished) - there, 1) * (len(waiting) - len(finished))
            say(
                f"{len(finished):3}/{len(waiting)}  {run.network}, seed {run.seed}{longer}  "
                f"({took:.0f} s in all, some {left / 60:.0f} min left)"
            )
    return finished


if __name__ == "__main__":
    main()
