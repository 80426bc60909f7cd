"""`make explore`: walks without a plan for MINUTES, over AppTest and in Chromium. SEED repeats one; the report names the seed."""

import argparse
import logging
import random
import re
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

RESULTS = Path("test-results")
STEPS_OF_A_TOUR = 30


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def signature(breach: str) -> str:
    """What two failures have in common that are the same: their words without numbers and without where they stand."""
    return re.sub(r"[\d.,]+", "#", breach).partition("' in ")[0][:90]


def tours(seed: int, minutes: float) -> Iterator[tuple[int, str]]:
    """Failures as they come: the tour's seed, and the way there. One of a kind is reported once, and the tour goes on behind it;
    only a page that broke ends it."""
    from streamlit import config

    import tests.conftest  # noqa: F401  AppTest does not read all packages anew for each visitor
    from tests.visitor.keras_states import STATES, controlled
    from tests.visitor.walk import Untrue, Walk

    config.set_option("logger.enableRich", False)
    logging.disable(logging.ERROR)  # what breaks is in the report; each module of Streamlit has a logger with a level of its own
    end, seen, steps, tour = time.monotonic() + 60 * minutes, set(), 0, seed
    new: list[str] = []

    class Noting(Walk):
        def fail(self, found: Sequence[str]) -> None:
            unseen = [breach for breach in found if signature(breach) not in seen]
            seen.update(map(signature, unseen))
            if unseen:
                new.append(self.told(unseen))
            if any(breach.startswith("exception") for breach in found):
                raise Untrue

    with controlled() as keras:
        while time.monotonic() < end:
            choose = random.Random(tour)
            random.seed(tour)  # the pages' own dice: Shuffle
            try:
                walk = Noting(keras, choose.choice, tuple(STATES))
                for _ in range(STEPS_OF_A_TOUR):
                    steps += 1
                    walk.step()
            except Untrue:
                pass
            except Exception:  # the walk's own fault, or AppTest's: reported too, and the next tour begins
                if (kind := traceback.format_exc()[-200:]) not in seen:
                    seen.add(kind)
                    new.append(f"{traceback.format_exc()}\nafter:\n" + "\n".join(walk.steps))
            yield from ((tour, message) for message in new)
            new.clear()
            tour += 1
        say(f"AppTest, seeds {seed} to {tour - 1}: {steps:,} steps, {len(seen)} kinds of failures.")


def over_apptest(seed: int, minutes: float, log: str) -> int:
    """One process; its failures are printed and written as they come."""
    count = 0
    for tour, message in tours(seed, minutes):
        count += 1
        told = f"=== AppTest, SEED={tour}\n{message}\n"
        say(told)
        with Path(log).open("a", encoding="utf-8") as out:
            out.write(told)
    return count


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=None, help="the first tour's; by default the clock's")
    parser.add_argument("--processes", type=int, default=2, help="of AppTest, each with a Keras worker of its own")
    parser.add_argument("--only", choices=("apptest", "chromium"), default=None)
    chosen = parser.parse_args(arguments)
    seed = int(time.time()) % 1_000_000_000 if chosen.seed is None else chosen.seed
    RESULTS.mkdir(exist_ok=True)
    log = RESULTS / f"explore-{seed}.txt"
    say(f"SEED={seed}, {chosen.minutes:g} minutes; failures are kept in {log}")
    parts = 1 if chosen.only else 2
    count = 0
    if chosen.only != "chromium":
        with ProcessPoolExecutor(chosen.processes) as pool:
            # A million tours apart: no two processes take the same one.
            seeds = [seed + 1_000_000 * place for place in range(chosen.processes)]
            count += sum(pool.map(over_apptest, seeds, [chosen.minutes / parts] * len(seeds), [str(log)] * len(seeds)))
    if chosen.only != "apptest":
        from tests.visitor.chromium import over_chromium

        count += over_chromium(seed, chosen.minutes / parts, log)
    say(f"{count} failures, SEED={seed}" if count else f"Nothing found, SEED={seed}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
