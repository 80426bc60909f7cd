"""Rewrites the table of published models from the real classes: `python -m parity.table` writes assets/published_models.json.
Sizes, sources and notes are kept. Parameters outside attention come from the class of each row's configuration. The command stops
if the attention of a class has another parameter count than the row's sizes give."""

import json

from headcount.models.entry import FILE, Entry, entries
from parity.real_class import Counted, build, described

#: Families whose models use the class of another family.
SAME_CLASS = {"kimi_k2": "deepseek_v3"}


def has_class(entry: Entry) -> bool:
    return entry.row in ("model", "blog") and entry.model_type != "transformer"


def counted(entry: Entry, heads: int | None = None, kv_heads: int | None = None) -> Counted:
    """Counts the parameters of a row's class, with another number of heads if given."""
    kind = SAME_CLASS.get(entry.config["model_type"], entry.config["model_type"])
    return described(build({**entry.config, "model_type": kind, "architectures": [entry.counted_as]}, heads, kv_heads))


def main() -> None:
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    for row in rows:
        entry = entries()[row["slug"]]
        if has_class(entry):
            found = counted(entry)
            if (found.attention, found.projections) != (entry.model.attention_total, entry.model.projections):
                raise SystemExit(f"{entry.slug}: its sizes make {entry.model.projections:,}, its class {found.projections:,}")
            row["rest"] = [part for part in found.rows if part[-1] != "attention"]
    lines = (",\n".join(f'  "{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in row.items()) for row in rows)
    FILE.write_text("[\n" + ",\n".join(f" {{\n{line}\n }}" for line in lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
