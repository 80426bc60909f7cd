"""`make train`: trains every network, measures them with NumPy, writes weights, manifest and report into assets/trained/."""

import argparse
import shutil
import sys
import time
from statistics import mean, stdev

from training.report import write_report, write_weights
from training.runs import BUILD, finish_all, folder, planned


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="networks trained at once, one thread each (2)")
    parser.add_argument("--anew", action="store_true", help="forget finished runs that wait in build/training")
    args = parser.parse_args()
    if args.anew:
        shutil.rmtree(BUILD, ignore_errors=True)
    runs, place, began = list(planned()), folder(), time.perf_counter()
    for count, (run, seconds) in enumerate(finish_all(runs, place, args.jobs), 1):
        gone = time.perf_counter() - began
        longer = f", {run.times} times the steps" if run.times > 1 else ""
        which = f"{run.network}, seed {run.seed}{longer}"
        sys.stdout.write(f"{count:3}/{len(runs)}  {which}: {seconds:.0f} s  ({gone:.0f} s in all)\n")
        sys.stdout.flush()
    sys.stdout.write("Measuring every network on the fixed examples ...\n")
    sys.stdout.flush()
    report = write_report(place)
    write_weights(place)
    for name, rows in report["runs"].items():
        means = [row["mean"] for row in rows]
        spread = f"{mean(means):.3f} ± {stdev(means):.3f} ({min(means)} to {max(means)})"
        sys.stdout.write(f"{name:12} {len(means):2} seeds: {spread}\n")
    sys.stdout.write(f"{time.perf_counter() - began:.0f} s in all\n")


if __name__ == "__main__":
    main()
