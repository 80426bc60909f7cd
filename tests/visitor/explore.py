"""Random visitors for MINUTES, over AppTest and in Chromium: `make explore`. SEED repeats them; a report names its seed."""

import argparse
import logging
import random
import re
import sys
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import repeat
from pathlib import Path

from streamlit import config

import tests.conftest  # noqa: F401  AppTest does not read all packages anew for each visitor
from tests.browser.helpers import RESULTS
from tests.visitor.chromium import over_chromium
from tests.visitor.keras_states import controlled
from tests.visitor.walk import Untrue, Walk

STEPS = 30


@contextmanager
def over_apptest() -> Iterator[partial[Walk]]:
    """A function that makes a random visitor."""
    config.set_option("logger.enableRich", False)
    logging.disable(logging.ERROR)  # what breaks is in the report; each module of Streamlit has a logger with a level of its own
    with controlled() as keras:
        yield partial(Walk, keras)


KINDS = {"AppTest": over_apptest, "Chromium": over_chromium}


def signature(breach: str) -> str:
    """The part of a failure's text that is the same for failures of one kind, without places and most numbers."""
    return re.sub(r"/\w+(?=/_stcore)|; at .*|' in .*|(?<!step=)\b[\d.,]+", "#", breach)[:90]


def tell(log: Path, words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()
    with log.open("a", encoding="utf-8") as out:
        out.write(f"{words}\n")


def explore(kind: str, seed: int, minutes: float, log: Path) -> int:
    """Sends random visitors until the time is over, and returns the number of kinds of failures. Each kind is reported once. A
    visit ends early only on a broken page or on an error of its own."""
    end, seen, steps, place = time.monotonic() + 60 * minutes, set(), 0, seed
    with KINDS[kind]() as new:
        while time.monotonic() < end:
            random.seed(place)  # the pages' own dice: Shuffle
            walk = new(random.Random(place).choice)
            for act in (walk.begin, *[walk.step] * STEPS):
                steps += 1
                try:
                    act()
                except Exception as error:  # what is not Untrue is the walk's own fault: told too, and the next walk begins
                    found = error.found if isinstance(error, Untrue) else [f"{error!r}\n{traceback.format_exc()}"]
                    if unseen := [breach for breach in found if signature(breach) not in seen]:
                        seen |= {*map(signature, unseen)}
                        tell(log, f"=== {kind}, SEED={place}\n{walk.told(unseen)}\n")
                    if not isinstance(error, Untrue) or any(breach.startswith("exception") for breach in found):
                        break
            place += 1
    tell(log, f"{kind}, seeds {seed} to {place - 1}: {steps:,} steps, {len(seen)} kinds of failures.")
    return len(seen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the first walk's; by default the clock's")
    chosen = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    log = RESULTS / f"explore-{chosen.seed}.txt"
    tell(log, f"SEED={chosen.seed}, {chosen.minutes:g} minutes; failures are kept in {log}")
    with ProcessPoolExecutor(len(KINDS)) as pool:
        count = sum(pool.map(explore, KINDS, repeat(chosen.seed), repeat(chosen.minutes), repeat(log)))
    tell(log, f"{count} failures, SEED={chosen.seed}" if count else f"Nothing found, SEED={chosen.seed}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
