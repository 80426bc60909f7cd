"""The part of `benchmarks/RESULTS.md` about many visitors: tables of what benchmarks.load, failover and abuse have written."""

from benchmarks.report_table import mark, table

WAITS = ("p50_ms", "p95_ms", "p99_ms")


def number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


def targets(made: dict) -> list[str]:
    return ["", *(f"- {words}: {mark(met)}" for words, met in made["met"].items())]


def cells(row: dict) -> list[str]:
    return [
        *(number(row[name]) for name in WAITS), str(row["failures"]), f"{row['cpu_ms_per_rerun']:.1f}", f"{row['cores']:.2f}",
        f"{row['kB_per_move']:.0f}", f"{row['memory_mb']:.0f}", f"{row['mb_per_visitor']:.2f}",
    ]  # fmt: skip


HEAD = ["p50 ms", "p95", "p99", "failures", "CPU ms a move", "cores", "kB a move", "memory MB", "MB a visitor"]


def load(made: dict) -> list[str]:
    rows = [[f"{page}: {row['visitors']}", *cells(row)] for page, rows in made["figures"].items() for row in rows]
    text = (
        "Visitors at once on one process, each moving the heads slider every two seconds. A wait is counted from when the move "
        "was due until the last of its answer is there, without the browser's drawing. floor: one slider and one line."
    )
    return [text, "", *table(["page: visitors", *HEAD], rows), *targets(made)]


def replicas(made: dict) -> list[str]:
    rows = [[name, *cells(row)] for name, row in made["figures"].items()]
    return ["100 visitors on `/attention` (8 heads, 16 tokens).", "", *table(["", *HEAD], rows), *targets(made)]


def switches(made: dict) -> list[str]:
    rows = [[name, *cells(row)] for name, row in made["figures"].items()]
    return ["30 visitors on `/`, each tuning taken back in its turn.", "", *table(["", *HEAD], rows)]


def steady(made: dict) -> list[str]:
    """Memory alone: ten minutes are too long to keep a machine quiet, waits are measured by `load one`."""
    parts = made["figures"]["parts"]
    rows = [[str(n + 1), str(row["moves"]), str(row["failures"]), f"{row['memory_mb']:.1f}"] for n, row in enumerate(parts)]
    text = f"30 visitors on `/` for {made['figures']['minutes']:g} minutes, in ten parts: the server's memory after each."
    return [text, "", *table(["part", "moves", "failures", "memory MB"], rows), *targets(made)]


def failover(made: dict) -> list[str]:
    told = made["figures"]
    text = (
        f"A replica in use killed (SIGKILL) {told['kills']} times: the same screen works on at the other one after "
        f"{told['median_s']:.2f} s (median), {told['longest_s']:.2f} s at the longest."
    )
    return [text, *targets(made)]


def abuse(made: dict) -> list[str]:
    held = made["figures"]["memory MB"]
    rows = [
        [who, str(row["times"]), number(row["p50_ms"]), number(row["p95_ms"]), str(row["failures"]), f"{row['memory_mb']:.0f}"]
        for who, row in made["figures"].items() if who != "memory MB"
    ]  # fmt: skip
    after = " · ".join(f"{what} {value:.0f} MB" for what, value in held.items())
    head = ["who else is there", "times", "p50 ms", "p95", "failures", "memory MB"]
    text = "Ten visitors on `/`, one process without a proxy, beside somebody who means harm."
    return [text, "", *table(head, rows), "", after, *targets(made)]


#: file, command, title, what makes its section
SECTIONS = (
    ("load", "load one", "Many visitors, one process", load),
    ("load_replicas", "load replicas", "Replicas behind nginx", replicas),
    ("load_switches", "load switches", "What each tuning is worth", switches),
    ("load_steady", "load steady", "Ten minutes", steady),
    ("failover", "failover", "A replica dies", failover),
    ("abuse", "abuse", "Somebody means harm", abuse),
)
