"""Asks the real Keras layer about the layers that a reader of the static build is most likely to see: `assets/proof.json`.

`python -m deploy.static.prove` (a minute). It stops where one of them differs.
"""

import json
import sys
import time
from dataclasses import asdict
from itertools import product
from pathlib import Path

from mha import Config, run
from mha.comparison import compare
from mha.keras.client import KerasClient

FILE = Path(__file__).parents[2] / "assets" / "proof.json"


def layers() -> list[Config]:
    """Each stop of the heads slider from the start on, in both splits, with and without mask and biases."""
    small = [
        Config(16, heads, size, size, 6, 6, mask, bias)
        for heads, mask, bias in product((1, 2, 4, 8, 16), ("none", "causal"), (True, False))
        for size in sorted({16 // heads, 4})
    ]
    wide = [Config(512, heads, 512 // heads, query_len=6) for heads in (1, 8, 64)]
    return [*small, *wide, *(Config(16, heads, query_len=16) for heads in (1, 2, 4, 8, 16))]


def main() -> int:
    client, rows, answer = KerasClient(), [], None
    for cfg in layers():
        while (answer := client.answer(cfg)) is None:
            if client.state in ("missing", "failed") or client.failure(cfg):
                sys.stderr.write(f"{cfg}: {client.failure(cfg) or client.reason}\n")
                return 1
            time.sleep(0.05)
        result = compare(run(cfg), answer)
        if not result.agrees and not result.known_bug:
            sys.stderr.write(f"{cfg} differs: {result}\n")
            return 1
        if result.agrees:
            differences = {"output": result.output_difference, "weights": result.weights_difference}
            rounded = {name: float(f"{value:.2g}") for name, value in differences.items()}
            rows.append({"layer": asdict(cfg), **rounded, "count": result.keras_count})
    client.close()
    about = {"keras": answer.keras_version, "tensorflow": answer.tensorflow_version, "date": time.strftime("%Y-%m-%d")}
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    FILE.write_text(json.dumps(about)[:-1] + ', "layers": [\n' + lines + "\n]}\n", encoding="utf-8")
    sys.stdout.write(f"{FILE}: {len(rows)} layers\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
