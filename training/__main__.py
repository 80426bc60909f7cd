"""`make train`: trains every network, measures them with NumPy, writes weights, manifest and report into assets/trained/ and
assets/language/."""

import argparse
import shutil
import sys
import time
from statistics import mean, stdev

from training import language_report, language_runs
from training.report import write_report, write_weights
from training.runs import BUILD, finish_all, folder, planned

KINDS = ("tasks", "language")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="networks trained at once, one thread each (2)")
    parser.add_argument("--only", choices=KINDS, help="the small tasks of /trained_heads, or the language models")
    parser.add_argument("--anew", action="store_true", help="forget finished runs that wait in build/training")
    args = parser.parse_args()
    if args.anew:
        shutil.rmtree(BUILD, ignore_errors=True)
    began = time.perf_counter()
    if args.only != "language":
        train_tasks(args.jobs)
    if args.only != "tasks":
        train_language(args.jobs)
    say(f"{time.perf_counter() - began:.0f} s in all")


def say(line: str) -> None:
    """One line of progress, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def train_tasks(jobs: int) -> None:
    """The networks of /trained_heads."""
    runs, place, began = list(planned()), folder(), time.perf_counter()
    for count, (run, seconds) in enumerate(finish_all(runs, place, jobs), 1):
        gone = time.perf_counter() - began
        longer = f", {run.times} times the steps" if run.times > 1 else ""
        which = f"{run.network}, seed {run.seed}{longer}"
        say(f"{count:3}/{len(runs)}  {which}: {seconds:.0f} s  ({gone:.0f} s in all)")
    say("Measuring every network on the fixed examples ...")
    report = write_report(place)
    write_weights(place)
    for name, rows in report["runs"].items():
        means = [row["mean"] for row in rows]
        spread = f"{mean(means):.3f} ± {stdev(means):.3f} ({min(means)} to {max(means)})"
        say(f"{name:12} {len(means):2} seeds: {spread}")


def train_language(jobs: int) -> None:
    """The language models."""
    runs, place, began = list(language_runs.planned()), language_runs.folder(), time.perf_counter()
    for count, (run, seconds) in enumerate(finish_all(runs, place, jobs), 1):
        gone = time.perf_counter() - began
        say(f"{count:3}/{len(runs)}  {run.network}, seed {run.seed}: {seconds:.0f} s  ({gone:.0f} s in all)")
    say("Measuring every language model on the held-out text ...")
    report = language_report.write_report(place, say)
    language_report.write_weights(place, report)
    for name, rows in report["runs"].items():
        found = [row["perplexity"] for row in rows]
        say(f"{name:12} {len(found):2} seeds: {mean(found):.2f} ± {stdev(found):.2f} ({min(found)} to {max(found)})")


if __name__ == "__main__":
    main()
