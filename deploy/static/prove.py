"""Asks the real Keras layer what a reader of the static build would ask it: `assets/proof.json`.

Whether it gives the same for the layers that are most likely to be seen, and what the runs of claims and questions give.
`python -m deploy.static.prove` (two minutes). It stops where a layer differs or a run fails.
"""

import json
import sys
import time
from dataclasses import asdict
from itertools import product
from pathlib import Path

from lessons.claims import CLAIMS, QUESTIONS
from mha import Config, run
from mha.comparison import compare
from mha.keras.client import KerasClient
from mha.keras.question import question

FILE = Path(__file__).parents[2] / "assets" / "proof.json"
PATIENCE = 300  # seconds


def layers() -> list[Config]:
    """Each stop of the heads slider from the start on, in both splits, with and without mask and biases."""
    small = [
        Config(16, heads, size, size, tokens, tokens, mask, bias)
        for heads, tokens, mask, bias in product((1, 2, 4, 8, 16), (6, 13), ("none", "causal"), (True, False))
        for size in sorted({16 // heads, 4})
    ]
    wide = [Config(512, heads, 512 // heads, query_len=13) for heads in (1, 8, 64)]
    return [*small, *wide, *(Config(16, heads, query_len=16) for heads in (1, 2, 4, 8, 16))]


def runs(client: KerasClient) -> dict[str, dict]:
    """What each run gives that only Keras can do, by its key. RuntimeError where one fails."""
    wanted = [one.run for one in CLAIMS] + [run for one in QUESTIONS for run in one.runs]
    results = {}
    for one in wanted:
        if one.keras and one.key not in results:
            asked = question(one.name, **one.arguments)
            results[one.key] = client.result(asked, wait=PATIENCE)
            if results[one.key] is None:
                raise RuntimeError(f"{one.key}: {client.failure(asked) or client.reason}")
    return results


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
    known = runs(client)
    client.close()
    about = {"keras": answer.keras_version, "tensorflow": answer.tensorflow_version, "date": time.strftime("%Y-%m-%d")}
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    given = ",\n".join(f"  {json.dumps(key)}: {json.dumps(result)}" for key, result in known.items())
    text = json.dumps(about)[:-1] + ', "layers": [\n' + lines + '\n], "runs": {\n' + given + "\n}}\n"
    FILE.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{FILE}: {len(rows)} layers, {len(known)} runs\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
