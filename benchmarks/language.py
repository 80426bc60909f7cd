"""What the language models cost a page: all that comes before the shown layer, and a whole pass with its logits.

`python -m benchmarks.language [--seconds N]` prints a table and writes `benchmarks/results/language.json`: medians for a sentence
of 32 words, the longest that there may be, and the first loading of a network (its file read, held to its hash, unpacked).
"""

import os
import statistics
import sys
import time
from collections.abc import Callable

from benchmarks.serving import options, say, write
from benchmarks.trace import turn
from mha.language.network import forward, layer
from mha.language.store import SIZES, load, manifest, vocabulary
from mha.language.text import MOST_WORDS, read

MOST_MS = 5.0  # before the last layer
SENTENCE = "she was very happy to see her sister , " * 4


def median(call: Callable[[], object], seconds: float) -> float:
    """Milliseconds of one call, warm."""
    call()
    end, times = time.perf_counter() + seconds, list[float]()
    while time.perf_counter() < end:
        times += turn(call)
    return round(statistics.median(times), 3)


def main() -> int:
    seconds = options(__doc__, seconds=2.0).seconds  # for each figure
    busy = round(os.getloadavg()[0], 1)
    ids = read(" ".join(SENTENCE.split()[: MOST_WORDS - 1])).ids
    manifest(), vocabulary()
    figures, met = {}, {}
    say(f"{'network':8} {'load ms':>8} {'before layer 2':>15} {'whole pass':>11}")
    for size in sorted(SIZES, reverse=True):
        began = time.perf_counter()
        network = load(*size)
        row = figures[network.name] = {
            "load_ms": round(1000 * (time.perf_counter() - began), 1),
            "before_ms": median(lambda network=network: layer(network, ids, 2), seconds),
            "pass_ms": median(lambda network=network: forward(network, ids), seconds),
        }
        met[network.name] = row["before_ms"] <= MOST_MS
        say(f"{network.name:8} {row['load_ms']:8.1f} {row['before_ms']:15.3f} {row['pass_ms']:11.3f}")
    return write("language", figures, met, load_before=busy, words=len(ids))


if __name__ == "__main__":
    sys.exit(main())
