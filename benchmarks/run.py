"""Every benchmark, one after the other, then the page with all results: `python -m benchmarks.run`.

An hour; keep the machine quiet. Each runs in a process of its own: none inherits another's memory, threads or TensorFlow.
"""

import subprocess
import sys

NAMES = ("trace", "paint", "models", "trained", "cold", "wire", "load", "failover", "abuse", "report")


def main() -> int:
    """0 if every one of them met its targets."""
    missed = [name for name in NAMES if subprocess.run((sys.executable, "-m", f"benchmarks.{name}"), check=False).returncode]
    sys.stdout.write(f"missed its target or failed: {', '.join(missed)}\n" if missed else "all targets met\n")
    return len(missed)


if __name__ == "__main__":
    sys.exit(main())
