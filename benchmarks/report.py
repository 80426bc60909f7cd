"""All results on one page: reads `benchmarks/results/*.json`, writes `benchmarks/RESULTS.md`.

`python -m benchmarks.report`. Nothing is measured here: run the benchmarks first, on a quiet machine.
"""

import json
import sys
from pathlib import Path

from benchmarks import choice_report, load_report
from benchmarks.report_table import mark, table

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent / "RESULTS.md"
NAMES = {"/": "Heads and parameters", "/projections": "Projections", "/attention": "Attention", "/concatenation": "Concatenation"}
WHAT = {"main": "main figure", "all": "every moving figure", "charts": "with the last chart"}


def paint(made: dict) -> list[str]:
    rows = []
    for path, row in made["figures"].items():
        for what, words in WHAT.items():
            if f"{what}_to_floor" not in row or (what == "all" and row["app_all_ms"] == row["app_main_ms"]):
                continue
            times = [f"{row[f'{name}_{what}_ms']:.0f} / {row[f'{name}_{what}_p90_ms']:.0f}" for name in ("app", "floor")]
            target = ["", ""] if what == "charts" else ["1.25", mark(made["met"][f"{path} {what}"])]
            rows.append([f"{NAMES[path]}: {words}", *times, f"{row[f'{what}_to_floor']:.2f}", *target])
        if "main_to_bare" in row:
            times = [f"{row[f'{name}_main_ms']:.0f} / {row[f'{name}_main_p90_ms']:.0f}" for name in ("app", "bare")]
            met = mark(made["met"][f"{path} main to text and canvas"])
            rows.append([f"{NAMES[path]}: against one text and one canvas", *times, f"{row['main_to_bare']:.2f}", "1.5", met])
    moves = min(row["moves"] for row in made["figures"].values())
    return [
        f"Milliseconds from a key press on the heads slider to the figure on the screen, in Chromium (d_model 16), median / 90th "
        f"percentile of {moves} moves. The floor is a bare Streamlit page with the same finished figures that computes nothing. "
        "The app's stage is sent the slider's next stops with the present one and draws them before the server has answered "
        "(the floor's is not); the charts wait for the server's answer.",
        "", *table(["", "app", "floor", "ratio", "at most", ""], rows),
    ]  # fmt: skip


def trace(made: dict) -> list[str]:
    rows = [
        [name, f"{row['trace_ms']:.3g}", f"{row['keras_ms']:.3g}", f"{row['trace_to_keras']:.2g}", f"{row['bare_ms']:.3g}",
         f"{row['trace_to_bare']:.2f}", mark(made["met"][name])]
        for name, row in made["figures"].items()
    ]  # fmt: skip
    head = ["", "trace ms", "Keras ms", "ratio", "bare products ms", "ratio", "targets"]
    versions = f"Keras {made['keras_version']}, TensorFlow {made['tensorflow_version']}"
    text = f"One forward pass with every intermediate kept, against the real layer ({versions}) called eagerly."
    return [text, "", *table(head, rows)]


def cold(made: dict) -> list[str]:
    words = {
        "up_s": "start of the process to listening", "navigation_to_figure_s": "first visitor's navigation to first figure",
        "start_to_figure_s": "start of the process to first figure",
    }  # fmt: skip
    figures = made["figures"]
    rows = [
        [text, f"{figures[key]['app']:.2f}", f"{figures[key]['bare']:.2f}", f"{figures[key]['ratio']:.2f}",
         "1.3" if key in made["met"] else "", mark(made["met"][key]) if key in made["met"] else ""]
        for key, text in words.items()
    ]  # fmt: skip
    text = f"Seconds, median of {figures['rounds']} rounds, against a bare Streamlit and Plotly page without TensorFlow."
    return [text, "", *table(["", "app", "bare", "ratio", "at most", ""], rows)]


def wire(made: dict) -> list[str]:
    sent, held = made["figures"]["bytes per step"], made["figures"]["memory MB"]
    parts = sorted({part for page in sent.values() for row in page.values() for part in row if part.endswith(" kB")})
    rows = [
        [f"{NAMES[path]}{'' if name == 'fresh' else ', a figure seen just before'}", f"{row['kB']:.1f}",
         *(f"{row.get(part, 0):.1f}" for part in parts)]
        for path, page in sent.items() for name, row in page.items()
    ]  # fmt: skip
    memory = [[name, f"{value:.1f}" if value > 5 else f"{value:.2f}"] for name, value in held.items()]
    return [
        "kB received by the browser for one step of the heads slider, median.", "",
        *table(["", "all", *(part.removesuffix(" kB") for part in parts)], rows), "",
        "Resident memory of the server's process in MB. A second wave of visitors shows what the first one has left behind.", "",
        *table(["", "MB"], memory), "",
        "What is kept over visitors is bounded: " + "; ".join(made["figures"]["bounds"]) + ".",
    ]  # fmt: skip


#: file, command, title, what makes its section
SECTIONS = (
    ("paint", "paint", "Key press to picture", paint), *choice_report.SECTIONS, ("trace", "trace", "The layer's numbers", trace),
    ("cold", "cold", "Cold start", cold), ("wire", "wire", "Bytes and memory", wire), *load_report.SECTIONS,
)  # fmt: skip


def where(made: dict) -> str:
    """On what, with what and when it was measured."""
    known = [f"{name} {made[name]}" for name in ("python", "streamlit", "plotly", "numpy") if name in made]
    known += [made[name] if name == "date" else f"load {made[name]} at the end" for name in ("date", "load") if name in made]
    return f"{made['cores']} cores, {made['machine']}, " + ", ".join(known)


def main() -> int:
    lines = ["# Measured", "", "Written by `python -m benchmarks.report`. Only ratios carry over to other machines.", ""]
    for name, command, title, section in SECTIONS:
        file = RESULTS / f"{name}.json"
        if not file.exists():
            continue
        made = json.loads(file.read_text())
        lines += [f"## {title}", "", f"`python -m benchmarks.{command}` · {where(made)}", "", *section(made), ""]
    PAGE.write_text("\n".join(lines))
    sys.stdout.write(f"{PAGE}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
