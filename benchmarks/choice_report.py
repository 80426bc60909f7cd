"""The part of `benchmarks/RESULTS.md` about other choices than the heads slider: what benchmarks.models and trained write."""

from benchmarks.report_table import mark, table

HEAD = ["", "app", "floor", "ratio", "at most", ""]


def rows_of(words: str, row: dict, met: bool) -> list[list[str]]:
    """The main picture, and the last chart, which has no target."""
    rows = []
    for what, name in (("main", "main picture"), ("charts", "with the last chart")):
        if what == "charts" and row["app_charts_ms"] == row["app_main_ms"]:
            continue
        times = [f"{row[f'{who}_{what}_ms']:.0f} / {row[f'{who}_{what}_p90_ms']:.0f}" for who in ("app", "floor")]
        target = ["1.25", mark(met)] if what == "main" else ["", ""]
        rows.append([f"{words}: {name}", *times, f"{row[f'{what}_to_floor']:.2f}", *target])
    return rows


def models(made: dict) -> list[str]:
    figures = made["figures"]
    text = (
        f"Milliseconds from Enter in the chooser of `/published_models` until the picture looks as it stays, median / "
        f"90th percentile of {figures['moves']} switches among four models. The floor: a chooser, and the same charts and texts."
    )
    return [text, "", *table(HEAD, rows_of("another model", figures, made["met"]["model switch"]))]


def trained(made: dict) -> list[str]:
    names = {"heads": "heads, by slider", "guest": "guest, typed", "removed": "removed head, typed"}
    rows = [one for key, row in made["figures"].items() for one in rows_of(names[key], row, made["met"][key])]
    moves = min(row["moves"] for row in made["figures"].values())
    text = (
        f"The same on `/trained_heads`, {moves} moves each; the main picture is the guests' tables. The page shows other heads "
        "and another guest before its server has answered, the floor does not."
    )
    return [text, "", *table(HEAD, rows)]


#: file, command, title, what makes its section
SECTIONS = (("models", "models", "Another model", models), ("trained", "trained", "Trained heads", trained))
